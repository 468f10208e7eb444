#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Parts of the virtual machine's harness, tried on tables: no guest runs.  Prints KTAP."""
import io
import os
import sys
import tempfile
import types

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, f"{TOP}/scripts")
from vmlib import Failure, Usage, build, debugkernel, faults, machine, splats  # noqa: E402

M, G = 1 << 20, 1 << 30

# A log's line, and whether it tells of a fault.
LINES = (
    ("[    2.1] BUG: unable to handle page fault for address: ffffffffc0a01000", True),
    ("[    2.1] BUG: kernel NULL pointer dereference, address: 0000000000000008", True),
    ("[    2.1] BUG: sleeping function called from invalid context at mm/page_alloc.c:1", True),
    ("[    2.1] BUG: scheduling while atomic: sh/71/0x00000002", True),
    ("[    2.1] BUG: KASAN: slab-use-after-free in f+0x1/0x2 [memsuite]", True),
    ("[    2.1] BUG: Bad page state in process sh  pfn:12345", True),
    ("[    2.1] kernel BUG at mm/page_alloc.c:123!", True),
    ("[    2.1] WARNING: CPU: 0 PID: 71 at mm/page_alloc.c:1 f+0x1/0x2", True),
    ("[    2.1] WARNING: mm/page_alloc.c:1 at f+0x1/0x2, CPU#0: sh/71", True),
    ("[    2.1] WARNING: possible circular locking dependency detected", True),
    ("[    2.1] WARNING: possible recursive locking detected", True),
    ("[    2.1] WARNING: inconsistent lock state", True),
    ("[    2.1] WARNING: suspicious RCU usage", True),
    ("[    2.1] WARNING: lock held when returning to user space!", True),
    ("[    2.1] Oops: 0000 [#1] PREEMPT SMP PTI", True),
    ("[    2.1] Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP", True),
    ("[    2.1] general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP", True),
    ("[    2.1] int3: 0000 [#1] PREEMPT SMP", True),
    ("[    2.1] Call Trace:", True),
    ("[    2.1] INFO: task sh:71 blocked for more than 120 seconds.", True),
    ("[    2.1] INFO: trying to register non-static key.", True),
    ("[    2.1] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", True),
    ("[    2.1] rcu: INFO: rcu_sched self-detected stall on CPU", True),
    ("[    2.1] watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [sh:71]", True),
    ("[    2.1] list_add corruption. next->prev should be prev (1), but was 2. (next=3).", True),
    ("[    2.1] refcount_t: underflow; use-after-free.", True),
    ("[    2.1] ODEBUG: free active (active state 0) object type: timer_list hint: f+0x0/0x1", True),
    ("[    2.1] UBSAN: shift-out-of-bounds in mm/a.c:1:2", True),
    ("[    2.1] kmemleak: objects leaked:", True),
    ("[    2.1] Kernel panic - not syncing: sysrq triggered crash", True),
    ("[    0.0] Linux version 6.12.117+deb12-amd64 (gcc-12 (Debian 12.2.0-14) 12.2.0) #1 SMP", False),
    ("[    0.0] Command line: panic=-1 oops=panic panic_on_warn=1 softlockup_panic=1 hung_task_panic=1", False),
    ("[    0.1] x86/fpu: Supporting XSAVE feature 0x001: 'x87 floating point registers'", False),
    ("[    0.1] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on, data leaks possible", False),
    ("[    0.1] kmemleak: Kernel memory leak detector initialized (mem pool available: 13000)", False),
    ("[    0.1] NMI watchdog: Perf NMI watchdog permanently disabled", False),
    ("[    0.1] debug: Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar", False),
    ("[    2.1] vmtest: loading out-of-tree module taints kernel.", False),
    ("[    2.1] Memory failure: 0x12345: recovery action for free buddy page: Recovered", False),
    ("[    2.1] sh (71) used greatest stack depth: 12345 bytes left", False),
)

