# SPDX-License-Identifier: GPL-2.0-only
"""Weights of regions that are to share pages, by the bandwidth that they are found to have."""

import contextlib
import errno
import glob
import math
import os
import statistics

from .. import Failure
from ..bench.streaming import buffer_mib
from ..bench.worker import Worker
from ..output import print_json, print_table
from ..proc import PAGE
from ..sysfs import entries, need, number, read
from .astray import policy_of
from .policies import FALLBACKS, add_policy

RUNS = 5
SUM = 32                # of weights, about, as the kernel's own automatic ones: a round stays short
ASTRAY_PERCENT = 5


def in_proportion(speeds):
    """{region: weight} of {region: speed}"""
    total = sum(speeds.values())
    weights = {name: max(1, round(SUM * speed / total)) for name, speed in speeds.items()}
    factor = math.gcd(*weights.values())
    return {name: weight // factor for name, weight in weights.items()}


def last_caches(cpus):
    """How many these processors have, if anybody tells: each of them holds as much as the first one's."""
    levels = sorted(glob.glob("/sys/devices/system/cpu/cpu0/cache/index*"))
    if not levels:
        return 1
    shared = set()
    for cpu in cpus:
        with contextlib.suppress(OSError), \
                open(f"/sys/devices/system/cpu/cpu{cpu}/cache/{os.path.basename(levels[-1])}/shared_cpu_list",
                     encoding="ascii") as file:
            shared.add(file.read())
    return max(1, len(shared))


def check_placed(worker, name, pages):
    """What was measured has to lie there."""
    directory = policy_of(worker.pid)
    left = sum(number("vipzone", "policies", directory, f"fallback_{why}") for why in FALLBACKS) if directory else 0
    if left * 100 > pages * ASTRAY_PERCENT:
        raise Failure(f"{name}: {left} of {pages} pages could not be had there")


def bandwidth(name, mib):
    """(GB/s read, GB/s written) by all CPUs that this process may use, at the same time."""
    cpus = sorted(os.sched_getaffinity(0))
    each = max(1, mib // len(cpus) // 2)        # a worker takes twice that
    if number("regions", name, "free_pages") * PAGE < 2 * each * len(cpus) << 20:
        raise Failure(f"{name}: has less than {2 * each * len(cpus)} MiB free; see --mib")
    with contextlib.ExitStack() as stack:
        workers = []
        for cpu in cpus:
            workers.append(Worker({cpu}))
            stack.callback(workers[-1].end)
            add_policy(workers[-1].pid, f"region:{name}", [])
        runs = []
        for _ in range(RUNS):
            for worker in workers:
                worker.send("stream", each)
            told = [worker.receive() for worker in workers]
            runs.append({kind: sum(speeds[kind] for speeds in told) for kind in ("read", "write")})
        for worker in workers:
            check_placed(worker, name, RUNS * 2 * (each << 20) // PAGE)
    return tuple(statistics.median(run[kind] for run in runs) for kind in ("read", "write"))


def regions_asked(names):
    known = entries("regions")
    for name in names:
        if name not in known:
            raise Failure(f"{name}: {os.strerror(errno.ENOENT)}; there are {', '.join(known)}")
    names = list(dict.fromkeys(names)) or [name for name in known if read("regions", name, "source") == "node"]
    if len(names) < 2:
        raise Failure(f"shares are of two regions at least; there are {', '.join(known)}")
    return names


def cmd_zone_weights(args):
    need("vipzone")
    names = regions_asked(args.region)
    if not number("vipzone", "enabled"):
        raise Failure("vipzone is off; turn it on: memsuite zone enable")
    mib = args.mib or 2 * buffer_mib() * last_caches(os.sched_getaffinity(0))
    speeds = {name: bandwidth(name, mib) for name in names}
    # A program that reads and writes is held up by the slower of both.
    weights = in_proportion({name: min(of) for name, of in speeds.items()})
    policy = "region:" + "+".join(f"{name}={weight}" for name, weight in weights.items())
    if args.json:
        print_json({"policy": policy, "regions": [{"region": name, "read_gb_s": of[0], "write_gb_s": of[1],
                                                   "weight": weights[name]} for name, of in speeds.items()]})
        return 0
    print_table(["REGION", "READ", "WRITE", "WEIGHT"],
                [[name, f"{of[0]:.1f} GB/s", f"{of[1]:.1f} GB/s", weights[name]] for name, of in speeds.items()],
                right=("READ", "WRITE", "WEIGHT"))
    print(policy)
    return 0
