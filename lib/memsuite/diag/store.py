# SPDX-License-Identifier: GPL-2.0-only
"""The file that keeps bad pages across reboots."""

import json
import mmap
import os
import tempfile

from .. import Failure
from .dimms import page_key

STATE = os.environ.get("MEMSUITE_STATE", "/var/lib/memsuite/bad_pages.json")


def load_store():
    try:
        with open(STATE, encoding="utf-8") as file:
            store = json.load(file)
        pages = store["pages"]
        if store["version"] != 1 or not isinstance(pages, list):
            raise ValueError
        for page in pages:
            int(page["address"], 16)
    except FileNotFoundError:
        return {"version": 1, "pages": []}
    except (ValueError, KeyError, TypeError):
        raise Failure(f"{STATE}: not a list of bad pages of this version; "
                      "move it away to begin a new one") from None
    except OSError as error:
        raise Failure(f"{STATE}: {error.strerror}") from None
    return store


def save_store(store):
    """In one piece, or not at all: power may fail."""
    directory = os.path.dirname(STATE) or "."
    name = None
    try:
        os.makedirs(directory, exist_ok=True)
        fd, name = tempfile.mkstemp(prefix=".bad_pages.", dir=directory)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump(store, file, indent=2)
            file.write("\n")
            file.flush()
            os.fchmod(fd, 0o644)
            os.fsync(fd)
        os.rename(name, STATE)
        name = None
    except OSError as error:
        raise Failure(f"{STATE}: {error.strerror}") from None
    finally:
        if name:
            os.unlink(name)


def page_of(address):
    return int(address, 16) & -mmap.PAGESIZE


# Columns of the table that are kept.
KEPT = ("address", "mask", "element", "background", "time", "direction",
        "class", "dimm")


def applies(page, every):
    return page["key"] == page_key(page.get("dimm"), every)
