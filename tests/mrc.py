# SPDX-License-Identifier: GPL-2.0-only
"""Page traces, their exact miss ratio curves, and how far mrc's are from them."""
import bisect
import json
import os
import re
import subprocess
import sys

import numpy

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "scripts"))
from vmlib import initramfs  # noqa: E402

PAGES, ACCESSES = 20000, 1000000
RATE = 200000
SIZES = range(1, 101)  # percent of the footprint


class Trace:
    """Pages, with counts and times if there are any; @rate is in accesses per second, 0 with times."""

    def __init__(self, pages, counts=None, times=None, rate=RATE, seconds=24, windows=1, cliffs=()):
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


def synthetic(seed=1):
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
        "phases": lambda r: Trace(phases(r), seconds=10, windows=8),
        "LINEAR": lambda r: Trace(numpy.arange(half), counts=numpy.full(half, 64), rate=64 * RATE // 4, cliffs=[half]),
        "INTR": interactive,
        "loops-in-loop": lambda r: Trace(numpy.concatenate([numpy.arange(half // 5)] * 9 + [numpy.arange(half)]),
                                         cliffs=[half // 5, half]),
        "to-and-fro": lambda r: Trace(numpy.concatenate([numpy.arange(half), numpy.arange(half)[::-1]])),
        "short-loop": lambda r: Trace(numpy.arange(PAGES // 8), cliffs=[PAGES // 8]),
        "slow": lambda r: Trace(zipf(r, n // 4, half, 0.8), rate=RATE // 10, seconds=40),
        "fast": lambda r: Trace(zipf(r, n, PAGES, 0.8), rate=RATE * 5),
    }
    return {name: lambda name=name, function=function: made(name, function) for name, function in kinds.items()}


def truth(path, windows):
    """Exact miss ratios of LRU memories of 1 to 100 % of the footprint, for each (from, until) in accesses."""
    program = initramfs.compiled(f"{TOP}/tests/programs/mattson.c")
    numbers = [str(n) for window in windows for n in window]
    out = subprocess.run([program, path, *numbers], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


class Curve:
    """A curve as debugfs has it."""

    def __init__(self, text):
        rows = [list(map(float, line.split())) for line in text.splitlines() if not line.startswith("#")]
        self.pages, self.rate, self.ratio, self.low, self.high = (list(column) for column in zip(*rows))

    def at(self, column, pages):
        """Interpolated; beyond the last size nothing is missed."""
        i = bisect.bisect_left(self.pages, pages)
        if i == len(self.pages):
            return column[-1]
        if not i:
            return column[0]
        share = (pages - self.pages[i - 1]) / (self.pages[i] - self.pages[i - 1])
        return column[i - 1] + share * (column[i] - column[i - 1])


def progress(text):
    """Accesses done by a time, from what replay printed."""
    points = [tuple(map(int, line.split()[1:])) for line in text.splitlines() if line.startswith("at ")]
    times, done = zip(*points)
    return lambda seconds: int(numpy.interp(seconds * 1e6, times, done))


class Score:
    """One window of a trace against the truth."""

    def __init__(self, curve, exact, rate, cliffs, told):
        footprint = exact["footprint"]
        self.sizes = [-(-footprint * percent // 100) for percent in SIZES]
        self.exact = [misses / exact["accesses"] for misses in exact["misses"]]
        # The ratio's band, if it is of the touches that were seen instead of the true rate of accesses. An end that
        # is 1 says that it may be all.
        scale = 1 if told else curve.rate[0] / rate
        self.ratio = [min(1, curve.at(curve.rate, size) / rate) for size in self.sizes]
        self.low = [min(1, curve.at(curve.low, size) * scale) for size in self.sizes]
        high = [curve.at(curve.high, size) for size in self.sizes]
        self.high = [1 if h >= 1 else min(1, h * scale) for h in high]
        self.mae = sum(abs(a - b) for a, b in zip(self.ratio, self.exact)) / len(self.sizes)
        self.width = sum(high - low for low, high in zip(self.low, self.high)) / len(self.sizes)
        # Ratios are told to four digits.
        self.held = sum(low - 1e-4 <= e <= high + 1e-4
                        for low, e, high in zip(self.low, self.exact, self.high)) / len(self.sizes)
        self.cliffs = [(at, self.cliff(curve, rate, exact, at)) for at in cliffs]

    @staticmethod
    def cliff(curve, rate, exact, at):
        """Where the curve falls through the middle of the cliff at @at."""
        footprint = exact["footprint"]
        percent = at * 100 / footprint
        above = exact["misses"][max(0, int(percent * 0.95) - 1)] / exact["accesses"]
        below = exact["misses"][min(99, int(percent * 1.05 + 0.99))] / exact["accesses"] if percent < 95 else 0
        middle = (above + below) / 2
        return max((pages for pages, r in zip(curve.pages, curve.rate) if r / rate >= middle), default=0)


def scores(directory, name, trace):
    """The Score of each window that the guest left the curve of."""
    def left(suffix):
        with open(f"{directory}/{name}.{suffix}", encoding="ascii") as f:
            return f.read()

    reads = list(map(float, left("reads").split()))
    done = progress(left("at"))
    spans = list(zip(reads, reads[1:]))
    windows = [(done(begin), done(end)) for begin, end in spans]
    exact = truth(f"{directory}/{name}", windows)
    for i, (span, window, known) in enumerate(zip(spans, windows, exact), 1):
        rate = (window[1] - window[0]) / (span[1] - span[0])
        yield Score(Curve(left(f"curve.{i}")), known, rate, trace.cliffs), stats(left(f"stats.{i}"))


def stats(text):
    return {key: int(value) for key, value in re.findall(r"(\w+) (\d+)", text)}
