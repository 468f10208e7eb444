# SPDX-License-Identifier: GPL-2.0-only
"""Documents of machines, from files, directories and standard input; what is none does not stop the rest."""

import json
import os
import stat
import sys

from .machine import FORMAT

LIMIT = 4 << 20             # bytes of a document; one with 500 groups of bad pages has 200,000
READ = 1 << 16              # of a line at once
NUMBER_LIMIT = 1 << 64
SCHEMA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "schema.json")
TYPES = {"array": {list}, "boolean": {bool}, "null": {type(None)}, "number": {int, float}, "object": {dict},
         "string": {str}}


class Refused(Exception):
    """Why something is not a document of a machine."""


class Shape:
    """What a part of schema.json says. Fields that it does not name are of a newer tool, and let be."""

    def __init__(self, schema, defs):
        if "$ref" in schema:
            schema = defs[schema["$ref"].rpartition("/")[2]]
        names = schema.get("type", ())
        self.names = [names] if isinstance(names, str) else names
        self.types = set().union(*(TYPES[name] for name in self.names))
        self.values, self.required = schema.get("enum"), schema.get("required", ())
        self.fields = {name: Shape(field, defs) for name, field in schema.get("properties", {}).items()}
        others, items = schema.get("additionalProperties"), schema.get("items")
        self.others = Shape(others, defs) if isinstance(others, dict) else None
        self.items = Shape(items, defs) if items else None

    def check(self, value, where="it"):
        kind = type(value)
        if self.types and kind not in self.types:
            raise Refused(f"{where} is no {' or '.join(self.names)}")
        if self.values and value not in self.values:
            raise Refused(f"{where} is not one of {', '.join(map(str, self.values))}")
        if kind is dict:
            self.check_fields(value, "" if where == "it" else f"{where}.")
        elif kind is list and self.items:
            for number, item in enumerate(value):
                self.items.check(item, f"{where}[{number}]")
        elif kind in (int, float) and not abs(value) <= NUMBER_LIMIT:       # not a number is none, either
            raise Refused(f"{where} is too large a number")

    def check_fields(self, value, where):
        for name in self.required:
            if name not in value:
                raise Refused(f"{where[:-1] or 'it'} has no {name}")
        for name, item in value.items():
            if shape := self.fields.get(name, self.others):
                shape.check(item, where + name)


def shape_of(name):
    with open(SCHEMA, encoding="utf-8") as file:
        defs = json.load(file)["$defs"]
    return Shape(defs[name], defs)


def pieces(file):
    """(number of its line, text) of each: a document begins with a line that begins with {, and not in blanks."""
    kept, size, first, number, begins = [], 0, 1, 0, True
    while line := file.readline(READ):
        number += begins
        if begins and line.startswith(b"{") and size:
            yield first, b"".join(kept), size
            kept, size, first = [], 0, number
        size += len(line)
        if size <= LIMIT:
            kept.append(line)
        begins = line.endswith(b"\n")
    if size:
        yield first, b"".join(kept), size


def parsed(text):
    """Of bytes."""
    try:
        text = text.decode("utf-8-sig")
        return json.loads(text)
    except UnicodeDecodeError:
        raise Refused("it is not UTF-8") from None
    except RecursionError:
        raise Refused("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
            raise Refused("it ends in the middle: it was cut off") from None
        raise Refused(f"it is not JSON: {error.msg}, line {error.lineno}, column {error.colno}") from None
    except ValueError:
        raise Refused("it has a number with too many digits") from None


def document(text, size, shape):
    if size > LIMIT:
        raise Refused(f"it is larger than {LIMIT >> 20} MiB")
    told = parsed(text)
    if isinstance(told, dict) and isinstance(told.get("error"), str):
        raise Refused(f"the machine could not tell: {told['error']}")
    if not isinstance(told, dict) or "memsuite_machine" not in told:
        raise Refused("it is not what memsuite fleet tell prints")
    if told["memsuite_machine"] != FORMAT or isinstance(told["memsuite_machine"], bool):
        raise Refused(f"it is of format {told['memsuite_machine']!r:.20}, and this tool knows {FORMAT}: take a newer "
                      "one")
    shape.check(told)
    return told


def files(paths):
    """(name, open file) of each, or (name, why it cannot be read)."""
    for path in paths:
        if path == "-":
            yield "standard input", sys.stdin.buffer
        elif os.path.isdir(path):
            found = False
            for place, directories, names in os.walk(path):
                directories.sort()
                for name in sorted(name for name in names if name.endswith((".json", ".jsonl"))):
                    found = True
                    yield opened(os.path.join(place, name), os.O_NONBLOCK)
            if not found:
                yield path, "no file *.json is in that directory"
        else:
            yield opened(path)


def opened(path, flags=0):
    """With O_NONBLOCK only what is a file: a pipe that somebody left in a directory would be waited for."""
    try:
        fd = os.open(path, os.O_RDONLY | flags)
    except OSError as error:
        return path, error.strerror
    if flags and not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return path, "it is no regular file"
    return path, os.fdopen(fd, "rb")


def documents(paths):
    """(where it is from, document, None), or (where, None, why it is refused)."""
    shape = shape_of("fleet tell")
    for name, file in files(paths):
        if isinstance(file, str):
            yield name, None, file
            continue
        empty = True
        with file:
            try:
                for line, text, size in pieces(file):
                    if not text.strip() and size <= LIMIT:
                        continue
                    empty = False
                    where = name if line == 1 else f"{name}, line {line}"
                    try:
                        yield where, document(text, size, shape), None
                    except Refused as refused:
                        yield where, None, str(refused)
            except OSError as error:
                yield name, None, error.strerror
        if empty:
            yield name, None, "it is empty"
