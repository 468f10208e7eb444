# SPDX-License-Identifier: GPL-2.0-only
"""Settings that are changed for a while."""

import contextlib
import fcntl
import sys

from . import Failure, keeper
from .ending import held
from .sysfs import read, write


@contextlib.contextmanager
def alone(file, why):
    """Nobody else has this lock of the open @file meanwhile, nor until what was set is put back; or a Failure tells @why."""
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(why) from None
        try:
            yield
        finally:
            # Closing it does not do: the keeper has it open, too.
            fcntl.flock(file, fcntl.LOCK_UN)


class Settings:
    """Files of sysfs that are changed for a while."""

    def __init__(self):
        self.before = []

    def set(self, path, text, meanings=None):
        before = read(*path.split("/"))
        if before == text:
            return
        with held():
            keeper.note(path, before)
            write(path, text, meanings)
            self.before.append((path, before))

    def restore(self):
        for path, text in reversed(self.before):
            try:
                write(path, text)
            except Failure as failure:
                print(f"memsuite: {path} was {text}, and is not: {failure}", file=sys.stderr)
        for path, _ in self.before:
            keeper.forget(path)
