# SPDX-License-Identifier: GPL-2.0-only
"""The processes that are tracked, and their curves."""

import errno

from .. import Failure
from ..output import done, human_pages, print_json, print_table
from ..proc import command_of
from ..sysfs import need, number, read, read_debugfs, table, write
from .plot import png_plot, svg_plot, text_plot, unicode_output


def mrc_targets():
    return [int(pid) for pid in read("mrc", "add").split()]


def mrc_table(pid, name):
    try:
        return read_debugfs("mrc", str(pid), name)
    except FileNotFoundError:
        raise Failure(f"{pid} is not tracked; to track it: "
                      f"memsuite mrc add {pid}") from None


def mrc_stats(pid):
    lines = mrc_table(pid, "stats").splitlines()
    return {key: int(value) for key, value in map(str.split, lines)}


def mrc_curve(pid):
    points = table(mrc_table(pid, "curve"))
    return [{key: int(value) if key == "pages" else float(value)
             for key, value in point.items()} for point in points]


def cmd_mrc_list(args):
    need("mrc")
    rows = [{"pid": pid, "command": command_of(pid), **mrc_stats(pid)}
            for pid in mrc_targets()]
    if args.json:
        print_json(rows)
    elif not rows:
        print("no process is tracked")
    else:
        print_table(["PID", "COMMAND", "RESIDENT", "WORKING SET", "LADDERS",
                     "CPU"],
                    [[row["pid"], row["command"],
                      human_pages(row["resident_pages"]),
                      human_pages(row["wss_pages"]), row["ladders"],
                      f"{row['cpu_ns'] / max(row['enabled_ns'], 1):.2%}"]
                     for row in rows],
                    right=("PID", "RESIDENT", "WORKING SET", "LADDERS", "CPU"))
    return 0


def cmd_mrc_add(args):
    need("mrc")
    write("mrc/add", str(args.pid), {
        errno.ESRCH: "no such process",
        errno.EINVAL: "a kernel thread has no memory to track",
        errno.EEXIST: f"{args.pid} is tracked already",
        errno.ENOSPC: "too many processes are tracked",
    })
    text = f"{args.pid} is tracked"
    if not number("mrc", "enabled"):
        text += " as soon as mrc is on: memsuite mrc enable"
    return done(args, text)


def cmd_mrc_remove(args):
    need("mrc")
    write("mrc/remove", str(args.pid),
          {errno.ENOENT: f"{args.pid} is not tracked"})
    return done(args, f"{args.pid} is tracked no more")


def cmd_mrc_show(args):
    need("mrc")
    stats, curve = mrc_stats(args.pid), mrc_curve(args.pid)
    if args.json:
        print_json({"pid": args.pid, "stats": stats, "curve": curve})
        return 0
    if not curve:
        raise Failure(f"{args.pid} has no curve yet" + (
            "" if number("mrc", "enabled")
            else "; mrc is off: memsuite mrc enable"))
    title = f"{args.pid} {command_of(args.pid)}"
    if args.svg:
        save(args.svg, svg_plot(curve, title))
    elif args.png:
        png_plot(curve, title, args.png)
    else:
        print(f"miss ratio by memory: {title}")
        print(text_plot(curve, args.width, args.height, unicode_output()))
        print(f"resident {human_pages(stats['resident_pages'])}, working set "
              f"{human_pages(stats['wss_pages'])}, "
              f"{stats['ladders']} ladders")
    return 0


def save(path, text):
    if path == "-":
        print(text, end="")
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
