# SPDX-License-Identifier: GPL-2.0-only
"""Policies of files."""

import contextlib
import os
import stat

from .. import Failure
from ..sysfs import entries, read
from .segments import areas


def is_file(who):
    return str(who).startswith("file:")


def identity(path):
    """(major, minor, inode number) as maps have it; of a directory 0, for all that there is."""
    status = os.stat(path)
    return os.major(status.st_dev), os.minor(status.st_dev), 0 if stat.S_ISDIR(status.st_mode) else status.st_ino


def file_policies():
    """{identity: (who, policy)}"""
    found = {}
    for directory in entries("vipzone", "policies"):
        with contextlib.suppress(Failure, OSError):      # both come and go
            who = read("vipzone", "policies", directory, "who")
            if is_file(who):
                found[identity(who[len("file:"):])] = who, read("vipzone", "policies", directory, "policy")
    return found


def file_lines(pid):
    """Of what the process has mapped is under a policy of its own."""
    found, told = file_policies(), set()
    for area in areas(pid) if found else ():
        who = found.get(area.file) or (found.get((*area.file[:2], 0)) if area.is_file else None)
        if who and (area.name, who) not in told:
            told.add((area.name, who))
            yield f"{area.name}: by the policy of {who[0]}, {who[1]}"
