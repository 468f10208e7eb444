# SPDX-License-Identifier: GPL-2.0-only
"""Curves as pictures and as CSV."""

from .. import Failure
from ..output import human_pages, print_json, written
from ..sysfs import need, number
from .plot import png_plot, svg_plot, text_plot, unicode_output
from .targets import mrc_accesses, mrc_curve, mrc_stats, name_of

COLUMNS = ("pages", "misses_per_s", "miss_ratio", "low", "high")


def curve_csv(curve):
    lines = [",".join(COLUMNS)]
    lines += [",".join(str(point[column]) for column in COLUMNS) for point in curve]
    return "\n".join(lines) + "\n"


def draw_curve(args, curve, title, remark):
    if not written(args, lambda: curve_csv(curve), lambda: svg_plot(curve, title),
                   lambda path: png_plot(curve, title, path)):
        print(f"miss ratio by memory: {title}")
        print(text_plot(curve, args.width, args.height, unicode_output()))
        print(remark)


def curve_remark(stats, accesses):
    text = f"resident {human_pages(stats['resident_pages'])}, "
    if "wss_pages" in stats:
        text += f"working set {human_pages(stats['wss_pages'])}, "
    if "processes" in stats:
        text += f"{stats['processes_measured']} of {stats['processes']} processes, "
    if "floor_pages" in stats:
        text += f"blind below {human_pages(stats['floor_pages'])}, "
    text += f"{stats['ladders']} ladders"
    if accesses and accesses["source"] != "touches":
        text += f", {accesses['per_s']} accesses a second ({accesses['source']})"
    return text


def cmd_mrc_show(args):
    need("mrc")
    stats, curve, accesses = mrc_stats(args.who), mrc_curve(args.who), mrc_accesses(args.who)
    if args.json:
        print_json({"target": args.who, "stats": stats, "accesses": accesses, "curve": curve})
        return 0
    if not curve:
        raise Failure(f"{args.who} has no curve yet" + (
            "" if number("mrc", "enabled") else "; mrc is off: memsuite mrc enable"))
    draw_curve(args, curve, name_of(args.who), curve_remark(stats, accesses))
    return 0
