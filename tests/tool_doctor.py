#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: memsuite doctor
"""memsuite doctor on machines that are made up: what may be wrong is told, with what to do, and nothing else."""

import json
import os
import shutil
import subprocess
import sys

import tool
from tool import BAD_PAGE, BAD_PAGES, SYSFS, TOP, Tree

from memsuite.diag.saved_pages import KEPT  # pylint: disable=wrong-import-order
from memsuite.doctor import kernel  # pylint: disable=wrong-import-order

VERSION = tool.SYSFS["version"]
ENABLED_FUNCTIONS = ("vma_alloc_folio_noprof (1) R   D   M\ttramp: 0xffffffffc0 (call_direct_funcs+0x0/0x20)\n"
                     "\tdirect-->{} [memsuite]\n")
SECURE_BOOT = kernel.SECURE_BOOT[1:]
# What the commands that are asked print, but when TOP/NAME says something else.
COMMAND = """#!/bin/sh
[ ! -e "$TOP/$(basename "$0")" ] || exec sh "$TOP/$(basename "$0")" "$@"
{}
"""
COMMANDS = {"modinfo": "echo 1234", "systemctl": "echo inactive", "dmsetup": "echo 'No devices found'"}
STORE = "vs: 0 65536 vstore pages 1000 free 10 nodes 3 dirty {} merged 1 clean 7 errors {} bad_pages {} bad_blocks 0"


