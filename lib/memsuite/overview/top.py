# SPDX-License-Identifier: GPL-2.0-only
"""One screen with what matters, again and again."""

import curses
import shutil
import sys
import time
from textwrap import wrap

from .. import Failure
from ..mrc.plot import text_plot, unicode_output
from ..mrc.targets import mrc_curve
from ..output import human_pages, print_json, print_json_line, table_lines
from ..zone.residency import residency
from .frame import VIEWS, frame, rows_of
from .state import overview

KEYS = "1-6 view  arrows select  Enter more  q quit"


def lies(pid):
    """Where the pages of a process lie."""
    try:
        counts = residency(pid)
    except (OSError, Failure) as error:
        return [f"process {pid}: {error}"]
    names = sorted({name for of_segment in counts.values() for name in of_segment})
    return list(table_lines(["SEGMENT", *names], [
        [segment, *(human_pages(of_segment.get(name, 0)) for name in names)] for segment, of_segment in counts.items()],
        right=names))


def curve_of(who, width, height, braille):
    try:
        curve = mrc_curve(who)
    except Failure as failure:
        return [str(failure)]
    return text_plot(curve, width, height, braille).splitlines() if curve else [f"{who} has no curve yet"]


def detail_of(state, view, row, size, braille):
    """What Enter tells of a row."""
    if view == "regions":
        users = [one for one in (state["placement"] or {"policies": []})["policies"] if row["name"] in one["policy"]]
        return [f"{row['name']}: {row['start']:#x}-{row['end']:#x}, read {row['read_latency_ns']} ns, write "
                f"{row['write_latency_ns']} ns", *(f"  {one['who']} {one['policy']}" for one in users)]
    if view == "processes":
        return lies(row["pid"])
    if view == "targets":
        lines = curve_of(row["target"], min(size[0], 76), max(size[1] // 2, 6), braille)
        return lines + (lies(row["pid"]) if row["pid"] else [])
    if view == "stores":
        return wrap("  ".join(f"{key} {value}" for key, value in row[1].items()), size[0])
    return wrap("  ".join(f"{key} {value}" for key, value in row.items() if key != "dimms"), size[0])


class Screen:
    """What is shown, and which keys do what."""

    def __init__(self, interval):
        self.interval, self.braille = interval, unicode_output()
        self.view, self.selected, self.open = VIEWS[0], 0, False
        self.state = overview()

    def key(self, key):
        """False at the end."""
        count = len(rows_of(self.state, self.view))
        if key in (ord("q"), 27):
            if not self.open:
                return False
            self.open = False
        elif ord("1") <= key < ord("1") + len(VIEWS):
            self.view, self.selected, self.open = VIEWS[key - ord("1")], 0, False
        elif key in (curses.KEY_DOWN, ord("j")):
            self.selected = min(self.selected + 1, max(count - 1, 0))
        elif key in (curses.KEY_UP, ord("k")):
            self.selected = max(self.selected - 1, 0)
        elif key in (curses.KEY_LEFT, curses.KEY_RIGHT, ord("\t")):
            step = -1 if key == curses.KEY_LEFT else 1
            self.view = VIEWS[(VIEWS.index(self.view) + step) % len(VIEWS)]
            self.selected, self.open = 0, False
        elif key in (curses.KEY_ENTER, 10, 13) and count:
            self.open = not self.open
        return True

    def lines(self, size):
        rows = rows_of(self.state, self.view)
        self.selected = min(self.selected, max(len(rows) - 1, 0))
        detail = detail_of(self.state, self.view, rows[self.selected], size, self.braille) if self.open and rows else ()
        return frame(self.state, self.view, self.selected, detail, (size[0], size[1] - 1), self.braille)

    def draw(self, window):
        height, width = window.getmaxyx()
        window.erase()
        for nr, line in enumerate(self.lines((width - 1, height))):
            line = line.encode(window.encoding, "backslashreplace").decode(window.encoding)
            window.addnstr(nr, 0, line, width - 1, curses.A_BOLD if nr == 0 or line.startswith(">") else 0)
        window.addnstr(height - 1, 0, KEYS, width - 1, curses.A_REVERSE)
        window.refresh()

    def run(self, window):
        if curses.has_colors():
            curses.use_default_colors()
        try:
            curses.curs_set(0)
        except curses.error:
            pass        # this terminal always shows it
        due = time.monotonic() + self.interval
        while True:
            self.draw(window)
            window.timeout(max(int((due - time.monotonic()) * 1000), 1))
            key = window.getch()
            if key != -1 and not self.key(key):
                return 0
            if time.monotonic() >= due:
                self.state, due = overview(), time.monotonic() + self.interval


def again_and_again(interval):
    while True:
        print_json_line(overview())
        time.sleep(interval)


def cmd_top(args):
    """Without a terminal, one frame."""
    if args.json and args.once:
        print_json(overview())
        return 0
    if args.json:
        again_and_again(args.interval)
    if args.once or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("\n".join(frame(overview(), size=(max(shutil.get_terminal_size().columns, 40), 10 ** 6),
                              braille=unicode_output())))
        return 0
    try:
        return curses.wrapper(Screen(args.interval).run)
    except curses.error as error:
        raise Failure(f"this terminal cannot be used: {error}; try --once") from None
