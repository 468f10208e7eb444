# SPDX-License-Identifier: GPL-2.0-only
"""The debug kernel and its variants: built from Debian's source of the default series, with options of our own.

Those of the debug kernel are in tests/debug.config. What a variant has else is in a file of its own, tests/VARIANT.config.
Those of the bare kernel are in tests/bare.config, and what it lacks is in tests/optional.config.
"""
import contextlib
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys

from . import DEFAULT, Failure, TOP, cache, kernels, locked, write_whole

BASE = "debug"
PARTS = {"bare": ("bare",), "optional": ("bare", "optional")}	# others: of BASE, and their own
# Of make, for the kernel alone: its own races are known, and would hide those of the suite, whose modules are watched.
OPTIONS = {"kcsan": ("KCSAN_SANITIZE=n",)}
WITHOUT = "without-"		# all of "optional" but that option, and what needs it


def fragment(name):
    """The options of a kernel, as text: of two lines about one, the last one counts."""
    missing = name.removeprefix(WITHOUT) if name.startswith(WITHOUT) else ""
    text = ""
    for part in PARTS["optional"] if missing else PARTS.get(name, dict.fromkeys((BASE, name))):
        with open(f"{TOP}/tests/{part}.config") as f:
            text += f.read()
    return text + (f'CONFIG_{missing}=n\nCONFIG_LOCALVERSION="-{name}"\n' if missing else "")


def lost(asked, config):
    """Options of the fragment `asked` that the configuration `config` does not have as asked."""
    has = set(re.findall(r"^CONFIG_\w+=.*$", config, re.M))
    names = {line.split("=")[0] for line in has}
    missing = []
    for name, value in dict(re.findall(r"^(CONFIG_\w+)=(.*)$", asked, re.M)).items():
        line = f"{name}={value}"
        if (name in names) if value == "n" else (line not in has):
            missing.append(line)
    return missing


class DebugKernel:
    root = ""
    base = property(lambda self: cache())

    def __init__(self, name=BASE):
        self.name = name

    def __str__(self):
        return self.release

    @functools.cached_property
    def _source(self):
        return kernels.source(DEFAULT)

    @functools.cached_property
    def tree(self):
        """Directory of the build, made when missing: 15 minutes of both processors; later changes take less."""
        asked = fragment(self.name)
        with open(f"{self._source}/.version-of-package") as f:
            version = f.read().split()[1]
        # The directory's path is in its files, so that it cannot be renamed when whole: a mark comes last.
        final, made_of = f"{cache(self.name)}/{version}", hashlib.sha256(asked.encode()).hexdigest()

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
                                   f"-j{os.cpu_count()}", *OPTIONS.get(self.name, ()), *what],
                                  stdout=log, stderr=subprocess.STDOUT)
            if done.returncode:
                raise Failure(f"the {self.name} kernel does not build: see {log.name}")

        print(f"vm: building the {self.name} kernel, once: 15 minutes or more", file=sys.stderr)
        os.makedirs(final, exist_ok=True)
        with open(f"{final}.log", "w") as log:
            write_whole(f"{final}.config", asked)
            make(f"KCONFIG_ALLCONFIG={final}.config", "allnoconfig")
            with open(f"{final}/.config") as f:
                missing = lost(asked, f.read())
            if self.name.startswith(WITHOUT):
                missing = [line for line in missing if line.endswith("=n")]
            if missing:
                raise Failure(f"{final}.config: the source does not grant {', '.join(missing)}")
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
