# SPDX-License-Identifier: GPL-2.0-only
"""Configuration files: sections and keys as systemd's have them (systemd.syntax(7)), each with its line.

configparser does not tell where a key stands, which is what an error has to say.
"""

import os
import re
import sys

from .. import Failure

DIRECTORY = os.environ.get("MEMSUITE_CONF", "/etc/memsuite/memsuite.conf.d")
SECTION = re.compile(r"\[([\w.-]+)(?:\s+(\S.*?))?\]")


class Section:
    """[KIND NAME], with {key: (value, where)}; one that comes again goes on, and the last value of a key counts."""

    def __init__(self, kind, name, where):
        self.kind, self.name, self.where, self.values = kind, name, where, {}

    def title(self):
        return f"[{self.kind} {self.name}]" if self.name else f"[{self.kind}]"


def files():
    """Those of the directory, in the order of their names."""
    try:
        names = sorted(name for name in os.listdir(DIRECTORY) if name.endswith(".conf"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Failure(f"{DIRECTORY}: {error.strerror}") from None
    return [os.path.join(DIRECTORY, name) for name in names]


def text_of(path):
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode(errors="surrogateescape")
        # The path of a cgroup may be any bytes.
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def read_into(sections, problems, path):
    """Adds what a file says to {(kind, name): Section}, and what is wrong with it to [(where, why)]."""
    section = None
    for number, line in enumerate(text_of(path).split("\n"), 1):
        line, where = line.strip(), f"{'standard input' if path == '-' else path}:{number}"
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            match = SECTION.fullmatch(line)
            if match:
                section = sections.setdefault(match.groups(), Section(*match.groups(), where))
            else:
                section = None
                problems.append((where, f"not [SECTION] or [SECTION NAME]: {line}"))
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not key or not value:
            problems.append((where, f"not KEY = VALUE: {line}"))
        elif section:
            section.values[key] = value, where
        elif not any(title.startswith("not [") for _, title in problems):
            problems.append((where, f"{key} is in no section"))


def read_files(paths):
    """One that cannot be read keeps no other from being."""
    sections, problems = {}, []
    for path in paths:
        try:
            read_into(sections, problems, path)
        except Failure as failure:
            problems.append((path, str(failure).removeprefix(f"{path}: ")))
    return list(sections.values()), problems
