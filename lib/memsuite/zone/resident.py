# SPDX-License-Identifier: GPL-2.0-only
"""Which pages of a file are in memory."""

import ctypes
import mmap
import os

from .. import Failure
from ..proc import PAGE, frames

AT_ONCE = 16384         # pages that are mapped at a time
FAILED = ctypes.c_void_p(-1).value


def libc():
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    library.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    library.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
    return library


def error():
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def frames_mapped(library, address, count):
    """Of those that are resident; to look at others would bring them into memory."""
    resident = ctypes.create_string_buffer(count)
    if library.mincore(address, count * PAGE, resident):
        raise error()
    there = [index for index in range(count) if resident.raw[index] & 1]
    with open("/proc/self/pagemap", "rb") as pagemap:
        for index in there:
            ctypes.string_at(address + index * PAGE, 1)
        told = list(frames(pagemap, address, count))
    return [told[index] for index in there if told[index] is not None]


def frames_of_file(path):
    """The frame of each page that is in memory."""
    library = libc()
    with open(path, "rb") as file:
        pages = -(-os.fstat(file.fileno()).st_size // PAGE)
        for first in range(0, pages, AT_ONCE):
            count = min(AT_ONCE, pages - first)
            address = library.mmap(None, count * PAGE, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), first * PAGE)
            if address == FAILED:
                raise error()
            try:
                found = frames_mapped(library, address, count)
            finally:
                library.munmap(address, count * PAGE)
            if found and not any(found):
                raise Failure("frames are told to root alone")
            yield from found
