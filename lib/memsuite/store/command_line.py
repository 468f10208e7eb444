# SPDX-License-Identifier: GPL-2.0-only
"""The command line of memsuite store."""

from ..arguments import number_argument, word_argument
from ..command_line import GOES_ON
from .devices import (
    cmd_store_close, cmd_store_create, cmd_store_open, cmd_store_start, cmd_store_status, cmd_store_watch)


def add_commands(top):
    store = top.group("store", "virtual storage, small requests in PRAM and large ones on disk: dm-vstore", examples=(
        ("memsuite store create vs /dev/sdb /dev/pmem0", "put PRAM before a disk, as /dev/mapper/vs"),
        ("memsuite store watch vs", "which requests go where"),
        ("memsuite store close vs", "move everything to the disk, which then works alone")))
    for name, function, text in (
            ("create", cmd_store_create, "make a store; a PRAM whose first 2 MiB are zero is formatted"),
            ("open", cmd_store_open, "activate a store that there is")):
        command = store.add(name, function, text)
        command.add_argument("name", metavar="NAME", type=word_argument, help="of the device in /dev/mapper")
        command.add_argument("disk", metavar="DISK", help="a block device: all of it")
        command.add_argument("pram", metavar="PRAM", help="a block device with DAX, such as /dev/pmem0: all of it")
        command.add_argument("--policy", choices=("random", "selective", "merging"))
        command.add_argument("--threshold", metavar="BYTES", type=number_argument(0, 1 << 30),
                             help="smaller requests are small (65536)")
        command.add_argument("--uuid", type=word_argument,
                             help="of the store, as it was formatted (dmsetup table tells); another is refused")
        command.add_argument("--cache", metavar="REGION", type=word_argument,
                             help="keep what small reads bring in volatile memory of this region, too")
        command.add_argument("--cache-kib", metavar="KIB", type=number_argument(0, 1 << 30),
                             help="of the region at most (an eighth)")
        command.add_argument("--shared", action="store_true",
                             help="lend to memory what the store does not use; PRAM is then addresses START-END, "
                                  "or a device such as /dev/pmem0, which is taken from its driver")
        command.add_argument("--storage-min", metavar="PCT", type=number_argument(0, 100),
                             help="of PRAM, which the store keeps whatever memory needs (5)")
        command.add_argument("--storage-max", metavar="PCT", type=number_argument(0, 100),
                             help="of PRAM, which the store may take at most (90)")
    command.add_argument("--trust", choices=("disk", "pram"),
                         help="if the disk was written without the store: which of the two counts; the other's blocks are lost")
    command = store.add("close", cmd_store_close, "move everything to the disk and remove the device: the disk works alone then")
    command.add_argument("name", metavar="NAME", type=word_argument)
    store.add("start", cmd_store_start, "open the stores of /etc/memsuite/stores: NAME DISK PRAM and options of open, a line each")
    command = store.add("status", cmd_store_status, "what is where, and what became of requests")
    command.add_argument("name", metavar="NAME", nargs="?", type=word_argument)
    command = store.add("watch", cmd_store_watch, "what happens, as it happens", exits=GOES_ON)
    command.add_argument("name", metavar="NAME", nargs="?", type=word_argument)
    command.add_argument("--interval", metavar="S", type=number_argument(0.1, 3600, float), default=1)
    command.add_argument("--count", metavar="N", type=number_argument(1, 1 << 30), help="how many times (no end)")
