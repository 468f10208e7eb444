# SPDX-License-Identifier: GPL-2.0-only
"""What machines tell: reported in all forms, and a good machine beside it always is.

What begins with a zero says how the first seed is changed.
"""
import argparse
import contextlib
import io
import json

import _reader

with _reader.imports():
    from memsuite.fleet import command, machines, page, summary, text

WHOLE = json.loads(_reader.first_seed("fleet"))
GOOD = json.dumps({**WHOLE, "host": "good"}).encode()


def one(data):
    if data[:1] == b"\0":
        data = json.dumps(_reader.json_of(WHOLE, data[1:])).encode()
    _reader.file_write(data + b"\n" + GOOD + b"\n")
    fleet = command.read_fleet(argparse.Namespace(file=[_reader.FILE], machines=None, stale=60))
    told = summary.summary(fleet)
    assert "good" in {row["host"] for row in told["machines"]}, told
    json.loads(json.dumps(told, allow_nan=False))
    for everything in (False, True):
        assert all(line.isprintable() for line in text.lines(told, everything))
        page.page(told, everything)
    with contextlib.redirect_stderr(io.StringIO()):
        command.tell_refused(told["refused"])
    assert command.status_of(told) < 64 and set(told["states"]) == set(machines.STATES)


_reader.run(one)
