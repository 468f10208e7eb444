# SPDX-License-Identifier: GPL-2.0-only
"""memsuite - see and control the memsuite kernel modules.

Everything is read from and written to /sys/kernel/memsuite, and tables come
from /sys/kernel/debug/memsuite; MEMSUITE_SYSFS and MEMSUITE_DEBUGFS name other
places, for tests; MEMSUITE_STATE another file than
/var/lib/memsuite/bad_pages.json, MEMSUITE_DMI another DMI table, and
MEMSUITE_PROC, MEMSUITE_POWERCAP and MEMSUITE_NODES other places than /proc,
/sys/class/powercap and /sys/devices/system/node.

"""

import argparse
import os
import sys

from . import Failure, completion
from .arguments import (
    address_argument, amount_argument, duration_argument, listen_argument, number_argument, pid_argument, policy_word,
    range_argument, setting_argument, tracked_argument, who_argument, word_argument)
from .bench.command import cmd_bench
from .burn_in.command import cmd_diag_burn_in
from .config.apply import cmd_apply
from .config.dump import cmd_dump
from .diag.bad_pages import cmd_diag_bad, cmd_diag_export, cmd_diag_list
from .diag.dimm_errors import cmd_diag_dimms
from .diag.exclusion import RANGES
from .diag.faults import cmd_diag_inject
from .diag.notify import PROGRAMS, cmd_diag_notify
from .diag.plan import cmd_diag_plan
from .diag.ranges import cmd_diag_test
from .diag.retirement import cmd_diag_restore, cmd_diag_retire, cmd_diag_save, cmd_diag_unretire
from .diag.status import cmd_diag_set, cmd_diag_status
from .doctor.report import cmd_doctor
from .ending import Ended, until_ended
from .exporter import DEFAULT_ADDRESS, cmd_exporter
from .exit_status import (
    BAD_MEMORY, CANCELLED, COMMON, FAILED, MEANINGS, NOT_EXECUTABLE, NOT_LOADED, NOT_FOUND, PARTIAL, UNTESTED, help_text)
from .fleet.command import cmd_fleet_report
from .fleet.machine import cmd_fleet_tell
from .log import log_errors
from .metrics import cmd_export
from .modules import cmd_disable, cmd_enable, cmd_status
from .mrc.curves import cmd_mrc_show
from .mrc.division import cmd_mrc_enforce, cmd_mrc_plan, cmd_mrc_share
from .mrc.limits import cmd_mrc_limit
from .mrc.record import cmd_mrc_record
from .mrc.regions import cmd_mrc_regions
from .mrc.report import REPORTS, cmd_mrc_report
from .mrc.targets import cmd_mrc_accesses, cmd_mrc_add, cmd_mrc_list, cmd_mrc_remove
from .mrc.top import SORTS, cmd_mrc_top
from .mrc.trace import FORMATS, cmd_mrc_export
from .output import print_json
from .overview.page import cmd_report
from .overview.top import cmd_top
from .store.devices import cmd_store_close, cmd_store_create, cmd_store_open, cmd_store_start, cmd_store_status, cmd_store_watch
from .stress.counters import SAMPLE_S
from .stress.demand import PROFILES
from .stress.trial import cmd_diag_stress
from .sysfs import SYSFS
from .version import VERSION
from .zone.banks import cmd_zone_banks
from .zone.ledger import cmd_zone_energy
from .zone.measure import cmd_zone_measure
from .zone.moves import cmd_zone_move
from .zone.policies import (
    POLICY_OPTIONS, cmd_zone_add, cmd_zone_policies, cmd_zone_ps, cmd_zone_remove, cmd_zone_run)
from .zone.regions import cmd_zone_define, cmd_zone_list, cmd_zone_profile, cmd_zone_undefine
from .zone.residency import cmd_zone_where


def add_json(command):
    """Before a subcommand and after it, it is the same."""
    command.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print the result as JSON, "
                         "a document a line if it goes on; schema.json of the package describes it")


