# SPDX-License-Identifier: GPL-2.0-only
"""Whether the bad pages that are known will be withheld after a reboot as well, and those of before are now."""

import time

from .. import Failure
from ..sysfs import BAD_PAGES
from .bad_pages import all_bad_pages
from .exclusion import left_out
from .saved_pages import STATE, page_of, saved_pages

# udev has them saved within a second or two.
GRACE_S = 60


def is_saved_soon(row):
    try:
        return int(row["time"]) > time.time() - GRACE_S
    except ValueError:
        return False


def may_read(path):
    """What counts is what open() says: access() knows nothing of a service's capabilities."""
    try:
        with open(path, "rb"):
            return True
    except FileNotFoundError:
        return True
    except PermissionError:
        return False


def keeping():
    """{"unsaved", "unrestored", "elsewhere": addresses, "error": why they cannot be told}; None for who may not know."""
    if not all(map(may_read, (STATE, BAD_PAGES))):
        return None
    try:
        rows, saved = all_bad_pages(), saved_pages()
    except Failure as failure:
        return {"unsaved": [], "unrestored": [], "elsewhere": [], "error": str(failure)}
    absent = left_out()
    unrestored = [row["address"] for row in rows if row["origin"] == "stored" and not any(
        start <= page_of(row["address"]) < end for start, end in absent)]
    unsaved = [row["address"] for row in rows
               if not row["stored"] and row["origin"] not in ("emulated", "stored") and not is_saved_soon(row)]
    # Those stored that belong to the DIMMs here are among the rows.
    here = {page_of(row["address"]) for row in rows}
    return {"unsaved": unsaved, "unrestored": unrestored,
            "elsewhere": [hex(address) for address, _ in saved.pages if page_of(address) not in here],
            "error": "the saved list is damaged" if saved.damaged else None}


def keeping_trouble():
    """For "memsuite status"; None if all is well."""
    told = keeping()
    if not told:
        return None
    if told["error"]:
        return f"bad pages cannot be read: {told['error']}; see memsuite doctor"
    for name, what in (("unsaved", "not saved, see memsuite diag save"),
                       ("unrestored", "not retired since the reboot, see memsuite diag restore"),
                       ("elsewhere", "not applied, for DIMMs were changed, see memsuite doctor")):
        if told[name]:
            return f"bad pages {what}: {len(told[name])}"
    return None
