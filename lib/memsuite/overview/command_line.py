# SPDX-License-Identifier: GPL-2.0-only
"""The command line of memsuite top and report."""

from ..arguments import number_argument
from ..command_line import GOES_ON
from .page import cmd_report
from .top import cmd_top


def add_commands(top):
    command = top.add("top", cmd_top, "what matters of all modules on one screen, again and again", exits=GOES_ON)
    command.add_argument("--once", action="store_true", help="print it once, as where there is no terminal")
    command.add_argument("--interval", metavar="S", type=number_argument(0.1, 3600, float), default=2.0,
                         help="how often (2)")
    command = top.add("report", cmd_report, "the same as one HTML file, with charts")
    command.add_argument("-o", "--output", metavar="FILE", default="memsuite.html",
                         help="(memsuite.html); - is standard output")
    command.add_argument("--record", metavar="FILE", action="append", default=[],
                         help="and charts of what mrc record has recorded")
