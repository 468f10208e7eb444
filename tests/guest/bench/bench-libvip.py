#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""bench-libvip.py LIBRARY: what libvip costs sqlite3 and redis, preloaded, and 10,000 tagged ranges their process. Runs
in a guest that has the host's files, in instruction time (--icount) with one CPU; the programs are those of
bench-placed.py.

All configurations run in one boot, in ABBA order. Prints a line of JSON for each run: the configuration, the CPU time
of each program in seconds, and what operations of a process with that many ranges took in nanoseconds.
"""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import time

loader = importlib.machinery.SourceFileLoader("memdiag", os.path.join(os.path.dirname(__file__), "bench-memdiag.py"))
memdiag = importlib.util.module_from_spec(importlib.util.spec_from_loader("memdiag", loader))
loader.exec_module(memdiag)

PROGRAMS = ("sqlite3", "redis")
ROWS, RANGES = 80000, 10000
ZONE = f"{memdiag.SUITE}/vipzone"
POLICY = "low-power-first:low+high,write=high+low"
POOL_KIB = 98304
# What the environment says, of all memory or of what is allocated in pieces of so many bytes; stock: without the module.
CONFIGURATIONS = {"stock": None, "steered": "", "told": "VIP_FLAGS=write,high",
                  "large": "VIP_FLAGS=write,high VIP_MIN_BYTES=4096", "every": "VIP_FLAGS=write,high VIP_MIN_BYTES=0"}


def filled():
    return [memdiag.number(f"regions/{name}/pool_filled_pages") for name in ("low", "high")]


def settle():
    """Until the filler has nothing more to do."""
    before = None
    while before != filled():
        before = filled()
        time.sleep(2)


def load():
    subprocess.run(["modprobe", "vipzone"], check=True)
    for name, where in ("low", "512M-768M"), ("high", "768M-1G"):
        memdiag.write("regions/add", f"{name} {where}")
        memdiag.write(f"regions/{name}/pool_kib", POOL_KIB)
    memdiag.write("vipzone/enabled", 1)
    holder = subprocess.Popen(["sleep", "100000"])
    with open(f"{ZONE}/add", "w", encoding="ascii") as file:
        file.write(f"{holder.pid} {POLICY}\n")
    return holder


def ranges(steer, tagged):
    script = f"{steer}exec /tests/ranges {RANGES} {'--tag' if tagged else ''}"
    return json.loads(subprocess.run(["sh", "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout)


def run(configuration, library):
    told = CONFIGURATIONS[configuration]
    result = {"configuration": configuration, "programs": {}}
    holder = None if told is None else load()
    steer = "" if told is None else f"echo $$ {POLICY} children >{ZONE}/add; "
    tell = f"export {told} LD_PRELOAD={library}; " if told else ""
    for name in PROGRAMS:
        command = memdiag.PROGRAMS[name]
        if holder:
            settle()
        memdiag.PROGRAMS[name] = f"{steer}{tell}{command}"
        result["programs"][name] = memdiag.cpu_seconds(name)
        memdiag.PROGRAMS[name] = command
    if not told or configuration == "told":
        result["ranges"] = ranges(steer, bool(told))
    if holder:
        result["steered"] = memdiag.number("vipzone/steered_pages")
        result["refused"] = memdiag.number("vipzone/fallback_empty")
        result["lost"] = memdiag.number("vipzone/lost_tags")
        holder.kill()
        holder.wait()
        subprocess.run(["rmmod", "vipzone", "memsuite"], check=True)
    return result


def main():
    memdiag.prepare(rows=ROWS)
    for name in PROGRAMS:
        memdiag.cpu_seconds(name)	# what is done once in a boot is done before it counts
    for configuration in (*CONFIGURATIONS, *reversed(CONFIGURATIONS)):
        print(json.dumps(run(configuration, sys.argv[1])), flush=True)


if __name__ == "__main__":
    main()
