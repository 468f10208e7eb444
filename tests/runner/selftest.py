#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tests/run itself, on cases that are made up; prints KTAP."""
import io
import os
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from runner import result, session  # noqa: E402

GOOD = "KTAP version 1\nok 1 a\n1..1\n"
BAD = "KTAP version 1\n# late\nnot ok 1 a\n1..1\n"
WRONG = "KTAP version 1\nnot ok 1 a # wrong data\n1..1\n"


def case(name="a case", **more):
    return types.SimpleNamespace(**dict(dict(name=name, command=[], timeout=60, alone=False, once=False), **more))


def said(output, status=0, **more):
    return result.Result(case(**more), output, status, 1.0)


class ResultTest(unittest.TestCase):
    """A stream is believed only if it is whole."""

    def counts(self, output, status=0):
        one = said(output, status)
        return one.passed, len(one.failed), one.skipped

    def test_whole(self):
        self.assertEqual(self.counts("ok 1 a\nok 2 b # SKIP none\n1..2\n"), (1, 0, 1))

    def test_failure_tells_notes(self):
        self.assertEqual(said(BAD).failed, ["a # late"])

    def test_no_plan(self):
        self.assertEqual(self.counts("ok 1 a\n"), (1, 1, 0))

    def test_too_few(self):
        self.assertEqual(self.counts("ok 1 a\n1..2\n"), (1, 1, 0))

    def test_nothing(self):
        self.assertEqual(self.counts("1..0\n"), (0, 1, 0))

    def test_status(self):
        self.assertEqual(self.counts(GOOD, 1), (1, 1, 0))

    def test_streams_in_a_row(self):
        self.assertEqual(self.counts(GOOD + GOOD), (2, 0, 0))

    def test_nested(self):
        self.assertEqual(self.counts("    not ok 1 inner\n    1..1\n" + GOOD), (1, 0, 0))

    def test_final(self):
        self.assertFalse(said(BAD, 1).final)
        self.assertFalse(said("", 124).final)
        self.assertTrue(said(GOOD).final)
        self.assertTrue(said(GOOD, result.SPLAT).final)
        self.assertTrue(said(WRONG, 1).final)
        self.assertTrue(said(BAD, 1, once=True).final)


class SessionTest(unittest.TestCase):
    """What fails by chance is tried once more, and nothing else is."""

    def ran(self, tries, **more):
        """(whether the run is good, the session, what it printed) where each case answers @tries[name] in turn."""
        self.order = []

        def run(one, directory):
            os.makedirs(directory)
            self.order.append(one.name)
            output, status = tries[one.name].pop(0)
            with open(f"{directory}/output.txt", "w", encoding="utf-8") as f:
                f.write(output)
            return result.Result(one, output, status, 1.0)

        out = tempfile.TemporaryDirectory()
        self.addCleanup(out.cleanup)
        text = io.StringIO()
        one = session.Session(out.name, 2, run, text)
        good = one.run([case(name, **more) for name in tries])
        one.summarize(60)
        return good, one, text.getvalue()

    def test_good(self):
        good, one, text = self.ran({"a": [(GOOD, 0)], "b": [(GOOD, 0)]})
        self.assertTrue(good)
        self.assertNotIn("Unsteady", text)
        self.assertEqual(text.splitlines()[-1], "2 passed, 0 failed, 0 skipped")

    def test_unsteady(self):
        good, one, text = self.ran({"a": [(BAD, 1), (GOOD, 0)], "b": [(GOOD, 0)]})
        self.assertTrue(good)
        self.assertEqual(self.order[2:], ["a"])		# at the end, alone
        self.assertEqual([r.case.name for r in one.unsteady], ["a"])
        self.assertIn("Unsteady", text)
        self.assertEqual(text.splitlines()[-1], "2 passed, 0 failed, 0 skipped")
        for directory, output in (one.first_try(case("a")), BAD), (one.directory(case("a")), GOOD):
            with open(f"{directory}/output.txt", encoding="utf-8") as f:
                self.assertEqual(f.read(), output)

    def test_fails_twice(self):
        good, one, text = self.ran({"a": [(BAD, 1), (BAD, 1)]})
        self.assertFalse(good)
        self.assertFalse(one.unsteady)
        self.assertEqual(text.splitlines()[-1], "0 passed, 1 failed, 0 skipped")

    def test_a_splat_at_the_second_try(self):
        good, one, _ = self.ran({"a": [(BAD, 1), (GOOD, result.SPLAT)]})
        self.assertFalse(good)
        self.assertFalse(one.unsteady)

    def test_never_again(self):
        for output, status in (GOOD, result.SPLAT), (WRONG, 1):
            good, _, _ = self.ran({"a": [(output, status)]})
            self.assertFalse(good)
            self.assertEqual(self.order, ["a"])
        good, _, _ = self.ran({"a": [(BAD, 1)]}, once=True)
        self.assertFalse(good)
        self.assertEqual(self.order, ["a"])


class Ktap(unittest.TestResult):
    """Prints what unittest finds."""

    def _tell(self, word, test):
        print(f"{word} {self.testsRun} {test.id().partition('.')[2]}")

    def addSuccess(self, test):
        super().addSuccess(test)
        self._tell("ok", test)

    def _fails(self, test, error):
        print("".join(f"# {line}\n" for line in self._exc_info_to_string(error, test).splitlines()), end="")
        self._tell("not ok", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._fails(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._fails(test, err)


def main():
    print("KTAP version 1")
    told = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]).run(Ktap())
    print(f"1..{told.testsRun}")
    return 0 if told.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
