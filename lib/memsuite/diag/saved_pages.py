# SPDX-License-Identifier: GPL-2.0-only
"""The file that keeps bad pages across reboots."""

import json
import mmap
import os
import re
import sys
import tempfile

from .. import Failure
from .dimms import page_key

STATE = os.environ.get("MEMSUITE_STATE", "/var/lib/memsuite/bad_pages.json")


ADDRESS = re.compile(r"(0x)?[0-9a-fA-F]{1,16}")


def page_in(entry):
    """The page that an entry of the list is, with those of its details that can be shown; or None if it is none."""
    try:
        if not ADDRESS.fullmatch(entry["address"]) or not isinstance(entry["key"], (dict, list, str, type(None))):
            return None
    except (KeyError, TypeError):
        return None
    return {name: value for name, value in entry.items()
            if name == "key" or (isinstance(value, str) and value.isprintable())}


def readable_pages(text):
    """The pages that can still be read in a list that is torn, or of another version."""
    pages, at = [], 0
    while (at := text.find("{", at)) >= 0:
        try:
            entry, end = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            entry, end = None, at + 1
        page = page_in(entry)
        if page:
            pages.append(page)
        else:
            end = at + 1
        at = end
    return pages


def all_pages(text):
    """Those of a list that is as it should be; or None."""
    try:
        store = json.loads(text)
        if store["version"] != 1 or not isinstance(store["pages"], list):
            return None
        pages = list(map(page_in, store["pages"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return pages if all(pages) else None


def load_store():
    """The list; if it is damaged, what can be read of it: no page is given up for another one."""
    try:
        with open(STATE, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return {"version": 1, "pages": []}
    except OSError as error:
        raise Failure(f"{STATE}: {error.strerror}") from None
    pages = all_pages(text)
    if pages is not None:
        return {"version": 1, "pages": pages}
    pages = readable_pages(text)
    print(f"memsuite: {STATE}: damaged, or of another version; {len(pages)} of its pages can be read",
          file=sys.stderr)
    return {"version": 1, "pages": pages, "damaged": True}


def set_aside():
    """A damaged list is kept, under a name that is free, for who wants to mend it."""
    number = 0
    while os.path.exists(name := f"{STATE}.damaged" + (f".{number}" if number else "")):
        number += 1
    os.rename(STATE, name)
    print(f"memsuite: it is kept as {name}", file=sys.stderr)


def save_store(store):
    """In one piece, or not at all: power may fail."""
    directory = os.path.dirname(STATE) or "."
    name = None
    try:
        os.makedirs(directory, exist_ok=True)
        fd, name = tempfile.mkstemp(prefix=".bad_pages.", dir=directory)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump({name: store[name] for name in ("version", "pages")}, file, indent=2)
            file.write("\n")
            file.flush()
            os.fchmod(fd, 0o600)  # physical addresses
            os.fsync(fd)
        if store.get("damaged"):
            set_aside()
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
