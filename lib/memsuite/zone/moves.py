# SPDX-License-Identifier: GPL-2.0-only
"""Moving the pages that a process has."""

import ctypes
import errno
import os
import re

from .. import Failure
from ..output import done, human_pages, print_json
from ..sysfs import need, write
from .segments import SEGMENTS, Segments, frames


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
        name = regions.split("+")[0]
        match = re.fullmatch(r"node(\d+)", name)
        if not equals or segment not in (*SEGMENTS, "*"):
            raise Failure(f"not SEGMENT=REGION: {item!r}")
        if not match:
            raise Failure(f"{name}: from user space, pages can be moved to whole nodes only (node0, node1, ...)")
        nodes[segment] = int(match.group(1))
    if "*" in nodes:
        others = nodes.pop("*")
        nodes = {segment: nodes.get(segment, others) for segment in SEGMENTS}
    return nodes


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
    for start, end, is_file, name, address, _ in frames(pid):
        node = nodes.get(segments.of(start, end, is_file, name, address))
        if node is not None and not is_file:
            addresses.setdefault(node, []).append(address)
    for node, of_node in addresses.items():
        for word, count in move_pages(pid, of_node, node).items():
            outcomes[word] = outcomes.get(word, 0) + count
    return outcomes


def cmd_zone_move(args):
    if not args.policy:
        need("vipzone")
        write("vipzone/move", str(args.pid), {
            errno.ENOENT: f"{args.pid} is under no policy; without vipzone: --policy",
            errno.ESRCH: f"there is no process {args.pid}"})
        return done(args, f"the pages of {args.pid} were moved")
    nodes = policy_nodes(args.policy)
    try:
        outcomes = move_by_hand(args.pid, nodes)
    except OSError as error:
        raise Failure(f"process {args.pid}: {error.strerror}") from None
    if args.json:
        print_json(outcomes)
        return 0
    print(", ".join(f"{human_pages(count)} {word}" for word, count in sorted(outcomes.items())) or "no page")
    return 0
