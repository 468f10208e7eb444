#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of scripts/memsuite on trees that are made up; prints KTAP."""

import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from xml.etree import ElementTree

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(TOP, "scripts", "memsuite")
PYTHON = "/usr/bin/python3"

SYSFS = {
    "version": "0.1.0",
    "pages/held_pages": "512",
    "pages/retired_pages": "0",
    "pages/metadata_bytes": "1048576",
    "demand/allocated_pages": "1000",
    "regions/add": "",
    "regions/remove": "",
    "memdiag/enabled": "1",
    "memdiag/algorithm": "march-c-",
    "memdiag/available_algorithms": "mats\nmarch-c-",
    "memdiag/test_lifetime_s": "180",
    "memdiag/bad_page_count": "0",
    "memdiag/tested_pages": "4096",
    "memdiag/passes": "3",
    "memdiag/pass_progress_pct": "40",
    "vipzone/enabled": "0",
    "vipzone/add": "",
    "vipzone/remove": "",
    "vipzone/steered_pages": "0",
    "vipzone/lost_children": "0",
    "mrc/enabled": "1",
    "mrc/add": "77",
    "mrc/remove": "",
}

HOOK = {"state": "off", "symbol": "vma_alloc_folio", "hits": "0",
        "missed": "0"}

REGION = {
    "start": "0x0", "end": "0x40000000", "node": "0", "source": "node",
    "locator": "", "technology": "", "read_latency_ns": "0",
    "write_latency_ns": "0", "tier": "-1", "total_pages": "262000",
    "free_pages": "1000", "pool_kib": "65536", "pool_pages": "16384",
    "pool_handed_pages": "7", "pool_bare_pages": "1",
    "pool_filled_pages": "20000", "pool_misses": "2",
}

BAD_PAGES = "# pfn address mask element background time\n"
PROCESSES = ("# pid regions children steered steered_by_node fallback_empty "
             "fallback_policy fallback_cpuset fallback_context "
             "fallback_huge\n")

CLIFF = 1000    # pages that the made-up program loops over


def curve():
    lines = ["# pages misses_per_s miss_ratio low high"]
    for pages in range(1, 1601, 8):
        ratio = 0.98 if pages < CLIFF else 0.02
        lines.append(f"{pages} {ratio * 500:.3f} {ratio:.4f} "
                     f"{ratio - 0.02:.4f} {ratio + 0.02:.4f}")
    return "\n".join(lines)


def below(directory, files):
    return {f"{directory}/{name}": text for name, text in files.items()}


SYSFS.update(below("hooks/fault.alloc", HOOK))
SYSFS.update(below("hooks/alloc.entry", HOOK))
SYSFS.update(below("regions/node0", REGION))

DEBUGFS = {
    "memdiag/bad_pages": BAD_PAGES,
    "vipzone/processes": PROCESSES,
    "mrc/77/curve": curve(),
    "mrc/77/stats": ("enabled_ns 1000\ncpu_ns 5\nladders 9\n"
                     "resident_pages 1600\nwss_pages 1000"),
}


class Tree:
    """A made-up /sys/kernel/memsuite with its debugfs, and the tool on it."""

    def __init__(self, top, sysfs=None, debugfs=None):
        self.sysfs = os.path.join(top, "sysfs")
        self.debugfs = os.path.join(top, "debugfs")
        self.fill(self.sysfs, sysfs or {})
        self.fill(self.debugfs, debugfs or {})

    @staticmethod
    def fill(top, files):
        for name, text in files.items():
            path = os.path.join(top, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")

    def written(self, name):
        with open(os.path.join(self.sysfs, name), encoding="utf-8") as file:
            return file.read()

    def run(self, *args, user=None, python=sys.executable, **environment):
        return subprocess.run(
            [python, TOOL, *args], check=False, text=True, user=user,
            encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "MEMSUITE_SYSFS": self.sysfs,
                 "MEMSUITE_DEBUGFS": self.debugfs,
                 "PYTHONIOENCODING": "utf-8", **environment})

    def json(self, *args):
        return json.loads(self.run(*args).stdout)


