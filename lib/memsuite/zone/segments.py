# SPDX-License-Identifier: GPL-2.0-only
"""The segments of a process, and its pages in them."""

from .. import proc
from ..proc import PAGE

SEGMENTS = ("text", "data", "bss", "heap", "stack", "mmap", "file", "cache")


class Segments:
    """Which segment an address of a process belongs to, as vipzone tells them apart."""

    def __init__(self, pid):
        with open(f"{proc.PROC}/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        # Numbered from 1 in proc(5); those behind the name begin with 3.
        at = {name: int(fields[number - 3]) for name, number in (
            ("start_code", 26), ("end_code", 27), ("start_stack", 28), ("start_data", 45), ("end_data", 46),
            ("start_brk", 47))}
        self.text = at["start_code"] & -PAGE, max(at["start_data"] & -PAGE, -(-at["end_code"] // PAGE) * PAGE)
        self.data = at["start_data"] & -PAGE, -(-at["end_data"] // PAGE) * PAGE
        self.stack, self.heap = at["start_stack"], at["start_brk"]

    def of(self, start, end, is_file, name, address):
        if is_file:
            if self.data[0] <= address < self.data[1]:
                return "data"
            return "text" if self.text[0] <= address < self.text[1] else "file"
        if start <= self.stack < end:
            return "stack"
        if name == "[heap]" and address >= self.heap:
            return "heap"
        return "bss" if start <= self.data[1] < end else "mmap"


def mappings(pid):
    """(start, end, whether of a file, name) of each area."""
    with open(f"{proc.PROC}/{pid}/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            fields = line.split(maxsplit=5)
            start, end = (int(number, 16) for number in fields[0].split("-"))
            yield start, end, fields[4] != "0", fields[5].strip() if len(fields) > 5 else ""


def frames(pid):
    """(start, end, whether of a file, name, address, frame) of each page that is there."""
    with open(f"{proc.PROC}/{pid}/pagemap", "rb") as pagemap:
        for start, end, is_file, name in mappings(pid):
            # The kernel's own pages that every process has.
            if name in ("[vsyscall]", "[vdso]", "[vvar]", "[vvar_vclock]"):
                continue
            for index, frame in enumerate(proc.frames(pagemap, start, (end - start) // PAGE)):
                if frame is not None:
                    yield start, end, is_file, name, start + index * PAGE, frame
