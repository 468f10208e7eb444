# SPDX-License-Identifier: GPL-2.0-only
"""scripts/vm: its arguments, and the order in which a run is made."""
import argparse
import fcntl
import itertools
import os
import re
import secrets
import signal
import sys
import tempfile

from . import DEFAULT, Failure, NAMES, SERIES, TOP, Usage, build, faults, initramfs, machine, qemu, splats

SPLAT, TIMEOUT, BROKEN = 70, 124, 125

DESCRIPTION = """\
Boots a kernel in QEMU by plain emulation, runs COMMAND as root in it, prints what COMMAND prints, and exits
with its exit status.  The kernel, its headers and its modules come from Debian's archive; the suite is built
against them and lies in the guest for modprobe, and in /lib/memsuite/; the files of tests/guest/*/ lie in /tests/."""

EPILOGUE = """\
exit status:
  COMMAND's own (128+N when signal N ended it), or
  2    bad arguments
  70   the kernel's log has a splat (BUG, WARNING, KASAN, lockdep, kmemleak, ...), or it panicked
  124  COMMAND did not end within --timeout seconds
  125  the harness failed: no kernel, no build, no QEMU
  The kernel's log is kept as out/vm-KERNEL.log (MEMSUITE_OUT names another directory than out).

memory faults:
  --fault ADDR:BIT:KIND makes bit BIT (0 to 7) of the byte at guest physical address ADDR faulty, from just
  before COMMAND starts until it ends.  ADDR is decimal or 0x hexadecimal, K, M or G may follow.  The kernel is
  booted with nokaslr, so that it lies at the same place, from 16M on, each time.  KIND is
    sa0 | sa1                stuck at 0 or at 1
    intermittent             stuck at 1 for 10 ms in every 200 ms; intermittent=0 at 0,
                             intermittent=1,ON,PERIOD for ON ms in every PERIOD ms
    coupling@AGGRESSOR       flips whenever the byte at address AGGRESSOR is written
    disturb@AGGRESSOR        flips whenever the byte at address AGGRESSOR is read (coupling by reads)
    alias@OTHER              its page is the one at address OTHER: what is written to either is in both (BIT does not
                             matter)
    transient                flips at the fourth write, and then never: as by a particle
    once                     flips once, when it appears: a transient fault
  sa0, sa1 and intermittent are forced by a process on the host that looks every few microseconds: a test of a
  block sees them, a read right after a write may not.  fast-sa0 and fast-sa1 are forced at each access, by a
  QEMU plugin, as coupling, disturb and transient are; a plugin sees every access of the guest, and makes it slower.

  --fault later lets faults appear while COMMAND runs: the guest's own command `fault ADDR:BIT:KIND...` (in /tests/)
  makes all of these cells faulty from when it returns until COMMAND ends.  It fails, and says why, without making
  any of them so if there is a mistake in one.  The plugin is always there; with --fault later=quick it is not,
  and neither can be cells that change at an access.

memory nodes:
  --numa SIZE[,cpus=A-B]   one node; repeat for more.  The first node has all CPUs unless cpus= says otherwise,
                           a node without any is memory only.  The sizes' sum replaces --mem.
       [,read_ns=N][,write_ns=N]
                           latencies that the firmware (HMAT) tells of the node, seen from the first with CPUs
  --nvdimm SIZE[@FILE]     a byte-addressable persistent device (pmem0); its contents last only in FILE.
  --memory-type TYPE[,TECHNOLOGY]
                           what the DMI tables say of the memory at boot: numbers of SMBIOS (type 17), 26 is DDR4.
  --dimm SIZE              a DIMM that is plugged in, and offline: the last node's, behind 4 GiB.

disk:
  --disk SIZE[@FILE]       a disk with a write cache (after modprobe virtio_blk: vda); its contents last only in FILE.
       [,iops=N]           It does no more than N reads and writes a second.
       [,log=LOG]          LOG gets, before the guest knows that it is done, each write and flush, in the format of the
                           kernel's dm-log-writes: what the disk may hold if the power goes.

examples:
  scripts/vm -- uname -a
  scripts/vm --kernel debug -- sh -c 'modprobe memdiag && rmmod memdiag'
  scripts/vm --root host --mem 2G -- python3 -c 'print(sum(range(10**6)))'
  scripts/vm --numa 512M --numa 512M --share /tmp/results -- sh -c 'cat /sys/devices/system/node/* > /mnt/share/nodes'
  scripts/vm --fault 0x20000000:3:sa1 -- sh /tests/find-fault.sh
  scripts/vm --fault later -- sh -c 'sleep 10; fault 0x20000000:3:sa1 512M:7:coupling@0x20000100'
  scripts/vm --icount -- /tests/fault-loop
"""


