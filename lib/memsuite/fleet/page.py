# SPDX-License-Identifier: GPL-2.0-only
"""The report as a page to keep: one file, which needs nothing else."""

import time
from html import escape

from ..burn_in.page import STYLE, html_list
from .machines import FAILING, IN_USE, SILENT, STATES, STATE_TEXT, WELL, WRONG
from .text import NUMBERS, heads, notes, refused, tables

ROWS = 1000         # of a table; the JSON has all
COLOURS = {IN_USE: "#b3261e", FAILING: "#d9622b", SILENT: "#6b7280", WRONG: "#9a6700", WELL: "#1a7f37"}
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>memsuite fleet</title><style>{style}
body {{ max-width: 90em }} .bar {{ display: flex; height: 2em; border-radius: .3em; overflow: hidden }}
.bar span {{ min-width: 3px }} .key span {{ display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1.2em }}
tr.out td {{ background: #fbe9e7 }}</style></head><body>
<h1 style="background: {colour}">{title}</h1>
<p>{time}</p>
{bar}
{body}
<p>By <code>memsuite fleet report</code>.</p></body></html>
"""


def worst(told):
    return next((state for state in STATES if told["states"][state]), SILENT)


def state_bar(states):
    """How many machines are how."""
    parts = "".join(f'<span style="flex: {states[state]}; background: {COLOURS[state]}" '
                    f'title="{escape(STATE_TEXT[state])}: {states[state]}"></span>'
                    for state in STATES if states[state])
    key = "".join(f'<span style="background: {COLOURS[state]}"></span>{escape(STATE_TEXT[state])}: {states[state]:,}'
                  for state in STATES if states[state])
    return f'<div class="bar">{parts}</div><p class="key">{key}</p>'


def html_table(table):
    """A number in a text, as of a table for a terminal, is one."""
    def cell(name, value, tag):
        kind = ' class="number"' if name in NUMBERS else ""
        return f"<{tag}{kind}>{escape(str(value))}</{tag}>"

    yield "<table><tr>" + "".join(cell(name, name, "th") for name in table.head) + "</tr>"
    for row in table.rows:
        kind = ' class="out"' if "stands out" in row else ""
        yield f"<tr{kind}>" + "".join(cell(name, value, "td") for name, value in zip(table.head, row)) + "</tr>"
    yield "</table>"
    if table.more:
        yield f"<p>and {table.more:,} more: memsuite fleet report --json has them</p>"


def page(told, everything):
    lines = list(heads(told))
    body = [html_list([*lines[1:], *notes(told)])]
    for table in (*tables(told, everything, ROWS), refused(told, ROWS)):
        if table.rows:
            body += [f"<h2>{escape(table.title)}</h2>", *html_table(table)]
    return PAGE.format(style=STYLE, colour=COLOURS[worst(told)], title=escape(f"Fleet of {lines[0]}"),
                       time=time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(told["time_s"])),
                       bar=state_bar(told["states"]), body="\n".join(body))
