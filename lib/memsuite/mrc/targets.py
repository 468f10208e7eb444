# SPDX-License-Identifier: GPL-2.0-only
"""What is tracked, and the tables of it."""

import errno
import os

from .. import Failure
from ..arguments import check_later
from ..output import done, human_pages, print_json, print_table
from ..proc import command_of
from ..sysfs import DEBUGFS, need, number, read, read_debugfs, table, those_there, write

# Of several processes a target has more numbers.
GROUP = "processes"


def mrc_targets():
    """As they would be written to mrc/add."""
    return read("mrc", "add").splitlines()


def mrc_processes():
    """PIDs of all processes that are tracked, for whatever target."""
    try:
        names = os.listdir(os.path.join(DEBUGFS, "mrc"))
    except OSError:
        names = []
    return sorted(int(name) for name in names if name.isdigit())


# As the module spells it: kmod-mrc/target/target_parse.c.
DIRECTORY_TEXT = str.maketrans({"/": "!", " ": "+", "!": "%21", "+": "%2b", "%": "%25"})


def directory_of(who):
    """The name in debugfs of a target, or of a process that is tracked."""
    who = str(who)
    if f"{who} children" in mrc_targets():
        who += " children"
    return who.translate(DIRECTORY_TEXT)


def mrc_table(who, name):
    try:
        return read_debugfs("mrc", directory_of(who), name)
    except FileNotFoundError:
        raise Failure(f"{who} is not tracked; to track it: memsuite mrc add {who}") from None


def mrc_stats(who):
    lines = mrc_table(who, "stats").splitlines()
    return {key: int(value) for key, value in map(str.split, lines)}


def mrc_rows(who, name):
    """A table, with its numbers as numbers."""
    def value(key, text):
        if key in ("source", "kind"):
            return text
        return float(text) if "." in text else int(text, 0)
    return [{key: value(key, text) for key, text in row.items()} for row in table(mrc_table(who, name))]


def mrc_curve(who):
    return [{key: value if key == "pages" else float(value) for key, value in row.items()}
            for row in mrc_rows(who, "curve")]


def mrc_accesses(who):
    return mrc_rows(who, "accesses")[0]


def accesses_written(who):
    """As accesses_per_s was written, as text; None if it was not, or the table is not to be had."""
    try:
        accesses = mrc_accesses(who)
    except (Failure, IndexError, OSError):
        return None
    return str(accesses["per_s"]) if accesses["source"] == "written" else None


def shares_written():
    """{target: (weight, KiB that it gets before others)}, as texts, of the groups for which these were set."""
    rows = (line.rsplit(" ", 2) for line in read("mrc", "division", "set").splitlines())
    return {who: (weight, kib) for who, weight, kib in rows}


def name_of(who):
    """With the command of a process."""
    pid = str(who).partition(" ")[0]
    return f"{who} {command_of(pid)}" if pid.isdigit() else str(who)


def target_row(who):
    stats = mrc_stats(who)
    pid = str(who).partition(" ")[0]
    return {"target": str(who), "pid": int(pid) if pid.isdigit() else None,
            "command": command_of(pid) if pid.isdigit() else None, **stats}


def target_cells(row):
    return [row["target"], row["command"] or "-", row.get(GROUP, 1), human_pages(row["resident_pages"]),
            human_pages(row["wss_pages"]), row["ladders"], f"{row['cpu_ns'] / max(row['enabled_ns'], 1):.2%}"]


TARGET_HEAD = ["TARGET", "COMMAND", "PROCESSES", "RESIDENT", "WORKING SET", "LADDERS", "CPU"]
TARGET_RIGHT = ("PROCESSES", "RESIDENT", "WORKING SET", "LADDERS", "CPU")


def cmd_mrc_list(args):
    need("mrc")
    rows = those_there(target_row, mrc_targets)
    if args.json:
        print_json(rows)
    elif not rows:
        print("no process is tracked")
    else:
        print_table(TARGET_HEAD, [target_cells(row) for row in rows], right=TARGET_RIGHT)
    return 0


ADD_ERRORS = {
    errno.ESRCH: "no such process",
    errno.ENOENT: "no such cgroup of the unified hierarchy; with --later, it need not be there yet",
    errno.EINVAL: "a kernel thread has no memory to track",
    errno.EEXIST: "it is tracked already",
    errno.EBUSY: "its memory is tracked for another process",
    errno.ENOSPC: "too many processes are tracked",
    errno.EOPNOTSUPP: "this kernel has no tracepoints to follow children by",
}


def cmd_mrc_add(args):
    need("mrc")
    check_later(args)
    who = args.who + (" children" if args.children else "")
    write("mrc/add", who + (" later" if args.later else ""), ADD_ERRORS)
    text = f"{who} is tracked"
    if not number("mrc", "enabled"):
        text += " as soon as mrc is on: memsuite mrc enable"
    elif number("mrc", "contended_only"):
        text += " while memory is short (mrc/contended_only)"
    return done(args, text)


def cmd_mrc_remove(args):
    need("mrc")
    write("mrc/remove", args.who, {errno.ENOENT: f"{args.who} is not tracked"})
    return done(args, f"{args.who} is tracked no more")


def cmd_mrc_accesses(args):
    need("mrc")
    write("mrc/accesses_per_s", f"{args.who} {args.number}", {errno.ENOENT: f"{args.who} is not tracked"})
    return done(args, f"ratios of {args.who} are misses per " + ("access" if args.number else "touch"))
