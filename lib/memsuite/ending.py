# SPDX-License-Identifier: GPL-2.0-only
"""The signals that end a command which has something to restore."""

import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def on_ending(handler):
    """signal.default_int_handler raises KeyboardInterrupt; signal.SIG_IGN is for while things are restored."""
    for which in ENDING:
        signal.signal(which, handler)
