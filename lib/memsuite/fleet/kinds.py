# SPDX-License-Identifier: GPL-2.0-only
"""DIMMs by manufacturer, part, and when they were made: whether one kind fails more than the rest."""

from math import exp, lgamma

from .machines import FAILS, Kind

SURE = 0.01         # how likely chance alone makes one kind of all stand out

GROUPINGS = {
    "manufacturer": lambda kind: (kind.manufacturer,),
    "part": lambda kind: (kind.manufacturer, kind.part),
    "year": lambda kind: (kind.made[:4],) if kind.made else None,
    "batch": lambda kind: tuple(kind) if kind.made else None,
}
NAMES = {"manufacturer": ("manufacturer",), "part": ("manufacturer", "part"), "year": ("year",),
         "batch": ("manufacturer", "part", "made")}


def log_choose(of, chosen):
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)


def chance(failing, drawn, all_failing, everything):
    """Of so many failing ones at least among those drawn if they were drawn at random: Fisher's exact test."""
    ways = log_choose(everything, drawn)
    return min(1.0, sum(exp(log_choose(all_failing, found) + log_choose(everything - all_failing, drawn - found) - ways)
                        for found in range(max(failing, drawn + all_failing - everything),
                                           min(drawn, all_failing) + 1)))


def fails(machine):
    """Whether one of its DIMMs does."""
    return any(dimm["state"] in FAILS for dimm in machine.dimms)


def empty():
    return {"dimms": 0, "machines": 0, "failing_machines": 0, "failing_dimms": 0, "bad_pages": 0,
            "perhaps_bad_pages": 0, "corrected": 0, "uncorrected": 0}


def counted(machines, key_of):
    """{key: what is known of the DIMMs}. Machines count, for what harms one DIMM of a machine may harm all."""
    found = {}
    for machine in machines:
        here, failing = set(), set()
        for kind, count in machine.kinds.items():
            if (key := key_of(kind)) is not None:
                found.setdefault(key, empty())["dimms"] += count
                here.add(key)
        for dimm in machine.dimms:
            if (key := key_of(Kind(*(dimm[name] for name in Kind._fields)))) is None:
                continue
            row = found.setdefault(key, empty())
            here.add(key)
            for name in ("bad_pages", "perhaps_bad_pages", "corrected", "uncorrected"):
                row[name] += dimm[name]
            if dimm["state"] in FAILS:
                row["failing_dimms"] += 1
                failing.add(key)
        for key in here:
            found[key]["machines"] += 1
        for key in failing:
            found[key]["failing_machines"] += 1
    return found


def grouped(machines, by):
    """Rows, the worst first."""
    machines = [machine for machine in machines if machine.kinds]
    found = counted(machines, GROUPINGS[by])
    failing = sum(map(fails, machines))
    names, rows = NAMES[by], []
    for key, row in found.items():
        likely = min(1.0, chance(row["failing_machines"], row["machines"], failing, len(machines)) * len(found))
        rows.append({**dict(zip(names, key)), **row, "chance": float(f"{likely:.3g}"),
                     "stands_out": bool(row["failing_machines"]) and likely < SURE})
    return sorted(rows, key=lambda row: (row["chance"], -row["failing_machines"], -row["machines"],
                                         *(row[name] for name in names)))
