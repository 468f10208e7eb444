# SPDX-License-Identifier: GPL-2.0-only
"""
A process that knows what this one has changed, and puts it back should this one be killed: what restores things at the end of
a command, or when a signal ends it, does not run then. It ends as the command does.
"""

import atexit
import contextlib
import errno
import fcntl
import json
import os
import signal
import sys
import time

from .ending import ENDING, held
from .sysfs import SYSFS

TRIES, PAUSE_S = 300, 0.1       # while the kernel is busy


class _Keeper:
    def __init__(self):
        self.pipe = None

    def start(self):
        end, self.pipe = os.pipe()
        if not os.fork():
            try:
                os.close(self.pipe)
                keep(end)
            finally:
                os._exit(0)     # nothing of the parent's is to be done twice
        os.close(end)
        os.register_at_fork(after_in_child=self.leave)
        atexit.register(self.tell, None, None)

    def leave(self):
        """A child that has the pipe as well would keep it open."""
        os.close(self.pipe)
        self.pipe = None

    def tell(self, path, text):
        if self.pipe is not None:
            with contextlib.suppress(BrokenPipeError):      # it was killed: the command goes on
                # SYSFS counts for nothing if the path begins with a slash.
                os.write(self.pipe, json.dumps([path and os.path.join(SYSFS, path), text]).encode() + b"\n")


_keeper = _Keeper()


def note(path, text):
    """Before it is changed: @text is to be written to @path, of sysfs unless it is a whole one; last come, first put back."""
    with held():
        if _keeper.pipe is None:
            _keeper.start()
        _keeper.tell(path, text)


def forget(path):
    """What was noted of it has been put back."""
    _keeper.tell(path, None)


def keep(pipe):
    """Until the other end is closed. Locks that the command has are held until all is put back."""
    os.setsid()
    for which in ENDING:
        signal.signal(which, signal.SIG_IGN)
    pipe = fcntl.fcntl(pipe, fcntl.F_DUPFD, 3)
    # Whoever reads what the command prints does not wait for this.
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(null, fd)
    noted = []
    with open(pipe, encoding="ascii") as lines:
        for path, text in map(json.loads, lines):
            if text is not None:
                noted.append((path, text))
            else:
                noted = [entry for entry in noted if path not in (None, entry[0])]
    failures = list(filter(None, (put_back(path, text) for path, text in reversed(noted))))
    if noted:
        with contextlib.suppress(OSError):
            print("memsuite: killed; what it has changed is put back", *failures, sep="\nmemsuite: but not ", file=sys.stderr,
                  flush=True)


def put_back(path, text):
    """Why it cannot be, or None. What has gone meanwhile needs nothing."""
    for _ in range(TRIES):
        try:
            fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
            try:
                os.write(fd, text.encode("utf-8", "surrogateescape") + b"\n")
            finally:
                os.close(fd)
            return None
        except OSError as error:
            why = error
        if why.errno != errno.EBUSY:
            break
        time.sleep(PAUSE_S)
    return None if why.errno in (errno.ENOENT, errno.ENODEV) else f"{path} to {text}: {why.strerror}"
