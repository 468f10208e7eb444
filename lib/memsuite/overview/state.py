# SPDX-License-Identifier: GPL-2.0-only
"""What matters of all modules, at a moment."""

import time

from .. import Failure
from ..diag.bad_pages import all_bad_pages
from ..modules import status
from ..mrc.targets import mrc_curve, mrc_processes, mrc_targets, target_row
from ..proc import meminfo, proc_text
from ..store.devices import stores
from ..sysfs import entries, loaded, number, numbers, read
from ..zone.policies import policy, process_rows
from ..zone.regions import region

CURVES = 4      # of the largest targets


def tests():
    return {"enabled": bool(number("memdiag", "enabled")), "algorithm": read("memdiag", "algorithm"),
            "tested_pages": number("memdiag", "tested_pages"), "passes": number("memdiag", "passes"),
            "pass_progress_pct": number("memdiag", "pass_progress_pct"), "coverage": numbers("memdiag", "coverage")}


def placement():
    return {"enabled": bool(number("vipzone", "enabled")),
            "policies": [policy(name) for name in sorted(entries("vipzone", "policies"), key=int)],
            "processes": process_rows()}


def targets():
    """Targets of several processes, and processes, the largest first; of the largest, with their curves."""
    rows = []
    for who in [who for who in mrc_targets() if not who.isdigit()] + mrc_processes():
        try:
            rows.append({**target_row(who), "curve": []})
        except Failure:
            continue        # it has ended meanwhile
    rows.sort(key=lambda row: row["resident_pages"], reverse=True)
    for row in rows[:CURVES]:
        try:
            row["curve"] = mrc_curve(row["target"])
        except Failure:
            pass
    return rows


def found_stores():
    """None where there can be none."""
    return stores(None) if "dm_vstore " in proc_text("modules") else None


def part(problems, function, *modules):
    """What a part tells; None if it cannot, and why is added to the problems, or if its module is not loaded."""
    if not all(map(loaded, modules)):
        return None
    try:
        return function()
    except (Failure, OSError) as failure:
        problems.append(str(failure))
        return None


def overview():
    problems = []
    return {
        "time_s": int(time.time()), "host": proc_text("sys/kernel/hostname").strip(),
        "memory": {"total_bytes": meminfo("MemTotal"), "available_bytes": meminfo("MemAvailable")},
        "status": part(problems, lambda: status()[0]),
        "tests": part(problems, tests, "memdiag"),
        "bad_pages": part(problems, all_bad_pages),
        "regions": part(problems, lambda: [region(name) for name in entries("regions")], "memsuite"),
        "placement": part(problems, placement, "vipzone"),
        "targets": part(problems, targets, "mrc"),
        "stores": part(problems, found_stores),
        "problems": problems,
    }
