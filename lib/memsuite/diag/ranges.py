# SPDX-License-Identifier: GPL-2.0-only
"""The test of a range of memory."""

import errno
import sys
import time

from ..ending import Ended, held, until_ended
from ..exit_status import BAD_MEMORY, CANCELLED, PARTIAL, UNTESTED
from ..output import bad_page_count, human_pages, print_json
from ..sysfs import need, number, present, read, write, writer

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


RANGE_ERRORS = {
    errno.EBUSY: "a test of a range runs already; see memsuite diag status",
    errno.ENXIO: "no memory in that range",
    errno.EINVAL: "not START-END in bytes, multiples of the page size",
    errno.ERANGE: "an empty range"}


class RangeTest:
    """The test of a range that this command has begun."""

    def __init__(self, run_test, extent, talk):
        self.run_test, self.extent, self.talk, self.begun = run_test, extent, talk, False

    def run(self):
        with held():
            self.run_test(self.extent, RANGE_ERRORS)
            self.begun = True
        while (state := range_state())["status"] == "running":
            if self.talk:
                print(f"\r{range_line(state)}\033[K", end="", flush=True)
            time.sleep(0.2)

    def cancel(self):
        if self.begun and read("memdiag", "range", "status") == "running":
            write("memdiag/range/cancel", "1")


def range_status(state):
    """The exit status: what was tested, and what was found."""
    if state["status"] in ("cancelled", "running"):
        return CANCELLED | (BAD_MEMORY if state["bad_pages"] else 0)
    if not state["tested_pages"]:
        return UNTESTED
    return (BAD_MEMORY if state["bad_pages"] or state["status"] == "fail" else 0) | (
        PARTIAL if state["untested_pages"] else 0)


def range_tested(extent, talk):
    """The result, whole or not; until that is read, no other command begins a test, whose result it would be."""
    with writer("memdiag/range/run_test", exclusive=RANGE_ERRORS[errno.EBUSY]) as run_test:
        test = RangeTest(run_test, extent, talk)
        try:
            until_ended(test.run, test.cancel)
        except Ended:
            if not test.begun:
                raise
        return range_state()


def cmd_diag_test(args):
    need("memdiag")
    talk = sys.stdout.isatty() and not args.json
    state = range_tested(args.range, talk)
    if args.json:
        print_json(state)
    else:
        print(("\r\033[K" if talk else "") + range_line(state))
    return range_status(state)