GOES_ON = {0: "done so many times, or until a signal"}


class Help(argparse.HelpFormatter):
    """Lines that are broken stay as they are."""

    def _fill_text(self, text, width, indent):
        return text if "\n" in text else super()._fill_text(text, width, indent)


def examples_text(examples):
    """For the end of --help."""
    return "examples:\n" + "\n".join(f"  {example}\n      {why}" for example, why in examples)


class Commands:
    """Subcommands that all take --json; @exits: what their exit statuses mean beyond what all have in common."""

    def __init__(self, parser):
        self.commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(self, name, function, text, aliases=(), exits=None, **defaults):
        command = self.commands.add_parser(name, help=text, description=text, aliases=aliases, formatter_class=Help,
                                           epilog=help_text({**COMMON, **(exits or {})}))
        add_json(command)
        command.set_defaults(function=function, **defaults)
        return command

    def group(self, name, text, module=None, examples=()):
        """@examples: (command line, why)."""
        group = self.commands.add_parser(name, help=text, description=text, formatter_class=Help,
                                         epilog=examples_text(examples))
        group.examples = examples
        add_json(group)
        commands = Commands(group)
        if module:
            commands.add("enable", cmd_enable, f"turn {module} on",
                         module=module)
            commands.add("disable", cmd_disable, f"turn {module} off",
                         module=module)
        return commands


def diag_commands(top):
    diag = top.group("diag", "memory diagnostic: memdiag", "memdiag", (
        ("memsuite diag enable", "test free memory from now on, and retire bad pages"),
        ("memsuite diag test 4G-5G", "test a range now, what is in use included"),
        ("memsuite diag bad --groups", "the bad pages that are known, by DIMM and chip")))
    diag.add("status", cmd_diag_status, "progress of the tests")
    diag.add("list", cmd_diag_list, "bad pages found, as memdiag tells")
    command = diag.add("bad", cmd_diag_bad,
                       "bad pages found and stored, and their DIMMs")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--all", action="store_true", help="each page, also where there are many")
    shown.add_argument("--groups", action="store_true", help="pages of one chip together, also where there are few")
    diag.add("dimms", cmd_diag_dimms, "DIMMs, with the bad pages and the reported errors of each")
    command = diag.add("test", cmd_diag_test,
                       "test a range of physical memory now",
                       exits={0: "all was tested, and all is good", **{
                           status: MEANINGS[status] for status in (BAD_MEMORY, PARTIAL, UNTESTED)}})
    command.add_argument("range", metavar="START-END", type=word_argument,
                         help="physical addresses in bytes; K, M, G, T, 0x")
    for name, function, text in (
            ("retire", cmd_diag_retire, "withhold pages from the system"),
            ("unretire", cmd_diag_unretire, "give retired pages back")):
        command = diag.add(name, function, text)
        command.add_argument("address", metavar="ADDRESS", nargs="+",
                             type=address_argument,
                             help="physical, in bytes: 0x...")
    diag.add("save", cmd_diag_save, "keep the bad pages across reboots")
    command = diag.add("restore", cmd_diag_restore,
                       "retire the bad pages that were kept",
                       exits={FAILED: "it failed; a page could not be retired, or the list is damaged"})
    command.add_argument("--force", action="store_true",
                         help="also those found in other DIMMs")
    command = diag.add("notify", cmd_diag_notify, f"run the programs of {PROGRAMS} for bad pages that are new")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--again", action="store_true", help="also for those that they were told of")
    which.add_argument("--example", action="store_true", help="to try them: for a bad page that is made up")
    command = diag.add("inject", cmd_diag_inject,
                       "make good memory look faulty to the tests; lists "
                       "what does")
    command.add_argument("fault", metavar="FAULT", nargs="*",
                         type=word_argument,
                         help="ADDRESS:BIT:KIND[/VARIANT][@ADDRESS:BIT]")
    command.add_argument("--every", metavar="START-END", type=range_argument,
                         help="a fault of every kind in that range")
    command.add_argument("--clear", action="store_true",
                         help="take them all away, and give their pages back")
    command = diag.add("export", cmd_diag_export,
                       "bad pages for the kernel's command line, GRUB, or "
                       "programs")
    command.add_argument("--format", choices=("memmap", "grub", "systemd-boot", "badram", "json"),
                         default="json", help="memmap: the kernel's command line; grub: the same for "
                         "/etc/default/grub.d; systemd-boot: for /etc/kernel/cmdline; badram: GRUB's own")
    command.add_argument("--ranges", metavar="N", type=number_argument(1, 1000), default=RANGES,
                         help=f"so many ranges or patterns at most ({RANGES}); what lies between them is given up")
    command = diag.add("set", cmd_diag_set, "change how memory is tested")
    command.add_argument("--algorithm", metavar="NAME")
    command.add_argument("--lifetime", metavar="SECONDS", type=int)
    plan_command(diag)
    stress_command(diag)
    burn_in_command(diag)


