# SPDX-License-Identifier: GPL-2.0-only
"""Who gets how much of the memory, by the curves: as it would be, and as it is."""

import errno
import mmap
import os

from .. import Failure
from ..output import done, human_pages, print_json, print_table
from ..proc import command_of
from ..sysfs import DEBUGFS, debugfs_remedy, need, read, table, write
from .targets import shares_written

KIB = 1024


def ask(total, pids):
    """The rows of the kernel's plan for so many bytes, or for what there is if that is 0."""
    path = os.path.join(DEBUGFS, "mrc", "plan")
    question = " ".join(map(str, [total // KIB, *pids]))
    try:
        with open(path, "r+b", buffering=0) as file:
            file.write(question.encode())
            file.seek(0)
            text = b"".join(iter(lambda: file.read(1 << 16), b"")).decode()
    except PermissionError:
        raise Failure(f"{path}: permission denied; run as root") from None
    except FileNotFoundError:
        raise Failure(f"{path} is not there; {debugfs_remedy()}") from None
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    return [{key: float(value) if key.startswith("misses") else int(value) for key, value in row.items()}
            for row in table(text[text.index("#"):] if "#" in text else text)]


def cmd_mrc_plan(args):
    need("mrc")
    rows = [dict(row, command=command_of(row["pid"])) for row in ask(args.total, args.pid)]
    missing = set(args.pid) - {row["pid"] for row in rows}
    if missing:
        raise Failure(f"{', '.join(map(str, sorted(missing)))}: not tracked, or no curve yet")
    if args.json:
        print_json(rows)
    elif not rows:
        print("no process is tracked that has a curve yet")
    else:
        print_table(["PID", "COMMAND", "WEIGHT", "MINIMUM", "NOW", "MISSES/S", "SHARE", "MISSES/S THEN"],
                    [[row["pid"], row["command"], row["weight"], human_pages(row["min_pages"]),
                      human_pages(row["resident_pages"]), f"{row['misses_per_s_now']:.1f}",
                      human_pages(row["share_pages"]), f"{row['misses_per_s']:.1f}"] for row in rows],
                    right=("PID", "WEIGHT", "MINIMUM", "NOW", "MISSES/S", "SHARE", "MISSES/S THEN"))
        print(f"together {human_pages(sum(row['share_pages'] for row in rows))}")
    return 0


def settings_of(args):
    """(file, value) of what is to be set before the division is enforced."""
    for name, value in (("total_kib", args.total), ("reserve_kib", args.reserve)):
        if value is not None:
            yield name, value // KIB
    for name in ("utility", "miss_us", "pressure_pct"):
        value = getattr(args, name)
        if value is not None:
            yield name, value


def cmd_mrc_enforce(args):
    need("mrc")
    for name, value in settings_of(args):
        write(f"mrc/division/{name}", str(value))
    write("mrc/division/enforce", "0" if args.off else "1",
          {errno.EOPNOTSUPP: "this kernel lacks what it takes; see the kernel's log"})
    if args.off:
        return done(args, "the division of memory is enforced no more")
    idle = "; mrc is off, and nothing is known yet: memsuite mrc enable" if read("mrc", "enabled") == "0" else ""
    return done(args, "the division of memory is enforced" + idle)


def share_before(who):
    """Its weight, and the bytes that it gets before others."""
    if not who.isdigit():
        weight, kib = shares_written().get(who, ("1", "0"))
        return int(weight), int(kib) * KIB
    for row in ask(0, [int(who)]):
        if row["pid"] == int(who):
            return row["weight"], row["min_pages"] * mmap.PAGESIZE
    raise Failure(f"{who}: not tracked, or no curve yet; give both --weight and --min")


def cmd_mrc_share(args):
    need("mrc")
    weight, least = args.weight, args.min
    if weight is None or least is None:
        before = share_before(args.who)
        weight = before[0] if weight is None else weight
        least = before[1] if least is None else least
    if least % mmap.PAGESIZE:
        raise Failure("a minimum is in whole pages")
    write("mrc/division/set", f"{args.who} {weight} {least // KIB}",
          {errno.ENOENT: f"{args.who} is not tracked; to track it: memsuite mrc add {args.who}"})
    return done(args, f"{args.who} weighs {weight}, and gets {human_pages(least // mmap.PAGESIZE)} at least")
