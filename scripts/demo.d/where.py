#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""where.py PID: on which memory nodes the anonymous pages of a process lie, as a bar chart."""
import glob
import os
import struct
import sys

REGIONS = "/sys/kernel/memsuite/regions"


def nodes():
    """(name, first frame, frame behind the last) of each region that is a node."""
    for directory in sorted(glob.glob(f"{REGIONS}/node*")):
        start, end = (int(open(f"{directory}/{name}").read(), 16) for name in ("start", "end"))
        yield os.path.basename(directory), start // 4096, end // 4096


def anonymous_frames(pid):
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/pagemap", "rb") as pagemap:
        for line in maps:
            start, end = (int(a, 16) // 4096 for a in line.split()[0].split("-"))
            if line.rstrip().endswith("[vsyscall]"):
                continue
            pagemap.seek(start * 8)
            for entry, in struct.iter_unpack("<Q", pagemap.read((end - start) * 8)):
                if entry >> 63 and not entry >> 61 & 1:  # present, not of a file
                    yield entry & (1 << 55) - 1


def main():
    counts = {}
    ranges = list(nodes())
    for frame in anonymous_frames(sys.argv[1]):
        name = next((n for n, start, end in ranges if start <= frame < end), "elsewhere")
        counts[name] = counts.get(name, 0) + 1
    total = sum(counts.values()) or 1
    for name in [r[0] for r in ranges] + ["elsewhere"] * ("elsewhere" in counts):
        share = counts.get(name, 0) / total
        print(f"   {name:10} {'#' * round(40 * share):40} {counts.get(name, 0):6} pages {100 * share:5.1f} %")


main()