ENERGY_OPTIONS = (
    ("--pj-per-bit", "PJ", number_argument(0, 1000, float), 20, "energy of a bit read or written: an "
     "assumption, of the order of DDR4 with its interface"),
    ("--core-watts", "W", number_argument(0, 1000, float), 5, "power of a core that tests: an assumption, "
     "see what your processor takes under load"))


def add_number(command, name, metavar, kind, default, text):
    command.add_argument(name, metavar=metavar, type=kind, default=default,
                         help=text if default is None else f"{text} ({default})")


def plan_command(diag):
    command = diag.add("plan", cmd_diag_plan,
                       "what a lifetime of tests takes on this machine, and whether it is held; sets nothing",
                       exits={0: "the lifetime is held", FAILED: "it failed, or the lifetime is not held"})
    for name, metavar, kind, default, text in (
            ("--lifetime", "S", number_argument(1, 2592000), None, "of tests; else the one that is set"),
            ("--fidelity", "N", number_argument(1, 32), None, "backgrounds; else control/min_fidelity"),
            ("--threads", "N", number_argument(1, 64), None, "else control/max_threads"),
            *ENERGY_OPTIONS):
        add_number(command, name, metavar, kind, default, text)


def stress_command(diag):
    command = diag.add("stress", cmd_diag_stress,
                       "use memory in a certain way, without tests and with, and tell what tests cost and find; "
                       "what was tested before is forgotten",
                       exits={BAD_MEMORY: "data was damaged in memory"})
    command.add_argument("profile", metavar="PROFILE", choices=tuple(PROFILES),
                         help="ramp: the size grows and shrinks; burst: all at once and free; turnover: of a "
                              "constant size, renewed piece by piece; resident: allocated "
                              "once, and touched")
    for name, metavar, kind, default, text in (
            ("--size", "MIB", number_argument(1, 1 << 24), 256, "of the memory in use, at most"),
            ("--instances", "N", number_argument(1, 1024), 1, "programs that do so at once, each with that size"),
            ("--readers", "N", number_argument(0, 1024), 0, "more threads of each program, which read its memory all "
             "the time"),
            ("--seconds", "S", number_argument(1, 86400, float), 10, "that each of the two runs takes"),
            ("--period", "S", number_argument(0.01, 86400, float), None, "from one burst to the next (1), or until "
             "turnover has renewed all (4)"),
            ("--inject", "N", number_argument(0, 32), 0, "errors emulated in free memory, when the run with tests "
             "begins; it may take a lifetime of tests until they are found"),
            ("--policy", "NAME", word_argument, None, "see control/policy"),
            ("--fidelity", "N", number_argument(1, 32), None, "backgrounds, with the policy fixed"),
            ("--threads", "N", number_argument(0, 64), None, "with the policy fixed"),
            ("--bandwidth", "MIB_S", number_argument(0, 1 << 20), None, "see control/bandwidth_mib_s"),
            ("--algorithm", "NAME", str, None, "or a march test written out"),
            ("--lifetime", "S", number_argument(1, 2592000), None, "of tests"),
            ("--move-interval", "MS", number_argument(0, 86400000), None, "see move_interval_ms"),
            *ENERGY_OPTIONS):
        add_number(command, name, metavar, kind, default, text)
    command.add_argument("--set", metavar="FILE=VALUE", type=setting_argument, action="append", default=[],
                         help=f"any other file below {SYSFS}, for the run with tests")
    command.add_argument("--series", action="store_true",
                         help=f"with --json: also how demand and tests went, every {SAMPLE_S} s")
    command.add_argument("--huge", action="store_true", help="allow huge pages, which come from the free lists")


