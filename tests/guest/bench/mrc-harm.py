#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Mixes of programs that nobody tuned mrc for, in less memory than they want. Runs in a guest that has the host's files, in
instruction time (--icount) with one CPU.

  mrc-harm.py MIX[,MIX]... MODE...     a run for each of the modes of each of the mixes; prints a line of JSON for each

In each mix an interactive program answers, in the cgroup `front`, while another one, in `back`, does its work. Swap and
files are on a disk in memory that takes 200 us a request, as an SSD. Modes:

  stock     the kernel alone
  high      memory.high divides the memory equally
  senpai    memory.high of each follows its pressure, as Meta's Senpai sets it, but each second
  mrc       both are tracked and the division is enforced; all else is as when mrc is loaded
"""
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

CGROUPS = "/sys/fs/cgroup"
MRC = "/sys/kernel/memsuite/mrc"
TESTS = "/tests"
DATA = "/tmp/data"
AVAILABLE_MIB, SWAP_MIB, FILES_MIB = 128, 320, 288
FRONT_PAGES, TOUCHES, REST_MS, WARM_S = 16000, 4000, 100, 8
MIB = 1 << 20
PAGE = 4096

# {mix: command of the one that works}, where the memory that is left to both is 32768 pages.
MIXES = {
    "idle": f"{TESTS}/loop --pattern cold 22000 10",
    "loop": f"{TESTS}/rivals linear 24000 500",
    "mapped": f"{TESTS}/mixes mapped {DATA}/file 60000",
    "cache": "cat" + f" {DATA}/file" * 9,
    "grow": f"{TESTS}/mixes grow 22000 40",
    "storm": f"{TESTS}/mixes storm 60 18000",
    "fits": f"{TESTS}/loop --pattern uniform 10000 10",
    "low": f"{TESTS}/rivals linear 24000 500",
    "sort": f"env LC_ALL=C sort -S 64M -T {DATA} -o {DATA}/sorted {DATA}/lines",
    "gcc": f"make -s -C {DATA} -j3 all",
    "numpy": "/usr/bin/python3 -c 'import numpy; a = numpy.ones(7 << 20); [a.__iadd__(1) for _ in range(12)]'",
    "node": "node -e 'let k = []; for (let i = 0; i < 4e5; i++) k.push({i, s: String(i)}); k.sort((a, b) => a.s < b.s ? -1 : 1)'",
}


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(f"{text}\n")


def read(path):
    with open(path, encoding="ascii") as f:
        return f.read()


def numbers(path):
    return {name: int(value) for name, value in re.findall(r"^(\w+):?\s+(\d+)", read(path), re.M)}


def division():
    """What the division has done up to now."""
    return {name: int(read(f"{MRC}/division/{name}")) for name in ("evicted_pages", "replaced_pages", "suspended", "undone")}


def available_kib():
    return numbers("/proc/meminfo")["MemAvailable"]


def make_disk(name, mib):
    disk = f"/sys/kernel/config/nullb/{name}"
    os.mkdir(disk)
    for setting in (f"size={mib}", "blocksize=4096", "memory_backed=1", "queue_mode=2", "irqmode=2",
                    "completion_nsec=200000", "submit_queues=1", "hw_queue_depth=4", "power=1"):
        write(f"{disk}/{setting.partition('=')[0]}", setting.partition("=")[2])
    # Full from the start: it takes no memory later.
    subprocess.run(["dd", "if=/dev/zero", f"of=/dev/{name}", "bs=1M", f"count={mib}", "oflag=direct", "status=none"], check=True)
    return f"/dev/{name}"


def make_files(mixes):
    """What the mixes read; most of them need nothing."""
    if "mapped" in mixes or "cache" in mixes:
        subprocess.run(["dd", "if=/dev/zero", f"of={DATA}/file", "bs=1M", "count=160", "status=none"], check=True)
    if "sort" in mixes:
        with open(f"{DATA}/lines", "w", encoding="ascii") as f:
            f.writelines(f"{n * 2654435761 % (1 << 32):08x} {n:060}\n" for n in range(400000))
    if "gcc" in mixes:
        for n in range(6):
            with open(f"{DATA}/{n}.c", "w", encoding="ascii") as f:
                f.writelines(f"int f{i}(int *a, int n) {{ int s = {i}; while (n--) s += a[n] * s; return s; }}\n"
                             for i in range(2500))
        write(f"{DATA}/Makefile", "all: 0.o 1.o 2.o 3.o 4.o 5.o\n%.o: %.c\n\tgcc -O1 -c -o /dev/null $<\n.PHONY: all")


def leave(kib):
    """Takes what is available beyond that, by a file that can be neither swapped out nor dropped."""
    os.makedirs("/ballast")
    subprocess.run(["mount", "-t", "ramfs", "ballast", "/ballast"], check=True)
    size = 0
    for _ in range(30):
        time.sleep(3)
        more = available_kib() - kib
        if abs(more) <= 512:
            return
        size += more
        if more > 0:
            with open("/ballast/file", "ab") as f:
                for _ in range(more):
                    f.write(bytes(1024))
        else:
            os.truncate("/ballast/file", size * 1024)
    raise SystemExit(f"{available_kib()} KiB are available")


def prepare(mixes):
    subprocess.run(["modprobe", "null_blk", "nr_devices=0"], check=True)
    os.path.ismount("/sys/kernel/config") or subprocess.run(["mount", "-t", "configfs", "none", "/sys/kernel/config"], check=True)
    os.path.ismount(CGROUPS) or subprocess.run(["mount", "-t", "cgroup2", "none", CGROUPS], check=True)
    swap, files = make_disk("nullb0", SWAP_MIB), make_disk("nullb1", FILES_MIB)
    subprocess.run(["mkswap", swap], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["swapon", swap], check=True)
    subprocess.run(["modprobe", "ext4"], check=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", files], check=True)
    os.makedirs(DATA)
    subprocess.run(["mount", "-o", "noatime", files, DATA], check=True)
    make_files(mixes)
    os.sync()
    subprocess.run(["modprobe", "mrc"], check=True)
    write("/sys/kernel/mm/transparent_hugepage/enabled", "never")
    write(f"{CGROUPS}/cgroup.subtree_control", "+memory")
    for name in ("front", "back"):
        os.mkdir(f"{CGROUPS}/{name}")
    write("/proc/sys/vm/drop_caches", 3)
    leave(AVAILABLE_MIB * 1024)


class Senpai(threading.Thread):
    """facebookincubator/senpai, with the numbers of its README and intervals of a second."""
    PRESSURE, MAX_PROBE, MAX_BACKOFF, COEFF_PROBE, COEFF_BACKOFF, INTERVAL = 10000, .01, 1.0, 10, 20, 6

    def __init__(self, name):
        super().__init__(daemon=True)
        self.cgroup = f"{CGROUPS}/{name}"
        self.ended = threading.Event()

    def total(self):
        return int(re.search(r"some.*total=(\d+)", read(f"{self.cgroup}/memory.pressure")).group(1))

    def run(self):
        limit, last, integral, ticks = int(read(f"{self.cgroup}/memory.current")), self.total(), 0, self.INTERVAL
        while not self.ended.wait(1):
            total = self.total()
            integral, last, ticks = integral + total - last, total, ticks - 1
            if integral > self.PRESSURE:
                factor = min(((integral / self.PRESSURE) / self.COEFF_BACKOFF) ** 2, self.MAX_BACKOFF)
            elif ticks <= 0:
                factor = -min(((self.PRESSURE / max(integral, 1)) / self.COEFF_PROBE) ** 2, self.MAX_PROBE)
            else:
                continue
            limit, integral, ticks = max(int(limit * (1 + factor)), MIB), 0, self.INTERVAL
            with contextlib.suppress(OSError):
                write(f"{self.cgroup}/memory.high", limit)


def started(cgroup, command, **more):
    return subprocess.Popen(["sh", "-c", f"echo $$ >{CGROUPS}/{cgroup}/cgroup.procs; exec {command}"],
                            stdout=subprocess.PIPE, text=True, **more)


@contextlib.contextmanager
def in_mode(mode):
    """What is set, while programs run."""
    senpais = []
    if mode == "high":
        for name in ("front", "back"):
            write(f"{CGROUPS}/{name}/memory.high", AVAILABLE_MIB * MIB // 2)
    elif mode == "senpai":
        senpais = [Senpai(name) for name in ("front", "back")]
    elif mode == "mrc":
        write(f"{MRC}/enabled", 1)
        for name in ("front", "back"):
            write(f"{MRC}/add", f"cgroup:/{name}")
        write(f"{MRC}/division/enforce", 1)
    for senpai in senpais:
        senpai.start()
    yield
    for senpai in senpais:
        senpai.ended.set()
        senpai.join()
    for name in ("front", "back"):
        write(f"{CGROUPS}/{name}/memory.high", "max")
    if mode == "mrc":
        write(f"{MRC}/division/enforce", 0)
        for name in ("front", "back"):
            write(f"{MRC}/remove", f"cgroup:/{name}")
        write(f"{MRC}/enabled", 0)


def run(mix, mode):
    write("/proc/sys/vm/drop_caches", 3)
    write(f"{CGROUPS}/front/memory.low", FRONT_PAGES * PAGE if mix == "low" else 0)
    front = started("front", f"{TESTS}/rivals intr {FRONT_PAGES} {TOUCHES} {REST_MS} 0")
    front.stdout.readline()
    with in_mode(mode):
        time.sleep(WARM_S)
        before, divided, began = numbers("/proc/vmstat"), division(), time.monotonic()
        front.send_signal(signal.SIGUSR1)
        back = started("back", f"{TESTS}/rivals run sh -c {json.dumps(MIXES[mix] + ' >/dev/null')}")
        worked = back.communicate()[0]
        seconds, after = time.monotonic() - began, numbers("/proc/vmstat")
        divided = {name: value - divided[name] for name, value in division().items()}
        front.terminate()
        answered = front.communicate()[0]
    field = {name: float(value) for name, value in re.findall(r"(\w+) ([\d.]+)", f"{answered} {worked}")}
    print(json.dumps({"mix": mix, "mode": mode, "release": os.uname().release, "status": field["status"],
                      "answers": field["rounds"], "mean_ms": field["mean_ms"], "max_ms": field["max_ms"],
                      "answers_per_s": field["rounds"] / seconds, "seconds": field["seconds"],
                      "refaults": sum(after[name] - before[name] for name in after if name.startswith("workingset_refault")),
                      **{name: after[name] - before[name] for name in ("pgmajfault", "pswpout", "pgscan_anon")},
                      **divided}), flush=True)


def main():
    mixes, *modes = sys.argv[1:]
    mixes = mixes.split(",")
    prepare(mixes)
    for mix in mixes:
        for mode in modes:
            run(mix, mode)
    subprocess.run(["rmmod", "mrc"], check=True)


main()
