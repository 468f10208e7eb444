# SPDX-License-Identifier: GPL-2.0-only
"""All machines together, as a document."""

import collections
import mmap
import os

from .kinds import GROUPINGS, fails, grouped
from .machines import STATES, WELL, absent, judged, worst_dimms, worst_first

EXAMPLES = 3        # machines that are named for what many have


class Fleet:
    """What was told, of each machine the last word, and what could not be read."""

    def __init__(self, now, stale_s):
        self.now, self.stale_s = now, stale_s
        self.machines, self.refused, self.older = {}, [], 0
        self.files = set()      # names of machines, as their files have them

    def add(self, source, told):
        machine = judged(told, source, self.now, self.stale_s)
        key = machine.host, machine.machine
        before = self.machines.get(key)
        self.files.add(os.path.splitext(os.path.basename(source))[0])
        self.older += before is not None
        if before is None or machine.time_s >= before.time_s:
            self.machines[key] = machine

    def refuse(self, source, why):
        self.refused.append({"file": source, "why": why})

    def expect(self, hosts):
        """Machines that are there, whether they tell or not, by their own names or those of their files."""
        told = {host for host, _ in self.machines} | self.files
        for host in hosts:
            machine = absent(host)
            if machine.host not in told:
                self.machines[machine.host, None] = machine

    def named_twice(self):
        """Machines of one name are told apart by where they are from."""
        hosts = collections.Counter(host for host, _ in self.machines)
        return {host for host, count in hosts.items() if count > 1}


def found_on(machines):
    """What doctors have found wrong, by check, the most frequent first."""
    found = {}
    for machine in machines:
        for group, check, text, remedy in {one[:2]: one for one in machine.findings}.values():
            row = found.setdefault((group, check), {"group": group, "check": check, "machines": 0, "hosts": [],
                                                    "found": text, "remedy": remedy})
            row["machines"] += 1
            if len(row["hosts"]) < EXAMPLES:
                row["hosts"].append(machine.host)
    return sorted(found.values(), key=lambda row: (-row["machines"], row["group"], row["check"]))


def versions(machines):
    told = collections.Counter((one.version, one.tool_version, one.kernel) for one in machines
                               if one.time_s is not None)
    return [{"version": version, "tool_version": tool, "kernel": kernel, "machines": count}
            for (version, tool, kernel), count in sorted(told.items(), key=lambda item: (-item[1], str(item[0])))]


def machine_row(machine):
    return {name: value for name, value in machine._asdict().items()
            if name not in ("kinds", "dimms", "findings", "counted_pages", "tested_pages")}


def summary(fleet):
    machines = worst_first(fleet.machines.values())
    states = collections.Counter(one.state for one in machines)
    counted = sum(one.counted_pages for one in machines)
    return {
        "time_s": int(fleet.now), "states": {state: states[state] for state in STATES},
        "memory_bytes": sum(one.memory_bytes for one in machines), "counted_bytes": counted * mmap.PAGESIZE,
        "tested_pct": round(100 * sum(one.tested_pages for one in machines) / counted, 1) if counted else None,
        "testing": sum(one.tests for one in machines), "held": sum(one.held is True for one in machines),
        "not_held": sum(one.held is False for one in machines),
        "bad_pages": sum(one.known or 0 for one in machines),
        "retired_pages": sum(one.retired or 0 for one in machines),
        "failing_machines": sum(fails(one) for one in machines),
        "dimms": worst_dimms(machines), **{f"by_{by}": grouped(machines, by) for by in GROUPINGS},
        "machines": [machine_row(one) for one in machines], "findings": found_on(machines),
        "versions": versions(machines),
        "same_name": sorted(fleet.named_twice()), "refused": fleet.refused, "older": fleet.older,
    }


def needs_care(row):
    return row["state"] != WELL
