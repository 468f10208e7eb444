# SPDX-License-Identifier: GPL-2.0-only
"""Virtual storage: devices of the target vstore, through dmsetup."""

import contextlib
import errno
import os
import shlex
import struct
import subprocess
import sys
import time

from .. import Failure, sysfs
from ..output import done, human_pages, print_json, print_json_line, print_table

BLOCK_SECTORS = 8       # of 512 bytes: 4 KiB
# Counters of requests and blocks, which only grow; the rest of a status is as it is now.
COUNTERS = ("read_pram", "read_volatile", "read_disk", "write_pram", "write_disk", "write_full", "continued", "moved", "evicted",
            "errors", "lends", "claims")
SYSFS = "/sys"
MAGIC, VERSION = b"MMVSTOR1", 4
LIST = "/etc/memsuite/stores"
LOG_SAYS = "the kernel's log says why (dmesg)"


def run(*command):
    """What a command prints; its complaint is the user's."""
    try:
        told = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError:
        raise Failure(f"{command[0]} is not installed") from None
    if told.returncode:
        complaint = told.stderr.strip() or told.stdout.strip() or f"exit status {told.returncode}"
        raise Failure(f"{command[0]}: {complaint}")
    return told.stdout


def load_module(name):
    try:
        run("modprobe", name)
    except Failure as failure:
        why = sysfs.refusal()
        raise Failure(f"{failure}; {why}, see memsuite doctor" if why else str(failure)) from None


def parse_status(text):
    """{name: {field: number}} of what `dmsetup status --target vstore` prints."""
    stores = {}
    for line in text.splitlines():
        name, colon, rest = line.partition(": ")
        words = rest.split()
        if not colon or len(words) < 3 or words[2] != "vstore":
            continue
        numbers = words[3:]
        stores[name] = {"sectors": int(words[1]),
                        **{key: int(value) for key, value in zip(numbers[::2], numbers[1::2])}}
    return stores


def stores(name):
    """All stores, or the one of that name."""
    # Asked for one device, dmsetup does not print its name.
    found = parse_status(run("dmsetup", "status", "--target", "vstore"))
    if name and name not in found:
        raise Failure(f"{name} is no store")
    return {name: found[name]} if name else found


def size_of(disk):
    """In sectors; a failure if it is no disk."""
    return int(run("blockdev", "--getsz", disk)) // BLOCK_SECTORS * BLOCK_SECTORS


def table(sectors, disk, pram, features):
    words = ["0", str(sectors), "vstore", disk, pram]
    if features:
        words += [str(len(features)), *features]
    return " ".join(words)


def settings(args):
    words = []
    if args.policy:
        words += ["policy", args.policy]
    if args.threshold is not None:
        words += ["threshold", str(args.threshold)]
    if args.uuid:
        words += ["uuid", args.uuid]
    if args.cache_kib is not None and not args.cache:
        raise Failure("--cache-kib is for --cache")
    if args.cache:
        words += ["cache", args.cache]
    if args.cache_kib is not None:
        words += ["cache_kib", str(args.cache_kib)]
    limits = (("storage_min", args.storage_min), ("storage_max", args.storage_max))
    if not args.shared and any(value is not None for _, value in limits):
        raise Failure("--storage-min and --storage-max are for --shared")
    if args.shared:
        words.append("shared")
    for name, value in limits:
        if value is not None:
            words += [name, str(value)]
    return words


@contextlib.contextmanager
def pram_range(pram):
    """The addresses of an NVDIMM's device, as START-END; anything else is taken for those.

    Its driver loses the device, unless somebody uses it, and gets it back if what is done with the addresses fails.
    """
    if not pram.startswith("/dev/"):
        yield pram
        return
    place = os.path.realpath(f"{SYSFS}/class/block/{os.path.basename(os.path.realpath(pram))}/device")
    driver = os.path.realpath(f"{place}/driver")
    device = os.path.basename(place)
    try:
        start, size = (int(read(f"{place}/{name}"), 0) for name in ("resource", "size"))
        with claimed(pram):
            write(f"{driver}/unbind", device)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.EBUSY:
            raise Failure(f"{pram} is in use: it is mounted, or another device has it") from None
        raise Failure(f"{pram} is no NVDIMM's device that can be shared: {error}") from None
    try:
        yield f"{start:#x}-{start + size:#x}"
    except BaseException:
        with contextlib.suppress(OSError):
            write(f"{driver}/bind", device)
        raise


@contextlib.contextmanager
def claimed(device):
    """A block device that nobody can mount, or build another upon, meanwhile; and nobody has."""
    fd = os.open(device, os.O_RDONLY | os.O_EXCL)
    try:
        yield
    finally:
        os.close(fd)


def read(path):
    with open(path, encoding="ascii") as f:
        return f.read().strip()


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def store_sectors(pram):
    """Of the disk that the store in a PRAM is for, or None: map/header.h."""
    try:
        with open(pram, "rb") as f:
            magic, version, _, _, blocks = struct.unpack("=8sLLQQ", f.read(32))
    except (OSError, struct.error):
        return None
    return blocks * BLOCK_SECTORS if magic == MAGIC and version == VERSION else None


