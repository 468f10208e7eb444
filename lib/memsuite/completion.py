# SPDX-License-Identifier: GPL-2.0-only
"""What a shell completes a command line with, by argcomplete: completion/ has how it asks."""

import os

from . import Failure
from .proc import PROC
from .sysfs import entries, read

ASKED = "_ARGCOMPLETE" in os.environ


def regions():
    return entries("regions")


def pids():
    return [name for name in os.listdir(PROC) if name.isdigit()]


def lines_of(*path):
    try:
        return read(*path).split()
    except Failure:
        return []


def stores():
    """By sysfs: whoever completes need not be root."""
    found = []
    for block in os.listdir("/sys/block"):
        if os.path.isdir(f"/sys/block/{block}/vstore"):
            with open(f"/sys/block/{block}/dm/name", encoding="utf-8", errors="replace") as file:
                found.append(file.read().strip())
    return found


# By the command and what it calls an argument, or by that alone.
LISTS = {
    "PID": pids,
    "WHO": lambda: ["machine", "cgroup:/", *pids()],
    **dict.fromkeys(("zone add WHO", "zone remove WHO"), lambda: ["machine", "cgroup:/", "file:/", *pids()]),
    **dict.fromkeys(("zone where WHO", "zone move WHO"), lambda: ["file:/", *pids()]),
    "POLICY": regions,
    "--policy": regions,
    "REGION": regions,
    "zone undefine NAME": regions,
    "store close NAME": stores,
    "store status NAME": stores,
    "store watch NAME": stores,
    "diag set --algorithm": lambda: lines_of("memdiag", "available_algorithms"),
    "diag stress --algorithm": lambda: lines_of("memdiag", "available_algorithms"),
    "diag stress --policy": lambda: lines_of("memdiag", "control", "available_policies"),
}
FILES = ("FILE", "DISK", "PRAM", "RECORD", "COMMAND")


def list_for(command, action):
    """A function that tells what an argument may be; None where nobody knows, or files are meant."""
    if action.choices:
        return None
    for word in (*action.option_strings, action.metavar):
        for key in (f"{command} {word}", word):
            if key in LISTS:
                return LISTS[key]
    return None


def complete(parser, commands):
    """Answers the shell, and ends."""
    try:
        import argcomplete  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    for words, command in commands:
        for action in command._actions:  # pylint: disable=protected-access
            known = list_for(" ".join(words), action)
            if known or not action.choices and action.metavar not in FILES:
                action.completer = lambda known=known, **_: known() if known else []
    argcomplete.autocomplete(parser, default_completer=argcomplete.completers.FilesCompleter())
