# SPDX-License-Identifier: GPL-2.0-only
"""What a burn-in runs, in which order, and how it went.

In the first round each test goes over all memory with one background, in each further one with twice as many, until it
is all of them: whatever time there is, it is used, and what costs little comes first.
"""

import errno
import time

from .. import Failure
from ..diag.bad_pages import bad_pages
from ..sysfs import number, read, write

POLL_S = 0.5
STALL_S = 600                   # nothing was tested for so long: more than any block takes
BACKGROUNDS = 32
NAME = "burn-in"                # of the test that memdiag runs beside its main one
NEVER_S = 2592000               # the longest period and lifetime: no sweep begins by itself
# They wait, longer than memory is refreshed, with each block: what costs the most time comes last.
DELAYED = ("retention", "march-g")
ADDRESS_BITS = "address bits"


class TimeIsOver(Exception):
    """The set time."""


def round_of(algorithms, number_of_round):
    """[(test, backgrounds)]"""
    backgrounds = min(1 << number_of_round, BACKGROUNDS)
    plain = [name for name in algorithms if name not in DELAYED]
    delayed = [name for name in algorithms if name in DELAYED]
    return [*((name, backgrounds) for name in plain), (ADDRESS_BITS, 1), *((name, backgrounds) for name in delayed)]


class Sweep:
    """One sweep over all memory that is free then, with an algorithm."""

    def __init__(self, algorithm, backgrounds, settings):
        self.passes = number("memdiag", "passes")
        settings.set("memdiag/control/fixed_fidelity", str(backgrounds))
        # A new test is due at once, and only once: its period is longer than a burn-in.
        test = f"{NAME} {algorithm} period_s={NEVER_S}"
        try:
            write("memdiag/tests/add", test, {errno.EEXIST: "exists", errno.ENOSPC: "there are 16 tests: remove one, "
                                              "see debugfs memdiag/tests"})
        except Failure as failure:
            if str(failure) != "exists":
                raise
            self.end()              # of a burn-in that was killed
            write("memdiag/tests/add", test)
        # The first one begins testing: all that was tested before is forgotten.
        settings.set("memdiag/enabled", "1")

    def done(self):
        return number("memdiag", "passes") > self.passes

    @staticmethod
    def progress_pct():
        return number("memdiag", "pass_progress_pct")

    @staticmethod
    def end():
        write("memdiag/tests/remove", NAME)


class AddressBits:
    """A pass over pairs of addresses that differ in a few bits."""

    def __init__(self, settings):
        self.passes = number("memdiag", "address_bits", "passes")
        settings.set("memdiag/address_bits/period_s", "1")

    def done(self):
        return number("memdiag", "address_bits", "passes") > self.passes

    @staticmethod
    def progress_pct():
        return number("memdiag", "address_bits", "pass_progress_pct")

    @staticmethod
    def end():
        write("memdiag/address_bits/period_s", "0")


class Schedule:
    """Rounds of all tests, until the time is over."""

    def __init__(self, settings, seconds, tell):
        self.settings = settings
        self.begun, self.seconds = time.monotonic(), seconds
        self.tell = tell        # called with a dictionary, again and again
        self.algorithms = read("memdiag", "available_algorithms").split()
        self.rounds = 0         # whole ones
        self.first_round_s = None
        self.runs = {}          # test: {"runs", "backgrounds", "partly_pct", "bad_pages", "seconds"}
        self.pages_seen = {row["pfn"] for row in bad_pages()}
        self.found_by = {}      # pfn: test

    def elapsed_s(self):
        return time.monotonic() - self.begun

    def run(self):
        try:
            while True:
                for test, backgrounds in round_of(self.algorithms, self.rounds):
                    self.run_test(test, backgrounds)
                self.rounds += 1
                self.first_round_s = self.first_round_s or round(self.elapsed_s(), 1)
        except TimeIsOver:
            pass

    def run_test(self, test, backgrounds):
        run = self.runs.setdefault(test, {"runs": 0, "backgrounds": 0, "partly_pct": 0, "bad_pages": 0, "seconds": 0.0})
        begun, pct = time.monotonic(), 0
        step = AddressBits(self.settings) if test == ADDRESS_BITS else Sweep(test, backgrounds, self.settings)
        try:
            for pct in self.watched(step, test, backgrounds):
                pass
            run["runs"] += 1
            run["backgrounds"] = max(run["backgrounds"], backgrounds)
            pct = 0
        finally:
            step.end()
            run["partly_pct"] = pct if not run["runs"] else 0
            run["seconds"] = round(run["seconds"] + time.monotonic() - begun, 1)
            run["bad_pages"] += self.credit(test)

    def watched(self, step, test, backgrounds):
        """Until it is done, how far it is."""
        tested, moved = None, time.monotonic()
        while True:
            state = (number("memdiag", "tested_pages"), step.progress_pct())
            self.tell({"round": self.rounds + 1, "test": test, "backgrounds": backgrounds, "progress_pct": state[1],
                       "elapsed_s": self.elapsed_s(), "seconds": self.seconds})
            if step.done():
                return
            if self.elapsed_s() >= self.seconds:
                raise TimeIsOver
            if state != tested:
                tested, moved = state, time.monotonic()
            elif time.monotonic() - moved > STALL_S:
                raise Failure(f"{test}: nothing was tested for {STALL_S} s; is there memory that is free? see dmesg")
            yield state[1]
            time.sleep(POLL_S)

    def credit(self, test):
        """New bad pages are this test's; how many there are."""
        new = {row["pfn"] for row in bad_pages()} - self.pages_seen
        self.pages_seen |= new
        self.found_by.update(dict.fromkeys(new, test))
        return len(new)

    def left_out(self):
        """Tests that have not gone over all memory, not once."""
        return [test for test, _ in round_of(self.algorithms, 0) if not self.runs.get(test, {}).get("runs")]
