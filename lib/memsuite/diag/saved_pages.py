# SPDX-License-Identifier: GPL-2.0-only
"""The file that keeps bad pages across reboots.

A line for each page, with what the kernel's table tells of it, and with what its DIMMs must be for it to be the same cells;
or a "-" and the address of a page that was given back. Lines are appended. What a crash leaves of the last one is cut off.
"""

import contextlib
import fcntl
import functools
import json
import mmap
import os
import re
import shutil
import sys
import tempfile

from .. import Failure
from .dimms import page_key
from .saved_pages_json import all_pages, readable_pages

STATE = os.environ.get("MEMSUITE_STATE", "/var/lib/memsuite/bad_pages.json")

# Columns of the kernel's table that are kept. The key is last, for it may have blanks.
KEPT = ("address", "mask", "element", "background", "time", "direction", "class", "dimm")
DETAILS = KEPT[1:] + ("key",)
HEADER = f"# memsuite bad pages, version 2: {' '.join(KEPT)} key"
GIVEN_BACK = "-"

ADDRESS = re.compile(r"0x[0-9a-f]{1,16}")
WORD = re.compile(r"[!-~]+")
DETAILS_LINE = re.compile(r"(?:[!-~]+ ){%d}[ -~]+" % len(KEPT[1:]))
# A line that a crash has torn is not longer.
LINE_MAX = 4096
# More lines than these mean nothing any more, and more than others: the file is written anew.
OBSOLETE_MAX = 1000


def page_of(address):
    return (address if isinstance(address, int) else int(address, 16)) & -mmap.PAGESIZE


def key_text(key):
    return json.dumps(key, sort_keys=True, separators=(",", ":"))


def page_keys(every):
    """A function from the column that names a page's DIMMs to its key. Few columns differ."""
    return functools.lru_cache(None)(lambda column: key_text(page_key(column, every)))


@functools.lru_cache(None)
def key_in(text):
    """As key_text() writes it; or None if it is none."""
    try:
        return key_text(json.loads(text))
    except (ValueError, RecursionError):
        return None


def details_in(text):
    """What a line has behind the address; or None if that cannot be read."""
    if not DETAILS_LINE.fullmatch(text):
        return None
    *words, key = text.split(" ", len(DETAILS) - 1)
    key = key_in(key)
    return key and dict(zip(DETAILS, (*words, key)))


def page_line(address, details):
    return " ".join((hex(address), *(details[name] for name in DETAILS)))


def word(value):
    """Of a line, or "-" for what cannot be one."""
    value = value.replace(" ", "_") if isinstance(value, str) else ""
    return value if WORD.fullmatch(value) else "-"


def page_of_entry(entry):
    """(address, details) of what version 1 has."""
    return int(entry["address"], 16), {**{name: word(entry.get(name)) for name in KEPT[1:]}, "key": key_text(entry["key"])}


class SavedPages:
    """What the file has.

    pages: (address, details); those that are alike have the same details. size: of the file, without what is torn.
    """

    def __init__(self):
        self.pages, self.size = [], 0
        self.anew = True            # what is added cannot be appended
        self.damaged = False        # something in it cannot be read
        self.unended = False        # the last line has no newline

    def known(self):
        """Pages with their keys."""
        return {(page_of(address), details["key"]) for address, details in self.pages}

    def read(self, data):
        text = data.decode("ascii", "replace")
        entries = all_pages(data.decode("utf-8", "replace")) if text.lstrip().startswith("{") else None
        if entries is not None:
            self.pages = list(map(page_of_entry, entries))
            return
        *lines, last = text.split("\n")
        self.size = len(data) - len(last)
        self.anew = False
        unread = self.read_lines(lines)
        if last:
            self.read_last(last, unread)
        if unread or text.split("\n", 1)[0] != HEADER:
            self.anew = self.damaged = True
            self.pages += map(page_of_entry, readable_pages("\n".join(unread)))

    def read_lines(self, lines):
        """Those that cannot be read. Much of a chip that died has the same details."""
        unread, details_of, given_back = [], {}, {}
        for line in lines:
            word, _, rest = line.partition(" ")
            details = details_of.get(rest)
            if details is None and rest:
                details = details_of[rest] = details_in(rest) or {}
            if details and ADDRESS.fullmatch(word):
                self.pages.append((int(word, 16), details))
            elif word == GIVEN_BACK and ADDRESS.fullmatch(rest):
                given_back[page_of(rest)] = len(self.pages)
            elif not line.startswith("#"):
                unread.append(line)
        if given_back:
            self.pages = [page for number, page in enumerate(self.pages)
                          if given_back.get(page_of(page[0]), 0) <= number]
            self.anew = len(lines) - len(self.pages) > max(OBSOLETE_MAX, len(self.pages))
        return unread

    def read_last(self, last, unread):
        """A line without its end is torn, but for a whole page; half an address is an address, too."""
        if not last.startswith(GIVEN_BACK) and not self.read_lines([last]):
            self.unended = True
            self.size += len(last)
        elif last.isprintable() and last.isascii() and len(last) < LINE_MAX:
            print(f"memsuite: {STATE}: the last line is torn, and is left out", file=sys.stderr)
        else:
            unread.append(last)


