# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of what is in no file of the suite's sysfs: the saved list of bad pages, and stores."""

import functools
import time

from . import Failure
from .diag.keeping import keeping
from .doctor.stores import high_watermark_pct
from .output import print_once
from .proc import proc_text
from .store.devices import COUNTERS, stores

# How old what is told of the saved list may be: with 100,000 pages it takes a second to read.
KEEPING_S = 30

KEEPING = (
    ("unsaved", "memsuite_bad_pages_unsaved", "Bad pages that are not in the saved list, a minute after they were "
     "found: they will be in use after a reboot."),
    ("unrestored", "memsuite_bad_pages_unrestored",
     "Bad pages of the saved list that are in use again since the reboot."),
)

# {field of a store's status: (metric, what it is)}. The counters' names end with _total.
STORE = {
    "pages": ("pages", "Pages of the store's PRAM."),
    "free": ("free_pages", "Pages of PRAM that hold nothing."),
    "lent": ("lent_pages", "Pages of PRAM that are lent to memory."),
    "dirty": ("dirty_pages", "Pages of PRAM whose blocks are not on the disk yet."),
    "clean": ("clean_pages", "Pages of PRAM whose blocks are on the disk, too."),
    "bad_pages": ("bad_pages", "Pages of PRAM that cannot be read."),
    "bad_blocks": ("bad_blocks", "Blocks that were lost with bad pages."),
    "read_pram": ("pram_reads", "Reads that PRAM answered."),
    "read_volatile": ("volatile_reads", "Reads that the volatile cache answered."),
    "read_disk": ("disk_reads", "Reads that the disk answered."),
    "write_pram": ("pram_writes", "Writes that went to PRAM."),
    "write_disk": ("disk_writes", "Writes that went to the disk."),
    "write_full": ("full_writes", "Small writes for which PRAM had no page."),
    "moved": ("moved_pages", "Pages that write-back has moved to the disk."),
    "errors": ("errors", "Requests that failed."),
}


@functools.lru_cache(maxsize=1)
def keeping_at(_interval):
    return keeping()


def keeping_metrics():
    told = keeping_at(time.monotonic() // KEEPING_S)
    if told is None:        # it is not for the reader to know
        return
    for key, name, text in KEEPING:
        yield name, "gauge", text, {}, len(told[key])
    yield ("memsuite_bad_page_list_faulty", "gauge", "1: the saved list of bad pages is damaged, or it or the kernel's "
           "cannot be read; memsuite doctor says more.", {}, int(told["error"] is not None))


def store_metrics():
    if "dm_vstore " not in proc_text("modules"):
        return
    try:
        found = stores(None)
    except Failure as failure:
        print_once(f"memsuite: {failure}")
        return
    for name, store in found.items():
        labels = {"store": name}
        for field, (metric, text) in STORE.items():
            if field in store:
                counts = field in COUNTERS
                yield (f"memsuite_store_{metric}" + ("_total" if counts else ""), "counter" if counts else "gauge",
                       text, labels, store[field])
        yield ("memsuite_store_high_watermark_ratio", "gauge", "If more of PRAM is dirty, pages are moved to the disk.",
               labels, high_watermark_pct(name) / 100)


def machine_metrics():
    """(name, type, help, labels, value)"""
    yield from keeping_metrics()
    yield from store_metrics()
