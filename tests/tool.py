#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: the memsuite tool
"""Tests of scripts/memsuite and lib/memsuite on trees that are made up; prints KTAP."""

import argparse
import contextlib
import ctypes
import errno
import fcntl
import io
import json
import mmap
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from unittest import mock
from xml.etree import ElementTree

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "lib"))
# What is pure is called, the rest is run.
from memsuite import Failure, cli, proc, sysfs  # noqa: E402
from memsuite.burn_in.verdict import summary_lines  # noqa: E402
from memsuite.diag import retirement, saved_pages  # noqa: E402
from memsuite.diag.edac import edac_growth  # noqa: E402
from memsuite.mrc import record  # noqa: E402
from memsuite.store import devices  # noqa: E402
from memsuite.stress import counters, demand, energy, errors, report  # noqa: E402
from memsuite.zone import ledger, moves, segments, weights  # noqa: E402

TOOL = os.path.join(TOP, "scripts", "memsuite")
PYTHON = "/usr/bin/python3"

SYSFS = {
    "version": "0.1.0",
    "pages/held_pages": "512",
    "pages/retired_pages": "0",
    "pages/metadata_bytes": "1048576",
    "demand/allocated_pages": "1000",
    "demand/tested_pages": "900",
    "demand/untested_pages": "100",
    "demand/expired_pages": "10",
    "regions/add": "",
    "regions/remove": "",
    "memdiag/enabled": "1",
    "memdiag/algorithm": "march-c-",
    "memdiag/available_algorithms": "mats\nmarch-c-",
    "memdiag/test_lifetime_s": "180",
    "memdiag/lifetime/automatic": "1",
    "memdiag/bad_page_count": "0",
    "memdiag/pending_page_count": "0",
    "memdiag/doubted_blocks": "0",
    "memdiag/distrusted_cpus": "",
    "memdiag/retire": "",
    "memdiag/retire_policy/alarms": "",
    "memdiag/retire_policy/limit_dimm_pct": "5",
    "memdiag/retire_policy/limit_pages": "1024",
    "memdiag/unretire": "",
    "memdiag/coverage/free_pages": "1000",
    "memdiag/coverage/free_tested_pct": "93",
    "memdiag/coverage/free_oldest_age_s": "41",
    "memdiag/coverage/counted_age_s": "300",
    "memdiag/pass_eta_s": "75",
    "memdiag/address_bits/period_s": "86400",
    "memdiag/address_bits/passes": "1",
    "memdiag/address_bits/pass_progress_pct": "0",
    "memdiag/address_bits/age_s": "60",
    "memdiag/address_bits/tested_pct": "38",
    "memdiag/effectiveness/self_test": "",
    "memdiag/effectiveness/reads_reach_memory": "yes",
    "memdiag/effectiveness/ecc": "multi-bit",
    "memdiag/effectiveness/encryption": "none",
    "memdiag/effectiveness/scrambling": "likely",
    "memdiag/effectiveness/hypervisor": "0",
    "memdiag/inject/add": "",
    "memdiag/inject/clear": "",
    "memdiag/inject/count": "0",
    "memdiag/inject/available_kinds": "saf\ncfin\ndynamic_cfds",
    "memdiag/ahead/served_pages": "800",
    "memdiag/ahead/on_demand_tests": "7",
    "memdiag/control/policy": "adaptive",
    "memdiag/control/bandwidth_pages_s": "0",
    "memdiag/control/available_policies": "adaptive\nfixed\nondemand",
    "memdiag/control/pressure_memory_pct": "10",
    "memdiag/control/pressure_cpu_pct": "50",
    "memdiag/control/fidelity": "3",
    "memdiag/control/fixed_fidelity": "1",
    "memdiag/control/fixed_threads": "1",
    "memdiag/control/threads": "2",
    "memdiag/control/bandwidth_mib_s": "0",
    "memdiag/control/remote_pages": "0",
    "memdiag/move_interval_ms": "0",
    "memdiag/moves/moved_pages": "5",
    "memdiag/method": "auto",
    "memdiag/optimisations/skip_middle": "0",
    "memdiag/optimisations/recycle": "1",
    "memdiag/retire_policy/alarms": "",
    "memdiag/retire_policy/suspect_count": "0",
    "memdiag/ecc_corrected_errors": "0",
    "memdiag/ecc_uncorrected_errors": "0",
    "memdiag/tests/add": "",
    "memdiag/tests/remove": "",
    "memdiag/range/run_test": "",
    "memdiag/range/cancel": "",
    "memdiag/range/status": "untested",
    "memdiag/range/range": "0x0-0x0",
    "memdiag/range/progress_pct": "0",
    "memdiag/range/eta_s": "0",
    "memdiag/range/tested_pages": "0",
    "memdiag/range/untested_pages": "0",
    "memdiag/range/bad_pages": "0",
    "memdiag/tested_pages": "4096",
    "memdiag/passes": "3",
    "memdiag/pass_progress_pct": "40",
    "vipzone/enabled": "0",
    "vipzone/add": "",
    "vipzone/remove": "",
    "vipzone/move": "",
    "vipzone/steered_pages": "0",
    "vipzone/moved_pages": "5",
    **{f"vipzone/unmoved_{why}_pages": "0" for why in ("busy", "pinned", "full", "gone", "shared", "policy", "cpuset")},
    "vipzone/lost_children": "0",
    "vipzone/lost_entrants": "0",
    "vipzone/lost_arrival_pages": "0",
    "vipzone/waiting_entrants": "0",
    **{f"vipzone/{which}_entrants": "0" for which in ("moved", "retried", "lost")},
    "mrc/enabled": "1",
    "mrc/add": "77\n78 children\ncgroup:/a/b\nabove:64M",
    "mrc/remove": "",
    "mrc/accesses_per_s": "",
    "mrc/changes": "3",
    "mrc/contended_only": "0",
    "mrc/division/enforce": "0",
    "mrc/division/set": "",
    "mrc/division/total_kib": "0",
    "mrc/division/utility": "ratio",
}

HOOK = {"state": "off", "symbol": "vma_alloc_folio", "hits": "0",
        "missed": "0"}

REGION = {
    "start": "0x0", "end": "0x40000000", "node": "0", "source": "node",
    "locator": "", "interleaved": "unknown", "technology": "", "read_latency_ns": "0",
    "write_latency_ns": "0", "idle_power_mw": "0", "read_power_mw": "0", "write_power_mw": "0",
    "read_energy_fj_per_bit": "0", "write_energy_fj_per_bit": "0", "wear_budget_kib_per_day": "0",
    "endurance_writes": "0", "tier": "-1", "total_pages": "262000",
    "free_pages": "1000", "pool_kib": "65536", "pool_pages": "16384",
    "pool_large_pages": "8192",
    "pool_handed_pages": "7", "pool_bare_pages": "1",
    "pool_filled_pages": "20000", "pool_misses": "2", "map": "", "banks": "",
}

BAD_PAGES = ("# pfn address mask element background time direction class "
             "node region dimm origin retired\n")
BAD_PAGE = ("0x1234 0x1234568 0x0000000000000010 2 0x0000000000000000 17 "
            "0->1 hard 0 node0 DIMM_0 test 1\n")
HEADER = "# memsuite bad pages, version 2: address mask element background time direction class dimm key"
PROCESSES = "# pid policy choice\n"
BILLS = f"# pid policy region {' '.join(ledger.BILL)}\n"

CLIFF = 1000    # pages that the made-up program loops over


def curve():
    lines = ["# pages misses_per_s miss_ratio low high"]
    for pages in range(1, 1601, 8):
        ratio = 0.98 if pages < CLIFF else 0.02
        lines.append(f"{pages} {ratio * 500:.3f} {ratio:.4f} "
                     f"{ratio - 0.02:.4f} {ratio + 0.02:.4f}")
    return "\n".join(lines)


def below(directory, files):
    return {f"{directory}/{name}": text for name, text in files.items()}


SYSFS.update(below("hooks/fault.alloc", HOOK))
SYSFS.update(below("hooks/alloc.entry", HOOK))
SYSFS.update(below("regions/node0", REGION))

MRC_STATS = "enabled_ns 1000\ncpu_ns 5\nladders 9\nresident_pages 1600\nwss_pages 1000\nfloor_pages 24"
MRC_WSS = "# us pages\n1000 10\n9000 100\n11000 120\n1000000 1000"

DEBUGFS = {
    "memdiag/bad_pages": BAD_PAGES,
    "vipzone/processes": PROCESSES,
    "vipzone/ledger": BILLS,
    "mrc/77/curve": curve(),
    "mrc/77/stats": MRC_STATS,
    "mrc/77/accesses": "# per_s source\n490 touches",
    "mrc/77/wss": MRC_WSS,
    "mrc/77/pages": "# address kind seen_us\n0x1000 base 100\n0x3000 base 0\n0x200000 huge 300",
}
# Of several processes there are no pages, and more numbers.
for name in ("78+children", "cgroup:!a!b", "above:64M"):
    DEBUGFS.update({
        f"mrc/{name}/curve": curve(),
        f"mrc/{name}/stats": f"{MRC_STATS}\nprocesses 5\nprocesses_tracked 4\nprocesses_measured 3\nuntracked_pages 7",
        f"mrc/{name}/accesses": "# per_s source\n1000000 written",
        f"mrc/{name}/wss": MRC_WSS,
    })


# A tester with 150 + 50 ticks, and a program that is called like one.
STAT = "{} ({}) S 2 0 0 0 -1 0 0 0 0 0 150 50 0 0 39 19 1 0"
PROC = {
    "meminfo": "MemTotal: 1048576 kB\nMemAvailable:     524288 kB",
    "interrupts": "      CPU0  CPU1\n  0:  9  9  timer\nTLB:  40  2   TLB shootdowns",
    "iomem": "00001000-0000ffff : System RAM\n00010000-0001ffff : Reserved",
    "42/stat": STAT.format(42, "memdiag/0"),
    "43/stat": STAT.format(43, "not memdiag/0"),
}


class Tree:
    """A made-up /sys/kernel/memsuite with its debugfs, and the tool on it."""

    def __init__(self, top, sysfs=None, debugfs=None):
        self.sysfs = os.path.join(top, "sysfs")
        self.debugfs = os.path.join(top, "debugfs")
        self.state = os.path.join(top, "var", "bad_pages.json")
        self.dmi = os.path.join(top, "DMI")
        self.proc = os.path.join(top, "proc")
        self.configuration = os.path.join(top, "conf")
        self.fill(self.sysfs, sysfs or {})
        self.fill(self.debugfs, debugfs or {})
        self.fill(self.proc, PROC)

    @staticmethod
    def fill(top, files):
        for name, text in files.items():
            path = os.path.join(top, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text + "\n")

    def written(self, name):
        with open(os.path.join(self.sysfs, name), encoding="utf-8") as file:
            return file.read()

    def start(self, *args, user=None, python=(sys.executable,), tool=TOOL, stdin=None, stdout=subprocess.PIPE,
              **environment):
        return subprocess.Popen(
            [*python, tool, *args], text=True, user=user,
            encoding="utf-8", stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
            env={**os.environ, "MEMSUITE_SYSFS": self.sysfs,
                 "MEMSUITE_DEBUGFS": self.debugfs,
                 "MEMSUITE_STATE": self.state, "MEMSUITE_DMI": self.dmi,
                 "MEMSUITE_PROC": self.proc, "MEMSUITE_CONF": self.configuration,
                 "MEMSUITE_CGROUP": "/nowhere",
                 "PYTHONIOENCODING": "utf-8", **environment})

    def run(self, *args, **options):
        with self.start(*args, **options) as process:
            stdout, stderr = process.communicate()
        return subprocess.CompletedProcess(args, process.returncode, stdout, stderr)

    def json(self, *args):
        return json.loads(self.run(*args).stdout)


def nothing_is_loaded(top):
    tree = Tree(top)
    result = tree.run("status")
    assert result.returncode == 64
    assert "not loaded" in result.stdout and "modprobe" in result.stdout
    state = tree.json("status", "--json")
    assert not any(m["loaded"] for m in state["modules"].values())
    for command in (("diag", "list"), ("zone", "ps"), ("mrc", "show", "1")):
        result = tree.run(*command)
        assert result.returncode == 64
        assert "modprobe" in result.stderr and not result.stdout
        assert "modprobe" in tree.json(*command, "--json")["error"]


def all_is_loaded_and_well(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    result = tree.run("status")
    assert result.returncode == 0, result
    for text in ("memsuite 0.1.0", "vma_alloc_folio", "2 MiB"):
        assert text in result.stdout, text
    modules = tree.json("status", "--json")["modules"]
    assert all(m["healthy"] for m in modules.values())
    assert modules["memdiag"]["enabled"] and not modules["vipzone"]["enabled"]


def only_the_core_is_loaded(top):
    core = {name: text for name, text in SYSFS.items()
            if name.split("/")[0] not in ("memdiag", "vipzone", "mrc")}
    result = Tree(top, core).run("status")
    assert result.returncode == 0
    assert "modprobe memdiag" in result.stdout


def what_is_not_well_is_told(top):
    tree = Tree(top, {**SYSFS, "vipzone/enabled": "1",
                      "hooks/fault.alloc/state": "failed"})
    result = tree.run("status")
    assert result.returncode == 1
    assert "not hooked: fault.alloc" in result.stdout
    modules = tree.json("status", "--json")["modules"]
    assert modules["memsuite"]["healthy"] is False
    assert modules["vipzone"]["healthy"] is False
    assert modules["mrc"]["healthy"] is True


def a_bad_page_is_listed(top):
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1",
                      "pages/retired_pages": "1"},
                {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    assert "0x1234568" in tree.run("diag", "list").stdout
    assert tree.json("diag", "list", "--json")[0]["pfn"] == "0x1234"
    result = tree.run("status")
    assert "bad pages not saved, see memsuite diag save: 1" in result.stdout and result.returncode == 1, result
    assert tree.run("diag", "save").returncode == 0
    assert "1 bad page found and retired" in tree.run("status").stdout
    text = tree.run("diag", "status").stdout
    assert "found         1 bad page" in text
    assert "free: 93% of 3.9 MiB tested in time, the oldest 41 s ago" in text
    assert "coverage      as counted 300 s ago" in text and "of the next, ready in 75 s" in text
    assert "address bits  tested 60 s ago, each with 38% of memory at least" in text
    assert "beware        multi-bit ECC corrects what is weak" in text
    state = tree.json("diag", "status", "--json")
    assert state["coverage"]["free_tested_pct"] == 93
    assert state["effectiveness"]["reads_reach_memory"] == "yes"


def address_bits_that_were_not_tested_are_told(top):
    tree = Tree(top, {**SYSFS, "memdiag/address_bits/passes": "0"})
    assert "address bits  not tested yet, 0% of the first pass; faults between" in tree.run("diag", "status").stdout
    tree = Tree(top, {**SYSFS, "memdiag/address_bits/passes": "0", "memdiag/address_bits/period_s": "0"})
    assert "address bits  not tested: set memdiag/address_bits/period_s" in tree.run("diag", "status").stdout


def a_bad_page_that_is_not_retired_is_not_well(top):
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1",
                      "memdiag/pending_page_count": "1"})
    assert tree.run("status").returncode == 1
    assert "not retired: 1 bad page" in tree.run("status").stdout


