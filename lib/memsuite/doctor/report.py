# SPDX-License-Identifier: GPL-2.0-only
"""All checks, one after another."""

from functools import reduce
from operator import or_

from .. import Failure
from ..exit_status import BAD_MEMORY, FAILED, NOT_LOADED, PARTIAL
from ..output import print_json
from ..sysfs import CORE, loaded
from . import installation, kernel, memory, stores
from .finding import UNKNOWN, WRONG, unknown

CHECKS = {
    "kernel": (kernel.series, kernel.is_there, kernel.missing, kernel.others, kernel.secure_boot, kernel.lockdown,
               kernel.debugfs, kernel.ftrace, kernel.hook_states, kernel.in_the_way),
    "installation": (installation.versions, installation.hook_files, installation.configuration, installation.units,
                     installation.at_boot),
    "memory": (memory.saved_list, memory.kept, memory.retired, memory.limit, memory.testers, memory.tests,
               memory.recovery, memory.lost),
    "stores": (stores.health,),
}


def findings():
    """(group, name of the check, finding); a check that fails does not keep others from being made."""
    for group, checks in CHECKS.items():
        for check in checks:
            name = check.__name__
            try:
                for finding in check():
                    yield group, name, finding
            except (Failure, OSError, ValueError) as error:
                yield group, name, unknown(f"{name.replace('_', ' ')}: {error}",
                                           "run as root; if that does not help, please report it")


def status_of(found):
    status = reduce(or_, (one.status for _, _, one in found), 0)
    states = {one.state for _, _, one in found}
    return status | (FAILED if WRONG in states else 0) | (PARTIAL if UNKNOWN in states else 0) | (
        0 if loaded(CORE) else NOT_LOADED)


def show(found, everything):
    group_before = None
    for group, _, one in found:
        if one.state == "ok" and not everything:
            continue
        if group != group_before:
            print(f"{group}:")
            group_before = group
        print(f"  {one.state:<8}{one.found}")
        if one.remedy:
            print(f"          -> {one.remedy}")
    counts = {state: sum(one.state == state for _, _, one in found) for state in ("ok", "note", "unknown", "wrong")}
    print(", ".join(f"{count} {state}" for state, count in counts.items() if count))


def cmd_doctor(args):
    found = list(findings())
    if args.json:
        print_json([{"group": group, "check": name, "state": one.state, "found": one.found, "remedy": one.remedy}
                    for group, name, one in found])
    else:
        show(found, not args.quiet)
    return status_of(found)


def add_commands(top):
    command = top.add("doctor", cmd_doctor, "check everything that may be wrong, and say what to do about it",
                      exits={0: "nothing is wrong; there may be notes", FAILED: "something is wrong",
                             BAD_MEMORY: "bad memory is in use", PARTIAL: "something could not be checked",
                             NOT_LOADED: "the core is not loaded"})
    command.add_argument("-q", "--quiet", action="store_true", help="only what is not ok")
