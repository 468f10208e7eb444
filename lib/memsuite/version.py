# SPDX-License-Identifier: GPL-2.0-only
"""The version of this tool: of the file VERSION, beside the package if installed, or at the top of the sources."""

import os


def _read():
    here = os.path.dirname(os.path.abspath(__file__))
    for place in ("..", "../.."):
        try:
            with open(os.path.join(here, place, "VERSION"), encoding="ascii") as file:
                return file.read().strip()
        except OSError:
            continue
    return "unknown"


VERSION = _read()