def writes_are_one_line(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    for args, name, line in (
            (("diag", "disable"), "memdiag/enabled", "0"),
            (("diag", "retire", "0x1234568"), "memdiag/retire", "0x1234568"),
            (("diag", "unretire", "0x1234568"), "memdiag/unretire",
             "0x1234568"),
            (("diag", "set", "--algorithm", "mats"), "memdiag/algorithm",
             "mats"),
            (("diag", "set", "--lifetime", "60"), "memdiag/test_lifetime_s",
             "60"),
            (("zone", "add", "12", "a", "b", "--children"), "vipzone/add",
             "12 region:a+b children"),
            (("zone", "add", "cgroup:/a", "segment:heap=a,*=b"), "vipzone/add",
             "cgroup:/a segment:heap=a,*=b"),
            (("zone", "add", "cgroup:/a", "a", "--heat", "--later"), "vipzone/add",
             "cgroup:/a region:a later heat"),
            (("zone", "add", "cgroup:/a", "a", "--move", "--later"), "vipzone/add",
             "cgroup:/a region:a later move"),
            (("zone", "add", "12", "segment"), "vipzone/add", "12 segment"),
            (("zone", "add", "12", "a=3", "b=1"), "vipzone/add", "12 region:a=3+b=1"),
            (("zone", "add", "12", "segment:heap=a=3+b=1,*=b"), "vipzone/add", "12 segment:heap=a=3+b=1,*=b"),
            (("zone", "add", "machine", "a", "b", "--heat", "--wear"), "vipzone/add",
             "machine region:a+b heat wear"),
            (("zone", "move", "12"), "vipzone/move", "12"),
            (("zone", "add", "file:/dev/shm", "a"), "vipzone/add", "file:/dev/shm region:a"),
            (("zone", "add", "file:/dev/shm/b", "a=2", "b=1"), "vipzone/add", "file:/dev/shm/b region:a=2+b=1"),
            (("zone", "add", "file:/dev/shm", "a", "--move"), "vipzone/move", "file:/dev/shm"),
            (("zone", "move", "file:/dev/shm"), "vipzone/move", "file:/dev/shm"),
            (("zone", "remove", "file:/dev/shm"), "vipzone/remove", "file:/dev/shm"),
            (("zone", "remove", "machine"), "vipzone/remove", "machine"),
            (("zone", "remove", "12"), "vipzone/remove", "12"),
            (("zone", "enable"), "vipzone/enabled", "1"),
            (("zone", "define", "r", "1G-2G", "technology=pram"),
             "regions/add", "r 1G-2G technology=pram"),
            (("zone", "undefine", "r"), "regions/remove", "r"),
            (("mrc", "add", "12"), "mrc/add", "12"),
            (("mrc", "add", "12", "--children"), "mrc/add", "12 children"),
            (("mrc", "add", "cgroup:/a"), "mrc/add", "cgroup:/a"),
            (("mrc", "add", "cgroup:/a", "--later"), "mrc/add", "cgroup:/a later"),
            (("mrc", "add", "machine"), "mrc/add", "machine"),
            (("mrc", "add", "above:0x10000k"), "mrc/add", "above:64M"),
            (("mrc", "add", "above:1023K"), "mrc/add", "above:1023K"),
            (("mrc", "accesses", "77", "2000000"), "mrc/accesses_per_s", "77 2000000"),
            (("mrc", "remove", "above:1024M"), "mrc/remove", "above:1G"),
            (("mrc", "remove", "12"), "mrc/remove", "12"),
            (("mrc", "share", "12", "--weight", "3", "--min", "2M"), "mrc/division/set", "12 3 2048"),
            (("mrc", "enforce", "--total", "1G"), "mrc/division/total_kib", "1048576"),
            (("mrc", "enforce", "--utility", "time"), "mrc/division/utility", "time"),
            (("mrc", "enforce"), "mrc/division/enforce", "1"),
            (("mrc", "enforce", "--off"), "mrc/division/enforce", "0")):
        assert tree.json(*args, "--json")["ok"] is True, args
        assert tree.written(name) == line + "\n", args


def bank_maps_are_imported(top):
    tree = Tree(top, SYSFS)
    path = f"{top}/functions"
    with open(path, "w", encoding="utf-8") as file:
        file.write("7, 14,\n15, 18,\n")
    subprocess.run(["make", "-s", "-C", f"{TOP}/tools/bankmap"], check=True)
    assert tree.run("zone", "banks", "--import", path, "--name", "m").stdout == "m xor=0x4080,0x48000\n"
    assert tree.json("zone", "banks", "--import", path, "--json") == {"name": "dram", "map": "xor=0x4080,0x48000"}


# Knows the range of node0, and not how long writes to the second GiB take.
BANK_TOOL = """#!/bin/sh
echo "$$ $(grep Cpus_allowed_list /proc/self/status | cut -f 2) $*" >>"$0.asked"
case $5 in
0x0) echo "# of 16384 pages of the range"
     echo "read_latency_ns=138 read_spread_pct=6"
     echo "write_latency_ns=28 write_spread_pct=2" ;;
0x40000000) echo "read_latency_ns=300 read_spread_pct=9"
     echo "# cannot tell write_latency_ns: too much noise" ;;
*) echo "memsuite-bankmap: cannot tell: too few pages" >&2
   exit 1 ;;
esac
"""


def regions_are_measured(top):
    others = {"second": {"start": "0x40000000", "end": "0x80000000", "write_latency_ns": "7"},
              "small": {"start": "0x80000000", "end": "0x80001000", "node": "-1"},
              "banks": {"map": "dram", "banks": "0"}, "away": {"total_pages": "0"}}
    tree = Tree(top, {**SYSFS, "vipzone/enabled": "1", **{
        f"regions/{name}/{key}": value for name, own in others.items() for key, value in {**REGION, **own}.items()}})
    tree.fill(os.path.join(top, "nodes"), {
        "node0/distance": "10 20 30", "node0/cpulist": "", "node1/cpulist": "0", "node2/cpulist": "0-4095", "online": "0-2"})
    tool = os.path.join(top, "bin", "memsuite")
    tree.fill(top, {"bin/memsuite-bankmap": BANK_TOOL})
    os.chmod(f"{tool}-bankmap", 0o755)
    shutil.copy(TOOL, tool)
    os.symlink(os.path.join(TOP, "lib"), os.path.join(top, "lib"))

    def measure(*args):
        return tree.run("zone", "measure", *args, tool=tool, MEMSUITE_NODES=f"{top}/nodes")

    result = measure("node0", "--mib", "99")
    assert result.returncode == 0 and re.search(r"node0 +138 ns +6 % +28 ns +2 %$", result.stdout, re.M), result
    with open(f"{tool}-bankmap.asked", encoding="utf-8") as file:
        pid, *asked = file.read().split()
    assert asked == ["0", *"latency --mib 99 --from 0x0 --to 0x40000000".split()], asked
    assert tree.written("vipzone/add") == f"{pid} region:node0\n"
    assert tree.written("regions/node0/read_latency_ns") == "0\n"
    result = measure("--set", "--json")
    assert result.returncode == 0, result
    rows = {row["region"]: row for row in json.loads(result.stdout)}
    assert rows["second"] == {"region": "second", "read_latency_ns": 300, "read_spread_pct": 9,
                              "why": "cannot tell write_latency_ns: too much noise"}
    assert rows["small"] == {"region": "small", "why": "cannot tell: too few pages"}
    assert "set of banks" in rows["banks"]["why"] and "no page" in rows["away"]["why"]
    for name, read_ns, write_ns in (("node0", 138, 28), ("second", 300, 7), ("small", 0, 0)):
        assert tree.written(f"regions/{name}/read_latency_ns").strip() == str(read_ns), name
        assert tree.written(f"regions/{name}/write_latency_ns").strip() == str(write_ns), name
    result = measure("node0", "small")
    assert result.returncode == 1 and "138 ns" in result.stdout and "too few pages" in result.stdout, result
    result = measure("nowhere")
    assert result.returncode == 1 and "there are away, banks, node0, second, small" in result.stderr, result


def weights_are_proposed(top):
    assert weights.in_proportion({"a": 30.1, "b": 10.0}) == {"a": 3, "b": 1}
    assert weights.in_proportion({"a": 200.0, "b": 1.0}) == {"a": 32, "b": 1}
    assert weights.in_proportion({"a": 5.0, "b": 5.1}) == {"a": 1, "b": 1}
    tree = Tree(top, {**SYSFS, "vipzone/enabled": "1",
                      **{f"regions/other/{name}": text for name, text in REGION.items()}})
    tree.fill(tree.sysfs, {f"regions/{name}/free_pages": "10000000" for name in ("node0", "other")})
    result = tree.run("zone", "weights", "--mib", "2")
    assert result.returncode == 0 and re.search(r"(?m)^region:node0=\d+\+other=\d+$", result.stdout), result
    assert tree.written("vipzone/add").endswith(" region:other\n")
    tree.fill(tree.sysfs, {"regions/other/free_pages": "7"})
    assert "other: has less than" in tree.run("zone", "weights", "node0", "other", "--mib", "2").stderr
    assert "two regions" in tree.run("zone", "weights", "other").stderr
    assert "nowhere: No such file" in tree.run("zone", "weights", "node0", "nowhere").stderr
    tree.fill(tree.sysfs, {"vipzone/enabled": "0"})
    assert "memsuite zone enable" in tree.run("zone", "weights").stderr


def smbios(kind, handle, body, *strings):
    """A structure of a DMI table; its body is what follows the header."""
    texts = b"".join(text.encode() + b"\0" for text in strings) or b"\0"
    return struct.pack("<BBH", kind, 4 + len(body), handle) + body + texts + b"\0"


def dimm(handle, locator, serial, mib=16384):
    body = struct.pack("<HHHHHBBBBBHHBBBB", 0, 0, 64, 64, mib, 9, 0, 1, 0, 26,
                       0, 3200, 2, 3, 0, 4)
    return smbios(17, handle, body, locator, "Maker", serial, "PART-1")


def plug(tree, *devices):
    """Plug DIMMs into the made-up machine: (locator, serial)."""
    table = smbios(16, 0x1000, bytes(11))
    for number, (locator, serial) in enumerate(devices):
        table += dimm(0x1100 + number, locator, serial)
    with open(tree.dmi, "wb") as file:
        file.write(table + smbios(127, 0x7f00, b""))


def bad_tree(top):
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1"},
                {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    plug(tree, ("DIMM 0", "A1"), ("DIMM 1", "B2"))
    return tree


def after_a_reboot(tree):
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES.rstrip()})
    tree.fill(tree.sysfs, {"memdiag/retire": ""})


def stored(tree):
    """The lines of the list, without the first."""
    with open(tree.state, encoding="ascii") as file:
        return file.read().splitlines()[1:]


def store(tree, text):
    Tree.fill(os.path.dirname(tree.state), {os.path.basename(tree.state): text})


def version_1(*lines, **more):
    """The list as it was before it was appended to."""
    names = "address mask element background time direction class dimm key".split()
    pages = [dict(zip(names, line.split(" ", 8))) for line in lines]
    return json.dumps({"version": 1, "pages": [{**page, "key": json.loads(page["key"]), **more} for page in pages]}, indent=2)


def bad_pages_are_listed_with_their_dimm(top):
    tree = bad_tree(top)
    text = tree.run("diag", "bad").stdout
    assert "DIMM 0 Maker PART-1 S/N A1" in text and "B2" not in text, text
    row, = tree.json("diag", "bad", "--json")
    assert row["dimms"][0]["size_mib"] == 16384 and row["stored"] is False
    plug(tree, ("DIMM 01", "A1"), ("DIMM 0", "B2"), ("DIMM", "C3"))
    row, = tree.json("diag", "bad", "--json")
    assert [d["serial"] for d in row["dimms"]] == ["B2"]
    long = "P0_Node0_Channel0_Dimm0_next_to_the_fan"
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE.replace(
        "DIMM_0", long[:31])})
    plug(tree, (long, "A1"), ("DIMM 0", "B2"))
    row, = tree.json("diag", "bad", "--json")
    assert [d["serial"] for d in row["dimms"]] == ["A1"]
    os.unlink(tree.dmi)
    assert "0x1234568" in tree.run("diag", "bad").stdout


def bad_pages_are_kept(top):
    tree = bad_tree(top)
    assert tree.json("diag", "save", "--json") == {"added": 1, "stored": 1}
    assert tree.json("diag", "save", "--json") == {"added": 0, "stored": 1}
    assert tree.json("diag", "bad", "--json")[0]["stored"] is True
    after_a_reboot(tree)
    assert "1 bad page" in tree.run("diag", "status").stdout
    restored = tree.json("diag", "restore", "--json")
    assert restored == {"retired": 1, "already": 0, "left_out": 0, "skipped": 0,
                        "failed": {}}, restored
    assert tree.written("memdiag/retire") == "0x1234568 restored\n"


def bad_pages_go_with_their_dimms(top):
    tree = bad_tree(top)
    tree.run("diag", "save")
    after_a_reboot(tree)
    for devices in ((("DIMM 0", "C3"), ("DIMM 1", "B2")),      # replaced
                    (("DIMM 0", "B2"), ("DIMM 1", "A1")),      # swapped
                    (("DIMM 0", "A1"),)):                      # fewer
        plug(tree, *devices)
        assert tree.json("diag", "restore", "--json")["skipped"] == 1, devices
        assert not tree.written("memdiag/retire").strip()
        assert "--force" in tree.run("diag", "restore").stderr
        assert "DIMMs were changed" in tree.run("status").stdout
        assert "found in other DIMMs" in tree.run("doctor").stdout
    plug(tree, ("DIMM 0", "A1"), ("DIMM 1", "C3"))     # not that one's page
    assert tree.json("diag", "restore", "--json")["retired"] == 1
    after_a_reboot(tree)
    plug(tree, ("DIMM 0", "C3"), ("DIMM 1", "B2"))
    assert tree.json("diag", "restore", "--force", "--json")["retired"] == 1


def what_firmware_writes_keeps_no_page_from_being_kept(top):
    """A locator that is no ASCII, nor UTF-8, of one page of two."""
    tree = bad_tree(top)
    tree.fill(tree.proc, {"memdiag_bad_pages": BAD_PAGES + BAD_PAGE + "\n" + BAD_PAGE.replace(
        "0x1234568", "0x2345678").replace("DIMM_0", "DIMM\udce9")})
    assert tree.json("diag", "save", "--json") == {"added": 2, "stored": 2}
    assert [line.split()[0] for line in stored(tree)] == ["0x1234568", "0x2345678"]


def what_is_of_a_dimm_long_gone_is_forgotten(top):
    """The kernel has no memory there any more. What was never kept is an error."""
    tree = bad_tree(top)
    tree.run("diag", "save")
    after_a_reboot(tree)
    errors = "import errno, os\nfrom memsuite import sysfs\ndef refuse(fd, text):\n    raise OSError(errno.ENXIO, 'no')\n"
    code = (f"import sys; sys.path.insert(0, {os.path.join(TOP, 'lib')!r})\n{errors}sysfs.os.write = refuse\n"
            "from memsuite import cli\nsys.exit(cli.main(['diag', 'unretire', '%s']))")
    for address, left in ("0x5000", 1), ("0x1234568", 0):
        with tree.start(code % address, tool="-c") as process:
            process.communicate()
        assert tree.json("diag", "status", "--json")["stored"] == left, stored(tree)


def without_serial_numbers_the_machine_counts(top):
    tree = bad_tree(top)
    plug(tree, ("DIMM 0", "Not Specified"), ("DIMM 1", "00000000"))
    tree.run("diag", "save")
    line, = stored(tree)
    machine = json.loads(line.split(" ", 8)[8])["machine"]
    after_a_reboot(tree)
    assert tree.json("diag", "restore", "--json")["retired"] == 1
    store(tree, version_1(line.replace(machine, "another")))
    assert tree.json("diag", "restore", "--json")["skipped"] == 1


def emulated_faults_are_not_kept(top):
    tree = bad_tree(top)
    tree.fill(tree.debugfs, {"memdiag/bad_pages":
                             BAD_PAGES + BAD_PAGE.replace(" test ",
                                                          " emulated ")})
    assert tree.json("diag", "save", "--json")["stored"] == 0
    assert tree.run("diag", "export", "--format", "memmap").stdout == "\n"


def processes_are_called_anything(top):
    """A terminal obeys no name, and no name makes a row."""
    tree = Tree(top, {**SYSFS, **policy_files(0, "machine", "region:node0")}, {"vipzone/processes": f"{PROCESSES}77 0 -"})
    tree.fill(tree.proc, {"77/comm": "\x1b[31mx\n0 rt"})
    text = tree.run("zone", "ps").stdout
    assert "\\x1b[31mx\\n0 rt" in text and "\x1b" not in text, text


def what_is_given_back_is_forgotten(top):
    tree = bad_tree(top)
    tree.run("diag", "save")
    assert tree.run("diag", "unretire", "0x1234000").returncode == 0
    assert tree.written("memdiag/unretire") == "0x1234000\n"
    assert tree.json("diag", "status", "--json")["stored"] == 0
    after_a_reboot(tree)
    assert "nothing is stored" in tree.run("diag", "restore").stdout
    # It may fail again.
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    assert tree.json("diag", "save", "--json") == {"added": 1, "stored": 1}
    assert tree.json("diag", "restore", "--json")["retired"] == 1


def what_is_given_back_before_one_that_is_not_is_forgotten(top):
    tree = bad_tree(top)
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE + BAD_PAGE.replace("0x1234568", "0x7654000")})
    tree.run("diag", "save")

    def refuse_second(_, text):
        if len(write.mock_calls) == 2:
            raise OSError(errno.EBUSY, "")
        return len(text)

    with mock.patch.object(sysfs, "SYSFS", tree.sysfs), mock.patch.object(saved_pages, "STATE", tree.state), \
            mock.patch("os.write", side_effect=refuse_second) as write:
        try:
            retirement.cmd_diag_unretire(argparse.Namespace(address=["0x1234000", "0x7654000"], json=False))
            raise AssertionError("the second one is not refused")
        except Failure as failure:
            assert str(failure).startswith("0x7654000: somebody looks"), failure
    assert [line.split()[0] for line in stored(tree)] == ["0x1234568", "0x7654000", "-"]
    assert tree.json("diag", "status", "--json")["stored"] == 1


def the_list_is_appended_to(top):
    """What is new is written, and nothing else; what has been given back many times goes at last."""
    tree = bad_tree(top)
    tree.run("diag", "save")
    before, inode = stored(tree), os.stat(tree.state).st_ino
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE + BAD_PAGE.replace("0x1234568", "0x7654000")})
    assert tree.json("diag", "save", "--json") == {"added": 1, "stored": 2}
    assert stored(tree)[:-1] == before and os.stat(tree.state).st_ino == inode
    assert os.stat(tree.state).st_mode & 0o777 == 0o600
    store(tree, "\n".join([HEADER] + 2000 * [before[0], "- 0x1234000"] + before))
    assert tree.json("diag", "save", "--json") == {"added": 1, "stored": 2}
    assert [line.split()[0] for line in stored(tree)] == ["0x1234568", "0x7654000"]