def nothing_is_loaded(top):
    tree = Tree(top)
    result = tree.run("status")
    assert result.returncode == 1
    assert "not loaded" in result.stdout and "modprobe" in result.stdout
    state = tree.json("status", "--json")
    assert not any(m["loaded"] for m in state["modules"].values())
    for command in (("diag", "list"), ("zone", "ps"), ("mrc", "show", "1")):
        result = tree.run(*command)
        assert result.returncode == 1
        assert "modprobe" in result.stderr and not result.stdout
        assert "modprobe" in tree.json(*command, "--json")["error"]


def all_is_loaded_and_well(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    result = tree.run("status")
    assert result.returncode == 0, result
    for text in ("memsuite 0.1.0", "vma_alloc_folio", "2 MiB"):
        assert text in result.stdout, text
    modules = tree.json("status", "--json")["modules"]
    assert all(m["healthy"] for m in modules.values())
    assert modules["memdiag"]["enabled"] and not modules["vipzone"]["enabled"]


def only_the_core_is_loaded(top):
    core = {name: text for name, text in SYSFS.items()
            if name.split("/")[0] not in ("memdiag", "vipzone", "mrc")}
    result = Tree(top, core).run("status")
    assert result.returncode == 0
    assert "modprobe memdiag" in result.stdout


def what_is_not_well_is_told(top):
    tree = Tree(top, {**SYSFS, "vipzone/enabled": "1",
                      "hooks/fault.alloc/state": "failed"})
    result = tree.run("status")
    assert result.returncode == 1
    assert "not hooked: fault.alloc" in result.stdout
    modules = tree.json("status", "--json")["modules"]
    assert modules["memsuite"]["healthy"] is False
    assert modules["vipzone"]["healthy"] is False
    assert modules["mrc"]["healthy"] is True


def a_bad_page_is_listed(top):
    line = "0x1234 0x1234568 0x0000000000000010 2 0x0000000000000000 17"
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1",
                      "pages/retired_pages": "1"},
                {"memdiag/bad_pages": BAD_PAGES + line})
    assert "0x1234568" in tree.run("diag", "list").stdout
    assert tree.json("diag", "list", "--json")[0]["pfn"] == "0x1234"
    assert "1 bad page found and retired" in tree.run("status").stdout
    assert "found         1 bad page" in tree.run("diag", "status").stdout


def a_bad_page_that_is_not_retired_is_not_well(top):
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1"})
    assert tree.run("status").returncode == 1
    assert "not retired: 1 bad page" in tree.run("status").stdout


