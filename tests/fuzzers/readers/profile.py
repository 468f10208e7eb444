# SPDX-License-Identifier: GPL-2.0-only
"""Profiles of regions."""
import _reader

with _reader.imports():
    from memsuite.zone import regions


def one(data):
    _reader.file_write(data)
    _reader.refused(regions.read_profile, _reader.FILE)


_reader.run(one)
