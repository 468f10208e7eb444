# SPDX-License-Identifier: GPL-2.0-only
"""The command memsuite: cli.py is where it begins, and each directory has one family of its commands."""

from .exit_status import FAILED, NOT_LOADED


class Failure(Exception):
    """What the user is told."""

    status = FAILED


class NotLoaded(Failure):
    """A module is not loaded that the command takes."""

    status = NOT_LOADED
