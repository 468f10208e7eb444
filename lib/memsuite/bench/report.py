# SPDX-License-Identifier: GPL-2.0-only
"""The figures as lines and as a page, with the machine that they are of; no names of hosts, no serial numbers."""

import os
import re
import time
from html import escape

from ..burn_in.page import STYLE, html_list, html_table, machine_rows
from ..burn_in.verdict import machine
from ..output import table_lines
from ..proc import proc_text
from ..version import VERSION
from .perf import counted

GOVERNOR = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>memsuite bench</title><style>{style}</style></head><body>
<h1 style="background:#24527a">memsuite bench</h1>
<p>memsuite {version}, {begun}, {took_s:.0f} s</p>
{body}
</body></html>
"""
NOTES = (
    "A figure is the median of its runs. ± is half the distance between their quartiles, in percent.",
    "Times are CPU times, and are of the whole work, the program's own part included. A ratio is that of medians.",
    "A copy counts each byte once, though it is read and written.",
)
HEAD = ("WHAT", "MEDIAN", "UNIT", "±", "RUNS", "RATIO", "±", "AGAINST")


def this_machine():
    """As in a verdict of burn-in, without what names the machine."""
    told = machine()
    model = re.search(r"^model name\s*: (.+)$", proc_text("cpuinfo"), re.M)
    return {**told, "host": "", "product_serial": "", "dimms": [{**dimm, "serial": ""} for dimm in told["dimms"]],
            "cpu_model": model[1] if model else "", "counters": counted()}


def governor():
    try:
        with open(GOVERNOR, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def beware(of, was_on):
    """What else these figures depend on."""
    if not of["counters"]:
        yield "the processor's counters cannot be had here: there are times alone, which are noisier than counts"
    if re.search(r"^flags\s*:.*\bhypervisor\b", proc_text("cpuinfo"), re.M):
        yield "this is a virtual machine: its host takes part in each figure"
    if governor() not in ("", "performance"):
        yield f"the frequency governor is {governor()}: times depend on it, counts do not"
    if os.getloadavg()[0] > of["cpus"] / 2:
        yield f"the machine is in use: its load is {os.getloadavg()[0]:.1f}"
    for module in was_on:
        yield f"{module} was on before, and all the time"


def document(figures, begun, was_on):
    of = this_machine()
    return {"version": VERSION, "begun": time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(begun)),
            "took_s": round(time.time() - begun, 1), "machine": of, "beware": list(beware(of, was_on)),
            "was_on": was_on, "figures": list(figures.rows())}


def number_text(value):
    return "" if value is None else f"{value:.4g}" if value < 1000 else f"{value:.0f}"


def percent_text(value):
    return "" if value is None else f"{value:g}%"


def cells(told):
    """Of each figure that was measured."""
    texts = {row["figure"]: row["text"] for row in told["figures"]}
    for row in told["figures"]:
        if row["unit"]:
            yield (row["text"], number_text(row["median"]), row["unit"], percent_text(row["noise_pct"]), row["runs"],
                   "" if row["ratio"] is None else f"{row['ratio']:.4f}", percent_text(row["ratio_noise_pct"]),
                   texts.get(row["against"], ""))


def lacking(told):
    return [f"{row['text']}: {row['why']}" for row in told["figures"] if not row["unit"]]


def about(told):
    """(name, text) of the machine."""
    if told["machine"]["cpu_model"]:
        yield "processor", told["machine"]["cpu_model"]
    yield from machine_rows(told["machine"])


def lines(told):
    yield f"memsuite {told['version']}, {told['begun']}, {told['took_s']:.0f} s"
    yield from (f"{name:<14}{text}" for name, text in about(told))
    yield ""
    yield from table_lines(list(HEAD), list(cells(told)), right=("MEDIAN", "±", "RUNS", "RATIO"))
    if lacking(told):
        yield ""
        yield "not measured:"
        yield from (f"  {line}" for line in lacking(told))
    yield ""
    yield from NOTES
    yield from (f"Beware: {line}" for line in told["beware"])


def page(told):
    parts = [("Figures", html_table([name.capitalize() for name in HEAD], cells(told)))]
    if lacking(told):
        parts.append(("Not measured", html_list(lacking(told))))
    if told["beware"]:
        parts.append(("Beware", html_list(told["beware"])))
    parts += [("How to read it", html_list(NOTES)), ("Machine", html_table(("", ""), about(told)))]
    return PAGE.format(style=STYLE, version=escape(told["version"]), begun=escape(told["begun"]), took_s=told["took_s"],
                       body="\n".join(f"<h2>{escape(title)}</h2>\n{text}" for title, text in parts))
