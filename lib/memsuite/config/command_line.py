# SPDX-License-Identifier: GPL-2.0-only
"""The command line of memsuite apply and dump."""

from ..exit_status import FAILED
from .apply import cmd_apply
from .dump import cmd_dump


def add_commands(top):
    command = top.add("apply", cmd_apply, "set what the files of /etc/memsuite/memsuite.conf.d say",
                      exits={FAILED: "something could not be set, or a file is wrong; the rest is set"})
    command.add_argument("file", metavar="FILE", nargs="*", help="these files; - is standard input")
    command.add_argument("--check", action="store_true", help="only tell what is wrong with the files")
    top.add("dump", cmd_dump, "what is set, as such a file")
