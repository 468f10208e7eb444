# SPDX-License-Identifier: GPL-2.0-only
"""What a burn-in has shown: facts, and a verdict from them."""

import mmap
import os
import time

from ..diag.alarms import alarm_text, alarms
from ..diag.bad_pages import bad_pages
from ..diag.dimms import dimms, dimms_at
from ..diag.edac import edac_dimms, edac_growth
from ..diag.status import effectiveness, effectiveness_lines
from ..exit_status import BAD_MEMORY, PARTIAL
from ..output import bad_page_count, human_pages
from ..proc import meminfo, proc_text
from ..sysfs import number, numbers, read_debugfs, table

GOOD, BAD, PART = "good", "bad", "part"
EXIT = {GOOD: 0, BAD: BAD_MEMORY, PART: PARTIAL}

COUNT_S = 120           # more than counting and the pause before it take at 1 TiB
CANCELLED_S = 15        # systemd kills 90 s after its signal: the settings have to be put back before

# Uses of memory, as memdiag/coverage has them, and what is to be said where they were not tested.
USES = {
    "free": "free: in the reserve that the kernel keeps, on its way between CPUs, or no time was left",
    "user": "in use by programs, and not moved: held, mapped too often, or no time was left",
    "page_cache": "in the page cache, and not moved: held, being written, or no time was left",
    "hugetlb": "huge pages of hugetlbfs; those of 1 GiB are never tested",
    "pinned": "pinned for devices: cannot be moved until it is let go",
    "kernel": "the kernel's own: cannot be moved",
}
DMI_IDS = ("sys_vendor", "product_name", "product_serial", "board_name", "bios_version")
DMI = "/sys/class/dmi/id"
HUGE_1G = "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"
COUNTED = {
    "suspects": ("memdiag", "retire_policy", "suspect_count"),
    "corrected": ("memdiag", "ecc_corrected_errors"),
    "uncorrected": ("memdiag", "ecc_uncorrected_errors"),
}


def line_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


class Counts:
    """What had been found before, to tell what is new."""

    def __init__(self):
        self.bad = {row["pfn"] for row in bad_pages()}
        self.counts = {name: number(*path) for name, path in COUNTED.items()}
        self.edac = edac_dimms()

    def grown(self):
        """What is new: a page that was found again is none."""
        now = Counts()
        return {**{name: max(0, now.counts[name] - self.counts[name]) for name in COUNTED},
                "edac": edac_growth(self.edac, now.edac)}


def machine():
    return {"host": os.uname().nodename, "kernel": os.uname().release,
            **{name: line_of(os.path.join(DMI, name)) for name in DMI_IDS},
            "cpus": os.cpu_count(), "memory_bytes": meminfo("MemTotal"), "dimms": dimms()}


def await_count(longest_s):
    """Memory is counted in the background, and not at each look where there is much of it."""
    asked = time.monotonic()
    while (waited := time.monotonic() - asked) < longest_s:
        if number("memdiag", "coverage", "counted_age_s") <= waited + 1:
            return
        time.sleep(0.5)


def coverage(longest_s):
    """{use: pages, tested, partly, untested}; the time since memdiag was enabled counts."""
    await_count(longest_s)
    values = numbers("memdiag", "coverage")
    return {use: {"pages": values[f"{use}_pages"],
                  **{kind: values.get(f"{use}_{kind}_pages", 0) for kind in ("tested", "partly_tested", "untested")}}
            for use in USES if f"{use}_pages" in values}


def covered_pct(uses):
    pages = sum(use["pages"] for use in uses.values())
    return int(1000 * sum(use["tested"] for use in uses.values()) / pages) / 10 if pages else 0.0


def untested(uses):
    """What could not be tested, and why."""
    found = [{"use": name, "pages": uses[name]["pages"] - uses[name]["tested"], "why": why}
             for name, why in USES.items() if name in uses and uses[name]["pages"] > uses[name]["tested"]]
    retired = meminfo("HardwareCorrupted") // mmap.PAGESIZE
    if retired:
        found.append({"use": "retired", "pages": retired, "why": "known to be bad, and withheld"})
    return found


def suspects():
    """Pages that failed and are in use, with their DIMMs."""
    try:
        return table(read_debugfs("memdiag", "suspects"))
    except (FileNotFoundError, OSError):
        return []


