# SPDX-License-Identifier: GPL-2.0-only
"""What the files of the modules are, by Documentation/ABI/testing: in the sources, or where it is installed."""

import functools
import os
import re

SYSFS = "/sys/kernel/memsuite/"
LONGEST = 240       # characters of a text


def _directory():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, place) for place in ("../ABI", "../../Documentation/ABI/testing")]
    return next(filter(os.path.isdir, places), None)


def _sentences(text):
    """As many whole ones as there is room for, the first one anyway."""
    told = ""
    for sentence in re.split(r"(?<=[.;]) ", text):
        if told and len(told) + len(sentence) >= LONGEST:
            break
        told += f"{' ' if told else ''}{sentence}"
    return told.rstrip(";")


def parse(text):
    """{path below the suite's directory, * for each <name>: what it is} of one document."""
    found = {}
    for block in re.split(r"\n\n(?=What:)", text):
        described = re.search(r"^Description:\s+\((?:RO|RW|WO)(?:, root)?\)\s*(.*)", block, re.M | re.S)
        if described:
            told = _sentences(" ".join(described[1].split()))
            for path in re.findall(r"^What:\s+(\S+)$", block, re.M):
                if path.startswith(SYSFS):
                    found[re.sub(r"<[^>]*>", "*", path[len(SYSFS):])] = told
    return found


@functools.lru_cache(maxsize=None)
def descriptions():
    """Of all files; none where the documents are not installed."""
    found, directory = {}, _directory()
    for name in sorted(os.listdir(directory)) if directory else ():
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            found.update(parse(file.read()))
    return found
