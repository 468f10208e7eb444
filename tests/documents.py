#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: documents name what there is
"""The files and functions that the documents for developers name are there."""
import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENTS = ["CONTRIBUTING.md", "SECURITY.md", "Documentation/architecture.md", "Documentation/debugfs.rst",
             "Documentation/glossary.md", *sorted(os.path.relpath(path, TOP) for path in
                                                  glob.glob(f"{TOP}/Documentation/design/*.md"))]
QUOTED = re.compile(r"``?([^`]+)``?")
FUNCTION = re.compile(r"\b([a-z_][a-z0-9_]{2,})\(\)")
FILE = re.compile(r"(?<![\w/.*-])((?:[\w-]+/)*[\w-]+\.(?:[chS]|py|sh|rst|md|include))\b")


def words_of_the_tree():
    """All words that stand in the sources, and the paths of all files with what they end with."""
    words, paths = set(), set()
    listed = subprocess.run(["git", "ls-files"], cwd=TOP, check=True, stdout=subprocess.PIPE, text=True).stdout
    for path in listed.splitlines():
        parts = path.split("/")
        paths.update("/".join(parts[i:]) for i in range(len(parts)))
        if path.startswith(("modules/", "kmod-", "include/", "lib/", "scripts/", "tests/", "tools/")):
            with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as file:
                words.update(re.findall(r"\w+", file.read()))
    return words, paths


def missing(text, words, paths):
    """What @text names in quotes, and the tree does not have."""
    for line, content in enumerate(text.splitlines(), 1):
        for quoted in QUOTED.findall(content):
            for name in FUNCTION.findall(quoted):
                if name not in words:
                    yield f"line {line}: no function {name}()"
            for name in FILE.findall(quoted):
                if name not in paths and "NAME" not in name:
                    yield f"line {line}: no file {name}"


def main():
    words, paths = words_of_the_tree()
    print(f"KTAP version 1\n1..{len(DOCUMENTS) + 1}")
    planted = list(missing("`no_such_function()` in `no_such_file.c`", words - {"no_such_function"}, paths))
    failed = len(planted) != 2
    print(f"{'not ' if failed else ''}ok 1 a name that is not there is found")
    for number, path in enumerate(DOCUMENTS, 2):
        with open(os.path.join(TOP, path), encoding="utf-8") as file:
            wrong = list(missing(file.read(), words, paths))
        failed += bool(wrong)
        print(*(f"# {line}" for line in wrong), f"{'not ' if wrong else ''}ok {number} {path}", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
