# SPDX-License-Identifier: GPL-2.0-only
"""The types of arguments."""

import argparse
import math
import mmap

from . import Failure
from .sysfs import SYSFS


def pid_argument(text):
    if not text.isascii() or not text.isdigit() or int(text) <= 0:
        raise argparse.ArgumentTypeError(f"not a process number: {text!r}")
    return int(text)


def address_argument(text):
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value < 1 << 64:
        raise argparse.ArgumentTypeError(f"not an address: {text!r}")
    return hex(value)


def size_argument(text):
    """Bytes, as the kernel takes them: K, M, G, T, 0x."""
    shift = {"k": 10, "m": 20, "g": 30, "t": 40}.get(text[-1:].lower(), 0)
    return int(text[:-1] if shift else text, 0) << shift


def amount_argument(text):
    """Bytes of memory, in whole KiB."""
    try:
        size = size_argument(text)
    except ValueError:
        size = -1
    if size < 0 or size % 1024:
        raise argparse.ArgumentTypeError(f"not an amount of memory: {text!r}")
    return size


def range_argument(text):
    try:
        start, end = (size_argument(part) for part in text.split("-"))
    except ValueError:
        start, end = 0, 0
    if not 0 <= start < end or (start | end) % mmap.PAGESIZE:
        raise argparse.ArgumentTypeError(f"not a range of pages: {text!r}")
    return text


def duration_argument(text):
    """Seconds, from 90s, 30m, 4h or 2d."""
    unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(text[-1:])
    try:
        seconds = float(text[:-1]) * unit if unit else math.nan
    except ValueError:
        seconds = math.nan
    if not 1 <= seconds <= 30 * 86400:
        raise argparse.ArgumentTypeError(f"not a time from 1s to 30d, such as 90s, 30m, 4h or 2d: {text!r}")
    return seconds


def number_argument(low, high, kind=int):
    """The type of an argument that is a number of a range."""
    def argument(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"not a number from {low} to {high}: {text!r}")
        return value
    return argument


def listen_argument(text):
    """(host, port) to listen at."""
    host, colon, port = text.rpartition(":")
    if not host or not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"not ADDRESS:PORT: {text!r}")
    return host.strip("[]"), int(port)


def setting_argument(text):
    path, equals, value = text.partition("=")
    if not equals or not value or path.startswith("/") or ".." in path.split("/"):
        raise argparse.ArgumentTypeError(f"not FILE=VALUE, with a file below {SYSFS}: {text!r}")
    return path, value


def word_argument(text):
    if not text or any(c in ", \t\n" for c in text):
        raise argparse.ArgumentTypeError(f"not a name: {text!r}")
    return text


def who_argument(text):
    """Whom a policy is for."""
    if text == "machine" or text.startswith("cgroup:/"):
        return policy_word(text)
    return str(pid_argument(text))


def placed_argument(text):
    """Whom, or what file, a policy of vipzone is for."""
    if not text.startswith("file:"):
        return who_argument(text)
    if not text.startswith("file:/"):
        raise argparse.ArgumentTypeError(f"not a path from the root on: {text!r}")
    return policy_word(text)


def tracked_argument(text):
    """A target of mrc, as the kernel will list it."""
    if text.startswith("above:"):
        try:
            size = size_argument(text[len("above:"):])
        except ValueError:
            size = 0
        if size <= 0:
            raise argparse.ArgumentTypeError(f"not a size: {text!r}")
        unit = next(i for i in range(4, -1, -1) if not size % (1 << 10 * i))
        return f"above:{size >> 10 * unit}{'KMGT'[unit - 1] if unit else ''}"
    return who_argument(text)


def check_later(args):
    """What may be there later is a cgroup: any other of these is there, or never comes."""
    if args.later and not str(args.who).startswith("cgroup:"):
        raise Failure("--later is for a cgroup")


def policy_word(text):
    """A region, or what the kernel will tell about."""
    if ":" not in text:
        return word_argument(text)
    if any(c.isspace() for c in text):
        raise argparse.ArgumentTypeError(f"not a policy: {text!r}")
    return text
