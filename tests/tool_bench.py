#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: memsuite bench
"""memsuite bench on made-up trees: it asks, measures what it can, says why it cannot, and puts all back."""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys

import tool
from tool import BAD_PAGE, BAD_PAGES, stored, SYSFS, Tree
from tool_ending import SIGNALS, await_, end

from memsuite import Failure  # noqa: E402  pylint: disable=wrong-import-order
from memsuite.bench.figures import Figures  # pylint: disable=wrong-import-order
from memsuite.bench.page_faults import PAGES, RUNS, Pool, from_pool  # pylint: disable=wrong-import-order
from memsuite.bench.report import number_text  # pylint: disable=wrong-import-order
from memsuite.bench.worker import Worker  # pylint: disable=wrong-import-order

OFF = {**SYSFS, "memdiag/enabled": "0", "vipzone/enabled": "0", "mrc/enabled": "0", "vipzone/add": ""}
NATIVE = ("fault_off", "stream_read", "stream_write", "stream_copy")
# Each tells in TOP/asked what it was asked.
PROGRAMS = {
    "modinfo": "[ -e TOP/kept/sysfs/$2 ] && echo $2.ko",
    "modprobe": "echo modprobe $1 >>TOP/asked\n"
                "[ ! -e TOP/kept/refused ] || [ $1 != vipzone ] || { echo no hooks >&2; exit 1; }\n"
                "if [ $1 = memsuite ]; then mkdir TOP/sysfs && cp -r TOP/kept/sysfs/regions TOP/sysfs\n"
                "else cp -r TOP/kept/sysfs/$1 TOP/sysfs; fi",
    "rmmod": "echo rmmod $1 >>TOP/asked\n[ $1 != memsuite ] || exec rm -r TOP/sysfs\nrm -r TOP/sysfs/$1",
}


class Machine(Tree):
    """With programs of its own, and tables of what bench tells."""

    def __init__(self, top, sysfs, available_kib=1024):
        super().__init__(top, sysfs)
        self.top = top
        self.fill(os.path.join(top, "bin"),
                  {name: "#!/bin/sh\n" + text.replace("TOP", top) for name, text in PROGRAMS.items()})
        for name in PROGRAMS:
            os.chmod(os.path.join(top, "bin", name), 0o755)
        tool.plug(self, ("DIMM 0", "SERIAL-7"))
        self.fill(self.proc, {"meminfo": f"MemTotal: 16777216 kB\nMemAvailable: {available_kib} kB"})

    def start(self, *args, **options):
        return super().start(*args, PATH=f"{self.top}/bin:{os.environ['PATH']}", **options)

    def told(self, *args):
        """The rows by their names, of the first unit."""
        result = self.run("bench", "--json", *args)
        assert not result.returncode, result
        told = json.loads(result.stdout)
        return {row["figure"]: row for row in reversed(told["figures"])}, told, result

    def asked(self):
        try:
            with open(os.path.join(self.top, "asked"), encoding="ascii") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def switches(self):
        return [self.written(f"{module}/enabled").strip() for module in ("memdiag", "vipzone", "mrc")]


def needs_root():
    return "needs root" if os.geteuid() else None


class MadeUpPool(Pool):
    """Has all that is asked for, and a worker that gets @prepared of the pages of each run there."""

    def __init__(self, prepared):
        super().__init__("node0")
        self.prepared_pages, self.runs = prepared, 0

    def number(self, name):
        return {"pages": 2 * PAGES, "large_pages": 0, "handed_pages": self.runs * PAGES,
                "bare_pages": self.runs * (PAGES - self.prepared_pages)}[name]

    def ask(self, _name, _pages):
        self.runs += 1
        return {"faults": PAGES, "ns": 1000 if self.runs == 1 else 100}     # the first is slow


def figures_have_their_noise(_top):
    figures = Figures()
    for name, against in (("base", None), ("few", "base"), ("more", "base"), ("none", "base")):
        figures.expect(name, name, against)
    for value in (2, 2, 2, 2):
        figures.add("base", {"ns": value})
    for value in (1, 2, 3, 4, 5):
        figures.add("more", {"ns": value, "cycles": 2 * value})
    figures.add("few", {"ns": 3})
    figures.lack(("none",), "first")
    figures.lack(("none",), "second")
    rows = {(row["figure"], row["unit"]): row for row in figures.rows()}
    more = rows["more", "ns"]
    assert (more["median"], more["low"], more["high"], more["noise_pct"]) == (3, 1, 5, 33.33), more
    assert (more["ratio"], more["ratio_noise_pct"], more["against"]) == (1.5, 33.33, "base"), more
    assert rows["more", "cycles"]["ratio"] is None, rows        # the base has none
    assert rows["few", "ns"]["noise_pct"] is None and rows["few", "ns"]["ratio_noise_pct"] is None, rows
    assert rows["none", None]["why"] == "first" and rows["none", None]["median"] is None, rows


def without_modules_a_part_is_measured(top):
    tree = Machine(top, {}, 8 << 20)
    rows, told, result = tree.told("--no", "-o", f"{top}/page.html")
    with open(f"{top}/page.html", encoding="utf-8") as file:
        page = file.read()
    for name, row in rows.items():
        assert (row["median"] or 0) > 0 if name in NATIVE else row["unit"] is None and row["why"], row
        assert (number_text(row["median"]) if row["unit"] else row["why"]) in page, row
    assert rows["fault_off"]["runs"] == 12 and rows["fault_steered"]["why"] == "vipzone is not installed", rows
    assert not tree.asked() and not told["was_on"] and not os.path.exists(tree.sysfs)
    assert told["machine"]["host"] == "" and "SERIAL-7" not in result.stdout + page and "DIMM 0" in page


