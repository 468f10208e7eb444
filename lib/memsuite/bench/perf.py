# SPDX-License-Identifier: GPL-2.0-only
"""What a thread's work takes: CPU time, and instructions and cycles where the processor's counters can be had."""

import contextlib
import ctypes
import fcntl
import os
import struct
import time

PERF_EVENT_OPEN = 298           # the system call, of x86-64
ENABLE, DISABLE, RESET = 0x2400, 0x2401, 0x2403
# struct perf_event_attr up to its first size: type, size, config, sample_period, sample_type, read_format, flags, ...
ATTRIBUTES = struct.Struct("=IIQQQQQIIQ")
HARDWARE, DISABLED, EXCLUDE_HV = 0, 1 << 0, 1 << 6
TIMES = 1 | 2                   # in read_format: how long it was to count, and how long it did
EVENTS = {"instructions": 1, "cycles": 0}


def opened(event):
    """A counter of this thread, in user space and the kernel; None if there is none to be had."""
    attributes = ATTRIBUTES.pack(HARDWARE, ATTRIBUTES.size, event, 0, 0, TIMES, DISABLED | EXCLUDE_HV, 0, 0, 0)
    fd = ctypes.CDLL(None, use_errno=True).syscall(PERF_EVENT_OPEN, attributes, 0, -1, -1, 0)
    return fd if fd >= 0 else None


class Counters:
    """Of this thread: ns of CPU time, and what of EVENTS is counted."""

    def __init__(self):
        self.fds = {name: fd for name, event in EVENTS.items() if (fd := opened(event)) is not None}
        self.before = None

    def start(self):
        for fd in self.fds.values():
            fcntl.ioctl(fd, RESET, 0)
        self.before = time.thread_time_ns()
        for fd in self.fds.values():
            fcntl.ioctl(fd, ENABLE, 0)

    def stop(self):
        """{unit: how much since start()}; without what was not counted all the time."""
        for fd in self.fds.values():
            fcntl.ioctl(fd, DISABLE, 0)
        taken = {"ns": time.thread_time_ns() - self.before}
        for name, fd in self.fds.items():
            count, enabled, running = struct.unpack("=QQQ", os.read(fd, 24))
            if enabled == running and count:
                taken[name] = count
        return taken

    def close(self):
        for fd in self.fds.values():
            os.close(fd)
        self.fds = {}


def counted():
    """Whether this machine counts."""
    with contextlib.closing(Counters()) as counters:
        return bool(counters.fds)
