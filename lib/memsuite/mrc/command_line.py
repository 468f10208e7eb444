# SPDX-License-Identifier: GPL-2.0-only
"""The command line of memsuite mrc."""

from ..arguments import amount_argument, number_argument, pid_argument, tracked_argument
from ..command_line import GOES_ON, picture_arguments
from ..exit_status import UNTESTED
from .curves import cmd_mrc_show
from .division import cmd_mrc_enforce, cmd_mrc_plan, cmd_mrc_share
from .limits import cmd_mrc_limit
from .record import cmd_mrc_record
from .regions import cmd_mrc_regions
from .report import REPORTS, cmd_mrc_report
from .targets import cmd_mrc_accesses, cmd_mrc_add, cmd_mrc_list, cmd_mrc_remove
from .top import SORTS, cmd_mrc_top
from .trace import FORMATS, cmd_mrc_export


def add_commands(top):
    mrc = top.group("mrc", "miss ratio curves: mrc", "mrc", (
        ("memsuite mrc add 4711 --children", "track a process, and all that it forks"),
        ("memsuite mrc show 4711 --svg curve.svg", "draw its curve"),
        ("memsuite mrc plan --total 4G", "what each would get of so much memory, and miss then")))
    who_help = "a PID, cgroup:PATH, above:SIZE (all processes with so much memory) or machine"
    mrc.add("list", cmd_mrc_list, "what is tracked")
    command = mrc.add("add", cmd_mrc_add, "track a process, or several")
    command.add_argument("who", metavar="WHO", type=tracked_argument, help=who_help)
    command.add_argument("--children", action="store_true", help="and all that it forks")
    command.add_argument("--later", action="store_true", help="the cgroup need not be there yet")
    command = mrc.add("remove", cmd_mrc_remove, "track it no more")
    command.add_argument("who", metavar="WHO", type=tracked_argument, help=who_help)
    command = mrc.add("accesses", cmd_mrc_accesses, "say how many accesses a target makes, for its miss ratios")
    command.add_argument("who", metavar="WHO", type=tracked_argument, help=who_help)
    command.add_argument("number", metavar="PER_SECOND", type=number_argument(0, 10**12), help="0: not known")
    command = mrc.add("show", cmd_mrc_show, "draw the curve of a target, or of a tracked process")
    command.add_argument("who", metavar="WHO", type=tracked_argument, help=who_help)
    picture_arguments(command)
    command = mrc.add("top", cmd_mrc_top, "targets and tracked processes, over and over",
                      exits=GOES_ON)
    command.add_argument("--sort", choices=sorted(SORTS), default="wss", help="by this (wss)")
    command.add_argument("--interval", metavar="S", type=number_argument(0.1, 3600, float), default=2.0,
                         help="how often at least (2)")
    command.add_argument("--times", metavar="N", type=number_argument(0, 10**6), default=0, help="so often (0: on and on)")
    command = mrc.add("record", cmd_mrc_record, "record targets over time",
                      exits={0: "recorded, to the end or until a signal", UNTESTED: "nothing was recorded"})
    command.add_argument("who", metavar="WHO", type=tracked_argument, nargs="*",
                         help=f"{who_help}; those not tracked are while it lasts. All targets by default")
    command.add_argument("-o", "--output", metavar="FILE", default="mrc.record", help="(mrc.record)")
    command.add_argument("--seconds", metavar="S", type=number_argument(0.1, 10**7, float), default=60.0,
                         help="how long (60); Ctrl-C ends it, too")
    command.add_argument("--interval", metavar="S", type=number_argument(0.1, 3600, float), default=1.0,
                         help="how often to look for a new ladder (1)")
    command = mrc.add("report", cmd_mrc_report, "draw a record: the curve, working sets over time, or touched addresses")
    command.add_argument("kind", choices=list(REPORTS))
    command.add_argument("record", metavar="FILE", nargs="?", default="mrc.record")
    command.add_argument("--target", metavar="WHO", type=tracked_argument, help="of those in it (the first)")
    picture_arguments(command)
    command = mrc.add("export", cmd_mrc_export, "a record as a trace for libCacheSim")
    command.add_argument("record", metavar="FILE", nargs="?", default="mrc.record")
    command.add_argument("--target", metavar="WHO", type=tracked_argument, help="of those in it (the first)")
    command.add_argument("--format", choices=list(FORMATS), default="oracleGeneral", help="trace type (oracleGeneral)")
    command.add_argument("-o", "--output", metavar="FILE", required=True)
    command = mrc.add("regions", cmd_mrc_regions, "which memory could be powered down, and which has to be awake")
    command.add_argument("pids", metavar="PID", nargs="*", type=pid_argument, help="all that are tracked if none is named")
    command.add_argument("--loss", type=number_argument(0, 100), default=5, metavar="PERCENT",
                         help="touches that may miss beyond those that do with all memory (5)")
    command.add_argument("--offline", type=number_argument(0, 1 << 20), default=0, metavar="COUNT",
                         help="take so many idle blocks of ZONE_MOVABLE offline; online again by writing online to "
                              "/sys/devices/system/memory/memoryN/state")
    command = mrc.add("plan", cmd_mrc_plan, "what each process would get of the memory, and miss then")
    command.add_argument("--total", metavar="SIZE", type=amount_argument, default=0,
                         help="memory to divide: bytes; K, M, G, T (what they have and what is available)")
    command.add_argument("pid", metavar="PID", type=pid_argument, nargs="*", help="only among these (all)")
    command = mrc.add("share", cmd_mrc_share, "set what a process, or several, weigh in the division, and get at least")
    command.add_argument("who", metavar="WHO", type=tracked_argument, help=who_help)
    command.add_argument("--weight", metavar="N", type=number_argument(1, 1000),
                         help="so many times what it gains counts (as before; 1 at first)")
    command.add_argument("--min", metavar="SIZE", type=amount_argument, help="bytes; K, M, G, T (as before; 1M at first)")
    command = mrc.add("enforce", cmd_mrc_enforce, "give each process its share: whoever has more replaces pages of its own")
    command.add_argument("--off", action="store_true", help="no more")
    for name, what in (("total", "memory for all of them, and no more; 0: what there is"),
                       ("reserve", "memory that is to stay available; 0: some, while memory is short")):
        command.add_argument(f"--{name}", metavar="SIZE", type=amount_argument, help=f"{what}; bytes; K, M, G, T; stays set")
    command.add_argument("--utility", choices=("ratio", "misses", "time"),
                         help="what is gained: hits among touches, misses a second, or time; stays set")
    command.add_argument("--miss-us", metavar="N", type=number_argument(1, 1000000),
                         help="how long a miss takes, for --utility time; stays set")
    command.add_argument("--pressure-pct", metavar="N", type=number_argument(1, 100),
                         help="with --total, shares are lifted while programs wait so much of the time; stays set")
    command = mrc.add("limit", cmd_mrc_limit, "give each cgroup that is tracked its share as memory.high, until Ctrl-C",
                      exits=GOES_ON)
    command.add_argument("--total", metavar="SIZE", type=amount_argument, default=0,
                         help="memory to divide: bytes; K, M, G, T (division/total_kib, or what there is)")
    command.add_argument("--interval", metavar="S", type=number_argument(0.1, 3600, float), default=2.0,
                         help="how often it is divided anew (2)")