def burn_in_command(diag):
    command = diag.add("burn-in", cmd_diag_burn_in,
                       "test a new or suspicious machine for a set time, with everything there is, and give a verdict",
                       exits={0: "the memory is good", BAD_MEMORY: MEANINGS[BAD_MEMORY],
                              PARTIAL: "nothing bad was found, but it was tested in part only"})
    command.add_argument("--time", metavar="TIME", type=duration_argument, default=4 * 3600,
                         help="90s, 30m, 4h, 2d (4h)")
    add_number(command, "--coverage", "PERCENT", number_argument(0, 100, float), 90,
               "of memory that has to be tested for the verdict \"good\"; the rest is the kernel's own, or pinned")
    command.add_argument("--output", metavar="NAME", help="keep the verdict as NAME.html and NAME.json "
                         "(/var/lib/memsuite/burn-in-DATE-TIME)")
    command.add_argument("--no-heat", action="store_true", help="no load on all CPUs beside the tests")


def add_policy_options(command):
    for option, text in POLICY_OPTIONS.items():
        command.add_argument(f"--{option}", action="store_true", help=text)


def zone_commands(top):
    zone = top.group("zone", "placement of memory: vipzone and regions",
                     "vipzone", (
        ("memsuite zone list", "which regions there are"),
        ("memsuite zone run --policy segment:heap=node0,*=node1 -- gcc -c file.c",
         "the heap in one region, the rest in another"),
        ("memsuite zone add cgroup:/system.slice/redis.service node1", "place a service")))
    zone.add("list", cmd_zone_list, "regions of physical memory", aliases=["regions"])
    zone.add("policies", cmd_zone_policies, "who gets which pages where, and how that went")
    zone.add("ps", cmd_zone_ps, "processes with a policy of their own")
    command = zone.add("add", cmd_zone_add, "set the policy of a process, a cgroup or the machine", aliases=["policy"])
    command.add_argument("who", metavar="WHO", type=who_argument, help="a PID, cgroup:/PATH or machine")
    command.add_argument("policy", metavar="POLICY", nargs="+", type=policy_word,
                         help="REGION..., the most wanted one first; or region:REGION[+REGION...]; or "
                              "segment:SEGMENT=REGION[+REGION...][,...], where * stands for all other segments; or "
                              "segment, with heap and stack in DRAM and the rest in PRAM; or "
                              "bank:percpu=LIST|LIST..., perprocess, percgroup or random; or "
                              "low-power-first:LIST[,KEY=VALUE...]")
    command.add_argument("--children", action="store_true",
                         help="and the processes that it forks")
    add_policy_options(command)
    command = zone.add("remove", cmd_zone_remove, "take a policy away")
    command.add_argument("who", metavar="WHO", type=who_argument, help="a PID, cgroup:/PATH or machine")
    command = zone.add("run", cmd_zone_run, "run a command under a policy, with all that it starts",
                       exits={0: "and others: what the command returns", NOT_EXECUTABLE: "the command is none",
                              NOT_FOUND: "the command is not there"})
    command.add_argument("--policy", required=True, type=policy_word, help="as of zone add")
    add_policy_options(command)
    command.add_argument("command", metavar="COMMAND", nargs=argparse.REMAINDER)
    command = zone.add("where", cmd_zone_where, "where the pages of a process lie, by segment and region")
    command.add_argument("pid", metavar="PID", type=pid_argument)
    command = zone.add("define", cmd_zone_define, "define a region")
    command.add_argument("name", metavar="NAME", type=word_argument)
    command.add_argument("range", metavar="START-END", type=word_argument,
                         help="physical addresses in bytes; K, M, G, T, 0x")
    command.add_argument("key", metavar="KEY=VALUE", nargs="*",
                         type=word_argument)
    command = zone.add("banks", cmd_zone_banks,
                       "find the DRAM's bank mapping by row conflicts, or import one")
    command.add_argument("--name", metavar="NAME", type=word_argument, help="of the map (dram)")
    command.add_argument("--mib", metavar="N", type=int, help="memory to measure (512)")
    command.add_argument("--svg", metavar="FILE", help="a histogram of access times")
    command.add_argument("--import", metavar="FILE", help="what drama or DRAMDig printed, - for standard input")
    command.add_argument("--anyway", action="store_true", help="measure in a virtual machine, too")
    command = zone.add("profile", cmd_zone_profile, "describe regions by a file")
    command.add_argument("file", metavar="FILE",
                         help="lines of NAME [START-END] KEY=VALUE...; with START-END the region is defined")
    command = zone.add("measure", cmd_zone_measure,
                       "measure how long regions take: to read what no cache has, and to write a line back")
    command.add_argument("region", metavar="REGION", nargs="*", type=word_argument, help="(all)")
    command.add_argument("--set", action="store_true", help="and write it to their read_latency_ns and write_latency_ns")
    command.add_argument("--mib", metavar="N", type=number_argument(16, 65536), default=64,
                         help="memory to take, of which the pages that lie there count (64)")
    command = zone.add("energy", cmd_zone_energy, "what regions and processes take, by the ledger of vipzone and by RAPL")
    command.add_argument("--seconds", type=number_argument(1, 86400), default=5, help="how long to look (5)")
    command = zone.add("move", cmd_zone_move, "move the pages that a process has to where its policy wants them")
    command.add_argument("pid", metavar="PID", type=pid_argument)
    command.add_argument("--policy", type=policy_word,
                         help="by this policy, of whole nodes, and from user space: needs no kernel module")
    command = zone.add("undefine", cmd_zone_undefine, "remove a region")
    command.add_argument("name", metavar="NAME", type=word_argument)


