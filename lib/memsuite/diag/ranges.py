# SPDX-License-Identifier: GPL-2.0-only
"""The test of a range of memory."""

import errno
import sys
import time

from ..output import bad_page_count, human_pages, print_json
from ..sysfs import need, number, present, read, write

RANGE_NUMBERS = ("progress_pct", "eta_s", "tested_pages", "untested_pages",
                 "bad_pages")


def range_state():
    if not present("memdiag", "range"):
        return None
    return {"status": read("memdiag", "range", "status"),
            "range": read("memdiag", "range", "range"),
            **{name: number("memdiag", "range", name)
               for name in RANGE_NUMBERS}}


def range_line(state):
    text = f"{state['range']} {state['status']}"
    if state["status"] == "running":
        return (f"{text}, {state['progress_pct']}%, "
                f"{state['eta_s']} s to go, "
                f"{bad_page_count(state['bad_pages'])}")
    return (f"{text}: {human_pages(state['tested_pages'])} tested, "
            f"{human_pages(state['untested_pages'])} could not be had, "
            f"{bad_page_count(state['bad_pages'])}")


def cmd_diag_test(args):
    need("memdiag")
    write("memdiag/range/run_test", args.range, {
        errno.EBUSY: "a test of a range runs already; see memsuite diag "
                     "status",
        errno.ENXIO: "no memory in that range",
        errno.EINVAL: "not START-END in bytes, multiples of the page size",
        errno.ERANGE: "an empty range"})
    talk = sys.stdout.isatty() and not args.json
    try:
        while (state := range_state())["status"] == "running":
            if talk:
                print(f"\r{range_line(state)}\033[K", end="", flush=True)
            time.sleep(0.2)
    except KeyboardInterrupt:
        write("memdiag/range/cancel", "1")
        state = range_state()
    if args.json:
        print_json(state)
    else:
        print(("\r\033[K" if talk else "") + range_line(state))
    return 0 if state["status"] in ("pass", "partial") else 1