def saved_pages():
    """The pages; if the file is damaged, those that can be read: no page is given up for another one."""
    saved = SavedPages()
    try:
        with open(STATE, "rb") as file:
            saved.read(file.read())
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Failure(f"{STATE}: {error.strerror}") from None
    if saved.damaged:
        print(f"memsuite: {STATE}: damaged, or of another version; {len(saved.pages)} of its pages can be read",
              file=sys.stderr)
    return saved


@contextlib.contextmanager
def saved_pages_to_change():
    """The same, while nobody else changes the file."""
    directory = os.path.dirname(STATE) or "."
    try:
        os.makedirs(directory, exist_ok=True)
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Failure(f"{STATE}: {error.strerror}") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield saved_pages()
    finally:
        os.close(fd)


def directory_sync(directory):
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def set_aside():
    """A damaged list is kept, under a name that is free, for who wants to mend it."""
    number = 0
    while os.path.exists(name := f"{STATE}.damaged" + (f".{number}" if number else "")):
        number += 1
    # There is a list at any time.
    try:
        os.link(STATE, name)
    except OSError:
        shutil.copy2(STATE, name)
    print(f"memsuite: it is kept as {name}", file=sys.stderr)


def write_anew(saved):
    """In one piece, or not at all: power may fail."""
    directory = os.path.dirname(STATE) or "."
    name = None
    try:
        fd, name = tempfile.mkstemp(prefix=".bad_pages.", dir=directory)    # 0600: physical addresses
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write("\n".join((HEADER, *(page_line(*page) for page in saved.pages), "")))
            file.flush()
            os.fsync(fd)
        if saved.damaged:
            set_aside()
        os.rename(name, STATE)
        name = None
        directory_sync(directory)
    finally:
        if name:
            os.unlink(name)


def append(saved, lines):
    """All of them, or, where the disk is full, none."""
    text = ("\n" if saved.unended else "") + "".join(line + "\n" for line in lines)
    fd = os.open(STATE, os.O_WRONLY | os.O_APPEND)
    try:
        os.ftruncate(fd, saved.size)
        with open(fd, "wb", closefd=False) as file:
            file.write(text.encode("ascii"))
        os.fsync(fd)
    except OSError:
        os.ftruncate(fd, saved.size)
        raise
    finally:
        os.close(fd)


def change(saved, lines):
    try:
        # Nothing that is kept is no list: it would have memdiag loaded at each boot.
        if saved.anew and (saved.pages or os.path.exists(STATE)):
            write_anew(saved)
        elif lines:
            append(saved, lines)
    except OSError as error:
        raise Failure(f"{STATE}: {error.strerror}") from None


def add(saved, pages):
    saved.pages += pages
    change(saved, [page_line(*page) for page in pages])


def give_back(saved, addresses):
    gone = set(map(page_of, addresses)) & {page_of(address) for address, _ in saved.pages}
    saved.pages = [page for page in saved.pages if page_of(page[0]) not in gone]
    change(saved, [f"{GIVEN_BACK} {address:#x}" for address in sorted(gone)])
