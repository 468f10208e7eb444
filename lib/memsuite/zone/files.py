# SPDX-License-Identifier: GPL-2.0-only
"""Policies of files."""

import contextlib
import os

from .. import Failure
from ..sysfs import entries, read
from .segments import areas


def is_file(who):
    return str(who).startswith("file:")


def identity(text):
    """((major, minor, inode number), whether it is all files) as the kernel tells them."""
    device, number, *everything = text.split()
    return (*map(int, device.split(":")), int(number)), bool(everything)


def is_current(who):
    """Whether the name of the policy of a file leads to what the policy is for; it may have been made anew."""
    try:
        status = os.stat(who[len("file:"):])
    except OSError:
        return False
    now = os.major(status.st_dev), os.minor(status.st_dev), status.st_ino
    return any(policy[0] == who and file[0] == now for file, policy in file_policies().items())


def file_policies():
    """{identity: (who, policy)}"""
    found = {}
    for directory in entries("vipzone", "policies"):
        with contextlib.suppress(Failure):      # they come and go
            who = read("vipzone", "policies", directory, "who")
            if is_file(who):
                found[identity(read("vipzone", "policies", directory, "file"))] = \
                    who, read("vipzone", "policies", directory, "policy")
    return found


def file_lines(pid):
    """Of what the process has mapped is under a policy of its own."""
    found, told = file_policies(), set()
    whole = {file[:2]: who for (file, everything), who in found.items() if everything}
    for area in areas(pid) if found else ():
        who = found.get((area.file, False)) or (whole.get(area.file[:2]) if area.is_file else None)
        if who and (area.name, who) not in told:
            told.add((area.name, who))
            yield f"{area.name}: by the policy of {who[0]}, {who[1]}"
