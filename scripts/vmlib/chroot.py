# SPDX-License-Identifier: GPL-2.0-only
"""Minimal roots of other Debian suites, to build with the compiler that built the kernel."""
import hashlib
import os
import subprocess

from . import Failure, apt, cache, locked, temporary_beside


def directory(suite, needed):
    """A root of `suite` with the packages `needed`, made when missing."""
    key = hashlib.sha256(" ".join(needed).encode()).hexdigest()[:8]
    final = f"{cache('chroot')}/{suite}-{key}"
    if os.path.isdir(final):
        return final
    with locked(f"chroot-{suite}"):
        if not os.path.isdir(final):
            with temporary_beside(final) as scratch:
                # Proxies, and what the host makes of an old mirror: mmdebstrap does not look for itself.
                with open(f"{scratch}/apt.conf", "w") as f:
                    f.writelines(line + "\n" for line in apt.acquisition())
                done = subprocess.run(
                    ["mmdebstrap", "--mode=root", "--variant=essential", "--format=directory", "--quiet",
                     f"--keyring={apt.KEYRING}", f"--include={','.join(needed)}",
                     f"--aptopt={scratch}/apt.conf", "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
                     "--dpkgopt=path-exclude=/usr/share/locale/*",
                     suite, f"{scratch}/root", f"deb {apt.mirrors()[0]} {suite} main"],
                    capture_output=True, text=True)
                if done.returncode:
                    raise Failure(f"mmdebstrap of {suite} failed:\n{done.stderr[-4000:]}")
                os.makedirs(f"{scratch}/root/memsuite")
                os.rename(f"{scratch}/root", final)
    return final


def enter(root):
    """What to put before a command that is to run in `root`; /proc is mounted for it alone (objtool reads limits)."""
    return ["unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', root,
            "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"]