# Logs of machines that ran out of memory, and whether they tell of a fault besides.
KILLED = "[ 2.1] sh invoked oom-killer: gfp_mask=0xcc0\n[ 2.1] Call Trace:\n[ 2.1]  out_of_memory+0x1/0x2\n"
OOM_LOGS = (
    (f"{KILLED}[ 2.1] Mem-Info:\n", False),
    (f"{KILLED}[ 2.1] memory: usage 4096kB, limit 4096kB\n{KILLED}[ 2.2] Mem-Info:\n", False),
    ("[ 2.1] sh: page allocation failure: order:0\n[ 2.1] Call Trace:\n[ 2.1] Mem-Info:\n", False),
    (f"{KILLED}[ 2.1] WARNING: CPU: 0 PID: 71 at mm/a.c:1\n[ 2.1] Mem-Info:\n", True),
    (f"{KILLED}[ 2.1] Mem-Info:\n[ 2.2] Call Trace:\n", True),
    (KILLED, True),
)

# Sizes of the nodes, a guest physical address, and its node and offset there.
PLACES = (
    ([1 * G], 0, (0, 0)),
    ([1 * G], G - 1, (0, G - 1)),
    ([1 * G], G, None),
    ([3 * G + 511 * M], 3 * G + 510 * M, (0, 3 * G + 510 * M)),		# below QEMU's limit nothing moves
    ([4 * G], 3 * G - 1, (0, 3 * G - 1)),
    ([4 * G], 3 * G, None),
    ([4 * G], 4 * G, (0, 3 * G)),
    ([4 * G], 5 * G, None),
    ([512 * M, 512 * M], 512 * M, (1, 0)),
    ([2 * G, 3 * G], 4 * G, (1, 1 * G)),
)

NUMBERS = (("0", 0), ("4096", 4096), ("010", 10), ("0x1000", 4096), ("0X10K", 16384), ("3M", 3 * M), ("2G", 2 * G),
           ("", None), ("x", None), ("0x", None), ("-1", None), ("1.5G", None), ("1m", None), ("1GB", None))

BAD_FAULTS = ("", "1M", "1M:0", "1M:8:sa1", "1M:-1:sa1", "1M:0:sa2", "1M:0:purple", "2G:0:sa1", "1M:0:coupling",
              "1M:0:coupling@2G", "1M:0:coupling@", "1M:0:alias", "1M:0:alias@2G", "1M:0:intermittent=2", "1M:0:intermittent=1,20,10",
              "1M:0:intermittent=1,0,10", "1M:0:sa1@1M")
GOOD_FAULTS = ("0x100000:7:sa0", "1M:0:sa1", "1M:0:once", "1M:0:intermittent", "1M:0:intermittent=0",
               "1M:0:intermittent=1,5,20", "1M:0:coupling@1048577", "1M:0:disturb@2M", "1M:0:alias@2M", "1M:0:transient", "1M:0:fast-sa0", "1M:0:fast-sa1")

BAD_MACHINES = (dict(mem="1"), dict(mem="0"), dict(mem="lots"), dict(mem="64M"), dict(numa=["512M,cpu=0"]),
                dict(numa=["512M,cpus=0-2"]), dict(numa=["512M,read_ns=0"]), dict(numa=["512M,write_ns=fast"]), dict(numa=["512M,cpus=1-0"]), dict(numa=["x"]), dict(nvdimm="100M"),
                dict(nvdimm="0"))


