# SPDX-License-Identifier: GPL-2.0-only
"""Faulty memory: cells of the guest's memory that the host forces.

The guest's memory lies in files.  Cells that are stuck in themselves are forced by a process that keeps looking
(cells/stuck.c); cells that change at an access are changed by a plugin of QEMU (cells/access.c).
"""
import os
import re
import subprocess

from . import Failure, Usage, initramfs, machine, qemu

CELLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cells")
ALWAYS = (1, 1)
ONCE = (0, 0)
INTERMITTENT_MS = (10, 200)
KINDS = "sa0, sa1, intermittent[=[VALUE,]ON,PERIOD], once, coupling@ADDR, disturb@ADDR, fast-sa0, fast-sa1"


class Fault:
    """One faulty cell."""

    def __init__(self, spec, ram):
        found = re.fullmatch(r"([^:]*):([^:]*):([^:]+)", spec)
        if not found:
            raise Usage(f"--fault {spec}: not ADDR:BIT:KIND")
        address, bit, kind = found.groups()
        if not re.fullmatch("[0-7]", bit):
            raise Usage(f"--fault {spec}: bit {bit!r} is not 0 to 7")
        self.bit = int(bit)
        self.node, self.offset = self._locate(address, ram, spec)
        # (value, (on, period)) of what a process forces, or (kind, node, offset) of what an access changes
        self.polled = self.accessed = None
        name, at, aggressor = kind.partition("@")
        if at and name in ("coupling", "disturb"):
            self.accessed = ("store" if name == "coupling" else "load", *self._locate(aggressor, ram, spec))
        elif kind in ("sa0", "sa1"):
            self.polled = int(kind[2]), ALWAYS
        elif kind in ("fast-sa0", "fast-sa1"):
            self.accessed = kind[5:], self.node, self.offset
            self.polled = int(kind[7]), ALWAYS
        elif kind == "once":
            self.polled = 0, ONCE
        else:
            self.polled = self._intermittent(kind, spec)

    @staticmethod
    def _locate(text, ram, spec):
        address = machine.number(text, f"--fault {spec}")
        place = ram.locate(address)
        if not place:
            ranges = " and ".join(f"{first:#x} to {end - 1:#x}" for first, end in ram.ranges())
            raise Usage(f"--fault {spec}: {address:#x} is not memory, which is {ranges}")
        return place

    @staticmethod
    def _intermittent(kind, spec):
        found = re.fullmatch(r"intermittent(?:=([01])(?:,(\d+),(\d+))?)?", kind)
        if not found:
            raise Usage(f"--fault {spec}: {kind!r} is none of {KINDS}")
        value, on, period = found.groups()
        on, period = (int(on), int(period)) if on else INTERMITTENT_MS
        if not 0 < on <= period:
            raise Usage(f"--fault {spec}: {on} ms in every {period} ms is not intermittent")
        return int(value or 1), (on * 1000, period * 1000)


def parse(specs, ram):
    return [Fault(spec, ram) for spec in specs]


class Injector:
    """The faults of one run: off until start(), and again from stop() on."""

    def __init__(self, faults, ram, files, scratch):
        self._faults = faults
        self._ram = ram
        self._files = files
        self._switch = f"{scratch}/faults-on"
        self._process = None

    def __enter__(self):
        with open(self._switch, "wb") as f:
            f.write(bytes(4096))
        return self

    def __exit__(self, *why):
        self.stop()

    def _plugin_address(self, node, offset):
        # A memory block's place among QEMU's blocks, made in the order of the nodes, and again its place among
        # the machine's memory: QEMU adds both (plugins/api.c, qemu_plugin_hwaddr_phys_addr).
        return 2 * sum(self._ram.nodes[:node]) + offset

    def arguments(self):
        """QEMU's arguments for cells that change at an access."""
        cells = []
        for fault in self._faults:
            if fault.accessed:
                kind, node, offset = fault.accessed
                cells.append(f"cell={kind}/{self._plugin_address(node, offset)}/{fault.offset}/{fault.bit}"
                             f"{self._files[fault.node]}")
        if not cells:
            return []
        plugin = initramfs.compiled(f"{CELLS}/access.c", "-shared", "-fPIC",
                                     # What is used of the interface is the same in both; QEMU wants it named.
                                     f"-DPLUGIN_VERSION={1 if qemu.version() < (8, 2) else 2}")
        return ["-plugin", ",".join([plugin, f"on={self._switch}", *cells])]

    def start(self):
        cells = [f"{self._files[f.node]}:{f.offset}:{f.bit}:{f.polled[0]}:{f.polled[1][0]}:{f.polled[1][1]}"
                 for f in self._faults if f.polled]
        if cells:
            program = initramfs.compiled(f"{CELLS}/stuck.c")
            self._process = subprocess.Popen([program, *cells], stdout=subprocess.PIPE)
            if self._process.stdout.read(1) != b"+":
                raise Failure("the process that keeps cells stuck did not start")
        self._set(1)

    def stop(self):
        self._set(0)
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    def _set(self, value):
        with open(self._switch, "r+b") as f:
            f.write(bytes([value]))
