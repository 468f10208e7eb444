# SPDX-License-Identifier: GPL-2.0-only
"""The energy that tests take, an estimate."""

import mmap
import re

from .counters import ratio

# Operations on each word, by algorithm; of those that are no march tests, on a
# block of 4 MiB.
ALGORITHM_OPS = {
    "mats": 4, "mats+": 5, "mats++": 6, "march-x": 6, "march-y": 8,
    "march-c": 11, "march-c-": 10, "march-c+": 14, "march-a": 15,
    "march-b": 17, "march-u": 13, "march-lr": 14, "march-la": 22,
    "march-sr": 14, "march-g": 23, "march-mss": 18, "march-ss": 22,
    "march-ab": 22, "march-raw1": 13, "march-raw": 26, "march-sl": 41,
    "pmovi": 13, "retention": 4, "moving-inversions": 18, "figure-28": 4,
    "address-decoder": 64, "modulo-20": 80,
}
ON_DEMAND_OPS = 4               # {c(w1);c(r1,w0);c(r0)}


def algorithm_ops(text):
    """Of a name or a march test written out; None if it is neither."""
    if text.startswith("{"):
        return len(re.findall(r"[rw]\s*[01]", text))
    return ALGORITHM_OPS.get(text.lower())


def energy(args, grown, background_pages, ops):
    """An estimate: nothing here is measured but the work done."""
    if ops is None:
        return None
    accesses = background_pages * ops + grown["on_demand_tests"] * ON_DEMAND_OPS
    moved = accesses * mmap.PAGESIZE
    dram = moved * 8 * args.pj_per_bit * 1e-12
    cpu = grown["tester_cpu_s"] * args.core_watts
    return {"read_and_written_bytes": moved, "pj_per_bit": args.pj_per_bit, "core_watts": args.core_watts,
            "dram_j": round(dram, 3), "cpu_j": round(cpu, 3), "total_j": round(dram + cpu, 3),
            "mean_w": ratio(dram + cpu, grown["time_s"])}
