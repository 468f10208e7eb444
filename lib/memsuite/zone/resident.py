# SPDX-License-Identifier: GPL-2.0-only
"""Which pages of a file are in memory."""

import ctypes
import errno
import mmap
import os

from .. import Failure
from ..proc import PAGE, frames

AT_ONCE = 16384         # pages that are mapped at a time
MADV_POPULATE_READ = 22
FAILED = ctypes.c_void_p(-1).value


def libc():
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    library.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    library.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
    library.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return library


def error():
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def runs(flags):
    """(first, behind the last) of those that are resident."""
    first = None
    for index, flag in enumerate((*flags, 0)):
        if flag & 1 and first is None:
            first = index
        elif not flag & 1 and first is not None:
            yield first, index
            first = None


def look(library, address, count):
    """Has pages in the page table that are in memory. Who touches what was cut off of the file meanwhile is killed."""
    if library.madvise(address, count * PAGE, MADV_POPULATE_READ) and ctypes.get_errno() == errno.EINVAL:
        for at in range(address, address + count * PAGE, PAGE):     # Linux before 5.14
            ctypes.string_at(at, 1)


def frames_mapped(library, address, count):
    """Of those that are resident; to look at others would bring them into memory."""
    resident = ctypes.create_string_buffer(count)
    if library.mincore(address, count * PAGE, resident):
        raise error()
    flags = resident.raw
    with open("/proc/self/pagemap", "rb") as pagemap:
        for first, last in runs(flags):
            look(library, address + first * PAGE, last - first)
        told = list(frames(pagemap, address, count))
    return [told[index] for index in range(count) if flags[index] & 1 and told[index] is not None]


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
