# SPDX-License-Identifier: GPL-2.0-only
"""The command line of memsuite fleet."""

from ..arguments import duration_argument
from ..exit_status import BAD_MEMORY, FAILED, PARTIAL, UNTESTED
from .command import cmd_fleet_report
from .machine import cmd_fleet_tell


def add_commands(top):
    fleet = top.group("fleet", "many machines: what each tells of its memory, and a report of all", examples=(
        ("memsuite fleet tell", "on each machine, as root: keep the line in a file of one directory"),
        ("memsuite fleet report /srv/memsuite --machines hosts -o fleet.html",
         "of all files in that directory; a machine of the list hosts that has told nothing is named"),
        ("memsuite fleet report - --stale 2h", "of what several have told, one line after another")))
    fleet.add("tell", cmd_fleet_tell, "what this machine tells of its memory, as a line of JSON: DIMMs, bad pages, "
              "tests, and what doctor finds; no programs, no users; as root")
    command = fleet.add("report", cmd_fleet_report, "which DIMMs fail on which machines, and which kinds of DIMMs do; "
                        "which machines need care; the worst first",
                        exits={0: "all machines are well", FAILED: "it failed, or a machine is not as it should be",
                               BAD_MEMORY: "a machine has bad memory",
                               PARTIAL: "of a machine it is not known, or a file could not be read",
                               UNTESTED: "no machine has told anything"})
    command.add_argument("file", metavar="FILE", nargs="+", help="what fleet tell has printed, of one machine or "
                         "several; of a directory all files *.json and *.jsonl, also below; - is standard input")
    command.add_argument("--machines", metavar="FILE", help="names of machines that there are, one a line, as "
                         "hostname(1) tells them or as their files NAME.json are called: those that have told nothing "
                         "are named")
    command.add_argument("--stale", metavar="TIME", type=duration_argument, default=86400,
                         help="what was told longer ago says nothing of now: 90s, 30m, 4h, 2d (1d)")
    command.add_argument("--all", action="store_true", help="also machines that are well, and all of them")
    command.add_argument("-o", "--output", metavar="FILE",
                         help="also as a page of HTML; - is standard output, and then that alone")
