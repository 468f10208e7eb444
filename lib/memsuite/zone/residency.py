# SPDX-License-Identifier: GPL-2.0-only
"""Where the pages of a process or a file lie."""

import os
import stat

from .. import Failure
from ..output import human_pages, print_json, print_table
from ..proc import PAGE
from ..sysfs import CORE, entries, loaded, need, number, read
from .files import file_lines, is_file
from .resident import frames_of_file
from .segments import SEGMENTS, Segments, pages, shared_memory_devices
from .shares import share_lines, weights_over


HUGE = 2 << 20          # hugetlbfs tells the size of its pages, of which no other file system has blocks


def bank_of(frame_map, address):
    """The bank of a frame, by what a bank map's frame_map says."""
    kind, _, items = frame_map.partition("=")
    if kind == "xor":
        return sum((bin(address & int(mask, 0)).count("1") & 1) << i for i, mask in enumerate(items.split(",")))
    bank, base = 0, 1
    for item in items.split(","):
        size, count = map(int, item.split("x"))
        bank += base * (address // size % count)
        base *= count
    return bank


def listed(text):
    """The numbers of a list like 0-3,7."""
    ranges = [item.split("-") for item in text.split(",") if item]
    return {n for item in ranges for n in range(int(item[0]), int(item[-1]) + 1)}


class Extent:
    """Where a region lies; of a set of banks, in what of that."""

    def __init__(self, name):
        self.name, self.start, self.end = name, number("regions", name, "start"), number("regions", name, "end")
        self.size = self.end - self.start
        bank_map = read("regions", name, "map")
        self.frame_map = bank_map and read("bank_maps", bank_map, "frame_map")
        if bank_map:
            self.banks = listed(read("regions", name, "banks"))
            self.size = self.size * len(self.banks) // number("bank_maps", bank_map, "banks")

    def has(self, address):
        return self.start <= address < self.end and (
            not self.frame_map or bank_of(self.frame_map, address) in self.banks)

    def has_frame(self, frame):
        return self.has(frame * PAGE)


def region_of(frame, extents):
    """The first of them that has the frame."""
    return next((extent.name for extent in extents if extent.has_frame(frame)), "elsewhere")


class Share:
    """What regions that share pages by weight have of some segments."""

    def __init__(self, weights):
        self.weights, self.segments, self.found = weights, [], {}
        self.extents = [Extent(name) for name in weights]

    def add(self, segment, frame):
        if segment not in self.segments:
            self.segments.append(segment)
        name = region_of(frame, self.extents)
        self.found[name] = self.found.get(name, 0) + 1


def shares_by_segment(weights):
    """Segments with the same weights have one share."""
    shares = {}
    for of_segment in weights.values():
        shares.setdefault(tuple(of_segment.items()), Share(of_segment))
    return {segment: shares[tuple(of_segment.items())] for segment, of_segment in weights.items()}


def residency(pid, shares=None):
    """{segment: {region: pages}}, by the smallest region that a page lies in; and to @shares, {segment: Share}."""
    regions = sorted((Extent(name) for name in entries("regions")), key=lambda extent: (extent.size, extent.name))
    segments, counts = Segments(pid), {}
    for area, address, frame, is_private in pages(pid):
        region_name = region_of(frame, regions)
        segment = segments.of(area, address, is_private)
        of_segment = counts.setdefault(segment, {})
        of_segment[region_name] = of_segment.get(region_name, 0) + 1
        # What is the page cache's is where its first reader's policy wanted it.
        if shares and segment in shares and (is_private or area.is_shared_memory):
            shares[segment].add(segment, frame)
    return counts


def file_residency(path):
    """{segment: {region: pages}} of a file: what of it is in memory."""
    regions = sorted((Extent(name) for name in entries("regions")), key=lambda extent: (extent.size, extent.name))
    status, counts = os.stat(path), {}
    if not stat.S_ISREG(status.st_mode):
        raise Failure(f"{path}: not a file")
    device = os.major(status.st_dev), os.minor(status.st_dev)
    for frame in frames_of_file(path):
        name = region_of(frame, regions)
        counts[name] = counts.get(name, 0) + 1
    is_shared = device in shared_memory_devices("self") or os.statvfs(path).f_bsize >= HUGE
    return {"shared" if is_shared else "cache": counts} if counts else {}


def print_counts(counts):
    names = sorted({name for of_segment in counts.values() for name in of_segment})
    print_table(["SEGMENT", *names],
                [[segment, *(human_pages(counts[segment].get(name, 0)) if name in counts[segment] else "-"
                             for name in names)] for segment in SEGMENTS if segment in counts], right=names)


def where_file(args):
    path = args.who[len("file:"):]
    try:
        counts = file_residency(path)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    if args.json:
        print_json(counts)
    elif counts:
        print_counts(counts)
    else:
        print(f"nothing of {path} is in memory")
    return 0


def cmd_zone_where(args):
    need(CORE)
    if is_file(args.who):
        return where_file(args)
    if not args.who.isdigit():
        raise Failure(f"{args.who}: name a process or a file")
    try:
        pid = int(args.who)
        shares = shares_by_segment({} if args.json else weights_over(pid))
        counts = residency(pid, shares)
        lines = () if args.json or not loaded("vipzone") else list(file_lines(pid))
    except OSError as error:
        raise Failure(f"process {args.who}: {error.strerror}") from None
    if args.json:
        print_json(counts)
        return 0
    print_counts(counts)
    for line in (*share_lines(dict.fromkeys(shares.values())), *lines):
        print(line)
    return 0
