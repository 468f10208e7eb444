#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What tracking does to reclaim. Runs in a guest that has the host's files, in instruction time (--icount) with one CPU.

A program replays /mnt/share/trace.N, another one in each run N, in a cgroup that holds LIMIT pages of it, and swaps the
others to zram: not tracked,
tracked by mrc, and with its accessed bits cleared and not given back (/proc/PID/clear_refs), in one boot for each
implementation of reclaim. Meanwhile this program runs in its turn, as others do on any machine: what is in the TLB, and
so sets no accessed bit, is forgotten by then, and not only when the tracker flushes it. Appends a line of JSON for each run to /mnt/share/runs: how many pages were evicted and
refaulted in a second, and at how many of the looks each page was not there.
"""
import array
import json
import os
import re
import subprocess
import sys
import threading
import time

CGROUP = "/sys/fs/cgroup/replayed"
MRC = "/sys/kernel/memsuite/mrc"
SHARE = "/mnt/share"
PAGE = 4096
RATE = 20000		# accesses per second
LOOK_S, LOOKS = 0.5, 24
WARM_S = 6		# a ladder of the default length ends in it
CLEAR_S = 0.2
TURN_S = 0.002


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(str(text))


def memory_stat():
    with open(f"{CGROUP}/memory.stat", encoding="ascii") as f:
        return {name: int(value) for name, value in map(str.split, f)}


def area_of(pid, pages):
    """Where the trace's pages are mapped."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        for line in f:
            start, end = (int(address, 16) for address in re.match(r"(\w+)-(\w+)", line).groups())
            if end - start >= pages * PAGE and line.rstrip().endswith(" 0"):
                return start
    raise SystemExit("the area is not mapped")


def absent(pid, start, pages):
    """Whether each page is not there."""
    with open(f"/proc/{pid}/pagemap", "rb") as f:
        f.seek(start // PAGE * 8)
        return [not entry >> 63 for entry in array.array("Q", f.read(pages * 8))]


def wait(pid, mode, seconds):
    """Sleeps for so long; in mode `cleared`, accessed bits are cleared meanwhile."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if mode == "cleared":
            write(f"/proc/{pid}/clear_refs", 1)
        time.sleep(min(CLEAR_S, seconds))


def take_turns():
    while True:
        time.sleep(TURN_S)


def watch(pid, mode, pages):
    start = area_of(pid, pages)
    evicted = [0] * pages
    wait(pid, mode, WARM_S)
    before, began = memory_stat(), time.monotonic()
    for _ in range(LOOKS):
        wait(pid, mode, LOOK_S)
        for page, gone in enumerate(absent(pid, start, pages)):
            evicted[page] += gone
    seconds, after = time.monotonic() - began, memory_stat()
    rates = {name: (after[name] - before[name]) / seconds for name in ("pgsteal", "workingset_refault_anon")}
    return {**rates, "evicted": evicted, "looks": LOOKS}


def run(mode, limit, trace):
    os.mkdir(CGROUP)
    write(f"{CGROUP}/memory.high", limit * PAGE)
    command = f"echo $$ >{CGROUP}/cgroup.procs; exec /tests/replay --rate {RATE} {trace}"
    program = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, text=True)
    pages = int(program.stdout.readline().split()[1])
    if mode == "tracked":
        subprocess.run(["modprobe", "mrc"], check=True)
        write(f"{MRC}/enabled", 1)
        write(f"{MRC}/add", program.pid)
    told = watch(program.pid, mode, pages)
    if mode == "tracked":
        with open(f"/sys/kernel/debug/memsuite/mrc/{program.pid}/stats", encoding="ascii") as f:
            told["stats"] = dict(line.split(None, 1) for line in f.read().splitlines())
        subprocess.run(["rmmod", "mrc", "memsuite"], check=True)
    program.kill()
    program.wait()
    while True:
        try:
            os.rmdir(CGROUP)
        except OSError:
            time.sleep(0.1)
        else:
            return told


def main():
    limit, *modes = sys.argv[1:]
    for directory, kind in (("/sys/fs/cgroup", "cgroup2"), ("/sys/kernel/debug", "debugfs")):
        if not os.path.ismount(directory):
            subprocess.run(["mount", "-t", kind, "none", directory], check=True)
    write("/sys/fs/cgroup/cgroup.subtree_control", "+memory")
    subprocess.run(["modprobe", "zram"], check=True)
    write("/sys/block/zram0/disksize", "128M")
    subprocess.run("mkswap /dev/zram0 >/dev/null && swapon /dev/zram0", shell=True, check=True)
    threading.Thread(target=take_turns, daemon=True).start()
    generations = "/sys/kernel/mm/lru_gen/enabled"
    for reclaim in ("lists", "generations") if os.path.exists(generations) else ("lists",):
        if os.path.exists(generations):
            write(generations, "y" if reclaim == "generations" else "n")
        for number, mode in enumerate(modes):
            told = run(mode, int(limit), f"{SHARE}/trace.{number}")
            print(reclaim, mode, *(f"{name} {told[name]:.0f}" for name in ("pgsteal", "workingset_refault_anon")), flush=True)
            with open(f"{SHARE}/runs", "a", encoding="ascii") as f:
                print(json.dumps({"reclaim": reclaim, "mode": mode, **told}), file=f)


if __name__ == "__main__":
    main()
