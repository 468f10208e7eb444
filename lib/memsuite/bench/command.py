# SPDX-License-Identifier: GPL-2.0-only
"""memsuite bench: measures what the suite costs on this machine, and leaves the machine as it was."""

import os
import subprocess
import sys
import time

from .. import Failure
from ..diag.retirement import save_bad_pages
from ..doctor.finding import told_by
from ..ending import Ended, held, until_ended
from ..exit_status import CANCELLED
from ..modules import ENABLE_ERRORS
from ..output import print_json, save
from ..settings import Settings
from ..stress.trial import progress
from ..sysfs import CORE, entries, loaded, number
from ..zone.measure import memory_nodes, node_text
from ..zone.residency import listed
from . import page_faults, streaming
from .figures import Figures
from .latencies import latencies
from .report import document, lines, page
from .worker import Worker

SWITCHED = ("memdiag", "vipzone")
ENABLED = (*SWITCHED, "mrc")        # what makes a difference while it is on
FIGURES = (
    ("fault_off", "page fault, the suite off", None),
    ("fault_loaded", "the modules loaded, nothing enabled", "fault_off"),
    ("fault_tested", "memdiag enabled, pool full of tested pages", "fault_off"),
    ("fault_steered", "steered by vipzone, pool full", "fault_off"),
    ("fault_bystander", "another process, while one is steered", "fault_off"),
    ("stream_read", "one core reads memory", None),
    ("stream_write", "one core writes memory", None),
    ("stream_copy", "one core copies memory", None),
)
OF_MODULE = {
    "memdiag": ("fault_tested",),
    "vipzone": ("fault_steered", "fault_bystander"),
}
WHAT = {
    "memdiag": "tests free memory for half a minute at most; a bad page that it finds is withheld, and stays so",
    "vipzone": "places the pages of a process of bench's own, for about half a minute",
}


class Interrupted(Failure):
    """There is no result."""

    status = CANCELLED


def is_on(module):
    return loaded(module) and number(module, "enabled") == 1


def installed(module):
    return bool(told_by("modinfo", "-n", module))


def in_the_way(module):
    """Why a module that is off has to stay so: to turn it on would do more than to measure."""
    if not loaded(module):
        return None
    if module == "vipzone" and entries("vipzone", "policies"):
        return "vipzone is off and has policies: turned on, it would place the pages of those"
    return None


def failed(*command):
    """What it says if it fails."""
    told = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    return (told.stderr.strip() or f"{command[0]} failed") if told.returncode else None


def home():
    """A node with memory that this process may run on, and its CPUs; none if nobody knows."""
    usable = os.sched_getaffinity(0)
    for node in sorted(memory_nodes()):
        cpus = listed(node_text(node, "cpulist")) & usable
        if cpus:
            return node, cpus
    return 0, set()


