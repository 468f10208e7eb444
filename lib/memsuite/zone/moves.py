# SPDX-License-Identifier: GPL-2.0-only
"""Moving the pages that a process has."""

import ctypes
import errno
import os
import re

from .. import Failure
from ..output import human_pages, print_json
from ..sysfs import need, numbers, write
from .files import is_file
from .segments import GROUPS, SEGMENTS, Segments, by_segment, pages


def policy_nodes(text):
    """{segment: node} of a policy whose first regions are whole nodes."""
    kind, _, rest = text.partition(":")
    if kind == "region":
        rest = "*=" + rest
    elif kind != "segment":
        raise Failure(f"not a policy that can be done from user space: {text}")
    nodes = {}
    for item in rest.split(","):
        segment, equals, regions = item.partition("=")
        if "=" in regions:
            raise Failure("pages are shared out by weight by vipzone alone: memsuite zone add, then zone move without --policy")
        name = regions.split("+")[0]
        match = re.fullmatch(r"node(\d+)", name)
        if not equals or segment not in (*SEGMENTS, *GROUPS):
            raise Failure(f"not SEGMENT=REGION: {item!r}")
        if not match:
            raise Failure(f"{name}: from user space, pages can be moved to whole nodes only (node0, node1, ...)")
        nodes[segment] = int(match.group(1))
    return by_segment(nodes)


MOVE_AT_ONCE = 4096
MPOL_MF_MOVE = 2


def libnuma():
    try:
        return ctypes.CDLL("libnuma.so.1", use_errno=True)
    except OSError:
        raise Failure("libnuma.so.1 is not there: install libnuma1, or numactl-libs") from None


def move_pages(pid, addresses, node):
    """{outcome: pages}: on the node, or the name of what the kernel says."""
    numa, outcomes = libnuma(), {}
    for first in range(0, len(addresses), MOVE_AT_ONCE):
        some = addresses[first:first + MOVE_AT_ONCE]
        count = len(some)
        pages, nodes = (ctypes.c_void_p * count)(*some), (ctypes.c_int * count)(*[node] * count)
        status = (ctypes.c_int * count)(*[-errno.EAGAIN] * count)
        if numa.numa_move_pages(ctypes.c_int(pid), ctypes.c_ulong(count), pages, nodes, status, MPOL_MF_MOVE) < 0:
            raise Failure(f"move_pages: {os.strerror(ctypes.get_errno())}")
        for value in status:
            word = "moved" if value == node else errno.errorcode.get(-value, "elsewhere")
            outcomes[word] = outcomes.get(word, 0) + 1
    return outcomes


def move_by_hand(pid, nodes):
    """As the kernel's own move, but from user space: to whole nodes, and each page by its own."""
    segments, addresses, outcomes = Segments(pid), {}, {}
    for area, address, _, is_private in pages(pid):
        segment = segments.of(area, address, is_private)
        node = nodes.get(segment)
        if node is not None and (is_private or segment == "shared"):
            addresses.setdefault(node, []).append(address)
    for node, of_node in addresses.items():
        for word, count in move_pages(pid, of_node, node).items():
            outcomes[word] = outcomes.get(word, 0) + count
    return outcomes


LEFT_WHY = {"busy": "busy", "pinned": "pinned", "full": "for want of free memory in the regions",
            "gone": "gone meanwhile", "shared": "shared with other processes", "policy": "under a NUMA policy",
            "cpuset": "in a cpuset without the regions' nodes"}


def unmoved(why):
    return f"unmoved_{why}_pages"


def moves_told():
    """Pages of all processes that were moved, and not, by the reason."""
    return numbers("vipzone", names=("moved_pages", *map(unmoved, LEFT_WHY)))


def pages_of_files(pid):
    """Pages of the page cache that it has mapped: they are of files, and stay."""
    try:
        return sum(not is_private and not area.is_shared_memory for area, _, _, is_private in pages(pid))
    except OSError:
        return 0        # it has ended


def move_by_policy(args):
    need("vipzone")
    before = moves_told()
    write("vipzone/move", args.who, {
        errno.ENOENT: f"{args.who} is under no policy, or not there: memsuite zone add" if is_file(args.who) else
                      f"{args.who} is under no policy; without vipzone: --policy",
        errno.EINVAL: "neither a process nor a file: what enters a cgroup is moved by zone add --move",
        errno.ESRCH: f"there is no process {args.who}"})
    after = moves_told()
    grown = {name: after[name] - before[name] for name in after}
    left = {why: grown[unmoved(why)] for why in LEFT_WHY if grown[unmoved(why)]}
    of_files = 0 if is_file(args.who) else pages_of_files(args.who)
    if args.json:
        print_json({"ok": True, "moved_pages": grown["moved_pages"], "left_pages": left, "file_pages": of_files})
        return 0
    print(f"{human_pages(grown['moved_pages'])} moved"
          + "".join(f", {human_pages(count)} left: {LEFT_WHY[why]}" for why, count in left.items())
          + (f"; {human_pages(of_files)} of files stay where they are" if of_files else ""))
    return 0


def cmd_zone_move(args):
    if not args.policy:
        return move_by_policy(args)
    if not args.who.isdigit():
        raise Failure(f"{args.who}: from user space, a process's pages can be moved alone")
    nodes = policy_nodes(args.policy)
    try:
        outcomes = move_by_hand(int(args.who), nodes)
    except OSError as error:
        raise Failure(f"process {args.who}: {error.strerror}") from None
    if args.json:
        print_json(outcomes)
        return 0
    print(", ".join(f"{human_pages(count)} {word}" for word, count in sorted(outcomes.items())) or "no page")
    return 0
