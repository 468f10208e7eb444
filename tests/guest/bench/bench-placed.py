#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What steering costs real programs. Runs in a guest that has the host's files, in instruction time (--icount) with one
CPU; the programs are those of bench-memdiag.py.

All configurations run in one boot, in ABBA order. Prints a line of JSON for each run: the configuration, the CPU time
of each program in seconds, and how many pages were steered.
"""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import time

loader = importlib.machinery.SourceFileLoader("memdiag", os.path.join(os.path.dirname(__file__), "bench-memdiag.py"))
memdiag = importlib.util.module_from_spec(importlib.util.spec_from_loader("memdiag", loader))
loader.exec_module(memdiag)

PROGRAMS = ("gcc", "sqlite3", "redis")
# So that they run for a second at least: what it takes to give a program its policy comes once.
FUNCTIONS, ROWS, REQUESTS = 600, 80000, 40000
ADD = f"{memdiag.SUITE}/vipzone/add"
POOL_KIB = 131072


def settle():
    """Until the filler has nothing more to do."""
    filled = None
    while filled != memdiag.number("regions/bench/pool_filled_pages"):
        filled = memdiag.number("regions/bench/pool_filled_pages")
        time.sleep(2)


def load(modules):
    """All of them enabled, and memory tested once."""
    subprocess.run(["modprobe", "-a", *modules], check=True)
    memdiag.write("regions/add", "bench 512M-1G")
    memdiag.write("regions/bench/pool_kib", POOL_KIB)
    for module in modules:
        memdiag.write(f"{module}/enabled", 1)
    while "memdiag" in modules and not memdiag.number("memdiag/passes"):
        time.sleep(2)


def run(configuration):
    """With all three modules, what is steered is tested, and tracked."""
    where, *others = configuration.split(" with ")
    region = {"pool": "bench", "node": "node0"}.get(where)
    modules = ["vipzone", *(["memdiag", "mrc"] if others else [])]
    track = f"echo $$ >{memdiag.SUITE}/mrc/add; " if others else ""
    result = {"configuration": configuration, "programs": {}}
    if region:
        load(modules)
        holder = subprocess.Popen(["sleep", "100000"])
        with open(ADD, "w", encoding="ascii") as file:
            file.write(f"{holder.pid} region:{region}\n")
    for name in PROGRAMS:
        command = memdiag.PROGRAMS[name]
        if region:
            settle()
            memdiag.PROGRAMS[name] = f"echo $$ region:{region} children >{ADD}; {track}{command}"
        result["programs"][name] = memdiag.cpu_seconds(name, REQUESTS)
        memdiag.PROGRAMS[name] = command
    if region:
        result["steered"] = memdiag.number("vipzone/steered_pages")
        result["refused"] = memdiag.number("vipzone/fallback_empty")
        holder.kill()
        holder.wait()
        subprocess.run(["rmmod", *modules, "memsuite"], check=True)
    return result


def main():
    memdiag.prepare(FUNCTIONS, ROWS)
    for name in PROGRAMS:
        memdiag.cpu_seconds(name, REQUESTS)	# what is done once in a boot is done before it counts
    there = ("off", "pool", "node", "pool with all", "node with all")
    for configuration in (*there, *reversed(there)):
        print(json.dumps(run(configuration)), flush=True)


if __name__ == "__main__":
    main()