def facts(schedule, counts, temperatures, asked, cancelled):
    """All that is told; read while the settings of the burn-in are in force."""
    uses, every = coverage(CANCELLED_S if cancelled else COUNT_S), dimms()
    found = [{**row, "by": schedule.found_by.get(row["pfn"], "-"), "dimms": dimms_at(row["dimm"], every)}
             for row in bad_pages() if row["pfn"] not in counts.bad]
    new = counts.grown()
    new.update(suspect_pages=suspects() if new["suspects"] else [], pages=found, known_before=len(counts.bad),
               alarms=[alarm_text(alarm) for alarm in alarms()])
    flags = effectiveness()
    return {
        "begun": time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(time.time() - schedule.elapsed_s())),
        "asked_s": asked.time, "ran_s": round(schedule.elapsed_s(), 1), "ended_early": None,
        "machine": machine(), "whole_rounds": schedule.rounds, "first_round_s": schedule.first_round_s,
        "tests": schedule.runs, "tests_left_out": schedule.left_out(),
        "coverage": uses, "covered_pct": covered_pct(uses), "wanted_pct": asked.coverage,
        "untested": untested(uses), "found": new, "temperatures": temperatures.highest,
        "heated": not asked.no_heat, "loadavg": proc_text("loadavg").split()[:3],
        "beware": list(effectiveness_lines(flags)), "effectiveness": flags,
        "huge_pages_1g": int(line_of(HUGE_1G) or 0),
    }


def findings(told):
    """What speaks against the memory."""
    found = told["found"]
    by_dimm = {}
    for page in found["pages"]:
        by_dimm.setdefault(page["dimm"], []).append(page)
    for dimm, pages in by_dimm.items():
        classes = ", ".join(sorted({page["class"] for page in pages}))
        emulated = sum(page["origin"] == "emulated" for page in pages)
        where = f"in {dimm}" if dimm != "-" else "in a DIMM that the firmware does not tell"
        yield (f"{bad_page_count(len(pages))} found {where} ({classes})"
               + (f"; of these, {emulated} emulated by memdiag/inject" if emulated else ""))
    for text in found["alarms"]:
        yield f"{text}: replace it"
    if found["suspects"]:
        yield (f"{found['suspects']} pages failed, not often enough to be retired "
               "(memdiag/retire_policy): they are in use")
    if found["uncorrected"]:
        yield f"{found['uncorrected']} memory errors that the hardware could not correct"
    if found["corrected"]:
        yield f"{found['corrected']} memory errors that the hardware corrected"
    for dimm in found["edac"]:
        yield (f"EDAC counted {dimm['corrected']} corrected and {dimm['uncorrected']} uncorrected errors "
               f"of {dimm['label']}")


def shortcomings(told):
    """Why the machine is not tested as it should be."""
    if told["ended_early"]:
        yield f"ended early: {told['ended_early']}"
    left = told["tests_left_out"]
    if left:
        yield (f"{len(left)} tests have not gone over all free memory: {', '.join(left)}; give it more time"
               if told["tests"] else "no test was run")
    if told["covered_pct"] < told["wanted_pct"]:
        yield f"{told['covered_pct']}% of memory were tested, {told['wanted_pct']:g}% are wanted"


def judge(told):
    """Adds the verdict, and the reasons for it."""
    bad, part = list(findings(told)), list(shortcomings(told))
    told["verdict"] = BAD if bad else PART if part else GOOD
    told["reasons"] = bad + part
    return told


VERDICT_TEXT = {GOOD: "GOOD", BAD: "BAD MEMORY FOUND", PART: "TESTED IN PART, nothing bad found"}


def time_text(seconds):
    """As people say it."""
    seconds = int(seconds)
    parts = [(seconds // 86400, "d"), (seconds // 3600 % 24, "h"), (seconds // 60 % 60, "min"), (seconds % 60, "s")]
    while len(parts) > 1 and not parts[0][0]:
        parts = parts[1:]
    return " ".join(f"{value} {unit}" for value, unit in parts[:2] if value or unit == parts[0][1])


def summary_lines(told):
    """For a terminal."""
    yield "verdict", VERDICT_TEXT[told["verdict"]]
    for reason in told["reasons"]:
        yield "because", reason
    ran = sum(run["runs"] > 0 for run in told["tests"].values())
    yield "tested", (f"{told['covered_pct']}% of memory, by {ran} tests, {told['whole_rounds']} whole rounds, "
                     f"in {time_text(told['ran_s'])}")
    for left in told["untested"]:
        yield "untested", f"{human_pages(left['pages'])} {left['why']}"
    if told["huge_pages_1g"]:
        yield "untested", f"of these, {told['huge_pages_1g']} huge pages of 1 GiB: free them before (vm.nr_hugepages)"
    if told["temperatures"]:
        yield "hottest", ", ".join(f"{kind} {degrees:g} °C" for kind, degrees in sorted(told["temperatures"].items()))
    for line in told["beware"]:
        yield "beware", line
