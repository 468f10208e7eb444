# SPDX-License-Identifier: GPL-2.0-only
"""Regions that share pages by weight."""

import contextlib

from .. import Failure
from ..proc import proc_text
from ..sysfs import entries, read, read_debugfs, table
from .segments import SEGMENTS, by_segment


def region_names(regions):
    """Of a list of a policy, with weights or without."""
    return [item.partition("=")[0] for item in regions.split("+")]


def weights_of(regions):
    """{region: weight} of a list of a policy; none: its regions are in order of preference."""
    pairs = [item.partition("=") for item in regions.split("+")]
    return {name: int(weight) for name, _, weight in pairs if weight.isdigit()}


def policy_weights(policy):
    """{segment: {region: weight}} of the segments that have weights."""
    kind, _, rest = policy.partition(":")
    if kind == "region":
        lists = dict.fromkeys(SEGMENTS, rest)
    elif kind == "segment":
        lists = by_segment({segment: regions for segment, _, regions in (item.partition("=") for item in rest.split(","))})
    else:
        lists = {}
    return {segment: weights_of(regions) for segment, regions in lists.items() if weights_of(regions)}


def chosen_by(pid):
    """(the directory of the policy of a process, what it has chosen under it or "-"), if it has one of its own."""
    with contextlib.suppress(Failure, OSError):     # without debugfs
        for row in table(read_debugfs("vipzone", "processes")):
            if row["pid"] == str(pid):
                return row["policy"], row["choice"]
    return None, "-"


def policies_over(pid):
    """The policies that a process is under, each of which goes before the one before it."""
    directory, choice = chosen_by(pid)
    if directory is None:
        whose = {}
        for name in entries("vipzone", "policies"):
            with contextlib.suppress(Failure):      # others come and go
                whose[read("vipzone", "policies", name, "who")] = name
        cgroup = next((line[3:] for line in proc_text(f"{pid}/cgroup").splitlines() if line.startswith("0::")), "/")
        parts = cgroup.rstrip("/").split("/")
        above = [f"cgroup:{'/'.join(parts[:nr]) or '/'}" for nr in range(len(parts), 0, -1)]
        directory = next((whose[who] for who in (str(pid), *above, "machine") if who in whose), None)
    if directory is None:
        return []
    return [read("vipzone", "policies", directory, "policy"), *([choice] if choice != "-" else [])]


def weights_over(pid):
    """{segment: {region: weight}} that a process is under."""
    weights = {}
    for policy in policies_over(pid):
        # A segment that a program gives other regions has those alone.
        if policy.startswith("segment:"):
            named = by_segment({item.partition("=")[0]: "" for item in policy[len("segment:"):].split(",")})
            weights = {segment: of for segment, of in weights.items() if segment not in named}
        weights.update(policy_weights(policy))
    return weights


def share_lines(shares):
    """What each region has beside what it is to have."""
    for share in shares:
        pages, wanted = sum(share.found.values()), sum(share.weights.values())
        if not pages:
            continue
        told = [f"{name} {share.found.get(name, 0) * 100 / pages:.1f}% (of {weight * 100 / wanted:.1f}%)"
                for name, weight in share.weights.items()]
        if "elsewhere" in share.found:
            told.append(f"elsewhere {share.found['elsewhere'] * 100 / pages:.1f}%")
        yield f"shares of {', '.join(sorted(share.segments, key=SEGMENTS.index))}: {', '.join(told)}"
