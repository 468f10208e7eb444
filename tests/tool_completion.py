#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: completion of the memsuite tool
"""What bash and zsh complete memsuite's command lines with."""

import os
import shutil
import subprocess
import sys

import tool
from tool import PYTHON, SYSFS, TOP, Tree

from memsuite import cli, completion  # pylint: disable=wrong-import-order

# The shells' own words for what a completion gives, and the line, without and with a word begun.
BASH = """
. completion/memsuite
compopt() { printf '+%s %s\\n' "$@"; }
complete -p memsuite >/dev/null || exit 1
COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9
_memsuite "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
compadd() { shift; print -l -- "$@" }
_files() { print +files }
words=(${=2}) CURRENT=$#words
[[ $2 != *' ' ]] || { words+=(''); CURRENT=$#words }
words[1]=$1
completes() { . completion/_memsuite }
completes
"""
SHELLS = {"bash": ("bash", "-c", BASH, "bash"), "zsh": ("zsh", "-f", "-c", ZSH, "zsh")}

LINES = {
    "memsuite z": {"zone"},
    "memsuite --json di": {"diag"},
    "memsuite store ": {"create", "open", "close", "start", "status", "watch", "--json", "--help", "-h"},
    "memsuite zone list --": {"--json", "--help"},
    "memsuite diag export --format ": {"memmap", "grub", "systemd-boot", "badram", "json"},
    "memsuite diag stress b": {"burst"},
    "memsuite diag set --algorithm ma": {"mats", "march-c-"},
    "memsuite diag stress ramp --policy ": {"adaptive", "fixed", "ondemand"},
    "memsuite zone where ": {"42", "43", "file:/", "--json", "--help", "-h"},
    "memsuite zone add m": {"machine"},
    "memsuite zone add 42 n": {"node0"},
    "memsuite zone run --policy n": {"node0"},
    "memsuite zone undefine n": {"node0"},
    "memsuite zone define n": set(),
    "memsuite mrc show 4": {"42", "43"},
    "memsuite apply TOP/fi": {"TOP/file"},
}


def completed(tree, shell, line, python=os.path.dirname(PYTHON)):
    told = subprocess.run(
        [*SHELLS[shell], tool.TOOL, line], cwd=TOP, capture_output=True, text=True, check=True,
        env={**os.environ, "PATH": f"{python}:/usr/bin:/bin", "MEMSUITE_SYSFS": tree.sysfs, "MEMSUITE_PROC": tree.proc})
    assert not told.stderr, told
    return {word.strip() for word in told.stdout.splitlines()} - {""}


def shells_complete_what_there_is(top):
    tree = Tree(top, SYSFS)
    tree.fill(top, {"file": "", "other": ""})
    for shell in SHELLS:
        assert shutil.which(shell), f"scripts/install-tools gets {shell}"
        for line, wanted in LINES.items():
            found = completed(tree, shell, line.replace("TOP", top))
            assert found == {word.replace("TOP", top) for word in wanted}, (shell, line, found)


def no_command_is_run_to_complete_it(top):
    """Where argcomplete is not there, files are completed."""
    tree = Tree(top, SYSFS)
    tree.fill(f"{top}/hidden", {"argcomplete.py": "raise ImportError"})
    os.environ["PYTHONPATH"] = f"{top}/hidden"
    try:
        assert completed(tree, "bash", "memsuite diag disable") == {"+-o default"}
        assert completed(tree, "zsh", "memsuite diag disable") == {"+files"}
    finally:
        del os.environ["PYTHONPATH"]
    assert completed(tree, "bash", "memsuite diag disable") == {"disable"}
    assert tree.written("memdiag/enabled") == "1\n"


def what_is_listed_is_an_argument(_top):
    """Each list is of an argument that there is."""
    lists = set()
    for words, command in cli.commands_of(cli.parser()):
        for action in command._actions:  # pylint: disable=protected-access
            lists.add(completion.list_for(" ".join(words), action))
    assert set(completion.LISTS.values()) <= lists


TESTS = (
    shells_complete_what_there_is,
    no_command_is_run_to_complete_it,
    what_is_listed_is_an_argument,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
