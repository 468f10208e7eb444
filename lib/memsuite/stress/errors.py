# SPDX-License-Identifier: GPL-2.0-only
"""Emulated errors at random places of free memory, and how soon they are found."""

import errno
import mmap
import random
import sys
import time

from .. import Failure, keeper
from ..diag.bad_pages import bad_pages
from ..diag.faults import INJECT_ERRORS
from ..proc import is_free, is_held, ram
from ..sysfs import number, write
from .counters import STALL_S, while_tested

SWEEPS = 3                      # the first may be half done, the second skip what was just tested
PICKS = 1 << 16                 # of frames at random, to find free ones among


def free_frames(count):
    """Some at random: what is in use is not tested before it is free."""
    memory = ram()
    frames = set()
    for _ in range(PICKS if memory else 0):
        if len(frames) == count:
            break
        start, end = random.choices(memory, [end - start for start, end in memory])[0]
        frame = random.randrange(start, end)
        if is_free(frame):
            frames.add(frame)
    if len(frames) < count:
        raise Failure(f"found {len(frames)} free pages for {count} errors; run as root, or with less memory in use")
    return frames


class Errors:
    """Emulated ones, at random places of free memory."""

    def __init__(self):
        self.frames = set()
        self.injected_at = self.passes = 0
        self.known = number("memdiag", "bad_page_count")

    def inject(self, count):
        self.injected_at, self.passes = time.time(), number("memdiag", "passes")
        if count:
            keeper.note("memdiag/inject/clear", "1")
            keeper.note("memdiag/enabled", "0")
        for frame in free_frames(count) if count else ():
            address = frame * mmap.PAGESIZE + random.randrange(mmap.PAGESIZE)
            self.frames.add(frame)
            write("memdiag/inject/add",
                  f"{address:#x}:{random.randrange(8)}:{random.choice(('sa0', 'sa1'))}", INJECT_ERRORS)

    def found(self):
        """{frame: seconds that it took}."""
        if not self.frames:
            return {}
        return {int(row["pfn"], 16): max(0, int(row["time"]) - int(self.injected_at)) for row in bad_pages()
                if row["origin"] == "emulated" and int(row["pfn"], 16) in self.frames}

    def told(self):
        found = self.found()
        used = [frame for frame in self.frames - found.keys() if not is_free(frame) and not is_held(frame)]
        return {"injected_errors": len(self.frames), "found_errors": len(found), "errors_in_use": len(used),
                "found_after_s": sorted(found.values()),
                "other_bad_pages": max(0, number("memdiag", "bad_page_count") - self.known - len(found))}

    def wait(self, talk):
        """Until all are found, or everything that is free was tested."""
        lifetime_s = number("memdiag", "test_lifetime_s")
        for _ in while_tested(lifetime_s + STALL_S):
            left = len(self.frames) - len(self.found())
            if not left or (number("memdiag", "passes") >= self.passes + SWEEPS
                            and time.time() > self.injected_at + lifetime_s):
                break
            talk(f"waiting for tests to find the errors, {left} are left")

    def clear(self):
        """What a test finds that still runs would stay retired: none may."""
        if not self.frames:
            return
        write("memdiag/enabled", "0")
        for _ in range(60):
            try:
                write("memdiag/inject/clear", "1", {errno.EBUSY: "busy"})
                return
            except Failure as failure:
                why = str(failure)
                if why != "busy":
                    break
            time.sleep(0.5)
        print(f"memsuite: emulated errors are left: {why}; memsuite diag inject --clear", file=sys.stderr)
