# SPDX-License-Identifier: GPL-2.0-only
"""How long an access to each region takes, as `memsuite zone measure` finds it."""

import time

from ..sysfs import entries, read
from ..zone.measure import measured

MIB = 64
ENOUGH_S = 30       # then no other region is begun


def latencies(figures):
    """Of nodes first: other regions lie in them."""
    begun = time.monotonic()
    for name in sorted(entries("regions"), key=lambda one: read("regions", one, "source") != "node"):
        names = {key: f"latency_{key}_{name}" for key in ("read", "write")}
        for key, figure in names.items():
            figures.expect(figure, f"a {key} of {name} that no cache has")
        if time.monotonic() - begun > ENOUGH_S:
            figures.lack(names.values(), f"this takes long here; memsuite zone measure {name}")
            continue
        row = measured(name, MIB)
        for key, figure in names.items():
            if f"{key}_latency_ns" in row:
                figures.add_known(figure, "ns", row[f"{key}_latency_ns"], row.get(f"{key}_spread_pct"))
        figures.lack(names.values(), row["why"] or "it cannot be told")
