# SPDX-License-Identifier: GPL-2.0-only
"""What of a program's memory lies outside of its policy, why, and what would help."""

import contextlib
import os
import select
import sys
from typing import NamedTuple

from .. import Failure
from ..ending import as_usual, held
from ..output import human_pages
from ..proc import PAGE, command_of, is_zero_page, resident_pages
from ..sysfs import entries, number, numbers, read, read_debugfs, table
from .residency import Extent
from .segments import SEGMENTS, Segments, by_segment, pages, whole
from .shares import region_names

LOOK_AFTER_S = 5
WARN_PERCENT = 5
LOOK_PAGES = 1 << 18    # of address space, about: a program may have terabytes
LEAST_PAGES = 256       # found in a sample of it, or it says nothing
PAGES_OF_TABLE = 512

# What a page is, by which it is known why it may lie elsewhere.
OWN, SHARED, FILE = "own", "shared", "file"
# Page faults that were left to the kernel, by the reason that a policy counts.
LEFT = {
    "empty": "of {} the regions were full: memsuite zone list tells what is free, and a policy may name more regions",
    "policy": "{} are under a NUMA policy of the program's own, by numactl(8) or mbind(2), which goes before",
    "cpuset": "of {} the cpuset does not allow the regions' nodes: see cpuset.mems of the cgroup",
    "context": "{} may not come from these regions, as what is pinned for long: whole nodes have it",
    "wear": "of {} the regions were over their wear budget",
}


def technology_kind(name):
    """As the core tells technologies apart, by how names begin."""
    if name.lower().startswith("nvdimm-n"):
        return "dram"
    for kind, beginnings in (("dram", ("dram", "sdram", "ddr", "lpddr", "hbm")),
                             ("pram", ("nvdimm", "pram", "pcm", "pmem", "nvm", "optane"))):
        if name.lower().startswith(beginnings):
            return kind
    return None


def policy_regions(policy):
    """{segment: the regions that its pages may come from} of those that a policy is about."""
    kind, _, rest = policy.partition(":")
    if kind == "segment" and rest:
        named = {}
        for item in rest.split(","):
            segment, _, regions = item.partition("=")
            named[segment] = region_names(regions)
        return by_segment(named)
    if kind == "segment":
        made_of = {"dram": [], "pram": []}
        for name in entries("regions"):
            made_of.get(technology_kind(read("regions", name, "technology")), []).append(name)
        return by_segment({"heap": made_of["dram"], "stack": made_of["dram"], "*": made_of["pram"]})
    if kind == "low-power-first":
        first, *keys = rest.split(",")
        rest = "+".join([first, *(key[len("write="):] for key in keys if key.startswith("write="))])
    elif kind == "bank":
        rest = rest.partition("=")[2].replace("|", "+")
    return dict.fromkeys(SEGMENTS, region_names(rest))


class Counts(NamedTuple):
    """Pages under a policy; of those outside of it, by what they are and their segment; and what was looked at for that."""

    total: int
    outside: dict
    looked: int
    is_sample: bool


