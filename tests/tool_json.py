#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: JSON of the memsuite tool
"""Each command prints JSON as lib/memsuite/schema.json describes it, wherever the option stands, on any terminal."""

import json
import os
import sys

import jsonschema

import tool
import tool_fleet
from tool import BAD_PAGE, BAD_PAGES, DEBUGFS, PLAN, SYSFS, TOP, Tree
from tool_ending import a_tree as a_tree_of_long_ones

from memsuite import cli  # pylint: disable=wrong-import-order

SCHEMA = os.path.join(TOP, "lib", "memsuite", "schema.json")
STORE = ("vs: 0 65536 vstore pages 1000 free 10 nodes 3 dirty 0 merged 1 clean 7 read_pram 1 read_disk 2 write_pram 3 "
         "write_disk 4 write_full 5 continued 6 moved 7 evicted 8 errors 0 lent 0 lends 0 claims 0 claims_failed 0 "
         "shifted 0 promoted 0 bad_pages 0 bad_blocks 0 volatile 0 read_volatile 0 sealed 1")
PROGRAMS = {"dmsetup": f"[ $1 != status ] || echo '{STORE}'", "modprobe": "", "blockdev": "echo 65536",
            "modinfo": "echo 1234", "systemctl": "echo inactive"}
# What has nothing to say: it becomes the command that it runs.
SILENT = ("zone run",)
FAMILIES = ("diag", "zone", "mrc", "store", "fleet")
REGION = "regions/node0"

# What is asked of a tree where all is loaded, a page is bad, and much is tracked.
COMMANDS = """
status
doctor
apply
dump
export
report -o TOP/report.html
bench --no -o TOP/bench.html
top --once
diag enable
diag disable
diag status
diag list
diag bad
diag bad --groups
diag dimms
diag notify --example
diag burn-in --time 1s --no-heat --output TOP/verdict
diag test 2M-4M
diag retire 0x1234000
diag unretire 0x1234000
diag save
diag restore
diag inject 0x1000:3:saf
diag export
diag plan
diag set --lifetime 60
diag stress burst --size 1 --seconds 1 --policy ondemand --series
zone enable
zone disable
zone list
zone regions
zone policies
zone ps
zone add 12 node0
zone policy 12 node0
zone remove 12
zone where 12
zone define r 1G-2G
zone banks --import TOP/functions
zone profile TOP/profile
zone measure node0
zone weights node0 second --mib 2
zone energy --seconds 1
zone move 12
zone undefine r
mrc enable
mrc disable
mrc list
mrc add 12
mrc remove 12
mrc accesses 77 5
mrc show 77
mrc top --times 2 --interval 0.1
mrc record 77 -o TOP/made --seconds 0.2
mrc report mrc TOP/record
mrc report wss TOP/record
mrc report heatmap TOP/record
mrc export TOP/record -o TOP/trace
mrc regions 77 --loss 10
mrc plan
mrc share 77 --weight 2
mrc enforce
mrc limit --interval 0.1
exporter --listen 127.0.0.1:0
fleet tell
fleet report TOP/fleet --machines TOP/hosts -o TOP/fleet.html
store create new /dev/null /dev/null
store open new /dev/null /dev/null
store close vs
store start
store status
store watch --count 2 --interval 0.1
""".strip().splitlines()


def a_tree(top):
    tree = Tree(top, {
        **SYSFS, "memdiag/bad_page_count": "1", "memdiag/range/status": "pass", "memdiag/range/tested_pages": "512",
        "memdiag/control/bandwidth_pages_s": "8192", "memdiag/control/min_fidelity": "1",
        "memdiag/control/max_threads": "4", "memdiag/coverage/counted_age_s": "0",
        "vipzone/enabled": "1", **tool.policy_files(0, "machine", "region:node0"), "memdiag/tests/count": "0",
        **{f"regions/second/{name}": text for name, text in tool.REGION.items()},
        **{f"regions/{name}/free_pages": "10000000" for name in ("node0", "second")},
        **tool.ledger_files("node0"), "vipzone/audit/interval_ms": "0", "vipzone/audit/sample_accesses": "0"},
        {**DEBUGFS, "memdiag/bad_pages": BAD_PAGES + BAD_PAGE, "mrc/plan": PLAN,
         "vipzone/processes": f"{tool.PROCESSES}{os.getpid()} 0 -",
         "vipzone/ledger": tool.BILLS + "1 0 node0 1 2 0 0 30 4 50",
         "memdiag/injected": "# address bit kind variant aggressor aggressor_bit cpu\n0x1000 3 saf 0 - - -"})
    tool.plug(tree, ("DIMM 0", "A1"), ("DIMM \xe9", "B2"))
    tool.made_up_process(tree)
    os.makedirs(f"{tree.proc}/77")
    with open(f"{tree.proc}/77/pagemap", "wb") as file:
        file.write(bytes(8 * 0x300))
    Tree.fill(os.path.join(top, "blocks"), {
        "block_size_bytes": "8000000", "memory0/state": "online", "memory0/valid_zones": "Normal"})
    tree.fill(os.path.join(top, "bin"), {name: f"#!/bin/sh\n{text}" for name, text in PROGRAMS.items()})
    for name in PROGRAMS:
        os.chmod(os.path.join(top, "bin", name), 0o755)
    tree.fill(tree.proc, {"modules": "dm_vstore 1 0 - Live 0x0"})
    tree.fill(top, {"functions": "7, 14", "profile": "node0 read_latency_ns=5"})
    tree.fill(f"{top}/fleet", {"one.json": json.dumps(tool_fleet.a_machine("one")), "two.json": "{"})
    tree.fill(top, {"hosts": "one\nthree"})
    tool.made_up_record(top)
    return tree


