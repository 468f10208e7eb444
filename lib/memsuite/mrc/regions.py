# SPDX-License-Identifier: GPL-2.0-only
"""Which memory has to be awake for the processes that are tracked: MRC-directed energy management (Zhou and others,
ASPLOS 2004, section 5), by blocks of memory that the kernel can take offline.

A working block holds any of the top N_mrc pages of a process: those used last, as many as its curve says that it needs.
Of large processes only sampled pages are known, each of which stands for several.
"""

import errno
import mmap
import os
import re
import time

from .. import Failure, proc
from ..output import human, human_pages, print_json, print_table
from ..proc import command_of
from ..sysfs import need, table
from .targets import mrc_curve, mrc_processes, mrc_stats, mrc_table

BLOCKS = os.environ.get("MEMSUITE_BLOCKS", "/sys/devices/system/memory")
TRIES, PAUSE_S = 4, 0.5


def needed_pages(curve, resident, loss):
    """N_mrc: the smallest memory that misses no more than `loss` of the touches beyond what all of it does."""
    ratios = [point["miss_ratio"] for point in curve if point["pages"] <= resident] or [curve[0]["miss_ratio"]]
    # A size has the ratio of the last row up to it, and before the first row everything is missed.
    return next((point["pages"] for point in curve if point["miss_ratio"] <= min(ratios) + loss), resident)


def used_pages(pid, stats):
    """[(address, pages that it stands for)], the one used last first, and those last that never were."""
    weights = {"base": stats.get("pages_per_sample", 1),
               "huge": stats.get("huge_pages", 0) // max(1, stats.get("samples_huge", 0))}
    rows = table(mrc_table(pid, "pages"))
    rows.sort(key=lambda row: (-int(row["seen_us"]), int(row["address"], 0)))
    return [(int(row["address"], 0), weights[row["kind"]]) for row in rows]


def top_pages(used, needed):
    """The addresses among those that the process needs."""
    top, pages = set(), 0
    for address, weight in used:
        if pages >= needed:
            break
        top.add(address)
        pages += weight
    return top


def pages_by_block(pid, loss, size, counts):
    """Adds (pages that work, others) of a process to those of the blocks; returns what was found of it."""
    curve, stats = mrc_curve(pid), mrc_stats(pid)
    if not curve:
        raise Failure(f"{pid} has no curve yet")
    needed, used = needed_pages(curve, stats["resident_pages"], loss), used_pages(pid, stats)
    if not used:
        raise Failure(f"{pid}: its pages are not known; they are while mrc is enabled, in mode ladder")
    top = top_pages(used, needed)
    try:
        pagemap = open(os.path.join(proc.PROC, str(pid), "pagemap"), "rb")
    except OSError as error:
        raise Failure(f"{pid}: {error.strerror}") from None
    with pagemap:
        for address, weight in used:
            # None: it is not there any more, nor is what its process has when it has ended.
            frame = next(proc.frames(pagemap, address), None)
            if frame is not None:
                counts.setdefault(frame * mmap.PAGESIZE // size, [0, 0])[address not in top] += weight
    return {"pid": pid, "command": command_of(pid), "resident_pages": stats["resident_pages"], "needed_pages": needed}


def read_block(*path):
    with open(os.path.join(BLOCKS, *path), encoding="ascii") as file:
        return file.read().strip()


def blocks():
    """(size, [number]) of those that are online."""
    try:
        names = os.listdir(BLOCKS)
        numbers = sorted(int(name[6:]) for name in names if re.fullmatch(r"memory\d+", name))
        online = [number for number in numbers if read_block(f"memory{number}", "state") == "online"]
        return int(read_block("block_size_bytes"), 16), online
    except OSError as error:
        raise Failure(f"{BLOCKS}: {error.strerror}: this kernel has no blocks of memory (CONFIG_MEMORY_HOTPLUG)") from None


def take_offline(number):
    """The kernel moves what is in the block elsewhere. Returns "offline", or why it is not."""
    for left in reversed(range(TRIES)):
        try:
            with open(os.path.join(BLOCKS, f"memory{number}", "state"), "w", encoding="ascii") as file:
                file.write("offline")
            return "offline"
        except OSError as error:
            # Somebody may hold a page for a moment.
            if not left or error.errno != errno.EBUSY:
                return error.strerror.lower()
            time.sleep(PAUSE_S)


def is_movable(number):
    """Whether all that is in the block can be moved; where the kernel keeps its own, it would try for long, in vain."""
    try:
        return "Movable" in read_block(f"memory{number}", "valid_zones").split()
    except OSError:
        return False


def offline_some(rows, wanted):
    """The idle blocks with least in them first, until so many are offline."""
    for row in sorted((row for row in rows if row["state"] == "idle"), key=lambda row: row["other_pages"]):
        if not wanted:
            break
        if not is_movable(row["block"]):
            continue
        row["state"] = take_offline(row["block"])
        wanted -= row["state"] == "offline"
    return wanted


def cmd_mrc_regions(args):
    need("mrc")
    size, online = blocks()
    counts = {}
    processes = [pages_by_block(pid, args.loss / 100, size, counts) for pid in args.pids or mrc_processes()]
    if not processes:
        raise Failure("no process is tracked; to track one: memsuite mrc add PID")
    rows = [{"block": number, "address": number * size, "working_pages": counts.get(number, (0, 0))[0],
             "other_pages": counts.get(number, (0, 0))[1]} for number in online]
    for row in rows:
        row["state"] = "working" if row["working_pages"] else "idle"
    missed = offline_some(rows, args.offline)
    if args.json:
        print_json({"block_bytes": size, "processes": processes, "blocks": rows})
        return missed > 0
    show(size, processes, rows)
    if missed:
        raise Failure(f"{args.offline - missed} of {args.offline} blocks are offline: others work, or are not in "
                      "ZONE_MOVABLE (see the kernel's movablecore, movable_node)")
    return 0


def show(size, processes, rows):
    for found in processes:
        print(f"{found['pid']} {found['command']}: needs {human_pages(found['needed_pages'])} of "
              f"{human_pages(found['resident_pages'])}")
    print_table(["BLOCK", "ADDRESS", "WORKING", "OTHER", "STATE"],
                [[row["block"], f"{row['address']:#x}", human_pages(row["working_pages"]),
                  human_pages(row["other_pages"]), row["state"]] for row in rows],
                right=("BLOCK", "WORKING", "OTHER"))
    idle = sum(row["state"] != "working" for row in rows)
    print(f"{idle} of {len(rows)} blocks, {human(idle * size)}, hold nothing that these processes need to be awake")
