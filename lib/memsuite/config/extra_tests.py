# SPDX-License-Identifier: GPL-2.0-only
"""The tests beside the main one, as memdiag/tests/add takes them."""

from ..sysfs import number, read_debugfs, table


def extra_tests():
    """{name: {"algorithm", "period_s"}}, but for tests of other modules."""
    if not number("memdiag", "tests", "count"):
        return {}
    return {row["name"]: {"algorithm": row["algorithm"], "period_s": row["period_s"]}
            for row in table(read_debugfs("memdiag", "tests")) if row["algorithm"] != "-"}
