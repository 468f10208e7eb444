# SPDX-License-Identifier: GPL-2.0-only
"""What is known of each machine, and whether it needs care."""

import collections
import re

from ..diag.alarms import Alarm, alarm_text
from ..diag.dimms import dimms_at
from ..output import bad_page_count
from ..text import printable

# States of a machine, the worst first.
IN_USE, FAILING, SILENT, WRONG, WELL = STATES = ("in_use", "failing", "silent", "wrong", "well")
STATE_TEXT = {IN_USE: "bad memory in use", FAILING: "failing memory", SILENT: "not known", WRONG: "not as it should be",
              WELL: "well"}
COVERED_PCT = 90        # of free memory, below which its tests are late: as the alert MemsuiteTestsLate has it
AHEAD_S = 300           # clocks differ
TEXT_LIMIT = 200

# Findings that the document has as numbers, too.
NUMBERS = ("retired", "kept", "limit")

# Of a DIMM that is to be shown.
OVER, UNCORRECTED, BAD, PERHAPS, CORRECTED = DIMM_STATES = ("over_limit", "uncorrected", "bad", "perhaps", "corrected")
FAILS = (OVER, UNCORRECTED, BAD, PERHAPS)

Machine = collections.namedtuple(
    "Machine", "host machine source state reasons time_s age_s product kernel version tool_version memory_bytes "
    "counted_pages tested_pages tests held free_tested_pct valid_pct known retired in_use kinds dimms findings")
Kind = collections.namedtuple("Kind", "manufacturer part made")


def clean(text):
    """Of strangers: without what a terminal would obey, and not too long."""
    return printable(text if len(text) <= TEXT_LIMIT else text[:TEXT_LIMIT] + "...")


def kind_of(dimm):
    made = dimm.get("made") or ""
    return Kind(clean(dimm["manufacturer"].strip()), clean(dimm["part"].strip()),
                made if re.fullmatch(r"\d{4}-W\d\d", made, re.ASCII) else "")


def dimm_state(dimm, alarmed):
    if alarmed:
        return OVER
    numbers = {UNCORRECTED: "uncorrected", BAD: "bad_pages", PERHAPS: "perhaps_bad_pages", CORRECTED: "corrected"}
    return next((state for state, name in numbers.items() if dimm[name]), None)


def alarmed_dimms(told):
    """Slots whose DIMMs have so many bad pages that no more are retired."""
    every = [dimm for dimm in told["dimms"] if dimm["locator"]]
    found = [dimms_at(alarm["dimm"], every) for alarm in told["alarms"] if alarm["limit"] == "dimm"]
    return {some[0]["locator"] for some in found if len(some) == 1}


def dimms_of(told):
    """(how many of each kind, those that are to be shown)."""
    alarmed = alarmed_dimms(told)
    kinds, shown = collections.Counter(), []
    for dimm in told["dimms"]:
        kind = kind_of(dimm)
        if dimm["locator"] is not None:
            kinds[kind] += 1
        if state := dimm_state(dimm, dimm["locator"] in alarmed):
            shown.append({
                "state": state, "slot": clean(dimm["locator"] or dimm["label"] or "-"), **kind._asdict(),
                "serial": clean(dimm["serial"]), "size_mib": dimm["size_mib"],
                **{name: dimm[name] or 0 for name in ("bad_pages", "perhaps_bad_pages", "corrected", "uncorrected")}})
    return kinds, shown


def counted(told):
    """(pages, those of them that are tested in time)"""
    coverage = (told["tests"] or {"coverage": {}})["coverage"]
    pages = {name[:-len("_pages")]: value for name, value in coverage.items()
             if f"{name[:-len('_pages')]}_tested_pct" in coverage}
    return sum(pages.values()), sum(value * coverage[f"{use}_tested_pct"] / 100 for use, value in pages.items())


def silence(told, age_s, stale_s):
    """Why what was told does not say how the machine is."""
    if age_s > stale_s:
        yield f"has told nothing for {span(age_s)}"
    if age_s < -AHEAD_S:
        yield f"its clock is {span(-age_s)} ahead of this one, or was"
    if told["bad_pages"] is None:
        yield f"its bad pages are not known: {'; '.join(told['problems'][:3]) or 'run as root'}"


def span(seconds):
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}"
    return f"{seconds:.0f} s"


def breaches(tests):
    """What memdiag guarantees, and does not hold; that tests cannot keep up, the doctor of the machine has found."""
    if tests and tests["enabled"] and tests["passes"] and tests["coverage"].get("free_tested_pct", 100) < COVERED_PCT:
        pct = tests["coverage"]["free_tested_pct"]
        yield f"only {pct}% of free memory are tested within {tests['test_lifetime_s']} s"


