# SPDX-License-Identifier: GPL-2.0-only
"""The cases of tests/run, as the heads of their scripts declare them.

A script's first comment may have lines of "# KEY: VALUE", which lines with a deeper indent continue:

    case: NAME          begins a case; what stands before the first one holds for all of the script's. A script for the
                        guest with a single case need not name it. What other scripts run declares nothing.
    kernels: SET...     the case runs once for each of these; without, once on the host alone
    options: OPTION...  of scripts/vm, for a script of tests/guest
    arguments: WORD...  the script's; $TOP is the directory of the sources
    timeout: SECONDS    1800 on the host, 900 in a guest. A limit is for what hangs: a machine that others use too takes
                        several times as long as usual.
    alone: yes          before all others, and nothing runs beside it
    boot: shared        a guest's script that leaves the guest as it found it: others follow in the same boot
    once: yes           if it fails it is not tried again

A SET is what scripts/kernels names: a kernel, a series and all later ones ("6.1+"), or one of all, stock, oldest,
newest, default, benched and flavours; "none" is for what only make soak runs.

What depends on the kernel's own code runs on the oldest and the newest in make test, what does not on the newest; the
basics run on all of them, as all does in make soak.

A VALUE may have alternatives: "3; debug: 1; soak: 20; soak debug: 4" is 3 in make test, but 1 on the debug kernel, and
20 in make soak, but 4 on the debug kernel. The last one of which all words hold counts; words are soak and SETs.
"""
import glob
import itertools
import os
import re
import shlex
import sys

from . import TOP

sys.path.insert(0, os.path.join(TOP, "scripts"))
from vmlib import NAMES, Usage, VARIANTS, named  # noqa: E402

KEYS = ("case", "kernels", "options", "arguments", "timeout", "alone", "boot", "once")
DECLARED = re.compile(rf"#\s({'|'.join(KEYS)}):\s+(\S.*)$")
CONTINUED = re.compile(r"#\s{2,}(\S.*)$")
ALTERNATIVE = re.compile(r"((?:[\w.+]+ )*[\w.+]+):\s+(.*)$")
GUEST = os.path.join(TOP, "tests", "guest")
HOST_S, GUEST_S = 1800, 900
BOOT_SCRIPTS = 6	# that share a boot, at most
PARALLEL = ("--parallel", "--smp", "4")	# CPUs that run at once
PATIENCE = 3		# with more of them than the machine has
MARGIN_S = 900		# for what comes before a guest's own time: a build, or a kernel that is fetched


class Mistake(Exception):
    """A head says what nobody understands."""


class Case:
    """
    A command, and how many seconds it may take; @once: it is not tried again if it fails; @beside: it may run beside as many
    others as there are processors for.
    """

    def __init__(self, name, command, timeout, alone=False, once=False, beside=False):
        self.name, self.command, self.timeout, self.alone, self.once = name, command, timeout, alone, once
        self.beside = beside


class GuestCase(Case):
    """A script in a guest; @shared: other scripts may run in the same boot."""

    def __init__(self, name, kernel, options, scripts, seconds, shared=False, **more):
        self.kernel, self.options, self.scripts, self.seconds, self.shared = kernel, options, scripts, seconds, shared
        words = ["sh", *(f"/tests/{scripts[0][0]}", *scripts[0][1:])] if len(scripts) == 1 else \
            ["sh", "/tests/several.sh", *itertools.chain(*(("--", *words) for words in scripts))]
        command = ["scripts/vm", "--kernel", kernel, "--timeout", str(seconds), *options, "--", *words]
        super().__init__(name, command, seconds + MARGIN_S, **more)


def chosen(value, kernel, soak):
    """The alternative of @value that counts on @kernel (None: no matter which)."""
    best = None
    for number, part in enumerate(value.split("; ")):
        match = ALTERNATIVE.match(part) if number else None
        if number and not match:
            raise Mistake(f"'{part}' does not say when it holds")
        words, text = match.groups() if match else ("", part)
        if all(soak if word == "soak" else kernel in named(word) for word in words.split()):
            best = text
    return best


def head(lines):
    """What the first comment of @lines declares: a dictionary for each case."""
    common, found, last = {}, [], None
    for line in map(str.rstrip, lines):
        if not line.startswith("#"):
            break
        if match := DECLARED.match(line):
            key, value = match.groups()
            if key == "case":
                found.append({})
            into = found[-1] if found else common
            if key in into:
                raise Mistake(f"{key} is said twice")
            into[key] = value
            last = into, key
        elif last and (match := CONTINUED.match(line)):
            last[0][last[1]] += " " + match.group(1)
        else:
            last = None
    if not found and "kernels" in common:
        found = [{}]
    return [{**common, **one} for one in found]


