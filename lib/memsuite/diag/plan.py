# SPDX-License-Identifier: GPL-2.0-only
"""What a lifetime of tests would take, before it is set."""

import math
import mmap

from .. import Failure
from ..output import human, print_json
from ..proc import meminfo
from ..stress.energy import algorithm_ops
from ..sysfs import need, number, read

# A sweep has a quarter of the lifetime, or an eighth if contents are moved (kmod-memdiag/paths/controller.c).
SWEEPS, SWEEPS_MOVING = 4, 8
PER_MIB = 2 ** 20 // mmap.PAGESIZE


def plan(pages, ops, speed, lifetime_s, fidelity, threads, budget_mib_s, moving):
    """@speed: pages a second of one thread at fidelity 1; @budget_mib_s: reads and writes, 0: no limit."""
    sweeps = SWEEPS_MOVING if moving else SWEEPS
    wanted = pages * sweeps / lifetime_s
    can = speed * threads / fidelity
    if budget_mib_s:
        can = min(can, budget_mib_s * PER_MIB / ops / fidelity)
    return {
        "memory_bytes": pages * mmap.PAGESIZE, "lifetime_s": lifetime_s, "fidelity": fidelity,
        "wanted_bytes_per_s": int(wanted * mmap.PAGESIZE), "possible_bytes_per_s": int(can * mmap.PAGESIZE),
        "read_and_written_bytes_per_s": int(wanted * mmap.PAGESIZE * ops * fidelity),
        "threads_needed": math.ceil(wanted * fidelity / speed), "threads": threads,
        "budget_mib_s": budget_mib_s, "held": can >= wanted, "shortest_lifetime_s": math.ceil(pages * sweeps / can),
    }


def watts(told, speed, fidelity, args):
    """As `diag stress` counts energy: what the memory moves, and the processors that move it."""
    dram = told["read_and_written_bytes_per_s"] * 8 * args.pj_per_bit * 1e-12
    return dram, told["wanted_bytes_per_s"] / mmap.PAGESIZE * fidelity / speed * args.core_watts


def lines(told):
    yield f"memory    {human(told['memory_bytes'])}"
    yield (f"lifetime  {told['lifetime_s']} s: {human(told['wanted_bytes_per_s'])}/s are to be tested, with "
           f"{human(told['read_and_written_bytes_per_s'])}/s read and written at fidelity {told['fidelity']}")
    yield (f"testers   {told['threads_needed']} all the time, of {told['threads']}"
           + (f"; the budget is {told['budget_mib_s']} MiB/s" if told["budget_mib_s"] else ""))
    yield f"power     {told['dram_w']} W of memory, {told['cpu_w']} W of processors, estimated"
    if told["held"]:
        yield f"held      yes; {told['shortest_lifetime_s']} s could be"
    else:
        yield (f"held      no: {human(told['possible_bytes_per_s'])}/s are possible; set "
               f"{told['shortest_lifetime_s']} s or more, or more of memdiag/control/max_threads")


def measured_speed():
    """Pages a second; 0: not known yet."""
    return number("memdiag", "control", "bandwidth_pages_s")


def planned(lifetime_s=None, fidelity=None, threads=None):
    """As it is set, but for what is given; the speed is known."""
    ops = algorithm_ops(read("memdiag", "algorithm"))
    if not ops:
        raise Failure("how often this algorithm accesses memory is not known")
    return plan(meminfo("MemTotal") // mmap.PAGESIZE, ops, measured_speed(),
                lifetime_s or number("memdiag", "test_lifetime_s"),
                fidelity or number("memdiag", "control", "min_fidelity"),
                threads or number("memdiag", "control", "max_threads"), number("memdiag", "control", "bandwidth_mib_s"),
                number("memdiag", "move_interval_ms") > 0)


def cmd_diag_plan(args):
    need("memdiag")
    speed = measured_speed()
    if not speed:
        raise Failure("how fast this machine tests is not known yet: memsuite diag enable, and wait for some tests")
    told = planned(args.lifetime, args.fidelity, args.threads)
    dram, cpu = watts(told, speed, told["fidelity"], args)
    told.update(dram_w=round(dram, 2), cpu_w=round(cpu, 2))
    if args.json:
        print_json(told)
    else:
        print("\n".join(lines(told)))
    return 0 if told["held"] else 1
