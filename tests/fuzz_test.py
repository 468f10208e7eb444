#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: the fuzzer judges and makes small
"""What tests/fuzz makes of the logs of its workers, and that it finds the smallest part that fails; prints KTAP."""
import contextlib
import importlib.machinery
import importlib.util
import os
import sys
import tempfile

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPEC = importlib.util.spec_from_loader("fuzz", importlib.machinery.SourceFileLoader("fuzz", f"{TOP}/tests/fuzz"))
fuzz = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz)
SUITE = "/sys/kernel/memsuite"
EINVAL, ENOENT, EPERM, ERANGE, ENOTTY, EBADMSG = 22, 2, 1, 34, 25, 74


class Made:
    """An outcome: the failure takes step 5 of vipzone, and any of loan."""

    def __init__(self, kinds):
        fails = "loan" in kinds and "vipzone" in kinds and kinds["vipzone"][0] <= 5 < kinds["vipzone"][1]
        self.sort, self.why = ("it", ["it"]) if fails else ("", [])
        self.last = {kind: min(last, 40) for kind, (_, last) in kinds.items()}


class Options:
    kernel, seed, runs = "debug", 1, 60


def smallest():
    fuzzer, runs = fuzz.Fuzzer(Options), []

    def run(kinds, _):
        runs.append(kinds)
        fuzzer.number += 1
        return Made(kinds), ""

    fuzzer.run = run
    with contextlib.redirect_stdout(None):
        found = fuzzer.smaller(fuzz.wanted([]), Made(fuzz.wanted([])), 1)
    return found["vipzone"] == (5, 6) and set(found) == {"vipzone", "loan"} and \
        found["loan"][1] - found["loan"][0] == 1 and len(runs) < 50


def outcome(text, status=0, said=""):
    """Of one worker's log."""
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/regions.0", "w", encoding="ascii") as f:
            f.write(text)
        return fuzz.Outcome(directory, status, said, fuzz.Documents())


def knows(label, number):
    return not outcome(f"0\tx\t{label}={number}*1 \n").why


def counts():
    made = outcome("3\tx\ta=0*2 b=22*1 \n4\ty\ta=0*1 \n5\tz\t")
    return made.calls["regions"] == 4 and made.errors["regions"]["0"] == 3 and made.last["regions"] == 6


CHECKS = {
    "the smallest part is found": smallest,
    "calls are counted, and the step that did not end": counts,
    "an errno of the file's entry": lambda: knows(f"write:{SUITE}/regions/add", EINVAL),
    "of a directory's": lambda: knows(f"write:{SUITE}/mrc/division/unit_kib", ERANGE),
    "of another entry that it names": lambda: knows(f"write:{SUITE}/vipzone/accesses/write_event", ERANGE),
    "of a region's file": lambda: knows(f"write:{SUITE}/regions/r1/pool_kib", ERANGE),
    "one that no entry has": lambda: not knows(f"write:{SUITE}/regions/add", ENOTTY),
    "that another file has": lambda: not knows(f"write:{SUITE}/memdiag/enabled", ENOENT),
    "of a file that is not documented": lambda: not knows(f"write:{SUITE}/regions/nothing", EINVAL),
    "of the device": lambda: knows("ioctl:QUERY", ENOENT) and knows("ioctl:CHOOSE", EPERM),
    "of the device, of another command": lambda: not knows("ioctl:TAG", ENOENT) and not knows("ioctl:TAG", EPERM),
    "a block that was not what was written": lambda: not knows("io:read", EBADMSG),
    "a splat": lambda: outcome("", 70, "vm: [ 1.0] BUG: KASAN: use-after-free in x").sort.startswith("vm: [ .] BUG: KAS"),
    "no end": lambda: outcome("", 124).why == ["no end within the time"],
    "a check of the guest's": lambda: outcome("", 1, "not ok 3 unload").why == ["not ok 3 unload"],
    "nothing": lambda: outcome("0\tx\ta=0*1 \n").why == [],
}


def main():
    print(f"KTAP version 1\n1..{len(CHECKS)}")
    failed = 0
    for number, (name, holds) in enumerate(CHECKS.items(), 1):
        good = holds()
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
