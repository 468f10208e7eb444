# SPDX-License-Identifier: GPL-2.0-only
"""Builds modules from the repository against a kernel, outside the repository."""
import contextlib
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

from . import FLAVOURS, Failure, SERIES, TOP, chroot, debugkernel, kernels, locked, write_whole

# Kbuild files and what they may name; the rest of the repository does not matter to a build.
SOURCES = ("Kbuild", "Kconfig", "VERSION", "modules", "include", "tests/kunit")

# What kbuild says in every build outside the kernel's own, and no source can mend.
NOISE = re.compile("(?:compiler|pahole version) differs from the one|The kernel was built (?:by|with):|You are using:|Skipping BTF generation|"
                   "Entering directory|Leaving directory")


def kernel(name):
    return kernels.Kernel(name) if name in SERIES + FLAVOURS else debugkernel.DebugKernel(name)


# What make leaves, which is no source.
BUILT = ("*.ko", "*.o", "*.mod", "*.mod.c", ".*.cmd", "*.order", "*.symvers")
# Always the same: objects of other flags would be built anew.
FLAGS = ("W=1",)


def _state(top, sources, *more):
    """A text that changes when a file of @sources does, or one of @more."""
    seen = list(more)
    for source in sources:
        path = f"{top}/{source}"
        seen.append(path)
        for directory, _, names in os.walk(path):
            seen += [f"{directory}/{name}" for name in names]
    seen = [(path, os.stat(path)) for path in sorted(seen) if os.path.exists(path)]
    return repr([(path, stat.st_size, stat.st_mtime_ns) for path, stat in seen if not os.path.isdir(path)])


def _make(target, top, sources, flags, needed=()):
    """Copies @sources, relative to @top, and builds there unless that has been done; returns that directory.

    @needed: other files that it is built of.
    """
    checkout = hashlib.sha256(os.path.realpath(top).encode()).hexdigest()[:8]
    place = f"{target.base}/build/{target.release}/{checkout}"
    with locked(f"build-{target.release}-{checkout}"):
        state = hashlib.sha256(repr((flags, _state(top, sources, __file__, f"{target.headers}/Module.symvers",
                                                   *needed))).encode()).hexdigest()
        with contextlib.suppress(FileNotFoundError), open(f"{place}.state") as f:
            if f.read() == state and os.path.isdir(place):
                return place
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{place}.state")
        done = _make_at(place, target, top, sources, flags)
        if done.returncode:
            # A build that was killed may have left half of an object behind.
            shutil.rmtree(place)
            done = _make_at(place, target, top, sources, flags)
        if done.returncode:
            raise Failure(f"the modules do not build for {target}:\n{done.stdout}")
        remarks = [line for line in done.stdout.splitlines(keepends=True) if not NOISE.search(line)]
        sys.stderr.writelines(remarks)
        if remarks and not flags:
            # The compiler is to say it the next time, too; sparse does so anyway.
            for path in glob.glob(f"{place}/**/*.o", recursive=True):
                os.remove(path)
        if not remarks:
            write_whole(f"{place}.state", state)
    return place


def _make_at(place, target, top, sources, flags):
    """Likewise, at @place; returns what make did."""
    os.makedirs(place, exist_ok=True)
    # A changed file gets the time of now, not its own: make must never take it for older than its object.
    subprocess.run(["rsync", "-a", "--checksum", "--no-times", "--delete", "--relative",
                    *(f"--exclude={pattern}" for pattern in BUILT), *sources, f"{place}/"], cwd=top, check=True)
    command = ["make", "-s", "-C", target.headers, f"M={place.removeprefix(target.root)}", f"-j{os.cpu_count()}",
               *FLAGS, *flags, "modules"]
    if target.root:
        command = chroot.enter(target.root) + command
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def modules(target, flags=()):
    """Builds the suite; returns the directory with its .ko files below it, or None when there is no suite yet."""
    if not os.path.exists(f"{TOP}/Kbuild"):
        return None
    sources = [s for s in SOURCES if os.path.exists(f"{TOP}/{s}")]
    sources += [os.path.basename(s) for s in sorted(glob.glob(f"{TOP}/kmod-*"))]
    return _make(target, TOP, sources, tuple(flags))


def test_modules(target, suite):
    """Builds tests/modules, which no user installs, against the suite that modules() built."""
    top = f"{TOP}/tests/modules"
    if not suite or not os.path.exists(f"{top}/Kbuild"):
        return None
    inside = suite.removeprefix(target.root)
    flags = f"MEMSUITE={inside}", f"KBUILD_EXTRA_SYMBOLS={inside}/Module.symvers"
    return _make(target, top, ["."], flags, [f"{suite}/Module.symvers", f"{suite}.state"])


def products(place):
    return sorted(glob.glob(f"{place}/**/*.ko", recursive=True)) if place else []
