# SPDX-License-Identifier: GPL-2.0-only
"""How long regions take for an access, measured."""

import errno
import os
import re
import subprocess

from .. import Failure
from ..output import print_json, print_table
from ..sysfs import CORE, entries, loaded, need, number, read, write
from .banks import bank_tool
from .moves import libnuma
from .policies import add_policy
from .residency import listed

NODES = os.environ.get("MEMSUITE_NODES", "/sys/devices/system/node")
LATENCIES = ("read_latency_ns", "write_latency_ns")


def node_text(node, name):
    try:
        with open(f"{NODES}/node{node}/{name}", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def memory_nodes():
    try:
        with open(f"{NODES}/has_memory", encoding="ascii") as file:
            return listed(file.read().strip())
    except OSError:
        return set()    # of a kernel without NUMA


def near_cpus(node):
    """The CPUs of that node, or of the nearest that has some; none if nobody knows."""
    nodes = sorted(int(name[4:]) for name in os.listdir(NODES) if re.fullmatch(r"node\d+", name))
    # There is a distance to each node that is online.
    distances = dict(zip(nodes, map(int, node_text(node, "distance").split())))
    for near in sorted(distances, key=lambda other: (distances[other], other)):
        cpus = listed(node_text(near, "cpulist"))
        if cpus:
            return cpus
    return set()


def settle(name, node):
    """Of what is to measure a region: it gets its pages there, if it can be, and runs near them."""
    try:
        os.sched_setaffinity(0, near_cpus(node))
    except OSError:
        pass    # none that are known, or that this process may have
    try:
        if loaded("vipzone") and number("vipzone", "enabled"):
            add_policy(os.getpid(), f"region:{name}", [])
        elif node >= 0:
            libnuma().numa_set_preferred(node)
    except Failure:
        pass    # some of its pages may lie there all the same


def latency(name, mib):
    """{key: number}, and what there is no telling of, and why."""
    if read("regions", name, "map"):
        raise Failure("a set of banks takes as long as the region that it lies in: measure that")
    if not number("regions", name, "total_pages"):
        raise Failure("no page of it is memory that programs get")
    command = [bank_tool(), "latency", "--mib", str(mib)]
    for option, key in (("--from", "start"), ("--to", "end")):
        command += [option, hex(number("regions", name, key))]
    node = number("regions", name, "node")
    told = subprocess.run(command, capture_output=True, text=True, check=False,
                          preexec_fn=lambda: settle(name, node))  # pylint: disable=subprocess-popen-preexec-fn
    if told.returncode:
        raise Failure(told.stderr.strip().rpartition("memsuite-bankmap: ")[2])
    lines = told.stdout.splitlines()
    return ({key: int(value) for line in lines if not line.startswith("#")
             for key, _, value in (word.partition("=") for word in line.split())},
            "; ".join(line[2:] for line in lines if line.startswith("# cannot tell")))


def measured(name, mib):
    """What was found of a region, or why nothing was."""
    try:
        found, why = latency(name, mib)
    except Failure as failure:
        found, why = {}, str(failure)
    return {"region": name, **found, "why": why}


def note(row):
    """Into the files of the region; of what was not found, those keep what they say."""
    for key in LATENCIES:
        if row.get(key):    # 0 would say that it is not known
            write(f"regions/{row['region']}/{key}", str(row[key]))


def cmd_zone_measure(args):
    need(CORE)
    known = entries("regions")
    for name in args.region:
        if name not in known:
            raise Failure(f"{name}: {os.strerror(errno.ENOENT)}; there are {', '.join(known)}")
    bank_tool()
    rows = [measured(name, args.mib) for name in args.region or known]
    for row in rows if args.set else ():
        note(row)
    if args.json:
        print_json(rows)
    else:
        cells = [[row["region"], *(f"{row[key]} {unit}" if key in row else "-" for key, unit in (
            ("read_latency_ns", "ns"), ("read_spread_pct", "%"), ("write_latency_ns", "ns"), ("write_spread_pct", "%"))),
            row["why"]] for row in rows]
        print_table(["REGION", "READ", "SPREAD", "WRITE", "SPREAD", "WHY NOT"], cells,
                    right=("READ", "WRITE", "SPREAD"))
    told = [row for row in rows if "read_latency_ns" in row]
    return 0 if told and (len(told) == len(rows) or not args.region) else 1
