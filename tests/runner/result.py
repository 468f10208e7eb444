# SPDX-License-Identifier: GPL-2.0-only
"""What a case says of itself, as KTAP."""
import re

SPLAT = 70		# the exit status of scripts/vm for a splat, a panic or a hang of the kernel
WRONG_DATA = "# wrong data"		# the directive of a check that found data other than it should be
LINE = re.compile(r"^(not )?ok\s+\d+\s*(?:-\s*)?(.*)$")
PLAN = re.compile(r"^1\.\.(\d+)\s*$")


class Result:
    """What a KTAP stream says, believed only if it is whole."""

    def __init__(self, case, output, status, seconds):
        self.case, self.seconds = case, seconds
        self.passed = self.skipped = 0
        self.failed = []
        self.wrong_data = False
        self.splat = status == SPLAT
        plan, notes = None, []
        for line in output.splitlines():
            # Nested results are summed up by the line of their parent.
            if match := PLAN.match(line):
                plan = (plan or 0) + int(match.group(1))  # streams may follow one another
            elif match := LINE.match(line):
                if "# SKIP" in line.upper():
                    self.skipped += 1
                elif match.group(1):
                    self.failed.append(" ".join([match.group(2), *notes[-3:]]))
                    self.wrong_data |= line.rstrip().endswith(WRONG_DATA)
                else:
                    self.passed += 1
                notes = []
            elif line.startswith("# "):
                notes.append(line)
        total = self.passed + self.skipped + len(self.failed)
        if plan is None:
            self.failed.append(f"no plan; exit status {status}")
        elif plan != total or not total:
            self.failed.append(f"{total} results of {plan}; exit status {status}")
        elif status and not self.failed:
            self.failed.append(f"exit status {status}")

    @property
    def final(self):
        """Whether a second try could not make this good: what happened once is a fault of the suite."""
        return not self.failed or self.splat or self.wrong_data or self.case.once