def unkept(pages):
    """What will be in use after a reboot."""
    if pages["unsaved"]:
        yield f"{bad_page_count(pages['unsaved'])} not saved"
    if pages["list_error"]:
        yield clean(pages["list_error"])


def found_wrong(findings):
    """By check, for what is not installed is not as a whole."""
    first, count = {}, collections.Counter()
    for one in findings:
        if one["check"] not in NUMBERS:
            first.setdefault((one["group"], one["check"]), one["found"])
            count[one["group"], one["check"]] += 1
    for check, text in first.items():
        yield text if count[check] == 1 else f"{clean(text)} (and {count[check] - 1} more)"


def bad_reasons(told, pages, pending, dimms):
    """(bad memory that is in use, bad memory that is withheld, or that only the hardware tells of)"""
    in_use = [f"{bad_page_count(pending)} in use"] if pending else []
    if pages["unrestored"]:
        in_use.append(f"{bad_page_count(pages['unrestored'])} of before the reboot in use")
    in_use += [clean(alarm_text(Alarm(alarm["limit"], alarm["dimm"], ""))) for alarm in told["alarms"]]
    failing = [f"{bad_page_count(pages['known'])} known"] if pages["known"] else []
    failing += [f"{dimm['uncorrected']} errors in {dimm['slot']} that ECC did not correct" for dimm in dimms
                if dimm["uncorrected"]]
    return in_use, failing


def judged(told, source, now, stale_s):
    """A document as a machine."""
    kinds, dimms = dimms_of(told)
    pages = told["bad_pages"] or dict.fromkeys(("known", "retired", "unsaved", "unrestored", "list_error"))
    tests, age_s = told["tests"], now - told["time_s"]
    pending = told["modules"].get("memdiag", {}).get("pending_page_count", 0)
    wrong = [one for one in told["findings"] if one["state"] == "wrong"]
    in_use, failing = bad_reasons(told, pages, pending, dimms)
    reasons = {IN_USE: in_use, FAILING: failing, SILENT: list(silence(told, age_s, stale_s)), WRONG: [
        *unkept(pages), *breaches(tests), *found_wrong(wrong),
        *(told["problems"] if told["bad_pages"] else ())]}
    demand = (tests or {"demand": {}})["demand"]
    total, tested = counted(told)
    return Machine(
        host=clean(told["host"]), machine=told["machine"] and clean(told["machine"]), source=source,
        state=next((state for state in STATES if reasons.get(state)), WELL),
        reasons=[clean(text) for state in STATES for text in reasons.get(state, ())],
        time_s=told["time_s"], age_s=age_s, product=clean(told["product"]), kernel=clean(told["kernel"]),
        version=told["version"] and clean(told["version"]), tool_version=clean(told["tool_version"]),
        memory_bytes=told["memory_bytes"], counted_pages=total, tested_pages=tested,
        tests=bool(tests and tests["enabled"]), held=tests and tests["held"],
        free_tested_pct=tests and tests["coverage"].get("free_tested_pct"),
        valid_pct=(round(100 * demand.get("tested_pages", 0) / demand["allocated_pages"], 1)
                   if demand.get("allocated_pages") else None),
        known=pages["known"], retired=pages["retired"], in_use=pending, kinds=kinds, dimms=dimms,
        findings=[(clean(one["group"]), clean(one["check"]), clean(one["found"]), clean(one["remedy"] or ""))
                  for one in wrong])


def absent(host):
    """A machine that should have told, and has not."""
    return Machine(
        host=clean(host), machine=None, source=None, state=SILENT, reasons=["has told nothing"], time_s=None,
        age_s=None, product="", kernel="", version=None, tool_version="", memory_bytes=0, counted_pages=0,
        tested_pages=0, tests=False, held=None, free_tested_pct=None, valid_pct=None, known=None, retired=None,
        in_use=0, kinds={}, dimms=[], findings=[])


def worst_first(machines):
    return sorted(machines, key=lambda one: (STATES.index(one.state), -one.in_use, -(one.known or 0), one.host,
                                             one.machine or ""))


def worst_dimms(machines):
    """Of all machines, each with where it is."""
    rows = [{"host": one.host, **dimm} for one in machines for dimm in one.dimms]
    return sorted(rows, key=lambda row: (DIMM_STATES.index(row["state"]), -row["uncorrected"], -row["bad_pages"],
                                         -row["perhaps_bad_pages"], -row["corrected"], row["host"], row["slot"]))
