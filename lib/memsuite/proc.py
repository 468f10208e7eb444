# SPDX-License-Identifier: GPL-2.0-only
"""What /proc tells of processes, the memory and its page frames."""

import mmap
import os
import re
import struct

from . import Failure
from .text import printable

PROC = os.environ.get("MEMSUITE_PROC", "/proc")
PAGE = 4096


def proc_text(name):
    try:
        with open(os.path.join(PROC, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""       # a process that has ended, or nothing to be told


def meminfo(name):
    """Bytes, as that line tells; 0 if there is none."""
    found = re.search(rf"^{name}:\s+(\d+)", proc_text("meminfo"), re.M)
    return int(found[1]) << 10 if found else 0


KPF_BUDDY, KPF_OFFLINE, KPF_ZERO_PAGE = 10, 23, 24      # free; held by the suite, or given away; that all have who only read
PM_PRESENT, PM_FILE, PM_FRAME = 1 << 63, 1 << 61, (1 << 55) - 1     # PM_FILE: of a file, or shared


def ram():
    """[start, end) of the memory, in frames."""
    stretches_of = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) : System RAM$", proc_text("iomem"), re.M)
    frames = [(int(start, 16) // mmap.PAGESIZE, (int(end, 16) + 1) // mmap.PAGESIZE)
              for start, end in stretches_of]
    return [(start, end) for start, end in frames if start < end]


def page_flags(frame):
    """What the kernel tells of a page."""
    path = os.path.join(PROC, "kpageflags")
    try:
        with open(path, "rb", buffering=0) as file:
            flags = os.pread(file.fileno(), 8, frame * 8)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}; run as root") from None
    return struct.unpack("=Q", flags)[0] if len(flags) == 8 else 0


def is_free(frame):
    return page_flags(frame) >> KPF_BUDDY & 1


def is_held(frame):
    return page_flags(frame) >> KPF_OFFLINE & 1


def is_zero_page(frame):
    return page_flags(frame) >> KPF_ZERO_PAGE & 1


PAGEMAP_AT_ONCE = 1 << 16


def pagemap_entries(pagemap, address, pages=1):
    """The entry of each page from there on; `pagemap` is /proc/PID/pagemap, opened."""
    first = address // PAGE
    for at in range(first, first + pages, PAGEMAP_AT_ONCE):
        count = min(PAGEMAP_AT_ONCE, first + pages - at)
        for (entry,) in struct.iter_unpack("=Q", os.pread(pagemap.fileno(), count * 8, at * 8)):
            yield entry


def pagemap_present(pagemap, address, pages):
    """(index, entry) of each page from there on that is there. A program may have terabytes in which nothing is."""
    first = address // PAGE
    for at in range(first, first + pages, PAGEMAP_AT_ONCE):
        chunk = os.pread(pagemap.fileno(), min(PAGEMAP_AT_ONCE, first + pages - at) * 8, at * 8)
        (entry,) = struct.unpack("=Q", chunk[:8]) if chunk else (0,)
        if not entry & PM_PRESENT and chunk == chunk[:8] * (len(chunk) // 8):
            continue
        for index, (entry,) in enumerate(struct.iter_unpack("=Q", chunk), at - first):
            if entry & PM_PRESENT:
                yield index, entry


def resident_pages(pid):
    """{start of an area: pages that are there}, of all areas; smaps tells those of hugetlbfs apart."""
    resident, start = {}, None
    for line in proc_text(f"{pid}/smaps").splitlines():
        area = re.match(r"([0-9a-f]+)-[0-9a-f]+ ", line)
        count = re.match(r"(?:Rss|Shared_Hugetlb|Private_Hugetlb): +(\d+) kB", line)
        if area:
            start = int(area.group(1), 16)
            resident[start] = 0
        elif count:
            resident[start] += int(count.group(1)) * 1024 // PAGE
    return resident


def frames(pagemap, address, pages=1):
    """The frame of each page from there on, None where there is none."""
    for entry in pagemap_entries(pagemap, address, pages):
        yield entry & PM_FRAME if entry & PM_PRESENT else None


def command_of(pid):
    """Anybody names a process, with anything."""
    return printable(proc_text(f"{pid}/comm").strip()) or "?"
