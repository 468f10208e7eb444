#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: how commands of the memsuite tool end
"""However a command of scripts/memsuite ends, its status tells what became of it, and what it has begun has ended."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import tool
from tool import DEBUGFS, PLAN, SYSFS, TOP, Tree

from memsuite import cli, exit_status  # noqa: E402  pylint: disable=wrong-import-order

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CAUGHT = re.compile(r"^SigCgt:\s+([0-9a-f]+)$", re.M)


def await_(condition, *arguments):
    last = time.monotonic() + 30
    while not condition(*arguments):
        assert time.monotonic() < last
        time.sleep(0.01)


def ready(process):
    """Whether the tool has begun to catch signals; before, they end it as any program."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return int(CAUGHT.search(file.read())[1], 16) >> (signal.SIGTERM - 1) & 1


def a_tree(top):
    cgroups = os.path.join(top, "cgroup")
    tree = tool.a_tree_to_stress(top)
    tree.fill(tree.sysfs, {"memdiag/range/status": "running", "vipzone/enabled": "1", "mrc/add": "cgroup:/a",
                           "mrc/division/reserve_kib": "0", "mrc/division/pressure_pct": "10", "mrc/remove": "",
                           **tool.ledger_files("node0"), "vipzone/audit/interval_ms": "0",
                           "vipzone/audit/sample_accesses": "0"})
    tree.fill(tree.debugfs, {"mrc/plan": PLAN})
    tree.fill(tree.proc, {"mounts": f"none {cgroups} cgroup2 rw 0 0", "77/cgroup": "0::/a", "78/cgroup": "0::/a",
                          "meminfo": "MemTotal: 1048576 kB\nMemAvailable: 524288 kB\nSwapTotal: 1048576 kB"})
    tree.fill(os.path.join(cgroups, "a"), {
        "memory.high": "max", "memory.current": "41000000", "memory.pressure": "some avg10=0.00 avg60=0.00",
        "memory.stat": "anon 32000000\nfile_mapped 1000000\nactive_anon 30000000\ninactive_anon 4000000\n"
                       "shmem 1000000"})
    return tree


# Each long command: its arguments, the file that it writes when it has begun, with what; what is written when it is
# ended; its status.
LONG = (
    (("diag", "test", "2M-4M"), ("memdiag/range/run_test", "2M-4M"), ("memdiag/range/cancel", "1"), 32),
    (("diag", "stress", "resident", "--size", "1", "--seconds", "60"), ("memdiag/enabled", "0"),
     ("memdiag/enabled", "1"), 32),
    (("mrc", "record", "99999", "--seconds", "60", "-o", "TOP/record"), ("mrc/add", "99999"),
     ("mrc/remove", "99999"), 16),
    (("mrc", "limit", "--interval", "0.1"), ("../cgroup/a/memory.high", None), ("../cgroup/a/memory.high", "max"), 0),
    (("mrc", "top", "--interval", "0.1"), None, None, 0),
    (("zone", "energy", "--seconds", "60"), None, None, 32),
)


def has_begun(tree, process, begun):
    if not begun:
        return ready(process)
    text = tree.written(begun[0]).strip()
    return text == begun[1] if begun[1] else text not in ("", "max")


def end(process, *signals):
    """What it says, and its status."""
    for which in signals:
        process.send_signal(which)
    _, text = process.communicate(timeout=30)
    assert "Traceback" not in text, text
    return text, process.returncode


def a_signal_ends_all_that_was_begun(top):
    for number, (arguments, begun, ended, status) in enumerate(LONG):
        for which in SIGNALS:
            tree = a_tree(os.path.join(top, f"{number}-{which}"))
            process = tree.start(*(word.replace("TOP", top) for word in arguments))
            await_(has_begun, tree, process, begun)
            # Terminals and systemd send two.
            text, returned = end(process, which, signal.SIGHUP)
            assert returned == status, (arguments, which, returned, text)
            assert not ended or tree.written(ended[0]).strip() == ended[1], (arguments, which)


def killed(process):
    """What its keeper says."""
    os.kill(process.pid, signal.SIGKILL)
    text = process.communicate(timeout=30)[1]
    assert process.returncode == -signal.SIGKILL, (process.returncode, text)
    return text


def what_is_killed_is_put_back(top):
    """By a process that knows of it."""
    for number, (arguments, begun, ended, _) in enumerate(LONG):
        if arguments[1] not in ("stress", "record", "limit"):
            continue
        tree = a_tree(os.path.join(top, str(number)))
        process = tree.start(*(word.replace("TOP", top) for word in arguments))
        await_(has_begun, tree, process, begun)
        # Its keeper is told of a target once it is added.
        await_(lambda: "record" not in arguments or os.path.exists(os.path.join(top, "record")))
        assert "put back" in killed(process), arguments
        assert tree.written(ended[0]).strip() == ended[1], arguments


