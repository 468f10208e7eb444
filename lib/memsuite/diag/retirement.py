# SPDX-License-Identifier: GPL-2.0-only
"""Bad pages are withheld, also after a reboot, and given back."""

import errno
import sys

from .. import Failure
from ..output import bad_page_count, done, print_json
from ..sysfs import need, writer
from .bad_pages import bad_pages
from .dimms import dimms
from .exclusion import left_out
from .saved_pages import (DETAILS, STATE, add, give_back, page_keys, page_of,
                          saved_pages, saved_pages_to_change, word)


def pages_to_keep(known):
    """Emulated faults are not kept; what was restored keeps its details."""
    key_of = page_keys(dimms())
    for row in bad_pages():
        key = key_of(row["dimm"])
        if row["origin"] != "emulated" and (page_of(row["address"]), key) not in known:
            # No word keeps the page, or others, from being kept.
            yield int(row["address"], 16), {**{name: word(row[name]) for name in DETAILS if name != "key"}, "key": key}


def save_bad_pages():
    """How many were added, and are stored then."""
    with saved_pages_to_change() as saved:
        pages = list(pages_to_keep(saved.known()))
        add(saved, pages)
    return len(pages), len(saved.pages)


def cmd_diag_save(args):
    need("memdiag")
    added, stored = save_bad_pages()
    if args.json:
        print_json({"added": added, "stored": stored})
    else:
        print(f"{added} added, {bad_page_count(stored)} stored in {STATE}")
    return 0


def retire_one(write_line, line):
    """"retired", "already", or why not."""
    try:
        write_line(line, {
            errno.EEXIST: "already",
            errno.ENXIO: "no memory at that address",
            errno.EBUSY: "in use by the kernel, or pinned: it cannot be "
                         "moved"})
    except Failure as failure:
        return str(failure)
    return "retired"


def restore_pages(pages, force, result):
    key_of, absent = page_keys(dimms()), left_out()
    with writer("memdiag/retire") as write_line:
        for address, details in pages:
            at = page_of(address)
            if any(start <= at < end for start, end in absent):
                result["left_out"] += 1
                continue
            if not force and details["key"] != key_of(details["dimm"]):
                result["skipped"] += 1
                continue
            answer = retire_one(write_line, f"{address:#x} restored")
            if answer in result:
                result[answer] += 1
            else:
                result["failed"][hex(address)] = answer


def cmd_diag_restore(args):
    result = {"retired": 0, "already": 0, "left_out": 0, "skipped": 0, "failed": {}}
    saved = saved_pages()
    if not saved.pages and not saved.damaged:
        return done(args, "nothing is stored") if not args.json else (
            print_json(result) or 0)
    need("memdiag")
    restore_pages(saved.pages, args.force, result)
    if args.json:
        print_json(result)
    else:
        print(f"retired {result['retired']}, retired already "
              f"{result['already']}, not applied {result['skipped']}")
        if result["left_out"]:
            print(f"{bad_page_count(result['left_out'])} left out of memory by memmap= on the kernel's command line")
        if result["skipped"]:
            print(f"memsuite: {bad_page_count(result['skipped'])} found in other DIMMs, or in another arrangement of "
                  "them, not applied: --force applies them, memsuite diag unretire forgets them", file=sys.stderr)
        for address, why in result["failed"].items():
            print(f"memsuite: {address}: {why}", file=sys.stderr)
    return 1 if result["failed"] or saved.damaged else 0


def cmd_diag_retire(args):
    need("memdiag")
    with writer("memdiag/retire") as write_line:
        for address in args.address:
            answer = retire_one(write_line, address)
            if answer != "retired":
                raise Failure(f"{address}: {answer}" if answer != "already" else
                              f"{address}: on the list already")
    return done(args, f"retired: {', '.join(args.address)}; to keep them so "
                      "after a reboot: memsuite diag save")


NOT_RETIRED, NO_MEMORY = "not retired", "no memory at that address"
UNRETIRE_ERRORS = {
    errno.ENOENT: NOT_RETIRED,
    errno.EPERM: "marked bad by the kernel or by another tool, not by memsuite",
    errno.EOPNOTSUPP: "the kernel gives no page back any more, for the "
                      "hardware reported a memory failure; reboot",
    errno.EBUSY: "somebody looks at the page just now; try again",
    errno.ENXIO: NO_MEMORY,
}


def cmd_diag_unretire(args):
    """Also forgets them for the next boot, those before one that fails as well, and those that are not retired now."""
    need("memdiag")
    given_back = []
    with saved_pages_to_change() as saved:
        stored = {page_of(address) for address, _ in saved.pages}
        try:
            with writer("memdiag/unretire") as write_line:
                for address in args.address:
                    try:
                        write_line(address, UNRETIRE_ERRORS)
                    except Failure as failure:
                        if str(failure) not in (NOT_RETIRED, NO_MEMORY) or page_of(address) not in stored:
                            raise Failure(f"{address}: {failure}") from None
                    given_back.append(address)
        finally:
            give_back(saved, given_back)
    return done(args, f"given back: {', '.join(args.address)}")
