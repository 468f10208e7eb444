# SPDX-License-Identifier: GPL-2.0-only
"""The bad pages that are known."""

import mmap
import sys
import time

from ..output import human, print_json, print_table, yes
from ..sysfs import loaded, need, read_bad_pages, table
from .dimms import dimms, dimms_at
from .exclusion import (RANDOM_RANGES, badram, grub_snippet, length, memmap,
                        merged, stretches)
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
