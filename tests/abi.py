#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare sysfs with its documentation, both ways; prints KTAP.

    tests/abi.py LISTING [DIRECTORY]

LISTING has a line "MODE PATH" for each file, as made on a machine with all
modules loaded by

    find /sys/kernel/memsuite -type f -exec stat -c '%a %n' {} +

DIRECTORY has the documentation: Documentation/ABI/testing. A file that is not
documented, an entry that no file belongs to, and a mode other than the one
that the description tells as (RO), (RW) or (WO) are failures; what only root
may read is (RO, root) or (RW, root). An entry that
ends with "/" is a directory's, and has no mode; entries of debugfs are left
out.
"""

import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENTS = os.path.join(TOP, "Documentation", "ABI", "testing")
ROOT = "/sys/kernel/memsuite/"
FIELDS = ("Date", "KernelVersion", "Contact", "Description")


def fields(entry):
    """(name, text) of each field; a text goes on in indented lines."""
    for match in re.finditer(r"^(\w+):\s*(.*(?:\n(?:[ \t].*)?)*)", entry,
                             re.MULTILINE):
        yield match.group(1), match.group(2).strip()


def entries(directory, root=ROOT):
    """{what: {field: text}} of all documents, for what lies below @root."""
    result = {}
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            text = file.read()
        for entry in re.split(r"\n\n(?=What:)", text):
            # Files that are alike share an entry, with a What: for each.
            rest = dict(fields(entry))
            result.update((what, rest) for name, what in fields(entry)
                          if name == "What" and what.startswith(root))
    return result


def pattern(what):
    """<name> stands for one directory or file."""
    text = "".join("[^/]+" if part.startswith("<") else re.escape(part)
                   for part in re.split(r"(<[^>]+>)", what))
    return re.compile(text + ".+" if what.endswith("/") else text)


def listing(path):
    """[(path, mode)]"""
    with open(path, encoding="utf-8") as file:
        lines = [line.split(None, 1) for line in file if line.strip()]
    return [(name.strip(), int(mode, 8)) for mode, name in lines]


def word(mode):
    text = {(True, False): "RO", (True, True): "RW", (False, True): "WO"}.get(
        (bool(mode & 0o444), bool(mode & 0o222)), "no access at all")
    return text + ", root" if mode & 0o444 and not mode & 0o044 else text


def documented_as(entry):
    match = re.match(r"\((RO|RW|WO|RO, root|RW, root)\)", entry.get("Description", ""))
    return match and match.group(1)


def troubles(entry, files):
    """What is wrong with an entry, given the files that belong to it."""
    for field in FIELDS:
        if not entry.get(field):
            yield f"no {field}:"
    if not files:
        yield "documented, but not there"


def mode_troubles(entry, files):
    """The same, of the modes of files."""
    expected = documented_as(entry)
    if not expected:
        yield "the description does not begin with (RO), (RW), (WO), (RO, root) or (RW, root)"
    for path, mode in files:
        if expected and word(mode) != expected:
            yield f"{path} is {word(mode)}, documented as {expected}"


def results(documents, live):
    """(name, troubles) of every check."""
    left = dict(live)
    for what, entry in documents.items():
        files = [f for f in live if pattern(what).fullmatch(f[0])]
        wrong = list(troubles(entry, files))
        if not what.endswith("/"):
            wrong += mode_troubles(entry, files)
            for path, _mode in files:
                left.pop(path, None)
        yield what, wrong
    for path in left:
        yield path, ["there, but not documented"]


def main(argv):
    if len(argv) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    documents = entries(argv[1] if len(argv) > 1 else DOCUMENTS)
    checks = list(results(documents, listing(argv[0])))
    print(f"KTAP version 1\n1..{len(checks)}")
    for number, (name, wrong) in enumerate(checks, 1):
        for text in wrong:
            print("#", text)
        print(f"{'not ok' if wrong else 'ok'} {number} {name}")
    return 1 if any(wrong for _name, wrong in checks) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
