#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: configuration of the memsuite tool
"""memsuite apply and dump on trees that are made up: what is set is what files say, and a dump says what is set."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import tool
from tool import DEBUGFS, REGION, SYSFS, TOP, Tree

from memsuite.config import schema  # pylint: disable=wrong-import-order

ABI = os.path.join(TOP, "Documentation", "ABI", "testing")
EXTRA_TESTS = "# name algorithm period_s passes age_s running\nthorough march-ss 3600 2 1804 0\nother - 5 0 - 0"


def described(directory, *modes):
    """Files below a directory that the ABI says to be of these modes."""
    found = set()
    for path in glob.glob(f"{ABI}/*"):
        with open(path, encoding="utf-8") as file:
            for block in file.read().split("\n\nWhat:"):
                mode = re.search(r"Description:\s+\((\w\w)", block)
                if mode and mode[1] in modes:
                    found.update(re.findall(rf"/sys/kernel/memsuite/{re.escape(directory)}/(\S+)", block))
    return found


def all_settings_are_known(_top):
    """Whatever can be written and read is of a configuration, but for what is said to be none."""
    for module, keys in schema.SETTINGS.items():
        files = {name for name in described(module, "RW")
                 if f"{module}/{name}" not in (*schema.LEFT_OUT, "mrc/add", "mrc/division/set")}
        assert files == set(keys), (module, files ^ set(keys))
    region = described("regions/<region>", "RW")
    assert region <= set(schema.THINGS["region"][2]), region


def values():
    """Of all settings, as they are after a boot, in part."""
    made_up = {f"{module}/{key}": "0" for module, keys in schema.SETTINGS.items() for key in keys}
    return {**made_up, **{name: text for name, text in SYSFS.items() if name in made_up}, "memdiag/method": "auto"}


def a_tree(top, **sysfs):
    return Tree(top, {**SYSFS, **values(), **tool.policy_files(0, "machine", "region:node0", heat="1", programs="0"),
                      **tool.policy_files(4, "cgroup:/ab\udcff", "segment:heap=node0,*=node0"),
                      **tool.policy_files(5, "77", "region:node0"),
                      **tool.policy_files(6, "cgroup:/shared", "region:node0=3+mine=1", move="1"),
                      "bank_maps/dram/map": "xor=0x4000", "bank_maps/add": "", "memdiag/tests/count": "2",
                      "memdiag/tests/add": "", "memdiag/tests/remove": "",
                      **{f"regions/mine/{key}": text for key, text in {
                          **REGION, "source": "admin", "technology": "pram", "map": "dram", "banks": "0-3"}.items()},
                      **sysfs}, {**DEBUGFS, "memdiag/tests": EXTRA_TESTS})


def configure(tree, **files):
    tree.fill(tree.configuration, {f"{name}.conf": text for name, text in files.items()})


def files_of(tree):
    found = {}
    for directory, _, names in os.walk(tree.sysfs):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                found[path] = file.read(), os.stat(path).st_mtime_ns
    return found


def dumped(tree, path):
    with open(path, "wb") as file, tree.start("dump", stdout=file) as process:
        assert process.wait() == 0, process.stderr.read()
    with open(path, "rb") as file:
        return file.read()


def what_is_dumped_changes_nothing(top):
    tree = a_tree(top)
    dump = dumped(tree, os.path.join(top, "dump"))
    assert b"[policy cgroup:/ab\xff]" in dump and b"# [policy 77]" in dump, dump
    assert b"[region mine]\nrange = 0x0-0x40000000" in dump, dump
    assert b"[test thorough]" in dump and b"other" not in dump and b"# [target 77]" in dump
    assert b"[policy cgroup:/shared]\npolicy = region:node0=3+mine=1\nmove = yes\n" in dump, dump
    before = files_of(tree)
    result = tree.run("apply", "--check", os.path.join(top, "dump"))
    assert result.returncode == 0, result
    result = tree.run("apply", os.path.join(top, "dump"))
    assert result.returncode == 0 and result.stdout == "0 settings changed\n", result
    assert files_of(tree) == before
    assert dumped(tree, os.path.join(top, "again")) == dump


def what_files_say_is_set(top):
    tree = a_tree(top)
    configure(tree, a="[memdiag]\nalgorithm = mats\nenabled = no\ntest_lifetime_s = 60\n", b="""