def what_a_crash_leaves_of_a_line_is_cut_off(top):
    """Wherever it is torn: the pages before it are restored, and the next one is kept behind them."""
    tree = bad_tree(top)
    tree.run("diag", "save")
    line, = stored(tree)
    start = f"{HEADER}\n{line.replace('0x1234568', '0x7654000')}\n"
    for cut in (1, 2, 5, 9, 20, len(line) // 2, len(line) - 1):
        for torn in (line[:cut], "- 0x7654000"[:cut]):
            with open(tree.state, "w", encoding="ascii") as file:
                file.write(start + torn)
            after_a_reboot(tree)
            restored = tree.run("diag", "restore")
            assert restored.returncode == 0 and "torn" in restored.stderr, (torn, restored)
            assert tree.written("memdiag/retire") == "0x7654000 restored\n", torn
            tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
            assert tree.json("diag", "save", "--json") == {"added": 1, "stored": 2}, torn
            with open(tree.state, encoding="ascii") as file:
                assert file.read() == f"{start}{line}\n", torn
            assert os.listdir(os.path.dirname(tree.state)) == ["bad_pages.json"]
    # Whole but for its end, as editors leave it.
    with open(tree.state, "w", encoding="ascii") as file:
        file.write(start.rstrip())
    assert tree.run("diag", "save").stderr == ""
    assert len(stored(tree)) == 2 and tree.json("diag", "status", "--json")["stored"] == 2


def a_list_of_version_1_is_taken_over(top):
    """With all its pages, those of other DIMMs too, and what is known of them."""
    tree = bad_tree(top)
    tree.run("diag", "save")
    line, = stored(tree)
    other = line.replace("0x1234568", "0x7654000").replace("A1", "C3")
    store(tree, version_1(line, other))
    rows = tree.json("diag", "bad", "--json")
    assert len(rows) == 1 and rows[0]["stored"], rows
    assert tree.json("diag", "save", "--json") == {"added": 0, "stored": 2}
    assert stored(tree) == [line, other]
    assert os.listdir(os.path.dirname(tree.state)) == ["bad_pages.json"]


def a_damaged_list_loses_no_page(top):
    """What can be read of it is kept, what is found is added, and the damaged list lies beside."""
    whole = bad_tree(os.path.join(top, "whole"))
    whole.run("diag", "save")
    line, = stored(whole)
    other = line.replace("0x1234568", "0x7654000")
    good = version_1(other, line)
    torn = good.rstrip()[:-20]
    for number, (text, kept) in enumerate((
            ("", 0), ("{", 0), ("[]", 0), ('{"version": 1, "pages": [{}]}', 0), ("\0" * 300, 0),
            ('{"version": 1, "pages": {}}', 0), ("[" * 100000, 0),
            (torn, 1), ('{"version": 2, "pages": [' + json.dumps(json.loads(good)["pages"][0]) + "]}", 1),
            (f"{HEADER}\n" + "\0" * 300 + f"\n{other}", 1), (other, 1), (f"{HEADER}\n{other}\n{line[:-1]}", 1),
            (f"{HEADER}3\n{other}", 1), (f"{HEADER}\n{other}\n{line[:-2]}\x80{line[-1:]}", 1))):
        tree = bad_tree(os.path.join(top, str(number)))
        store(tree, text)
        tree.fill(tree.sysfs, {"memdiag/retire": ""})
        restored = tree.run("diag", "restore")
        assert restored.returncode == 1, text
        assert "damaged" in restored.stderr, restored.stderr
        assert tree.written("memdiag/retire").strip() == ("0x7654000 restored" if kept else ""), text
        assert tree.json("diag", "save", "--json") == {"added": 1, "stored": kept + 1}, text
        assert len(tree.json("diag", "bad", "--json")) == kept + 1
        with open(tree.state + ".damaged", encoding="utf-8") as file:
            assert file.read() == text + "\n"
        assert tree.run("diag", "restore").returncode == 0
        assert os.stat(tree.state).st_mode & 0o777 == 0o600


def details_that_cannot_be_shown_are_left_out(top):
    """The pages are kept, and the list is not taken for damaged."""
    tree = bad_tree(top)
    tree.run("diag", "save")
    page = json.loads(version_1(*stored(tree)))["pages"][0]
    odd = ({"time": "soon"}, {"time": None}, {"time": "9" * 30}, {"class": "\ud800"}, {"mask": "\x1b[m"}, {"mask": [7]},
           {"mask": "two words"}, {"time": ""})
    pages = [{**page, "address": hex(0x7654000 + 0x1000 * number), **one} for number, one in enumerate(odd)]
    store(tree, json.dumps({"version": 1, "pages": pages}))
    for _ in ("version 1", "version 2"):
        result = tree.run("diag", "bad")
        assert result.returncode == 0 and not result.stderr, result
        assert all(one["address"] in result.stdout for one in pages) and "\x1b" not in result.stdout, result
        tree.run("diag", "save")
    assert len(stored(tree)) == len(pages) + 1


def a_chip_that_dies_is_kept_shown_and_given_back(top):
    """As many pages as one has: none of the commands takes a step for each pair of them."""
    tree = bad_tree(top)
    nr = 16384
    places = [0x100000000 + 0x3000 * i for i in range(nr)]
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + "".join(
        BAD_PAGE.replace("0x1234568", hex(place)) for place in places)})
    began = time.monotonic()
    assert tree.json("diag", "save", "--json") == {"added": nr, "stored": nr}
    assert tree.json("diag", "save", "--json") == {"added": 0, "stored": nr}
    assert len(tree.json("diag", "bad", "--json")) == nr
    assert tree.run("diag", "bad").stdout == (
        "DIMM_0, lane x4-1: 16,384 pages at 0x100000000-0x10bffdfff, one each 0x3000, bits 0x0000000000000010: replace it\n")
    assert tree.run("diag", "export", "--format", "badram").returncode == 0
    after_a_reboot(tree)
    assert tree.json("diag", "restore", "--json")["retired"] == nr
    assert len(tree.written("memdiag/retire").splitlines()) == nr
    assert tree.run("diag", "unretire", *map(hex, places[1:])).returncode == 0
    assert tree.json("diag", "status", "--json")["stored"] == 1
    # Two seconds, on a machine that does nothing else; it was 40 minutes.
    assert time.monotonic() - began < 60


def bad_pages_are_exported(top):
    tree = bad_tree(top)
    rows = "".join(BAD_PAGE.replace("0x1234568", address)
                   for address in ("0x1234568", "0x1235000", "0x1236ff8",
                                   "0x9000000"))
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + rows})
    exported = tree.run("diag", "export", "--format", "memmap")
    assert exported.stdout == "memmap=12K$0x1234000 memmap=4K$0x9000000\n"
    assert "--format grub" in exported.stderr and "2 ranges\n" in exported.stderr, exported.stderr
    assert tree.run("diag", "export", "--format", "badram").stdout == (
        'GRUB_BADRAM="0x1234000,0xffffffffffffe000,'
        '0x1236000,0xfffffffffffff000,0x9000000,0xfffffffffffff000"\n')
    exported = tree.json("diag", "export", "--format", "json")
    assert len(exported["pages"]) == 4
    assert exported["ranges"][0] == {"start": "0x1234000", "end": "0x1237000"}
    # As the shell reads it, and then GRUB: what the kernel gets.
    snippet = tree.run("diag", "export", "--format", "grub").stdout
    line = subprocess.run(["sh", "-c", f'{snippet}printf %s "$GRUB_CMDLINE_LINUX"'], capture_output=True, text=True,
                          check=True, env={"GRUB_CMDLINE_LINUX": "quiet"}).stdout
    assert line.replace("\\$", "$") == "quiet memmap=12K$0x1234000 memmap=4K$0x9000000", line
    assert tree.run("diag", "export", "--format", "systemd-boot").stdout == (
        "memmap=12K$0x1234000 memmap=4K$0x9000000\n")


def bad_pages_are_grouped(top):
    """By DIMM and chip; with banks and rows, where there is one map of them."""
    tree = bad_tree(top)
    plug(tree, ("DIMM 0", "A1"), ("DIMM 1", "B2"))

    def rows(dimm, *pages):
        return "".join(f"{address // 4096:#x} {address:#x} {mask:#018x} 2 0x0 17 0->1 hard 0 node0 {dimm} test {retired}\n"
                       for address, mask, retired in pages)

    chip = [(0x40000008 + 0x1000 * i, 0x0100 << i % 8, 1) for i in range(30)]
    cells = [(0x70000000, 1 << 63, 1), (0x50000010, 3, 0), (0x50008010, 4, 1), (0x5000c010, 1, 1), (0x60000000, 0x180, 1)]
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + rows("DIMM_0", *chip) + rows("DIMM_1", *cells)})
    tree.run("diag", "save")
    assert tree.run("diag", "bad").stdout.splitlines() == [
        "DIMM_0, lane x8-1: 30 pages at 0x40000000-0x4001dfff, every page, bits 0x000000000000ff00: replace it",
        "DIMM_1, lane x4-0: 3 pages at 0x50000000-0x5000cfff, multiples of 0x4000 apart, bits 0x0000000000000007, "
        "1 not retired",
        "DIMM_1: 1 page at 0x60000000, bits 0x0000000000000180",
        "DIMM_1, lane x4-15: 1 page at 0x70000000, bits 0x8000000000000000"]
    assert len(tree.run("diag", "bad", "--all").stdout.splitlines()) == 36
    assert len(tree.json("diag", "bad", "--json")) == 35
    tree.fill(tree.sysfs, {"bank_maps/m/frame_map": "xor=0x4000,0x8000", "bank_maps/m/map": "xor=0x4000,0x8000 row=0xffff0000"})
    group, *others = tree.json("diag", "bad", "--groups", "--json")
    assert (group["lane"], group["pages"], group["stride"], group["is_dense"]) == ("x8-1", 30, 4096, True), group
    assert (group["banks"], group["rows"], group["dimms"][0]["serial"]) == ([0, 1, 2, 3], [0x4000, 0x4001], "A1"), group
    assert (others[0]["banks"], others[0]["rows"]) == ([0, 2, 3], [0x5000]), others[0]
    assert "banks 0, 1, 2, 3, rows 16384, 16385" in tree.run("diag", "bad").stdout
    tree.fill(tree.sysfs, {"bank_maps/m/frame_map": "interleave=4096x2,8192x4", "bank_maps/m/map": "interleave=4096x2,8192x4"})
    group = tree.json("diag", "bad", "--groups", "--json")[1]
    assert (group["banks"], group["rows"]) == ([0, 4], None), group
    # Which one is meant nobody can tell.
    tree.fill(tree.sysfs, {"bank_maps/n/frame_map": "xor=0x4000", "bank_maps/n/map": "xor=0x4000"})
    assert "bank" not in tree.run("diag", "bad").stdout


def many_bad_pages_are_exported_in_few_ranges(top):
    tree = bad_tree(top)
    # A page in each 64 KiB of 4 MiB, and one that is far away.
    places = [0x10000000 + 0x10000 * i for i in range(64)] + [0x40000000]
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + "".join(
        BAD_PAGE.replace("0x1234568", hex(place)) for place in places)})
    exported = tree.run("diag", "export", "--format", "memmap")
    assert len(exported.stdout.split()) == 20, exported.stdout
    assert "20 ranges; of good memory, 2.6 MiB are given up" in exported.stderr, exported.stderr
    assert "at random: --ranges 4" in exported.stderr, exported.stderr
    two = tree.run("diag", "export", "--format", "memmap", "--ranges", "2")
    assert two.stdout == "memmap=4036K$0x10000000 memmap=4K$0x40000000\n", two.stdout
    assert "3.7 MiB are given up" in two.stderr and "at random" not in two.stderr, two.stderr
    # Strides need no range each.
    badram = tree.run("diag", "export", "--format", "badram")
    assert badram.stdout == 'GRUB_BADRAM="0x10000000,0xffffffffffc0f000,0x40000000,0xfffffffffffff000"\n', badram.stdout
    assert "2 patterns\n" in badram.stderr, badram.stderr
    one = tree.run("diag", "export", "--format", "badram", "--ranges", "1")
    assert one.stdout == 'GRUB_BADRAM="0x0,0xffffffffafc0f000"\n', one.stdout


def what_the_kernel_does_not_have_is_not_retired(top):
    tree = bad_tree(top)
    tree.run("diag", "save")
    after_a_reboot(tree)
    for line in ("quiet memmap=4K$0x1234000", "memmap=1M$18M,0x1000$0x1234000"):
        tree.fill(tree.proc, {"cmdline": line})
        restored = tree.json("diag", "restore", "--json")
        assert restored["left_out"] == 1 and not restored["retired"], (line, restored)
    for line in ("quiet", "memmap=4K$0x1235000", "memmap=4K@0x1234000", "xmemmap=4K$0x1234000"):
        tree.fill(tree.proc, {"cmdline": line})
        assert tree.json("diag", "restore", "--json")["retired"] == 1, line


def without_modules_what_is_stored_is_told(top):
    tree = bad_tree(top)
    tree.run("diag", "save")
    bare = Tree(os.path.join(top, "bare"))
    bare.state, bare.dmi = tree.state, tree.dmi
    assert "1 bad page" in bare.run("diag", "status").stdout
    assert bare.json("diag", "status", "--json")["stored"] == 1
    row, = bare.json("diag", "bad", "--json")
    assert row["origin"] == "stored" and row["retired"] == "0"
    assert "0x1234568" in bare.run("diag", "bad").stdout
    assert "0x1234000" in bare.run("diag", "export",
                                   "--format", "memmap").stdout
    for command in (("save",), ("restore",), ("retire", "1"), ("unretire", "1"),
                    ("test", "0-2M")):
        result = bare.run("diag", *command)
        assert result.returncode == 64 and "modprobe" in result.stderr, command


def a_lifetime_is_planned(top):
    measured = {**SYSFS, "memdiag/control/bandwidth_pages_s": "8192", "memdiag/control/min_fidelity": "1",
                "memdiag/control/max_threads": "4", "memdiag/control/bandwidth_mib_s": "0"}
    tree = Tree(top, measured)
    # A gigabyte in a quarter of 180 s; a thread does 32 MiB/s.
    told = tree.json("diag", "plan", "--json")
    assert told["held"] and told["threads_needed"] == 1 and told["shortest_lifetime_s"] == 32, told
    # In an eighth, if contents are moved.
    measured["memdiag/move_interval_ms"] = "1000"
    tree = Tree(top, measured)
    told = tree.json("diag", "plan", "--json")
    assert told["held"] and told["threads_needed"] == 2 and told["shortest_lifetime_s"] == 64, told
    assert abs(told["read_and_written_bytes_per_s"] - 10 * told["wanted_bytes_per_s"]) < 20, told
    result = tree.run("diag", "plan", "--lifetime", "60")
    assert result.returncode == 1 and "held      no: 128 MiB/s are possible; set 64 s or more" in result.stdout, result
    result = tree.run("diag", "plan", "--lifetime", "60", "--threads", "5")
    assert result.returncode == 0 and "held      yes; 52 s could be" in result.stdout, result
    result = tree.run("diag", "set", "--lifetime", "60")
    assert result.returncode == 0 and "does not hold that: it takes 64 s" in result.stderr, result
    assert not tree.run("diag", "set", "--lifetime", "64").stderr
    # 320 MiB/s of March C- test 32 MiB/s.
    tree = Tree(top, {**measured, "memdiag/control/bandwidth_mib_s": "320"})
    assert tree.json("diag", "plan", "--json")["shortest_lifetime_s"] == 256
    tree = Tree(top, {**measured, "memdiag/control/bandwidth_pages_s": "0"})
    result = tree.run("diag", "plan")
    assert result.returncode == 1 and "memsuite diag enable" in result.stderr, result


def a_range_is_tested(top):
    for status, code, tested, untested, bad in (
            ("pass", 0, 512, 0, 0), ("fail", 4, 512, 0, 1), ("partial", 8, 512, 1, 0), ("fail", 12, 512, 1, 1),
            ("partial", 16, 0, 512, 0), ("cancelled", 32, 512, 0, 0), ("cancelled", 36, 512, 0, 1)):
        tree = Tree(top, {**SYSFS, "memdiag/range/status": status,
                          "memdiag/range/range": "0x200000-0x400000",
                          "memdiag/range/tested_pages": str(tested),
                          "memdiag/range/untested_pages": str(untested),
                          "memdiag/range/bad_pages": str(bad)})
        result = tree.run("diag", "test", "2M-4M")
        assert result.returncode == code, result
        assert f"0x200000-0x400000 {status}: {'2 MiB' if tested else '0 B'} tested" in result.stdout
        assert tree.written("memdiag/range/run_test") == "2M-4M\n"
        assert tree.json("diag", "test", "2M-4M",
                         "--json")["status"] == status
    # Whoever waits for a result has the file for itself: nobody else's comes in its place.
    with open(os.path.join(tree.sysfs, "memdiag/range/run_test"), "w", encoding="ascii") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        result = tree.run("diag", "test", "6M-8M")
    assert result.returncode == 1 and "runs already" in result.stderr, result
    assert tree.written("memdiag/range/run_test") != "6M-8M\n"


def faults_are_injected(top):
    head = "# address bit kind variant aggressor aggressor_bit cpu\n"
    tree = Tree(top, SYSFS, {"memdiag/injected": head + "0x1000 3 saf 0 - - -"})
    assert "0x1000" in tree.run("diag", "inject", "0x1000:3:saf").stdout
    assert tree.written("memdiag/inject/add") == "0x1000:3:saf\n"
    rows = tree.json("diag", "inject", "--every", "128M-130M", "--json")
    assert rows[0]["kind"] == "saf"
    # The last of the kinds, a third of the range behind the first.
    assert tree.written("memdiag/inject/add") == (
        "0x8154000:3:dynamic_cfds@0x81a9000:3\n")
    assert tree.run("diag", "inject", "--every", "0-4K").returncode == 1
    assert tree.run("diag", "inject", "--every", "x-4K").returncode == 2
    assert tree.run("diag", "inject", "--clear").returncode == 0
    assert tree.written("memdiag/inject/clear") == "1\n"
    tree.fill(tree.debugfs, {"memdiag/injected": head.rstrip()})
    assert "kinds: saf cfin" in tree.run("diag", "inject").stdout


def free_page_flags(*frames):
    """What /proc/kpageflags says where only these frames are free."""
    return b"".join(struct.pack("=Q", (frame in frames) << 10) for frame in range(16))