def picture_arguments(command):
    """How a picture is made; without one of them, for a terminal."""
    picture = command.add_mutually_exclusive_group()
    picture.add_argument("--svg", metavar="FILE", help="- is standard output")
    picture.add_argument("--png", metavar="FILE", help="needs matplotlib")
    picture.add_argument("--csv", metavar="FILE", help="the numbers; - is standard output")
    command.add_argument("--width", type=int, default=72, metavar="COLUMNS")
    command.add_argument("--height", type=int, default=18, metavar="LINES")


def mrc_commands(top):
    mrc = top.group("mrc", "miss ratio curves: mrc", "mrc", (
        ("memsuite mrc add 4711 --children", "track a process, and all that it forks"),
        ("memsuite mrc show 4711 --svg curve.svg", "draw its curve"),
        ("memsuite mrc plan --total 4G", "what each would get of so much memory, and miss then")))
    who_help = "a PID, cgroup:PATH, above:SIZE (all processes with so much memory) or machine"
    mrc.add("list", cmd_mrc_list, "what is tracked")
    command = mrc.add("add", cmd_mrc_add, "track a process, or several")
    command.add_argument("who", metavar="WHO", type=tracked_argument, help=who_help)
    command.add_argument("--children", action="store_true", help="and all that it forks")
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


