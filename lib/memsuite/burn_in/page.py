# SPDX-License-Identifier: GPL-2.0-only
"""The verdict as a page to keep: one file, which needs nothing else."""

from html import escape

from ..output import bad_page_count, human, human_pages
from .verdict import BAD, GOOD, PART, USES, VERDICT_TEXT, time_text

PAGES_SHOWN = 1000             # the JSON has all
COLOURS = {GOOD: "#1a7f37", BAD: "#b3261e", PART: "#9a6700"}
STYLE = """body { font: 15px/1.5 sans-serif; color: #222; max-width: 62em; margin: 2em auto; padding: 0 1em }
h1 { color: #fff; padding: .5em .7em; border-radius: .3em } h2 { font-size: 1.15em; margin-top: 1.6em }
table { border-collapse: collapse } th, td { text-align: left; padding: .2em 1.2em .2em 0; vertical-align: top;
border-bottom: 1px solid #ddd } td.number, th.number { text-align: right } code { font-size: .95em }"""


def cell(value, tag="td"):
    kind = ' class="number"' if isinstance(value, (int, float)) else ""
    return f"<{tag}{kind}>{escape(str(value))}</{tag}>"


def html_table(head, rows):
    lines = ["<table>", "<tr>" + "".join(cell(name, "th") for name in head) + "</tr>"]
    lines += ["<tr>" + "".join(map(cell, row)) + "</tr>" for row in rows]
    return "\n".join(lines + ["</table>"])


def html_list(lines):
    return "<ul>\n" + "\n".join(f"<li>{escape(line)}</li>" for line in lines) + "\n</ul>"


def machine_rows(machine):
    for name, text in (("host", "host"), ("sys_vendor", "vendor"), ("product_name", "product"),
                       ("product_serial", "serial number"), ("board_name", "board"), ("bios_version", "firmware"),
                       ("kernel", "kernel"), ("cpus", "CPUs")):
        if machine[name]:
            yield text, str(machine[name])
    yield "memory", human(machine["memory_bytes"])
    for dimm in machine["dimms"]:
        yield "DIMM " + dimm["locator"], " ".join(filter(None, (
            human(dimm["size_mib"] * 2 ** 20), dimm["manufacturer"], dimm["part"],
            dimm["serial"] and "S/N " + dimm["serial"])))


def test_rows(tests):
    for name, run in tests.items():
        yield (name, run["runs"], run["backgrounds"] if run["runs"] else "-",
               "all" if run["runs"] else f"{run['partly_pct']}%", time_text(run["seconds"]), run["bad_pages"])


def bad_page_rows(pages):
    for bad in pages[:PAGES_SHOWN]:
        yield (bad["address"], bad["mask"], bad["class"], "emulated" if bad["origin"] == "emulated" else bad["by"],
               "yes" if bad["retired"] == "1" else "no", bad["dimm"])
    if len(pages) > PAGES_SHOWN:
        yield (f"and {len(pages) - PAGES_SHOWN} more",) + ("",) * 5


def sections(told):
    """(title, HTML)"""
    if told["reasons"]:
        yield "Because", html_list(told["reasons"])
    if told["found"]["pages"]:
        yield "Bad pages", html_table(("address", "bits", "class", "found by", "retired", "DIMM"),
                                      bad_page_rows(told["found"]["pages"]))
    if told["found"]["known_before"]:
        yield "Known before", html_list([f"{bad_page_count(told['found']['known_before'])}, which are withheld"])
    if told["found"]["suspect_pages"]:
        rows = told["found"]["suspect_pages"]
        yield "Pages that failed and are in use", html_table(tuple(rows[0]), [tuple(row.values()) for row in rows])
    if told["untested"]:
        yield "Not tested", html_table(("memory", "why"), [(human_pages(left["pages"]), left["why"])
                                                           for left in told["untested"]])
    yield "Memory by its use at the end", html_table(
        ("use", "memory", "tested", "in part", "not"),
        [(name.replace("_", " "), *(human_pages(told["coverage"][name][kind])
                                    for kind in ("pages", "tested", "partly_tested", "untested")))
         for name in USES if name in told["coverage"]])
    yield "Tests", html_table(("test", "runs", "backgrounds", "of free memory", "time", "bad pages"),
                              test_rows(told["tests"]))
    yield "Machine", html_table(("", ""), machine_rows(told["machine"]))
    heat = "all CPUs were kept busy" if told["heated"] else "without load beside the tests"
    degrees = [f"{kind}: {value:g} °C at most" for kind, value in sorted(told["temperatures"].items())]
    yield "Heat", html_list([heat, *(degrees or ["no sensor tells temperatures"])])
    if told["beware"]:
        yield "Beware", html_list(told["beware"])


def page(told):
    verdict = VERDICT_TEXT[told["verdict"]]
    title = f"Memory burn-in of {told['machine']['host']}: {verdict}"
    begun = (f"Begun {told['begun']}, {time_text(told['ran_s'])} of {time_text(told['asked_s'])}. "
             f"{told['covered_pct']}% of memory were tested, {told['whole_rounds']} whole rounds of all tests.")
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">', f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style></head><body>",
        f'<h1 style="background: {COLOURS[told["verdict"]]}">{escape(verdict)}</h1>', f"<p>{escape(begun)}</p>",
        *(f"<h2>{escape(name)}</h2>\n{text}" for name, text in sections(told)),
        "<p>By <code>memsuite diag burn-in</code>.</p>", "</body></html>", ""])