def told(top, command, before=False):
    """What a command prints with --json, in a tree of its own; @before: the option stands before the subcommand."""
    where = os.path.join(top, str(COMMANDS.index(command)))
    tree = a_tree_of_long_ones(where) if command.startswith("mrc limit") else a_tree(where)
    words = command.replace("TOP", where).split()
    at = 1 if before else len(words)
    words[at:at] = ["--json"]
    environment = {"PATH": f"{where}/bin:{os.environ['PATH']}", "MEMSUITE_BLOCKS": f"{where}/blocks",
                   "MEMSUITE_ROOT": where}
    process = tree.start(*words, **environment)
    if command.startswith(("mrc limit", "exporter")):
        line = process.stdout.readline()
        process.terminate()
        process.communicate()
        return line
    stdout, stderr = process.communicate()
    assert "Traceback" not in stderr, (command, stderr)
    return stdout


def documents(command, text):
    """One, or of a command that goes on one a line."""
    if command in ("mrc top --times 2 --interval 0.1", "store watch --count 2 --interval 0.1"):
        lines = text.splitlines()
        assert len(lines) == 2, (command, text)
        return list(map(json.loads, lines))
    return [json.loads(text)]


def name_of(command):
    """As the schema calls it."""
    words = command.split()
    names = {"zone regions": "zone list", "zone policy": "zone add"}
    name = " ".join(words[:2] if words[0] in FAMILIES else words[:1])
    return f"{name} {words[2]}" if name == "mrc report" else names.get(name, name)


def each_command_is_as_the_schema_says(top):
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    for command in COMMANDS:
        described = {**schema["$defs"][name_of(command)], "$defs": schema["$defs"]}
        for document in documents(command, told(top, command)):
            assert not isinstance(document, dict) or "error" not in document, (command, document)
            try:
                jsonschema.Draft7Validator(described).validate(document)
            except jsonschema.ValidationError as error:
                raise AssertionError(f"{command}: {list(error.absolute_path)}: {error.message}") from None


def each_command_is_tried(_top):
    names = {" ".join(words) for words, _ in cli.commands_of(cli.parser())} - set(SILENT)
    tried = {" ".join(command.split()[:2] if command.split()[0] in FAMILIES else
                      command.split()[:1]) for command in COMMANDS}
    assert names == tried, names ^ tried


def the_option_may_stand_anywhere(top):
    for command in ("diag bad", "mrc list", "zone list"):
        text = told(os.path.join(top, "after"), command)
        assert text == told(os.path.join(top, "before"), command, before=True), command
    tree = a_tree(os.path.join(top, "first"))
    assert isinstance(tree.json("--json", "mrc", "list"), list)


def any_terminal_will_do(top):
    """ASCII alone, Latin 1, and texts of firmware that are no UTF-8."""
    tree = a_tree(top)
    with open(os.path.join(tree.sysfs, REGION, "locator"), "wb") as file:
        file.write(b"DIMM\xff\xe9\n")
    for encoding in ("ascii", "latin-1", "utf-8"):
        for command in ("zone", "list"), ("diag", "bad"), ("mrc", "show", "77"), ("export",), ("top", "--once"):
            result = tree.run(*command, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
            assert result.returncode == 0 and "Traceback" not in result.stderr, (encoding, command, result)
            assert encoding != "ascii" or result.stdout.isascii()
        region, *_ = json.loads(tree.run("zone", "list", "--json", PYTHONIOENCODING=encoding).stdout)
        assert region["locator"] == "DIMM\udcff\udce9", region
    # What is written by a locale that has no UTF-8.
    result = tree.run("zone", "list", LC_ALL="C", PYTHONIOENCODING="", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert result.returncode == 0 and "Traceback" not in result.stderr, result


def what_fails_is_a_document(top):
    document = Tree(top).json("diag", "list", "--json")
    assert set(document) == {"error"} and "modprobe" in document["error"]


TESTS = (
    each_command_is_as_the_schema_says,
    each_command_is_tried,
    the_option_may_stand_anywhere,
    any_terminal_will_do,
    what_fails_is_a_document,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
