# SPDX-License-Identifier: GPL-2.0-only
"""What a machine tells of its memory, for a report of many: one document, without programs and users."""

import hashlib
import os
import time

from ..burn_in.verdict import machine
from ..diag.alarms import alarms
from ..diag.bad_pages import all_bad_pages
from ..diag.dimm_errors import dimm_rows
from ..diag.dimms import machine_key
from ..diag.groups import groups
from ..diag.keeping import keeping
from ..diag.plan import measured_speed, planned
from ..doctor.finding import OK
from ..doctor.report import findings
from ..modules import status
from ..output import json_text
from ..overview.state import part
from ..sysfs import number, numbers, read
from ..version import VERSION

FORMAT = 1      # grows when what a field means changes; more fields are no other format


def tests():
    told = planned() if number("memdiag", "enabled") and measured_speed() else {}
    return {"enabled": bool(number("memdiag", "enabled")), "algorithm": read("memdiag", "algorithm"),
            "test_lifetime_s": number("memdiag", "test_lifetime_s"), "passes": number("memdiag", "passes"),
            "held": told.get("held"), "shortest_lifetime_s": told.get("shortest_lifetime_s"),
            "coverage": numbers("memdiag", "coverage"), "demand": numbers(
                "demand", names=("allocated_pages", "tested_pages", "untested_pages", "expired_pages"))}


def bad_pages():
    rows = [row for row in all_bad_pages() if row["origin"] != "emulated"]
    kept = keeping() or {}
    return {"known": len(rows), "retired": sum(row["retired"] == "1" for row in rows),
            "unsaved": len(kept["unsaved"]) if kept else None,
            "unrestored": len(kept["unrestored"]) if kept else None, "list_error": kept.get("error"),
            "groups": groups(rows)}


def identity():
    """Tells machines of one name apart, and nothing else of it: machine-id(5) is not for others."""
    key = machine_key()
    return None if key == "unknown" else hashlib.sha256(f"memsuite {key}".encode()).hexdigest()[:16]


def document():
    problems = []
    about = machine()
    told = part(problems, lambda: status()[0]) or {"version": None, "modules": {}}
    return {
        "memsuite_machine": FORMAT, "time_s": int(time.time()), "host": about["host"], "machine": identity(),
        "product": " ".join(filter(None, (about["sys_vendor"], about["product_name"]))),
        "firmware": about["bios_version"], "kernel": os.uname().release, "tool_version": VERSION,
        "version": told["version"], "memory_bytes": about["memory_bytes"], "modules": told["modules"],
        "tests": part(problems, tests, "memdiag"), "bad_pages": part(problems, bad_pages),
        "alarms": [alarm._asdict() for alarm in part(problems, alarms, "memdiag") or ()],
        "dimms": (part(problems, dimm_rows) or ((), False))[0],
        "findings": [{"group": group, "check": name, "state": one.state, "found": one.found, "remedy": one.remedy}
                     for group, name, one in findings() if one.state != OK],
        "problems": problems,
    }


def cmd_fleet_tell(_args):
    """A line, so that what several machines tell can be put one behind the other."""
    print(json_text(document()))
    return 0