@contextlib.contextmanager
def hotplug_yielded():
    """Only one may look at memory that comes online: a shared store, which lends it, or memdiag, which tests it."""
    path = os.path.join(sysfs.SYSFS, "memdiag", "test_new_memory")
    if not os.path.exists(path) or read(path) == "0":
        yield
        return
    write(path, "0")
    try:
        yield
    except Failure:
        write(path, "1")
        raise
    print("memsuite: memdiag/test_new_memory is 0 now: a shared store brings memory online itself. "
          f"Once the last one is closed, write 1 to {path} again", file=sys.stderr)


def absence(pram):
    """Of a PRAM's device: what there is to say of it, or None if it is there."""
    if not pram.startswith("/") or os.path.exists(pram):
        return None
    if sysfs.debugfs_refused():
        # nd_btt, which nd_pmem needs, does not do without.
        return (f"{pram} is not there: where debugfs is off, the kernel's driver of NVDIMMs, nd_pmem, does not load; "
                f"{sysfs.debugfs_remedy()}")
    return f"{pram} is not there"


def activate(args, features, sectors):
    if os.path.exists(f"/dev/mapper/{args.name}"):
        raise Failure(f"there is a device {args.name} already")
    load_module("dm-vstore")
    with contextlib.ExitStack() as stack:
        pram = args.pram
        if args.shared:
            stack.enter_context(hotplug_yielded())
            pram = stack.enter_context(pram_range(pram))
        try:
            run("dmsetup", "create", args.name, "--table", table(sectors, args.disk, pram, features))
        except Failure as failure:
            raise Failure(f"{failure}\nmemsuite: {absence(args.pram) or LOG_SAYS}") from None
    return f"/dev/mapper/{args.name}"


def cmd_store_create(args):
    """A blank PRAM is formatted; the kernel refuses any other that is no store of this disk's size."""
    return done(args, activate(args, ["format", *settings(args)], size_of(args.disk)))


def cmd_store_open(args):
    return done(args, open_store(args))


def open_store(args):
    """A disk that has grown is opened at the size that its store is for."""
    sectors = size_of(args.disk)
    known = store_sectors(args.pram)
    if known and known < sectors:
        print(f"memsuite: {args.disk} has grown: {known} of its {sectors} sectors are used. "
              "For all of them, close the store, and create it again", file=sys.stderr)
        sectors = known
    return activate(args, [*settings(args), *(["trust", args.trust] if args.trust else [])], sectors)


def cmd_store_close(args):
    """Others that write meanwhile keep it from being removed."""
    stores(args.name)
    run("dmsetup", "message", args.name, "0", "flush")
    run("dmsetup", "remove", args.name)
    return done(args, f"{args.name}: its disk has everything")


def cmd_store_start(args):
    """For boot: each store of the list that is not open yet; one that fails does not keep others from it."""
    try:
        # A path may be any bytes.
        with open(LIST, encoding="utf-8", errors="surrogateescape") as f:
            lines = [line.split("#", 1)[0].strip() for line in f]
    except FileNotFoundError:
        lines = []
    lines = [line for line in lines if line]
    failed = {}
    for line in lines:
        name = line.split()[0]
        try:
            if not os.path.exists(f"/dev/mapper/{name}"):
                path = open_store(args.parse(["store", "open", *shlex.split(line)]))
                if not args.json:
                    print(path)
        except (Failure, OSError, SystemExit, ValueError) as failure:
            failed[name] = str(failure)
            print(f"memsuite: {LIST}: {name}: {failure}", file=sys.stderr)
    if args.json:
        print_json({"stores": len(lines), "failed": failed})
    if failed:
        print(f"memsuite: {len(failed)} of {len(lines)} stores did not open", file=sys.stderr)
    return 1 if failed else 0


def share(part, *rest):
    total = part + sum(rest)
    return f"{100 * part / total:.1f}%" if total else "-"


def cmd_store_status(args):
    found = stores(args.name)
    if args.json:
        print_json(found)
        return 0
    head = ("NAME", "PRAM", "LENT", "FREE", "DIRTY", "CLEAN", "VOLATILE", "READS", "IN PRAM", "WRITES", "TO PRAM",
            "CONTINUED", "MOVED", "ERRORS")
    print_table(head, [
        (name, *(human_pages(s[key]) for key in ("pages", "lent", "free", "dirty", "clean", "volatile")),
         s["read_pram"] + s["read_volatile"] + s["read_disk"],
         share(s["read_pram"], s["read_volatile"] + s["read_disk"]),
         s["write_pram"] + s["write_disk"], share(s["write_pram"], s["write_disk"]),
         s["continued"], human_pages(s["moved"]), s["errors"])
        for name, s in found.items()], right=head[1:])
    return 0


def cmd_store_watch(args):
    """Every interval, what happened in it; until it is interrupted, or --count times."""
    before, left = stores(args.name), args.count
    if not args.json:
        print("NAME         LENT   FREE  DIRTY  CLEAN  " + "  ".join(COUNTERS))
    while left is None or left > 0:
        time.sleep(args.interval)
        now = stores(args.name)
        if args.json:
            print_json_line({name: {**s, **{key: s[key] - before.get(name, s)[key] for key in COUNTERS}}
                             for name, s in now.items()})
        for name, s in now.items() if not args.json else ():
            old = before.get(name, s)
            print(f"{name:10} {s['lent']:>6} {s['free']:>6}  {s['dirty']:>5}  {s['clean']:>5}  "
                  + "  ".join(f"{s[key] - old[key]:>{len(key)}}" for key in COUNTERS), flush=True)
        before = now
        left = left and left - 1
    return 0
