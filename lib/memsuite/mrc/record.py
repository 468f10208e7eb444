# SPDX-License-Identifier: GPL-2.0-only
"""Records of targets over time.

A record is lines of JSON. The first tells what it is; each other one is what was known of a target at a moment, from
one ladder: its statistics, its curve, its working sets by time scale, and for one process the sampled pages with when
they were last seen touched. Times are microseconds of CLOCK_MONOTONIC, as the kernel's.
"""

import contextlib
import json
import os
import select
import sys
import time

from .. import Failure, keeper
from ..ending import Ended, held, until_ended
from ..exit_status import UNTESTED
from ..output import print_json
from ..sysfs import SYSFS, need, number, read, write
from .curves import COLUMNS
from .targets import ADD_ERRORS, GROUP, mrc_accesses, mrc_curve, mrc_rows, mrc_stats, mrc_targets, name_of

VERSION = 1
TIMES_US = 1 << 51      # no machine runs for 71 years


def now_us():
    return time.monotonic_ns() // 1000


class Changes:
    """The file mrc/changes, waited for."""

    def __init__(self):
        self.fd = os.open(os.path.join(SYSFS, "mrc", "changes"), os.O_RDONLY)
        self.poll = select.poll()
        self.poll.register(self.fd, select.POLLPRI | select.POLLERR)

    def wait(self, seconds):
        """Until there is a change, or so long."""
        os.pread(self.fd, 64, 0)
        self.poll.poll(max(seconds, 0) * 1000)

    def close(self):
        os.close(self.fd)


def snapshot(who, stats):
    shot = {"us": now_us(), "target": who, "name": name_of(who), "stats": stats, "accesses": mrc_accesses(who),
            "curve": [[point[column] for column in COLUMNS] for point in mrc_curve(who)],
            "wss": [[row["us"], row["pages"]] for row in mrc_rows(who, "wss")]}
    if GROUP not in stats:
        shot["pages"] = [[row["address"], int(row["kind"] == "huge"), row["seen_us"]]
                         for row in mrc_rows(who, "pages")]
    return shot


def take(file, targets, ladders):
    """What is new of each; those that have ended are left out from then on."""
    for who in list(targets):
        try:
            stats = mrc_stats(who)
            if stats["ladders"] != ladders.get(who) and stats["ladders"]:
                file.write(json.dumps(snapshot(who, stats)) + "\n")
                file.flush()
            ladders[who] = stats["ladders"]
        except Failure:
            targets.remove(who)


def watch(file, targets, ladders, seconds, interval):
    """{target: ladders} is filled in."""
    changes = Changes()
    end = time.monotonic() + seconds
    try:
        while targets and time.monotonic() < end:
            take(file, targets, ladders)
            began = time.monotonic()
            # What changes all the time is not looked at all the time.
            changes.wait(min(interval, end - began))
            time.sleep(max(min(interval / 4, end - time.monotonic()), 0))
        take(file, targets, ladders)
    finally:
        changes.close()


class Recorder:
    """What it has begun to track is tracked no more, however it ends."""

    def __init__(self, args, targets, wanted):
        self.args, self.targets, self.wanted = args, targets, wanted
        self.added, self.ladders = [], {}

    def run(self):
        for who in self.wanted:
            with held():
                write("mrc/add", who, ADD_ERRORS)
                self.added.append(who)
                # Not before: the target may be somebody else's by now.
                keeper.note("mrc/remove", who)
        with open(self.args.output, "w", encoding="utf-8") as file:
            file.write(json.dumps({"memsuite_mrc_record": VERSION, "us": now_us(), "version": read("version")}) + "\n")
            watch(file, list(self.targets), self.ladders, self.args.seconds, self.args.interval)

    def restore(self):
        for who in set(self.added) & set(mrc_targets()):
            with contextlib.suppress(Failure):      # it has ended meanwhile
                write("mrc/remove", who)

    def measured(self):
        return sum(1 for count in self.ladders.values() if count)


def cmd_mrc_record(args):
    need("mrc")
    if not number("mrc", "enabled"):
        raise Failure("mrc is off: memsuite mrc enable")
    before = mrc_targets()
    targets = args.who or before
    if not targets:
        raise Failure("nothing is tracked; name a target")
    wanted = [who for who in targets if who not in before and f"{who} children" not in before]
    recorder = Recorder(args, targets, wanted)
    try:
        until_ended(recorder.run, recorder.restore)
    except Ended:
        pass        # what it has is a record
    except OSError as error:
        raise Failure(f"{args.output}: {error.strerror}") from None
    measured = recorder.measured()
    if args.json:
        print_json({"targets": len(targets), "recorded": measured, "file": args.output})
    else:
        print(f"{measured} of {len(targets)} targets recorded in {args.output}")
    return 0 if measured else UNTESTED


def is_number(value, kinds=(int, float)):
    """Whether it is one that the kernel may have told."""
    return isinstance(value, kinds) and 0 <= value < 1 << 64


def are_rows(rows, columns, kinds=(int, float)):
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == columns and all(is_number(value, kinds) for value in row) for row in rows)


def is_snapshot(shot):
    """Whether a line has what is made of it: see snapshot(). Without accesses or the working set it is one, too."""
    try:
        accesses = shot["accesses"] or {"per_s": 0, "source": ""}
        numbers = [shot["us"], shot["stats"]["ladders"], shot["stats"]["resident_pages"], *shot["stats"].values(),
                   accesses["per_s"]]
        times = [shot["us"], *(page[-1] for page in shot.get("pages", []))]
        return (all(map(is_number, numbers)) and max(times) < TIMES_US and are_rows(shot["curve"], len(COLUMNS))
                and all(isinstance(point[0], int) for point in shot["curve"])
                and are_rows(shot["wss"], 2, int) and are_rows(shot.get("pages", []), 3, int)
                and all(map(str.isprintable, (shot["target"], shot["name"], accesses["source"])))
                and json.dumps(shot, ensure_ascii=False).isprintable())
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError):
        return False


def record_lines(path):
    """What its lines say. The last one may be torn: the recorder was killed, or the disk was full."""
    with open(path, encoding="utf-8", errors="replace") as file:
        texts = [text for text in file if text.strip()]
    lines = []
    for number_of, text in enumerate(texts, 1):
        try:
            lines.append(json.loads(text))
        except (ValueError, RecursionError):
            if number_of < len(texts):
                raise ValueError from None
            print(f"memsuite: {path}: the last line is torn, and left out", file=sys.stderr)
    return lines


def read_record(path, target=None):
    """The snapshots of one target: of @target, or of the first one."""
    try:
        lines = record_lines(path)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except ValueError:
        lines = []
    if not lines or not isinstance(lines[0], dict) or lines[0].get("memsuite_mrc_record") != VERSION:
        raise Failure(f"{path} is no record of memsuite mrc record")
    shots = lines[1:]
    if not all(map(is_snapshot, shots)) or shots != sorted(shots, key=lambda shot: shot["us"]):
        raise Failure(f"{path} is damaged: a line is no snapshot, or they are not in order")
    target = target or (shots[0]["target"] if shots else None)
    # Of one with its children, the PID will do.
    shots = [shot for shot in shots if target in (shot["target"], shot["target"].partition(" ")[0])]
    if not shots:
        raise Failure(f"{path} has nothing of {target}" if target else f"{path} is empty")
    return shots


def curve_of(shot):
    return [dict(zip(COLUMNS, point)) for point in shot["curve"]]