def _parser():
    parser = argparse.ArgumentParser(prog="scripts/vm", description=DESCRIPTION, epilog=EPILOGUE, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage="scripts/vm [OPTION]... -- COMMAND [ARG]...")
    add = parser.add_argument
    add("--kernel", choices=NAMES, default=DEFAULT,
        help=f"series of the stock kernel, or a kernel of our own ({DEFAULT})")
    add("--mem", default="1G", metavar="SIZE", help="the guest's memory (1G)")
    add("--smp", type=int, metavar="N", help="its CPUs (2; 1 with --icount)")
    add("--numa", action="append", default=[], metavar="SPEC", help="a memory node: see below")
    add("--nvdimm", metavar="SIZE[@FILE]", help="an emulated NVDIMM: see below")
    add("--memory-type", metavar="TYPE[,TECHNOLOGY]", help="of the memory, for the DMI tables: see below")
    add("--dimm", metavar="SIZE", help="memory that is not online yet: see below")
    add("--disk", metavar="SIZE[@FILE]", help="a disk: see below")
    add("--root", choices=("bare", "host"), default="bare",
        help="bare: busybox; host: this machine's files, with writes that go with the guest (bare)")
    add("--share", metavar="DIR", help="directory that the guest may write, at /mnt/share")
    add("--fault", action="append", default=[], metavar="ADDR:BIT:KIND", help="a memory fault: see below")
    add("--icount", action="store_true", help="the guest's clock counts instructions: figures repeat")
    add("--timeout", type=float, default=300, metavar="S", help="seconds of wall time, boot included (300)")
    add("--append", action="append", default=[], metavar="ARGS", help="more of the kernel's command line")
    add("--allow-splat", action="store_true", help="exit with COMMAND's status in spite of a splat")
    add("--allow-oom", action="store_true", help="reports that memory ran out are no splats")
    add("--parallel", action="store_true",
        help="a host thread for each CPU: for races; QEMU 7.2 may then end a clean ftrace user with an int3 oops")
    add("--plugin", action="append", default=[], metavar="SO[,ARGS]", help="a QEMU TCG plugin, with its arguments")
    add("--no-modules", action="store_true", help="do not build the suite: for a test of the machine itself")
    add("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _parse(arguments):
    parser = _parser()
    if "--" in arguments:
        cut = arguments.index("--")
        options = parser.parse_args(arguments[:cut])
        if options.command:
            parser.error(f"{options.command[0]}: COMMAND comes after --")
        options.command = arguments[cut + 1:]
    else:
        options = parser.parse_args(arguments)
        if options.command:
            parser.error(f"{options.command[0]}: COMMAND comes after --")
    if not options.command:
        parser.error("no COMMAND")
    if any("\0" in argument for argument in options.command):
        parser.error("COMMAND holds a NUL")
    if options.smp is None:
        options.smp = 1 if options.icount else 2
    if not 1 <= options.smp <= 16:
        parser.error(f"--smp {options.smp}: not 1 to 16")
    if options.icount and options.smp > 1 and options.kernel in SERIES[:SERIES.index("6.12")] and qemu.version() < (8, 1):
        # It gives a CPU its turn only when the one before pauses, and these kernels wait for CPU 1 without.
        parser.error(f"--icount --smp {options.smp}: QEMU before 8.1 cannot start a second CPU of {options.kernel} so")
    if options.icount and options.parallel:
        parser.error("--icount and --parallel exclude each other")
    if options.timeout <= 0:
        parser.error(f"--timeout {options.timeout}: not above 0")
    if options.share and not os.path.isdir(options.share):
        parser.error(f"--share {options.share}: no such directory")
    return options


def _environment(options):
    env = {"HOME": "/root", "TERM": "dumb", "LC_ALL": "C.UTF-8", "USER": "root", "SHELL": "/bin/sh",
           "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/tests"}
    where = ["/", "/"]
    if options.root == "host":
        where = ["/host", os.getcwd()]
    return env, where


def _open_log(kernel):
    """A log that no other run is writing, held until this process ends: vm-KERNEL.log, or vm-KERNEL.2.log ..."""
    directory = os.environ.get("MEMSUITE_OUT") or f"{TOP}/out"
    os.makedirs(directory, exist_ok=True)
    for number in itertools.count(1):
        log = open(f"{directory}/vm-{kernel}{'' if number == 1 else f'.{number}'}.log", "ab")
        try:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log.close()
            continue
        log.truncate(0)
        return log


def _verdict(guest, options):
    """Exit status of a run, and what to say about it."""
    with open(guest.log.name, errors="replace") as f:
        log = re.sub(r"\r", "", f.read())
    found = splats.find(splats.without_oom_callers(log) if options.allow_oom else log)
    if guest.broken:
        return BROKEN, [f"the guest's own side failed: {guest.broken}"]
    if found and not (options.allow_splat and guest.status is not None):
        return SPLAT, found
    if guest.timed_out:
        return TIMEOUT, [f"no end within {options.timeout:g} s" + ("" if guest.booted else ": the guest did not boot")]
    if guest.status is None:
        if guest.end:
            return BROKEN, [f"QEMU ended with status {guest.end}: {guest.complaint}"]
        return SPLAT, ["the guest ended without a verdict"]
    return guest.status, []


def _emulator_failed(guest):
    """QEMU 7.2 now and then runs into a breakpoint that the kernel has just taken away, as it patches itself at boot."""
    if guest.booted:
        return False
    with open(guest.log.name, errors="replace") as f:
        return "Oops: int3" in f.read()


def _boot(options, spec, target, initrd, nonce, scratch):
    with spec.backing(scratch), faults.Injector(options.fault, spec.ram, spec.files, scratch) as injector:
        command = spec.command(target.image, initrd) + injector.arguments()
        guest = qemu.Guest(command, nonce, _open_log(options.kernel), options.timeout,
                           injector.start, injector.stop, injector.ask if injector.later else None)
        guest.run()
    return guest


def run(options):
    spec = machine.Machine(options)		# first, for it judges the arguments
    faults.parse(options.fault, spec.ram)
    splats.find("")
    qemu.binary()
    target = build.kernel(options.kernel)
    modules = []
    if not options.no_modules:
        suite = build.modules(target)
        modules = build.products(suite) + build.products(build.test_modules(target, suite))
    nonce = secrets.token_hex(16)
    env, where = _environment(options)
    drivers = "virtio_pci 9pnet_virtio 9p overlay nfit nd_pmem" if spec.drivers else ""
    if options.disk:
        drivers += " virtio_pci virtio_blk"
    settings = {"load": drivers,
                "host_root": "/host" if options.root == "host" else "", "share": "yes" if options.share else ""}
    with tempfile.TemporaryDirectory(prefix="memsuite-vm.") as scratch:
        initrd = f"{scratch}/initramfs"
        initramfs.write(initrd, target, modules, nonce, options.command, env, where, settings)
        guest = _boot(options, spec, target, initrd, nonce, scratch)
        if _emulator_failed(guest):
            print("vm: QEMU met a breakpoint of its own before anything of the suite was there: booted again",
                  file=sys.stderr)
            guest.log.close()
            guest = _boot(options, spec, target, initrd, nonce, scratch)
    status, why = _verdict(guest, options)
    if why:
        limit = 40
        for line in why[:limit]:
            print(f"vm: {line}", file=sys.stderr)
        if len(why) > limit:
            print(f"vm: and {len(why) - limit} lines more", file=sys.stderr)
        print(f"vm: the kernel's log is {guest.log.name}", file=sys.stderr)
    return status


def main(arguments):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))	# which cleans up
    try:
        return run(_parse(arguments))
    except Usage as error:
        print(f"scripts/vm: {error}", file=sys.stderr)
        return 2
    except Failure as error:
        print(f"scripts/vm: {error}", file=sys.stderr)
        return BROKEN
    except KeyboardInterrupt:
        return 130
    except Exception:		# a fault of ours must not look like the command's own status
        import traceback
        traceback.print_exc()
        return BROKEN
