# SPDX-License-Identifier: GPL-2.0-only
"""What regions and processes take: the ledger of vipzone, and RAPL."""

import os
import time

from .. import Failure
from ..output import human, print_json, print_table
from ..proc import command_of
from ..sysfs import entries, need, number, read, read_debugfs, table

POWERCAP = os.environ.get("MEMSUITE_POWERCAP", "/sys/class/powercap")

LEDGER = ("idle_energy_uj", "access_energy_nj", "access_error_nj", "access_latency_ns", "sampled_reads", "sampled_writes",
          "counted_reads", "counted_writes", "written_kib", "over_budget")
BILL = ("sampled_reads", "sampled_writes", "counted_reads", "counted_writes", "access_energy_nj", "access_error_nj",
        "access_latency_ns")
ERRORS = {
    "touches": "accesses are a lower bound: one for each page used between two looks",
    "pmu": "accesses are counted, and divided among regions by the pages used: +- is what that may be off",
}


def rapl():
    """{domain: (µJ, where it begins anew)} of the DRAM domains of RAPL."""
    domains = {}
    try:
        directories_of = sorted(os.listdir(POWERCAP))
    except OSError:
        return {}
    for directory in directories_of:
        try:
            texts = []
            for name in ("name", "energy_uj", "max_energy_range_uj"):
                with open(os.path.join(POWERCAP, directory, name), encoding="utf-8") as file:
                    texts.append(file.read().strip())
        except OSError:
            continue    # no domain, or not for this user
        if texts[0] == "dram":
            domains[directory] = int(texts[1]), int(texts[2])
    return domains


def energy_now():
    return ({name: {key: number("vipzone", "ledger", name, key) for key in LEDGER}
             for name in entries("vipzone", "ledger")}, rapl(), time.monotonic())


def source_now():
    """How accesses are known."""
    return read("vipzone", "accesses", "source") if number("vipzone", "audit", "sample_accesses") else "touches"


def wear_years(name, kib, seconds):
    """How long a region lasts at that rate, if it wears evenly; None if not known."""
    if not kib:
        return None
    cell_writes = number("regions", name, "endurance_writes")
    size_kib = (number("regions", name, "end") - number("regions", name, "start")) >> 10
    if not cell_writes:
        return None
    return cell_writes * size_kib / (kib / seconds) / (365.25 * 86400)


def bills_now():
    """{(process, region): counts}; of none but regions without debugfs, which is root's."""
    try:
        rows = table(read_debugfs("vipzone", "ledger"))
    except Failure:
        return {}
    return {(int(row["pid"]), row["region"]): {key: int(row[key]) for key in BILL} for row in rows}


def bills_told(before, after, source, seconds):
    """What each process took of each region between two looks, the dearest first."""
    known = "counted" if source == "pmu" else "sampled"
    told = []
    for (pid, region), counts in after.items():
        grown = {key: counts[key] - before.get((pid, region), {}).get(key, 0) for key in BILL}
        told.append({"pid": pid, "command": command_of(pid), "region": region,
                     "access_w": grown["access_energy_nj"] / 1e9 / seconds,
                     "access_error_w": grown["access_error_nj"] / 1e9 / seconds,
                     "reads": grown[f"{known}_reads"], "writes": grown[f"{known}_writes"],
                     "latency_s": grown["access_latency_ns"] / 1e9})
    return sorted(told, key=lambda row: (-row["access_w"], -row["reads"] - row["writes"], row["pid"], row["region"]))


def print_bills(rows):
    """Those that took something."""
    rows = [row for row in rows if row["reads"] or row["writes"]]
    if not rows:
        return
    print_table(["PID", "COMMAND", "REGION", "ACCESSES", "+-", "READS", "WRITES", "LATENCY"],
                [[row["pid"], row["command"], "elsewhere" if row["region"] == "-" else row["region"],
                  f"{row['access_w']:.6f} W", f"{row['access_error_w']:.6f} W", row["reads"], row["writes"],
                  f"{row['latency_s']:.6f} s"] for row in rows],
                right=("PID", "ACCESSES", "+-", "READS", "WRITES", "LATENCY"))


def energy_told(before, after, source="touches"):
    """What became of it between two looks."""
    known = "counted" if source == "pmu" else "sampled"
    seconds = after[2] - before[2]
    told = {"seconds": seconds, "source": source, "regions": {}, "rapl": {}}
    for name, counts in after[0].items():
        grown = {key: counts[key] - before[0].get(name, {}).get(key, 0) for key in LEDGER}
        told["regions"][name] = {
            "idle_w": grown["idle_energy_uj"] / 1e6 / seconds, "access_w": grown["access_energy_nj"] / 1e9 / seconds,
            "access_error_w": grown["access_error_nj"] / 1e9 / seconds,
            "reads": grown[f"{known}_reads"], "writes": grown[f"{known}_writes"],
            "latency_s": grown["access_latency_ns"] / 1e9, "written_kib": grown["written_kib"],
            "over_budget": bool(counts["over_budget"]), "years": wear_years(name, grown["written_kib"], seconds)}
    for domain, (energy_uj, most) in after[1].items():
        if domain in before[1]:
            grown = energy_uj - before[1][domain][0]
            told["rapl"][domain] = (grown if grown >= 0 else grown + most) / 1e6 / seconds
    return told


def cmd_zone_energy(args):
    need("vipzone")
    before = energy_now()
    if not before[0]:
        raise Failure("there is no policy, and so no ledger: memsuite zone add")
    bills = bills_now()
    time.sleep(args.seconds)
    told = energy_told(before, energy_now(), source_now())
    told["processes"] = bills_told(bills, bills_now(), told["source"], told["seconds"])
    if args.json:
        print_json(told)
        return 0
    rows = [[name, f"{row['idle_w']:.3f} W", f"{row['access_w']:.6f} W", f"{row['access_error_w']:.6f} W",
             row["reads"], row["writes"],
             f"{row['latency_s']:.6f} s", human(row["written_kib"] << 10),
             "over budget" if row["over_budget"] else f"{row['years']:.3g} years" if row["years"] else "-"]
            for name, row in told["regions"].items()]
    print_table(["REGION", "IDLE", "ACCESSES", "+-", "READS", "WRITES", "LATENCY", "WRITTEN", "WEAR"], rows,
                right=("IDLE", "ACCESSES", "+-", "READS", "WRITES", "LATENCY", "WRITTEN"))
    print_bills(told["processes"])
    for domain, watts in told["rapl"].items():
        print(f"measured (RAPL {domain}): {watts:.3f} W, of all programs and the kernel")
    print(f"in {told['seconds']:.1f} s; {ERRORS[told['source']]}")
    if not number("vipzone", "audit", "interval_ms"):
        print("accesses are not sampled: write an interval to vipzone/audit/interval_ms")
    return 0
