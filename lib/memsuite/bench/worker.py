# SPDX-License-Identifier: GPL-2.0-only
"""A process that works while it is measured: it can be steered, and ends with whoever started it."""

import contextlib
import ctypes
import gc
import json
import mmap
import os
import resource
import signal

from .. import Failure
from ..ending import as_usual, held
from .perf import Counters


def mapped(size):
    """Memory of its own, of which no page is there yet."""
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def minor_faults():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt


class Work:
    """What a worker can be asked to do; each answers {unit: what it took}."""

    def __init__(self):
        self.counters = Counters()

    def fault(self, pages):
        """First touches of small pages: what each page fault takes."""
        size = pages * mmap.PAGESIZE
        memory = mapped(size)
        with contextlib.suppress(OSError):      # a kernel without huge pages
            memory.madvise(mmap.MADV_NOHUGEPAGE)
        marks = b"\1" * pages
        before = minor_faults()
        self.counters.start()
        memory[:size:mmap.PAGESIZE] = marks       # the assignment runs in C
        taken = self.counters.stop()
        faults = minor_faults() - before
        memory.close()
        return {"faults": faults, **{unit: value / pages for unit, value in taken.items()}}

    def stream(self, mib):
        """Bytes per ns of one core that reads, writes or copies what no cache holds, as fast as the C library can."""
        size = mib << 20
        libc = ctypes.CDLL(None)
        libc.memchr.restype = ctypes.c_void_p
        memory = mapped(2 * size)
        memory[::mmap.PAGESIZE] = b"\1" * (2 * size // mmap.PAGESIZE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        calls = {"write": lambda: libc.memset(ctypes.c_void_p(start), 0x55, ctypes.c_size_t(2 * size)),
                 "read": lambda: libc.memchr(ctypes.c_void_p(start), 0xaa, ctypes.c_size_t(2 * size)),
                 "copy": lambda: libc.memcpy(ctypes.c_void_p(start), ctypes.c_void_p(start + size),
                                             ctypes.c_size_t(size))}
        speeds = {}
        for name, call in calls.items():
            self.counters.start()
            call()
            speeds[name] = (size if name == "copy" else 2 * size) / self.counters.stop()["ns"]
        memory.close()
        return speeds


def serve(questions, answers):
    """Until the other end is closed."""
    as_usual()
    signal.signal(signal.SIGINT, signal.SIG_IGN)        # a terminal's is for who started it
    gc.disable()
    work = Work()
    for line in questions:
        name, args = json.loads(line)
        try:
            answer = getattr(work, name)(*args)
        except (OSError, MemoryError) as error:
            answer = {"error": str(error) or repr(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class Worker:
    """The process, as who started it sees it. It runs on @cpus, if any are named."""

    def __init__(self, cpus=()):
        question, self.to = os.pipe()
        self.back, answer = os.pipe()
        with held():
            self.pid = os.fork()
            if not self.pid:        # a signal would still undo, in the child as well, what the parent has set
                try:
                    os.close(self.to)
                    os.close(self.back)
                    if cpus:
                        os.sched_setaffinity(0, cpus)
                    with os.fdopen(question) as questions, os.fdopen(answer, "w") as answers:
                        serve(questions, answers)
                finally:
                    os._exit(0)     # nothing of the parent's is to be done twice
        os.close(question)
        os.close(answer)
        self.answers = os.fdopen(self.back)

    def ask(self, name, *args):
        self.send(name, *args)
        return self.receive()

    def send(self, name, *args):
        """The first half of ask(): others can be asked meanwhile."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.to, (json.dumps([name, args]) + "\n").encode())

    def receive(self):
        line = self.answers.readline()
        if not line:
            raise Failure("a process that was measured has ended early; is there too little memory?")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(f"a process that was measured: {answer['error']}")
        return answer

    def end(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self.to)
            self.answers.close()
            self.pid = None
