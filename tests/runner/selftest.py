#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: the tests' runner
"""Tests of tests/run itself, on cases that are made up; prints KTAP."""
import glob
import io
import os
import re
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from runner import TOP, cases, result, session  # noqa: E402
import vmlib  # noqa: E402

GOOD = "KTAP version 1\nok 1 a\n1..1\n"
BAD = "KTAP version 1\n# late\nnot ok 1 a\n1..1\n"
WRONG = "KTAP version 1\nnot ok 1 a # wrong data\n1..1\n"


def case(name="a case", **more):
    return types.SimpleNamespace(**dict(dict(name=name, command=[], timeout=60, alone=False, once=False, beside=False), **more))


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

    def ran(self, tries, latest_s=None, **more):
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
        one = session.Session(out.name, 2, run, text, latest_s)
        good = one.run([case(name, **more) for name in tries])
        one.summarize()
        return good, one, text.getvalue()

    def test_good(self):
        good, one, text = self.ran({"a": [(GOOD, 0)], "b": [(GOOD, 0)]})
        self.assertTrue(good)
        self.assertNotIn("Unsteady", text)
        self.assertNotIn("The end of", text)
        self.assertEqual(text.splitlines()[-1], "2 passed, 0 failed, 0 skipped")

    def test_beside(self):
        good, _, text = self.ran({"a": [(GOOD, 0)], "b": [(GOOD, 0)], "c": [(GOOD, 0)]}, beside=True)
        self.assertTrue(good)
        self.assertEqual(sorted(self.order), ["a", "b", "c"])
        self.assertEqual(text.splitlines()[-1], "3 passed, 0 failed, 0 skipped")

    def test_too_late(self):
        tries = {"a": [(GOOD, 0)], "b": [(GOOD, 0)]}
        good, _, text = self.ran(tries, latest_s=0)
        self.assertFalse(good)		# nothing was tested
        self.assertEqual(self.order, [])
        self.assertIn("did not begin within 0 minutes", text)
        self.assertEqual(text.splitlines()[-1], "0 passed, 0 failed, 2 skipped")
        good, _, text = self.ran(tries, latest_s=0, alone=True)
        self.assertTrue(good)
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
        self.assertIn("The end of what a said:\n    " + BAD.splitlines()[0], text)
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


