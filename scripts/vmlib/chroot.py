# SPDX-License-Identifier: GPL-2.0-only
"""Minimal roots of other Debian suites, to build with the compiler that built the kernel."""
import os
import subprocess

from . import Failure, apt, cache, locked, temporary_beside

# What kbuild's host tools are linked to; the names changed with the 64-bit time_t transition.
LIBRARIES = {"bullseye": ["libelf1", "libssl1.1"], "bookworm": ["libelf1", "libssl3"]}
LIBRARIES_T64 = ["libelf1t64", "libssl3t64"]


def directory(suite, compiler):
    """A root of `suite` with that compiler, made when missing."""
    final = f"{cache('chroot')}/{suite}-{compiler}"
    if os.path.isdir(final):
        return final
    with locked(f"chroot-{suite}"):
        if not os.path.isdir(final):
            include = [compiler, "make", "zlib1g"] + LIBRARIES.get(suite, LIBRARIES_T64)
            with temporary_beside(final) as scratch:
                done = subprocess.run(
                    ["mmdebstrap", "--mode=root", "--variant=essential", "--format=directory", "--quiet",
                     f"--keyring={apt.KEYRING}", f"--include={','.join(include)}",
                     "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
                     "--dpkgopt=path-exclude=/usr/share/locale/*",
                     suite, f"{scratch}/root", f"deb {apt.mirrors()[0]} {suite} main"],
                    capture_output=True, text=True)
                if done.returncode:
                    raise Failure(f"mmdebstrap of {suite} failed:\n{done.stderr[-4000:]}")
                os.makedirs(f"{scratch}/root/memsuite")
                os.rename(f"{scratch}/root", final)
    return final
