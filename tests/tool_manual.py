#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: manual pages of the memsuite tool
"""Manual pages have all that there is, and are what man and mandoc take for right; examples are command lines."""

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

import tool
from tool import TOP

from memsuite import cli  # pylint: disable=wrong-import-order
from memsuite.config import schema  # pylint: disable=wrong-import-order


def made(top):
    """{name.section: path} of the pages that follow from the tool."""
    subprocess.run([f"{TOP}/scripts/man-pages", top], check=True)
    return {os.path.basename(path): path for path in glob.glob(f"{top}/man*/*")}


def text_of(path):
    """As people see it, in long lines."""
    told = subprocess.run(["man", "-l", path], check=True, capture_output=True, text=True,
                          env={**os.environ, "MANWIDTH": "1000", "LC_ALL": "C"}).stdout
    return " ".join(told.split())


def pages_are_right_roff(top):
    assert shutil.which("mandoc"), "scripts/install-tools gets mandoc"
    pages = [*made(top).values(), *glob.glob(f"{TOP}/Documentation/man/*"), *glob.glob(f"{TOP}/lib/libvip/man/*")]
    assert len(pages) > 12, pages
    for path in pages:
        with open(path, encoding="utf-8") as file:
            if file.read().startswith(".so "):
                continue
        linted = subprocess.run(["mandoc", "-Tlint", "-Wwarning", path], capture_output=True, text=True, check=False)
        assert linted.returncode == 0, linted.stdout
        warned = subprocess.run(["man", "--warnings", "-l", path], check=False, text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"})
        assert not warned.stderr, (path, warned.stderr)


def families_have_all_commands_and_options(top):
    pages = made(top)
    families = cli.families(cli.parser())
    assert set(families) == {"diag", "zone", "mrc", "store", "fleet"}
    options = 0
    for name, (_, group) in families.items():
        text = text_of(pages[f"memsuite-{name}.8"])
        for words, command in cli.commands_of(group):
            assert f"{words[-1]} " in text, (name, words)
            for action in command._actions:  # pylint: disable=protected-access
                for option in action.option_strings:
                    assert option in text, (name, words, option)
                    options += 1
                if action.help and "%" not in action.help and action.dest not in ("help", "json"):
                    said = " ".join(action.help.split())
                    assert f"{said[0].upper()}{said[1:]}".rstrip(".") in text, (name, words, said)
    assert options > 150, options


def configuration_has_all_keys(top):
    text = text_of(made(top)["memsuite.conf.5"])
    for kind, keys in [*schema.SETTINGS.items(), *((kind, thing[2]) for kind, thing in schema.THINGS.items())]:
        assert f" [{kind}" in text, kind
        for key in keys:
            assert re.search(rf" {re.escape(key)} ", text), (kind, key)


def the_overview_names_all_pages(top):
    text = text_of(f"{TOP}/Documentation/man/memsuite.8")
    for page in made(top):
        name, section = page.rsplit(".", 1)
        assert f"{name}({section})" in text.partition("SEE ALSO")[2], page


def examples_are_command_lines(_top):
    parser = cli.parser()
    for name, (_, group) in cli.families(parser).items():
        assert 2 <= len(group.examples) <= 3, name
        told = subprocess.run([sys.executable, tool.TOOL, name, "--help"],
                              check=True, capture_output=True, text=True).stdout
        for example, why in group.examples:
            words = shlex.split(example)
            assert words[:2] == ["memsuite", name] and parser.parse_args(words[1:]).function, example
            assert f"\n  {example}\n      {why}\n" in told, (example, told)


def help_names_all_commands(_top):
    told = [subprocess.run([sys.executable, tool.TOOL, *words], check=True, capture_output=True, text=True).stdout
            for words in (["--help"], ["--help", "diag"], ["--json", "-h", "status"])]
    assert told[0] == told[1] == told[2], told
    done = subprocess.run([sys.executable, tool.TOOL, "diagnose"], check=False, capture_output=True, text=True)
    assert all(word in done.stderr for word in cli.COMMANDS), done


TESTS = (
    help_names_all_commands,
    pages_are_right_roff,
    families_have_all_commands_and_options,
    configuration_has_all_keys,
    the_overview_names_all_pages,
    examples_are_command_lines,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
