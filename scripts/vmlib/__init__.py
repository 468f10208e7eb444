# SPDX-License-Identifier: GPL-2.0-only
"""The virtual machine that memsuite is tried in: kernels, builds, guest and harness."""
import contextlib
import fcntl
import os
import shutil
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(1, os.path.join(TOP, "lib"))
from memsuite.series import SERIES  # noqa: E402

KERNELS = SERIES + ("debug",)			# and one with the kernel's own checks
VARIANTS = ("latency", "kcsan")			# of that one, each for what only it can show: tests/VARIANT.config
DEFAULT = "6.12"				# for what runs on one; the debug kernel is made of its source
BENCHED = ("6.1", "6.12")			# those whose fault path is measured
# Stock kernels that are tried beside these, by tests/flavours: SERIES-FLAVOUR, SERIES-SUITE, or a series that is not
# supported.
FLAVOURS = ("5.10-cloud", "5.10-rt", "6.1-cloud", "6.1-rt", "6.12-cloud", "6.12-rt", "6.12-trixie", "7.2-cloud", "7.2-rt", "7.3")
# Kernels of our own with few options, for tests/bare: with none that can be missed, with all of them, with all but one.
BARE = ("bare", "optional", *(f"without-{option}" for option in ("NUMA", "MEMCG", "DEBUG_FS", "TRANSPARENT_HUGEPAGE", "PSI",
        "SWAP", "MEMORY_FAILURE", "MEMORY_HOTPLUG", "HUGETLBFS", "BLK_DEV_DM")))
NAMES = KERNELS + VARIANTS + FLAVOURS + BARE	# all that can be asked for
SETS = {"all": KERNELS, "stock": SERIES, "oldest": SERIES[:1], "newest": SERIES[-1:], "default": (DEFAULT,),
        "benched": BENCHED, "flavours": FLAVOURS}


class Failure(Exception):
    """The harness itself cannot go on."""


class Usage(Exception):
    """The user asked for something that is not offered."""


def named(word):
    """The kernels that a set's name stands for, a kernel's, or "6.1+": that series and all later ones."""
    if word in SETS:
        return SETS[word]
    if word in NAMES:
        return (word,)
    if word.endswith("+") and word[:-1] in SERIES:
        return SERIES[SERIES.index(word[:-1]):]
    raise Usage(f"'{word}' is no kernel: one of {', '.join((*NAMES, *SETS))}")


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