class Sample:
    """Which page tables of a process's areas are looked at: the more, the more of its pages an area has."""

    def __init__(self, pid, most):
        self.resident = resident_pages(pid)
        self.most, self.all = most, max(sum(self.resident.values()), 1)

    def every(self, area):
        """One in so many; 0: none, for none of its pages is there."""
        nr = self.resident.get(area.start, 0)
        return nr and -(-(area.end - area.start) // PAGE // max(self.most * nr // self.all, PAGES_OF_TABLE))

    def stretches(self, area):
        every = self.every(area)
        if every == 1:
            yield from whole(area)
        elif every:
            step = every * PAGES_OF_TABLE * PAGE
            for start in range(area.start + step // 2, area.end, step):
                yield start, min(PAGES_OF_TABLE, (area.end - start) // PAGE)

    def weight(self, area, found):
        """For how many pages one that was found stands."""
        return self.resident[area.start] / found if self.every(area) > 1 else 1


def count_astray(pid, regions, most):
    """Of a process, whose segments have these regions; @most pages of its address space are looked at, about."""
    extents = {name: Extent(name) for names in regions.values() for name in names}
    segments, sample = Segments(pid), Sample(pid, most)
    found, total, outside = {}, {}, {}
    for area, address, frame, is_private in pages(pid, sample.stretches):
        found[area] = found.get(area, 0) + 1
        segment = segments.of(area, address, is_private)
        if segment not in regions:
            continue
        kind = OWN if is_private else SHARED if area.is_shared_memory else FILE
        is_outside = not any(extents[name].has_frame(frame) for name in regions[segment])
        # Memory that was read and never written is no memory of the program's.
        if is_outside and kind == OWN and is_zero_page(frame):
            continue
        total[area] = total.get(area, 0) + 1
        if is_outside:
            outside[area, kind, segment] = outside.get((area, kind, segment), 0) + 1
    by_kind = {}
    for (area, *what), count in outside.items():
        by_kind[tuple(what)] = by_kind.get(tuple(what), 0) + count * sample.weight(area, found[area])
    return Counts(round(sum(count * sample.weight(area, found[area]) for area, count in total.items())),
                  {what: round(count) for what, count in by_kind.items()}, sum(found.values()),
                  any(sample.every(area) > 1 for area in found))


def steered_by(directory, pid):
    """{pid: what it has chosen} of the processes under the policy of @pid, the one in that directory."""
    with contextlib.suppress(Failure, OSError):
        return {int(row["pid"]): row["choice"] for row in table(read_debugfs("vipzone", "processes"))
                if row["policy"] == directory} or {pid: "-"}
    return {pid: "-"}       # without debugfs


def count_all(directory, pid):
    """Of all processes under the policy in that directory."""
    regions = policy_regions(read("vipzone", "policies", directory, "policy"))
    processes = steered_by(directory, pid)
    total, outside, looked, is_sample = 0, {}, 0, False
    for process, choice in processes.items():
        # It may have ended, and others with it.
        with contextlib.suppress(OSError):
            counts = count_astray(process, regions if choice == "-" else {**regions, **policy_regions(choice)},
                                  LOOK_PAGES // len(processes))
            total, looked, is_sample = total + counts.total, looked + counts.looked, is_sample or counts.is_sample
            for what, count in counts.outside.items():
                outside[what] = outside.get(what, 0) + count
    return Counts(total, outside, looked, is_sample)


def segments_text(outside, kind):
    """Which segments have pages outside that are such, most first."""
    counts = sorted(((count, segment) for (of_kind, segment), count in outside.items() if of_kind == kind), reverse=True)
    return ", ".join(f"{segment} {human_pages(count)}" for count, segment in counts)


def warning(pid, counts, left, collapsed):
    """Lines, or none if little lies outside; @left: {reason: page faults left to the kernel}, @collapsed: huge pages' pages."""
    nr = sum(counts.outside.values())
    if nr * 100 <= counts.total * WARN_PERCENT or counts.is_sample and counts.looked < LEAST_PAGES:
        return []
    about = "about " if counts.is_sample else ""
    lines = [f"{about}{nr * 100 / counts.total:.0f}% of the memory of {command_of(pid)} ({pid}) lies outside of its policy: "
             f"{human_pages(nr)} of {human_pages(counts.total)}"]
    own, shared, of_files = (segments_text(counts.outside, kind) for kind in (OWN, SHARED, FILE))
    if of_files:
        lines.append(f"{of_files}: in the page cache from before, or first read by another program. What no program uses is "
                     "read anew, where the policy wants it, after: dd if=FILE iflag=nocache count=0")
    if shared:
        lines.append(f"{shared}: first used by another program, whose policy counts; memsuite zone move {pid} moves it")
    if own:
        why = [LEFT[reason].format(f"{count} page faults") for reason, count in left.items() if count]
        if collapsed:
            why.append(f"khugepaged made huge pages of {human_pages(collapsed)}, wherever it found room")
        lines.append(f"{own}: {'; '.join(why) or 'there before the policy, or moved by the kernel since'}. "
                     f"memsuite zone move {pid} moves what has room; vipzone/audit/interval_ms does so again and again")
    return [lines[0], *("  " + line for line in lines[1:])]


def policy_of(pid):
    """The directory of the policy that is for that process, or None."""
    for name in entries("vipzone", "policies"):
        with contextlib.suppress(Failure):      # others come and go
            if read("vipzone", "policies", name, "who") == str(pid):
                return name
    return None


def warn(pid):
    directory = policy_of(pid)
    if directory is None:
        return      # it was removed
    counts = count_all(directory, pid)
    left = {why: number("vipzone", "policies", directory, f"fallback_{why}") for why in LEFT}
    collapsed = numbers("vipzone", "policies", directory, names=("collapsed_pages",)).get("collapsed_pages", 0)
    lines = warning(pid, counts, left, collapsed)
    if lines:
        # In one piece: the program may print as well.
        os.write(2, "".join(f"memsuite: {line}\n" for line in lines).encode(errors="backslashreplace"))


def watch(pid, pidfd):
    """Of the process that this one has forked off from: once it has run for a while, unless it ends before."""
    as_usual()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(null, fd)
    # Whatever the program has open, it alone closes.
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2 and fd != pidfd:
            with contextlib.suppress(OSError):      # what the list was read from
                os.close(fd)
    ended = select.poll()
    ended.register(pidfd, select.POLLIN)
    if ended.poll(LOOK_AFTER_S * 1000):
        return
    os.nice(19)
    try:
        warn(pid)
    except (Failure, OSError) as error:
        if not ended.poll(0):
            print(f"memsuite: where the memory of {pid} lies cannot be told: {error}", file=sys.stderr, flush=True)


def watch_later():
    """
    Has the process that this one becomes by exec looked at. A program's memory is gone when it has ended, and a server's
    administrator wants to know before: so it is looked at early in its run. The grandchild is no child of the program.
    """
    pid = os.getpid()
    # The kernel may be older than that, a sandbox forbid it, or there be too many processes: the program is run without.
    with contextlib.suppress(OSError):
        pidfd = os.pidfd_open(pid)
        try:
            with held():
                child = os.fork()
                if not child:
                    try:
                        if not os.fork():
                            watch(pid, pidfd)
                    finally:
                        os._exit(0)
        finally:
            os.close(pidfd)
        # Where SIGCHLD is ignored it is gone.
        os.waitpid(child, 0)
