# SPDX-License-Identifier: GPL-2.0-only
"""Figures with their noise: medians of several runs, and how far the runs lie apart."""

import math
import statistics


def noise_pct(values):
    """Half the distance between the quartiles, in percent of the median."""
    if len(values) < 4 or not statistics.median(values):
        return None
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return round(abs(50 * (high - low) / statistics.median(values)), 2)


def rounded(value):
    """To six digits: the rest is noise."""
    return float(f"{value:.6g}")


def figure(name, text, unit, values=(), why=None):
    """@why: for what reason there are no values."""
    return {"figure": name, "text": text, "unit": unit, "runs": len(values),
            "median": rounded(statistics.median(values)) if values else None,
            "low": rounded(min(values)) if values else None, "high": rounded(max(values)) if values else None,
            "noise_pct": noise_pct(values), "against": None, "ratio": None, "ratio_noise_pct": None, "why": why}


class Figures:
    """All that were measured, by name and unit."""

    def __init__(self):
        self.values, self.texts, self.against, self.whys = {}, {}, {}, {}
        self.noises = {}        # of what somebody else has measured

    def expect(self, name, text, against=None):
        """It is told of, in this order, whether it can be measured or not."""
        self.texts[name], self.against[name] = text, against

    def add(self, name, values):
        """A run: {unit: value}."""
        for unit, value in values.items():
            self.values.setdefault((name, unit), []).append(value)

    def add_known(self, name, unit, value, noise):
        """What somebody else has measured, who knows its noise in percent."""
        self.values[name, unit] = [value]
        self.noises[name, unit] = noise

    def lack(self, names, why):
        """Of those without a run, why they have none."""
        for name in names:
            self.whys.setdefault(name, why)

    def rows(self):
        for name, text in self.texts.items():
            units = [unit for known, unit in self.values if known == name]
            for unit in units:
                row = figure(name, text, unit, self.values[name, unit])
                row["noise_pct"] = self.noises.get((name, unit), row["noise_pct"])
                yield self.compared(row)
            if not units:
                yield figure(name, text, None, why=self.whys.get(name, "it was not measured"))

    def compared(self, row):
        base = self.values.get((self.against[row["figure"]], row["unit"]))
        if base and statistics.median(base):
            noises = row["noise_pct"], noise_pct(base)
            median = statistics.median(self.values[row["figure"], row["unit"]])
            row.update(against=self.against[row["figure"]], ratio=round(median / statistics.median(base), 4),
                       ratio_noise_pct=None if None in noises else round(math.hypot(*noises), 2))
        return row