def _words(said, key, kernel, soak):
    text = chosen(said.get(key, ""), kernel, soak)
    return [word.replace("$TOP", TOP) for word in shlex.split(text)]


def _started(path):
    """The command that runs the script at @path, below TOP."""
    if os.path.basename(path) == "Makefile":
        return ["make", "-s", "-C", os.path.dirname(path), "check"]
    if os.access(os.path.join(TOP, path), os.X_OK):
        return [path]
    return ["python3" if path.endswith(".py") else "sh", path]


def declared(path, said, soak):
    """The cases that a head, as head() found it, makes of the script at @path."""
    in_guest = path.startswith(GUEST)
    name = said.get("case") or os.path.basename(path).partition(".")[0]
    words = chosen(said["kernels"], None, soak).split() if "kernels" in said else []
    if words == ["none"]:
        return
    if in_guest and not words:
        raise Mistake("it names no kernels")
    wanted = {kernel for word in words for kernel in named(word)}
    for kernel in [kernel for kernel in NAMES if kernel in wanted] or [None]:
        arguments = _words(said, "arguments", kernel, soak)
        seconds = int(chosen(said.get("timeout", str(GUEST_S if in_guest else HOST_S)), kernel, soak))
        title, more = f"{kernel or 'host'}: {name}", {"alone": "alone" in said, "once": "once" in said}
        if in_guest:
            yield GuestCase(title, kernel, _words(said, "options", kernel, soak), [(os.path.basename(path), *arguments)],
                            seconds, "boot" in said, **more)
        else:
            command = [*_started(os.path.relpath(path, TOP)), *([kernel] if kernel else []), *arguments]
            yield Case(title, command, seconds, beside=not kernel, **more)


def in_shared_boots(found):
    """@found, with those that may share a boot put together: booting takes longer than many a script."""
    alike = {}
    for case in found:
        if getattr(case, "shared", False):
            alike.setdefault((case.kernel, *case.options), []).append(case)
    shared = {case for cases_of in alike.values() for case in cases_of}
    result = [case for case in found if case not in shared]
    for together in alike.values():
        boots = -(-len(together) // BOOT_SCRIPTS)
        for some in (together[i::boots] for i in range(boots)):
            first = some[0]
            names = ", ".join(case.name.partition(": ")[2] for case in some)
            result.append(GuestCase(f"{first.kernel}: {names}", first.kernel, first.options,
                                    [words for case in some for words in case.scripts],
                                    sum(case.seconds for case in some)))
    return result


def scripts():
    """Paths of all files that may declare cases."""
    return sorted(path for pattern in ("*", "*/Makefile", "runner/*.py", "guest/*/*.sh")
                  for path in glob.glob(os.path.join(TOP, "tests", pattern)) if os.path.isfile(path))


def _all(of_head):
    """What @of_head(path, said) makes of all heads: by kernel, and in alphabetical order."""
    found = []
    for path in scripts():
        try:
            with open(path, encoding="utf-8") as f:
                found += [case for said in head(f) for case in of_head(path, said)]
        except (Mistake, Usage, ValueError) as mistake:
            raise SystemExit(f"{os.path.relpath(path, TOP)}: {mistake}") from None
    order = ("host", *NAMES)
    return sorted(found, key=lambda case: order.index(case.name.partition(":")[0]))


def cases(soak):
    """All cases of make test, or of make soak."""
    return _all(lambda path, said: declared(path, said, soak))


def parallel_cases(kernel):
    """
    Scripts of the guest, as long as in make test, on @kernel with PARALLEL: but for those that count instructions, and for
    what only the debug kernel itself has.
    """
    alike = "debug" if kernel in VARIANTS else kernel

    def of_head(path, said):
        if not path.startswith(GUEST):
            return
        everywhere = {**said, "kernels": chosen(said.get("kernels", ""), None, True)}
        if kernel in VARIANTS and everywhere["kernels"] == alike:
            return
        for case in declared(path, everywhere, False):
            if case.kernel == alike and "--icount" not in case.options:
                # Of options that are said twice, the last one counts.
                yield GuestCase(f"{kernel}: {case.name.partition(': ')[2]}", kernel, [*case.options, *PARALLEL], case.scripts,
                                PATIENCE * case.seconds, case.shared, alone=case.alone, once=case.once)

    return _all(of_head)
