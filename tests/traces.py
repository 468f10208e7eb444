# SPDX-License-Identifier: GPL-2.0-only
"""Page traces: made by a rule and a seed, or recorded from real programs."""
import os
import shutil
import subprocess

import numpy

from mrc import TOP, initramfs

PAGES, ACCESSES = 20000, 1000000
RATE = 200000
DAMON_US = 5000  # its sampling interval, as it is when nobody sets it


class Trace:
    """Pages, with counts and times if there are any; @rate is in accesses per second, 0 with times."""

    def __init__(self, pages, counts=None, times=None, rate=RATE, seconds=20, windows=1, cliffs=()):
        self.pages, self.counts, self.times = pages, counts, times
        self.rate, self.seconds, self.windows, self.cliffs = rate, seconds, windows, cliffs

    def write(self, path):
        columns = [numpy.char.mod("%d", self.pages)]
        if self.counts is not None:
            columns = [numpy.char.add(columns[0], numpy.char.mod("*%d", self.counts))]
        if self.times is not None:
            columns.append(numpy.char.mod("%d", self.times))
        with open(path, "w", encoding="ascii") as f:
            f.writelines(" ".join(line) + "\n" for line in zip(*columns))


    def damon(self, sizes, begin, end):
        """Miss ratios of memories of @sizes, from what DAMON's samples tell at best, with a region for each page: those
        found accessed most often are kept, and the others' share is missed. Of the accesses from @begin to before @end."""
        counts = numpy.ones(len(self.pages), dtype=numpy.int64) if self.counts is None else self.counts
        at = numpy.cumsum(counts) - counts
        us = at * 1e6 / self.rate if self.times is None else self.times
        length = at[-1] + counts[-1]
        inside = (at - begin) % length < end - begin
        samples = numpy.unique(numpy.stack((us[inside] // DAMON_US, self.pages[inside])), axis=1)
        found = numpy.sort(numpy.bincount(samples[1].astype(numpy.int64), minlength=max(sizes)))[::-1]
        kept = numpy.cumsum(found) / found.sum()
        return [float(1 - kept[size - 1]) for size in sizes]


def zipf(random, n, pages, exponent):
    weights = numpy.cumsum(1 / numpy.arange(1, pages + 1) ** exponent)
    return random.permutation(pages)[numpy.searchsorted(weights, random.random(n) * weights[-1])]


def mixed(random, n, *parts):
    """Accesses of several parts, (share, pages, function of a number of accesses), each with pages of its own."""
    which = random.choice(len(parts), size=n, p=[share for share, _, _ in parts])
    out = numpy.empty(n, dtype=numpy.int64)
    first = 0
    for i, (_, pages, function) in enumerate(parts):
        out[which == i] = first + function(numpy.count_nonzero(which == i))
        first += pages
    return out


def loop(pages):
    return lambda n: numpy.arange(n) % pages


def phases(random):
    """Four programs in turn, ten seconds each, with pages of their own."""
    n = 10 * RATE
    parts = [zipf(random, n, PAGES // 4, 0.8), loop(PAGES // 5)(n), random.integers(0, PAGES // 4, n),
             mixed(random, n, (0.8, PAGES // 40, lambda k: random.integers(0, PAGES // 40, k)),
                   (0.2, PAGES // 5, loop(PAGES // 5)))]
    return numpy.concatenate([part + i * PAGES // 4 for i, part in enumerate(parts)])


def interactive(random):
    """Bursts of 20 ms, and 80 ms of sleep after each: paper 001's INTR."""
    accesses = numpy.arange(ACCESSES // 2)
    burst = RATE // 50
    times = accesses // burst * 100000 + accesses % burst * (20000 // burst)
    return Trace(zipf(random, len(accesses), PAGES // 2, 0.8), times=times, rate=0)


def read(path, rate=RATE, seconds=20, windows=1):
    """A trace file, as tests/guest/bench/replay.c reads it: lines of PAGE[*COUNT] [TIME_US]. Pages are numbered anew."""
    pages, counts, times = [], [], []
    with open(path, encoding="ascii") as file:
        for at, line in enumerate(file, 1):
            try:
                access, *time = line.split()
                page, _, count = access.partition("*")
                pages.append(int(page, 0))
                counts.append(int(count or 1))
                times += map(int, time[:1])
            except ValueError:
                raise SystemExit(f"{path}:{at}: not PAGE[*COUNT] [TIME_US]: {line.strip()!r}") from None
    if not pages or len(times) not in (0, len(pages)):
        raise SystemExit(f"{path}: no accesses, or some of them without a time")
    numbered = numpy.unique(numpy.array(pages), return_inverse=True)[1]
    return Trace(numbered, counts=numpy.array(counts), times=numpy.array(times) if times else None,
                 rate=0 if times else rate, seconds=seconds, windows=windows)


def known(seed=1):
    """Name: what makes the trace."""
    def made(name, function):
        return function(numpy.random.default_rng([seed, sum(map(ord, name))]))

    half, n = PAGES // 2, ACCESSES
    kinds = {
        "zipf-0.8": lambda r: Trace(zipf(r, n, PAGES, 0.8)),
        "zipf-1.2": lambda r: Trace(zipf(r, n, PAGES, 1.2)),
        "loop": lambda r: Trace(numpy.arange(PAGES), cliffs=[PAGES]),
        "loop-zipf": lambda r: Trace(mixed(r, n, (0.5, half, loop(half)), (0.5, half, lambda k: zipf(r, k, half, 0.8)))),
        "hot-cold": lambda r: Trace(mixed(r, n, (0.9, PAGES // 10, lambda k: r.integers(0, PAGES // 10, k)),
                                          (0.1, PAGES * 9 // 10, lambda k: r.integers(0, PAGES * 9 // 10, k)))),
        "uniform": lambda r: Trace(r.integers(0, PAGES, n)),
        "scan-zipf": lambda r: Trace(mixed(r, n, (0.1, half, loop(half)), (0.9, half, lambda k: zipf(r, k, half, 1.0)))),
        "phases": lambda r: Trace(phases(r), seconds=10, windows=4),
        "LINEAR": lambda r: Trace(numpy.arange(half), counts=numpy.full(half, 64), rate=64 * RATE // 4, cliffs=[half]),
        "INTR": interactive,
        "loops-in-loop": lambda r: Trace(numpy.concatenate([numpy.arange(half // 5)] * 9 + [numpy.arange(half)]),
                                         cliffs=[half // 5, half]),
        "to-and-fro": lambda r: Trace(numpy.concatenate([numpy.arange(half), numpy.arange(half)[::-1]])),
        "short-loop": lambda r: Trace(numpy.arange(PAGES // 8), cliffs=[PAGES // 8]),
        "slow": lambda r: Trace(zipf(r, n // 4, half, 0.8), rate=RATE // 10, seconds=30),
        "fast": lambda r: Trace(zipf(r, n, PAGES, 0.8), rate=RATE * 5),
    }
    return {**{name: lambda name=name, function=function: made(name, function) for name, function in kinds.items()},
            **{name: lambda name=name: recorded(name) for name in RECORDED}}


# What lackey records: the program, and how many accesses to leave out at its start.
RECORDED = {
    "gcc": (["-quiet", "-O2", "-o", "/dev/null", f"{TOP}/tests/guest/mrc/loop.c"], 2000000),
    "sqlite3": (["sqlite3", ":memory:",
                 "create table t(a, b, c); with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)"
                 " insert into t select i, i * 7919 % 10007, hex(zeroblob(20)) from n; create index x on t(b);"
                 " select count(*), sum(a) from t where b in (select b from t where a % 7 = 0);"
                 " select b, count(*) from t group by b order by 2 desc limit 3"], 5000000),
    "python3": (["/usr/bin/python3", "-c", "import json, random; d = {str(random.random()): [i] for i in range(30000)};"
                 " print(len(json.dumps(json.loads(json.dumps(d)))))"], 20000000),
    "redis": (["redis-server", "--port", "6390", "--save", "", "--appendonly", "no"], 20000000),
}
RECORD = 30000000  # accesses


def record(name, path):
    """Records a page trace of a real program, its children left out."""
    command, skip = RECORDED[name]
    if name == "gcc":
        compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=True).stdout
        command = [compiler.strip(), *command]
    if not shutil.which(command[0]):
        raise SystemExit(f"{command[0]} is not installed: scripts/install-tools")
    reduce = initramfs.compiled(f"{TOP}/tests/programs/pages.c")
    end, other = os.pipe()
    with open(path, "w", encoding="ascii") as out:
        program = subprocess.Popen(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-fd={other}", *command],
                                   pass_fds=[other], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        os.close(other)
        load = None
        if name == "redis":
            load = subprocess.Popen(["redis-benchmark", "-p", "6390", "-n", "20000", "-r", "20000", "-c", "4", "-t",
                                     "set,get,lpush"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([reduce, str(skip), str(RECORD)], stdin=end, stdout=out, check=True)
        os.close(end)
        for process in (load, program):
            if process:
                process.kill()
                process.wait()


def recorded(name):
    """The trace of a real program; recorded once, below out/."""
    path = f"{TOP}/out/mrc/{name}.trace"
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        record(name, f"{path}.new")
        os.rename(f"{path}.new", path)
    pages, counts = numpy.loadtxt(path, dtype=numpy.int64, delimiter="*").T
    return Trace(pages, counts=counts, rate=15 * RATE, windows=2, seconds=10)