class Bench:
    """What is measured, and all that has to be undone."""

    def __init__(self):
        self.figures, self.settings, self.workers = Figures(), Settings(), []
        self.modules = []           # that were loaded here
        self.was_on = [module for module in ENABLED if is_on(module)]
        for figure in FIGURES:
            self.figures.expect(*figure)
        self.node, self.cpus = home()

    def worker(self):
        worker = Worker(self.cpus)
        self.workers.append(worker)
        return worker

    def wanted(self):
        """Modules that are to be turned on, or loaded and turned on; {module: why not} of the others."""
        why = {module: in_the_way(module) for module in SWITCHED}
        for module in SWITCHED:
            if not loaded(module) and not installed(module):
                why[module] = f"{module} is not installed"
            elif os.geteuid():
                why[module] = "run as root"
        return ([module for module in SWITCHED if not why[module]],
                {module: text for module, text in why.items() if text})

    def step(self, names, text, function):
        """A measurement; what it has set is as before when it is over."""
        progress(text)
        try:
            function()
        except Failure as failure:
            self.figures.lack(names, str(failure))
        finally:
            with held():
                self.undo_step()

    def undo_step(self):
        for worker in self.workers:
            worker.end()
        self.settings.restore()
        self.workers, self.settings = [], Settings()

    def enable(self, module):
        if not is_on(module):
            self.settings.set(f"{module}/enabled", "1", ENABLE_ERRORS)

    def load(self, modules):
        for module in (CORE, *modules) if modules else ():
            if loaded(module):
                continue
            with held():
                error = failed("modprobe", module)
                if error:
                    self.figures.lack(OF_MODULE.get(module, ()), error)
                elif loaded(module):
                    self.modules.append(module)

    def unload(self):
        """What was found in the last moments is saved: udev comes too late for that."""
        if "memdiag" in self.modules:
            try:
                save_bad_pages()
            except Failure as failure:
                print(f"memsuite: bad pages are not saved: {failure}", file=sys.stderr)
        for module in reversed(self.modules):
            error = failed("rmmod", module)
            if error:
                print(f"memsuite: {module} was not loaded, and is: {error}", file=sys.stderr)
        self.modules = []

    def restore(self):
        progress("")
        self.undo_step()
        self.unload()

    def off(self):
        """Half of the runs, for what it is worth before the others and after them."""
        if self.was_on:
            raise Failure(f"on before, and so all the time: {', '.join(self.was_on)}; "
                          "turned off, it would lose what it has found out")
        worker = self.worker()
        page_faults.plain(self.figures, "fault_off", worker, runs=page_faults.RUNS // 2 + 1)

    def nothing_enabled(self):
        if any(map(is_on, ENABLED)):
            raise Failure("a module was enabled as soon as it was loaded")
        page_faults.plain(self.figures, "fault_loaded", self.worker())

    def vipzone(self):
        self.enable("vipzone")
        page_faults.steered(self.figures, self.worker(), self.worker(), page_faults.region_of(self.node))

    def memdiag(self):
        """A pool is there for who is steered, and for all while memdiag is on."""
        self.enable("memdiag")
        page_faults.tested(self.figures, self.worker(), page_faults.region_of(self.node))

    def off_step(self):
        self.step(("fault_off",), "page faults, the suite off", self.off)

    def measure(self, modules):
        """@modules may be turned on."""
        before = loaded(CORE)
        self.off_step()
        self.step(("stream_read", "stream_write", "stream_copy"), "reading and writing memory",
                  lambda: streaming.streams(self.figures, self.worker()))
        self.load(modules)
        if before or not self.modules:
            self.figures.lack(("fault_loaded",), "modules were loaded before" if before else "none was to be loaded")
        else:
            self.step(("fault_loaded",), "page faults, the modules loaded", self.nothing_enabled)
        usable = [module for module in modules if loaded(module)]
        if "vipzone" in usable:
            self.step(OF_MODULE["vipzone"], "page faults, one process steered", self.vipzone)
        if "memdiag" in usable:
            self.step(("fault_tested",), "page faults, memdiag enabled", self.memdiag)
        if modules and loaded(CORE):
            self.step((), "reading each region", lambda: latencies(self.figures))
        progress("unloading" if self.modules else "")
        with held():
            self.unload()
        self.off_step()


def asked(modules):
    """Whether these may be turned on: what that does is told first."""
    print("memsuite bench takes a minute or two. It turns on, and off again:", file=sys.stderr)
    for module in modules:
        print(f"  {module:<9}{'' if loaded(module) else 'which it loads for as long: '}{WHAT[module]}", file=sys.stderr)
    print("It puts back what it sets, also if Ctrl-C ends it. Without these, less is measured.", file=sys.stderr)
    print("Go on with these? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def allowed(args, modules):
    """Those of @modules that may be turned on: who has not been asked has not said yes."""
    new = [module for module in modules if not is_on(module)]
    if not new or args.yes:
        return modules
    if not sys.stdin.isatty():
        raise Failure(f"{', '.join(new)} would be turned on for a while, and nobody can be asked here: --yes says that "
                      "it may, --no that nothing is to be turned on")
    return modules if asked(new) else [module for module in modules if is_on(module)]


def cmd_bench(args):
    bench, begun = Bench(), time.time()
    modules, why = bench.wanted()
    if args.no:
        modules = [module for module in modules if is_on(module)]
    else:
        modules = allowed(args, modules)
    try:
        until_ended(lambda: bench.measure(modules), bench.restore)
    except Ended:
        raise Interrupted("interrupted; all is as before") from None
    for module in SWITCHED:
        bench.figures.lack(OF_MODULE[module], why.get(module, f"{module} was not to be turned on"))
    told = document(bench.figures, begun, bench.was_on)
    if args.json and args.output != "-":
        print_json(told)
    elif args.output != "-":
        print("\n".join(lines(told)))
    if args.output:         # last: what was measured is told even if it cannot be saved
        save(args.output, page(told))
    return 0


def add_commands(top):
    command = top.add("bench", cmd_bench, "measure what the suite costs on this machine, in a minute or two; it asks "
                      "before it turns anything on, and puts back what it has set",
                      exits={0: "measured, as far as it could be; what could not is told of"})
    consent = command.add_mutually_exclusive_group()
    consent.add_argument("--yes", action="store_true",
                         help="do not ask: modules may be loaded and turned on for a while")
    consent.add_argument("--no", action="store_true", help="do not ask: measure what needs nothing turned on")
    command.add_argument("-o", "--output", metavar="FILE",
                         help="also as a page of HTML; - is standard output, and then that alone")