def emulated_errors_of_what_is_killed_go_first(top):
    """While memdiag is off: none of them is found."""
    tree = tool.a_tree_to_stress(top, 5, 9)
    tree.fill(tree.sysfs, {"memdiag/enabled": "1", "memdiag/passes": "0"})
    process = tree.start("from memsuite.stress.errors import Errors; import signal; Errors().inject(2); signal.pause()",
                         tool="-c", PYTHONPATH=os.path.join(TOP, "lib"))
    await_(lambda: tree.written("memdiag/inject/add").strip())
    text = killed(process)
    assert "put back" in text and "but not" not in text, text
    assert tree.written("memdiag/inject/clear") == "1\n" and tree.written("memdiag/enabled") == "0\n"


def autogroups_of_what_is_killed_come_back(top):
    """They are off for a moment, while processes are begun that heat the machine."""
    tree = a_tree(top)
    tree.fill(tree.proc, {"sys/kernel/sched_autogroup_enabled": "1"})
    setting = os.path.join(tree.proc, "sys/kernel/sched_autogroup_enabled")
    for last in "os.kill(os.getpid(), signal.SIGKILL)", "pass":
        process = tree.start("import os, signal\nfrom memsuite.burn_in.heat import without_autogroup\n"
                             f"with without_autogroup():\n    print(open({setting!r}).read(), flush=True)\n    {last}",
                             tool="-c", PYTHONPATH=os.path.join(TOP, "lib"))
        said, text = process.communicate(timeout=30)
        assert said.strip() == "0" and "but not" not in text, (said, text)
        assert ("put back" in text) == (last != "pass"), (last, text)
        assert text_of(tree.proc, "sys/kernel/sched_autogroup_enabled").strip() == "1", (last, text)


KEPT = """
import os, signal, sys
from memsuite import keeper
for name in "abc":
    keeper.note(sys.argv[1] + name, name)
keeper.forget(sys.argv[1] + "b")
keeper.note(sys.argv[1] + "c", "later")
keeper.note(sys.argv[1] + "gone", "text")
if not os.fork():
    os.close(1)
    os.close(2)
    signal.alarm(20)
    signal.pause()
exec(sys.argv[2])
"""


def what_was_put_back_stays(_top):
    """Whatever becomes of the command or of its keeper; the keeper waits for no other process."""
    kill = "os.kill(os.getpid(), signal.SIGKILL)"
    no_keeper = ("os.kill(int(os.popen(f'pgrep -oP {os.getpid()}').read()), signal.SIGKILL)\n"
                 "os.wait()\nkeeper.note('x', 'y')\nprint('went on')")
    for code, shell, expected in (("", "", ""), (kill, "", "a  c"), (kill, "2>&-", "a  c"), (kill, "<&-", "a  c"),
                                  (no_keeper, "", "")):
        with tempfile.TemporaryDirectory() as directory:
            for name in "abc":
                with open(os.path.join(directory, name), "w", encoding="ascii"):
                    pass
            result = subprocess.run(["sh", "-c", f'"$@" {shell}; :', "sh", sys.executable, "-c", KEPT, directory + "/", code],
                                    check=False, capture_output=True, text=True, timeout=15,
                                    env={**os.environ, "PYTHONPATH": os.path.join(TOP, "lib")})
            await_(lambda: " ".join(text_of(directory, name).strip() for name in "abc").strip() == expected)
            assert "Traceback" not in result.stderr and (code != no_keeper or result.stdout == "went on\n"), result


def text_of(directory, name):
    with open(os.path.join(directory, name), encoding="ascii") as file:
        return file.read()


def at_whatever_moment_it_comes(top):
    """From the first moment on at which it is caught, in small steps."""
    tree = a_tree(top)
    for nr in range(40):
        tree.fill(tree.sysfs, {"mrc/add": "", "mrc/remove": ""})
        process = tree.start("mrc", "record", "99999", "--seconds", "60", "-o", os.path.join(top, "record"))
        await_(ready, process)
        time.sleep(nr * 0.001)
        text, returned = end(process, signal.SIGTERM)
        assert returned in (16, 32), (nr, returned, text)
        assert tree.written("mrc/add").strip() == tree.written("mrc/remove").strip(), nr


