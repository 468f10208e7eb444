# SPDX-License-Identifier: GPL-2.0-only
"""The targets and tracked processes, over and over."""

import sys
import time

from .. import Failure
from ..output import clear_screen, human_pages, print_json_line, print_table
from ..sysfs import need, number
from .record import Changes
from .targets import TARGET_HEAD, TARGET_RIGHT, mrc_processes, mrc_targets, mrc_curve, target_cells, target_row

SORTS = {
    "wss": lambda row: row["wss_pages"],
    "resident": lambda row: row["resident_pages"],
    "misses": lambda row: row["misses_per_s"],
    "cpu": lambda row: row["cpu_ns"] / max(row["enabled_ns"], 1),
}


def misses_with(curve, pages):
    """Misses a second with so much memory."""
    return next((point["misses_per_s"] for point in reversed(curve) if point["pages"] <= pages), 0.0)


def row_of(who):
    row = target_row(who)
    # What it would miss with half of what it has: who would suffer.
    row["misses_per_s"] = misses_with(mrc_curve(who), row["resident_pages"] // 2)
    return row


def rows_by(sort):
    """Targets of several processes, and then all processes; those that end meanwhile are left out."""
    found = []
    several = [who for who in mrc_targets() if not who.isdigit()]
    for who in several + mrc_processes():
        try:
            found.append(row_of(who))
        except Failure:
            continue
    return sorted(found, key=lambda row: ("processes" in row, SORTS[sort](row)), reverse=True)


def show(rows):
    head = TARGET_HEAD + ["MISSES/S AT HALF"]
    print_table(head, [target_cells(row) + [f"{row['misses_per_s']:.1f}"] for row in rows],
                right=(*TARGET_RIGHT, "MISSES/S AT HALF"))


def go_on(args, changes):
    left = args.times
    while True:
        rows = rows_by(args.sort)
        if args.json:
            print_json_line(rows)
        else:
            clear_screen()
            total = sum(row["resident_pages"] for row in rows if "processes" not in row)
            print(f"{time.strftime('%H:%M:%S')}  {human_pages(total)} tracked")
            show(rows)
        sys.stdout.flush()
        left -= 1
        if not left:
            return 0
        changes.wait(args.interval)
        time.sleep(min(args.interval, 0.5))


def cmd_mrc_top(args):
    need("mrc")
    if not number("mrc", "enabled"):
        raise Failure("mrc is off: memsuite mrc enable")
    return go_on(args, Changes())
