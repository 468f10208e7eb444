# SPDX-License-Identifier: GPL-2.0-only
"""The share of each cgroup that is tracked as its memory.high, for as long as this runs.

A cgroup's share is that of its processes. What it has besides, files read and the kernel's memory, is left to it. The
kernel then takes pages of those who have more from themselves, the coldest first, where they ask for memory.
"""

import mmap
import os
import signal
import sys
import time

from .. import Failure
from ..output import human, print_json, print_table
from ..proc import proc_text
from ..sysfs import need, number
from .division import ask
from .targets import mrc_targets

PREFIX = "cgroup:"


def hierarchy():
    """Where the unified hierarchy is mounted."""
    for line in proc_text("mounts").splitlines():
        fields = line.split()
        if len(fields) > 2 and fields[2] == "cgroup2":
            return fields[1]
    raise Failure("no unified hierarchy of cgroups; mount -t cgroup2 none /sys/fs/cgroup")


def cgroup_of(pid):
    """The path of a process in the unified hierarchy; none if it has ended."""
    for line in proc_text(f"{pid}/cgroup").splitlines():
        if line.startswith("0::"):
            return line[3:]
    return ""


class Limit:
    """memory.high of a cgroup: what it was, and is again afterwards."""

    def __init__(self, top, path):
        self.path, self.directory = path, top + path.rstrip("/")
        try:
            self.before = self.read("memory.high").strip()
        except OSError as error:
            raise Failure(f"{self.directory}/memory.high: {error.strerror}; the root cannot be limited, and another needs "
                          "+memory in the cgroup.subtree_control of its parent") from None

    def read(self, name):
        with open(os.path.join(self.directory, name), encoding="utf-8") as file:
            return file.read()

    def write(self, value):
        with open(os.path.join(self.directory, "memory.high"), "w", encoding="utf-8") as file:
            file.write(f"{value}\n")

    def besides(self):
        """Bytes that are not mapped by its processes."""
        stat = dict(line.split() for line in self.read("memory.stat").splitlines())
        mapped = sum(int(stat.get(name, 0)) for name in ("anon", "file_mapped", "swapcached"))
        return max(int(self.read("memory.current")) - mapped, 0)

    def waited_pct(self):
        """How much of the last ten seconds some of its processes waited for memory; 0 if the kernel does not tell."""
        try:
            return float(self.read("memory.pressure").split("avg10=")[1].split()[0])
        except (OSError, IndexError):
            return 0.0

    def restore(self):
        try:
            self.write(self.before)
        except OSError:
            pass        # the cgroup has gone


def innermost(paths, path):
    """Which of the cgroups a process belongs to, by its own; none if to none of them."""
    within = [p for p in paths if path == p or path.startswith(p.rstrip("/") + "/")]
    return max(within, key=len, default=None)


def shares(limits, rows):
    """{path: (resident, share) in bytes} of those that the plan knows processes of."""
    found = {}
    for row in rows:
        path = innermost(limits, cgroup_of(row["pid"]))
        if path is not None:
            resident, share = found.get(path, (0, 0))
            found[path] = (resident + row["resident_pages"] * mmap.PAGESIZE, share + row["share_pages"] * mmap.PAGESIZE)
    return found


def apply(limit, share, bound_pct):
    """Set it, or lift it where programs wait for memory more than that; returns what was set."""
    high = "max" if limit.waited_pct() > bound_pct else share + limit.besides()
    limit.write(high)
    return high


def limit_all(limits, total):
    """What has become of each, for people and programs."""
    # A total withholds memory without need. Where it is short, programs wait anyway.
    bound_pct = number("mrc", "division", "pressure_pct") if total or number("mrc", "division", "total_kib") else 100
    rows = []
    for path, (resident, share) in sorted(shares(limits, ask(total, [])).items()):
        try:
            high = apply(limits[path], share, bound_pct)
        except FileNotFoundError:
            continue        # it has gone since
        rows.append({"cgroup": path, "resident_bytes": resident, "share_bytes": share, "high_bytes": high})
    return rows


def show(args, rows):
    if args.json:
        print_json(rows)
    else:
        if sys.stdout.isatty():
            print("\033[H\033[2J", end="")
        print_table(["CGROUP", "RESIDENT", "SHARE", "MEMORY.HIGH"],
                    [[row["cgroup"], human(row["resident_bytes"]), human(row["share_bytes"]),
                      row["high_bytes"] if row["high_bytes"] == "max" else human(row["high_bytes"])] for row in rows],
                    right=("RESIDENT", "SHARE", "MEMORY.HIGH"))
    sys.stdout.flush()


def cmd_mrc_limit(args):
    need("mrc")
    paths = [who[len(PREFIX):] for who in mrc_targets() if who.startswith(PREFIX)]
    if not paths:
        raise Failure("no cgroup is tracked; to track one: memsuite mrc add cgroup:/PATH")
    top = hierarchy()
    limits = {path: Limit(top, path) for path in paths}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        while True:
            show(args, limit_all(limits, args.total))
            time.sleep(args.interval)
    except KeyboardInterrupt:
        return 0
    finally:
        for limit in limits.values():
            limit.restore()
