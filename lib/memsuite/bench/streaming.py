# SPDX-License-Identifier: GPL-2.0-only
"""How fast a core can read, write and copy memory."""

import math
import os
import re

from .. import Failure
from ..proc import meminfo

RUNS = 7
CACHES = "/sys/devices/system/cpu/cpu0/cache"
LEAST_MIB, MOST_MIB = 64, 2048


def last_cache_mib():
    """Of the largest cache that the first CPU has, or shares."""
    sizes = [0]
    try:
        for name in os.listdir(CACHES):
            if name.startswith("index"):
                with open(f"{CACHES}/{name}/size", encoding="ascii") as file:
                    sizes.append(int(re.match(r"\d+", file.read())[0]) >> 10)
    except (OSError, TypeError):
        pass        # nobody tells
    return max(sizes)


def buffer_mib():
    """Far more than caches hold, and little of what is available."""
    mib = max(LEAST_MIB, 1 << math.ceil(math.log2(max(1, 4 * last_cache_mib()))))
    mib = min(mib, MOST_MIB, meminfo("MemAvailable") >> 24)
    if mib < max(1, 2 * last_cache_mib()):
        raise Failure(f"too little memory is available: the caches hold {last_cache_mib()} MiB")
    return mib


def streams(figures, worker):
    mib = buffer_mib()
    worker.ask("stream", mib)
    for _ in range(RUNS):
        for name, speed in worker.ask("stream", mib).items():
            figures.add(f"stream_{name}", {"GB/s": speed})