def a_tree_to_stress(top, *frames):
    tree = Tree(top, SYSFS, {**DEBUGFS, "memdiag/bad_pages": BAD_PAGES})
    with open(os.path.join(tree.proc, "kpageflags"), "wb") as file:
        file.write(free_page_flags(*frames))
    return tree


def every_profile_is_run_and_its_data_checked(top):
    """As ondemand, for nobody sweeps over a made-up tree."""
    for profile, pages in (("ramp", 512), ("burst", 512), ("turnover", 512), ("resident", 512)):
        told = a_tree_to_stress(os.path.join(top, profile)).json(
            "diag", "stress", profile, "--size", "2", "--seconds", "1", "--policy", "ondemand", "--json")
        assert told["damaged_pages"] == 0 and told["checked_pages"] >= 2 * pages, told
        assert told["touched_pages"] >= pages and told["done_steps"] == told["steps"], told
        assert told["cpu_slowdown_ratio"] > 0 and told["configuration"]["policy"] == "ondemand", told
        assert told["mean_fidelity"] == 3 and told["mean_threads"] == 2, told
        assert told["worst_coverage"]["free_tested_pct"] == 93, told
        assert told["allocated_pages"] == told["extra_tlb_shootdowns"] == 0, told


def stress_runs_several_programs_at_once(top):
    told = a_tree_to_stress(top).json(
        "diag", "stress", "resident", "--size", "1", "--instances", "3", "--readers", "1", "--seconds", "1",
        "--policy", "ondemand", "--series", "--json")
    assert told["touched_pages"] == 3 * 256 and told["done_steps"] == told["steps"] == 3, told
    assert told["damaged_pages"] == 0 and told["instances"] == 3, told
    assert told["tlb_shootdowns_per_s"] == told["base_tlb_shootdowns_per_s"] == 0, told
    assert len(told["series"]) >= 2, told
    for sample in told["series"]:
        assert sample["fidelity"] == 3 and sample["threads"] == 2 and sample["allocated_pages"] == 1000, sample
        assert 0 < sample["time_s"] <= told["measured_s"], sample


def stress_leaves_the_settings_as_they_were(top):
    tree = a_tree_to_stress(top)
    result = tree.run("diag", "stress", "burst", "--size", "1", "--seconds", "1", "--policy", "ondemand",
                      "--algorithm", "mats", "--lifetime", "60", "--bandwidth", "9",
                      "--set", "memdiag/control/threads=7")
    assert result.returncode == 0, result
    for text in ("burst, 1 MiB, 1 s", "ondemand, mats", "lifetime 60 s", "none damaged", "free: 93%"):
        assert text in result.stdout, (text, result.stdout)
    for name in ("enabled", "control/policy", "algorithm", "test_lifetime_s", "control/bandwidth_mib_s",
                 "control/threads", "lifetime/automatic"):
        assert tree.written(f"memdiag/{name}") == SYSFS[f"memdiag/{name}"] + "\n", name


def stress_ends_with_the_settings_restored(top):
    tree = a_tree_to_stress(top)
    for which in (signal.SIGINT, signal.SIGTERM):
        process = tree.start("diag", "stress", "resident", "--size", "1", "--seconds", "60")
        while tree.written("memdiag/enabled") != "0\n":
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(which)
        _, text = process.communicate(timeout=20)
        assert process.returncode == 32 and "interrupted" in text, text
        assert tree.written("memdiag/enabled") == "1\n"


def stress_injects_errors_into_free_memory(top):
    tree = a_tree_to_stress(top, 5, 9)
    with mock.patch.object(proc, "PROC", tree.proc):
        assert errors.free_frames(2) == {5, 9}
        try:
            errors.free_frames(3)
            assert False
        except Failure as failure:
            assert "2 free pages for 3 errors" in str(failure)
    result = tree.run("diag", "stress", "burst", "--size", "1", "--seconds", "1", "--policy", "ondemand",
                      "--inject", "2")
    assert result.returncode == 1 and "another policy" in result.stderr, result
    assert tree.written("memdiag/control/policy") == "adaptive\n"
    tree.fill(tree.sysfs, {"memdiag/inject/count": "1"})
    result = tree.run("diag", "stress", "burst", "--inject", "1")
    assert result.returncode == 1 and "emulated already" in result.stderr, result


NOTES = """#!/bin/sh
env | grep ^MEMSUITE_ | sort >{top}/environment
cat >>{top}/input
echo >>{top}/times
"""


def a_tree_to_notify(top, programs, **files):
    """@programs: {name: text} of its notify.d; a text that begins with ! is of a file that others may write."""
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1", **files},
                {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    for name, text in programs.items():
        Tree.fill(os.path.join(top, "notify.d"), {name: text.lstrip("!")})
        os.chmod(os.path.join(top, "notify.d", name), 0o777 if text.startswith("!") else 0o755)
    tree.told = {"MEMSUITE_NOTIFY": os.path.join(top, "notify.d"), "MEMSUITE_RUN": os.path.join(top, "run"),
                 "MEMSUITE_NOTIFY_INTERVAL": "0"}
    return tree


def lines_of(top, name):
    try:
        with open(os.path.join(top, name), encoding="utf-8") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def programs_are_told_of_new_bad_pages(top):
    tree = a_tree_to_notify(top, {"10-notes": NOTES.format(top=top), "old~": "#!/bin/sh\nexit 1", ".hidden": "x"})
    result = tree.run("diag", "notify", **tree.told)
    assert result.returncode == 0 and "1 program run for 1 event" in result.stdout, result
    environment = dict(line.split("=", 1) for line in lines_of(top, "environment"))
    for name, value in (("EVENT", "bad_page"), ("PAGES", "1"), ("ADDRESS", "0x1234568"), ("ORIGIN", "test"), 
                        ("CLASS", "hard")):
        assert environment[f"MEMSUITE_{name}"] == value, environment
    assert "1 bad page" in environment["MEMSUITE_TEXT"], environment
    event = json.loads(lines_of(top, "input")[0])
    assert event["event"] == "bad_page" and event["pages"][0]["address"] == "0x1234568", event
    assert "nothing is new" in tree.run("diag", "notify", **tree.told).stdout
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE.replace("test", "restored")})
    tree.run("diag", "notify", "--again", **tree.told)
    assert len(lines_of(top, "times")) == 1, "what was found before the boot is no news"
    rows = "".join(BAD_PAGE.replace("0x1234", hex(0x5000 + nr)).rstrip() + "\n" for nr in range(1500))
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + rows})
    tree.run("diag", "notify", **tree.told)
    event = json.loads(lines_of(top, "input")[1])
    assert event["page_count"] == 1500 and len(event["pages"]) == 1000, "many pages are one event"
    assert len(lines_of(top, "times")) == 2
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE.replace(" 17 ", " 18 ")})
    tree.run("diag", "notify", **tree.told)
    assert len(lines_of(top, "times")) == 3, "given back, and found again, it is news"


def programs_are_told_of_each_alarm_once(top):
    # DIMM_0 has more bad pages, and DIMM_1 so many for its size that no more of it are retired.
    rows = (BAD_PAGE + BAD_PAGE.replace("0x1234", "0x1235")
            + BAD_PAGE.replace("0x1234", "0x9234").replace("DIMM_0", "DIMM_1"))
    tree = a_tree_to_notify(top, {"notes": NOTES.format(top=top)},
                            **{"memdiag/retire_policy/alarms": "dimm DIMM_1 1795239730"})
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + rows})

    def told(*alarms):
        """Of which DIMMs' alarms programs were told, if there are these."""
        before = len(lines_of(top, "input"))
        tree.fill(tree.sysfs, {"memdiag/retire_policy/alarms": "\n".join(alarms)})
        tree.run("diag", "notify", **tree.told)
        events = [json.loads(line) for line in lines_of(top, "input")[before:]]
        assert all(event["dimm"] in event["text"] for event in events if event["event"] == "alarm"), events
        return [(event["dimm"], event["page_count"]) for event in events if event["event"] == "alarm"]

    assert told("dimm DIMM_1 1795239730") == [("DIMM_1", 1)]
    assert told("dimm DIMM_1 1795239730") == []
    assert told("dimm DIMM_1 1795239730", "dimm DIMM_0 1795239731") == [("DIMM_0", 2)]
    assert told() == [] and told("pages DIMM_0 1795239740") == [("DIMM_0", 3)]
    assert told("dimm DIMM_1 1795239750") == [("DIMM_1", 1)], "it was taken back, and raised again"


def dimms_are_listed_with_their_errors(top):
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1"}, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    plug(tree, ("DIMM 0", "A1"), ("DIMM 1", "B2"))
    Tree.fill(os.path.join(top, "edac"), {f"mc0/{name}": text for nr, label in enumerate(("CPU0 DIMM_0", "CPU0 DIMM_7"))
                                          for name, text in ((f"dimm{nr}/dimm_label", label),
                                                             (f"dimm{nr}/dimm_ce_count", str(nr + 4)),
                                                             (f"dimm{nr}/dimm_ue_count", "0"))})
    rows = json.loads(tree.run("diag", "dimms", "--json", MEMSUITE_EDAC=os.path.join(top, "edac")).stdout)
    assert [(row["locator"], row["bad_pages"], row["corrected"]) for row in rows] == [
        ("DIMM 0", 1, 4), ("DIMM 1", 0, None), (None, None, 5)], rows
    text = tree.run("diag", "dimms", MEMSUITE_EDAC="/nowhere").stdout
    assert "no EDAC driver" in text and re.search(r"^DIMM 0 .* A1 +- +1 +- +- +-$", text, re.M), text


def a_program_that_fails_is_told_with_what_to_do(top):
    tree = a_tree_to_notify(top, {
        "10-fails": "#!/bin/sh\nexit 3", "20-no-program": "#!/no/such/shell\n", "30-killed": "#!/bin/sh\nkill -9 $$",
        "40-open": "!" + NOTES.format(top=top), "50-notes": NOTES.format(top=top)})
    os.chmod(os.path.join(top, "notify.d", "10-fails"), 0o755)
    Tree.fill(os.path.join(top, "notify.d"), {"60-forgotten": "x"})
    result = tree.run("diag", "notify", **tree.told)
    assert result.returncode == 1, result
    for text in ("10-fails: exit status 3. It has not told", "20-no-program: No such file",
                 "30-killed: ended by SIGKILL", "40-open is not run, for others than root may change it",
                 "60-forgotten is not run, for it is not executable",
                 "memsuite diag notify --again"):
        assert text in result.stderr, (text, result.stderr)
    assert len(lines_of(top, "times")) == 1, "the others are run"


def programs_are_tried_by_an_example(top):
    tree = a_tree_to_notify(top, {"notes": NOTES.format(top=top)})
    assert tree.run("diag", "notify", "--example", **{**tree.told, "MEMSUITE_SYSFS": "/nowhere"}).returncode == 0
    assert "MEMSUITE_ORIGIN=example" in lines_of(top, "environment")
    tree.told["MEMSUITE_NOTIFY"] = "/nowhere"
    assert "nobody is told" in tree.run("diag", "notify", "--example", **tree.told).stdout


def runs_beside_each_other_tell_once(top):
    tree = a_tree_to_notify(top, {"slow": "#!/bin/sh\nsleep 1\necho >>" + os.path.join(top, "times")})
    runs = [tree.start("diag", "notify", **tree.told) for _ in range(4)]
    for process in runs:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert len(lines_of(top, "times")) == 1, lines_of(top, "times")


def what_fails_where_nobody_looks_is_logged(top):
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1"}, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    kmsg = os.path.join(top, "kmsg")
    open(kmsg, "w", encoding="ascii").close()
    where = {"MEMSUITE_KMSG": kmsg, "MEMSUITE_DEV_LOG": "/nowhere", "MEMSUITE_STATE": "/proc/nowhere/bad_pages.json"}
    result = tree.run("--log", "diag", "save", **where)
    assert result.returncode == 1 and result.stderr, result
    assert lines_of(top, "kmsg") == [f"<11>{line}" for line in result.stderr.splitlines()], lines_of(top, "kmsg")
    open(kmsg, "w", encoding="ascii").close()
    assert tree.run("diag", "save", **where).returncode == 1 and not lines_of(top, "kmsg")


class MadeUpSweeps:
    """Does what memdiag would: a sweep for each test that is added, after @finds; and passes over address bits."""

    def __init__(self, tree, finds=lambda: None):
        self.tree, self.finds = tree, finds
        self.names = []         # of what was tested
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.work)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def bump(self, name):
        number = int(self.tree.written(name) or 0)
        self.tree.fill(self.tree.sysfs, {name: str(number + 1)})

    def work(self):
        while not self.ended.wait(0.05):
            added = self.tree.written("memdiag/tests/add").split()
            if added:
                self.finds()
                self.names.append((added[1], self.tree.written("memdiag/control/fixed_fidelity").strip()))
                self.tree.fill(self.tree.sysfs, {"memdiag/tests/add": ""})
                self.bump("memdiag/passes")
            elif self.tree.written("memdiag/address_bits/period_s") == "1\n":
                self.names.append(("address bits", "1"))
                self.bump("memdiag/address_bits/passes")
                time.sleep(0.6)         # the command looks twice a second


BURN_IN = {**SYSFS, "memdiag/available_algorithms": "mats\nretention\nmarch-c-",
           "memdiag/coverage/free_tested_pages": "950", "memdiag/coverage/counted_age_s": "0",
           "memdiag/coverage/free_untested_pages": "50", "memdiag/coverage/kernel_pages": "40",
           "memdiag/coverage/kernel_tested_pages": "0", "memdiag/coverage/kernel_untested_pages": "40",
           "memdiag/address_bits/passes": "0"}
SET_BY_BURN_IN = [f"memdiag/{name}" for name in (
    "enabled", "lifetime/automatic", "test_lifetime_s", "algorithm", "move_interval_ms", "address_bits/period_s",
    "control/policy", "control/bandwidth_mib_s", "control/fixed_fidelity", "control/fixed_threads",
    "control/pressure_cpu_pct", "control/pressure_memory_pct")]


def a_tree_to_burn_in(top, sysfs=None):
    return Tree(top, {**BURN_IN, **(sysfs or {})}, {**DEBUGFS, "memdiag/bad_pages": BAD_PAGES})


def settings_are_as_before(tree):
    for name in SET_BY_BURN_IN:
        assert tree.written(name) == BURN_IN[name] + "\n", (name, tree.written(name))


def a_machine_is_burnt_in(top):
    tree = a_tree_to_burn_in(top)
    with MadeUpSweeps(tree) as sweeps:
        result = tree.run("diag", "burn-in", "--time", "10s", "--output", os.path.join(top, "verdict"),
                          MEMSUITE_EDAC=top)
    assert result.returncode == 0 and "GOOD" in result.stdout, result
    assert sweeps.names[:4] == [
        ("mats", "1"), ("march-c-", "1"), ("address bits", "1"), ("retention", "1")], sweeps.names
    assert ("march-c-", "2") in sweeps.names, sweeps.names
    assert "round 1, mats, 1 background" in result.stderr, result.stderr
    assert "160 KiB the kernel's own" in result.stdout, result.stdout
    settings_are_as_before(tree)
    assert tree.written("memdiag/tests/remove") == "burn-in\n"
    told = json.load(open(os.path.join(top, "verdict.json"), encoding="utf-8"))
    assert told["verdict"] == "good" and not told["reasons"] and told["covered_pct"] == 91.3, told
    assert told["tests"]["mats"]["runs"] >= 2 and told["whole_rounds"] >= 1, told
    for suffix in ("json", "html"):
        assert os.stat(os.path.join(top, f"verdict.{suffix}")).st_mode & 0o777 == 0o600
    text = open(os.path.join(top, "verdict.html"), encoding="utf-8").read()
    ElementTree.fromstring(text.split("\n", 1)[1].replace('<meta charset="utf-8">', ""))
    assert "<h1" in text and "GOOD" in text and "cannot be moved" in text, text


def a_burn_in_tells_what_it_found(top):
    edac = {"mc0/dimm0/dimm_label": "DIMM_A1", "mc0/dimm0/dimm_location": "channel 0", "mc0/dimm0/dimm_ce_count": "3",
            "mc0/dimm0/dimm_ue_count": "0"}
    tree = a_tree_to_burn_in(top)
    Tree.fill(os.path.join(top, "edac"), edac)

    def finds():
        tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
        Tree.fill(os.path.join(top, "edac"), {"mc0/dimm0/dimm_ce_count": "5"})

    with MadeUpSweeps(tree, finds):
        result = tree.run("diag", "burn-in", "--time", "3s", "--json", "--no-heat", "--output", os.path.join(top, "v"),
                          MEMSUITE_EDAC=os.path.join(top, "edac"))
    told = json.loads(result.stdout)
    assert result.returncode == 4 and told["verdict"] == "bad" and not told["heated"], result
    assert told["found"]["pages"][0]["by"] == "mats" and told["tests"]["mats"]["bad_pages"] == 1, told
    assert any("1 bad page found in DIMM_0" in reason for reason in told["reasons"]), told["reasons"]
    assert "EDAC counted 2 corrected and 0 uncorrected errors of DIMM_A1" in told["reasons"], told["reasons"]
    assert "1 bad page found in DIMM_0" in open(os.path.join(top, "v.html"), encoding="utf-8").read()
    settings_are_as_before(tree)


def a_burn_in_that_is_too_short_or_blind_says_so(top):
    tree = a_tree_to_burn_in(os.path.join(top, "short"))
    result = tree.run("diag", "burn-in", "--time", "1s", "--json")      # nobody sweeps
    told = json.loads(result.stdout)
    assert result.returncode == 8 and told["verdict"] == "part", result
    assert len(told["tests_left_out"]) == 4, told
    assert "tested    91.3% of memory, by 0 tests" in "\n".join(f"{name:9} {line}" for name, line in summary_lines(told))
    assert len(os.listdir(os.path.dirname(tree.state))) == 3            # the page, twice, and the lock
    settings_are_as_before(tree)
    tree = a_tree_to_burn_in(os.path.join(top, "blind"), {"memdiag/coverage/free_tested_pages": "800"})
    with MadeUpSweeps(tree):
        result = tree.run("diag", "burn-in", "--time", "5s")
    assert result.returncode == 8 and "76.9% of memory were tested, 90% are wanted" in result.stdout, result