def store_commands(top):
    store = top.group("store", "virtual storage, small requests in PRAM and large ones on disk: dm-vstore", examples=(
        ("memsuite store create vs /dev/sdb /dev/pmem0", "put PRAM before a disk, as /dev/mapper/vs"),
        ("memsuite store watch vs", "which requests go where"),
        ("memsuite store close vs", "move everything to the disk, which then works alone")))
    for name, function, text in (
            ("create", cmd_store_create, "make a store; a PRAM whose first 2 MiB are zero is formatted"),
            ("open", cmd_store_open, "activate a store that there is")):
        command = store.add(name, function, text)
        command.add_argument("name", metavar="NAME", type=word_argument, help="of the device in /dev/mapper")
        command.add_argument("disk", metavar="DISK", help="a block device: all of it")
        command.add_argument("pram", metavar="PRAM", help="a block device with DAX, such as /dev/pmem0: all of it")
        command.add_argument("--policy", choices=("random", "selective", "merging"))
        command.add_argument("--threshold", metavar="BYTES", type=number_argument(0, 1 << 30),
                             help="smaller requests are small (65536)")
        command.add_argument("--uuid", type=word_argument,
                             help="of the store, as it was formatted (dmsetup table tells); another is refused")
        command.add_argument("--cache", metavar="REGION", type=word_argument,
                             help="keep what small reads bring in volatile memory of this region, too")
        command.add_argument("--cache-kib", metavar="KIB", type=number_argument(0, 1 << 30),
                             help="of the region at most (an eighth)")
        command.add_argument("--shared", action="store_true",
                             help="lend to memory what the store does not use; PRAM is then addresses START-END, "
                                  "or a device such as /dev/pmem0, which is taken from its driver")
        command.add_argument("--storage-min", metavar="PCT", type=number_argument(0, 100),
                             help="of PRAM, which the store keeps whatever memory needs (5)")
        command.add_argument("--storage-max", metavar="PCT", type=number_argument(0, 100),
                             help="of PRAM, which the store may take at most (90)")
    command.add_argument("--trust", choices=("disk", "pram"),
                         help="if the disk was written without the store: which of the two counts; the other's blocks are lost")
    command = store.add("close", cmd_store_close, "move everything to the disk and remove the device: the disk works alone then")
    command.add_argument("name", metavar="NAME", type=word_argument)
    store.add("start", cmd_store_start, "open the stores of /etc/memsuite/stores: NAME DISK PRAM and options of open, a line each",
              parse=parse)
    command = store.add("status", cmd_store_status, "what is where, and what became of requests")
    command.add_argument("name", metavar="NAME", nargs="?", type=word_argument)
    command = store.add("watch", cmd_store_watch, "what happens, as it happens", exits=GOES_ON)
    command.add_argument("name", metavar="NAME", nargs="?", type=word_argument)
    command.add_argument("--interval", metavar="S", type=number_argument(0.1, 3600, float), default=1)
    command.add_argument("--count", metavar="N", type=number_argument(1, 1 << 30), help="how many times (no end)")


def fleet_commands(top):
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


def commands_of(parser, *words):
    """(words, parser) of all commands."""
    for action in parser._actions:  # pylint: disable=protected-access
        if isinstance(action, argparse._SubParsersAction):  # pylint: disable=protected-access
            for name, command in action.choices.items():
                yield from commands_of(command, *words, name)
            return
    yield words, parser


def families(parser):
    """{name: (what it is, parser)} of those that have commands of their own."""
    action = parser._subparsers._group_actions[0]  # pylint: disable=protected-access
    return {name: (group.description, group) for name, group in action.choices.items() if hasattr(group, "examples")}


