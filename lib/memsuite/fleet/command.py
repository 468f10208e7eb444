# SPDX-License-Identifier: GPL-2.0-only
"""memsuite fleet report."""

import sys
import time

from .. import Failure
from ..exit_status import BAD_MEMORY, FAILED, PARTIAL, UNTESTED
from ..output import for_root, print_json, save
from .machines import FAILING, IN_USE, SILENT, WRONG, clean
from .page import page
from .reading import documents
from .summary import Fleet, summary
from .text import lines

TOLD = 20           # files that are named on standard error


def hosts_of(path):
    """A name a line; what follows # is a comment."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return [host for line in file if (host := line.partition("#")[0].strip())]
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def tell_refused(refused):
    for row in refused[:TOLD]:
        print(f"memsuite: {row['file']}: {row['why']}", file=sys.stderr)
    if refused[TOLD:]:
        print(f"memsuite: and {len(refused[TOLD:]):,} more were not read: --json names them", file=sys.stderr)


def status_of(told):
    states = told["states"]
    return ((BAD_MEMORY if states[IN_USE] or states[FAILING] else 0) | (FAILED if states[WRONG] else 0)
            | (PARTIAL if states[SILENT] or told["refused"] else 0) | (0 if sum(states.values()) else UNTESTED))


def read_fleet(args):
    fleet = Fleet(time.time(), args.stale)
    for source, told, why in documents(args.file):
        if told:
            fleet.add(clean(source), told)
        else:
            fleet.refuse(clean(source), clean(why))
    fleet.expect(hosts_of(args.machines) if args.machines else ())
    return fleet


def cmd_fleet_report(args):
    told = summary(read_fleet(args))
    tell_refused(told["refused"])
    if args.output:
        save(args.output, page(told, args.all).encode("utf-8", "backslashreplace").decode(), for_root)
    if args.output == "-":
        return status_of(told)
    if args.json:
        print_json(told)
    else:
        print("\n".join(lines(told, args.all)))
    return status_of(told)
