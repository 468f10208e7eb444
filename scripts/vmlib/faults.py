# SPDX-License-Identifier: GPL-2.0-only
"""Faulty memory: cells of the guest's memory that the host forces."""
from . import Usage


def parse(specs, ram):
    if specs:
        raise Usage("--fault: not yet")
    return []


class Injector:
    def __init__(self, faults, ram, scratch):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *why):
        return None

    def arguments(self):
        return []

    def start(self):
        pass

    def stop(self):
        pass
