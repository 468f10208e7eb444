# SPDX-License-Identifier: GPL-2.0-only
"""What page faults take: with the suite off, steered, beside somebody who is, and with tested pages."""

import time

from .. import Failure
from ..sysfs import entries, number, read
from ..zone.policies import add_policy

RUNS = 11
PAGES = 4096            # a run: 16 MiB
PAGES_READY = PAGES * 3 // 2
PATIENCE_S = 30
PREPARED_PCT = 95       # of pages in a run that come from a pool, or it shows nothing


class Pool:
    """The pool of a region."""

    def __init__(self, region):
        self.region = region

    def number(self, name):
        return number("regions", self.region, f"pool_{name}")

    def await_pages(self):
        """Until it has enough for a run, and some."""
        begun = time.monotonic()
        while time.monotonic() - begun < PATIENCE_S:
            if self.number("pages") - self.number("large_pages") >= PAGES_READY:
                return
            time.sleep(0.05)
        raise Failure(f"the pool of {self.region} is not filled: is memory short, or regions/{self.region}/pool_kib "
                      f"less than {2 * PAGES_READY * 4}?")     # large pages take half of it at most

    def prepared(self):
        """Pages handed out that were in it."""
        return self.number("handed_pages") - self.number("bare_pages")


def region_of(node):
    for name in entries("regions"):
        if read("regions", name, "source") == "node" and number("regions", name, "node") == node:
            return name
    raise Failure(f"node {node} is no region")


def faulted(worker):
    """A run."""
    taken = worker.ask("fault", PAGES)
    faults = taken.pop("faults")
    if faults < PAGES:
        raise Failure(f"{PAGES} first touches made {faults} page faults only")
    return taken


def plain(figures, name, worker, runs=RUNS):
    """With what there is. The first does not count: it finds caches cold, and what is allocated once is not yet."""
    faulted(worker)
    for _ in range(runs):
        figures.add(name, faulted(worker))


def from_pool(figures, name, worker, pool):
    """With a pool that has enough each time, of which the pages have to come, or nothing is told."""
    values = []
    for _ in range(RUNS + 1):
        pool.await_pages()
        before = pool.prepared()
        taken = faulted(worker)
        prepared_pct = 100 * (pool.prepared() - before) / PAGES
        if values and prepared_pct < PREPARED_PCT:
            raise Failure(f"only {prepared_pct:.0f}% of the pages came from the pool of {pool.region}")
        values.append(taken)
    for value in values[1:]:        # as in plain()
        figures.add(name, value)


def steered(figures, worker, bystander, region):
    """vipzone is enabled."""
    add_policy(worker.pid, f"region:{region}", [])
    from_pool(figures, "fault_steered", worker, Pool(region))
    plain(figures, "fault_bystander", bystander)


def tested(figures, worker, region):
    """memdiag is enabled."""
    from_pool(figures, "fault_tested", worker, Pool(region))