EARLY = """
import os, signal, sys
from memsuite import cli
which = int(sys.argv[1])
def hasty(number, handler, set=signal.signal):
    before = set(number, handler)
    os.kill(os.getpid(), which)
    return before
def late(args, told=cli.told):
    os.kill(os.getpid(), which)
    return told(args)
%s
sys.exit(cli.main(sys.argv[2:]))
"""
# What goes on until a signal has done what it was to do.
GO_ON = ("mrc", "top"), ("mrc", "limit"), ("top", "--json"), ("store", "watch"), ("exporter", "--listen", "127.0.0.1:0")


def however_early_it_comes_the_status_is_the_same(top):
    """While handlers are being set, and before the command has done anything."""
    tree = a_tree(top)
    commands = {**{arguments: 32 for arguments, *_ in LONG if arguments[:2] not in GO_ON}, **dict.fromkeys(GO_ON, 0)}
    for when in "signal.signal = hasty", "cli.told = late":
        for nr, (arguments, status) in enumerate(commands.items()):
            which = SIGNALS[nr % len(SIGNALS)]
            result = tree.run(EARLY % when, str(which.value), *arguments, tool="-c", PYTHONPATH=os.path.join(TOP, "lib"))
            assert result.returncode == status, (when, arguments, which, result)


def a_second_signal_that_comes_late_changes_nothing(_top):
    """All is restored by then, and the status is that of what the first one has ended."""
    code = ("import os, signal, sys\nfrom memsuite.ending import Ended, until_ended\n"
            "def body():\n    os.kill(os.getpid(), signal.SIGTERM)\n    signal.pause()\n"
            "try:\n    until_ended(body)\nexcept Ended:\n    os.kill(os.getpid(), signal.SIGHUP)\n    sys.exit(32)\n")
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.path.join(TOP, "lib")}, check=False)
    assert done.returncode == 32, done


def a_test_of_somebody_else_is_not_cancelled(top):
    """Where a range could not be tested, another test may run."""
    tree = a_tree(top)
    os.unlink(os.path.join(tree.sysfs, "memdiag/range/run_test"))
    result = tree.run("diag", "test", "2M-4M")
    assert result.returncode == 1 and tree.written("memdiag/range/cancel").strip() == "", result


def what_is_ignored_stays_so(top):
    """As nohup(1) wants it."""
    tree = a_tree(top)
    process = tree.start("diag", "test", "2M-4M", python=("nohup", sys.executable))
    await_(has_begun, tree, process, ("memdiag/range/run_test", "2M-4M"))
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None
    assert end(process, signal.SIGTERM)[1] == 32 and tree.written("memdiag/range/cancel").strip() == "1"


def what_cannot_be_written_is_told(top):
    tree = Tree(top, SYSFS, DEBUGFS)
    for command in ("status",), ("export",), ("mrc", "show", "77"), ("status", "--json"), ("diag", "enable"):
        with open("/dev/full", "w", encoding="utf-8") as full, tree.start(*command, stdout=full) as process:
            text = process.stderr.read()
        assert process.returncode == 1, command
        assert text == "memsuite: standard output: No space left on device\n", (command, text)


def every_command_tells_its_statuses(_top):
    parser = cli.parser()
    count = 0
    for words, command in cli.commands_of(parser):
        text = command.format_help()
        told = dict(re.findall(r"^  (\d+) +(\S.*)$", text[text.index("exit status"):], re.M))
        assert {str(status) for status in exit_status.COMMON} <= set(told), words
        count += 1
    assert count > 50, count
    # The manual page has all.
    with open(os.path.join(TOP, "Documentation", "man", "memsuite.8"), encoding="utf-8") as file:
        page = file.read()
    section = page[page.index(".SH EXIT STATUS"):page.index(".SH EXAMPLES")]
    for status in [*exit_status.MEANINGS, exit_status.NOT_FOUND, exit_status.NOT_EXECUTABLE]:
        assert re.search(rf"^\.BR? .*\b{status}\b", section, re.M), status


TESTS = (
    a_signal_ends_all_that_was_begun,
    what_is_killed_is_put_back,
    emulated_errors_of_what_is_killed_go_first,
    autogroups_of_what_is_killed_come_back,
    what_was_put_back_stays,
    at_whatever_moment_it_comes,
    however_early_it_comes_the_status_is_the_same,
    a_second_signal_that_comes_late_changes_nothing,
    a_test_of_somebody_else_is_not_cancelled,
    what_is_ignored_stays_so,
    what_cannot_be_written_is_told,
    every_command_tells_its_statuses,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