def caches_are_not_taken_for_memory(top):
    rows, _, _ = Machine(top, {}, 1024).told("--no")
    for name in ("stream_read", "stream_write", "stream_copy"):
        assert rows[name]["why"].startswith("too little memory is available"), rows
    assert rows["fault_off"]["runs"] == 12, rows


def it_asks_first(top):
    if needs_root():
        return needs_root()
    for answer, why in (("n", "vipzone was not to be turned on"), ("", "vipzone was not to be turned on"),
                        ("y", "only 0% of the pages came from the pool of node0")):
        tree = Machine(os.path.join(top, answer or "nothing"), OFF)
        ours, its = pty.openpty()
        process = tree.start("bench", stdin=its)
        os.write(ours, f"{answer}\n".encode())
        stdout, stderr = process.communicate()
        os.close(ours)
        os.close(its)
        assert not process.returncode and "[y/N]" in stderr and "half a minute" in stderr, (stdout, stderr)
        assert f"steered by vipzone, pool full: {why}" in stdout, (answer, stdout)
        assert tree.switches() == ["0", "0", "0"]
    tree = Machine(os.path.join(top, "nobody"), OFF)
    result = tree.run("bench", stdin=subprocess.DEVNULL)
    assert result.returncode == 1 and "--yes" in result.stderr and not result.stdout, result
    return None


def a_pool_has_to_be_full(_top):
    for prepared, runs, why in ((PAGES, RUNS, None),
                                (PAGES // 2, 0, "only 50% of the pages came from the pool of node0")):
        figures, pool = Figures(), MadeUpPool(prepared)
        try:
            from_pool(figures, "fault", pool, pool)
            assert not why, "pages from elsewhere count"
        except Failure as failure:
            assert str(failure) == why, failure
        assert figures.values.get(("fault", "ns"), []) == [100] * runs, figures.values


def modules_are_enabled_and_disabled(top):
    if needs_root():
        return needs_root()
    tree = Machine(top, OFF)
    rows, told, _ = tree.told("--yes")
    for name in ("fault_tested", "fault_steered", "fault_bystander"):      # of which a made-up pool has none
        assert rows[name]["why"] == "only 0% of the pages came from the pool of node0", rows
    assert rows["fault_loaded"]["why"] == "modules were loaded before" and rows["fault_off"]["runs"] == 12, rows
    assert tree.switches() == ["0", "0", "0"] and tree.written("vipzone/add").endswith(" region:node0\n")
    assert not tree.asked() and not told["was_on"]
    return None


def what_it_loads_it_unloads(top):
    if needs_root():
        return needs_root()
    for name, modules in (("all", ["memsuite", "memdiag", "vipzone"]), ("some", ["memsuite", "memdiag"])):
        tree = Machine(os.path.join(top, name), {})
        Tree(os.path.join(tree.top, "kept"), {**OFF, **({} if name == "all" else {"../refused": ""})})
        tree.fill(tree.proc, {"memdiag_bad_pages": BAD_PAGES + BAD_PAGE})
        rows, _, result = tree.told("--yes")
        assert len(stored(tree)) == 1       # udev comes too late for what is found last
        assert tree.asked() == [*(f"modprobe {module}" for module in ("memsuite", "memdiag", "vipzone")),
                                *(f"rmmod {module}" for module in reversed(modules))], tree.asked()
        assert not os.path.exists(tree.sysfs) and not result.stderr, result
        assert rows["fault_loaded"]["ratio"] and rows["fault_off"]["runs"] == 12, rows
        assert rows["fault_steered"]["why"] == ("no hooks" if name == "some" else
                                                "only 0% of the pages came from the pool of node0"), rows
        shutil.rmtree(tree.top)
    return None


def what_is_on_stays_on(top):
    if needs_root():
        return needs_root()
    tree = Machine(top, {**OFF, "memdiag/enabled": "1", **tool.policy_files(0, "machine", "region:node0")})
    rows, told, _ = tree.told("--yes")
    assert tree.switches() == ["1", "0", "0"] and told["was_on"] == ["memdiag"], told
    assert rows["fault_off"]["why"].startswith("on before"), rows
    assert rows["fault_steered"]["why"].startswith("vipzone is off and has policies"), rows
    assert tree.written("vipzone/add").strip() == "", "somebody was steered"
    return None


def a_signal_puts_all_back(top):
    """While it waits for a pool, which nobody fills."""
    if needs_root():
        return needs_root()
    for which in SIGNALS:
        tree = Machine(os.path.join(top, str(which)), {**OFF, "regions/node0/pool_pages": "0"})
        process = tree.start("bench", "--yes")
        await_(lambda tree=tree: tree.written("vipzone/add").strip())
        worker = tree.written("vipzone/add").split()[0]
        assert tree.switches() == ["0", "1", "0"] and os.path.exists(f"/proc/{worker}")
        text, status = end(process, which, signal.SIGHUP)
        assert status == 32 and "all is as before" in text, (which, status, text)
        assert tree.switches() == ["0", "0", "0"] and not os.path.exists(f"/proc/{worker}"), which
    return None


def a_process_that_is_killed_is_told_of(_top):
    worker = Worker()
    assert worker.ask("fault", 16)["faults"] >= 16
    os.kill(worker.pid, signal.SIGKILL)
    try:
        worker.ask("fault", 16)
        raise AssertionError("it has answered")
    except Failure as failure:
        assert "ended early" in str(failure)
    worker.end()


TESTS = (
    figures_have_their_noise,
    without_modules_a_part_is_measured,
    caches_are_not_taken_for_memory,
    it_asks_first,
    a_pool_has_to_be_full,
    modules_are_enabled_and_disabled,
    what_it_loads_it_unloads,
    what_is_on_stays_on,
    a_signal_puts_all_back,
    a_process_that_is_killed_is_told_of,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
