# SPDX-License-Identifier: GPL-2.0-only
"""Faulty memory: cells of the guest's memory that the host forces.

The guest's memory lies in files.  Cells that are stuck in themselves are forced by a process that keeps looking
(cells/stuck.c); cells that change at an access are changed by a plugin of QEMU (cells/access.c).  With LATER, the
guest itself asks for cells while it runs (guest/fault.c).
"""
import os
import re
import subprocess

from . import Failure, Usage, initramfs, machine, qemu, write_whole

CELLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cells")
LATER, LATER_QUICK = "later", "later=quick"
PAGE = 4096
ALWAYS = (1, 1)
ONCE = (0, 0)
INTERMITTENT_MS = (10, 200)
KINDS = ("sa0, sa1, intermittent[=[VALUE,]ON,PERIOD], once, transient, coupling@ADDR, disturb@ADDR, alias@ADDR, "
         "fast-sa0, fast-sa1")


class Fault:
    """One faulty cell."""

    def __init__(self, spec, ram):
        found = re.fullmatch(r"([^:]*):([^:]*):([^:]+)", spec)
        if not found:
            raise Usage(f"fault {spec}: not ADDR:BIT:KIND")
        address, bit, kind = found.groups()
        if not re.fullmatch("[0-7]", bit):
            raise Usage(f"fault {spec}: bit {bit!r} is not 0 to 7")
        self.bit = int(bit)
        self.node, self.offset = self._locate(address, ram, spec)
        # (value, (on, period)) of what a process forces, or (kind, node, offset) of what an access changes
        self.polled = self.accessed = None
        # (node, offset) of the page that is the same one
        self.alias = None
        name, at, aggressor = kind.partition("@")
        if at and name in ("coupling", "disturb"):
            self.accessed = ("store" if name == "coupling" else "load", *self._locate(aggressor, ram, spec))
        elif at and name == "alias":
            self.alias = self._locate(aggressor, ram, spec)
        elif kind in ("sa0", "sa1"):
            self.polled = int(kind[2]), ALWAYS
        elif kind in ("fast-sa0", "fast-sa1"):
            self.accessed = kind[5:], self.node, self.offset
            self.polled = int(kind[7]), ALWAYS
        elif kind == "transient":
            self.accessed = "flip", self.node, self.offset
        elif kind == "once":
            self.polled = 0, ONCE
        else:
            self.polled = self._intermittent(kind, spec)

    @staticmethod
    def _locate(text, ram, spec):
        address = machine.number(text, f"fault {spec}")
        place = ram.locate(address)
        if not place:
            ranges = " and ".join(f"{first:#x} to {end - 1:#x}" for first, end in ram.ranges())
            raise Usage(f"fault {spec}: {address:#x} is not memory, which is {ranges}")
        return place

    @staticmethod
    def _intermittent(kind, spec):
        found = re.fullmatch(r"intermittent(?:=([01])(?:,(\d+),(\d+))?)?", kind)
        if not found:
            raise Usage(f"fault {spec}: {kind!r} is none of {KINDS}")
        value, on, period = found.groups()
        on, period = (int(on), int(period)) if on else INTERMITTENT_MS
        if not 0 < on <= period:
            raise Usage(f"fault {spec}: {on} ms in every {period} ms is not intermittent")
        return int(value or 1), (on * 1000, period * 1000)


def parse(specs, ram):
    return [Fault(spec, ram) for spec in specs if spec not in (LATER, LATER_QUICK)]


class Injector:
    """The faults of one run: off until start(), and again from stop() on.  More may appear in between."""

    def __init__(self, specs, ram, files, scratch):
        self._first = parse(specs, ram)
        self._accesses = LATER in specs or any(fault.accessed for fault in self._first)
        self.later = LATER in specs or LATER_QUICK in specs
        self._ram = ram
        self._files = files
        self._switch = f"{scratch}/faults-on"
        self._list = f"{scratch}/cells"
        self._pages = f"{scratch}/pages"
        self._cells = []		# lines of these files, for the plugins
        self._aliases = []
        self._processes = []

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
        """QEMU's arguments for cells that change at an access, and for pages that are one."""
        arguments = []
        if self._accesses:
            arguments += ["-plugin", f"{self._plugin('access')},on={self._switch},cells={self._list}"]
        if self.later or any(fault.alias for fault in self._first):
            arguments += ["-plugin", f"{self._plugin('alias')},on={self._switch},pages={self._pages}"]
        return arguments

    @staticmethod
    def _plugin(name):
        return initramfs.compiled(f"{CELLS}/{name}.c", "-shared", "-fPIC", "-pthread",
                                  # What is used of the interface is the same in both; QEMU wants it named.
                                  f"-DPLUGIN_VERSION={1 if qemu.version() < (8, 2) else 2}")

    def start(self):
        self._appear(self._first)

    def ask(self, specs):
        """All of these appear, or none, and what is returned tells why."""
        try:
            faults = [Fault(spec, self._ram) for spec in specs]
            if not self._accesses and any(fault.accessed for fault in faults):
                raise Usage(f"cells that change at an access take --fault {LATER}")
            self._appear(faults)
        except Usage as error:
            return str(error)
        return ""

    def _appear(self, faults):
        self._force([f"{self._files[f.node]}:{f.offset}:{f.bit}:{f.polled[0]}:{f.polled[1][0]}:{f.polled[1][1]}"
                     for f in faults if f.polled])
        for fault in faults:
            if fault.accessed:
                kind, node, offset = fault.accessed
                self._cells.append(f"{kind} {self._plugin_address(node, offset)} {fault.offset} {fault.bit} "
                                   f"{self._files[fault.node]}\n")
            if fault.alias:
                node, offset = fault.alias
                self._aliases.append(f"{fault.offset & -PAGE} {offset & -PAGE} {self._files[fault.node]}\t"
                                     f"{self._files[node]}\n")
        write_whole(self._list, "".join(self._cells))
        write_whole(self._pages, "".join(self._aliases))
        self._tell(lambda version: version % 255 + 1)

    def _force(self, cells):
        if not cells:
            return
        process = subprocess.Popen([initramfs.compiled(f"{CELLS}/stuck.c"), *cells], stdout=subprocess.PIPE)
        self._processes.append(process)
        if process.stdout.read(1) != b"+":
            raise Failure("the process that keeps cells stuck did not start")

    def stop(self):
        self._tell(lambda version: 0)
        for process in self._processes:
            process.kill()
            process.wait()
            process.stdout.close()
        self._processes = []

    def _tell(self, change):
        with open(self._switch, "r+b") as f:
            version = f.read(1)[0]
            f.seek(0)
            f.write(bytes([change(version)]))
