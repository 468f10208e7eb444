#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: fleets by the memsuite tool
"""What machines tell of their memory, and the report of many: which DIMMs fail, and which machines need care."""

import copy
import itertools
import json
import os
import random
import re
import resource
import sys
import time
from html.parser import HTMLParser

import jsonschema

import tool
from tool import BAD_PAGE, BAD_PAGES, DEBUGFS, SYSFS, TOP, Tree

from memsuite.fleet import kinds  # pylint: disable=wrong-import-order
from memsuite.fleet.reading import LIMIT  # pylint: disable=wrong-import-order

with open(os.path.join(TOP, "lib", "memsuite", "schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)
WELL, WRONG, BAD, PARTIAL, UNTESTED = 0, 1, 4, 8, 16

DIMM = {"locator": "DIMM_A1", "size_mib": 16384, "manufacturer": "Maker", "part": "GOOD-16G", "serial": "S1", "label": None,
        "bad_pages": 0, "perhaps_bad_pages": 0, "corrected": None, "uncorrected": None, "made": None}
FINDING = {"group": "memory", "check": "testers", "state": "wrong", "found": "CPU 3 finds faults", "remedy": "replace it"}
MODULE = {"loaded": True, "enabled": True, "healthy": True, "reason": None}
MACHINE = {
    "memsuite_machine": 1, "time_s": 0, "host": "", "machine": "0123456789abcdef", "product": "Vendor Product",
    "firmware": "1.0", "kernel": "6.12.1", "tool_version": "0.1.0", "version": "0.1.0", "memory_bytes": 32 << 30,
    "modules": {"memsuite": {**MODULE, "enabled": None}, "memdiag": {
        **MODULE, "bad_page_count": 0, "pending_page_count": 0, "tested_pages": 4096, "passes": 3, "pass_progress_pct": 5}},
    "tests": {"enabled": True, "algorithm": "march-c-", "test_lifetime_s": 180, "passes": 3, "held": True,
              "shortest_lifetime_s": 100, "coverage": {"free_pages": 1000, "free_tested_pct": 100, "kernel_pages": 1000,
                                                       "kernel_tested_pct": 0},
              "demand": {"allocated_pages": 1000, "tested_pages": 900, "untested_pages": 90, "expired_pages": 10}},
    "bad_pages": {"known": 0, "retired": 0, "unsaved": 0, "unrestored": 0, "list_error": None, "groups": []},
    "alarms": [], "dimms": [DIMM, {**DIMM, "locator": "DIMM_A2", "serial": "S2"}], "findings": [], "problems": [],
}


def a_machine(host, *changes, dimm=None):
    """One that is well, but for @changes, (path.of.a.field, value) each, and what its first DIMM has."""
    told = {**copy.deepcopy(MACHINE), "host": host, "time_s": int(time.time()) - 60}
    told["dimms"][0].update(dimm or {})
    for path, value in changes:
        *way, last = path.split(".")
        place = told
        for name in way:
            place = place[name]
        place[last] = value
    return told


def failing(host, pages=1, **dimm):
    return a_machine(host, ("bad_pages.known", pages), ("bad_pages.retired", pages), dimm={"bad_pages": pages, **dimm})


def written(top, **files):
    """A directory of them; what is no text is a document."""
    for name, told in files.items():
        Tree.fill(top, {f"{name}.json": told if isinstance(told, str) else json.dumps(told)})
    return top


def report(top, *args, **options):
    """(exit status, document) of a fleet."""
    result = Tree(os.path.join(top, "tree")).run("fleet", "report", "--json", *args, **options)
    assert "Traceback" not in result.stderr, result.stderr
    told = json.loads(result.stdout)
    described(told, "fleet report")
    return result.returncode, told


def described(told, name):
    jsonschema.Draft7Validator({**SCHEMA["$defs"][name], "$defs": SCHEMA["$defs"]}).validate(told)


def states(told):
    return {row["host"]: row["state"] for row in told["machines"]}


def a_machine_tells(top):
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1", "memdiag/control/bandwidth_pages_s": "8192",
                      "memdiag/control/min_fidelity": "1", "memdiag/control/max_threads": "4",
                      "memdiag/retire_policy/alarms": "dimm DIMM_0 17"},
                {**DEBUGFS, "memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    tool.plug(tree, ("DIMM 0", "A1"), ("DIMM 1", "B2"))
    for args in (("fleet", "tell"), ("fleet", "tell", "--json")):
        result = tree.run(*args)
        assert result.returncode == 0 and result.stdout.count("\n") == 1, result
        told = json.loads(result.stdout)
        described(told, "fleet tell")
        assert told.keys() == MACHINE.keys() and told["tests"].keys() == MACHINE["tests"].keys()
    assert told["bad_pages"]["known"] == 1 and told["bad_pages"]["unsaved"] == 1 and not told["problems"], told
    assert [dimm["bad_pages"] for dimm in told["dimms"]] == [1, 0] and told["alarms"][0]["dimm"] == "DIMM_0"
    assert told["tests"]["held"] in (True, False) and told["tests"]["demand"]["expired_pages"] == 10
    assert re.fullmatch("[0-9a-f]{16}", told["machine"] or "0" * 16)
    # And is reported.
    status, of = report(top, "-", stdin=tell(tree, top))
    assert status & BAD and states(of) == {told["host"]: "in_use"}, of
    assert [(row["slot"], row["serial"], row["state"]) for row in of["dimms"]] == [("DIMM 0", "A1", "over_limit")], of


def tell(tree, top):
    path = os.path.join(top, "told")
    with open(path, "w", encoding="utf-8") as file:
        assert tree.start("fleet", "tell", stdout=file).wait() == 0
    return open(path, encoding="utf-8")


def a_machine_without_modules_tells(top):
    tree = Tree(os.path.join(top, "bare"))
    told = tree.json("fleet", "tell")
    described(told, "fleet tell")
    assert told["version"] is None and told["tests"] is None
    status, of = report(top, "-", stdin=tell(tree, top))
    assert status == WRONG and any("not loaded" in why for why in of["machines"][0]["reasons"]), of
    assert of["versions"] == [{"version": None, "tool_version": told["tool_version"], "kernel": told["kernel"],
                               "machines": 1}], of


def each_state_is_told_the_worst_first(top):
    old = int(time.time()) - 3 * 86400
    fleet = {
        "pending": a_machine("pending", ("bad_pages.known", 2), ("modules.memdiag.pending_page_count", 1)),
        "unrestored": a_machine("unrestored", ("bad_pages.known", 1), ("bad_pages.unrestored", 1)),
        "alarmed": a_machine("alarmed", ("alarms", [{"limit": "dimm", "dimm": "DIMM_A2", "line": "dimm DIMM_A2 9"}])),
        "failing": failing("failing", 3), "ecc": a_machine("ecc", dimm={"corrected": 9, "uncorrected": 2, "label": "A1"}),
        "stale": a_machine("stale", ("time_s", old)), "ahead": a_machine("ahead", ("time_s", old + 6 * 86400)),
        "blind": a_machine("blind", ("bad_pages", None), ("problems", ["permission denied; run as root"])),
        "late": a_machine("late", ("tests.coverage.free_tested_pct", 50)),
        "unsaved": a_machine("unsaved", ("bad_pages.unsaved", 1)), "doctor": a_machine("doctor", ("findings", [FINDING])),
        "note": a_machine("note", ("findings", [{**FINDING, "state": "note"}])), "good": a_machine("good"),
        "corrects": a_machine("corrects", dimm={"corrected": 5, "uncorrected": 0}),
    }
    wanted = {"pending": "in_use", "unrestored": "in_use", "alarmed": "in_use", "failing": "failing", "ecc": "failing",
              "stale": "silent", "ahead": "silent", "blind": "silent", "late": "wrong", "unsaved": "wrong",
              "doctor": "wrong", "note": "well", "good": "well", "corrects": "well"}
    status, told = report(top, written(os.path.join(top, "fleet"), **fleet))
    assert states(told) == wanted and status == WRONG | BAD | PARTIAL, told
    order = [row["state"] for row in told["machines"]]
    assert order == sorted(order, key=["in_use", "failing", "silent", "wrong", "well"].index)
    reasons = {row["host"]: "; ".join(row["reasons"]) for row in told["machines"]}
    for host, why in (("pending", "1 bad page in use"), ("alarmed", "as many pages of DIMM_A2 are bad"), ("stale", "3 d"),
                      ("blind", "run as root"), ("late", "only 50% of free memory"), ("ahead", "clock"),
                      ("doctor", "CPU 3 finds faults"), ("unsaved", "1 bad page not saved"), ("ecc", "2 errors in DIMM_A1")):
        assert why in reasons[host], (host, reasons[host])
    assert not reasons["good"] and told["findings"][0]["hosts"] == ["doctor"] and len(told["findings"]) == 1
    assert [(row["host"], row["state"]) for row in told["dimms"]] == [
        ("alarmed", "over_limit"), ("ecc", "uncorrected"), ("failing", "bad"), ("corrects", "corrected")], told["dimms"]
    # Each alone decides the status.
    alone = {"in_use": BAD, "failing": BAD, "silent": PARTIAL, "wrong": WRONG, "well": WELL}
    for host, state in wanted.items():
        assert report(top, os.path.join(top, "fleet", f"{host}.json"))[0] == alone[state], host
    # And what was told three days ago is new enough for who says so.
    assert report(top, os.path.join(top, "fleet", "stale.json"), "--stale", "4d")[0] == WELL


def people_are_told(top):
    place = written(os.path.join(top, "fleet"), bad=failing("rack1-n7", 3, part="POOR-16G", serial="X99", made="2021-W34"),
                    good=a_machine("fine"), cut='{"memsuite_machine": 1, "host": "li')
    result = Tree(top).run("fleet", "report", place)
    assert result.returncode == BAD | PARTIAL, result
    for text in ("2 machines: 1 memory fails, 1 well", "rack1-n7  DIMM_A1  Maker POOR-16G  X99", "2021-W34", "3 bad pages known"):
        assert text in result.stdout, (text, result.stdout)
    assert "\n  fine " not in result.stdout and result.stderr == f"memsuite: {place}/cut.json: it ends in the middle: it was cut off\n"
    assert "\n  fine " in Tree(top).run("fleet", "report", place, "--all").stdout


TESTS = (
    a_machine_tells,
    a_machine_without_modules_tells,
    each_state_is_told_the_worst_first,
    people_are_told,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
