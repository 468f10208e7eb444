# SPDX-License-Identifier: GPL-2.0-only
"""memsuite diag burn-in: everything is tried on a machine, for a set time."""

import contextlib
import errno
import json
import os
import sys
import time

from .. import Failure, keeper
from ..diag.saved_pages import STATE
from ..ending import Ended, until_ended
from ..exit_status import CANCELLED
from ..output import bad_page_count, drop_output, for_root, print_json, save
from ..settings import Settings, alone
from ..sysfs import need, read, write
from .heat import Heat, Temperatures
from .page import page
from .schedule import NAME, NEVER_S, Schedule
from .verdict import EXIT, Counts, facts, judge, summary_lines, time_text

WORKERS_MAX = 64                # threads that test
# All of the machine is for the tests: no limit of bandwidth, no care for others; memory in use is moved off what was
# not tested. What was tested stays so to the end, and no sweep begins by itself.
SETTINGS = {
    "memdiag/enabled": "0",
    "memdiag/lifetime/automatic": "0",
    "memdiag/test_lifetime_s": str(NEVER_S),
    "memdiag/method": "auto",
    "memdiag/optimisations/skip_middle": "0",
    "memdiag/optimisations/recycle": "1",
    "memdiag/algorithm": "march-x",     # beside the test of each sweep: the shortest that counts as a whole one
    "memdiag/control/policy": "fixed",
    "memdiag/control/bandwidth_mib_s": str(1 << 20),
    "memdiag/control/pressure_memory_pct": "0",
    "memdiag/control/pressure_cpu_pct": "0",
    "memdiag/address_bits/period_s": "0",
    "memdiag/move_interval_ms": "5000",
}


@contextlib.contextmanager
def only_one():
    """Two would undo each other's settings."""
    path = os.path.join(os.path.dirname(STATE) or ".", "burn-in.lock")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        file = open(path, "w", encoding="ascii")        # pylint: disable=consider-using-with
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}; run as root") from None
    with alone(file, "a burn-in runs already"):
        yield


def configure(settings):
    for path, text in SETTINGS.items():
        settings.set(path, text)
    settings.set("memdiag/control/fixed_threads", str(min(os.cpu_count(), WORKERS_MAX)))
    keeper.note("memdiag/tests/remove", NAME)


def undo(settings):
    """Also what a second signal has kept a test from doing."""
    try:
        write("memdiag/tests/remove", NAME, {errno.ENOENT: ""})
    except Failure as failure:
        if str(failure):
            print(f"memsuite: memdiag/tests/remove: {failure}", file=sys.stderr)
    settings.restore()


class Teller:
    """One line that changes on a terminal; elsewhere one for each test."""

    def __init__(self):
        self.test = None

    def __call__(self, state):
        left = max(0, state["seconds"] - state["elapsed_s"])
        backgrounds = f", {state['backgrounds']} background" + ("s" if state["backgrounds"] > 1 else "")
        text = (f"round {state['round']}, {state['test']}{backgrounds}: "
                f"{bad_page_count(int(read('memdiag', 'bad_page_count')))} known, {time_text(left)} to go")
        if sys.stderr.isatty():
            ready = time.strftime("%H:%M", time.localtime(time.time() + left))
            print(f"\r{text}, ready at {ready}, this test {state['progress_pct']}%\033[K", end="", file=sys.stderr,
                  flush=True)
        elif (state["round"], state["test"]) != self.test:
            print(text, file=sys.stderr, flush=True)
        self.test = (state["round"], state["test"])

    @staticmethod
    def end():
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class Run:
    """A burn-in: it tests until the time is over, or a signal comes, and then tells what it has found."""

    def __init__(self, args):
        self.args, self.settings = args, Settings()
        self.counts, self.temperatures, self.tell = Counts(), Temperatures(), Teller()
        self.schedule = None
        self.ended = None           # why, before its time
        self.cancelled = False      # that was a signal
        self.status = None

    def look(self, state):
        self.temperatures.look()
        self.tell(state)

    def test(self):
        try:
            configure(self.settings)
            self.schedule = Schedule(self.settings, self.args.time, self.look)
            with Heat(not self.args.no_heat):
                self.schedule.run()
        except Ended as ended:
            self.ended, self.cancelled = f"by {ended}", True
        except Failure as failure:
            if not self.schedule:
                raise
            self.ended = str(failure)

    def finish(self):
        """Settings are as before, and what was found is kept; no signal keeps it from that."""
        with contextlib.suppress(OSError):
            self.tell.end()
        try:
            told = self.schedule and facts(self.schedule, self.counts, self.temperatures, self.args, self.cancelled)
        finally:
            undo(self.settings)
        if told:
            told["ended_early"] = self.ended
            self.report(judge(told))
        elif self.cancelled:
            raise Failure(f"ended {self.ended} before a test began; the settings are as before")

    def report(self, told):
        """Kept first: a terminal that has gone, or a pager that was ended as well, is told nothing."""
        self.status = EXIT[told["verdict"]] | (CANCELLED if self.cancelled else 0)
        try:
            base = keep(told, self.args.output)
        except Failure:
            self.say(told)
            raise
        try:
            self.say(told)
            if not self.args.json:
                print(f"kept in   {base}.html and {base}.json")
            sys.stdout.flush()
        except OSError:
            drop_output()

    def say(self, told):
        if self.args.json:
            print_json(told)
            return
        for name, line in summary_lines(told):
            print(f"{name:9} {line}")


def keep(told, output):
    """As NAME.html and NAME.json: for root, for there are physical addresses in them."""
    base = output or os.path.join(os.path.dirname(STATE) or ".", time.strftime("burn-in-%Y%m%d-%H%M%S"))
    for suffix, text in ((".json", json.dumps(told, indent=2, ensure_ascii=False) + "\n"), (".html", page(told))):
        save(base + suffix, text, for_root)
    return base


def cmd_diag_burn_in(args):
    need("memdiag")
    with only_one():
        if args.output:
            keep_try(args.output)
        run = Run(args)
        try:
            until_ended(run.test, run.finish)
        except Ended:
            # It came when the tests were over, and ended none.
            if run.status is None:
                raise
    return run.status


def keep_try(output):
    """A wrong place is better told before than after hours."""
    directory = os.path.dirname(output) or "."
    if not os.path.isdir(directory) or not os.access(directory, os.W_OK):
        raise Failure(f"{directory}: no directory that can be written")
