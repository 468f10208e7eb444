#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: one list of kernels
"""The kernels that dkms builds for are those of the one list, lib/memsuite/series.py, and no file has another one. A
kernel without an option that the suite needs is refused by dkms, and by make, which names it. Prints KTAP."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench  # noqa: E402
from vmlib import DEFAULT, SERIES, kernels  # noqa: E402

OWNER = "lib/memsuite/series.py"
FLAVOURS = "scripts/vmlib/__init__.py"		# of these kernels
ELSEWHERE = (":!*.md", ":!Documentation", f":!{OWNER}", f":!{FLAVOURS}")	# what is told to people may name them


def said(name):
    """What dkms.conf sets a variable to."""
    return subprocess.run(["bash", "-c", f'. ./dkms.conf && printf %s "${name}"'], cwd=bench.TOP, capture_output=True,
                          text=True, check=True).stdout


def others():
    """Lines that list kernels."""
    listed = ".{1,8}".join(map(re.escape, SERIES[:2]))
    return subprocess.run(["git", "grep", "-nE", rf"(^|[^0-9.]){listed}([^0-9]|$)", "--", ".", *ELSEWHERE], cwd=bench.TOP,
                          capture_output=True, text=True).stdout


def outside():
    """All series just before and after one that is tried, but for those that are."""
    near = [f"{major}.{minor + step}" for major, minor in (map(int, series.split(".")) for series in SERIES)
            for step in (-1, 1)]
    last = int(SERIES[-1].partition(".")[0])
    return [series for series in [*near, f"{last + 1}.0"] if series not in SERIES]


def needed():
    """Options that the build asks for."""
    with open(os.path.join(bench.TOP, "Kbuild"), encoding="utf-8") as f:
        return re.search(r"^memsuite-needs := (.*)$", f.read(), re.M).group(1).split()


def made_without(option):
    """What make says for a kernel that has all but that option."""
    with tempfile.TemporaryDirectory() as work:
        shutil.copy(os.path.join(bench.TOP, "Kbuild"), work)
        return subprocess.run(["make", "-s", "-C", kernels.Kernel(DEFAULT).headers, f"M={work}", f"CONFIG_{option}=", "modules"],
                              capture_output=True, text=True).stderr


def checks():
    expression = said("BUILD_EXCLUSIVE_KERNEL")

    def builds(release):
        # As dkms does: of the extended kind.
        return subprocess.run(["grep", "-qE", "--", expression], input=release, text=True).returncode == 0

    yield "dkms' oldest kernel is the list's", said("BUILD_EXCLUSIVE_KERNEL_MIN") == SERIES[0]
    yield "dkms' newest kernel is the list's", said("BUILD_EXCLUSIVE_KERNEL_MAX") == f"{SERIES[-1]}.999"
    for series in SERIES:
        yield f"dkms' expression has {series}", all(builds(series + rest) for rest in ("", ".0-1-amd64", ".13+deb14-amd64"))
    for series in outside():
        yield f"dkms' expression has not {series}", not builds(f"{series}.1-amd64")
    yield "dkms builds for no real-time kernel", "!CONFIG_PREEMPT_RT" in said("BUILD_EXCLUSIVE_CONFIG").split()
    asked = said("BUILD_EXCLUSIVE_CONFIG").split()
    for option in needed():
        yield f"dkms builds for no kernel without {option}", f"CONFIG_{option}" in asked
        yield f"make names {option} if it is missing", f"memsuite needs a kernel with CONFIG_{option}." in made_without(option)
    found = others()
    print("".join(f"# {line}\n" for line in found.splitlines()), end="")
    yield "nothing else lists kernels", not found


def main():
    print("KTAP version 1")
    return bench.tell(checks()) > 0


if __name__ == "__main__":
    sys.exit(main())
