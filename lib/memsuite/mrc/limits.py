# SPDX-License-Identifier: GPL-2.0-only
"""The share of each cgroup that is tracked as its memory.high, for as long as this runs.

A cgroup's share is that of the processes in it and below it. What is charged to it besides, files read and the kernel's
memory, comes on top. The kernel then takes pages of those who have more from themselves, where they ask for memory.
"""

import contextlib
import mmap
import os
import sys
import time

from .. import Failure, keeper
from ..ending import until_ended
from ..output import clear_screen, human, print_json_line, print_table
from ..proc import meminfo, proc_text
from ..settings import alone
from ..sysfs import SYSFS, need, number
from .division import ask
from .targets import mrc_targets

PREFIX = "cgroup:"
NO_LIMIT = "max"


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
    """memory.high of a cgroup; what it was is the most that it is set to, and is restored. One that is made again, as that
    of a service that starts again, is another one.
    """

    def __init__(self, directory):
        self.directory, self.file = directory, os.path.join(directory, "memory.high")
        self.inode = os.stat(directory).st_ino
        self.before = self.read("memory.high").strip()
        keeper.forget(self.file)        # of one before it
        keeper.note(self.file, self.before)

    def read(self, name):
        with open(os.path.join(self.directory, name), encoding="utf-8") as file:
            return file.read()

    def set(self, value):
        """Returns what it is then. This may wait for as long as the kernel takes to get there."""
        if self.before != NO_LIMIT:
            value = min(value, int(self.before))
        self.write(value)
        return value

    def write(self, value):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(f"{value}\n")

    def besides(self, resident):
        """Bytes that are charged to it beyond so many of its processes; swap cache is not, which may go."""
        stat = {name: int(value) for name, value in map(str.split, self.read("memory.stat").splitlines())}
        mapped = stat["anon"] + stat["file_mapped"]
        swap_cache = stat["active_anon"] + stat["inactive_anon"] - stat["anon"] - stat["shmem"]
        return max(int(self.read("memory.current")) - min(resident, mapped) - max(swap_cache, 0), 0)

    def waited_pct(self):
        """How much of the last ten seconds some of its processes waited for memory; 0 if the kernel does not tell."""
        try:
            return float(self.read("memory.pressure").split("avg10=")[1].split()[0])
        except (OSError, IndexError):
            return 0.0

    def is_there(self):
        try:
            return os.stat(self.directory).st_ino == self.inode
        except OSError:
            return False

    def restore(self):
        with contextlib.suppress(OSError):      # it has gone
            if self.is_there():
                self.write(self.before)

    def drop(self):
        self.restore()
        keeper.forget(self.file)


def shares(paths, rows):
    """{path: (resident, share) in bytes} of those that the plan knows processes of."""
    found = {}
    for row in rows:
        cgroup = cgroup_of(row["pid"])
        for path in paths:
            if cgroup == path or cgroup.startswith(path.rstrip("/") + "/"):
                resident, share = found.get(path, (0, 0))
                found[path] = (resident + row["resident_pages"] * mmap.PAGESIZE,
                               share + row["share_pages"] * mmap.PAGESIZE)
    return found


def withheld(resident):
    """Whether there is memory that nobody gets, as with a total that is set: more than a small part of what there is."""
    available = meminfo("MemAvailable")
    return available > (number("mrc", "division", "reserve_kib") * 1024 or (resident + available) // 32)


class Limits:
    """Those that are set."""

    def __init__(self):
        self.top = hierarchy()
        self.limits = {}

    def divide(self, total):
        """What each gets, for people and programs; who gets nothing has no limit of ours."""
        paths = [who[len(PREFIX):] for who in mrc_targets() if who.startswith(PREFIX)]
        if not paths:
            raise Failure("no cgroup is tracked; to track one: memsuite mrc add cgroup:/PATH")
        found = shares(paths, ask(total, []))
        for path in set(self.limits) - set(found):
            self.limits.pop(path).drop()
        together = sum(resident for resident, _ in found.values())
        bound_pct = number("mrc", "division", "pressure_pct") if withheld(together) else 100
        rows = []
        for path, (resident, share) in sorted(found.items()):
            directory = self.top + path.rstrip("/")
            try:
                if path not in self.limits or not self.limits[path].is_there():
                    self.limits[path] = Limit(directory)
                high = self.apply(self.limits[path], resident, share, bound_pct)
            except OSError as error:
                if os.path.isdir(directory):
                    raise Failure(f"{directory}/memory.high: {error.strerror}; the root cannot be limited, and others need "
                                  "+memory in the cgroup.subtree_control of their parent") from None
                if path in self.limits:         # it was removed meanwhile
                    self.limits.pop(path).drop()
                continue
            rows.append({"cgroup": path, "resident_bytes": resident, "share_bytes": share, "high_bytes": high})
        return rows

    @staticmethod
    def apply(limit, resident, share, bound_pct):
        """Programs that wait too long for memory that there is get it."""
        if limit.waited_pct() > bound_pct:
            limit.restore()
            return limit.before
        return limit.set(share + limit.besides(resident))

    def restore(self):
        for limit in self.limits.values():
            limit.restore()


def show(args, rows):
    if args.json:
        print_json_line(rows)
    else:
        clear_screen()
        print_table(["CGROUP", "RESIDENT", "SHARE", "MEMORY.HIGH"],
                    [[row["cgroup"], human(row["resident_bytes"]), human(row["share_bytes"]),
                      NO_LIMIT if row["high_bytes"] == NO_LIMIT else human(int(row["high_bytes"]))] for row in rows],
                    right=("RESIDENT", "SHARE", "MEMORY.HIGH"))
    sys.stdout.flush()


def only_one():
    """The limits that another one has set are not those of before."""
    return alone(open(os.path.join(SYSFS, "mrc", "add"), encoding="utf-8"), "another memsuite mrc limit runs")


def cmd_mrc_limit(args):
    need("mrc")
    if not number("mrc", "enabled"):
        raise Failure("mrc is off: memsuite mrc enable")
    if not meminfo("SwapTotal"):
        raise Failure("no swap: programs over their share could only be slowed down; see swapon(8)")
    with only_one():
        limits = Limits()

        def divide():
            while True:
                show(args, limits.divide(args.total))
                time.sleep(args.interval)

        until_ended(divide, limits.restore)
