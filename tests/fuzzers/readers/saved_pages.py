# SPDX-License-Identifier: GPL-2.0-only
"""The file that keeps bad pages: read, shown in all forms, and written; then it is as it was.

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
WHOLE = json.loads(_reader.first_seed("saved_pages"))


def show():
    every = argparse.Namespace(json=False, format=None, ranges=exclusion.RANGES)
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
        store = saved_pages.load_store()
        saved_pages.save_store(store)
        again = saved_pages.load_store()
    assert again["pages"] == store["pages"] and "damaged" not in again
    assert not store.get("damaged") or glob.glob(_reader.FILE + ".damaged*")


_reader.run(one)