def a_burn_in_that_is_ended_puts_everything_back(top):
    for which in (signal.SIGINT, signal.SIGTERM):
        tree = a_tree_to_burn_in(os.path.join(top, which.name))
        process = tree.start("diag", "burn-in", "--time", "1h", "--json")
        while not tree.written("memdiag/tests/add").strip():
            time.sleep(0.05)
        assert "runs already" in tree.run("diag", "burn-in").stderr
        time.sleep(0.5)
        # Terminals and systemd send two.
        process.send_signal(which)
        time.sleep(0.1)
        process.send_signal(signal.SIGHUP)
        text, _ = process.communicate(timeout=20)
        told = json.loads(text)
        assert process.returncode == 40 and told["ended_early"] == f"by {which.name}", told
        assert tree.written("memdiag/tests/remove") == "burn-in\n"
        settings_are_as_before(tree)


def a_burn_in_is_kept_when_its_reader_has_gone(top):
    tree = a_tree_to_burn_in(top)
    process = tree.start("diag", "burn-in", "--time", "1h", "--no-heat", "--output", os.path.join(top, "verdict"))
    while not tree.written("memdiag/tests/add").strip():
        time.sleep(0.05)
    time.sleep(0.5)
    process.stdout.close()
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 40, process.returncode
    assert {"verdict.html", "verdict.json"} <= set(os.listdir(top)), os.listdir(top)
    settings_are_as_before(tree)


def errors_that_were_counted_anew_are_none_less(top):
    del top
    before = {"label": "A1", "location": "", "corrected": 5, "uncorrected": 0}
    assert not edac_growth([before], [{**before, "corrected": 0}])
    assert edac_growth([before], [{**before, "corrected": 2}])[0]["corrected"] == 2
    assert edac_growth([before], [{**before, "corrected": 7}])[0]["corrected"] == 2


def what_nothing_is_in_costs_nothing(top):
    del top
    memory = mmap.mmap(-1, 64 * 4096)
    memory.write(bytes(64 * 4096))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    size = 4 << 40
    at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, -1, 0)   # MAP_NORESERVE
    assert at != ctypes.c_void_p(-1).value, os.strerror(ctypes.get_errno())
    began = time.monotonic()
    assert sum(1 for _ in segments.pages("self")) > 64
    took = time.monotonic() - began
    libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(size))
    assert took < 5, took


def what_ends_while_it_is_listed_is_left_out(top):
    del top
    names = ["1", "2"]

    def what(name):
        if name == "2":
            names.remove(name)
            raise Failure("it has ended")
        return name

    assert sysfs.those_there(what, lambda: list(names)) == ["1"]
    with contextlib.suppress(Failure):
        assert False, sysfs.those_there(lambda name: sysfs.read("none-such", name), lambda: ["1"])


def what_stress_tells_is_computed(top):
    with mock.patch.object(proc, "PROC", a_tree_to_stress(top).proc):
        assert counters.tlb_shootdowns() == 42 and counters.tester_ticks() == {"42": 200}
    before = {"a": 5, "tlb_shootdowns": None, "tester_ticks": {"42": 150}, "time_s": 10}
    after = {"a": 7, "tlb_shootdowns": 3, "tester_ticks": {"42": 200, "44": 50}, "time_s": 12}
    assert counters.growth(before, after) == {"a": 2, "tlb_shootdowns": None, "time_s": 2,
                                              "tester_cpu_s": 100 / os.sysconf("SC_CLK_TCK")}
    # 6 in 2 seconds without tests are 9 in 3.
    assert report.tlb_growth({"tlb_shootdowns": 6, "time_s": 2}, {"tlb_shootdowns": 20, "time_s": 3}) == 11
    args = argparse.Namespace(pj_per_bit=20, core_watts=5)
    joules = energy.energy(args, {"on_demand_tests": 100, "tester_cpu_s": 2, "time_s": 4}, 1000, 10)
    assert joules["read_and_written_bytes"] == (1000 * 10 + 100 * 4) * 4096
    assert joules["dram_j"] == 0.007 and joules["cpu_j"] == 10 and abs(joules["mean_w"] - 2.5017) < 1e-4, joules
    assert energy.energy(args, {}, 1, None) is None
    assert counters.covered_pct({"free_pages": 30, "free_tested_pages": 9, "free_untested_pages": 21,
                                 "free_oldest_age_s": 5, "user_pages": 10, "user_tested_pages": 1}) == 25
    assert counters.share_pct(1, 0) is None and counters.share_pct(1, 8) == 12.5


def the_operations_of_algorithms_are_those_of_the_module(_top):
    with open(os.path.join(TOP, "kmod-memdiag", "march", "notation.c"), encoding="utf-8") as file:
        source = re.sub(r'"\s+"', "", file.read())
    tests = dict(re.findall(r'\{ "([^"]+)", "(\{[^"]+\})" \}', source))
    assert len(tests) > 20
    for name, text in tests.items():
        assert energy.algorithm_ops(name) == energy.algorithm_ops(text), name
    assert set(energy.ALGORITHM_OPS) == {*tests, "address-decoder", "modulo-20"}
    assert energy.algorithm_ops("nonsense") is None


def damage_is_seen(_top):
    memory = demand.Memory(2, huge=False)
    for chunk in range(2):
        memory.allocate(chunk)
        memory.check(chunk)
    assert memory.work["checked_pages"] == 512 and memory.work["damaged_pages"] == 0
    memory.map[4096 * 300 + 17] = 1
    memory.map[4096 * 301] ^= 1
    for chunk in range(2):
        memory.check(chunk)
    assert memory.work["damaged_pages"] == 2


def regions_are_listed(top):
    tree = Tree(top, SYSFS)
    text = tree.run("zone", "list").stdout
    assert "node0" in text and "64 MiB of 64 MiB" in text and "1 GiB" in text
    assert tree.json("zone", "list", "--json")[0]["end"] == 1 << 30
    assert tree.run("zone", "regions").stdout == text


def policy_files(number, who, policy, **counts):
    files = {"who": who, "file": "-", "policy": policy, "children": "0", "processes": "1"}
    for segment in segments.SEGMENTS:
        files[f"{segment}_pages"] = "0"
    for why in ("empty", "policy", "cpuset", "context", "huge", "wear"):
        files[f"fallback_{why}"] = "0"
    files["moved_pages"] = "0"
    for why in ("entered", "hot", "idle", "outranked", "worn"):
        files[f"{why}_moved_pages"] = "0"
    files.update(counts)
    return {f"vipzone/policies/{number}/{name}": value for name, value in files.items()}


def policies_are_listed(top):
    tree = Tree(top, {**SYSFS, **policy_files(0, "machine", "region:node0"),
                      **policy_files(3, "812", "segment:heap=pram", brk_pages="512", fallback_empty="3",
                                     fallback_huge="4", fallback_wear="512")}, {"vipzone/processes": f"{PROCESSES}{os.getpid()} 3 -\n1 0 segment:heap=node0"})
    text = tree.run("zone", "policies").stdout
    assert "machine" in text and "segment:heap=pram" in text and "2 MiB" in text and "2.0 MiB  empty 3, huge 4, wear 512" in text, \
        text
    row = tree.json("zone", "policies", "--json")[1]
    assert row["who"] == "812" and row["brk_pages"] == 512 and row["fallbacks"]["huge"] == 4, row
    # All reasons that the kernel's side has.
    with open(os.path.join(TOP, "kmod-vipzone", "policy", "policy_sysfs.c"), encoding="utf-8") as file:
        assert set(row["fallbacks"]) == set(re.findall(r"^COUNT\(fallback_(\w+),", file.read(), re.M)), row
    assert "segment:heap=pram" in tree.run("zone", "ps").stdout
    own, chosen = tree.json("zone", "ps", "--json")
    assert own["pid"] == os.getpid() and own["policy_number"] == 3, own
    assert chosen["policy"] == "segment:heap=node0" and chosen["policy_number"] == 0, chosen


def children_are_of_a_process(top):
    tree = Tree(top, SYSFS)
    for who in "machine", "cgroup:/a":
        done = tree.run("zone", "add", who, "a", "--children")
        assert done.returncode == 1 and "--children is for a process" in done.stderr, done
        assert not tree.written("vipzone/add").strip()


def who_moves_enters_a_cgroup(top):
    tree = Tree(top, SYSFS)
    for who in "machine", "12":
        done = tree.run("zone", "add", who, "a", "--move")
        assert done.returncode == 1 and "--move is for a cgroup" in done.stderr, done
        assert not tree.written("vipzone/add").strip()


def commands_run_under_a_policy(top):
    tree = Tree(top, {**SYSFS, "vipzone/enabled": "1"})
    done = tree.run("zone", "run", "--policy", "segment:heap=a,*=b", "--", "sh", "-c", "echo $$")
    assert done.returncode == 0, done.stderr
    assert tree.written("vipzone/add") == f"{done.stdout.strip()} segment:heap=a,*=b children\n"
    for command, status in ("nothing-like-it", 127), ("/etc/passwd", 126):
        result = tree.run("zone", "run", "--policy", "region:a", command)
        assert command in result.stderr and result.returncode == status, result
    # It is nothing to the command whether the warning can be given.
    result = tree.run("-c", "import signal, subprocess, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
                      "sys.exit(subprocess.run(sys.argv[1:]).returncode)", sys.executable, TOOL, "zone", "run", "--policy",
                      "region:a", "sh", "-c", "echo it runs", tool="-B")
    assert result.stdout == "it runs\n" and not result.stderr, result
    # As if a shell had started it: it ends when nobody reads any more, and says nothing.
    with tree.start("zone", "run", "--policy", "region:a", "yes") as process:
        process.stdout.close()
        assert process.stderr.read() == "" and process.wait() == -signal.SIGPIPE
    assert "off" in Tree(top, SYSFS).run("zone", "run", "--policy", "region:a", "true").stderr


