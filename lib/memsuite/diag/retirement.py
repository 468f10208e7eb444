# SPDX-License-Identifier: GPL-2.0-only
"""Bad pages are withheld, also after a reboot, and given back."""

import errno
import json
import os
import sys

from .. import Failure
from ..output import bad_page_count, done, print_json
from ..sysfs import need, write
from .bad_pages import bad_pages
from .dimms import dimms, page_key
from .exclusion import left_out
from .saved_pages import KEPT, STATE, applies, load_store, page_of, save_store


def cmd_diag_save(args):
    """Emulated faults are not kept; what was restored keeps its details."""
    need("memdiag")
    every = dimms()
    store = load_store()
    known = {(page_of(p["address"]), json.dumps(p["key"], sort_keys=True))
             for p in store["pages"]}
    added = 0
    for row in bad_pages():
        key = page_key(row["dimm"], every)
        if row["origin"] == "emulated" or (
                page_of(row["address"]),
                json.dumps(key, sort_keys=True)) in known:
            continue
        store["pages"].append({**{name: row[name] for name in KEPT},
                               "key": key})
        added += 1
    if added or store.get("damaged") or not os.path.exists(STATE):
        save_store(store)
    if args.json:
        print_json({"added": added, "stored": len(store["pages"])})
    else:
        print(f"{added} added, {bad_page_count(len(store['pages']))} stored "
              f"in {STATE}")
    return 0


def retire_one(address, word=""):
    """"retired", "already", or why not."""
    try:
        write("memdiag/retire", f"{address}{word}", {
            errno.EEXIST: "already",
            errno.ENXIO: "no memory at that address",
            errno.EBUSY: "in use by the kernel, or pinned: it cannot be "
                         "moved"})
    except Failure as failure:
        return str(failure)
    return "retired"


def cmd_diag_restore(args):
    result = {"retired": 0, "already": 0, "left_out": 0, "skipped": 0, "failed": {}}
    store = load_store()
    damaged = store.get("damaged", False)
    if not store["pages"] and not damaged:
        return done(args, "nothing is stored") if not args.json else (
            print_json(result) or 0)
    need("memdiag")
    every, absent = dimms(), left_out()
    for page in store["pages"]:
        at = page_of(page["address"])
        if any(start <= at < end for start, end in absent):
            result["left_out"] += 1
            continue
        if not args.force and not applies(page, every):
            result["skipped"] += 1
            continue
        answer = retire_one(page["address"], " restored")
        if answer in result:
            result[answer] += 1
        else:
            result["failed"][page["address"]] = answer
    if args.json:
        print_json(result)
    else:
        print(f"retired {result['retired']}, retired already "
              f"{result['already']}, not applied {result['skipped']}")
        if result["left_out"]:
            print(f"{bad_page_count(result['left_out'])} left out of memory by memmap= on the kernel's command line")
        if result["skipped"]:
            print("those not applied were found in other DIMMs, or in another "
                  "arrangement of them; --force applies them")
        for address, why in result["failed"].items():
            print(f"memsuite: {address}: {why}", file=sys.stderr)
    return 1 if result["failed"] or damaged else 0


def cmd_diag_retire(args):
    need("memdiag")
    for address in args.address:
        answer = retire_one(address)
        if answer != "retired":
            raise Failure(f"{address}: {answer}" if answer != "already" else
                          f"{address}: on the list already")
    return done(args, f"retired: {', '.join(args.address)}; to keep them so "
                      "after a reboot: memsuite diag save")


UNRETIRE_ERRORS = {
    errno.ENOENT: "not retired",
    errno.EPERM: "marked bad by the kernel or by another tool, not by memsuite",
    errno.EOPNOTSUPP: "the kernel gives no page back any more, for the "
                      "hardware reported a memory failure; reboot",
    errno.EBUSY: "somebody looks at the page just now; try again",
    errno.ENXIO: "no memory at that address",
}


def cmd_diag_unretire(args):
    """Also forgets it for the next boot."""
    need("memdiag")
    store = load_store()
    for address in args.address:
        try:
            write("memdiag/unretire", address, UNRETIRE_ERRORS)
        except Failure as failure:
            raise Failure(f"{address}: {failure}") from None
        left = [p for p in store["pages"] if
                page_of(p["address"]) != page_of(address)]
        if left != store["pages"]:
            store["pages"] = left
            save_store(store)
    return done(args, f"given back: {', '.join(args.address)}")