class HeadTest(unittest.TestCase):
    """What a script's head declares."""

    SCRIPT = os.path.join(TOP, "tests", "guest", "core", "some.sh")

    def declared(self, text, soak=False, path=SCRIPT):
        return [(case.name, " ".join(case.command), case.timeout)
                for said in cases.head(text.splitlines()) for case in cases.declared(path, said, soak)]

    def test_a_script_that_others_run(self):
        self.assertEqual(self.declared("#!/bin/sh\n# What it does.\ntrue\n# kernels: all\n"), [])

    def test_guest(self):
        self.assertEqual(self.declared('# kernels: 6.1\n# options: --mem 512M\n#   --append "a b"\n# arguments: $TOP 2\n'),
                         [("6.1: some", f"scripts/vm --kernel 6.1 --timeout 900 --mem 512M --append a b -- sh /tests/some.sh"
                           f" {TOP} 2", 1800)])

    def test_several(self):
        text = "# timeout: 60\n# kernels: 6.1\n# case: one\n# case: two\n# kernels: debug\n# arguments: 2\n"
        self.assertEqual(self.declared(text), [
            ("6.1: one", "scripts/vm --kernel 6.1 --timeout 60 -- sh /tests/some.sh", 960),
            ("debug: two", "scripts/vm --kernel debug --timeout 60 -- sh /tests/some.sh 2", 960)])

    def test_host(self):
        path = os.path.join(TOP, "tests", "version.sh")
        self.assertEqual(self.declared("# case: a b\n", path=path), [("host: a b", "tests/version.sh", 1800)])
        self.assertEqual(self.declared("# case: a b\n# kernels: 6.1\n# arguments: 3\n", path=path),
                         [("6.1: a b", "tests/version.sh 6.1 3", 1800)])

    def test_alternatives(self):
        value = "3; debug: 1; soak: 20; soak debug: 4"
        expected_of = {("6.1", False): "3", ("debug", False): "1", ("6.1", True): "20", ("debug", True): "4"}
        for (kernel, soak), expected in expected_of.items():
            self.assertEqual(cases.chosen(value, kernel, soak), expected)
        self.assertEqual(cases.chosen("--fault 1:3:sa1", "6.1", True), "--fault 1:3:sa1")

    def test_shared_boots(self):
        """Scripts share a boot with others of the same kernel and options, and nobody else does."""
        text = "# boot: shared\n# kernels: 6.1 debug\n# arguments: 'a b' 2\n# timeout: 60\n"
        kinds = [text, text, text.replace("# boot: shared\n", ""), text + "# options: --mem 2G\n"]
        found = [one for kind in kinds for said in cases.head(kind.splitlines())
                 for one in cases.declared(self.SCRIPT, said, False)]
        together = {" ".join(one.command) for one in cases.in_shared_boots(found)}
        self.assertEqual(together, {
            f"scripts/vm --kernel {kernel} --timeout {words}" for kernel in ("6.1", "debug") for words in (
                "120 -- sh /tests/several.sh -- some.sh a b 2 -- some.sh a b 2",
                "60 -- sh /tests/some.sh a b 2", "60 --mem 2G -- sh /tests/some.sh a b 2")})

    def test_no_script_is_lost_in_boots(self):
        def scripts(of):
            return sorted((one.kernel, one.options, words) for one in of if hasattr(one, "scripts") for words in one.scripts)

        for soak in False, True:
            found = cases.cases(soak)
            together = cases.in_shared_boots(found)
            self.assertEqual(scripts(found), scripts(together))
            self.assertEqual(len({one.name for one in together}), len(together))
            self.assertTrue(all(len(one.scripts) <= cases.BOOT_SCRIPTS for one in together if hasattr(one, "scripts")))

    def test_parallel(self):
        """The same scripts, but for those that count instructions; a variant's are those of the kernel it is made of."""
        for kernel, alike in ("5.10", "5.10"), ("kcsan", "debug"):
            quick = {one.scripts[0][0][0] for one in cases.parallel_cases(kernel)}
            some = [one for one in cases.cases(True) if hasattr(one, "scripts") and one.kernel == alike
                    and not (kernel == "kcsan" and one.name == "debug: kunit")]
            self.assertEqual(quick, {one.scripts[0][0][0] for one in some if "--icount" not in one.options})
            self.assertTrue(all(one.kernel == kernel and "--parallel" in one.command for one in cases.parallel_cases(kernel)))

    def test_sets(self):
        self.assertEqual(vmlib.named("all"), vmlib.KERNELS)
        self.assertEqual(vmlib.named("oldest") + vmlib.named("newest"), (vmlib.SERIES[0], vmlib.SERIES[-1]))
        self.assertEqual(vmlib.named(f"{vmlib.SERIES[1]}+"), vmlib.SERIES[1:])

    def test_mistakes(self):
        for text in ("# kernels: 4.19\n", "# kernels: all\n# kernels: debug\n", "# kernels: debug; all\n",
                     "# case: no kernels\n"):
            with self.assertRaises((cases.Mistake, vmlib.Usage)):
                self.declared(text)

    def test_names_are_unique(self):
        for soak in False, True:
            names = [case.name for case in cases.cases(soak)]
            self.assertEqual(sorted(set(names)), sorted(names))

    def test_soak_has_all(self):
        self.assertLessEqual({case.name for case in cases.cases(False)}, {case.name for case in cases.cases(True)})

    def test_basics_on_each_kernel(self):
        names = {case.name for case in cases.cases(False)}
        for series in vmlib.SERIES:
            for name in "load", "steer", "retire", "cycles":
                self.assertIn(f"{series}: {name}", names)
            self.assertTrue(any(name.startswith(f"{series}: mrc-") for name in names))

    def test_every_script_is_run(self):
        """By tests/run, a script beside it, or another one in the guest that sources it."""
        text = ""
        for path in glob.glob(os.path.join(TOP, "tests", "*")) + glob.glob(os.path.join(TOP, "tests", "guest", "*", "*.sh")):
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as f:
                    text += f.read()
        run = {word for case in [*cases.cases(True), *cases.in_shared_boots(cases.cases(True))] for word in case.command}
        run |= set(re.findall(r"(/tests/[\w-]+\.sh)", text))
        run |= {f"/tests/{name}" for name in re.findall(r'\. "\$\(dirname "\$0"\)/([\w-]+\.sh)"', text)}
        for path in glob.glob(os.path.join(TOP, "tests", "guest", "*", "*.sh")):
            self.assertIn(f"/tests/{os.path.basename(path)}", run)


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
