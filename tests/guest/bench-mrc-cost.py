#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What tracking costs programs. Runs in a guest that has the host's files, in instruction time (--icount) with one CPU.

All modes run in one boot, in ABBA order. Prints a line of JSON for each run: the mode, and how long the CPU was not idle
while each program ran, in seconds.
"""
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import time

loader = importlib.machinery.SourceFileLoader("memdiag", os.path.join(os.path.dirname(__file__), "bench-memdiag.py"))
memdiag = importlib.util.module_from_spec(importlib.util.spec_from_loader("memdiag", loader))
loader.exec_module(memdiag)

MRC = f"{memdiag.SUITE}/mrc"
# As many times as make some seconds: a tracker that starts does more than one that goes on.
PROGRAMS = {
    "gcc": "for i in 1 2 3 4 5 6; do gcc -O2 -c -o /tmp/bench.o /tmp/bench.c; done",
    "gzip": "for i in 1 2 3 4; do cat /tmp/bench.txt; done | gzip -6 -c >/tmp/bench.gz",
    "redis": memdiag.PROGRAMS["redis"],
    "touches": "/tests/loop --passes 400 20000 10000 >/dev/null",
}


def busy():
    """Seconds that the CPU has worked."""
    with open("/proc/timer_list", encoding="ascii") as f:
        idle = int(re.search(r"\.idle_sleeptime\s*:\s*(\d+)", f.read()).group(1))
    return time.monotonic() - idle / 1e9


def measure(name, track):
    command = f"echo $$ children >{MRC}/add; {PROGRAMS[name]}" if track else PROGRAMS[name]
    before = busy()
    program = subprocess.Popen(["sh", "-c", command])
    if name == "redis":
        memdiag.drive_redis()
    if program.wait():
        raise SystemExit(f"{name}: status {program.returncode}")
    return busy() - before


def run(mode):
    if mode != "off":
        subprocess.run(["modprobe", "mrc"], check=True)
        memdiag.write("mrc/mode", mode)
        memdiag.write("mrc/enabled", 1)
    programs = {name: measure(name, mode != "off") for name in PROGRAMS}
    if mode != "off":
        subprocess.run(["rmmod", "mrc", "memsuite"], check=True)
    return {"mode": mode, "programs": programs}


def main():
    memdiag.prepare()
    for name in PROGRAMS:
        measure(name, False)	# what is done once in a boot is done before it counts
    modes = ("off", "ladder", "paper")
    for mode in (*modes, *reversed(modes)):
        print(json.dumps(run(mode)), flush=True)


if __name__ == "__main__":
    main()
