# SPDX-License-Identifier: GPL-2.0-only
"""
A process that knows what this one has changed, and puts it back should this one be killed: what restores things at the end of
a command, or when a signal ends it, does not run then. It ends as the command does.
"""

import atexit
import errno
import json
import os
import signal
import sys
import time

from .ending import ENDING

TRIES, PAUSE_S = 100, 0.1       # while the kernel is busy


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
        """A line is shorter than what a pipe takes in one piece."""
        if self.pipe is not None:
            os.write(self.pipe, json.dumps([path, text]).encode() + b"\n")


_keeper = _Keeper()


def note(path, text):
    """Before it is changed: @text is to be written to @path, before what was noted up to now. Signals are held."""
    if _keeper.pipe is None:
        _keeper.start()
    _keeper.tell(path, text)


def forget(path):
    """What was noted of it has been put back."""
    _keeper.tell(path, None)


def keep(pipe):
    """Until the other end is closed."""
    os.setsid()
    for which in ENDING:
        signal.signal(which, signal.SIG_IGN)
    # Whoever reads what the command prints, or waits for a lock of its, does not wait for this.
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(null, fd)
    os.closerange(3, pipe)
    os.closerange(pipe + 1, os.sysconf("SC_OPEN_MAX"))
    noted = []
    with open(pipe, encoding="ascii") as lines:
        for path, text in map(json.loads, lines):
            if text is not None:
                noted.append((path, text))
            else:
                noted = [entry for entry in noted if path not in (None, entry[0])]
    if noted:
        print("memsuite: killed; what it has changed is put back", file=sys.stderr, flush=True)
    for path, text in reversed(noted):
        put_back(path, text)


def put_back(path, text):
    """What has gone meanwhile needs nothing."""
    for _ in range(TRIES):
        try:
            fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
            try:
                os.write(fd, text.encode("utf-8", "surrogateescape") + b"\n")
            finally:
                os.close(fd)
            return
        except OSError as error:
            if error.errno != errno.EBUSY:
                return
        time.sleep(PAUSE_S)
