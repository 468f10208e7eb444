# SPDX-License-Identifier: GPL-2.0-only
"""What the QEMU plugin counts (plugin/traffic.c): making it part of a machine, and reading its files."""
import dataclasses
import os
import shutil
import sys

import bench

sys.path.insert(0, os.path.join(bench.TOP, "scripts"))
from vmlib import initramfs, qemu  # noqa: E402

PLUGIN = os.path.join(bench.TOP, "tests", "plugin")
FETCHES, FETCHED, READS, READ, WRITES, WRITTEN = range(6)


def options(directory, *arguments):
    """Of scripts/vm: counts become files in that directory. Each directory has a copy of the plugin for itself."""
    source = f"{PLUGIN}/traffic.c"
    # Its other headers are beside it, or change with QEMU only.
    plugin = initramfs.compiled(source, "-shared", "-fPIC", "-Wextra",
                                f"-DPLUGIN_VERSION={1 if qemu.version() < (8, 2) else 2}")
    own = f"{directory}/traffic.so"
    shutil.copy(plugin, own)
    return ["--plugin", ",".join([own, f"out={directory}", "ram=memsuite-vm.", *arguments])]


@dataclasses.dataclass
class Count:
    """One count: instructions (all, and until the lap) and DRAM by CPU, pairs of frames that were in the way of each
    other, and by boundary and frame the six numbers."""
    instructions: dict
    dram: dict
    met: list
    frames: list

    def total(self, boundary, within=lambda frame: True):
        """The six numbers of the frames that are within, summed up."""
        sums = [0] * 6
        for frame, numbers in self.frames[boundary].items():
            if within(frame):
                sums = [a + b for a, b in zip(sums, numbers)]
        return sums


def read(path):
    count = Count({}, {}, [], [])
    with open(path, encoding="ascii") as file:
        for line in file:
            what, key, *numbers = line.split()
            numbers = [int(number) for number in numbers]
            if what == "instructions":
                count.instructions[int(key)] = numbers
            elif what == "dram":
                count.dram[int(key)] = numbers
            elif what == "met":
                count.met.append((int(key), *numbers))
            else:
                while len(count.frames) <= int(key):
                    count.frames.append({})
                count.frames[int(key)][numbers[0]] = numbers[1:]
    return count
