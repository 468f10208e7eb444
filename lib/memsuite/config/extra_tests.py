# SPDX-License-Identifier: GPL-2.0-only
"""The tests beside the main one, as memdiag/tests/add takes them."""

from ..proc import proc_text
from ..sysfs import number, read_debugfs, table

TABLE = "memdiag_tests"     # of /proc; modules of before have it in debugfs alone


def extra_tests():
    """{name: {"algorithm", "period_s"}}, but for tests of other modules."""
    if not number("memdiag", "tests", "count"):
        return {}
    return {row["name"]: {"algorithm": row["algorithm"], "period_s": row["period_s"]}
            for row in table(proc_text(TABLE) or read_debugfs("memdiag", "tests")) if row["algorithm"] != "-"}
