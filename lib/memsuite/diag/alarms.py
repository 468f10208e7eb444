# SPDX-License-Identifier: GPL-2.0-only
"""Alarms of memdiag: so many pages are bad that no more are retired."""

import collections

from ..sysfs import present, read

# limit: "dimm" (of this one no more) or "pages" (of all; most lie in this one); line: one raised again has another
Alarm = collections.namedtuple("Alarm", "limit dimm line")


def alarms():
    """Those that there are."""
    path = ("memdiag", "retire_policy", "alarms")
    # A module of before an upgrade has none.
    lines = read(*path).splitlines() if present(*path) else []
    return [Alarm(*line.split()[:2], line) for line in lines]


def alarm_text(alarm):
    """What is to be done."""
    return (f"as many pages of {alarm.dimm} are bad as are retired of it (memdiag/retire_policy/limit_dimm_pct)"
            if alarm.limit == "dimm" else
            f"so many pages are bad that no more are retired (memdiag/retire_policy/limit_pages), most in {alarm.dimm}")