def profiles_describe_regions(top):
    tree = Tree(top, {**SYSFS, **{f"regions/dimm{i}/{key}": value for i in range(8) for key, value in REGION.items()},
                      **{f"regions/node1/{key}": value for key, value in REGION.items()}})
    for name in os.listdir(os.path.join(TOP, "profiles")):
        done = tree.run("zone", "profile", os.path.join(TOP, "profiles", name))
        assert done.returncode == 0, done.stderr
    assert tree.written("regions/dimm7/read_power_mw") == "1715\n"
    assert tree.written("regions/node0/idle_power_mw") == "1000\n"     # of 1 GiB
    assert tree.written("regions/node1/write_energy_fj_per_bit") == "500000\n"
    path = os.path.join(top, "profile")
    with open(path, "w", encoding="utf-8") as file:
        file.write("node1 technology=pram read_latency_ns=7")
    assert tree.run("zone", "profile", path).returncode == 0
    assert tree.written("regions/node1/technology") == "pram\n"
    for text, say in (("node0 read_latency_ns=5 # x\n\nnone read_latency_ns=1", "profile:3: there is no region none"),
                      ("node0 1M-2M read_latency_ns=5", "already"), ("node0 speed=1", "not KEY=NUMBER"),
                      ("node0 read_latency_ns=-1", "not KEY=NUMBER"), ("node0 locator=x", "not KEY=NUMBER")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = tree.run("zone", "profile", path)
        assert done.returncode == 1 and say in done.stderr, (text, done.stderr)
        assert tree.written("regions/node0/read_latency_ns") == "50\n", "nothing is set by a wrong file"
    assert "No such file" in tree.run("zone", "profile", os.path.join(top, "nowhere")).stderr


def ledger_files(name, **counts):
    files = dict.fromkeys(ledger.LEDGER, "0")
    return {f"vipzone/ledger/{name}/{key}": value for key, value in {**files, **counts}.items()}


def energy_is_told(top):
    files = {**SYSFS, **ledger_files("node0"), "vipzone/audit/interval_ms": "0", "vipzone/audit/sample_accesses": "0",
             "vipzone/accesses/source": "pmu"}
    tree = Tree(top, files)
    told = tree.json("zone", "energy", "--seconds", "1", "--json")
    assert told["regions"]["node0"]["idle_w"] == 0 and told["regions"]["node0"]["years"] is None, told
    text = tree.run("zone", "energy", "--seconds", "1").stdout
    assert "node0" in text and "lower bound" in text and "not sampled" in text, text
    counted = Tree(os.path.join(top, "c"), {**files, "vipzone/audit/sample_accesses": "1"})
    text = counted.run("zone", "energy", "--seconds", "1").stdout
    assert "are counted" in text and "lower bound" not in text, text
    assert "no policy" in Tree(os.path.join(top, "b"), {**SYSFS}).run("zone", "energy").stderr
    bills = Tree(os.path.join(top, "d"), files, {"vipzone/ledger": BILLS + f"{os.getpid()} 3 node0 1 2 0 0 30 4 50\n"})
    text = bills.run("zone", "energy", "--seconds", "1").stdout
    assert "PID" not in text, f"nothing was taken meanwhile: {text}"
    row, = bills.json("zone", "energy", "--seconds", "1", "--json")["processes"]
    assert row["pid"] == os.getpid() and row["region"] == "node0" and row["writes"] == 0, row
    counts = {"idle_energy_uj": 10_000_000, "access_energy_nj": 5_000_000_000, "access_error_nj": 1_000_000_000,
              "access_latency_ns": 7, "sampled_reads": 3, "sampled_writes": 4, "counted_reads": 30, "counted_writes": 40,
              "written_kib": 0, "over_budget": 1}
    row = ledger.energy_told(({}, {"a": (90, 100)}, 1.0), ({"r": counts}, {"a": (10_000_000, 100_000_000)}, 11.0))
    assert row["regions"]["r"]["idle_w"] == 1 and row["regions"]["r"]["access_w"] == 0.5, row
    assert row["regions"]["r"]["reads"] == 3 and row["regions"]["r"]["access_error_w"] == 0.1, row
    assert abs(row["rapl"]["a"] - 1) < 0.01, row
    row = ledger.energy_told(({}, {}, 1.0), ({"r": counts}, {}, 11.0), "pmu")["regions"]["r"]
    assert (row["reads"], row["writes"]) == (30, 40), row
    counts = dict(zip(ledger.BILL, (1, 2, 10, 20, 3_000_000_000, 500_000_000, 7)))
    more = {key: count * 3 for key, count in counts.items()}
    cheap, dear = ledger.bills_told({(7, "a"): counts}, {(7, "-"): counts, (7, "a"): more}, "pmu", 2)[::-1]
    assert (dear["region"], dear["access_w"], dear["access_error_w"], dear["reads"], dear["writes"]) == ("a", 3, 0.5, 20, 40), dear
    assert (cheap["region"], cheap["reads"]) == ("-", 10), cheap
    assert ledger.bills_told({}, {(7, "a"): counts}, "touches", 1)[0]["writes"] == 2
    assert ledger.energy_told(({}, {"a": (9e6, 10e6)}, 0), ({}, {"a": (1e6, 10e6)}, 1))["rapl"]["a"] == 2


def policies_can_be_done_by_hand(top):
    assert moves.policy_nodes("segment:heap=node0+node1,*=node1") == {
        **dict.fromkeys(segments.SEGMENTS, 1), "brk": 0, "mmap": 0}
    assert moves.policy_nodes("segment:brk=node0,heap=node1") == {"brk": 0, "mmap": 1}
    assert moves.policy_nodes("segment:bss=node3") == {"bss": 3}
    assert set(moves.policy_nodes("region:node2").values()) == {2}
    tree = Tree(top, SYSFS)
    for policy in "region:pram", "segment:heap", "segment:x=node0", "bank:node0", "region:node0=3+node1=1":
        done = tree.run("zone", "move", "1", "--policy", policy)
        assert done.returncode == 1 and done.stderr, policy
    # A program of ours: its memory is on node 0, or nowhere else to be moved to.
    with subprocess.Popen(["sleep", "60"]) as process:
        done = subprocess.run([sys.executable, TOOL, "zone", "move", str(process.pid), "--policy", "region:node0"],
                              capture_output=True, text=True, check=False)
        process.kill()
    assert done.returncode == 0 or "move_pages" in done.stderr or "permission" in done.stderr.lower(), done.stderr


def made_up_process(tree):
    """4 pages: code, data, heap and stack, in frames 1, 2, 3 and 300,000; a fifth is not there."""
    areas = ((0x400000, 0x401000, "r-xp", 7), (0x402000, 0x403000, "rw-p", 7), (0x500000, 0x502000, "rw-p", 0),
             (0x7fe000, 0x7ff000, "rw-p", 0))
    names = {7: "/bin/program", 0: ""}
    maps = "".join(f"{start:x}-{end:x} {mode} 00000000 08:01 {inode} {names[inode]}"
                   + {0x500000: "[heap]", 0x7fe000: "[stack]"}.get(start, "") + "\n"
                   for start, end, mode, inode in areas)
    fields = ["0"] * 50
    for number, value in ((26, 0x400000), (27, 0x400800), (28, 0x7fe800), (45, 0x402000), (46, 0x402800),
                          (47, 0x500000)):
        fields[number - 3] = str(value)
    os.makedirs(f"{tree.proc}/12")
    for name, text in ("maps", maps), ("stat", f"12 (a b) c) {' '.join(fields)}"):
        with open(f"{tree.proc}/12/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    with open(f"{tree.proc}/12/pagemap", "wb") as file:
        for page, frame in ((0x400, 1), (0x402, 2), (0x500, 3), (0x7fe, 300000)):
            file.seek(page * 8)
            file.write(struct.pack("=Q", 1 << 63 | frame))
        file.truncate(0x800 * 8)


def pages_are_told_by_segment_and_region(top):
    tree = Tree(top, SYSFS)
    made_up_process(tree)
    assert tree.json("zone", "where", "12", "--json") == {
        "text": {"node0": 1}, "data": {"node0": 1}, "brk": {"node0": 1}, "stack": {"elsewhere": 1}}
    text = tree.run("zone", "where", "12").stdout
    assert "node0" in text and "elsewhere" in text and "bss" not in text, text
    # The second bit of 2 and 3 is set; of the paper's machine, frame 3 is in the second bank.
    for frame_map, data in ("xor=0x2000", "set"), ("interleave=12288x8,3145728x4", "node0"):
        tree.fill(tree.sysfs, {**{f"regions/set/{name}": text for name, text in REGION.items()},
                               "regions/set/map": "m", "regions/set/banks": "1",
                               "bank_maps/m/frame_map": frame_map, "bank_maps/m/banks": "32"})
        counts = tree.json("zone", "where", "12", "--json")
        assert counts["brk"] == {"set": 1} and counts["data"] == {data: 1} and counts["text"] == {"node0": 1}, counts
    assert "process 13" in tree.run("zone", "where", "13").stderr
    # The machine's own frames: nobody knows which.
    shared = os.path.join("/dev/shm", f"memsuite-{os.getpid()}")
    try:
        with open(shared, "wb") as file:
            file.write(bytes(5 * 4096))
            file.truncate(9 * 4096)
        (counts,) = tree.json("zone", "where", f"file:{shared}", "--json").values()
        assert sum(counts.values()) == 5
    finally:
        os.unlink(shared)
    assert "No such file" in tree.run("zone", "where", f"file:{shared}").stderr
    assert "not a file" in tree.run("zone", "where", "file:/dev/shm").stderr


def shares_are_told_beside_what_is_wanted(top):
    """Four pages, in frames 1, 2 and 3 of node0, and 300,000, of which "rest" is the region."""
    rest = {**REGION, "start": "0x40000000", "end": "0x80000000"}
    tree = Tree(top, {**SYSFS, **policy_files(3, "machine", "region:node0=3+rest=1"),
                      **{f"regions/rest/{name}": text for name, text in rest.items()}})
    made_up_process(tree)
    tree.fill(tree.debugfs, {"vipzone/processes": PROCESSES})
    with open(f"{tree.proc}/12/cgroup", "w", encoding="utf-8") as file:
        file.write("0::/a/b\n")

    def told():
        done = tree.run("zone", "where", "12")
        assert done.returncode == 0, done
        return done.stdout[done.stdout.index("shares"):] if "shares" in done.stdout else ""

    assert told() == "shares of text, data, brk, stack: node0 75.0% (of 75.0%), rest 25.0% (of 25.0%)\n", told()
    # The nearest cgroup's goes before the machine's, its own before that, and what it has chosen before those.
    tree.fill(tree.sysfs, policy_files(4, "cgroup:/a", "segment:heap=node0=1+rest=1,*=node0"))
    assert told() == "shares of brk: node0 100.0% (of 50.0%), rest 0.0% (of 50.0%)\n", told()
    tree.fill(tree.sysfs, policy_files(5, "12", "region:node0=1+rest=4"))
    assert "rest 25.0% (of 80.0%)" in told(), told()
    tree.fill(tree.debugfs, {"vipzone/processes": f"{PROCESSES}12 5 segment:stack=rest"})
    assert told() == "shares of text, data, brk: node0 100.0% (of 20.0%), rest 0.0% (of 80.0%)\n", told()
    tree.fill(tree.debugfs, {"vipzone/processes": f"{PROCESSES}12 5 segment:*=rest"})
    assert not told(), told()


def strays_are_warned_of(top):
    """A page of four lies elsewhere; by the segments that the policy is about, and not if it is the kernel's page of zeros."""
    tree = Tree(top, {**SYSFS, **policy_files(0, "12", "region:node0", fallback_empty="7", collapsed_pages="512")},
                {"vipzone/processes": f"{PROCESSES}12 0 -"})
    made_up_process(tree)
    smaps(tree, {}, 4)
    flags = f"{tree.proc}/kpageflags"
    with open(flags, "wb") as file:
        file.truncate(300001 * 8)

    def told(policy=None, **files):
        tree.fill(tree.sysfs, {**({"vipzone/policies/0/policy": policy} if policy else {}),
                               **{f"vipzone/policies/0/{name}": value for name, value in files.items()}})
        done = tree.run("-c", f"import sys; sys.path.insert(0, '{TOP}/lib')\nfrom memsuite.zone import astray; astray.warn(12)",
                        tool="-B")
        assert done.returncode == 0 and not done.stdout, done
        return done.stderr

    text = told()
    for part in ("25% of the memory", "(12) lies outside of its policy: 4 KiB of 16 KiB", "stack 4 KiB: of 7 page faults",
                 "huge pages of 2 MiB", "memsuite zone move 12"):
        assert part in text, (part, text)
    assert "were full" not in told(fallback_empty="0", fallback_cpuset="3") and "of 3 page faults the cpuset" in told()
    assert "4 KiB of 4 KiB" in told("segment:stack=node0"), told()
    assert told("segment:heap=node0,text=node0") == ""
    tree.fill(tree.sysfs, {f"regions/rest/{name}": text for name, text in {**REGION, "start": "0x40000000", "end": "0x80000000",
                                                                           "technology": "DDR4"}.items()})
    for policy in ("region:node0+rest", "region:node0=3+rest=1", "segment:stack=rest,*=node0", "low-power-first:node0,threshold_pct=3,write=rest",
                   "bank:percpu=node0|rest"):
        assert told(policy) == "", policy
    # brk in what is no DRAM, and text and data in what is; the stack is where it ought to be.
    tree.fill(tree.sysfs, {"regions/node0/technology": "pram"})
    assert "brk 4 KiB: " in told("segment") and "stack" not in told("segment"), told("segment")
    # Of a program's own choice, one that it has not chosen for keeps its regions.
    tree.fill(tree.debugfs, {"vipzone/processes": f"{PROCESSES}12 0 segment:stack=rest"})
    assert told("region:node0") == ""
    with open(flags, "r+b") as file:
        file.seek(300000 * 8)
        file.write(struct.pack("=Q", 1 << 24))
    tree.fill(tree.debugfs, {"vipzone/processes": PROCESSES})
    assert told("region:node0") == ""
    with open(f"{tree.proc}/12/pagemap", "r+b") as file:
        file.seek(0x400 * 8)
        file.write(struct.pack("=Q", 1 << 63 | 1 << 61 | 300001))
    assert "text 4 KiB: in the page cache from before" in told()
    # Of much address space a sample is looked at, of areas that have pages; 400 of 500 pages of one lie elsewhere.
    size = 1 << 22
    with open(f"{tree.proc}/12/maps", "a", encoding="utf-8") as maps:
        maps.write(f"10000000-{0x10000000 + size * 4096:x} rw-p 00000000 00:00 0 \n7f0000000000-7fff00000000 ---p 00000000 00:00 0 \n")
    smaps(tree, {0x400000: 4, 0x10000000: 4 * size // 512 * 500, 0x7f0000000000: 0})
    with open(f"{tree.proc}/12/pagemap", "r+b") as file:
        table = b"".join(struct.pack("=Q", (page < 500) << 63 | (300001 if page < 400 else 1)) for page in range(512))
        file.seek(0x10000 * 8)
        for _ in range(size // 512):
            file.write(table)
    text = told()
    assert "about 80% of the memory" in text and "12.5 GiB of 15.6 GiB" in text, text
    # Where hardly any page is found in it, nothing is known.
    smaps(tree, {0x10000000: 4 * size})
    with open(f"{tree.proc}/12/pagemap", "r+b") as file:
        file.truncate(0x10000 * 8)
        file.truncate((0x10000 + size) * 8)
    assert told() == ""


def smaps(tree, resident, others=0):
    """KiB of areas, by where they begin, and of the others."""
    with open(f"{tree.proc}/12/maps", encoding="utf-8") as maps, open(f"{tree.proc}/12/smaps", "w", encoding="utf-8") as file:
        for line in maps:
            start = int(line.partition("-")[0], 16)
            file.write(f"{line}Size:               4 kB\nRss:   {resident.get(start, others)} kB\nPss: 4 kB\n")


def shared_memory_is_told_apart(top):
    """A page of memfd's device is shared memory, but for what the process has copied; what was moved is told."""
    tree = Tree(top, SYSFS)
    made_up_process(tree)
    file = os.memfd_create("x")
    device = os.fstat(file).st_dev
    with open(f"{tree.proc}/12/mountinfo", "w", encoding="utf-8") as mounts:
        mounts.write("22 21 0:99 / /dev/shm rw shared:4 - tmpfs tmpfs rw\n23 21 0:98 / /proc rw shared:5 - proc proc rw\n")
    with open(f"{tree.proc}/12/maps", "a", encoding="utf-8") as maps:
        for start, where in (0x600000, f"{os.major(device):02x}:{os.minor(device):02x}"), (0x700000, "00:63"), (0x710000, "00:62"):
            maps.write(f"{start:x}-{start + 0x2000:x} rw-s 00000000 {where} 9 /memfd:x (deleted)\n")
    with open(f"{tree.proc}/12/pagemap", "r+b") as pagemap:
        for page, flags in (0x600, 1 << 61), (0x601, 0), (0x700, 1 << 61), (0x710, 1 << 61):
            pagemap.seek(page * 8)
            pagemap.write(struct.pack("=Q", 1 << 63 | flags | page))
    assert {segment: sum(counts.values()) for segment, counts in tree.json("zone", "where", "12", "--json").items()} == {
        "text": 1, "data": 1, "brk": 1, "stack": 1, "shared": 2, "file": 2}
    done = tree.run("zone", "move", "12")
    assert done.returncode == 0 and done.stdout == "0 B moved; 4 KiB of files stay where they are\n", done
    assert tree.json("zone", "move", "12", "--json") == {
        "ok": True, "moved_pages": 0, "left_pages": {}, "file_pages": 1}


def filled_columns(text):
    """Of a plot in text: for each column the topmost row with a dot."""
    rows = [line[7:] for line in text.splitlines() if "│" in line]
    width = max(map(len, rows))
    return [next((r for r, row in enumerate(rows)
                  if row.ljust(width)[c] != " "), None)
            for c in range(width)]


def a_curve_is_drawn_in_text(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    result = tree.run("mrc", "show", "77")
    assert result.returncode == 0, result
    tops = filled_columns(result.stdout)
    high = [c for c, row in enumerate(tops) if row is not None and row <= 1]
    cliff = (max(high) + 1) / len(tops) * 1593
    assert abs(cliff - CLIFF) < 0.05 * CLIFF, cliff
    assert "working set 3.9 MiB" in result.stdout
    assert all(len(line) <= 72 for line in result.stdout.splitlines())


def a_curve_is_drawn_in_ascii(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    result = tree.run("mrc", "show", "77", PYTHONIOENCODING="ascii")
    assert result.returncode == 0 and result.stdout.isascii()
    assert "#" in result.stdout


def a_curve_of_one_point_is_drawn(top):
    one = curve().splitlines()[0] + "\n1 0.000 0.0000 0.0000 0.0000"
    tree = Tree(top, SYSFS, {**DEBUGFS, "mrc/77/curve": one})
    assert tree.run("mrc", "show", "77").returncode == 0
    ElementTree.fromstring(tree.run("mrc", "show", "77", "--svg", "-").stdout)


def a_curve_is_an_svg(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    path = os.path.join(top, "curve.svg")
    assert tree.run("mrc", "show", "77", "--svg", path).returncode == 0
    root = ElementTree.parse(path).getroot()
    line = root.find("{http://www.w3.org/2000/svg}polyline").get("points")
    xs, ys = zip(*(map(float, point.split(",")) for point in line.split()))
    assert 0 <= min(xs) and max(xs) <= 640 and 0 <= min(ys) and max(ys) <= 400
    fall = max(range(1, len(ys)), key=lambda i: ys[i] - ys[i - 1])
    assert abs((xs[fall] - 60) / 550 * 1593 - CLIFF) < 0.01 * CLIFF


def a_curve_is_json(top):
    shown = Tree(top, SYSFS, DEBUGFS).json("mrc", "show", "77", "--json")
    assert shown["stats"]["wss_pages"] == 1000
    assert shown["curve"][0] == {"pages": 1, "misses_per_s": 490.0,
                                 "miss_ratio": 0.98, "low": 0.96, "high": 1.0}


def a_png_needs_matplotlib(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    path = os.path.join(top, "curve.png")
    result = tree.run("mrc", "show", "77", "--png", path)
    if result.returncode == 0:
        with open(path, "rb") as file:
            assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    else:
        assert "matplotlib" in result.stderr


# The question is written over the blanks.
PLAN = " " * 32 + """
# pid weight min_pages resident_pages full_pages share_pages misses_per_s_now misses_per_s
77 1 256 2560 5120 5120 90.500 0.000
78 2 256 5120 9000 2560 0.000 12.000"""


def a_plan_is_asked_for(top):
    tree = Tree(top, SYSFS, {**DEBUGFS, "mrc/plan": PLAN})
    plan = tree.json("mrc", "plan", "--total", "30M", "77", "78", "--json")
    with open(os.path.join(tree.debugfs, "mrc/plan"), encoding="utf-8") as file:
        assert file.read(33).split() == ["30720", "77", "78"]
    assert [row["share_pages"] for row in plan] == [5120, 2560]
    # What is not given stays.
    assert tree.run("mrc", "share", "78", "--min", "2M").returncode == 0
    assert tree.written("mrc/division/set") == "78 2 2048\n", tree.written("mrc/division/set")
    assert tree.run("mrc", "share", "78", "--weight", "3").returncode == 0
    assert tree.written("mrc/division/set") == "78 3 1024\n", tree.written("mrc/division/set")
    assert "give both --weight and --min" in tree.run("mrc", "share", "79", "--weight", "3").stderr
    tree.fill(tree.sysfs, {"mrc/division/set": "cgroup:/a b 2 4\ncgroup:/db 3 65536"})
    assert tree.run("mrc", "share", "cgroup:/db", "--weight", "4").returncode == 0
    assert tree.written("mrc/division/set") == "cgroup:/db 4 65536\n", tree.written("mrc/division/set")
    assert tree.run("mrc", "share", "cgroup:/new", "--min", "64M").returncode == 0
    assert tree.written("mrc/division/set") == "cgroup:/new 1 65536\n", tree.written("mrc/division/set")
    result = tree.run("mrc", "share", "79", "--weight", "3")
    assert result.returncode == 1 and "79: not tracked" in result.stderr
    shown = tree.run("mrc", "plan").stdout
    assert "20 MiB" in shown and "together 30 MiB" in shown and "12.0" in shown
    result = tree.run("mrc", "plan", "77", "79")
    assert result.returncode == 1 and "79: not tracked" in result.stderr
    assert tree.run("mrc", "plan", "--total", "x").returncode == 2


def cgroups_are_limited_while_it_runs(top):
    cgroups = os.path.join(top, "cgroup")
    tree = Tree(top, {**SYSFS, "mrc/add": "cgroup:/a\ncgroup:/a/b\ncgroup:/gone", "mrc/enabled": "1",
                      "mrc/division/reserve_kib": "0", "mrc/division/pressure_pct": "10"}, {**DEBUGFS, "mrc/plan": PLAN})
    tree.fill(tree.proc, {"mounts": f"none {cgroups} cgroup2 rw 0 0", "77/cgroup": "0::/a/c", "78/cgroup": "0::/a/b",
                          "meminfo": "MemTotal: 1048576 kB\nMemAvailable: 524288 kB\nSwapTotal: 1048576 kB"})
    for path, waited, before in (("a", 0, "max"), ("a/b", 20, 12345678)):
        tree.fill(os.path.join(cgroups, path), {
            "memory.high": str(before), "memory.current": "41000000", "memory.pressure": f"some avg10={waited}.50 avg60=0.00",
            "memory.stat": "anon 32000000\nfile_mapped 1000000\nactive_anon 30000000\ninactive_anon 4000000\nshmem 1000000"})

    def high(path):
        with open(os.path.join(cgroups, path, "memory.high"), encoding="utf-8") as file:
            return file.read().strip()

    def limited(process):
        """Waits for what it tells of one more division."""
        text = ""
        while not text.endswith("]\n"):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            text += line
        return {row["cgroup"]: row["high_bytes"] for row in json.loads(text)}

    with tree.start("mrc", "limit", "--interval", "0.1", "--json") as process:
        # Both processes are in /a: shares, and what is neither theirs nor swap cache.
        told = limited(process)
        assert told == {"/a": (5120 + 2560) * 4096 + 41000000 - (2560 + 5120) * 4096 - 1000000, "/a/b": "12345678"}, told
        assert (high("a"), high("a/b")) == (str(told["/a"]), "12345678")     # the latter waits more than 10% of the time
        other = tree.run("mrc", "limit")
        assert other.returncode == 1 and "another" in other.stderr
        tree.fill(os.path.join(cgroups, "a/b"), {"memory.pressure": "some avg10=0.00 avg60=0.00",
                                                 "memory.current": "22000000"})
        while limited(process)["/a/b"] != 2560 * 4096 + 22000000 - 5120 * 4096 - 1000000:
            pass        # less than was allowed before
        # A service starts again, with another limit: that is the most now, and is what is restored.
        os.rename(os.path.join(cgroups, "a/b"), os.path.join(cgroups, "gone"))
        tree.fill(os.path.join(cgroups, "a/b"), {
            "memory.high": "7000000", "memory.current": "22000000", "memory.pressure": "some avg10=0.00 avg60=0.00",
            "memory.stat": "anon 32000000\nfile_mapped 0\nactive_anon 30000000\ninactive_anon 2000000\nshmem 0"})
        while limited(process)["/a/b"] != 7000000:
            pass
        tree.fill(tree.proc, {"77/cgroup": "0::/", "78/cgroup": "0::/"})
        while limited(process):
            pass
        assert (high("a"), high("a/b")) == ("max", "7000000")      # whoever comes next is not limited by it
        tree.fill(tree.proc, {"77/cgroup": "0::/a"})
        while not limited(process):
            pass
        process.terminate()
        assert process.wait() == 0
        process.communicate()
    assert (high("a"), high("a/b")) == ("max", "7000000")
    for name, text, why in (("mrc/add", "cgroup:/", "subtree_control"), ("mrc/add", "12", "mrc add cgroup:"),
                            ("mrc/enabled", "0", "mrc enable")):
        tree.fill(tree.sysfs, {name: text})
        result = tree.run("mrc", "limit")
        assert result.returncode == 1 and why in result.stderr, result


def who_is_not_tracked_is_told(top):
    result = Tree(top, SYSFS, DEBUGFS).run("mrc", "show", "79")
    assert result.returncode == 1 and "mrc add 79" in result.stderr


def targets_of_several_processes_are_shown(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    for who in ("78", "cgroup:/a/b", "above:65536K"):
        text = tree.run("mrc", "show", who).stdout
        assert "3 of 5 processes" in text and "1000000 accesses a second (written)" in text, text
        assert "blind below 96 KiB" in text
    rows = tree.json("mrc", "list", "--json")
    assert [(row["target"], row["pid"]) for row in rows] == [
        ("77", 77), ("78 children", 78), ("cgroup:/a/b", None), ("above:64M", None)]
    assert re.search(r"^cgroup:/a/b +- +5 +6.2 MiB +3.9 MiB +9 +0.50%$", tree.run("mrc", "list").stdout, re.MULTILINE)


def the_top_is_sorted(top):
    small = {"mrc/80/stats": "enabled_ns 1000\ncpu_ns 50\nladders 9\nresident_pages 16\nwss_pages 10",
             "mrc/80/curve": curve()}
    tree = Tree(top, SYSFS, {**DEBUGFS, **small})
    rows = tree.json("mrc", "top", "--times", "1", "--json")
    assert [row["target"] for row in rows][-2:] == ["77", "80"] and len(rows) == 5
    assert rows[-2]["misses_per_s"] == 490.0        # with 800 of 1600 pages, of which it loops over 1000
    rows = tree.json("mrc", "top", "--times", "1", "--sort", "cpu", "--json")
    assert [row["target"] for row in rows][-2:] == ["80", "77"]
    assert "6.3 MiB tracked" in tree.run("mrc", "top", "--times", "2", "--interval", "0.1").stdout


def a_curve_is_csv(top):
    text = Tree(top, SYSFS, DEBUGFS).run("mrc", "show", "77", "--csv", "-").stdout
    assert text.splitlines()[:2] == ["pages,misses_per_s,miss_ratio,low,high", "1,490.0,0.98,0.96,1.0"]


def a_record_is_made(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    path = os.path.join(top, "record")
    result = tree.run("mrc", "record", "-o", path, "--seconds", "0.3", "--interval", "0.1")
    assert result.returncode == 0 and "4 of 4 targets" in result.stdout, result
    with open(path, encoding="utf-8") as file:
        head, *shots = map(json.loads, file)
    assert head["memsuite_mrc_record"] == 1 and len(shots) == 4, shots     # no new ladder meanwhile
    assert shots[0]["pages"] == [[0x1000, 0, 100], [0x3000, 0, 0], [0x200000, 1, 300]]
    assert tree.run("mrc", "report", "wss", path, "--target", "78").returncode == 0
    assert "pages" not in shots[1] and shots[1]["wss"][0] == [1000, 10]
    assert tree.run("mrc", "record", "99999", "-o", path, "--seconds", "0.1").returncode == 16
    # Who was not a target is one for so long only, as far as it can be in a tree that is made up.
    assert tree.written("mrc/add") == "99999\n" and tree.written("mrc/remove") == "99999\n"


def a_recorder_that_is_ended_tracks_nothing_more(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    tree.fill(tree.sysfs, {"mrc/remove": ""})
    recorder = tree.start("mrc", "record", "99999", "-o", os.path.join(top, "record"), "--seconds", "60")
    while tree.written("mrc/add") != "99999\n":
        time.sleep(0.01)
    recorder.send_signal(signal.SIGTERM)
    recorder.communicate()
    assert tree.written("mrc/remove") == "99999\n", tree.written("mrc/remove")


def made_up_record(top):
    """Eight ladders, a second apart, in which the first pages are always touched and the others once."""
    path = os.path.join(top, "record")
    points = [[pages, 500.0, 0.9 if pages < CLIFF else 0.1, 0.05, 0.95] for pages in range(1, 2000, 100)]
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"memsuite_mrc_record": 1}) + "\n")
        for k in range(8):
            us = 5000000 + k * 1000000
            pages = [[0x1000 * i, 0, us - 10 if i < 10 else 5000000 + i * 100000 if i * 100000 < k * 1000000 else 0]
                     for i in range(1, 80)]
            file.write(json.dumps({
                "us": us, "target": "77", "name": "77 <made up>", "accesses": {"per_s": 5, "source": "touches"},
                "stats": {"resident_pages": 79, "wss_pages": 10 + k, "ladders": k + 1}, "curve": points,
                "wss": [[1000, 5], [10000, 10], [100000, 20 + k], [2000000, 40]], "pages": pages}) + "\n")
    return path


def a_record_is_reported(top):
    tree, path = Tree(top), made_up_record(top)
    result = tree.run("mrc", "report", "mrc", path)
    assert result.returncode == 0 and "8 ladders" in result.stdout, result
    result = tree.run("mrc", "report", "wss", path)
    assert re.search(r"100 ms  80 KiB to 108 KiB, last 108 KiB", result.stdout), result
    rows = tree.run("mrc", "report", "heatmap", path, "--height", "8").stdout.splitlines()[1:]
    assert len(rows) == 8 and rows[-1].endswith("|@@@@@@@") and rows[0].endswith("|       "), rows
    assert all(row.count("@") == 1 and row.rstrip().endswith("@") for row in rows[1:-1]), rows
    for kind in ("mrc", "wss", "heatmap"):
        ElementTree.fromstring(tree.run("mrc", "report", kind, path, "--svg", "-").stdout)
        assert tree.run("mrc", "report", kind, path, "--csv", "-").stdout.count("\n") > 10
        assert tree.json("mrc", "report", kind, path, "--json")
        png = tree.run("mrc", "report", kind, path, "--png", path + ".png")
        assert png.returncode == 0 or "matplotlib" in png.stderr, png
    assert tree.run("mrc", "report", "wss", path, "--target", "78").returncode == 1
    assert "no record" in tree.run("mrc", "report", "wss", TOOL).stderr
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    for text, ladders in (whole[:-100], 7), (whole + "\0" * 100, 8):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        result = tree.run("mrc", "report", "mrc", path)
        assert f"{ladders} ladders" in result.stdout and "torn" in result.stderr, result
    # What a command does not ask for may be missing.
    with open(path, "w", encoding="utf-8") as file:
        file.write(whole.replace('{"per_s": 5, "source": "touches"}', "null").replace('"wss_pages"', '"other_pages"'))
    for arguments in ("report", "mrc", path), ("report", "wss", path), ("export", path, "-o", path + ".trace"):
        result = tree.run("mrc", *arguments)
        assert result.returncode == 0, result


def a_damaged_record_is_refused(top):
    """As the fuzzers found: no traceback, whatever stands in the place of something else."""
    path = made_up_record(top)
    with open(path, encoding="utf-8") as file:
        head, first, *rest = file.read().splitlines()
    shot = json.loads(first)
    assert len(record.read_record(path)) == 8
    for line in ("[]", '{"us": 1}', "[" * 100000, *(json.dumps({**shot, **odd}) for odd in (
            {"us": 1 << 52}, {"us": 1 << 50}, {"stats": []}, {"curve": [[1]]}, {"curve": [[9.0, 9, 0, 0, 0]]},
            {"pages": [[1.5, 0, 0]]}, {"pages": [[]]},
            {"pages": [[4096, 0, 1 << 63]]}, {"name": "\x1b[m"}, {"name": "\ud800"}, {"more": "\ud800"}, {"target": 77},
            {"wss": [[float("nan"), 1]]}))):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join((head, line, *rest)) + "\n")
        assert path in fails_to(record.read_record, path), line[:80]
    tree = Tree(top)
    for text, why in (("[]\n", "no record"), (head + "\n" + json.dumps({**shot, "curve": []}) + "\n", "no curve")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        assert why in tree.run("mrc", "report", "mrc", path).stderr


def a_record_is_a_trace(top):
    tree, path = Tree(top), made_up_record(top)
    out = path + ".trace"
    assert tree.run("mrc", "export", path, "-o", out, "--format", "csv").returncode == 0
    with open(out, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[0] == "time,id,size" and lines[1] == "0,1,4096"
    assert tree.run("mrc", "export", path, "-o", out).returncode == 0
    with open(out, "rb") as file:
        requests = list(struct.iter_unpack("<IQIq", file.read()))
    assert len(requests) == len(lines) - 1
    for number, (_time, page, _size, following) in enumerate(requests):
        rest = [at for at in range(number + 1, len(requests)) if requests[at][1] == page]
        assert following == (rest[0] if rest else -1), number


def memory_that_could_be_powered_down_is_told(top):
    stats = DEBUGFS["mrc/77/stats"].replace("1600", "5")
    head = "# pages misses_per_s miss_ratio low high\n"
    tree = Tree(top, SYSFS, {
        **DEBUGFS, "mrc/77/stats": stats,
        "mrc/77/curve": head + "1 9 0.9 0 1\n2 2 0.2 0 1\n3 1 0.1 0 1\n5 0 0.0 0 1",
        "mrc/77/pages": "# address kind seen_us\n" + "\n".join(
            f"{address:#x} base {seen}" for address, seen in ((0x1000, 50), (0x2000, 90), (0x3000, 0), (0x4000, 80),
                                                              (0x5000, 10)))})
    # Blocks of 16 frames; two pages are in the first one, and one of them is gone since.
    frames = [0, 3, 0x21, 0x15, 0x1f, 0]
    os.makedirs(f"{tree.proc}/77", exist_ok=True)
    with open(f"{tree.proc}/77/pagemap", "wb") as file:
        file.write(b"".join(struct.pack("=Q", frame and 1 << 63 | frame) for frame in frames))
    blocks = os.path.join(top, "blocks")
    Tree.fill(blocks, {"block_size_bytes": "10000", **{f"memory{n}/state": "online" for n in range(4)},
                       **{f"memory{n}/valid_zones": "Movable" if n else "Normal" for n in range(4)},
                       "memory4/state": "offline"})

    def told(*args):
        result = tree.run("mrc", "regions", *args, "--json", MEMSUITE_BLOCKS=blocks)
        return json.loads(result.stdout), result

    # All but a tenth of the touches: 3 pages, those used last.
    shown, result = told("77", "--loss", "10")
    assert result.returncode == 0 and shown["processes"][0]["needed_pages"] == 3
    assert [(row["working_pages"], row["other_pages"], row["state"]) for row in shown["blocks"]] == [
        (1, 0, "working"), (1, 1, "working"), (1, 0, "working"), (0, 0, "idle")]
    # With a fifth, the last of these need not be there; but the kernel is.
    shown, result = told("77", "--loss", "20", "--offline", "2")
    assert [row["state"] for row in shown["blocks"]] == ["idle", "working", "working", "offline"]
    assert result.returncode == 1
    result = tree.run("mrc", "regions", "77", "--loss", "20", "--offline", "1", MEMSUITE_BLOCKS=blocks)
    assert result.returncode == 1 and "0 of 1 blocks" in result.stderr
    assert "needs 20 KiB of 20 KiB" in tree.run("mrc", "regions", "77", "--loss", "0", MEMSUITE_BLOCKS=blocks).stdout
    # What is not known is not idle.
    tree.fill(tree.debugfs, {"mrc/77/pages": "# address kind seen_us"})
    result = tree.run("mrc", "regions", "77", "--offline", "1", MEMSUITE_BLOCKS=blocks)
    assert result.returncode == 1 and "not known" in result.stderr and "idle" not in result.stdout


def no_debugfs_is_told(top):
    tree = Tree(top, SYSFS)
    result = tree.run("diag", "list")
    assert result.returncode == 1 and "mount -t debugfs" in result.stderr
    # That would be refused.
    tree.fill(tree.proc, {"cmdline": "debugfs=off"})
    result = tree.run("diag", "list")
    assert result.returncode == 1 and "mount -t" not in result.stderr and "command line" in result.stderr


METRIC = re.compile(r'([a-z_][a-z0-9_]*)'
                    r'(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? '
                    r'(-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)')


def the_export_is_prometheus_text(top):
    tree = Tree(top, {**SYSFS, "regions/node0/locator": 'DIMM "A"\\1'})
    result = tree.run("export")
    assert result.returncode == 0
    kinds, values = {}, {}
    for line in result.stdout.splitlines():
        words = line.split(" ", 3)
        if words[:2] == ["#", "TYPE"]:
            assert words[2] not in kinds
            kinds[words[2]] = words[3]
        elif words[0] != "#":
            name, labels, value = METRIC.fullmatch(line).groups()
            assert name in kinds, line
            assert (kinds[name] == "counter") == name.endswith("_total"), line
            values[name, labels] = float(value)
    assert values["memsuite_memdiag_tested_pages_total", None] == 4096
    assert values["memsuite_region_pool_pages", 'region="node0"'] == 16384
    assert values["memsuite_hook_hits_total", 'hook="fault.alloc"'] == 0
    assert values["memsuite_region_end", 'region="node0"'] == 1 << 30
    assert 'locator="DIMM \\"A\\"\\\\1"' in result.stdout


def the_export_without_modules_says_so(top):
    result = Tree(top).run("export")
    assert result.returncode == 0 and "modprobe" in result.stderr
    assert 'memsuite_module_loaded{module="mrc"} 0\n' in result.stdout


def the_export_is_json(top):
    metrics = Tree(top, SYSFS).json("export", "--json")
    assert metrics["memsuite_memdiag_passes_total"]["samples"] == [
        {"labels": {}, "value": 3}]


def the_command_line_is_checked(top):
    tree = Tree(top, SYSFS)
    for args in ((), ("zone", "add", "0", "a"), ("zone", "add", "x", "a"),
                 ("zone", "add", "1", "a,b"), ("mrc", "show"), ("nonsense",),
                 ("diag", "retire"), ("diag", "retire", "x"),
                 ("diag", "export", "--format", "xml"),
                 ("diag", "stress"), ("diag", "stress", "flood"), ("diag", "stress", "ramp", "--size", "0"),
                 ("diag", "stress", "ramp", "--size", "x"), ("diag", "stress", "ramp", "--seconds", "nan"),
                 ("diag", "stress", "ramp", "--seconds", "0.5"), ("diag", "stress", "ramp", "--inject", "33"),
                 ("diag", "stress", "ramp", "--fidelity", "0"), ("diag", "stress", "ramp", "--set", "../x=1"),
                 ("diag", "burn-in", "--time", "3x"), ("diag", "burn-in", "--coverage", "101"),
                 ("diag", "stress", "ramp", "--set", "x"), ("diag", "stress", "ramp", "--pj-per-bit", "-1"),
                 ("mrc", "add", "cgroup:a"), ("mrc", "add", "above:"), ("mrc", "add", "above:-1"),
                 ("mrc", "report", "nothing"), ("mrc", "record", "x"), ("mrc", "accesses", "1", "-1"),
                 ("mrc", "show", "1", "--svg", "a", "--png", "b")):
        assert tree.run(*args).returncode == 2, args
    assert tree.run("--help").returncode == 0


def names_of_commands(*group):
    listed = subprocess.run([PYTHON, TOOL, *group, "--help"], check=True, capture_output=True, text=True).stdout
    return re.findall(r"^ {4}([\w-]+) ", listed, re.MULTILINE)


def the_manual_page_has_every_command(_top):
    page = os.path.join(TOP, "Documentation", "man", "memsuite.8")
    text = subprocess.run(["man", "-l", page], check=True, capture_output=True, text=True,
                          env={**os.environ, "MANWIDTH": "200", "LC_ALL": "C"}).stdout
    groups = {name: names_of_commands(name) for name in ("diag", "zone", "mrc", "store", "fleet")}
    commands = [name for name in names_of_commands() if name not in groups]
    commands += [f"{group} {name}" for group, names in groups.items() for name in names]
    assert len(commands) > 30
    for command in commands:
        assert re.search(rf"\b{command}\b", text), command


def stores_are_read_from_dmsetup(_top):
    text = ("other: 0 8 linear\n"
            "vs: 0 65536 vstore pages 2048 free 10 nodes 3 dirty 5 merged 1 clean 7 read_pram 1 read_disk 3 errors 0 "
            "volatile 6 read_volatile 2\n")
    assert devices.parse_status(text) == {"vs": {
        "sectors": 65536, "pages": 2048, "free": 10, "nodes": 3, "dirty": 5, "merged": 1, "clean": 7, "read_pram": 1,
        "read_disk": 3, "errors": 0, "volatile": 6, "read_volatile": 2}}
    assert devices.parse_status("No devices found\n") == {}
    with mock.patch.object(devices, "run", return_value="100007\n"):
        assert devices.size_of("/dev/a") == 100000
    assert devices.table(100000, "/dev/a", "/dev/b", ["format", "policy", "random"]) == (
        "0 100000 vstore /dev/a /dev/b 3 format policy random")
    assert devices.table(100000, "/dev/a", "/dev/b", []) == "0 100000 vstore /dev/a /dev/b"


def one_store_is_found_by_its_name(_top):
    lines = {"other": "0 16 vstore pages 1 dirty 2", "vs": "0 8 vstore pages 3 dirty 4"}

    def run(*command):
        named = [word for word in command if word in lines]
        # As dmsetup does.
        return "".join(lines[name] + "\n" for name in named) if named else \
            "".join(f"{name}: {line}\n" for name, line in lines.items())

    with mock.patch.object(devices, "run", run):
        assert devices.stores("vs") == {"vs": {"sectors": 8, "pages": 3, "dirty": 4}}
        assert set(devices.stores(None)) == {"vs", "other"}
        assert "none is no store" in fails_to(devices.stores, "none")


def a_store_may_have_a_cache(_top):
    args = argparse.Namespace(policy=None, threshold=None, uuid=None, shared=False, storage_min=None, storage_max=None,
                              cache="node0", cache_kib=4096)
    assert devices.settings(args) == ["cache", "node0", "cache_kib", "4096"]
    args.cache = None
    try:
        devices.settings(args)
    except Failure as failure:
        assert "--cache-kib" in str(failure)
    else:
        raise AssertionError("a limit of no cache")


class Nvdimm:
    """/dev/pmem0 as sysfs has it, which nobody uses, or somebody."""

    def __init__(self, top, busy=False):
        place = os.path.join(top, "devices", "namespace0.0")
        self.driver = os.path.join(top, "drivers", "nd_pmem")
        os.makedirs(self.driver)
        os.makedirs(place)
        os.symlink(self.driver, os.path.join(place, "driver"))
        os.makedirs(os.path.join(top, "class", "block", "pmem0"))
        os.symlink(place, os.path.join(top, "class", "block", "pmem0", "device"))
        for name, text in (("resource", "0x100000000\n"), ("size", "134217728\n")):
            with open(os.path.join(place, name), "w", encoding="ascii") as f:
                f.write(text)
        self.top, self.busy, self.opened = top, busy, []

    def open(self, path, flags):
        self.opened.append((path, flags))
        if self.busy:
            raise OSError(errno.EBUSY, "Device or resource busy")
        return os.dup(0)

    def faked(self):
        stack = contextlib.ExitStack()
        stack.enter_context(mock.patch.object(devices, "SYSFS", self.top))
        stack.enter_context(mock.patch.object(devices.os, "open", self.open))
        return stack

    def was_told(self, name):
        """What was written to the driver's file of that name; None if nothing was."""
        try:
            with open(os.path.join(self.driver, name), encoding="ascii") as f:
                return f.read()
        except FileNotFoundError:
            return None


def fails_to(do, *arguments):
    """What is said by the failure that is expected."""
    try:
        do(*arguments)
    except Failure as failure:
        return str(failure)
    raise AssertionError(f"{do.__name__}{arguments} did not fail")


def a_shared_store_gets_the_addresses_of_an_nvdimm(top):
    def addresses(pram):
        with devices.pram_range(pram) as words:
            return words

    nvdimm = Nvdimm(top)
    with nvdimm.faked():
        assert addresses("4G-8G") == "4G-8G"
        assert nvdimm.was_told("unbind") is None
        assert addresses("/dev/pmem0") == "0x100000000-0x108000000"
        assert nvdimm.was_told("unbind") == "namespace0.0" and nvdimm.was_told("bind") is None
        assert [(path, flags & os.O_EXCL) for path, flags in nvdimm.opened] == [("/dev/pmem0", os.O_EXCL)]
        assert "no NVDIMM" in fails_to(addresses, "/dev/sda")


def activation(top, busy=False, fails=None):
    """What a shared store's activation says, where a command fails, and the NVDIMM."""
    def run(*command):
        if command[0] == fails:
            raise Failure(f"{fails}: no")
        return "100000\n"

    args = cli.parse(["store", "open", "none-such", "/dev/a", "/dev/pmem0", "--shared"])
    nvdimm = Nvdimm(top, busy)
    with nvdimm.faked(), mock.patch.object(devices, "run", run):
        return fails_to(devices.cmd_store_open, args), nvdimm


def a_shared_store_gets_memory_hotplug_from_memdiag(top):
    tree = Tree(top, {**SYSFS, "memdiag/test_new_memory": "1"})
    with mock.patch.object(devices.sysfs, "SYSFS", tree.sysfs), contextlib.redirect_stderr(io.StringIO()) as text:
        with contextlib.suppress(Failure), devices.hotplug_yielded():
            assert tree.written("memdiag/test_new_memory") == "0"
            raise Failure("no such disk")
        assert tree.written("memdiag/test_new_memory") == "1" and not text.getvalue()
        for _ in range(2):
            with devices.hotplug_yielded():
                pass
    assert tree.written("memdiag/test_new_memory") == "0"
    assert text.getvalue().count("test_new_memory is 0 now") == 1, text.getvalue()
    with mock.patch.object(devices.sysfs, "SYSFS", os.path.join(top, "nowhere")), devices.hotplug_yielded():
        pass


def an_nvdimm_in_use_is_not_taken_from_its_driver(top):
    said, nvdimm = activation(top, busy=True)
    assert "/dev/pmem0 is in use" in said, said
    assert nvdimm.was_told("unbind") is None


def nor_for_a_disk_that_is_none(top):
    said, nvdimm = activation(top, fails="blockdev")
    assert "blockdev: no" in said, said
    assert nvdimm.was_told("unbind") is None and not nvdimm.opened


def an_nvdimm_goes_back_if_the_store_is_refused(top):
    said, nvdimm = activation(top, fails="dmsetup")
    assert "dmsetup: no" in said and "/dev/pmem0 is not there" in said, said
    assert nvdimm.was_told("unbind") == nvdimm.was_told("bind") == "namespace0.0"


def what_is_told_of_a_pram(top):
    assert devices.absence("4G-8G") is None and devices.absence(top) is None
    for line, said in (("quiet", False), ("debugfs=off", True), ("debugfs=on", False)):
        with mock.patch.object(devices.sysfs, "proc_text", lambda name, line=line: line):
            assert ("nd_pmem" in devices.absence("/dev/none-such")) == said, line


def opened_with(top, blocks, sectors, *options, listed=None):
    """The table that `store open`, or `store start` with a list, gives dmsetup, and how it ended."""
    pram, told = os.path.join(top, "pram"), []
    with open(pram, "wb") as f:
        f.write(struct.pack("=8sLLQQ", b"MMVSTOR1", devices.VERSION, 4096, 64, blocks) + bytes(4064))

    def run(*command):
        told.append(command)
        if "/dev/bad" in command:
            raise Failure("no such disk")
        return f"{sectors}\n"

    with open(os.path.join(top, "stores"), "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write((listed or "").replace("PRAM", pram))
    args = (cli.parse(["store", "open", "none-such", "/dev/a", pram, *options]) if listed is None else
            cli.parse(["store", "start"]))
    with mock.patch.object(devices, "run", run), mock.patch.object(devices, "LIST", os.path.join(top, "stores")), \
            contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            args.function(args)
        except Failure as failure:
            said.write(str(failure))
    return [command[-1] for command in told if command[0] == "dmsetup"], said.getvalue()


def stores_are_of_one_version(top):
    del top
    for place, line in (("kmod-vipzone/store/map/map.h", r"#define VSTORE_VERSION\s+(\d+)"),
                        ("scripts/hooks/initramfs/open-stores", r"VERSION=(\d+)")):
        with open(os.path.join(TOP, place), encoding="utf-8") as f:
            assert re.search(line, f.read()).group(1) == str(devices.VERSION), place


def a_disk_that_has_grown_is_opened_as_it_was(top):
    tables, said = opened_with(top, 1000, 9000)
    assert tables[0].startswith("0 8000 vstore /dev/a "), tables
    assert "has grown" in said and "8000 of its 9000" in said, said
    tables, said = opened_with(top, 1000, 8000, "--trust", "pram")
    assert tables[0].startswith("0 8000 ") and tables[0].endswith(" 2 trust pram"), tables
    assert not said, said


def listed_stores_are_opened_at_boot(top):
    tables, said = opened_with(top, 1000, 8000, listed="# what is opened\n\none /dev/bad PRAM\n"
                               "two /dev/a PRAM --policy selective  # a comment\nthree\nfour 'dev\nfive\udcff /dev/bad\n")
    assert len(tables) == 1 and tables[0].endswith(" 2 policy selective"), tables
    assert "one: no such disk" in said and "4 of 5 stores did not open" in said and "four: No closing" in said, said
    tables, said = opened_with(top, 1000, 8000, listed="")
    assert not tables and not said, said


def opened_in_initramfs(top, listed):
    """What the initramfs's script tells dmsetup, of disks of 9001 sectors, and what it says."""
    for name, text in (("modprobe", ""), ("dmsetup", 'echo "$@" >>"$TOP/told"\n[ "$2" != refused ]')):
        with open(os.path.join(top, name), "w", encoding="ascii") as f:
            f.write(f"#!/bin/sh\n{text}\n")
        os.chmod(f.name, 0o755)
    for name, text in (("stores", listed.replace("TOP", top)), ("told", ""), ("disk", "")):
        with open(os.path.join(top, name), "w", encoding="ascii") as f:
            f.write(text)
    with open(os.path.join(top, "pram"), "wb") as f:
        f.write(struct.pack("=8sLLQQ", devices.MAGIC, devices.VERSION, 4096, 64, 1000) + bytes(4064))
    with open(os.path.join(top, "blank"), "wb") as f:
        f.write(bytes(4096))
    os.makedirs(os.path.join(top, "class", "block", "disk"), exist_ok=True)
    with open(os.path.join(top, "class", "block", "disk", "size"), "w", encoding="ascii") as f:
        f.write("9001\n")
    script = os.path.join(TOP, "scripts", "hooks", "initramfs", "open-stores")
    done = subprocess.run(["sh", script], capture_output=True, text=True, check=False, env={
        "PATH": f"{top}:{os.environ['PATH']}", "TOP": top, "MEMSUITE_SYSFS": top, "MEMSUITE_STORES": os.path.join(top, "stores")})
    with open(os.path.join(top, "told"), encoding="ascii") as f:
        return f.read().splitlines(), done.stderr, done.returncode


def an_initramfs_opens_stores_as_the_command_does(top):
    told, said, status = opened_in_initramfs(
        top, "# a list\n\nnone-such TOP/disk TOP/pram --policy random --threshold=4096  # a comment\nbare TOP/disk TOP/blank")
    assert told == [f"create none-such --table 0 8000 vstore {top}/disk {top}/pram 4 policy random threshold 4096",
                    f"create bare --table 0 9000 vstore {top}/disk {top}/blank"], told
    assert not said and not status, said
    told, said, status = opened_in_initramfs(
        top, "lent TOP/disk TOP/pram --shared\ncached TOP/disk TOP/pram --cache node0\nlate TOP/none TOP/pram\n"
        "refused TOP/disk TOP/pram\nlast TOP/disk TOP/pram --uuid 1-2\nshort TOP/disk\n")
    assert [words.split()[1] for words in told] == ["refused", "last"] and told[1].endswith(" 2 uuid 1-2"), told
    assert "late: " in said and "not both there" in said and "refused: is not open" in said and status == 1, said
    assert "lent" not in said and "cached" not in said and "short" not in said, said


def a_user_is_told_to_be_root(top):
    tree = Tree(top, SYSFS)
    os.chmod(os.path.join(tree.sysfs, "memdiag/enabled"), 0o444)
    os.chmod(top, 0o755)
    nobody = {}
    if os.geteuid() == 0:
        # The interpreter that runs this may lie in root's home.
        if not os.path.exists(PYTHON):
            return f"needs a user who is not root, or {PYTHON}"
        nobody = {"user": 65534, "python": (PYTHON,)}
    result = tree.run("diag", "enable", **nobody)
    assert result.returncode == 1 and "run as root" in result.stderr, result
    return None


TESTS = (
    nothing_is_loaded,
    all_is_loaded_and_well,
    only_the_core_is_loaded,
    what_is_not_well_is_told,
    a_bad_page_is_listed,
    address_bits_that_were_not_tested_are_told,
    a_bad_page_that_is_not_retired_is_not_well,
    writes_are_one_line,
    bad_pages_are_listed_with_their_dimm,
    bad_pages_are_kept,
    bad_pages_go_with_their_dimms,
    what_firmware_writes_keeps_no_page_from_being_kept,
    what_is_of_a_dimm_long_gone_is_forgotten,
    processes_are_called_anything,
    without_serial_numbers_the_machine_counts,
    emulated_faults_are_not_kept,
    what_is_given_back_is_forgotten,
    what_is_given_back_before_one_that_is_not_is_forgotten,
    the_list_is_appended_to,
    what_a_crash_leaves_of_a_line_is_cut_off,
    a_list_of_version_1_is_taken_over,
    a_chip_that_dies_is_kept_shown_and_given_back,
    a_damaged_list_loses_no_page,
    details_that_cannot_be_shown_are_left_out,
    bad_pages_are_exported,
    bad_pages_are_grouped,
    many_bad_pages_are_exported_in_few_ranges,
    a_lifetime_is_planned,
    what_the_kernel_does_not_have_is_not_retired,
    without_modules_what_is_stored_is_told,
    a_range_is_tested,
    faults_are_injected,
    every_profile_is_run_and_its_data_checked,
    stress_runs_several_programs_at_once,
    stress_leaves_the_settings_as_they_were,
    stress_ends_with_the_settings_restored,
    stress_injects_errors_into_free_memory,
    dimms_are_listed_with_their_errors,
    programs_are_told_of_new_bad_pages,
    programs_are_told_of_each_alarm_once,
    a_program_that_fails_is_told_with_what_to_do,
    programs_are_tried_by_an_example,
    runs_beside_each_other_tell_once,
    what_fails_where_nobody_looks_is_logged,
    a_machine_is_burnt_in,
    a_burn_in_tells_what_it_found,
    a_burn_in_that_is_too_short_or_blind_says_so,
    a_burn_in_that_is_ended_puts_everything_back,
    a_burn_in_is_kept_when_its_reader_has_gone,
    errors_that_were_counted_anew_are_none_less,
    what_nothing_is_in_costs_nothing,
    what_ends_while_it_is_listed_is_left_out,
    what_stress_tells_is_computed,
    the_operations_of_algorithms_are_those_of_the_module,
    damage_is_seen,
    regions_are_listed,
    policies_are_listed,
    profiles_describe_regions,
    energy_is_told,
    policies_can_be_done_by_hand,
    children_are_of_a_process,
    commands_run_under_a_policy,
    pages_are_told_by_segment_and_region,
    shares_are_told_beside_what_is_wanted,
    strays_are_warned_of,
    shared_memory_is_told_apart,
    bank_maps_are_imported,
    regions_are_measured,
    weights_are_proposed,
    a_curve_is_drawn_in_text,
    a_curve_is_drawn_in_ascii,
    a_curve_of_one_point_is_drawn,
    a_curve_is_an_svg,
    a_curve_is_json,
    a_plan_is_asked_for,
    cgroups_are_limited_while_it_runs,
    a_png_needs_matplotlib,
    who_is_not_tracked_is_told,
    targets_of_several_processes_are_shown,
    the_top_is_sorted,
    a_curve_is_csv,
    a_record_is_made,
    a_recorder_that_is_ended_tracks_nothing_more,
    a_record_is_reported,
    a_damaged_record_is_refused,
    a_record_is_a_trace,
    memory_that_could_be_powered_down_is_told,
    no_debugfs_is_told,
    the_export_is_prometheus_text,
    the_export_without_modules_says_so,
    the_export_is_json,
    the_command_line_is_checked,
    the_manual_page_has_every_command,
    stores_are_read_from_dmsetup,
    one_store_is_found_by_its_name,
    a_store_may_have_a_cache,
    a_shared_store_gets_the_addresses_of_an_nvdimm,
    a_shared_store_gets_memory_hotplug_from_memdiag,
    an_nvdimm_in_use_is_not_taken_from_its_driver,
    nor_for_a_disk_that_is_none,
    stores_are_of_one_version,
    a_disk_that_has_grown_is_opened_as_it_was,
    listed_stores_are_opened_at_boot,
    an_initramfs_opens_stores_as_the_command_does,
    an_nvdimm_goes_back_if_the_store_is_refused,
    what_is_told_of_a_pram,
    a_user_is_told_to_be_root,
)


def run(test):
    """Returns whether it passed, and why it was skipped, if it was."""
    with tempfile.TemporaryDirectory() as top:
        try:
            return True, test(top)
        except Exception:  # pylint: disable=broad-except
            for line in traceback.format_exc().splitlines():
                print("#", line)
            return False, None


def main(tests):
    # Whoever runs this under nohup, or behind a shell's back: what is started here is to end by these.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f"KTAP version 1\n1..{len(tests)}")
    failed = False
    for number, test in enumerate(tests, 1):
        passed, skipped = run(test)
        failed |= not passed
        print(f"{'ok' if passed else 'not ok'} {number} {test.__name__}"
              + (f" # SKIP {skipped}" if skipped else ""))
    return failed


if __name__ == "__main__":
    sys.exit(main(TESTS))