def raises(kind, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        return bool(str(error))
    return False


def options(**changes):
    return types.SimpleNamespace(**{**dict(mem="1G", smp=2, numa=[], nvdimm=None, disk=None, fault=[], share=None, root="bare"),
                                    **changes})


def table():
    for line, bad in LINES:
        yield f"{'a splat' if bad else 'no splat'}: {line[:60]}", bool(splats.find(f"first\n{line}\nlast\n")) == bad
    for text, bad in OOM_LOGS:
        log = splats.without_oom_callers(text)
        yield f"{'a splat' if bad else 'no splat'} when memory ran out: {text[:40]!r}", bool(splats.find(log)) == bad
    with tempfile.NamedTemporaryFile("w") as empty:
        yield "an empty list is no clean log", raises(Failure, splats.find, "", empty.name)
    with tempfile.NamedTemporaryFile("w") as comments:
        comments.write("# nothing\n\n")
        comments.flush()
        yield "a list of comments is no clean log", raises(Failure, splats.find, "", comments.name)
    with tempfile.NamedTemporaryFile("w") as broken:
        broken.write("(\n")
        broken.flush()
        yield "a list that does not compile is no clean log", raises(Failure, splats.find, "", broken.name)
    yield "a list that is missing is no clean log", raises(Failure, splats.find, "", "/nonexistent")
    for nodes, address, place in PLACES:
        yield f"address {address:#x} in {[n // M for n in nodes]}M", machine.Ram(nodes).locate(address) == place
    for text, value in NUMBERS:
        good = raises(Usage, machine.number, text, "n") if value is None else machine.number(text, "n") == value
        yield f"number {text!r}", good
    for spec in BAD_FAULTS:
        yield f"refused: fault {spec!r}", raises(Usage, faults.Fault, spec, machine.Ram([G]))
    for spec in GOOD_FAULTS:
        yield f"taken: fault {spec!r}", bool(faults.Fault(spec, machine.Ram([G])))
    later = faults.Injector([faults.LATER], machine.Ram([G]), [], "/nonexistent")
    for spec in BAD_FAULTS:
        yield f"refused later: fault {spec!r}", bool(later.ask(["1M:0:sa1", spec]))
    for changes in BAD_MACHINES:
        yield f"refused: machine {changes}", raises(Usage, machine.Machine, options(**changes))
    asked = "CONFIG_A=y\nCONFIG_B=n\nCONFIG_C=12\n# CONFIG_D=y\n"
    yield "an option kept", not debugkernel.lost(asked, "CONFIG_A=y\nCONFIG_C=12\n")
    yield "an option lost", debugkernel.lost(asked, "CONFIG_C=12\n# CONFIG_A is not set\n") == ["CONFIG_A=y"]
    yield "an option not off", debugkernel.lost(asked, "CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=12\n") == ["CONFIG_B=n"]
    yield "an option of another value", debugkernel.lost(asked, "CONFIG_A=y\nCONFIG_C=1\n") == ["CONFIG_C=12"]
    yield from builds()


def builds():
    """When make is asked, with a kernel of a Makefile that says what the source does, and counts."""
    with tempfile.TemporaryDirectory() as scratch:
        top, headers = f"{scratch}/top", f"{scratch}/headers"
        os.mkdir(top)
        os.mkdir(headers)
        target = types.SimpleNamespace(base=scratch, root="", release="none", headers=headers)

        def write(path, text):
            with open(path, "w") as f:
                f.write(text)

        def made(*flags):
            """How often make ran, and what it said."""
            write(f"{headers}/count", "")
            told, sys.stderr = sys.stderr, io.StringIO()
            try:
                place = build._make(target, top, ["a.c"], flags)
            finally:
                said, sys.stderr = sys.stderr.getvalue(), told
            return os.path.getsize(f"{headers}/count"), said, os.path.exists(f"{place}/a.o")

        write(f"{headers}/Makefile", "modules:\n\t@cat $(M)/a.c; touch $(M)/a.o; printf 1 >>count\n")
        write(f"{top}/a.c", "")
        yield "what is new is built", made() == (1, "", True)
        yield "and not again", made() == (0, "", True)
        yield "but for a checker", made("C=2") == (1, "", True)
        yield "after which it is looked at once", [made()[0], made()[0]] == [1, 0]
        write(f"{top}/a.c", "warning: a\n")
        yield "a change is built", made() == (1, "warning: a\n", False)
        yield "what the compiler said it says again", made() == (1, "warning: a\n", False)


def main():
    print("KTAP version 1")
    failed = number = 0
    for number, (name, good) in enumerate(table(), 1):
        name = name.replace("#", "")
        print(f"{'ok' if good else 'not ok'} {number} {name}")
        failed += not good
    print(f"1..{number}")
    return bool(failed)


sys.exit(main())
