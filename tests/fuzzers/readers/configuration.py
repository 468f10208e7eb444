# SPDX-License-Identifier: GPL-2.0-only
"""Files of configuration: what is wrong is told by its line, and what is right is right again as it would be written."""
import _reader

with _reader.imports():
    from memsuite.config import apply, schema


def one(data):
    _reader.file_write(data)
    if _reader.refused(read):
        raise AssertionError("a file that can be read is never refused as a whole")


def read():
    sections, problems = apply.checked([_reader.FILE])
    for where, why in problems:
        path, _, line = where.rpartition(":")
        assert path == _reader.FILE and int(line) > 0 and why, where
    for section in sections:
        for key, (value, where) in section.values.items():
            if section.kind != schema.PROFILES:
                assert schema.keys_of(section)[key](value) == value, (where, key, value)
        assert section.kind in schema.KINDS


_reader.run(one)
