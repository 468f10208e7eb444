#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What memdiag costs real programs. Runs in a guest that has the host's files, in instruction time (--icount) with one
CPU, so that the CPU time of a program is the number of instructions that it took, whatever runs beside it.

All configurations run in one boot, between two runs without memdiag. Prints a line of JSON for each run: the
configuration, the CPU time of each program in seconds, and what was tested meanwhile.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time

SUITE = "/sys/kernel/memsuite"
LIFETIME_S = 60
REDIS = "/tmp/redis.sock"
# gcc and sort take and return memory all the time; sqlite3, redis and gzip keep what they have.
PROGRAMS = {
    "gcc": "gcc -O2 -c -o /tmp/bench.o /tmp/bench.c",
    "sort": "LC_ALL=C sort --parallel=1 -S 64M /tmp/bench.txt >/tmp/bench.sorted",
    "sqlite3": "sqlite3 :memory: </tmp/bench.sql >/dev/null",
    "gzip": "gzip -6 -c /tmp/bench.txt >/tmp/bench.gz",
    "redis": f"exec redis-server --port 0 --unixsocket {REDIS} --save '' >/dev/null",
}
CONFIGURATIONS = {
    "fixed 1": ("fixed", 1), "fixed 8": ("fixed", 8), "fixed 32": ("fixed", 32), "comet": ("comet", None),
    "adaptive": ("adaptive", None), "ondemand": ("ondemand", None),
}


def write(name, value):
    with open(f"{SUITE}/{name}", "w", encoding="ascii") as f:
        f.write(f"{value}\n")


def number(name):
    with open(f"{SUITE}/{name}", encoding="ascii") as f:
        return int(f.read())


def prepare(functions=120, rows=8000):
    random.seed(1)
    with open("/tmp/bench.c", "w", encoding="ascii") as f:
        for i in range(functions):
            f.write(f"int f{i}(int *a, int n) {{ int s = 0; for (int i = 0; i < n; i++) "
                    f"s += a[i] * {i} ^ (s >> {i % 7}); return s > {i} ? s : f{max(i - 1, 0)}(a, n / 2); }}\n")
    with open("/tmp/bench.txt", "w", encoding="ascii") as f:
        for _ in range(120000):
            f.write(f"{random.getrandbits(64):016x} {random.getrandbits(32):08x}\n")
    with open("/tmp/bench.sql", "w", encoding="ascii") as f:
        f.write("create table t(a integer, b text);\nbegin;\n")
        for _ in range(rows):
            f.write(f"insert into t values({random.getrandbits(31)}, '{random.getrandbits(64):016x}');\n")
        f.write("commit;\ncreate index i on t(a);\nselect sum(a), max(b) from t where a % 7 = 3;\n"
                "select count(*) from t x join t y on x.a = y.a;\n")


def drive_redis(requests):
    """The client's side, which is not counted."""
    while not os.path.exists(REDIS):
        time.sleep(0.1)
    subprocess.run(["redis-benchmark", "-s", REDIS, "-t", "set", "-n", str(requests), "-d", "2000", "-r", "100000", "-c", "1",
                    "-q"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["redis-cli", "-s", REDIS, "shutdown", "nosave"], check=True)


def cpu_seconds(name, requests=10000):
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", PROGRAMS[name]], os.environ)
    if name == "redis":
        drive_redis(requests)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"{name}: status {status}")
    return usage.ru_utime + usage.ru_stime


class Watch(threading.Thread):
    """The configuration that the controller chose, once in a tenth of a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.over = [], threading.Event()

    def run(self):
        while not self.over.wait(0.1):
            self.seen.append((number("memdiag/control/fidelity"), number("memdiag/control/threads")))


def start(policy, fidelity):
    subprocess.run(["modprobe", "memdiag"], check=True)
    write("memdiag/test_lifetime_s", LIFETIME_S)
    write("memdiag/control/policy", policy)
    if fidelity:
        write("memdiag/control/fixed_fidelity", fidelity)
    write("memdiag/enabled", 1)
    # The first sweep comes at the start of a machine, not of a program.
    while policy != "ondemand" and not number("memdiag/passes"):
        time.sleep(1)
    time.sleep(3)


def counts():
    return {"tested": number("memdiag/tested_pages"), "allocated": number("demand/allocated_pages"),
            "untested": number("demand/untested_pages") + number("demand/expired_pages"),
            "on_demand": number("memdiag/ahead/on_demand_tests"), "passes": number("memdiag/passes")}


def run_programs():
    return {name: cpu_seconds(name) for name in PROGRAMS}


def run(configuration):
    result = {"configuration": configuration}
    if configuration == "off":
        return dict(result, programs=run_programs())
    start(*CONFIGURATIONS[configuration])
    before, begun, watch = counts(), time.monotonic(), Watch()
    watch.start()
    programs = run_programs()
    # As long as a lifetime, for what is promised holds over that.
    time.sleep(max(0, LIFETIME_S - (time.monotonic() - begun)))
    watch.over.set()
    watch.join()
    after, seconds = counts(), time.monotonic() - begun
    result.update(programs=programs, seconds=seconds, counts={name: after[name] - before[name] for name in after},
                  fidelity=statistics.mean(f for f, _ in watch.seen),
                  threads=statistics.mean(t for _, t in watch.seen),
                  free_tested_pct=number("memdiag/coverage/free_tested_pct"),
                  free_oldest_age_s=number("memdiag/coverage/free_oldest_age_s"))
    subprocess.run(["rmmod", "memdiag", "memsuite"], check=True)
    return result


def main():
    names = sys.argv[1:] or list(CONFIGURATIONS)
    prepare()
    run_programs()
    run_programs()	# what is done once in a boot is done before it counts
    for name in ["off", *names, "off"]:
        print(json.dumps(run(name)), flush=True)


if __name__ == "__main__":
    main()
