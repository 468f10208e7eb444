# SPDX-License-Identifier: GPL-2.0-only
"""The bank mapping of the DRAM, which memsuite-bankmap finds."""

import os
import signal
import subprocess
import sys

from .. import Failure
from ..output import print_json


def bank_tool():
    """Beside the command when installed, else where make -C tools/bankmap puts it."""
    here = os.path.dirname(os.path.realpath(sys.argv[0]))
    for path in (f"{here}/memsuite-bankmap", f"{here}/../out/bankmap/memsuite-bankmap"):
        if os.access(path, os.X_OK):
            return path
    raise Failure("memsuite-bankmap is not there; build it: make -C tools/bankmap")


def cmd_zone_banks(args):
    """What memsuite-bankmap says; with --json its map alone."""
    command = [bank_tool()] + [word for option in ("name", "mib", "svg", "import")
                               for value in [getattr(args, option)] if value
                               for word in (f"--{option}", str(value))]
    if args.anyway:
        command.append("--anyway")
    if not args.json:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)     # Python ignores it
        os.execv(command[0], command)
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if told.returncode:
        return told.returncode
    line = told.stdout.splitlines()[-1]
    print_json({"name": line.split()[0], "map": line.partition(" ")[2]})
    return 0
