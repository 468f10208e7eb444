# SPDX-License-Identifier: GPL-2.0-only
"""What in a kernel's log tells of a fault: one regular expression a line, in two files of policy.

A line that tests/vm/splats.deny matches is a fault, unless tests/vm/splats.allow matches it too.
A check that is not working must not look like a clean log: lists that are missing or empty are a failure.
"""
import re

from . import Failure, TOP

DENY = f"{TOP}/tests/vm/splats.deny"
ALLOW = f"{TOP}/tests/vm/splats.allow"
# Where memory runs out, the kernel tells first who asked for it: for which somebody is killed, or, if it is who was
# killed already, is refused.
OOM_REPORT = re.compile(r"(?:invoked oom-killer|page allocation failure):.*?(?:Mem-Info:|memory: usage)", re.DOTALL)
OOM_CALLER = re.compile(r"Call Trace:|Code:")


def _patterns(path):
    try:
        with open(path) as f:
            lines = [line.rstrip("\n") for line in f]
    except OSError as error:
        raise Failure(f"no list of splats: {error}")
    patterns = [line for line in lines if line and not line.startswith("#")]
    if not patterns:
        raise Failure(f"{path} lists nothing")
    try:
        return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
    except re.error as error:
        raise Failure(f"{path}: {error}")


def without_oom_callers(log):
    """The log without what reports of memory that ran out have in common with those of faults."""
    return OOM_REPORT.sub(lambda report: OOM_CALLER.sub("", report.group()), log)


def find(log, deny=DENY, allow=ALLOW):
    """The lines of a kernel's log that tell of a fault."""
    bad, fine = _patterns(deny), _patterns(allow)
    return [line for line in log.splitlines() if bad.search(line) and not fine.search(line)]
