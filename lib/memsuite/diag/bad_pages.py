# SPDX-License-Identifier: GPL-2.0-only
"""The bad pages that are known."""

import functools
import mmap
import sys
import time

from ..output import human, print_json, print_table, yes
from ..sysfs import loaded, need, read_bad_pages, table
from .dimms import dimms, dimms_at
from .exclusion import (RANDOM_RANGES, badram, grub_snippet, length, memmap,
                        merged, stretches)
from .groups import GROUPED, group_text, groups
from .saved_pages import KEPT, page_keys, page_of, saved_pages


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


def stored_pages(every):
    """{page: (address, details)} of those whose DIMMs are still there."""
    key_of = page_keys(every)
    return {page_of(address): (address, details) for address, details in saved_pages().pages
            if details["key"] == key_of(details["dimm"])}


def all_bad_pages():
    """Those that memdiag knows, and those stored, each with its DIMMs."""
    every = dimms()
    stored = stored_pages(every)
    dimms_of = functools.lru_cache(None)(lambda column: dimms_at(column, every))
    rows, seen = [], set()
    for row in bad_pages() if loaded("memdiag") else ():
        at = page_of(row["address"])
        seen.add(at)
        row["stored"] = at in stored
        row["dimms"] = dimms_of(row["dimm"])
        if row["stored"] and row["origin"] == "restored":
            address, details = stored[at]
            row.update({name: details[name] for name in KEPT[1:]}, address=hex(address))
        rows.append(row)
    for at, (address, details) in stored.items():
        if at not in seen:
            rows.append({"pfn": hex(at // mmap.PAGESIZE), "address": hex(address),
                         **{name: details[name] for name in KEPT[1:]},
                         "node": "-", "region": "-", "origin": "stored",
                         "retired": "0", "stored": True, "dimms": dimms_of(details["dimm"])})
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


def print_pages(rows):
    print_table(
        ["ADDRESS", "BITS", "FELL", "CLASS", "FOUND", "BY", "RETIRED",
         "STORED", "DIMM"],
        [[row["address"], row["mask"], row["direction"], row["class"],
          when(row["time"]),
          row["origin"], yes(int(row["retired"])), yes(row["stored"]),
          dimm_text(row)] for row in rows])


def cmd_diag_bad(args):
    """Scripts get each page, unless they ask for groups; people get groups of many, unless they ask for each page."""
    rows = all_bad_pages()
    grouped = args.groups or (len(rows) > GROUPED and not args.all and not args.json)
    if args.json:
        print_json(groups(rows) if grouped else rows)
    elif not rows:
        print("no bad page is known")
    elif grouped:
        print(*map(group_text, groups(rows)), sep="\n")
    else:
        print_pages(rows)
    return 0


def good_text(good):
    return f"; of good memory, {human(good)} are given up" if good else ""


def tell_limits(form, count, good):
    """What is asked for is for machines to read; what to know about it goes beside it."""
    if form == "badram":
        notes = [f"{count} patterns{good_text(good)}",
                 "this is for /etc/default/grub; GRUB refuses it under Secure Boot, and with UEFI some firmware does not "
                 "boot with it: use memmap then"]
    else:
        notes = [f"{count} ranges{good_text(good)}",
                 {"memmap": "this is for the kernel's command line; in /etc/default/grub each $ is written \\\\\\$, or "
                            "update-grub loses it and what follows: --format grub does that",
                  "grub": "this is for a file /etc/default/grub.d/memsuite.cfg; then run update-grub",
                  "systemd-boot": "this is for /etc/kernel/cmdline, or for the line of options of an entry; then "
                                  "run kernel-install add, or bootctl update"}[form]]
        if count > RANDOM_RANGES:
            notes.append(f"with more than {RANDOM_RANGES} ranges the kernel does not choose its place in memory at "
                         f"random: --ranges {RANDOM_RANGES}")
        notes.append("with UEFI, boot loader and firmware use this memory until the kernel runs")
    for note in notes:
        print(f"memsuite: {note}", file=sys.stderr)


def cmd_diag_export(args):
    rows = [row for row in all_bad_pages() if row["origin"] != "emulated"]
    exact = stretches(page_of(row["address"]) for row in rows)
    if args.format == "json" or args.json:
        print_json({"pages": rows, "ranges": [
            {"start": hex(start), "end": hex(end)} for start, end in exact]})
        return 0
    if args.format == "badram":
        patterns, size = badram(exact, args.ranges)
        print('GRUB_BADRAM="' + ",".join(f"{address:#x},{mask:#x}" for address, mask in patterns) + '"')
        tell_limits("badram", len(patterns), size - length(exact))
        return 0
    runs = merged(exact, args.ranges)
    print(grub_snippet(runs) if args.format == "grub" else memmap(runs))
    if runs:
        tell_limits(args.format, len(runs), length(runs) - length(exact))
    return 0
