# SPDX-License-Identifier: GPL-2.0-only
"""The segments of a process, and its pages in them."""

import os
import re
from typing import NamedTuple

from .. import proc
from ..proc import PAGE

SEGMENTS = ("text", "data", "bss", "brk", "stack", "mmap", "shared", "file", "cache")
GROUPS = {"heap": ("brk", "mmap"), "*": SEGMENTS}


def by_segment(named):
    """{segment: value} of what is said of segments and groups: the narrower name goes before the wider."""
    told = {}
    for group in reversed(GROUPS):
        told.update(dict.fromkeys(GROUPS[group], named[group]) if group in named else {})
    told.update({name: value for name, value in named.items() if name not in GROUPS})
    return told


class Area(NamedTuple):
    """A mapping of a process."""

    start: int
    end: int
    is_file: bool
    is_shared_memory: bool
    file: tuple         # major, minor and inode number; the last is 0 if there is none
    name: str


class Segments:
    """Which segment a page of a process belongs to, as vipzone tells them apart."""

    def __init__(self, pid):
        with open(f"{proc.PROC}/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        # Numbered from 1 in proc(5); those behind the name begin with 3.
        at = {name: int(fields[number - 3]) for name, number in (
            ("start_code", 26), ("end_code", 27), ("start_stack", 28), ("start_data", 45), ("end_data", 46),
            ("start_brk", 47))}
        self.text = at["start_code"] & -PAGE, max(at["start_data"] & -PAGE, -(-at["end_code"] // PAGE) * PAGE)
        self.data = at["start_data"] & -PAGE, -(-at["end_data"] // PAGE) * PAGE
        self.stack, self.brk = at["start_stack"], at["start_brk"]

    def of(self, area, address, is_private):
        if area.is_shared_memory and not is_private:
            return "shared"
        if area.is_file:
            if self.data[0] <= address < self.data[1]:
                return "data"
            return "text" if self.text[0] <= address < self.text[1] else "file"
        if area.start <= self.stack < area.end:
            return "stack"
        if area.name == "[heap]" and address >= self.brk:
            return "brk"
        return "bss" if area.start <= self.data[1] < area.end else "mmap"


def shared_memory_devices(pid):
    """Of tmpfs, and of the kernel's own, which memfd, System V and shared anonymous memory are files of."""
    file = os.memfd_create("memsuite")
    device = os.fstat(file).st_dev
    os.close(file)
    mounts = proc.proc_text(f"{pid}/mountinfo")
    return {(os.major(device), os.minor(device)),
            *((int(major), int(minor)) for major, minor in re.findall(r"(?m)^\d+ \d+ (\d+):(\d+) .* - tmpfs ", mounts))}


def areas(pid):
    devices = shared_memory_devices(pid)
    with open(f"{proc.PROC}/{pid}/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            fields = line.split(maxsplit=5)
            start, end = (int(number, 16) for number in fields[0].split("-"))
            device = tuple(int(number, 16) for number in fields[3].split(":"))
            yield Area(start, end, fields[4] != "0", fields[4] != "0" and device in devices, (*device, int(fields[4])),
                       fields[5].strip() if len(fields) > 5 else "")


def whole(area):
    """(address, pages) of what is to be looked at of an area."""
    yield area.start, (area.end - area.start) // PAGE


def pages(pid, stretches=whole):
    """(area, address, frame, whether it is the process's own) of each page that is there, in these stretches of each area."""
    resident = proc.resident_pages(pid)
    with open(f"{proc.PROC}/{pid}/pagemap", "rb") as pagemap:
        for area in areas(pid):
            # The kernel's own pages that every process has.
            if area.name in ("[vsyscall]", "[vdso]", "[vvar]", "[vvar_vclock]"):
                continue
            # One that came meanwhile is not known yet.
            if not resident.get(area.start, 1):
                continue
            for start, count in stretches(area):
                for index, entry in proc.pagemap_present(pagemap, start, count):
                    yield area, start + index * PAGE, entry & proc.PM_FRAME, not entry & proc.PM_FILE
