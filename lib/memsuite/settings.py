# SPDX-License-Identifier: GPL-2.0-only
"""Settings that are changed for a while."""

import sys

from . import Failure
from .ending import held
from .sysfs import read, write


class Settings:
    """Files of sysfs that are changed for a while."""

    def __init__(self):
        self.before = []

    def set(self, path, text, meanings=None):
        before = read(*path.split("/"))
        if before == text:
            return
        with held():
            write(path, text, meanings)
            self.before.append((path, before))

    def restore(self):
        for path, text in reversed(self.before):
            try:
                write(path, text)
            except Failure as failure:
                print(f"memsuite: {path} was {text}, and is not: {failure}", file=sys.stderr)
