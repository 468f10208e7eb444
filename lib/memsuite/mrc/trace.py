# SPDX-License-Identifier: GPL-2.0-only
"""Records as traces that libCacheSim reads.

A request is a sampled page that was seen touched between two ladders: of each page at most one for each, whatever the
program did meanwhile. Ids are page numbers (4 KiB); sizes are bytes, and a huge page is one object.
"""

import struct

from .. import Failure
from ..output import print_json
from .record import read_record

HUGE, BASE = 2 << 20, 4 << 10
# libCacheSim's oracleGeneral: time in s, id, size, and when it comes next, counted in requests, or -1.
REQUEST = struct.Struct("<IQIq")


def requests(shots):
    """(us, id, size) of each, in order of time."""
    found, last = [], {}
    for shot in shots:
        for address, huge, seen in shot.get("pages", ()):
            if seen > last.get(address, 0):
                last[address] = seen
                found.append((seen, address // BASE, HUGE if huge else BASE))
    if not found:
        raise Failure("the record has no page that was touched: is it of one process?")
    return sorted(found)


def oracle_general(trace):
    following, packed = {}, []
    for number in range(len(trace) - 1, -1, -1):
        us, page, size = trace[number]
        packed.append(REQUEST.pack((us - trace[0][0]) // 1000000, page, size, following.get(page, -1)))
        following[page] = number
    return b"".join(reversed(packed))


def csv(trace):
    """For libCacheSim's type csv, with -t "time-col=1, obj-id-col=2, obj-size-col=3, has-header=true"."""
    lines = ["time,id,size"] + [f"{(us - trace[0][0]) // 1000000},{page},{size}" for us, page, size in trace]
    return ("\n".join(lines) + "\n").encode()


FORMATS = {"oracleGeneral": oracle_general, "csv": csv}


def cmd_mrc_export(args):
    trace = requests(read_record(args.record, args.target))
    try:
        with open(args.output, "wb") as file:
            file.write(FORMATS[args.format](trace))
    except OSError as error:
        raise Failure(f"{args.output}: {error.strerror}") from None
    pages = len({page for _us, page, _size in trace})
    if args.json:
        print_json({"requests": len(trace), "pages": pages, "file": args.output})
    else:
        print(f"{len(trace)} requests to {pages} pages in {args.output}")
    return 0
