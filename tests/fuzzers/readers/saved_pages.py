# SPDX-License-Identifier: GPL-2.0-only
"""The file that keeps bad pages: read, shown in all forms, and a page is added and given back; then it is as it was.

What begins with a zero says how the first seed is changed.
"""
import argparse
import contextlib
import glob
import io
import json
import os

import _reader

with _reader.imports():
    from memsuite.diag import bad_pages, dimms, exclusion, saved_pages

dimms.machine_key = lambda: "unknown"
PAGE = 0x7654008, {**dict.fromkeys(saved_pages.DETAILS, "-"), "key": "null"}
WHOLE = json.loads(_reader.first_seed("saved_pages"))


def show():
    every = argparse.Namespace(json=False, all=False, groups=False, format=None, ranges=exclusion.RANGES)
    for every.groups in (False, True):
        bad_pages.cmd_diag_bad(every)
    for every.format in ("json", "memmap", "grub", "systemd-boot", "badram"):
        with contextlib.redirect_stderr(io.StringIO()):
            bad_pages.cmd_diag_export(every)


def one(data):
    for path in glob.glob(_reader.FILE + "*"):
        os.unlink(path)
    _reader.file_write(json.dumps(_reader.json_of(WHOLE, data[1:])).encode() if data[:1] == b"\0" else data)
    if _reader.refused(show):
        raise AssertionError("no list of bad pages keeps the others from being shown")
    with contextlib.redirect_stderr(io.StringIO()):
        with saved_pages.saved_pages_to_change() as saved:
            saved_pages.add(saved, [PAGE])
        again = saved_pages.saved_pages()
        assert again.pages == saved.pages and not again.damaged and not again.unended
        assert not saved.damaged or glob.glob(_reader.FILE + ".damaged*")
        with saved_pages.saved_pages_to_change() as again:
            saved_pages.give_back(again, [PAGE[0]])
        last = saved_pages.saved_pages().pages
        assert last == [page for page in saved.pages if saved_pages.page_of(page[0]) != saved_pages.page_of(PAGE[0])]


_reader.run(one)
