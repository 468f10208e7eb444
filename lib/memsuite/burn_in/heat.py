# SPDX-License-Identifier: GPL-2.0-only
"""Load on all CPUs, which heats the machine, and how hot it gets."""

import contextlib
import glob
import hashlib
import os
import signal

from .. import keeper
from ..ending import as_usual, held
from ..proc import PROC

AUTOGROUP = os.path.join(PROC, "sys", "kernel", "sched_autogroup_enabled")
CGROUP = os.environ.get("MEMSUITE_CGROUP", "/sys/fs/cgroup")
HWMON = os.environ.get("MEMSUITE_HWMON", "/sys/class/hwmon")
BUFFER = 1 << 20                # stays in caches: memory gets its heat from the tests


def first_line(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""       # a sensor that does not answer


def burn(cpu, parent):
    """Takes what the tests leave of a CPU, as nobody else wants it."""
    try:
        as_usual()
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        os.sched_setaffinity(0, {cpu})
        data = os.urandom(BUFFER)
        while os.getppid() == parent:
            hashlib.sha512(data).digest()
    finally:
        os._exit(0)     # nothing of the parent's is to be done twice


def put(path, text):
    """Returns whether that could be done: what is not there, or not allowed, is left alone."""
    try:
        with open(path, "r+", encoding="ascii") as file:
            file.write(text)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def without_autogroup():
    """A process gets no group of its session's at its fork, which would weigh more than the threads that test."""
    was = first_line(AUTOGROUP)
    wanted = was == "1" and os.access(AUTOGROUP, os.W_OK)
    if wanted:
        keeper.note(AUTOGROUP, was)
        put(AUTOGROUP, "0")
    try:
        yield
    finally:
        if wanted:
            put(AUTOGROUP, was)
            keeper.forget(AUTOGROUP)


class Heat:
    """A process on each CPU, while it is entered; beside the kernel's threads, and less important than they are."""

    def __init__(self, wanted):
        self.cpus = sorted(os.sched_getaffinity(0)) if wanted else []
        self.pids = []

    def __enter__(self):
        parent = os.getpid()
        # A signal amid this would leave one to burn, or have it end as its parent does, or leave autogroups off.
        with held(), without_autogroup():
            for cpu in self.cpus:
                pid = os.fork()
                if not pid:
                    burn(cpu, parent)
                self.pids.append(pid)
                # Out of the group of a service or a login, for the same reason.
                put(os.path.join(CGROUP, "cgroup.procs"), str(pid))
        return self

    def __exit__(self, *_):
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


class Temperatures:
    """The highest of each kind of sensor; jc42 and spd5118 are those of DIMMs."""

    def __init__(self):
        self.highest = {}

    def look(self):
        for path in glob.glob(os.path.join(HWMON, "*", "temp*_input")):
            kind, text = first_line(os.path.join(os.path.dirname(path), "name")), first_line(path)
            if kind and text.lstrip("-").isdigit():
                self.highest[kind] = max(int(text) / 1000, self.highest.get(kind, -274))
