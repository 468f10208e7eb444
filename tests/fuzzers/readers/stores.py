# SPDX-License-Identifier: GPL-2.0-only
"""The list of the stores that are opened at boot: no line keeps the others from it."""
import argparse

import _reader

with _reader.imports():
    from memsuite.store import devices
# As it is: what makes the parser is slow enough.
from memsuite import cli  # noqa: E402

devices.LIST = _reader.FILE
opened = []
devices.open_store = opened.append


def one(data):
    opened.clear()
    _reader.file_write(data + b"\nlast /dev/sdb /dev/pmem0\n")
    _reader.refused(devices.cmd_store_start, argparse.Namespace(parse=cli.parse, json=False))
    assert opened and opened[-1].disk == "/dev/sdb"


_reader.run(one)
