# SPDX-License-Identifier: GPL-2.0-only
"""Builds modules from the repository against a kernel, outside the repository."""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

from . import Failure, TOP, chroot, debugkernel, kernels, locked

# Kbuild files and what they may name; the rest of the repository does not matter to a build.
SOURCES = ("Kbuild", "Kconfig", "VERSION", "modules", "include", "tests/kunit")

# What kbuild says in every build outside the kernel's own, and no source can mend.
NOISE = re.compile("(?:compiler|pahole version) differs from the one|The kernel was built (?:by|with):|You are using:|Skipping BTF generation|"
                   "Entering directory|Leaving directory")


def kernel(name):
    return debugkernel.DebugKernel() if name == "debug" else kernels.Kernel(name)


def _make(target, top, sources, flags):
    """Copies `sources`, relative to `top`, and builds there; returns that directory."""
    checkout = hashlib.sha256(os.path.realpath(top).encode()).hexdigest()[:8]
    place = f"{target.base}/build/{target.release}/{checkout}"
    done = _make_at(place, target, top, sources, flags)
    if done.returncode:
        # A build that was killed may have left half of an object behind.
        shutil.rmtree(place)
        done = _make_at(place, target, top, sources, flags)
    if done.returncode:
        raise Failure(f"the modules do not build for {target}:\n{done.stdout}")
    sys.stderr.writelines(line for line in done.stdout.splitlines(keepends=True) if not NOISE.search(line))
    return place


def _make_at(place, target, top, sources, flags):
    """Likewise, at `place`; returns what make did."""
    os.makedirs(place, exist_ok=True)
    # A changed file gets the time of now, not its own: make must never take it for older than its object.
    subprocess.run(["rsync", "-a", "--checksum", "--no-times", "--delete", "--relative", "--exclude=*.ko", "--exclude=*.o", "--exclude=*.mod",
                    "--exclude=*.mod.c", "--exclude=.*.cmd", "--exclude=*.order", "--exclude=*.symvers",
                    *sources, f"{place}/"], cwd=top, check=True)
    command = ["make", "-s", "-C", target.headers, f"M={place.removeprefix(target.root)}", f"-j{os.cpu_count()}",
               *flags, "modules"]
    if target.root:
        command = chroot.enter(target.root) + command
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def modules(target, flags=()):
    """Builds the suite; returns the directory with its .ko files below it, or None when there is no suite yet."""
    if not os.path.exists(f"{TOP}/Kbuild"):
        return None
    sources = [s for s in SOURCES if os.path.exists(f"{TOP}/{s}")]
    sources += [os.path.basename(s) for s in sorted(glob.glob(f"{TOP}/kmod-*"))]
    with locked(f"build-{target.release}"):
        return _make(target, TOP, sources, flags)


def test_modules(target, suite):
    """Builds tests/modules, which no user installs, against the suite that modules() built."""
    top = f"{TOP}/tests/modules"
    if not suite or not os.path.exists(f"{top}/Kbuild"):
        return None
    suite = suite.removeprefix(target.root)
    with locked(f"build-{target.release}"):
        return _make(target, top, ["."], (f"MEMSUITE={suite}", f"KBUILD_EXTRA_SYMBOLS={suite}/Module.symvers"))


def products(place):
    return sorted(glob.glob(f"{place}/**/*.ko", recursive=True)) if place else []
