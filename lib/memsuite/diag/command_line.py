# SPDX-License-Identifier: GPL-2.0-only
"""The command line of memsuite diag."""

from ..arguments import (
    address_argument, duration_argument, number_argument, range_argument, setting_argument, word_argument)
from ..burn_in.command import cmd_diag_burn_in
from ..command_line import add_number
from ..exit_status import BAD_MEMORY, FAILED, MEANINGS, PARTIAL, UNTESTED
from ..stress.counters import SAMPLE_S
from ..stress.demand import PROFILES
from ..stress.trial import cmd_diag_stress
from ..sysfs import SYSFS
from .bad_pages import cmd_diag_bad, cmd_diag_export, cmd_diag_list
from .dimm_errors import cmd_diag_dimms
from .exclusion import RANGES
from .faults import cmd_diag_inject
from .notify import PROGRAMS, cmd_diag_notify
from .plan import cmd_diag_plan
from .ranges import cmd_diag_test
from .retirement import cmd_diag_restore, cmd_diag_retire, cmd_diag_save, cmd_diag_unretire
from .status import cmd_diag_set, cmd_diag_status


def add_commands(top):
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
