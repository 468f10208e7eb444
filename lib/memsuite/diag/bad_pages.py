# SPDX-License-Identifier: GPL-2.0-only
"""The bad pages that are known."""

import mmap
import sys
import time

from ..output import print_json, print_table, yes
from ..sysfs import loaded, need, read_bad_pages, table
from .dimms import dimms, dimms_at
from .saved_pages import KEPT, applies, load_store, page_of


def bad_pages():
    return table(read_bad_pages())


def cmd_diag_list(args):
    need("memdiag")
    rows = bad_pages()
    if args.json:
        print_json(rows)
    elif not rows:
        print("no bad page has been found")
    else:
        print_table([column.upper() for column in rows[0]],
                    [row.values() for row in rows])
    return 0


def all_bad_pages():
    """Those that memdiag knows, and those stored, each with its DIMMs."""
    every = dimms()
    rows, seen = [], set()
    if loaded("memdiag"):
        for row in bad_pages():
            seen.add(page_of(row["address"]))
            rows.append({**row, "stored": False,
                         "dimms": dimms_at(row["dimm"], every)})
    stored = {}
    for page in load_store()["pages"]:
        if applies(page, every):
            stored[page_of(page["address"])] = page
    for row in rows:
        page = stored.get(page_of(row["address"]))
        row["stored"] = bool(page)
        if page and row["origin"] == "restored":
            row.update({name: page[name] for name in KEPT if name in page})
    for at, page in stored.items():
        if at not in seen:
            rows.append({"pfn": hex(at // mmap.PAGESIZE),
                         **{name: page.get(name, "-") for name in KEPT},
                         "node": "-", "region": "-", "origin": "stored",
                         "retired": "0", "stored": True,
                         "dimms": dimms_at(page.get("dimm"), every)})
    return rows


def when(text):
    """The time that a list tells in seconds, if it does."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(int(text)))
    except (ValueError, OverflowError, OSError):
        return "-"


def dimm_text(row):
    texts = [" ".join(filter(None, (d["locator"], d["manufacturer"],
                                    d["part"], d["serial"] and
                                    "S/N " + d["serial"])))
             for d in row["dimms"]]
    return ", or ".join(texts) or "-"


def cmd_diag_bad(args):
    rows = all_bad_pages()
    if args.json:
        print_json(rows)
    elif not rows:
        print("no bad page is known")
    else:
        print_table(
            ["ADDRESS", "BITS", "FELL", "CLASS", "FOUND", "BY", "RETIRED",
             "STORED", "DIMM"],
            [[row["address"], row["mask"], row["direction"], row["class"],
              when(row["time"]),
              row["origin"], yes(int(row["retired"])), yes(row["stored"]),
              dimm_text(row)] for row in rows])
    return 0


def stretches(addresses):
    """[start, end) of runs of bad pages."""
    result = []
    for at in sorted(set(addresses)):
        if result and result[-1][1] == at:
            result[-1][1] += mmap.PAGESIZE
        else:
            result.append([at, at + mmap.PAGESIZE])
    return result


def aligned_blocks(start, end):
    """(address, mask) pairs that GRUB's badram wants: powers of two."""
    while start < end:
        size = start & -start or 1 << 62
        while size > end - start:
            size >>= 1
        yield start, (1 << 64) - size
        start += size


def cmd_diag_export(args):
    rows = [row for row in all_bad_pages() if row["origin"] != "emulated"]
    runs = stretches(page_of(row["address"]) for row in rows)
    if args.format == "json" or args.json:
        print_json({"pages": rows, "ranges": [
            {"start": hex(start), "end": hex(end)} for start, end in runs]})
    elif args.format == "memmap":
        print(" ".join(f"memmap={(end - start) >> 10}K${start:#x}"
                       for start, end in runs))
        # Without them the machine does not boot: memmap=4K, for instance, is all the memory that it then has.
        print("memsuite: this is for the kernel's command line; in /etc/default/grub each $ is written \\\\\\$, "
              "or update-grub loses it and what follows", file=sys.stderr)
    else:
        print('GRUB_BADRAM="' + ",".join(
            f"{address:#x},{mask:#x}" for start, end in runs
            for address, mask in aligned_blocks(start, end)) + '"')
    return 0