def writes_are_one_line(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    for args, name, line in (
            (("diag", "disable"), "memdiag/enabled", "0"),
            (("diag", "set", "--algorithm", "mats"), "memdiag/algorithm",
             "mats"),
            (("diag", "set", "--lifetime", "60"), "memdiag/test_lifetime_s",
             "60"),
            (("zone", "add", "12", "a", "b", "--children"), "vipzone/add",
             "12 region=a,b children"),
            (("zone", "remove", "12"), "vipzone/remove", "12"),
            (("zone", "enable"), "vipzone/enabled", "1"),
            (("zone", "define", "r", "1G-2G", "technology=pram"),
             "regions/add", "r 1G-2G technology=pram"),
            (("zone", "undefine", "r"), "regions/remove", "r"),
            (("mrc", "add", "12"), "mrc/add", "12"),
            (("mrc", "remove", "12"), "mrc/remove", "12")):
        assert tree.json(*args, "--json") == {"ok": True}, args
        assert tree.written(name) == line + "\n", args


def regions_are_listed(top):
    tree = Tree(top, SYSFS)
    text = tree.run("zone", "list").stdout
    assert "node0" in text and "64 MiB of 64 MiB" in text and "1 GiB" in text
    assert tree.json("zone", "list", "--json")[0]["end"] == 1 << 30


def steered_processes_are_listed(top):
    line = f"{os.getpid()} node0,pram 1 100 20 3 0 0 0 4"
    tree = Tree(top, SYSFS, {"vipzone/processes": PROCESSES + line})
    text = tree.run("zone", "ps").stdout
    assert "node0,pram" in text and "empty 3, huge 4" in text
    row = tree.json("zone", "ps", "--json")[0]
    assert row["regions"] == ["node0", "pram"] and row["steered"] == 100


def filled_columns(text):
    """Of a plot in text: for each column the topmost row with a dot."""
    rows = [line[7:] for line in text.splitlines() if "│" in line]
    width = max(map(len, rows))
    return [next((r for r, row in enumerate(rows)
                  if row.ljust(width)[c] != " "), None)
            for c in range(width)]


def a_curve_is_drawn_in_text(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    result = tree.run("mrc", "show", "77")
    assert result.returncode == 0, result
    tops = filled_columns(result.stdout)
    high = [c for c, row in enumerate(tops) if row is not None and row <= 1]
    cliff = (max(high) + 1) / len(tops) * 1593
    assert abs(cliff - CLIFF) < 0.05 * CLIFF, cliff
    assert "working set 3.9 MiB" in result.stdout
    assert all(len(line) <= 72 for line in result.stdout.splitlines())


def a_curve_is_drawn_in_ascii(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    result = tree.run("mrc", "show", "77", PYTHONIOENCODING="ascii")
    assert result.returncode == 0 and result.stdout.isascii()
    assert "#" in result.stdout


def a_curve_of_one_point_is_drawn(top):
    one = curve().splitlines()[0] + "\n1 0.000 0.0000 0.0000 0.0000"
    tree = Tree(top, SYSFS, {**DEBUGFS, "mrc/77/curve": one})
    assert tree.run("mrc", "show", "77").returncode == 0
    ElementTree.fromstring(tree.run("mrc", "show", "77", "--svg", "-").stdout)


def a_curve_is_an_svg(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    path = os.path.join(top, "curve.svg")
    assert tree.run("mrc", "show", "77", "--svg", path).returncode == 0
    root = ElementTree.parse(path).getroot()
    line = root.find("{http://www.w3.org/2000/svg}polyline").get("points")
    xs, ys = zip(*(map(float, point.split(",")) for point in line.split()))
    assert 0 <= min(xs) and max(xs) <= 640 and 0 <= min(ys) and max(ys) <= 400
    fall = max(range(1, len(ys)), key=lambda i: ys[i] - ys[i - 1])
    assert abs((xs[fall] - 60) / 550 * 1593 - CLIFF) < 0.01 * CLIFF


def a_curve_is_json(top):
    shown = Tree(top, SYSFS, DEBUGFS).json("mrc", "show", "77", "--json")
    assert shown["stats"]["wss_pages"] == 1000
    assert shown["curve"][0] == {"pages": 1, "misses_per_s": 490.0,
                                 "miss_ratio": 0.98, "low": 0.96, "high": 1.0}


def a_png_needs_matplotlib(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    path = os.path.join(top, "curve.png")
    result = tree.run("mrc", "show", "77", "--png", path)
    if result.returncode == 0:
        with open(path, "rb") as file:
            assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    else:
        assert "matplotlib" in result.stderr


def who_is_not_tracked_is_told(top):
    result = Tree(top, SYSFS, DEBUGFS).run("mrc", "show", "78")
    assert result.returncode == 1 and "mrc add 78" in result.stderr


def no_debugfs_is_told(top):
    result = Tree(top, SYSFS).run("diag", "list")
    assert result.returncode == 1 and "mount -t debugfs" in result.stderr


METRIC = re.compile(r'([a-z_][a-z0-9_]*)'
                    r'(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? '
                    r'(-?[0-9]+)')


def the_export_is_prometheus_text(top):
    tree = Tree(top, {**SYSFS, "regions/node0/locator": 'DIMM "A"\\1'})
    result = tree.run("export")
    assert result.returncode == 0
    kinds, values = {}, {}
    for line in result.stdout.splitlines():
        words = line.split(" ", 3)
        if words[:2] == ["#", "TYPE"]:
            assert words[2] not in kinds
            kinds[words[2]] = words[3]
        elif words[0] != "#":
            name, labels, value = METRIC.fullmatch(line).groups()
            assert name in kinds, line
            assert (kinds[name] == "counter") == name.endswith("_total"), line
            values[name, labels] = int(value)
    assert values["memsuite_memdiag_tested_pages_total", None] == 4096
    assert values["memsuite_region_pool_pages", 'region="node0"'] == 16384
    assert values["memsuite_hook_hits_total", 'hook="fault.alloc"'] == 0
    assert values["memsuite_region_end", 'region="node0"'] == 1 << 30
    assert 'locator="DIMM \\"A\\"\\\\1"' in result.stdout


def the_export_without_modules_says_so(top):
    result = Tree(top).run("export")
    assert result.returncode == 0 and "modprobe" in result.stderr
    assert 'memsuite_module_loaded{module="mrc"} 0\n' in result.stdout


def the_export_is_json(top):
    metrics = Tree(top, SYSFS).json("export", "--json")
    assert metrics["memsuite_memdiag_passes_total"]["samples"] == [
        {"labels": {}, "value": 3}]


def the_command_line_is_checked(top):
    tree = Tree(top, SYSFS)
    for args in ((), ("zone", "add", "0", "a"), ("zone", "add", "x", "a"),
                 ("zone", "add", "1", "a,b"), ("mrc", "show"), ("nonsense",),
                 ("mrc", "show", "1", "--svg", "a", "--png", "b")):
        assert tree.run(*args).returncode == 2, args
    assert tree.run("--help").returncode == 0


def store_is_not_there_yet(top):
    result = Tree(top, SYSFS).run("store")
    assert result.returncode == 1 and "not part of" in result.stderr


def a_user_is_told_to_be_root(top):
    tree = Tree(top, SYSFS)
    os.chmod(os.path.join(tree.sysfs, "memdiag/enabled"), 0o444)
    os.chmod(top, 0o755)
    nobody = {}
    if os.geteuid() == 0:
        # The interpreter that runs this may lie in root's home.
        if not os.path.exists(PYTHON):
            return f"needs a user who is not root, or {PYTHON}"
        nobody = {"user": 65534, "python": PYTHON}
    result = tree.run("diag", "enable", **nobody)
    assert result.returncode == 1 and "run as root" in result.stderr, result
    return None


TESTS = (
    nothing_is_loaded,
    all_is_loaded_and_well,
    only_the_core_is_loaded,
    what_is_not_well_is_told,
    a_bad_page_is_listed,
    a_bad_page_that_is_not_retired_is_not_well,
    writes_are_one_line,
    regions_are_listed,
    steered_processes_are_listed,
    a_curve_is_drawn_in_text,
    a_curve_is_drawn_in_ascii,
    a_curve_of_one_point_is_drawn,
    a_curve_is_an_svg,
    a_curve_is_json,
    a_png_needs_matplotlib,
    who_is_not_tracked_is_told,
    no_debugfs_is_told,
    the_export_is_prometheus_text,
    the_export_without_modules_says_so,
    the_export_is_json,
    the_command_line_is_checked,
    store_is_not_there_yet,
    a_user_is_told_to_be_root,
)


def run(test):
    """Returns whether it passed, and why it was skipped, if it was."""
    with tempfile.TemporaryDirectory() as top:
        try:
            return True, test(top)
        except Exception:  # pylint: disable=broad-except
            for line in traceback.format_exc().splitlines():
                print("#", line)
            return False, None


def main():
    print(f"KTAP version 1\n1..{len(TESTS)}")
    failed = False
    for number, test in enumerate(TESTS, 1):
        passed, skipped = run(test)
        failed |= not passed
        print(f"{'ok' if passed else 'not ok'} {number} {test.__name__}"
              + (f" # SKIP {skipped}" if skipped else ""))
    return failed


if __name__ == "__main__":
    sys.exit(main())
