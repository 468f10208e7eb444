# SPDX-License-Identifier: GPL-2.0-only
"""Emulated faults: good memory that looks faulty to the tests."""

import errno
import mmap
import re

from .. import Failure
from ..arguments import size_argument
from ..output import done, human_pages, print_json, print_table
from ..sysfs import need, read, read_debugfs, table, write
from .retirement import UNRETIRE_ERRORS

INJECT_ERRORS = {
    errno.EINVAL: "not 'ADDRESS:BIT:KIND[/VARIANT][ cpu=CPU]', with @ADDRESS:BIT for a "
                  "fault that couples two bits, and without for others",
    errno.ERANGE: "a bit is 0 to 7, and not every kind has such a variant",
    errno.ENXIO: "no memory at that address, or no such CPU",
    errno.ENOSPC: "32 faults at most",
}
COUPLED = re.compile(r"(^|_)cf")


def every_kind(text):
    """A fault of each kind, each in a page of its own, far apart."""
    start, end = (size_argument(part) for part in text.split("-"))
    kinds = read("memdiag", "inject", "available_kinds").split()
    step = (end - start) // (2 * len(kinds)) & -mmap.PAGESIZE
    if step <= 0:
        raise Failure(f"too small: {len(kinds)} kinds take "
                      f"{human_pages(2 * len(kinds))} at least")
    for nr, kind in enumerate(kinds):
        at = start + 2 * nr * step
        yield f"{at:#x}:3:{kind}" + (
            f"@{at + step:#x}:3" if COUPLED.search(kind) else "")


def cmd_diag_inject(args):
    need("memdiag")
    if args.clear:
        write("memdiag/inject/clear", "1", {
            errno.EBUSY: "such a page is being tested; try again",
            **UNRETIRE_ERRORS})
        return done(args, "no fault is emulated any more")
    faults = args.fault
    if args.every:
        faults = faults + list(every_kind(args.every))
    for fault in faults:
        try:
            write("memdiag/inject/add", fault, INJECT_ERRORS)
        except Failure as failure:
            raise Failure(f"{fault}: {failure}") from None
    rows = table(read_debugfs("memdiag", "injected"))
    if args.json:
        print_json(rows)
    elif not rows:
        print("no fault is emulated; kinds: " + " ".join(
            read("memdiag", "inject", "available_kinds").split()))
    else:
        print_table([column.upper() for column in rows[0]],
                    [row.values() for row in rows])
    return 0
