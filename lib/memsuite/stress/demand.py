# SPDX-License-Identifier: GPL-2.0-only
"""Programs that use memory in a certain way, and check it."""

import json
import math
import mmap
import os
import select
import signal
import sys
import threading
import time
import zlib

from .. import Failure
from ..ending import as_usual, held
from .counters import SAMPLE_S

CHUNK = 1 << 20                 # bytes that are allocated or freed at a time
CHUNK_PAGES = CHUNK // mmap.PAGESIZE
MARKS = bytes(1 + nr % 255 for nr in range(255 + CHUNK_PAGES))
# From one burst to the next, and until all of the memory is another.
PERIOD_S = {"burst": 1, "turnover": 4}


class Memory:
    """Anonymous memory that is allocated, checked and freed by the chunk.

    Each page has a mark, the rest of it is as it came, all 0. Work is what
    programs do as well: page faults and freeing; checks are not counted.
    """

    def __init__(self, chunks, huge):
        self.map = mmap.mmap(-1, chunks * CHUNK, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        try:
            self.map.madvise(mmap.MADV_HUGEPAGE if huge else mmap.MADV_NOHUGEPAGE)
        except OSError:
            pass        # a kernel without huge pages
        self.marks = {}
        self.generation = 0
        self.work = {"cpu_ns": 0, "wall_ns": 0, "touched_pages": 0, "checked_pages": 0, "damaged_pages": 0}

    def do(self, work, *args):
        cpu, wall = time.thread_time_ns(), time.monotonic_ns()
        work(*args)
        self.work["cpu_ns"] += time.thread_time_ns() - cpu
        self.work["wall_ns"] += time.monotonic_ns() - wall

    def mark(self, chunk):
        # No page by page: the assignment runs in C.
        self.map[chunk * CHUNK:(chunk + 1) * CHUNK:mmap.PAGESIZE] = self.marks[chunk]

    def allocate(self, chunk):
        at = (self.generation + chunk * 7) % 255
        self.generation += 1
        self.marks[chunk] = MARKS[at:at + CHUNK_PAGES]
        self.touch(chunk)

    def touch(self, chunk):
        self.do(self.mark, chunk)
        self.work["touched_pages"] += CHUNK_PAGES

    def check(self, chunk):
        expected = bytearray(CHUNK)
        expected[::mmap.PAGESIZE] = self.marks[chunk]
        found = self.map[chunk * CHUNK:(chunk + 1) * CHUNK]
        self.work["checked_pages"] += CHUNK_PAGES
        if found != expected:
            self.work["damaged_pages"] += sum(
                found[at:at + mmap.PAGESIZE] != expected[at:at + mmap.PAGESIZE]
                for at in range(0, CHUNK, mmap.PAGESIZE))

    def free(self, chunk):
        self.check(chunk)
        self.do(self.map.madvise, mmap.MADV_DONTNEED, chunk * CHUNK, CHUNK)
        del self.marks[chunk]

    def read(self):
        """All there is, again and again: what another thread does. The checksum runs without Python's lock."""
        with memoryview(self.map) as view:
            while True:
                for chunk in tuple(self.marks):
                    zlib.crc32(view[chunk * CHUNK:(chunk + 1) * CHUNK])
                time.sleep(0)


# A profile yields what is done when: (seconds since its begin, what, chunk).

def ramp(chunks, seconds, _period):
    for nr, what in enumerate(("allocate", "free")):
        for chunk in range(chunks):
            yield (nr + chunk / chunks) * seconds / 2, what, chunk


def burst(chunks, seconds, period):
    bursts = max(1, int(seconds / period))
    for nr in range(bursts):
        for what in ("allocate", "free"):
            for chunk in range(chunks):
                yield (nr + 0.5) * seconds / bursts, what, chunk


def turnover(chunks, seconds, period):
    for chunk in range(chunks):
        yield 0, "allocate", chunk
    for nr in range(int(chunks * seconds / period)):
        for what in ("free", "allocate"):
            yield nr * period / chunks, what, nr % chunks


def resident(chunks, seconds, _period):
    for second in range(math.ceil(seconds)):
        for chunk in range(chunks):
            yield second, "touch" if second else "allocate", chunk


PROFILES = {profile.__name__: profile for profile in (ramp, burst, turnover, resident)}


def until(moment):
    """Sleep till then; returns how late it is."""
    left = moment - time.monotonic()
    if left > 0:
        time.sleep(left)
    return -left


def demand(args):
    """Run the profile; what does not fit into its time is left out."""
    memory = Memory(args.size, args.huge)
    for _ in range(args.readers):
        threading.Thread(target=memory.read, daemon=True).start()
    parent = os.getppid()
    steps = tuple(PROFILES[args.profile](args.size, args.seconds, args.period or PERIOD_S.get(args.profile)))
    done_steps = 0
    begun = time.monotonic()
    for due, what, chunk in steps:
        if until(begun + due) > args.seconds - due:
            break
        if os.getppid() != parent:
            raise Failure("who wants to know has ended")
        getattr(memory, what)(chunk)
        done_steps += 1
    until(begun + args.seconds)
    for chunk in memory.marks:
        memory.check(chunk)
    return {**memory.work, "steps": len(steps), "done_steps": done_steps}


def child(args, pipe):
    """The process that wants memory: writes what it did and ends."""
    try:
        as_usual()
        os.write(pipe, json.dumps(demand(args)).encode())
    except Exception as error:  # pylint: disable=broad-except
        os.write(pipe, json.dumps({"error": str(error) or repr(error)}).encode())
    finally:
        os._exit(0)     # nothing of the parent's is to be done twice


def start_child(args):
    """Its PID and the pipe that it writes to."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        child(args, theirs)
    os.close(theirs)
    return pid, ours


def end_child(pid, pipe):
    """What it did."""
    text = os.read(pipe, 4096)
    os.close(pipe)
    _, status = os.waitpid(pid, 0)
    if not text:
        raise Failure(f"what was to use memory ended early, by signal {os.WTERMSIG(status)}; "
                      "is there too little memory?")
    result = json.loads(text)
    if "error" in result:
        raise Failure(result["error"])
    return result


def run_demand(args, sample):
    """Run the profile in children, calling @sample with the share of its time that is over; what they did in all."""
    sys.stdout.flush()
    children, works = {}, []    # {pipe: PID}
    begun = time.monotonic()
    try:
        for _ in range(args.instances):
            with held():
                pid, pipe = start_child(args)
                children[pipe] = pid
        while children:
            ended = select.select([*children], [], [], SAMPLE_S)[0]
            for pipe in ended:
                works.append(end_child(children.pop(pipe), pipe))
            if not ended:
                sample(min(1, (time.monotonic() - begun) / args.seconds))
    finally:
        for pipe, pid in children.items():
            os.kill(pid, signal.SIGKILL)
            os.close(pipe)
            os.waitpid(pid, 0)
    return {name: sum(work[name] for work in works) for name in works[0]}
