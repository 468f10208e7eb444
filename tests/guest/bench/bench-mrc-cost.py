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
# Some ten seconds each, and more for gcc: a tracker that starts does more than one that goes on. What gcc starts lives
# for less than a ladder, but for the compiler of its last file; gzip is started by the shell that is tracked; redis and
# touches take its place.
PROGRAMS = {
    "gcc": "for i in 1 2 long; do gcc -O2 -c -o /tmp/bench.o /tmp/bench-$i.c; done",
    "gzip": "for i in $(seq 16); do cat /tmp/bench.txt; done | gzip -6 -c >/tmp/bench.gz",
    "redis": memdiag.PROGRAMS["redis"],
    "touches": "exec /tests/loop --passes 40000 20000 10000 >/dev/null",
}
REQUESTS = 250000


def prepare():
    memdiag.prepare()
    with open("/tmp/bench.c", encoding="ascii") as f:
        source = f.read()
    for name, copies in {"1": 1, "2": 1, "long": 4}.items():
        with open(f"/tmp/bench-{name}.c", "w", encoding="ascii") as f:
            f.writelines(re.sub(r"\bf(\d+)\(", rf"f{i}_\1(", source) for i in range(copies))


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
        memdiag.drive_redis(REQUESTS)
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
    prepare()
    for name in PROGRAMS:
        measure(name, False)	# what is done once in a boot is done before it counts
    modes = ("off", "ladder", "paper")
    for mode in (*modes, *reversed(modes)):
        print(json.dumps(run(mode)), flush=True)


if __name__ == "__main__":
    main()
