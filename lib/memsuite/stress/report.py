# SPDX-License-Identifier: GPL-2.0-only
"""What is told of a run."""

import mmap

from ..diag.status import coverage_lines
from ..output import bad_page_count
from .counters import ratio, share_pct
from .energy import algorithm_ops, energy


def per_page(work, clock):
    return ratio(work[clock], work["touched_pages"], 1)


def tlb_growth(base, run):
    """More than without, which took its own time."""
    if run["tlb_shootdowns"] is None or base["tlb_shootdowns"] is None:
        return None
    return run["tlb_shootdowns"] - round(base["tlb_shootdowns"] * run["time_s"] / base["time_s"])


def report(args, configuration, base, run, watch, found):
    """All that is told; @base and @run are (work, growth) without and with tests."""
    work, grown = run
    allocated = grown["allocated_pages"]
    on_demand = grown["on_demand_tests"]
    return {
        "profile": args.profile, "size_mib": args.size, "instances": args.instances, "readers": args.readers,
        "seconds": args.seconds, "period_s": args.period, "measured_s": round(grown["time_s"], 3),
        "steps": work["steps"], "done_steps": work["done_steps"],
        "configuration": configuration,
        "base_cpu_ns_per_page": per_page(base[0], "cpu_ns"),
        "base_wall_ns_per_page": per_page(base[0], "wall_ns"),
        "cpu_ns_per_page": per_page(work, "cpu_ns"),
        "wall_ns_per_page": per_page(work, "wall_ns"),
        "cpu_slowdown_ratio": ratio(per_page(work, "cpu_ns"), per_page(base[0], "cpu_ns"), 3),
        "wall_slowdown_ratio": ratio(per_page(work, "wall_ns"), per_page(base[0], "wall_ns"), 3),
        "touched_pages": work["touched_pages"],
        "allocated_pages": allocated,
        "tested_when_allocated_pct": share_pct(grown["tested_when_allocated_pages"], allocated),
        "untested_when_allocated_pages": grown["untested_when_allocated_pages"],
        "expired_when_allocated_pages": grown["expired_when_allocated_pages"],
        "served_pages": grown["served_pages"],
        "on_demand_tests": on_demand,
        "on_demand_pct": share_pct(on_demand, allocated),
        "mean_covered_pct": watch.mean_covered_pct(),
        "worst_coverage": watch.worst_coverage(),
        "mean_fidelity": round(watch.mean(0), 2),
        "mean_threads": round(watch.mean(1), 2),
        "tested_mib_per_s": ratio(grown["tested_pages"] * mmap.PAGESIZE / 2**20, grown["time_s"], 1),
        "tested_remotely_pct": share_pct(grown["remote_pages"], grown["tested_pages"]),
        "tester_cpu_s": grown["tester_cpu_s"],
        "tester_cpu_pct": share_pct(grown["tester_cpu_s"], grown["time_s"]),
        "moved_pages": grown["moved_pages"],
        "tlb_shootdowns_per_s": ratio(grown["tlb_shootdowns"], grown["time_s"], 2),
        "base_tlb_shootdowns_per_s": ratio(base[1]["tlb_shootdowns"], base[1]["time_s"], 2),
        "extra_tlb_shootdowns": tlb_growth(base[1], grown),
        "energy": energy(args, grown, watch.background_pages, algorithm_ops(configuration["algorithm"])),
        **found,
        "checked_pages": work["checked_pages"] + base[0]["checked_pages"],
        "damaged_pages": work["damaged_pages"],
        "base_damaged_pages": base[0]["damaged_pages"],
        **({"series": watch.series} if args.series else {}),
    }


def error_line(told):
    found = told["found_after_s"]
    line = f"{told['injected_errors']} injected, {told['found_errors']} found"
    if found:
        line += f", after {found[len(found) // 2]} s (median) and {found[-1]} s at most"
    return line + (f"; {told['errors_in_use']} in memory that came into use" if told["errors_in_use"] else "")


def damage_line(told):
    line = f"{told['checked_pages']} pages checked, "
    if not told["damaged_pages"] + told["base_damaged_pages"]:
        return line + "none damaged"
    return line + (f"DAMAGED: {told['damaged_pages']} with tests, "
                   f"{told['base_damaged_pages']} without")


def energy_line(joules):
    if not joules:
        return "unknown: of this algorithm, the accesses to memory are not known"
    return (f"about {joules['total_j']:.2f} J, {joules['mean_w']:.2f} W: {joules['dram_j']:.2f} J of memory at "
            f"{joules['pj_per_bit']:g} pJ a bit, {joules['cpu_j']:.2f} J of cores at {joules['core_watts']:g} W")


def report_lines(told):
    used = told["configuration"]
    times = f"{told['instances']} times " if told["instances"] > 1 else ""
    yield "profile", f"{times}{told['profile']}, {told['size_mib']} MiB, {told['seconds']:g} s" + (
        "" if told["done_steps"] == told["steps"] else
        f"; too fast for this machine: {told['done_steps']} of {told['steps']} steps done")
    yield "configuration", (f"{used['policy']}, {used['algorithm']}, fidelity {told['mean_fidelity']:g} and "
                            f"{told['mean_threads']:g} threads on average, lifetime {used['test_lifetime_s']} s")
    for clock, name in (("cpu", "CPU time"), ("wall", "elapsed time")):
        if told[f"{clock}_slowdown_ratio"] is not None:
            yield "slowdown", (f"{told[f'{clock}_slowdown_ratio']:.3f} in {name}: "
                               f"{told[f'{clock}_ns_per_page']:.0f} ns a page, "
                               f"{told[f'base_{clock}_ns_per_page']:.0f} ns without tests")
    yield "allocated", (f"{told['allocated_pages']} pages, {told['tested_when_allocated_pct']}% with a good test, "
                        f"{told['untested_when_allocated_pages']} untested, "
                        f"{told['expired_when_allocated_pages']} expired")
    yield "on demand", f"{told['on_demand_tests']} pages tested in page faults, {told['on_demand_pct']}%"
    yield "tested", (f"{told['tested_mib_per_s']} MiB/s, {told['tester_cpu_s']:g} s of CPU time, "
                     f"{told['tester_cpu_pct']}% of a CPU")
    for line in coverage_lines(told["worst_coverage"]):
        yield "at worst", line
    yield "moved", f"{told['moved_pages']} pages in use"
    yield "TLB", ("shootdowns are not counted here" if told["extra_tlb_shootdowns"] is None else
                  f"{told['extra_tlb_shootdowns']} shootdowns more than without tests")
    yield "energy", energy_line(told["energy"])
    if told["injected_errors"]:
        yield "errors", error_line(told)
    if told["other_bad_pages"]:
        yield "beware", f"{bad_page_count(told['other_bad_pages'])} found that nobody injected"
    yield "data", damage_line(told)
