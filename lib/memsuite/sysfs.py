# SPDX-License-Identifier: GPL-2.0-only
"""The files of the modules: values in sysfs, tables in debugfs."""

import contextlib
import errno
import fcntl
import os
import re

from . import Failure, NotLoaded
from .proc import PROC, proc_text

SYSFS = os.environ.get("MEMSUITE_SYSFS", "/sys/kernel/memsuite")
DEBUGFS = os.environ.get("MEMSUITE_DEBUGFS", "/sys/kernel/debug/memsuite")
BAD_PAGES = os.path.join(PROC, "memdiag_bad_pages")

CORE = "memsuite"
MODULES = (CORE, "memdiag", "vipzone", "mrc")


def present(*path):
    """Whether a file or directory of sysfs is there."""
    return os.path.exists(os.path.join(SYSFS, *path))


def loaded(module):
    return present() if module == CORE else present(module)


def those_there(what, names):
    """what(name) of each of names(), but for those that have gone when it is asked: a program may end at any time."""
    found = []
    for name in names():
        try:
            found.append(what(name))
        except (Failure, FileNotFoundError):
            if name in names():
                raise
    return found


def entries(*path):
    """Names of the directories in a directory of sysfs."""
    top = os.path.join(SYSFS, *path)
    try:
        return sorted(e.name for e in os.scandir(top) if e.is_dir())
    except FileNotFoundError:
        return []


def refusal():
    """Why the kernel loads no module that is not signed; None if it does."""
    for path, asked, text in (
            ("/sys/kernel/security/lockdown", r"\[(integrity|confidentiality)\]", "the kernel is locked down ({})"),
            ("/sys/module/module/parameters/sig_enforce", r"^(Y)", "module.sig_enforce is {}")):
        try:
            with open(os.environ.get("MEMSUITE_ROOT", "") + path, encoding="ascii", errors="replace") as file:
                found = re.search(asked, file.read())
        except OSError:
            continue
        if found:
            return f"{text.format(found[1])}: it loads signed modules only"
    return None


def need(module):
    if not loaded(module):
        why = refusal()
        raise NotLoaded(f"{module} is not loaded; " + (f"{why}, see memsuite doctor" if why else f"as root: modprobe {module}"))


class NoValue(Failure):
    """A file has nothing to tell yet."""


def read(*path):
    full = os.path.join(SYSFS, *path)
    try:
        # Paths of cgroups, and texts of firmware, may be any bytes.
        with open(full, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().strip()
    except PermissionError:
        raise Failure(f"{full}: permission denied; run as root") from None
    except OSError as error:
        raise (NoValue if error.errno == errno.ENODATA else Failure)(f"{full}: {error.strerror}") from None


def number(*path):
    text = read(*path)
    try:
        return int(text, 0)
    except ValueError:
        raise Failure(f"{os.path.join(SYSFS, *path)}: "
                      f"not a number: {text[:40]!r}") from None


@contextlib.contextmanager
def writer(path, exclusive=None):
    """
    A function that writes a line in one piece, as sysfs wants it; its @meanings explain errnos. With @exclusive,
    which says so, one command at a time has it.
    """
    full = os.path.join(SYSFS, path)
    try:
        fd = os.open(full, os.O_WRONLY | os.O_TRUNC)
    except PermissionError:
        raise Failure(f"{full}: permission denied; run as root") from None
    except OSError as error:
        raise Failure(f"{full}: {error.strerror}") from None
    if exclusive:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            raise Failure(exclusive) from None

    def write_line(text, meanings=None):
        try:
            os.write(fd, text.encode("utf-8", "surrogateescape") + b"\n")
        except OSError as error:
            why = (meanings or {}).get(error.errno, error.strerror)
            raise Failure(why) from None

    try:
        yield write_line
    finally:
        os.close(fd)


def write(path, text, meanings=None):
    with writer(path) as write_line:
        write_line(text, meanings)


def read_bad_pages():
    """The table of bad pages: in procfs, for hardened kernels have no debugfs."""
    try:
        with open(BAD_PAGES, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return read_debugfs("memdiag", "bad_pages")
    except PermissionError:
        raise Failure(f"{BAD_PAGES}: permission denied; run as root") from None


def debugfs_refused():
    """Whether the kernel's command line has it mounted by nobody; the last word counts."""
    said = re.findall(r"(?:^|\s)debugfs=(\S+)", proc_text("cmdline"))
    return bool(said) and said[-1] in ("off", "no-mount")


def debugfs_remedy():
    return ("boot without debugfs= on the kernel's command line" if debugfs_refused() else
            "as root: mount -t debugfs none /sys/kernel/debug")


def read_debugfs(*path):
    full = os.path.join(DEBUGFS, *path)
    try:
        with open(full, encoding="utf-8", errors="replace") as file:
            return file.read()
    except PermissionError:
        raise Failure(f"{full}: permission denied; run as root") from None
    except FileNotFoundError:
        if not os.path.exists(DEBUGFS):
            raise Failure(f"{DEBUGFS} is not there; {debugfs_remedy()}") from None
        raise
    except OSError as error:
        raise Failure(f"{full}: {error.strerror}") from None


def numbers(*path, names=None):
    """{file: value} of a directory of sysfs, or of some names there; empty if it is not there."""
    try:
        found = sorted(os.listdir(os.path.join(SYSFS, *path)))
    except FileNotFoundError:
        return {}
    return {name: number(*path, name) for name in found if not names or name in names}


def table(text):
    """Rows of a debugfs table; its first line is '# column column ...'."""
    lines = text.splitlines()
    if not lines or not lines[0].startswith("#"):
        raise Failure("a table without its line of columns: "
                      "is this tool as new as the modules?")
    columns = lines[0][1:].split()
    return [dict(zip(columns, line.split())) for line in lines[1:] if line]
