# SPDX-License-Identifier: GPL-2.0-only
"""Bad pages as firmware, boot loaders and the kernel are told of them: in few ranges, or in few patterns."""

import heapq
import itertools
import mmap
import re

from ..proc import proc_text

PAGE = mmap.PAGESIZE
WORD = (1 << 64) - 1

# What a kernel's command line of 2,048 characters has room for beside others, and as many as memtest86+ gives.
RANGES = 20
# With more memmap= than that the kernel's place in physical memory is not random (arch/x86/boot/compressed/kaslr.c).
RANDOM_RANGES = 4
# More patterns than these are not compared pair by pair.
COMPARED = 256


def stretches(addresses):
    """[start, end) of runs of bad pages."""
    result = []
    for at in sorted(set(addresses)):
        if result and result[-1][1] == at:
            result[-1][1] += PAGE
        else:
            result.append([at, at + PAGE])
    return result


def merged(runs, most):
    """At most so many runs: the smallest gaps are filled, which gives up the least good memory."""
    gaps = sorted(range(1, len(runs)), key=lambda i: runs[i][0] - runs[i - 1][1])
    filled = set(gaps[:max(len(runs) - most, 0)])
    result = []
    for i, (start, end) in enumerate(runs):
        if i in filled:
            result[-1][1] = end
        else:
            result.append([start, end])
    return result


def length(runs):
    return sum(end - start for start, end in runs)


def aligned_blocks(start, end):
    """(address, mask) of powers of two: what is bad is each address that is the same where the mask is 1."""
    while start < end:
        size = start & -start or 1 << 62
        while size > end - start:
            size >>= 1
        yield start, WORD + 1 - size
        start += size


def pattern_bytes(mask):
    return 1 << (64 - bin(mask).count("1"))


def folded(patterns):
    """The same addresses in fewer patterns: two that differ in one bit alone are one. Finds strides."""
    patterns = set(patterns)
    for bit in range(PAGE.bit_length() - 1, max((address.bit_length() for address, _ in patterns), default=0)):
        flag = 1 << bit
        # Of two twins one has the bit: whatever is done first, it is the same pairs.
        for address, mask in list(patterns):
            if mask & flag and not address & flag and (address | flag, mask) in patterns:
                patterns -= {(address, mask), (address | flag, mask)}
                patterns.add((address, mask & ~flag & WORD))
    return sorted(patterns)


def union(one, other):
    """The smallest pattern that has all addresses of both."""
    mask = one[1] & other[1] & ~(one[0] ^ other[0]) & WORD
    return one[0] & mask, mask


def narrowed(patterns, most):
    """At most so many patterns: those are put together that have the least besides."""
    left = dict(enumerate(patterns))

    def pair(i, k):
        return (pattern_bytes(union(left[i], left[k])[1]) - pattern_bytes(left[i][1]) - pattern_bytes(left[k][1]), i, k)

    pairs = [pair(i, k) for i in left for k in range(i)]
    heapq.heapify(pairs)
    for number in itertools.count(len(left)):
        while pairs and not (pairs[0][1] in left and pairs[0][2] in left):
            heapq.heappop(pairs)
        if len(left) <= most:
            return sorted(left.values())
        _, i, k = heapq.heappop(pairs)
        both = union(left[i], left[k])
        left = {other: one for other, one in left.items() if union(one, both) != both}
        left[number] = both
        for other in left.keys() - {number}:
            heapq.heappush(pairs, pair(number, other))


def badram(runs, most):
    """Patterns for GRUB's badram, and how many bytes they have."""
    patterns = folded(block for start, end in runs for block in aligned_blocks(start, end))
    if len(patterns) > COMPARED:
        patterns = folded(block for start, end in merged(runs, COMPARED // 8) for block in aligned_blocks(start, end))
    patterns = narrowed(patterns, most)
    return patterns, sum(pattern_bytes(mask) for _, mask in patterns)


def memmap(runs):
    return " ".join(f"memmap={(end - start) >> 10}K${start:#x}" for start, end in runs)


def grub_snippet(runs):
    """For /etc/default/grub.d/: read by the shell, and once more by GRUB, each of which takes a $ for its own."""
    return f'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX {memmap(runs)}"'.replace(
        "K$", r"K\\\$") if runs else "# no bad page is known"


def left_out():
    """[start, end) that memmap= on the kernel's command line takes away from it."""
    ranges = []
    for word in proc_text("cmdline").split():
        for found in re.finditer(r"(?:^memmap=|,)(0x[0-9a-fA-F]+|\d+)([KMGkmg]?)\$(0x[0-9a-fA-F]+|\d+)([KMGkmg]?)",
                                 word if word.startswith("memmap=") else ""):
            size, start = (int(number, 0) << 10 * " KMG".index(unit.upper() or " ")
                           for number, unit in (found.group(1, 2), found.group(3, 4)))
            ranges.append([start, start + size])
    return ranges
