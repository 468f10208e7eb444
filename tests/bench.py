# SPDX-License-Identifier: GPL-2.0-only
"""What the benchmarks share: running a guest, telling what holds, tables and charts."""
import json
import os
import platform
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "scripts"))
from vmlib import DEFAULT, SERIES  # noqa: E402

KERNEL, NEWEST = DEFAULT, SERIES[-1]		# that benchmarks run on
RESULTS = os.path.join(TOP, "Documentation", "results")


def in_guest(options, command):
    """What the guest prints as JSON objects, a line each; everything is echoed as comments of KTAP."""
    guest = subprocess.Popen(["scripts/vm", *options, "--", *command], cwd=TOP, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    for line in guest.stdout:
        print("#", line.rstrip(), flush=True)
        if line.startswith("{"):
            yield json.loads(line)
    if guest.wait():
        raise SystemExit(f"the virtual machine ended with {guest.returncode}")


def machine():
    """This one, in words."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        processor = re.search(r"model name\s*:\s*(.*)", f.read()).group(1)
    return f"{processor}, {platform.system()} {platform.release()}"


def tell(checks):
    """Prints (what, whether it is so) as KTAP; returns how many are not."""
    failed = number = 0
    for number, (what, good) in enumerate(checks, 1):
        print(f"{'ok' if good else 'not ok'} {number} {what}")
        failed += not good
    print(f"1..{number}")
    return failed


def table(head, rows, texts=1):
    """Lines of Markdown; all columns but the first @texts are numbers."""
    def line(cells):
        return f"| {' | '.join(cells)} |"

    return [line(head), f"{'|---' * texts}{'|--:' * (len(head) - texts)}|", *map(line, rows)]


def pyplot():
    """matplotlib's, set up so that the same figures give the same file."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "memsuite"
    from matplotlib import pyplot as plot
    return plot


def grouped_bars(axes, groups, series):
    """@series: {label: [a value for each group]}; a value may be None."""
    width = 0.8 / len(series)
    for i, (label, values) in enumerate(series.items()):
        at = [x + (i - (len(series) - 1) / 2) * width for x in range(len(groups))]
        axes.bar(at, [0 if value is None else value for value in values], width, label=label)
    axes.set_xticks(range(len(groups)), groups)


def save(figure, name):
    figure.tight_layout()
    figure.savefig(os.path.join(RESULTS, f"{name}.svg"), metadata={"Date": None})


def write(name, lines):
    with open(os.path.join(RESULTS, f"{name}.md"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
