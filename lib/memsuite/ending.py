# SPDX-License-Identifier: GPL-2.0-only
"""The signals that end a command: what it has begun is ended as well."""

import contextlib
import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ended(BaseException):
    """A signal, whose name it has, ended what ran."""


class _Handler:
    """Raises once: a terminal or systemd sends two signals, and the second one would end what restores things."""

    def __init__(self):
        self.armed, self.raised, self.missed = True, False, None

    def __call__(self, number, _frame):
        name = signal.Signals(number).name
        self.missed = name if not self.armed and not self.raised else None
        if self.armed:
            self.armed, self.raised = False, True
            raise Ended(name)


def on_ending(handler):
    """Returns the handler of before. What whoever started us ignores stays ignored: nohup(1) does so."""
    before = signal.SIG_DFL
    for which in ENDING:
        if signal.getsignal(which) != signal.SIG_IGN:
            before = signal.signal(which, handler)
    return before


@contextlib.contextmanager
def held():
    """What is begun in the body is known to have begun when a signal ends the command."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def as_usual():
    """For a child that was forked, maybe while signals were held."""
    on_ending(signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def until_ended(body, restore=lambda: None):
    """What @body returns, or Ended if a signal ended it. Either way @restore is called, which no signal disturbs."""
    handler = _Handler()
    # None comes while some have this handler, and others that of before.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    before = on_ending(handler)
    try:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            return body()
        finally:
            handler.armed = False
    finally:
        # Nobody comes here with the handler armed: if it raised just before it was disarmed, it has disarmed itself.
        restore()
        # All is restored, and the status tells of it: of another signal, late as it comes, nothing follows.
        on_ending(signal.SIG_IGN if handler.raised or handler.missed else before)
        if handler.missed:
            raise Ended(handler.missed)
