# SPDX-License-Identifier: GPL-2.0-only
"""Banks and rows of addresses, where the bank map of the machine is known: /sys/kernel/memsuite/bank_maps."""

import re

from .. import Failure
from ..sysfs import entries, read


def bits_of(address, mask):
    """Those bits of an address, side by side."""
    value, at = 0, 0
    while mask:
        lowest = mask & -mask
        value |= bool(address & lowest) << at
        mask ^= lowest
        at += 1
    return value


class BankMap:
    """As the core tells frames apart: memsuite_bank_of() in modules/frame/bank_map.c."""

    def __init__(self, frame_map, text):
        kind, _, words = frame_map.partition("=")
        self.masks = [int(word, 0) for word in words.split(",")] if kind == "xor" else []
        self.levels = [tuple(map(int, word.split("x"))) for word in words.split(",")] if kind == "interleave" else []
        row = re.search(r"\brow=(\w+)", text)
        self.row_mask = int(row[1], 16) if row else 0

    def bank(self, address):
        bank, base = 0, 1
        for number, mask in enumerate(self.masks):
            bank |= (bin(address & mask).count("1") & 1) << number
        for size, count in self.levels:
            bank += base * (address // size % count)
            base *= count
        return bank

    def row(self, address):
        """None if the map does not tell."""
        return bits_of(address, self.row_mask) if self.row_mask else None


def machine_bank_map():
    """The only one; None if there is none, or nobody can tell which is meant."""
    names = entries("bank_maps")
    if len(names) != 1:
        return None
    try:
        return BankMap(read("bank_maps", names[0], "frame_map"), read("bank_maps", names[0], "map"))
    except (Failure, ValueError):
        return None     # for root to read; or of another version
