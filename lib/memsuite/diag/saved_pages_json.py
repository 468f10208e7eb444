# SPDX-License-Identifier: GPL-2.0-only
"""Version 1 of the file that keeps bad pages, which was one JSON object: reading it, also where it is torn."""

import json
import re

ADDRESS = re.compile(r"(0x)?[0-9a-fA-F]{1,16}")


def is_page(entry):
    try:
        return bool(ADDRESS.fullmatch(entry["address"])) and isinstance(entry["key"], (dict, list, str, type(None)))
    except (KeyError, TypeError):
        return False


def readable_pages(text):
    """Entries that can still be read in a list that is torn, or of another version."""
    pages, at = [], 0
    while (at := text.find("{", at)) >= 0:
        try:
            entry, end = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            entry, end = None, at + 1
        if is_page(entry):
            pages.append(entry)
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
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return store["pages"] if all(map(is_page, store["pages"])) else None