class Machine(Tree):
    """One that is well."""

    def __init__(self, top):
        self.top, self.root = top, os.path.join(top, "root")
        super().__init__(top, {**SYSFS, "hooks/fault.alloc/symbol": "vma_alloc_folio_noprof",
                               "hooks/fault.alloc/state": "direct", "memdiag/retire_policy/alarms": "",
                               "memdiag/control/min_fidelity": "1", "memdiag/control/max_threads": "4",
                               "mrc/lost_children": "0", "vipzone/lost_tags": "0", "mrc/division/suspended": "0"},
                         {"memdiag/bad_pages": BAD_PAGES.strip()})
        self.fill(self.proc, {"sys/kernel/osrelease": "6.12.5-amd64", "sys/kernel/ftrace_enabled": "1",
                              "sys/vm/memory_failure_recovery": "1", "mounts": "none /sys/kernel/debug debugfs rw 0 0"})
        self.fill(self.root, {
            **{f"sys/module/{module}/{name}": text for module in ("memsuite", "memdiag", "vipzone", "mrc")
               for name, text in (("version", VERSION), ("srcversion", "1234"), ("initstate", "live"))},
            "sys/kernel/security/lockdown": "[none] integrity confidentiality",
            "sys/kernel/tracing/enabled_functions": ENABLED_FUNCTIONS.format("hook_direct"),
            "lib/modules/6.12.5-amd64/modules.dep": "updates/dkms/memsuite.ko:",
            "etc/modules-load.d/memdiag.conf": "memdiag", "run/systemd/system/x": "", "usr/sbin/memsuite": "",
            SECURE_BOOT: "\6\0\0\0\0"})
        os.truncate(os.path.join(self.root, SECURE_BOOT), 5)
        os.chmod(os.path.join(self.root, "usr/sbin/memsuite"), 0o755)
        subprocess.run([os.path.join(TOP, "scripts", "install-hooks"), self.root, "/usr/sbin/memsuite",
                        "/usr/share/memsuite", "/etc"], check=True)
        self.fill(os.path.join(top, "bin"), {name: COMMAND.format(text) for name, text in COMMANDS.items()})
        for name in COMMANDS:
            os.chmod(os.path.join(top, "bin", name), 0o755)

    def examined(self):
        """What is not well, and the status."""
        result = self.run("doctor", "--json", MEMSUITE_ROOT=self.root, TOP=self.top,
                          PATH=f"{self.top}/bin:{os.environ['PATH']}")
        assert not result.stderr or "damaged" in result.stderr, result.stderr
        found = json.loads(result.stdout)
        assert all(one["remedy"] for one in found if one["state"] in ("wrong", "unknown")), found
        return [one for one in found if one["state"] != "ok"], result.returncode

    def remove(self, name):
        path = os.path.join(self.top, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


OLD_PAGE = BAD_PAGE.strip()

# What is made of the machine: files that are written, or removed (None); the state, what is found and what to do, in
# part; the exit status.
TROUBLES = (
    ({"proc/sys/kernel/osrelease": "6.6.1-amd64"}, "wrong", "6.6.1-amd64 is of no series", "boot a kernel", 1),
    ({"proc/sys/kernel/osrelease": "6.120.1"}, "wrong", "6.120.1 is of no series", "boot a kernel", 1),
    ({"root/sys/kernel/realtime": "1"}, "wrong", "real-time", "another kernel", 1),
    ({"root/lib/modules/7.2.1-amd64/modules.dep": "kernel/x.ko:"}, "note", "without the modules: 7.2.1-amd64",
     "dkms", 0),
    ({"sysfs/mrc": None}, "note", "mrc is not loaded", "modprobe mrc", 0),
    ({"root/" + SECURE_BOOT: "\6\0\0\0\1", "sysfs": None, "modinfo": '[ "$2" != signer ] && echo 1'}, "wrong",
     "modules are not signed", "mokutil", 65),
    ({"root/sys/kernel/security/lockdown": "none [integrity] confidentiality"}, "note", "(integrity)", "debugfs", 0),
    ({"root/sys/kernel/security/lockdown": "none [integrity]", "sysfs": None}, "wrong", "signed modules only",
     "sign them: mokutil", 65),
    ({"root/sys/kernel/security/lockdown": "none [integrity]", "sysfs": None, "modinfo": '[ "$2" != signer ] && echo 1'},
     "wrong", "signed modules only", "have dkms sign them", 65),
    ({"root/sys/kernel/security/lockdown": "none [integrity]", "sysfs": None}, "wrong", "memsuite is not loaded",
     "have it signed", 65),
    ({"root/sys/module/module/parameters/sig_enforce": "Y", "sysfs": None}, "wrong", "memsuite is not loaded",
     "module.sig_enforce", 65),
    ({"sysfs": None, "modinfo": "exit 1"}, "wrong", "not installed for 6.12.5-amd64", "linux-headers-6.12.5-amd64", 65),
    ({"proc/mounts": "none /sys sysfs rw 0 0"}, "wrong", "debugfs is not mounted", "mount -t debugfs", 1),
    ({"proc/mounts": "none /sys sysfs rw 0 0", "proc/cmdline": "quiet debugfs=off"}, "note", "debugfs is off, by the kernel's",
     "boot without debugfs=", 0),
    ({"proc/mounts": "none /sys sysfs rw 0 0", "proc/cmdline": "debugfs=off debugfs=on"}, "wrong", "debugfs is not mounted",
     "mount -t debugfs", 1),
    ({"proc/sys/kernel/ftrace_enabled": "0"}, "wrong", "ftrace_enabled is 0", "sysctl", 1),
    ({"proc/sys/kernel/ftrace_enabled": None}, "wrong", "no ftrace", "CONFIG_DYNAMIC_FTRACE", 1),
    ({"sysfs/hooks/alloc.entry/state": "failed"}, "wrong", "alloc.entry could not be hooked", "dmesg", 1),
    ({"sysfs/hooks/alloc.entry/state": "unsupported"}, "note", "no function for alloc.entry", None, 0),
    ({"root/sys/kernel/livepatch/fix/enabled": "1",
      "root/sys/kernel/livepatch/fix/vmlinux/vma_alloc_folio_noprof,1/x": ""},
     "wrong", "live patch fix owns vma_alloc_folio_noprof", "turn the module off", 1),
    ({"root/sys/kernel/tracing/enabled_functions": ENABLED_FUNCTIONS.format("bpf_trampoline_7"),
      "sysfs/hooks/fault.alloc/state": "callback"}, "note", "BPF program", "off and on again", 0),
    ({"root/sys/kernel/tracing": None}, "unknown", "whether a BPF program", "mount -t tracefs", 8),
    ({"root/sys/module/mrc/version": "0.0.9"}, "wrong", f"mrc 0.0.9 is loaded, and this tool is {VERSION}", "rmmod", 1),
    ({"root/sys/module/mrc/srcversion": "5678"}, "note", "mrc was built from other sources", "modprobe", 0),
    ({"root/etc/udev/rules.d/90-memsuite.rules": None}, "wrong", "bad pages that are found are not kept",
     "make install", 1),
    ({"root/usr/sbin/memsuite": None}, "wrong", "calls /usr/sbin/memsuite, which is not there", "make install", 1),
    ({"systemctl": '[ "$2" = memsuite-stores.service ] && echo failed'}, "wrong", "memsuite-stores.service has failed",
     "journalctl -u memsuite-stores.service", 1),
    ({"root/etc/modules-load.d/memdiag.conf": "# memdiag"}, "note", "not be at the next boot", "modules-load.d", 0),
    ({"var/bad_pages.json": "{"}, "wrong", "damaged", "diag save", 1),
    ({"debugfs/memdiag/bad_pages": BAD_PAGES + OLD_PAGE}, "wrong", "1 bad page not saved: 0x1234568", "diag save", 1),
    ({"var/bad_pages.json": '{"version": 1, "pages": [{"address": "0x9000000", "key": "KEY"}]}'}, "wrong",
     "1 bad page of before are in use: 0x9000000", "diag restore", 5),
    ({"sysfs/memdiag/pending_page_count": "1", "debugfs/memdiag/bad_pages": BAD_PAGES + OLD_PAGE[:-1] + "0"}, "wrong",
     "1 bad page in use: 0x1234568", "diag export", 5),
    ({"sysfs/memdiag/retire_policy/alarms": "dimm DIMM_1 1795239730"}, "wrong",
     "as many pages of DIMM_1 are bad as are retired", "replace DIMM_1", 5),
    ({"sysfs/memdiag/retire_policy/alarms": "pages node0 1795239730"}, "wrong", "no more are retired",
     "replace node0", 5),
    ({"sysfs/memdiag/distrusted_cpus": "1,4-7"}, "wrong", "CPU 1,4-7 finds faults that no other one finds", "offline", 1),
    ({"sysfs/memdiag/effectiveness/reads_reach_memory": "no"}, "wrong", "read caches", "memdiag/method", 1),
    ({"sysfs/memdiag/inject/count": "2"}, "wrong", "faults are emulated", "inject --clear", 1),
    ({"sysfs/memdiag/enabled": "0"}, "note", "memdiag is off", "diag enable", 0),
    ({"sysfs/memdiag/control/bandwidth_pages_s": "1"}, "wrong", "tests do not keep up", "diag set --lifetime", 1),
    ({"proc/sys/vm/memory_failure_recovery": "0"}, "note", "kernel panic", "sysctl", 0),
    ({"sysfs/vipzone/lost_tags": "7"}, "note", "7 hints of programs were lost", "loaded again", 0),
    ({"sysfs/mrc/division/suspended": "3"}, "note", "3 times", "mrc plan", 0),
    ({"root/etc/memsuite/stores": "vs /dev/a /dev/b"}, "wrong", "the store vs of", "store start", 1),
    ({"root/sys/module/dm_vstore/initstate": "live", "dmsetup": f"echo '{STORE.format(760, 0, 0)}'"}, "wrong",
     "not on the disk yet, more than 75%", "store watch vs", 1),
    ({"root/sys/module/dm_vstore/initstate": "live", "dmsetup": f"echo '{STORE.format(5, 0, 0)}'"}, "note",
     "20 KiB are in PRAM alone", "store close vs", 0),
    ({"root/sys/module/dm_vstore/initstate": "live", "dmsetup": f"echo '{STORE.format(0, 3, 0)}'"}, "wrong",
     "3 requests failed", "smartctl", 1),
    ({"root/sys/module/dm_vstore/initstate": "live", "dmsetup": f"echo '{STORE.format(0, 0, 2)}'"}, "wrong",
     "2 pages of its PRAM", "ndctl", 1),
    ({"root/sys/module/dm_vstore/initstate": "live", "dmsetup": "exit 1"}, "unknown", "how stores are", "root", 8),
)


def a_machine_that_is_well_is_told_so(top):
    machine = Machine(top)
    assert machine.examined() == ([], 0), machine.examined()
    result = machine.run("doctor", "--quiet", MEMSUITE_ROOT=machine.root, TOP=top,
                         PATH=f"{top}/bin:{os.environ['PATH']}")
    assert result.stdout.count("\n") == 1 and " ok" in result.stdout, result


def each_trouble_is_told(top):
    for number, (files, state, found, remedy, status) in enumerate(TROUBLES):
        machine = Machine(os.path.join(top, str(number)))
        key = json.dumps(own_key(machine))
        for name, text in files.items():
            if text is None:
                machine.remove(name)
            else:
                machine.fill(machine.top, {name: text.replace('"KEY"', key)})
                if name.endswith(SECURE_BOOT):
                    os.truncate(os.path.join(machine.top, name), 5)
        told, returned = machine.examined()
        assert any(one["state"] == state and found in one["found"] and (remedy or "") in (one["remedy"] or "")
                   for one in told), (files, told)
        assert returned == status, (files, returned, told)
        others = [one for one in told if found not in one["found"]]
        assert not others or "sysfs" in files or "memdiag/bad_pages" in "".join(files), (files, others)


def own_key(machine):
    """What a page of this machine has in the list."""
    other = Tree(os.path.join(machine.top, "other"), SYSFS, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    assert other.run("diag", "save").returncode == 0
    with open(other.state, encoding="utf-8") as file:
        return json.loads(file.readlines()[-1].split(" ", len(KEPT))[-1])


def status_is_not_well_if_pages_are_not_kept(top):
    for number, (files, why) in enumerate((
            ({"debugfs/memdiag/bad_pages": BAD_PAGES + OLD_PAGE}, "not saved"),
            ({"var/bad_pages.json": "{"}, "cannot be read"),
            ({"var/bad_pages.json": '{"version": 1, "pages": [{"address": "0x9000000", "key": "KEY"}]}'},
             "not retired since"),
            ({"debugfs/memdiag/bad_pages": "no table"}, "cannot be read"))):
        machine = Machine(os.path.join(top, str(number)))
        assert machine.run("status").returncode == 0
        key = json.dumps(own_key(machine))
        machine.fill(machine.top, {name: text.replace('"KEY"', key) for name, text in files.items()})
        result = machine.run("status")
        assert result.returncode == 1 and why in result.stdout, (files, result)


TESTS = (
    a_machine_that_is_well_is_told_so,
    each_trouble_is_told,
    status_is_not_well_if_pages_are_not_kept,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
