# SPDX-License-Identifier: GPL-2.0-only
"""The virtual machine that memsuite is tried in: kernels, builds, guest and harness."""
import contextlib
import fcntl
import os
import shutil
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SERIES = ("5.10", "6.1", "6.12", "7.2")
KERNELS = SERIES + ("debug",)


class Failure(Exception):
    """The harness itself cannot go on."""


class Usage(Exception):
    """The user asked for something that is not offered."""


def cache(*parts):
    """A directory of the cache, made if missing.  Everything in it can be deleted at any time."""
    root = os.environ.get("MEMSUITE_CACHE") or os.path.expanduser("~/.cache/memsuite")
    path = os.path.join(root, *parts)
    os.makedirs(path, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(name):
    """Holds the lock `name` against every other run of these scripts."""
    with open(os.path.join(cache("locks"), name), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_whole(path, text):
    """Writes a file that no other process sees half written; an unchanged file is left alone."""
    with contextlib.suppress(FileNotFoundError), open(path) as f:
        if f.read() == text:
            os.utime(path)
            return
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path), delete=False) as f:
        f.write(text)
    os.chmod(f.name, 0o644)
    os.rename(f.name, path)


@contextlib.contextmanager
def temporary_beside(path):
    """A scratch directory on the same file system as `path`, to be renamed to it when complete."""
    parent, name = os.path.split(path)
    os.makedirs(parent, exist_ok=True)
    scratch = tempfile.mkdtemp(prefix=f".{name}.", dir=parent)
    os.chmod(scratch, 0o755)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
