# SPDX-License-Identifier: GPL-2.0-only
"""The run without tests, and the run with them."""

import argparse
import errno
import sys
import time

from .. import Failure
from ..ending import Ended, until_ended
from ..exit_status import BAD_MEMORY, CANCELLED
from ..modules import ENABLE_ERRORS
from ..output import print_json
from ..proc import meminfo
from ..settings import Settings
from ..sysfs import need, number, read
from .counters import SAMPLE_S, STALL_S, Watch, counters, growth, while_tested
from .demand import run_demand
from .errors import Errors
from .report import report, report_lines

WARM_UP_S = 1


def configure(args, settings):
    """As asked for; what is not asked for stays as it is."""
    control = "memdiag/control"
    policy = args.policy
    if policy is None and (args.fidelity is not None or args.threads is not None):
        policy = "fixed"
    for path, value, meanings in (
            ("memdiag/algorithm", args.algorithm,
             {errno.EINVAL: "no such algorithm; there are " + ", ".join(
                 read("memdiag", "available_algorithms").split())}),
            # Which a lifetime that is set switches off.
            ("memdiag/lifetime/automatic", None if args.lifetime is None else 0, None),
            ("memdiag/test_lifetime_s", args.lifetime, None),
            ("memdiag/move_interval_ms", args.move_interval, None),
            (f"{control}/bandwidth_mib_s", args.bandwidth, None),
            (f"{control}/fixed_fidelity", args.fidelity, None),
            (f"{control}/fixed_threads", args.threads, None),
            (f"{control}/policy", policy,
             {errno.EINVAL: "no such policy; there are " + ", ".join(
                 read(*control.split("/"), "available_policies").split())}),
            *((path, value, None) for path, value in args.set)):
        if value is not None:
            settings.set(path, str(value), meanings)


def await_steady_state(talk):
    """Until all that is free was tested, and what was in use before that was moved, if it is to be."""
    if read("memdiag", "control", "policy") == "ondemand":
        return
    await_sweep(talk)
    if number("memdiag", "move_interval_ms"):
        await_walks(talk)


def await_sweep(talk):
    passes = number("memdiag", "passes")
    for _ in while_tested(STALL_S):
        if number("memdiag", "passes") > passes:
            return
        talk(f"waiting for a first sweep, {number('memdiag', 'pass_progress_pct')}%")
    raise Failure(f"nothing was tested for {STALL_S} s: are there threads that test, and memory that is free?")


def await_walks(talk):
    """A whole one: one may be under way."""
    walks = number("memdiag", "moves", "walks")
    while number("memdiag", "moves", "walks") < walks + 2:
        talk("waiting for memory in use to be moved")
        time.sleep(SAMPLE_S)


def progress(text):
    if sys.stderr.isatty():
        print(f"\r{text}\033[K" if text else "\r\033[K", end="", file=sys.stderr, flush=True)


def measure(args, sample):
    before = counters()
    work = run_demand(args, sample)
    return work, growth(before, counters())


def stress(args, settings, errors):
    """Without tests, then with them."""
    settings.set("memdiag/enabled", "0")
    run_demand(argparse.Namespace(**{**vars(args), "profile": "burst", "seconds": WARM_UP_S}),
               lambda share: progress("warming up"))
    base = measure(args, lambda share: progress(f"measuring without tests, {share:.0%}"))
    configure(args, settings)
    if args.inject and read("memdiag", "control", "policy") == "ondemand":
        raise Failure("on-demand tests do not see emulated errors: --inject needs another policy than ondemand")
    settings.set("memdiag/enabled", "1", ENABLE_ERRORS)
    await_steady_state(progress)
    errors.inject(args.inject)
    watch = Watch(progress, args.series)
    run = measure(args, watch.sample)
    errors.wait(progress)
    configuration = {"policy": read("memdiag", "control", "policy"), "algorithm": read("memdiag", "algorithm"),
                     "test_lifetime_s": number("memdiag", "test_lifetime_s")}
    return report(args, configuration, base, run, watch, errors.told())


class Interrupted(Failure):
    """The run has no result."""

    status = CANCELLED


def check_stress(args):
    """What is known to go wrong, before anything is changed."""
    need("memdiag")
    available = meminfo("MemAvailable")
    size = args.size * args.instances
    if available and size << 20 > available * 9 // 10:
        raise Failure(f"{size} MiB: too much, {available >> 20} MiB are available")
    if args.inject and number("memdiag", "inject", "count"):
        raise Failure("errors are emulated already; memsuite diag inject --clear")


def cmd_diag_stress(args):
    check_stress(args)
    settings, errors = Settings(), Errors()

    def restore():
        progress("")
        try:
            errors.clear()
        finally:
            settings.restore()

    try:
        told = until_ended(lambda: stress(args, settings, errors), restore)
    except Ended:
        raise Interrupted("interrupted; the settings are as before") from None
    if args.json:
        print_json(told)
    else:
        for name, line in report_lines(told):
            print(f"{name:13} {line}")
    return BAD_MEMORY if told["damaged_pages"] + told["base_damaged_pages"] else 0
