# SPDX-License-Identifier: GPL-2.0-only
"""Exact miss ratio curves of page traces, and how far mrc's are from them."""
import bisect
import json
import math
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "scripts"))
from vmlib import initramfs  # noqa: E402

SIZES = range(1, 101)  # percent of the footprint
RARE = 2e-4  # miss ratios from here on are to be right by their size: they are what a limit costs


def truth(path, windows, *options):
    """Exact miss ratios of LRU memories of 1 to 100 % of the footprint, for each (from, until) in accesses."""
    program = initramfs.compiled(f"{TOP}/tests/programs/mattson.c")
    numbers = [str(n) for window in windows for n in window]
    out = subprocess.run([program, *options, path, *numbers], capture_output=True, text=True, check=True).stdout
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

    def done(seconds):
        at = seconds * 1e6
        (t0, n0), (t1, n1) = next((pair for pair in zip(points, points[1:]) if at < pair[1][0]), points[-2:])
        return int(n0 + (n1 - n0) * (at - t0) / (t1 - t0))

    return done


def error(ratios, exact):
    """The mean absolute one, over sizes."""
    return sum(abs(a - b) for a, b in zip(ratios, exact)) / len(exact)


def factors(ratios, exact):
    """How many times too high or too low each ratio is that is not rare; infinite where it should not be 0."""
    return [2 ** abs(math.log2(a / b)) if a else math.inf for a, b in zip(ratios, exact) if b >= RARE]


def quantile(values, share):
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


class Score:
    """One window of a trace against the truth; beside it a curve that says "never", and what DAMON's samples say."""

    def __init__(self, curve, exact, rate, cliffs, told, damon):
        footprint = exact["footprint"]
        self.sizes = [-(-footprint * percent // 100) for percent in SIZES]
        self.exact = [misses / exact["accesses"] for misses in exact["misses"]]
        # The ratio's band, if it is of the touches that were seen instead of the true rate of accesses. An end that
        # is 1 says that it may be all.
        scale = 1 if told else curve.rate[0] / rate
        self.ratio = [curve.at(curve.ratio, size) if told else min(1, curve.at(curve.rate, size) / rate)
                      for size in self.sizes]
        self.low = [min(1, curve.at(curve.low, size) * scale) for size in self.sizes]
        high = [curve.at(curve.high, size) for size in self.sizes]
        self.high = [1 if h >= 1 else min(1, h * scale) for h in high]
        self.mae, self.factors = error(self.ratio, self.exact), factors(self.ratio, self.exact)
        self.zero_mae = error([0] * len(self.exact), self.exact)
        ratio = damon(self.sizes)
        self.damon_mae, self.damon_factors = error(ratio, self.exact), factors(ratio, self.exact)
        self.width = sum(high - low for low, high in zip(self.low, self.high)) / len(self.sizes)
        # Ratios are told to six digits.
        self.held = sum(low - 1e-6 <= e <= high + 1e-6
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


def replayed(directory, name, mode):
    """To the end."""
    return os.path.exists(f"{directory}/{name}.{mode}.at")


def scores(directory, name, mode, trace):
    """The Score of each window that the guest left the curve of; none of a trace that was not replayed in that mode."""
    def left(suffix):
        with open(f"{directory}/{name}.{mode}.{suffix}", encoding="ascii") as f:
            return f.read()

    if not replayed(directory, name, mode):
        return
    reads = list(map(float, left("reads").split()))
    done = progress(left("at"))
    spans = list(zip(reads, reads[1:]))
    windows = [(done(begin), done(end)) for begin, end in spans]
    exact = truth(f"{directory}/{name}", windows)
    told = os.path.exists(f"{directory}/{name}.{mode}.told")
    for i, (span, window, known) in enumerate(zip(spans, windows, exact), 1):
        if not known["accesses"]:
            raise SystemExit(f"{name} in mode {mode}: nothing was replayed in window {i}, from {span[0]} to {span[1]} s")
        rate = (window[1] - window[0]) / (span[1] - span[0])
        score = Score(Curve(left(f"curve.{i}")), known, rate, trace.cliffs, told,
                      lambda sizes, window=window: trace.damon(sizes, *window))
        yield score, stats(left(f"stats.{i}"))


def stats(text):
    return {key: int(value) for key, value in re.findall(r"(\w+) (\d+)", text)}