# The last one counts.
[memdiag]
test_lifetime_s = 0x78
[policy machine]
policy = region:node0
heat = yes
wear = on
[target machine]
weight = 2
min_kib = 4096
[target above:1024M]
[region new]
range = 1G-2G
technology = pram
read_latency_ns = 7
[region node0]
pool_kib = 4
[bank_map second]
map = xor=0x8000
[test weak]
algorithm = mats
period_s = 60
""")
    result = tree.run("apply")
    # The made-up region does not come to be.
    assert result.returncode == 1 and re.search(r"^memsuite: \S+/b.conf:\d+: \[region new\]: ", result.stderr), result
    assert result.stderr.count("\n") == 1, result.stderr
    for name, text in (("memdiag/algorithm", "mats"), ("memdiag/enabled", "0"), ("memdiag/test_lifetime_s", "120"),
                       ("vipzone/add", "machine region:node0 heat wear"), ("mrc/add", "above:1G"),
                       ("mrc/division/set", "machine 2 4096"),
                       ("regions/add", "new 1G-2G technology=pram read_latency_ns=7"), ("regions/node0/pool_kib", "4"),
                       ("bank_maps/add", "second xor=0x8000"), ("memdiag/tests/add", "weak mats period_s=60")):
        assert tree.written(name) == text + "\n", (name, tree.written(name))


def mistakes_are_told_by_line_and_remedy(top):
    for number, (text, line, why) in enumerate((
            ("[memdiag]\nalgorithms = mats", 2, "[memdiag] has no algorithms; is algorithm meant?"),
            ("[memdig]\nalgorithm = mats", 1, "no section [memdig]; is memdiag meant?"),
            ("[memdiag]\nenabled = maybe", 2, "enabled: not yes or no: 'maybe'"),
            ("[memdiag]\ntest_lifetime_s = 3m", 2, "test_lifetime_s: not a number: '3m'"),
            ("\n[memdiag]\nenabled", 3, "not KEY = VALUE: enabled"),
            ("enabled = 1", 1, "enabled is in no section"),
            ("[memdiag x y", 1, "not [SECTION] or [SECTION NAME]: [memdiag x y"),
            ("[policy machine]\nheat = yes", 1, "[policy machine] lacks policy"),
            ("[policy 12]\npolicy = region:a", 1, "[policy 12]: a process is none tomorrow: 12; give cgroup:/PATH"),
            ("[policy]\npolicy = region:a", 1, "[policy] needs a name"),
            ("[policy]\nmove = yes", 1, "[policy] needs a name"),
            ("[policy machine]\npolicy = region:a\nmove = yes", 3, "[policy machine]: move is for a cgroup"),
            ("[memdiag x]\nenabled = 1", 1, "[memdiag] has no name"),
            ("[target cgroup:a]", 1, "not a process number: 'cgroup:a'"),
            ("[region r]\nrange = 1-2", 2, "range: not a range of pages: '1-2'"),
            ("[mrc]\ncurve = 1", 2, "[mrc] has no curve; there are mode,"))):
        tree = a_tree(os.path.join(top, str(number)))
        configure(tree, x=text)
        before = files_of(tree)
        for arguments in ("apply", "--check"), ("apply",):
            result = tree.run(*arguments)
            assert result.returncode == 1, result
            assert f"x.conf:{line}: " in result.stderr and why in result.stderr, (text, result.stderr)
            assert files_of(tree) == before
        assert tree.json("apply", "--check", "--json")["failed"][0]["where"].endswith(f"x.conf:{line}")


def what_the_kernel_refuses_keeps_nothing_else(top):
    tree = a_tree(top)
    configure(tree, x="[memdiag]\ntest_lifetime_s = 60\nalgorithm = mats\n[region mine]\nrange = 1G-2G")
    os.unlink(os.path.join(tree.sysfs, "memdiag/algorithm"))
    result = tree.run("apply")
    assert result.returncode == 1 and "x.conf:3: this version of the modules has no memdiag/algorithm" in result.stderr
    assert "x.conf:4: [region mine]: it is at 0x0-0x40000000; memsuite zone undefine mine" in result.stderr, result
    assert tree.written("memdiag/test_lifetime_s") == "60\n"


def a_file_that_cannot_be_read_keeps_no_other(top):
    tree = a_tree(top)
    configure(tree, a="[memdiag]\nalgorithms = mats\nalgorithm = mats", b="[mrc]\nladder_ms = 700")
    os.symlink("/nowhere", os.path.join(tree.configuration, "c.conf"))
    os.mkdir(os.path.join(tree.configuration, "d.conf"))
    for arguments in ("apply", "--check"), ("apply",):
        result = tree.run(*arguments)
        assert result.returncode == 1 and result.stderr.count("\n") == 3, result
        for why in ("a.conf:2: [memdiag] has no algorithms", "c.conf: No such file or directory", "d.conf: Is a directory"):
            assert why in result.stderr, result
    assert tree.written("mrc/ladder_ms") == "700\n"


def mistakes_in_profiles_are_told(top):
    tree = a_tree(top)
    path = os.path.join(top, "profile")
    with open(path, "w", encoding="utf-8") as file:
        file.write("node0 read_latency_ns=50\nnew 1G-2Gi technology=pram\n")
    configure(tree, x=f"[profiles]\n{path} = yes\n[memdiag]\nenabled = no")
    for arguments in ("apply", "--check"), ("apply",):
        result = tree.run(*arguments)
        assert result.returncode == 1 and f"{path}:2: range: not a range of pages: '1G-2Gi'" in result.stderr, result
        assert result.stderr.count("\n") == 1, result
    assert tree.written("regions/node0/read_latency_ns") == "50\n" and tree.written("memdiag/enabled") == "0\n"
    configure(tree, x=f"[profiles]\n{path} = ja")
    assert "not yes or no: 'ja'" in tree.run("apply", "--check").stderr


def what_the_kernel_has_chosen_is_set(top):
    """As it is by chance: it is to stay."""
    tree = a_tree(top, **{"memdiag/test_lifetime_s": "180", "memdiag/lifetime/automatic": "1"})
    configure(tree, x="[memdiag]\ntest_lifetime_s = 180")
    assert "test_lifetime_s = 180" in tree.run("apply").stdout
    configure(tree, x="[memdiag]\ntest_lifetime_s = 180\nlifetime/automatic = yes")
    assert tree.run("apply").stdout == "0 settings changed\n"


def policies_are_as_the_command_takes_them(top):
    tree = a_tree(top)
    for option, word in ("", ""), ("move = no", ""), ("move = yes", " move"):
        configure(tree, x=f"[policy cgroup:/new]\npolicy = node0\n{option}")
        assert tree.run("apply").returncode == 0
        assert tree.written("vipzone/add") == f"cgroup:/new region:node0{word} later\n"


def masks_and_links_stay(top):
    """What an administrator has masked is neither written nor made writable by root alone."""
    directory, target = f"{top}/etc/systemd/system", f"{top}/target"
    os.makedirs(directory)
    os.symlink("/dev/null", f"{directory}/memsuite.service")
    Tree.fill(top, {"target": "mine"})
    os.chmod(target, 0o666)
    os.symlink(target, f"{directory}/memsuite-stores.service")
    before = os.stat("/dev/null").st_mode
    result = subprocess.run([f"{TOP}/scripts/install-hooks", top, "/bin/true", "/usr/share/memsuite", "/etc"],
                            check=True, capture_output=True, text=True)
    assert os.readlink(f"{directory}/memsuite.service") == "/dev/null" and "memsuite.service is masked" in result.stderr
    assert os.stat("/dev/null").st_mode == before and os.stat(target).st_mode & 0o777 == 0o666
    with open(target, encoding="utf-8") as file:
        assert file.read() == "mine\n"
    assert not os.path.islink(f"{directory}/memsuite-stores.service")


def profiles_are_applied(top):
    tree = a_tree(top)
    path = os.path.join(top, "profile")
    with open(path, "w", encoding="utf-8") as file:
        file.write("node0 read_latency_ns=50 idle_power_mw_per_gib=1000\n")
    configure(tree, x=f"[profiles]\n{path} = yes\n/nowhere = no")
    assert tree.run("apply").returncode == 0
    assert tree.written("regions/node0/read_latency_ns") == "50\n"
    assert tree.written("regions/node0/idle_power_mw") == "1000\n"
    assert tree.json("apply", "--json") == {"changed": [], "failed": []}


def nothing_configured_is_nothing_set(top):
    result = Tree(top).run("apply")
    assert result.returncode == 0 and result.stdout == "0 settings changed\n", result


def modules_are_loaded_as_they_are_needed(top):
    tree = Tree(top)
    configure(tree, x="[mrc]\nenabled = 1\n[memdiag]\nenabled = 1\n[test some]\nalgorithm = mats\nperiod_s = 60")
    Tree.fill(top, {"root/sys/kernel/security/lockdown": "none [integrity] confidentiality"})
    tree.fill(os.path.join(top, "bin"), {
        "modprobe": f"#!/bin/sh\necho $1 >>{top}/asked; echo no such module >&2; exit 1"})
    os.chmod(os.path.join(top, "bin", "modprobe"), 0o755)
    result = tree.run("apply", PATH=f"{top}/bin:{os.environ['PATH']}", MEMSUITE_ROOT=f"{top}/root")
    assert result.returncode == 1 and "x.conf:3: memdiag is loaded: modprobe: no such module" in result.stderr, result
    assert result.stderr.count("locked down (integrity): it loads signed modules only") == 2, result
    with open(f"{top}/asked", encoding="utf-8") as file:
        assert file.read().split() == ["memdiag", "mrc"]


def units_are_right(_top):
    """As systemd reads them, where it is installed; bad pages come first."""
    with tempfile.TemporaryDirectory() as root:
        install = [os.path.join(TOP, "scripts", "install-hooks"), root, "/bin/true", "/usr/share/memsuite", "/etc"]
        subprocess.run(install, check=True)
        units = sorted(glob.glob(f"{root}/etc/systemd/system/*.service"))
        begun = glob.glob(f"{root}/etc/systemd/system/*.wants/*")
        # udev asks for the others, and the administrator, or a socket of his, for the exporter.
        assert sorted(os.path.basename(path) for path in units if not re.search("@|exporter", path)) == sorted(
            map(os.path.basename, begun))
        assert len(begun) == 4, begun
        texts = {}
        for path in units:
            with open(path, encoding="utf-8") as file:
                texts[os.path.basename(path)] = file.read()
        assert "Before=sysinit.target" in texts["memsuite-bad-pages.service"]
        assert re.search(r"^After=.*memsuite-bad-pages\.service", texts["memsuite.service"], re.M)
        assert re.search(r"^RequiresMountsFor=.*/var/lib/memsuite", texts["memsuite-bad-pages-late.service"], re.M)
        # A policy is there before the first service is; and nobody waits for devices who has no store.
        assert re.search(r"^Before=.*basic\.target", texts["memsuite.service"], re.M)
        assert not re.search(r"^(Wants|Requires)=.*settle", texts["memsuite-stores.service"], re.M)
        if shutil.which("systemd-analyze"):
            sockets = glob.glob(f"{root}/etc/systemd/system/*.socket")
            told = subprocess.run(["systemd-analyze", "verify", *begun, *sockets],
                                  capture_output=True, text=True, check=False)
            assert not re.search(r"memsuite\S*\.(service|socket):\d+|ordering cycle", told.stderr), told.stderr
        subprocess.run([install[0], "--remove", *install[1:]], check=True)
        left = subprocess.run(["find", root, "!", "-type", "d"], capture_output=True, text=True, check=True).stdout
        assert not left, left


# A network that comes when the basics are there, as NetworkManager, and what systemd makes of a line of fstab.
NETWORK = ("[Unit]\nBefore=network.target network-online.target\n[Service]\nType=oneshot\nExecStart=/bin/true\n"
           "[Install]\nWantedBy=network-online.target\n")
# basic.target itself asks for /var: it cannot come by such a network, but what is below it can.
MOUNTS = {
    "local": {"var.mount": "[Unit]\nBefore=local-fs.target\n[Mount]\nWhat=/dev/null\nWhere=/var\nType=ext4\n"},
    "of its own": {"var-lib.mount":
                   "[Unit]\nBefore=local-fs.target\n[Mount]\nWhat=/dev/null\nWhere=/var/lib\nType=xfs\n"},
    "network": {"var-lib-memsuite.mount": "[Unit]\nBefore=remote-fs.target\n[Mount]\nWhat=server:/memsuite\n"
                "Where=/var/lib/memsuite\nType=nfs\n",
                "manager.service": NETWORK},
    "network, by an option": {"var-lib-memsuite.mount": "[Unit]\nBefore=remote-fs.target\n[Mount]\n"
                              "What=/dev/null\nWhere=/var/lib/memsuite\nType=ext4\nOptions=_netdev\n",
                              "manager.service": NETWORK},
}


def cycles(root, mounts):
    """What systemd says of the order in which units start with these mounts."""
    directory = f"{root}/etc/systemd/system"
    Tree.fill(directory, mounts)
    if "manager.service" in mounts:
        os.makedirs(f"{directory}/network-online.target.wants", exist_ok=True)
        os.symlink("../manager.service", f"{directory}/network-online.target.wants/manager.service")
    told = subprocess.run(["systemd-analyze", "verify", "--man=no", "multi-user.target"],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "SYSTEMD_UNIT_PATH": f"{directory}:"})
    return [line for line in told.stderr.splitlines() if re.search("cycle|memsuite", line)]


def wherever_var_is_no_cycle_is_made(top):
    """systemd ends a cycle by not starting one of it: it may be what the machine cannot boot without."""
    for number, (name, mounts) in enumerate(MOUNTS.items()):
        root = f"{top}/{number}"
        subprocess.run([f"{TOP}/scripts/install-hooks", root, "/bin/true", "/usr/share/memsuite", "/etc"], check=True)
        found = cycles(root, mounts)
        assert not found, (name, found)
    # What is looked for is seen.
    unit = ("[Unit]\nDefaultDependencies=no\nRequiresMountsFor=/var/lib/memsuite\nBefore=sysinit.target\n"
            "[Service]\nExecStart=/bin/true\n")
    directory = f"{top}/made"
    Tree.fill(f"{directory}/etc/systemd/system", {"early.service": unit})
    os.makedirs(f"{directory}/etc/systemd/system/sysinit.target.wants")
    os.symlink("../early.service", f"{directory}/etc/systemd/system/sysinit.target.wants/early.service")
    assert any("cycle" in line for line in cycles(directory, MOUNTS["network"]))


TESTS = (
    all_settings_are_known,
    what_is_dumped_changes_nothing,
    what_files_say_is_set,
    mistakes_are_told_by_line_and_remedy,
    what_the_kernel_refuses_keeps_nothing_else,
    a_file_that_cannot_be_read_keeps_no_other,
    mistakes_in_profiles_are_told,
    what_the_kernel_has_chosen_is_set,
    policies_are_as_the_command_takes_them,
    masks_and_links_stay,
    profiles_are_applied,
    nothing_configured_is_nothing_set,
    modules_are_loaded_as_they_are_needed,
    units_are_right,
    wherever_var_is_no_cycle_is_made,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
