# SPDX-License-Identifier: GPL-2.0-only
"""
Runs cases, tries once more what may have failed by chance, and tells what came out.

Guests wait, for a grace period or until something is due, and leave a part of the processors to nobody. That is for cases of
the host alone, one at a time, which wait for nothing and do not mind how long they take.
"""
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import threading
import time

from . import TOP
from .result import Result

SLOWEST = 10		# cases that are named at the end
LAST_LINES = 20		# that are shown of a case that failed
NICE = ("nice", "-n", "10")


def execute(case, directory):
    """Runs @case, which leaves its output and the kernel's log in @directory."""
    began = time.monotonic()
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    # A file, which can be looked at while it runs.
    with open(os.path.join(directory, "output.txt"), "w+", encoding="utf-8", errors="replace") as f:
        try:
            status = subprocess.run([*(NICE if case.beside else ()), *case.command], cwd=TOP, env=dict(os.environ, MEMSUITE_OUT=directory),
                                    timeout=case.timeout, stdin=subprocess.DEVNULL, stdout=f,
                                    stderr=subprocess.STDOUT).returncode
        except subprocess.TimeoutExpired:
            status = 124
        except OSError as error:
            f.write(str(error))
            status = 127
        f.seek(0)
        output = f.read()
    return Result(case, output, status, time.monotonic() - began)


class Session:
    """One run of cases. @run does a case in a directory, as execute() does."""

    def __init__(self, out, jobs, run=execute, file=sys.stdout, latest_s=None):
        self._out, self._jobs, self._run, self._file = out, jobs, run, file
        self._latest_s = latest_s	# after so long no other case begins
        self._lock = threading.Lock()
        self._total = 0
        self._began = time.monotonic()
        self._alone_s = 0
        self.results = {}		# the last one of each case
        self.unsteady = []		# those that failed, and then passed
        self.late = []			# cases that did not begin

    def _say(self, *lines):
        print(*lines, sep="\n", file=self._file, flush=True)

    def _elapsed(self):
        seconds = int(time.monotonic() - self._began)
        return f"{seconds // 60}:{seconds % 60:02}"

    def directory(self, case):
        return os.path.join(self._out, re.sub(r"\W+", "-", case.name))

    def first_try(self, case):
        """Where the files of a try that failed lie once there was a second one."""
        return self.directory(case) + ".first-try"

    def _report(self, result, again=""):
        with self._lock:
            self.results[result.case.name] = result
            self._say(f"[{len(self.results)}/{self._total}] {self._elapsed()} {again}{result.case.name}: "
                      f"{result.passed} passed, {len(result.failed)} failed ({result.seconds:.0f} s)",
                      *(f"    not ok: {name}" for name in result.failed))

    def _try(self, case):
        shutil.rmtree(self.first_try(case), ignore_errors=True)
        self._report(self._run(case, self.directory(case)))

    def _next(self, queues):
        with self._lock:
            if self._latest_s is not None and time.monotonic() - self._began > self._latest_s:
                for queue in queues:
                    self.late += queue
                    queue.clear()
            return next((queue.popleft() for queue in queues if queue), None)

    def _work(self, queues):
        while case := self._next(queues):
            self._try(case)

    def _try_again(self, failed):
        os.rename(self.directory(failed.case), self.first_try(failed.case))
        result = self._run(failed.case, self.directory(failed.case))
        result.seconds += failed.seconds
        self._report(result, "again: ")
        if not result.failed:
            self.unsteady.append(failed)

    def run(self, cases):
        """Whether all of @cases passed, in the end."""
        self._total = len(cases)
        # What is built is cached, and the tests run on it: those cases come first.
        for case in cases:
            if case.alone:
                self._try(case)
        self._alone_s = time.monotonic() - self._began
        # What may take long begins first, that nothing long is left for the end.
        others = sorted((case for case in cases if not case.alone), key=lambda case: -case.timeout)
        beside = collections.deque(case for case in others if case.beside)
        others = collections.deque(case for case in others if not case.beside)
        workers = [(others, beside)] * self._jobs + [(beside,)] * (self._jobs > 1)
        with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
            for future in concurrent.futures.as_completed([pool.submit(self._work, queues) for queues in workers]):
                future.result()
        # One at a time: nothing else takes the processors meanwhile.
        for result in [self.results[case.name] for case in cases if case.name in self.results]:
            if not result.final:
                self._try_again(result)
        passed = sum(result.passed for result in self.results.values())
        failed = sum(len(result.failed) for result in self.results.values())
        return passed > 0 and not failed

    def _last_lines(self, case):
        """For whoever has no more than what is printed, as of a machine that is gone."""
        for directory in self.directory(case), self.first_try(case):
            path = os.path.join(directory, "output.txt")
            if os.path.exists(path):
                with open(path, encoding="ascii", errors="backslashreplace") as f:
                    return f.read().splitlines()[-LAST_LINES:]
        return []

    def summarize(self):
        """Prints what came out, also of a run that was stopped."""
        seconds = time.monotonic() - self._began
        results = self.results.values()
        slowest = sorted(results, key=lambda result: -result.seconds)[:SLOWEST]
        self._say("The slowest cases:", *(f"    {r.seconds:.0f} s  {r.case.name}" for r in slowest))
        if self.unsteady:
            self._say("Unsteady cases, which failed and then passed by themselves:")
            for result in self.unsteady:
                self._say(f"    {result.case.name}", *(f"        not ok: {name}" for name in result.failed),
                          *(f"        {os.path.relpath(path, TOP)}/"
                            for path in (self.first_try(result.case), self.directory(result.case))))
        for result in results:
            if result.failed:
                self._say(f"The end of what {result.case.name} said:",
                          *(f"    {line}" for line in self._last_lines(result.case)))
        if self.late:
            self._say(f"This machine is slow: these did not begin within {self._latest_s / 60:.0f} minutes, and are skipped; "
                      "make soak has no limit:", *(f"    {case.name}" for case in self.late))
        self._say(f"Outputs and kernel logs: {os.path.relpath(self._out, TOP)}",
                  f"{seconds / 60:.1f} minutes, {self._alone_s / 60:.1f} of them until all was built",
                  f"{sum(r.passed for r in results)} passed, {sum(len(r.failed) for r in results)} failed, "
                  f"{sum(r.skipped for r in results) + len(self.late)} skipped")
