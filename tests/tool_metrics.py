#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: metrics of the memsuite tool
"""All numbers of sysfs that the ABI documents have are exported, each with a name, type, unit and help of its own."""

import glob
import os
import re
import shutil
import subprocess
import sys

import tool
from tool import SYSFS, TOP, Tree

from memsuite import abi, metrics  # pylint: disable=wrong-import-order

# A thing of each kind.
THINGS = {"hooks": "fault.alloc", "regions": "node0", "bank_maps": "dram", "vipzone/policies": "0",
          "vipzone/ledger": "node0"}
# Root does not read what can only be written; text is no number.
WRITTEN = ("memdiag/retire", "memdiag/unretire", "memdiag/range/run_test", "memdiag/range/cancel", "memdiag/inject/clear",
           "memdiag/effectiveness/self_test", "vipzone/move", "mrc/accesses_per_s")
TOOLS = "~/.cache/memsuite/tools"
# Ends that promtool takes for units that are none of Prometheus, or for parts of a histogram.
WRONG_ENDS = re.compile(r"_(s|ms|us|ns|kib|mib|pct|percent|permille|count|sum|bucket|uj|nj|mw)(_total)?$")


def path_of(pattern):
    directory, star, rest = pattern.partition("/*")
    return f"{directory}/{THINGS[directory]}{rest}" if star else pattern


def a_tree(top):
    """Each file that is described says 7, but for those of which more is known."""
    files = {path_of(pattern): "7" for pattern in abi.descriptions() if not pattern.endswith("/")}
    tree = Tree(top, {**files, **SYSFS, **tool.policy_files(0, "machine", "region:node0")})
    for name in WRITTEN:
        os.chmod(os.path.join(tree.sysfs, name), 0o200)
    return tree


def exported(tree):
    """{name: (type, help, samples)}"""
    result = tree.run("export")
    assert result.returncode == 0 and not result.stderr, result
    found = {}
    for line in result.stdout.splitlines():
        if line.startswith("# HELP"):
            _, _, name, text = line.split(" ", 3)
            assert name not in found, name
            found[name] = ["", text, []]
        elif line.startswith("# TYPE"):
            found[line.split()[2]][0] = line.split()[3]
        else:
            found[re.match(r"\w+", line)[0]][2].append(line)
    return found


def all_numbers_are_exported(top):
    tree, names, count = a_tree(top), {}, 0
    found = exported(tree)
    for pattern, text in abi.descriptions().items():
        base = pattern.rpartition("/")[2]
        if not base or base in metrics.COMMANDS or pattern in WRITTEN:
            continue
        name, kind, told, _ = metrics.described(pattern)
        assert names.setdefault(name, pattern) == pattern, (name, pattern, names[name])
        assert told.startswith(text) and len(text) > 3, pattern
        if re.fullmatch(r"-?[0-9]+|0x[0-9a-f]+", tree.written(path_of(pattern)).strip()):
            assert found[name][:2] == [kind, told.replace("\\", "\\\\")], (pattern, found[name])
            count += 1
    assert count > 300, count
    assert found["memsuite_memdiag_test_lifetime_seconds"][2] == ["memsuite_memdiag_test_lifetime_seconds 180"]
    assert found["memsuite_region_pool_bytes"][2] == ['memsuite_region_pool_bytes{region="node0"} 67108864']
    assert found["memsuite_memdiag_coverage_free_tested_ratio"][2] == [
        "memsuite_memdiag_coverage_free_tested_ratio 0.93"]
    assert found["memsuite_vipzone_audit_cpu_seconds_total"][2] == ["memsuite_vipzone_audit_cpu_seconds_total 7e-09"]
    assert found["memsuite_vipzone_policy_info"][2] == [
        'memsuite_vipzone_policy_info{policy="region:node0",who="machine"} 1']


def units_and_types_are_prometheus_own(top):
    found = exported(a_tree(top))
    for name, (kind, text, samples) in found.items():
        assert (kind == "counter") == name.endswith("_total"), name
        assert not WRONG_ENDS.search(name), name
        assert text and samples, name


def promtool_finds_nothing(top):
    promtool = shutil.which("promtool", path=f"{os.environ['PATH']}:{os.path.expanduser(TOOLS)}")
    assert promtool, "scripts/install-tools gets promtool"
    text = a_tree(top).run("export").stdout
    checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert checked.returncode == 0 and not checked.stderr + checked.stdout, checked


def counters_are_described(_top):
    """Each alternative of the counters is a file that only grows: the ABI has it, and nobody writes it."""
    files = set()
    for path in glob.glob(f"{TOP}/Documentation/ABI/testing/sysfs-kernel*"):
        with open(path, encoding="utf-8") as file:
            for block in file.read().split("\n\nWhat:"):
                if re.search(r"Description:\s+\(RO", block):
                    files.update(re.sub("<[^>]*>", "*", name)
                                 for name in re.findall(r"/sys/kernel/memsuite/(\S+)", block))
    counters = {pattern for pattern in abi.descriptions() if metrics.COUNTERS.fullmatch(pattern)}
    assert counters <= files, counters - files
    for alternative in re.split(r"\n\s*\|", metrics.COUNTERS.pattern):
        assert any(re.fullmatch(alternative, name, re.X) for name in counters), alternative


def a_directory_that_goes_is_left_out(_top):
    """As a policy does with its last process, once it was listed."""
    assert not metrics.values_in("gone", metrics.ANYBODY)


TESTS = (
    all_numbers_are_exported,
    units_and_types_are_prometheus_own,
    promtool_finds_nothing,
    counters_are_described,
    a_directory_that_goes_is_left_out,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
