# SPDX-License-Identifier: GPL-2.0-only
"""The overview as one file of HTML, with charts."""

import time
from html import escape

from ..diag.bad_pages import dimm_text, when
from ..mrc.chart import heat_svg, series_svg
from ..mrc.plot import svg_plot
from ..mrc.record import read_record
from ..mrc.report import heat_rows, wss_series
from ..mrc.targets import TARGET_HEAD, target_cells
from ..output import done, for_root, human, human_pages, print_json, save, yes
from .frame import USES
from .state import overview

HEAT_ROWS = 60
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>memsuite: {host}</title>
<style>
body {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; }} td, th {{ border-bottom: 1px solid #ddd; padding: .2em .8em; text-align: left; }}
.wrong {{ color: #b30000; }} svg {{ max-width: 40em; display: block; }}
</style></head><body>
<h1>memsuite: {host}</h1>
<p>{time}; {available} of {total} available</p>
{body}
</body></html>
"""
BARS = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {height}" font-family="sans-serif" font-size="12">
{body}
</svg>"""


def table(head, rows):
    cells = "".join(f"<th>{escape(str(name))}</th>" for name in head)
    lines = "\n".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{cells}</tr>\n{lines}</table>"


def bars(rows):
    """(name, 0 to 1, what it is) each."""
    body = []
    for nr, (name, share, text) in enumerate(rows):
        y = 10 + 24 * nr
        body.append(f'<text x="120" y="{y + 13}" text-anchor="end">{escape(name)}</text>'
                    f'<rect x="130" y="{y}" width="300" height="18" fill="#eeeeee"/>'
                    f'<rect x="130" y="{y}" width="{300 * min(max(share, 0), 1):.1f}" height="18" fill="#4292c6"/>'
                    f'<text x="440" y="{y + 13}">{escape(text)}</text>')
    return BARS.format(height=20 + 24 * len(body), body="\n".join(body))


def coverage_bars(coverage):
    for use in USES:
        pages, pct = coverage.get(f"{use}_pages"), coverage.get(f"{use}_tested_pct")
        if pages and pct is not None:
            yield use.replace("_", " "), pct / 100, f"{pct}% of {human_pages(pages)}"


def region_bars(rows):
    for row in rows:
        used = row["total_pages"] - row["free_pages"]
        yield (row["name"], used / row["total_pages"] if row["total_pages"] else 0,
               f"{human_pages(used)} of {human_pages(row['total_pages'])}")


def sections(state):
    """(title, HTML) of what there is."""
    modules = (state["status"] or {"modules": {}})["modules"]
    yield "Modules", table(["Module", "Loaded", "Enabled", "Healthy", ""], [
        [name, yes(one["loaded"]), yes(one["enabled"]), yes(one["healthy"]), one["reason"] or ""]
        for name, one in modules.items()])
    if state["tests"]:
        yield "Memory tested in time", bars(coverage_bars(state["tests"]["coverage"]))
    if state["bad_pages"] is not None:
        yield "Bad pages", table(["Address", "Bits", "Class", "Found", "Retired", "Stored", "DIMM"], [
            [row["address"], row["mask"], row["class"], when(row["time"]), yes(int(row["retired"])), yes(row["stored"]),
             dimm_text(row)] for row in state["bad_pages"]]) if state["bad_pages"] else "<p>none is known</p>"
    if state["regions"]:
        yield "Regions", bars(region_bars(state["regions"]))
    if state["placement"]:
        yield "Policies", table(["Who", "Policy", "Processes"], [
            [row["who"], row["policy"], row["processes"]] for row in state["placement"]["policies"]])
        yield "Processes with a policy of their own", table(["PID", "Command", "Policy"], [
            [row["pid"], row["command"], row["policy"]] for row in state["placement"]["processes"]])
    if state["targets"]:
        curves = "\n".join(svg_plot(row["curve"], row["target"]) for row in state["targets"] if row["curve"])
        head = [name.capitalize() for name in TARGET_HEAD]
        yield "Targets", table(head, map(target_cells, state["targets"])) + curves
    if state["stores"]:
        yield "Stores", table(["Store", "PRAM", "Free", "Dirty", "Clean", "Errors"], [
            [name, *(human_pages(one[key]) for key in ("pages", "free", "dirty", "clean")), one["errors"]]
            for name, one in state["stores"].items()])


def recorded(path):
    """Charts of a record: working sets over time, and which addresses were touched when."""
    shots = read_record(path)
    name = shots[-1]["name"]
    yield f"Record of {name}", series_svg(wss_series(shots), f"Working set of {name}")
    shots = [shot for shot in shots if shot.get("pages")]
    if len(shots) > 1:
        times = [(shot["us"] - shots[0]["us"]) / 1e6 for shot in shots[1:]]
        yield f"Touched pages of {name}", heat_svg(heat_rows(shots, HEAT_ROWS), times, "address up, time to the right")


def page(state, records):
    parts = [*sections(state), *(part for path in records for part in recorded(path))]
    body = "\n".join(f'<p class="wrong">{escape(problem)}</p>' for problem in state["problems"])
    body += "\n".join(f"<h2>{escape(title)}</h2>\n{text}" for title, text in parts)
    return PAGE.format(host=escape(state["host"]), body=body, total=human(state["memory"]["total_bytes"]),
                       available=human(state["memory"]["available_bytes"]),
                       time=time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(state["time_s"])))


def cmd_report(args):
    text = page(overview(), args.record)
    save(args.output, text.encode("utf-8", "backslashreplace").decode(), for_root)
    if args.output == "-":
        return 0
    if args.json:
        print_json({"file": args.output})
        return 0
    return done(args, f"{args.output} is for a browser")
