# SPDX-License-Identifier: GPL-2.0-only
"""What a check finds, and the machine that it looks at."""

import os
import subprocess
from collections import namedtuple

OK, NOTE, UNKNOWN, WRONG = "ok", "note", "unknown", "wrong"

# @state: one of the above; @remedy: what to do, or None; @status: added to the exit status.
Finding = namedtuple("Finding", "state found remedy status", defaults=(None, 0))

ROOT = os.environ.get("MEMSUITE_ROOT", "")      # for tests


def ok(found):
    return Finding(OK, found)


def note(found, remedy=None):
    """Nothing is wrong, but who looks for a reason should know."""
    return Finding(NOTE, found, remedy)


def unknown(found, remedy="run as root"):
    return Finding(UNKNOWN, found, remedy)


def wrong(found, remedy, status=0):
    return Finding(WRONG, found, remedy, status)


def rooted(path):
    return ROOT + path


def text_of(path):
    """What a file of the machine says; None if it is not there. PermissionError is who calls' business."""
    try:
        with open(rooted(path), encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except PermissionError:
        raise
    except OSError:
        return None


def names_in(path):
    try:
        return sorted(os.listdir(rooted(path)))
    except OSError:
        return []


def told_by(*command):
    """What a command prints; None if it is not there, or fails."""
    try:
        told = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return None
    return told.stdout.decode(errors="replace").strip() if not told.returncode else None
