# SPDX-License-Identifier: GPL-2.0-only
"""Bad pages of one DIMM that fail by bits of one chip, told together: a chip that dies has thousands of them."""

import functools
import math
import mmap

from .bank_maps import machine_bank_map
from .saved_pages import page_of

# With more pages than that they are told in groups, and one of so many is no longer cells.
GROUPED = 20
# More banks or rows than these are not listed.
LISTED = 8


def lane(mask, width):
    """The data lines, so many side by side, that all bits lie in; or None."""
    if not mask:
        return None
    lowest = ((mask & -mask).bit_length() - 1) // width
    return lowest if lowest == (mask.bit_length() - 1) // width else None


def lane_name(mask):
    """The chip by its place in the data bus: it is as wide as 4 lines or 8."""
    for width in (4, 8):
        if (number := lane(mask, width)) is not None:
            return f"x{width}-{number}"
    return "-"


@functools.lru_cache(None)
def mask_of(text):
    try:
        return int(text, 16)
    except ValueError:
        return 0


def group_of(column, rows, bank_map):
    pages = sorted({page_of(row["address"]) for row in rows})
    mask = functools.reduce(int.__or__, (mask_of(row["mask"]) for row in rows))
    stride = functools.reduce(math.gcd, (page - pages[0] for page in pages), 0)
    group = {"dimm": column, "dimms": rows[0]["dimms"], "lane": lane_name(mask), "bits": f"{mask:#018x}", "pages": len(pages),
             "start": hex(pages[0]), "end": hex(pages[-1] + mmap.PAGESIZE), "stride": stride,
             "is_dense": not stride or (pages[-1] - pages[0]) // stride + 1 == len(pages), "banks": None, "rows": None,
             "retired": sum(row["retired"] == "1" for row in rows), "stored": sum(row["stored"] for row in rows)}
    if bank_map:
        addresses = [int(row["address"], 16) for row in rows]
        group["banks"] = sorted(set(map(bank_map.bank, addresses)))
        if bank_map.row_mask:
            group["rows"] = sorted(set(map(bank_map.row, addresses)))
    return group


def groups(rows):
    """The largest first."""
    together = {}
    for row in rows:
        together.setdefault((row["dimm"], lane(mask_of(row["mask"]), 8)), []).append(row)
    bank_map = machine_bank_map()
    return sorted((group_of(column, some, bank_map) for (column, _), some in together.items()),
                  key=lambda group: (-group["pages"], group["dimm"], group["start"]))


def numbers_text(name, numbers):
    if not numbers:
        return ""
    text = ", ".join(map(str, numbers)) if len(numbers) <= LISTED else f"{len(numbers)} from {numbers[0]} to {numbers[-1]}"
    return f"{name}{'s' if len(numbers) > 1 else ''} {text}"


def stride_text(group):
    if not group["stride"]:
        return ""
    if not group["is_dense"]:
        return f"multiples of {group['stride']:#x} apart"
    return "every page" if group["stride"] == mmap.PAGESIZE else f"one each {group['stride']:#x}"


def group_text(group):
    lines = "" if group["lane"] == "-" else f", lane {group['lane']}"
    place = group["start"] if group["pages"] == 1 else f"{group['start']}-{int(group['end'], 16) - 1:#x}"
    parts = [f"{group['pages']:,} page{'s' if group['pages'] > 1 else ''} at {place}", stride_text(group),
             f"bits {group['bits']}" if int(group["bits"], 16) else "", numbers_text("bank", group["banks"]),
             numbers_text("row", group["rows"]),
             f"{group['pages'] - group['retired']:,} not retired" if group["retired"] < group["pages"] else "",
             f"{group['pages'] - group['stored']:,} not stored" if group["stored"] < group["pages"] else ""]
    where = group["dimm"] if group["dimm"] != "-" else "DIMM unknown"
    return (f"{where}{lines}: {', '.join(filter(None, parts))}"
            + (": replace it" if group["pages"] > GROUPED and group["dimm"] != "-" else ""))
