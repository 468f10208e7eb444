# SPDX-License-Identifier: GPL-2.0-only
"""Programs of the administrator's that are told of bad pages."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time

from .. import Failure
from ..output import bad_page_count, done, print_json
from ..sysfs import loaded, need
from .alarms import alarms
from .bad_pages import bad_pages
from .dimms import dimms, dimms_at

PROGRAMS = os.environ.get("MEMSUITE_NOTIFY", "/etc/memsuite/notify.d")
RUN = os.environ.get("MEMSUITE_RUN", "/run/memsuite")
INTERVAL_S = float(os.environ.get("MEMSUITE_NOTIFY_INTERVAL", "60"))    # a chip that dies is no flood of mail
LIMIT_S = 60                    # of one program
PAGES_TOLD = 1000               # of those, in one event
# Of a page's columns, those that a program gets by its environment.
FACTS = ("address", "pfn", "mask", "direction", "class", "time", "node", "region", "dimm", "origin", "retired")
LEFT_BEHIND = ("~", ".bak", ".orig", ".rej", ".swp", ".dpkg-old", ".dpkg-new", ".dpkg-dist", ".dpkg-tmp")
EXAMPLE = {"pfn": "0x12345", "address": "0x12345678", "mask": "0x0000000000000008", "element": "1",
           "background": "0x0000000000000000", "time": "0", "direction": "0->1", "class": "hard", "node": "0",
           "region": "node0", "dimm": "-", "origin": "example", "retired": "0"}


def complain(text):
    print(f"memsuite: {text}", file=sys.stderr)


def fit(path):
    """Whether it may be run as root; if not, who looks into the log is told what to do."""
    status = os.stat(path)
    if not os.access(path, os.X_OK):
        complain(f"{path} is not run, for it is not executable: chmod +x {path}, or remove it")
    elif status.st_mode & 0o022 or status.st_uid not in (0, os.geteuid()):
        complain(f"{path} is not run, for others than root may change it: chown root, chmod go-w {path}")
    else:
        return True
    return False


def programs():
    """Those that can be run, by name, and how many cannot."""
    try:
        names = sorted(name for name in os.listdir(PROGRAMS)
                       if not name.startswith(".") and not name.endswith(LEFT_BEHIND))
    except FileNotFoundError:
        return [], 0
    files = [path for name in names if os.path.isfile(path := os.path.join(PROGRAMS, name))]
    usable = [path for path in files if fit(path)]
    return usable, len(files) - len(usable)


# What has been told, until the next boot: then the kernel's list begins anew, too.

def told_file():
    return os.path.join(RUN, "notified.json")


def load_told():
    try:
        with open(told_file(), encoding="utf-8") as file:
            told = json.load(file)
        return {"pages": set(told["pages"]), "alarms": set(told["alarms"]), "at": float(told["at"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {"pages": set(), "alarms": set(), "at": -INTERVAL_S}


def save_told(told):
    name = told_file() + ".new"
    with open(name, "w", encoding="utf-8") as file:
        json.dump({**told, "pages": sorted(told["pages"]), "alarms": sorted(told["alarms"])}, file)
    os.rename(name, told_file())


def uptime_s():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@contextlib.contextmanager
def turn():
    """One runs the programs, one waits to look again for what came meanwhile, others need not: False."""
    try:
        os.makedirs(RUN, mode=0o700, exist_ok=True)
        waits = open(os.path.join(RUN, "notify.wait"), "w", encoding="ascii")
        runs = open(os.path.join(RUN, "notify.lock"), "w", encoding="ascii")
    except OSError as error:
        raise Failure(f"{RUN}: {error.strerror}; run as root") from None
    with waits, runs:
        try:
            fcntl.flock(waits, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        fcntl.flock(runs, fcntl.LOCK_EX)
        fcntl.flock(waits, fcntl.LOCK_UN)
        yield True


def key(row):
    """A page that is given back, and found again, is news."""
    return f"{row['pfn']} {row['time']}"


def page_event(rows):
    """What is told of new bad pages: all in one."""
    every, host = dimms(), os.uname().nodename
    where = ", ".join(sorted({row["dimm"] for row in rows} - {"-"})[:8])
    first = rows[0]
    text = f"{host}: {bad_page_count(len(rows))}" + (f" in {where}" if where else "") + (
        f", {first['address']} ({first['class']}, bits {first['mask']})") + (" and others" if len(rows) > 1 else "")
    return {"event": "bad_page", "host": host, "text": text, "page_count": len(rows),
            "pages": [{**row, "dimms": dimms_at(row["dimm"], every)} for row in rows[:PAGES_TOLD]]}


def alarm_event(alarm):
    """So many pages are bad that no more are retired, of a DIMM or at all."""
    rows, host = bad_pages(), os.uname().nodename
    there = sum(alarm.dimm == (row["dimm"] if row["dimm"] != "-" else f"node{row['node']}") for row in rows)
    if alarm.limit == "dimm":
        text = f"{host}: {bad_page_count(there)} in {alarm.dimm}: replace it; no more of it are retired"
    else:
        text = f"{host}: {bad_page_count(len(rows))}, {there} in {alarm.dimm}: replace it; no more are retired"
    return {"event": "alarm", "host": host, "page_count": there if alarm.limit == "dimm" else len(rows),
            "dimm": alarm.dimm, "pages": [], "text": text}


def environment(event):
    facts = {name: event["pages"][0][name] for name in FACTS} if event["pages"] else {"dimm": event["dimm"]}
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
            "MEMSUITE_EVENT": event["event"], "MEMSUITE_HOST": event["host"], "MEMSUITE_TEXT": event["text"],
            "MEMSUITE_PAGES": str(event["page_count"]),
            **{f"MEMSUITE_{name.upper()}": str(value) for name, value in facts.items()}}


def trouble_of(path, event):
    """Runs it; returns what went wrong, or None."""
    try:
        # pylint: disable-next=consider-using-with
        process = subprocess.Popen([path], stdin=subprocess.PIPE, env=environment(event), cwd="/", text=True,
                                   start_new_session=True)
    except OSError as error:
        return f"{error.strerror}; has it a first line #! with a program that is there?"
    try:
        process.communicate(json.dumps(event) + "\n", timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"it took more than {LIMIT_S} s, and was killed"
    finally:
        # Also what it has left behind.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode < 0:
        return f"ended by {signal.Signals(-process.returncode).name}"
    return f"exit status {process.returncode}" if process.returncode else None


def tell(event, usable):
    """Returns how many programs have failed."""
    failed = 0
    for path in usable:
        trouble = trouble_of(path, event)
        if trouble:
            failed += 1
            complain(f"{path}: {trouble}. It has not told: {event['text']}. When it is mended: memsuite diag notify "
                     "--example tries it, and memsuite diag notify --again tells of all bad pages")
    return failed


def news(told):
    """(new rows, new alarms)"""
    rows = [row for row in bad_pages() if row["origin"] != "restored" and key(row) not in told["pages"]]
    return rows, [alarm for alarm in alarms() if alarm.line not in told["alarms"]]


def tell_news(told, usable):
    """All that is new; returns (how many events, how many failures)."""
    if usable and news(told) != ([], []):
        time.sleep(max(0, min(INTERVAL_S, told["at"] + INTERVAL_S - uptime_s())))
    rows, raised = news(told)
    events = ([page_event(rows)] if rows else []) + [alarm_event(alarm) for alarm in raised]
    failed = sum(tell(event, usable) for event in events)
    if events:
        told["pages"] |= {key(row) for row in rows}
        told["alarms"] |= {alarm.line for alarm in raised}
        told["at"] = uptime_s()
        save_told(told)
    return len(events), failed


def counted(number_of_them, name):
    return f"{number_of_them} {name}" + ("s" if number_of_them != 1 else "")


def report(args, usable, events, failed):
    if args.json:
        print_json({"programs": len(usable), "events": events, "failed": failed})
    elif not usable:
        print(f"no program is in {PROGRAMS}: nobody is told of bad pages")
    elif not events:
        print("nothing is new")
    else:
        print(f"{counted(len(usable), 'program')} run for {counted(events, 'event')}"
              + (f"; {counted(failed, 'failure')}" if failed else ""))
    return 1 if failed else 0


def cmd_diag_notify(args):
    usable, unfit = programs()
    if args.example:
        example = {**EXAMPLE, "time": str(int(time.time()))}
        return report(args, usable, 1, unfit + tell(page_event([example]), usable))
    need("memdiag")
    with turn() as mine:
        if not mine:
            return done(args, "another run waits to do that")
        told = load_told()
        if args.again:
            told.update(pages=set(), alarms=set(), at=-INTERVAL_S)
        if not loaded("memdiag"):
            return done(args, "memdiag was unloaded meanwhile")
        events, failed = tell_news(told, usable)
    return report(args, usable, events, unfit + failed)