def parser():
    top_parser = argparse.ArgumentParser(
        prog="memsuite", description=__doc__.split("\n", 1)[1], epilog=help_text(MEANINGS), formatter_class=Help)
    top_parser.add_argument("--json", action="store_true", default=False, help="print the result as JSON")
    top_parser.add_argument("--log", action="store_true",
                            help="errors go to the system's log as well: for what runs by itself")
    top_parser.add_argument("--version", action="version", version=f"memsuite {VERSION}")
    top = Commands(top_parser)
    top.add("status", cmd_status, "what is loaded, enabled and healthy",
            exits={0: "all that is loaded is healthy", FAILED: "it failed, or a module is not healthy"})
    command = top.add("doctor", cmd_doctor, "check everything that may be wrong, and say what to do about it",
                      exits={0: "nothing is wrong; there may be notes", FAILED: "something is wrong",
                             BAD_MEMORY: "bad memory is in use", PARTIAL: "something could not be checked",
                             NOT_LOADED: "the core is not loaded"})
    command.add_argument("-q", "--quiet", action="store_true", help="only what is not ok")
    command = top.add("top", cmd_top, "what matters of all modules on one screen, again and again", exits=GOES_ON)
    command.add_argument("--once", action="store_true", help="print it once, as where there is no terminal")
    command.add_argument("--interval", metavar="S", type=number_argument(0.1, 3600, float), default=2.0,
                         help="how often (2)")
    command = top.add("report", cmd_report, "the same as one HTML file, with charts")
    command.add_argument("-o", "--output", metavar="FILE", default="memsuite.html",
                         help="(memsuite.html); - is standard output")
    command.add_argument("--record", metavar="FILE", action="append", default=[],
                         help="and charts of what mrc record has recorded")
    command = top.add("bench", cmd_bench, "measure what the suite costs on this machine, in a minute or two; it asks "
                      "before it turns anything on, and puts back what it has set",
                      exits={0: "measured, as far as it could be; what could not is told of"})
    consent = command.add_mutually_exclusive_group()
    consent.add_argument("--yes", action="store_true",
                         help="do not ask: modules may be loaded and turned on for a while")
    consent.add_argument("--no", action="store_true", help="do not ask: measure what needs nothing turned on")
    command.add_argument("-o", "--output", metavar="FILE",
                         help="also as a page of HTML; - is standard output, and then that alone")
    command = top.add("apply", cmd_apply, "set what the files of /etc/memsuite/memsuite.conf.d say",
                      exits={FAILED: "something could not be set, or a file is wrong; the rest is set"})
    command.add_argument("file", metavar="FILE", nargs="*", help="these files; - is standard input")
    command.add_argument("--check", action="store_true", help="only tell what is wrong with the files")
    top.add("dump", cmd_dump, "what is set, as such a file")
    diag_commands(top)
    zone_commands(top)
    mrc_commands(top)
    store_commands(top)
    fleet_commands(top)
    top.add("export", cmd_export,
            "all counters, as Prometheus reads them")
    command = top.add("exporter", cmd_exporter, "the same over HTTP, until a signal: for a Prometheus that "
                      "scrapes them", exits=GOES_ON)
    command.add_argument("--listen", metavar="ADDRESS:PORT", type=listen_argument, default=DEFAULT_ADDRESS,
                         help="(%s:%d), unless systemd has passed a socket" % DEFAULT_ADDRESS)
    command.add_argument("--token-file", metavar="FILE", help="who sends the token in it (Authorization: Bearer TOKEN) "
                         "is told what only root may read, too; others what everybody may read")
    return top_parser


def parse(argv):
    return parser().parse_args(argv)


def main(argv):
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    if completion.ASKED:        # then no command is run, whatever else
        top_parser = parser()
        completion.complete(top_parser, commands_of(top_parser))
        return FAILED
    args = parse(argv)
    if args.log:
        log_errors()
    try:
        return until_ended(lambda: told(args))
    except Ended:
        drop_output()
        print("memsuite: ended by a signal", file=sys.stderr)
        return CANCELLED


def told(args):
    """What a command returns, with all that it has to say said."""
    try:
        try:
            result = args.function(args)
        except Failure as failure:
            if args.json:
                print_json({"error": str(failure)})
            print(f"memsuite: {failure}", file=sys.stderr)
            result = failure.status
        sys.stdout.flush()
        return result
    except BrokenPipeError:
        drop_output()       # the reader has seen enough
    except OSError as error:
        if error.filename is not None:
            print(f"memsuite: {error.filename}: {error.strerror}", file=sys.stderr)
        else:
            drop_output()
            print(f"memsuite: standard output: {error.strerror}", file=sys.stderr)
    return FAILED


def drop_output():
    """What is not written yet is not, and Python says nothing of that at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
