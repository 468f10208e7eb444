# SPDX-License-Identifier: GPL-2.0-only
"""What the suite counts during a run."""

import os
import re
import time

from .. import proc
from ..proc import proc_text
from ..sysfs import number, numbers

SAMPLE_S = 0.25
STALL_S = 60                    # no page tested for so long: there is no sweep
COVERAGE_SAMPLES = 8            # each looks at all of the memory

COUNTED = {
    "allocated_pages": "demand/allocated_pages",
    "tested_when_allocated_pages": "demand/tested_pages",
    "untested_when_allocated_pages": "demand/untested_pages",
    "expired_when_allocated_pages": "demand/expired_pages",
    "served_pages": "memdiag/ahead/served_pages",
    "on_demand_tests": "memdiag/ahead/on_demand_tests",
    "tested_pages": "memdiag/tested_pages",
    "remote_pages": "memdiag/control/remote_pages",
    "moved_pages": "memdiag/moves/moved_pages",
}
SERIES = ("allocated_pages", "tested_pages", "on_demand_tests")
# Threads of the kernel that test, or fill pools with what is tested.
TESTERS = re.compile(r"memdiag[/_-]|ms_fill/")


def tlb_shootdowns():
    """Of all CPUs since boot; None where nobody counts them."""
    for line in proc_text("interrupts").splitlines():
        words = line.split()
        if words[:1] == ["TLB:"]:
            return sum(int(word) for word in words[1:] if word.isdigit())
    return None


def tester_ticks():
    """{PID: CPU time} of the threads that test."""
    ticks = {}
    for pid in filter(str.isdigit, os.listdir(proc.PROC)):
        name, _, rest = proc_text(f"{pid}/stat").rpartition(")")
        if TESTERS.match(name.partition("(")[2]):
            user, system = rest.split()[11:13]
            ticks[pid] = int(user) + int(system)
    return ticks


def counted(name):
    return number(*COUNTED[name].split("/"))


def counters():
    values = {name: counted(name) for name in COUNTED}
    return {**values, "tlb_shootdowns": tlb_shootdowns(), "tester_ticks": tester_ticks(),
            "time_s": time.monotonic()}


def growth(before, after):
    """Of all counters; of testers that have ended in between, nothing is known."""
    grown = {name: None if before[name] is None or after[name] is None else after[name] - before[name]
             for name in before if name != "tester_ticks"}
    ticks = sum(value - before["tester_ticks"].get(pid, 0) for pid, value in after["tester_ticks"].items())
    grown["tester_cpu_s"] = ticks / os.sysconf("SC_CLK_TCK")
    return grown


def covered_pct(coverage):
    """The papers' page coverage: of all pages, those tested in time, whatever they are used for."""
    def total(*ends):
        return sum(value for name, value in coverage.items() if name.endswith(ends))

    return share_pct(total("_tested_pages"), total("_pages") - total("_tested_pages", "_untested_pages"))


class Watch:
    """What the configuration in use does during a run."""

    def __init__(self, talk, series):
        self.talk = talk
        self.keeps_series = series
        self.series = []            # counters are totals
        self.begun = time.monotonic()
        self.samples = []           # (fidelity, threads)
        self.coverage = []
        self.background_pages = 0   # pages tested, times fidelity
        self.tested = number("memdiag", "tested_pages")

    def sample(self, share):
        tested = number("memdiag", "tested_pages")
        fidelity = number("memdiag", "control", "fidelity")
        threads = number("memdiag", "control", "threads")
        self.samples.append((fidelity, threads))
        if self.keeps_series:
            self.series.append({"time_s": round(time.monotonic() - self.begun, 3), "fidelity": fidelity,
                                "threads": threads, **{name: counted(name) for name in SERIES}})
        self.background_pages += (tested - self.tested) * fidelity
        self.tested = tested
        if share * COVERAGE_SAMPLES >= len(self.coverage):
            self.coverage.append(numbers("memdiag", "coverage"))
        self.talk(f"measuring, {share:.0%}")

    def mean(self, column):
        return sum(sample[column] for sample in self.samples) / max(1, len(self.samples))

    def mean_covered_pct(self):
        shares = [share for share in map(covered_pct, self.coverage) if share is not None]
        return round(sum(shares) / len(shares), 2) if shares else None

    def worst_coverage(self):
        """Of each use of memory, over the run."""
        worst = {}
        for coverage in self.coverage:
            for name, value in coverage.items():
                if name.endswith("_tested_pct"):
                    worst[name] = min(value, worst.get(name, 100))
                if name.endswith(("_oldest_age_s", "_pages")):
                    worst[name] = max(value, worst.get(name, 0))
        return {name: value for name, value in worst.items()
                if not name.endswith(("_tested_pages", "_untested_pages"))}


def while_tested(patience_s):
    """Goes on until nothing was tested for some time."""
    tested, since = -1, 0
    while True:
        if tested != number("memdiag", "tested_pages"):
            tested, since = number("memdiag", "tested_pages"), time.monotonic()
        if time.monotonic() - since > patience_s:
            return
        yield
        time.sleep(SAMPLE_S)


def ratio(value, of, digits=4):
    return round(value / of, digits) if value is not None and of else None


def share_pct(value, of):
    return round(100 * value / of, 2) if of else None
