# SPDX-License-Identifier: GPL-2.0-only
"""The command memsuite: cli.py is its command line, and each directory has one family of its commands."""


class Failure(Exception):
    """What the user is told; the exit status is 1."""
