# SPDX-License-Identifier: GPL-2.0-only
"""The debug kernel: built from Debian's source of the default series with the options of tests/debug.config."""
import contextlib
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys

from . import DEFAULT, Failure, TOP, cache, kernels, locked, write_whole

FRAGMENT = f"{TOP}/tests/debug.config"


def lost(asked, config):
    """Options of the fragment `asked` that the configuration `config` does not have as asked."""
    has = set(re.findall(r"^CONFIG_\w+=.*$", config, re.M))
    names = {line.split("=")[0] for line in has}
    missing = []
    for line in re.findall(r"^CONFIG_\w+=.*$", asked, re.M):
        name, _, value = line.partition("=")
        if (name in names) if value == "n" else (line not in has):
            missing.append(line)
    return missing


class DebugKernel:
    name = "debug"
    root = ""
    base = property(lambda self: cache())

    def __str__(self):
        return self.release

    @functools.cached_property
    def _source(self):
        return kernels.source(DEFAULT)

    @functools.cached_property
    def tree(self):
        """Directory of the build, made when missing: 15 minutes of both processors; later changes take less."""
        with open(FRAGMENT) as f:
            asked = f.read()
        with open(f"{self._source}/.version-of-package") as f:
            version = f.read().split()[1]
        # The directory's path is in its files, so that it cannot be renamed when whole: a mark comes last.
        final, made_of = f"{cache('debug')}/{version}", hashlib.sha256(asked.encode()).hexdigest()

        def complete():
            with contextlib.suppress(FileNotFoundError), open(f"{final}/.complete") as f:
                return f.read() == made_of
            return False

        if not complete():
            with locked("debugkernel"):
                if not complete():
                    with contextlib.suppress(FileNotFoundError):
                        os.remove(f"{final}/.complete")
                    self._build(final, asked)
                    write_whole(f"{final}/.complete", made_of)
        return final

    def _build(self, final, asked):
        def make(*what):
            done = subprocess.run(["nice", "-n", "10", "make", "-s", "-C", self._source, f"O={final}",
                                   f"-j{os.cpu_count()}", *what], stdout=log, stderr=subprocess.STDOUT)
            if done.returncode:
                raise Failure(f"the debug kernel does not build: see {log.name}")

        print("vm: building the debug kernel, once: 15 minutes or more", file=sys.stderr)
        os.makedirs(final, exist_ok=True)
        with open(f"{final}.log", "w") as log:
            make(f"KCONFIG_ALLCONFIG={FRAGMENT}", "allnoconfig")
            with open(f"{final}/.config") as f:
                missing = lost(asked, f.read())
            if missing:
                raise Failure(f"{FRAGMENT}: the source does not grant {', '.join(missing)}")
            shutil.rmtree(f"{final}/installed", ignore_errors=True)
            make("bzImage", "modules")
            make("modules_install", f"INSTALL_MOD_PATH={final}/installed", "INSTALL_MOD_STRIP=1")

    @functools.cached_property
    def release(self):
        with open(f"{self.tree}/include/config/kernel.release") as f:
            return f.read().strip()

    @property
    def version(self):
        return self.release

    @property
    def image(self):
        return f"{self.tree}/arch/x86/boot/bzImage"

    @property
    def modules(self):
        return f"{self.tree}/installed/lib/modules/{self.release}"

    @property
    def headers(self):
        return self.tree
