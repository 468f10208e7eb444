# SPDX-License-Identifier: GPL-2.0-only
"""The overview as lines of a terminal: one view at a time, and what of it is selected."""

import time

from ..diag.bad_pages import dimm_text, when
from ..output import human, human_pages, table_lines, yes
from ..mrc.plot import text_plot
from ..mrc.targets import TARGET_HEAD, TARGET_RIGHT, target_cells

VIEWS = ("overview", "bad pages", "regions", "processes", "targets", "stores")
USES = ("free", "user", "page_cache", "hugetlb", "pinned", "kernel")
BAR = 30        # columns
SOME = 5        # rows of what has a view of its own


def bar(share, braille):
    """Of 0 to 1."""
    full = round(min(max(share, 0), 1) * BAR)
    return ("█" if braille else "#") * full + ("░" if braille else ".") * (BAR - full)


def coverage(tests, braille):
    yield (f"{'testing' if tests['enabled'] else 'off'}, {tests['algorithm']}, {tests['passes']} passes and "
           f"{tests['pass_progress_pct']}% of the next, {human_pages(tests['tested_pages'])} tested")
    for use in USES:
        pages, pct = tests["coverage"].get(f"{use}_pages"), tests["coverage"].get(f"{use}_tested_pct")
        if pages and pct is not None:
            yield (f"  {use.replace('_', ' '):<11}{bar(pct / 100, braille)} {pct:>3}% of {human_pages(pages)} "
                   f"tested in time, the oldest {tests['coverage'].get(f'{use}_oldest_age_s', '-')} s ago")


def bad_pages(rows):
    return table_lines(["ADDRESS", "BITS", "CLASS", "FOUND", "RETIRED", "STORED", "DIMM"],
                       [[row["address"], row["mask"], row["class"], when(row["time"]), yes(int(row["retired"])),
                         yes(row["stored"]), dimm_text(row)] for row in rows])


def regions(rows, braille):
    for row in rows:
        used = row["total_pages"] - row["free_pages"]
        share = used / row["total_pages"] if row["total_pages"] else 0
        yield (f"{row['name']:<16.16}{bar(share, braille)} {human_pages(used)} of "
               f"{human_pages(row['total_pages'])} used, pool {human_pages(row['pool_pages'])}  {row['technology'] or row['locator']}")


def policies(rows):
    return table_lines(["WHO", "POLICY", "PROCESSES", "LEFT"],
                       [[row["who"], row["policy"], row["processes"], human_pages(sum(row["fallbacks"].values()))]
                        for row in rows], right=("PROCESSES", "LEFT"))


def processes(rows):
    return table_lines(["PID", "COMMAND", "POLICY"], [[row["pid"], row["command"], row["policy"]] for row in rows],
                       right=("PID",))


def targets(rows):
    return table_lines(TARGET_HEAD, [target_cells(row) for row in rows], right=TARGET_RIGHT)


def stores(found):
    return table_lines(["STORE", "PRAM", "FREE", "DIRTY", "CLEAN", "ERRORS"],
                       [[name, *(human_pages(one[key]) for key in ("pages", "free", "dirty", "clean")), one["errors"]]
                        for name, one in found.items()], right=("PRAM", "FREE", "DIRTY", "CLEAN", "ERRORS"))


def rows_of(state, view):
    """What can be selected in a view."""
    placement = state["placement"] or {"processes": []}
    return {"bad pages": state["bad_pages"], "regions": state["regions"], "processes": placement["processes"],
            "targets": state["targets"], "stores": list((state["stores"] or {}).items())}.get(view) or []


def head(state, view):
    modules = (state["status"] or {"modules": {}})["modules"]
    memory = state["memory"]
    bad = state["bad_pages"] or []
    yield (f"memsuite  {state['host']}  {time.strftime('%H:%M:%S', time.localtime(state['time_s']))}  "
           f"{human(memory['available_bytes'])} of {human(memory['total_bytes'])} available, {len(bad)} bad pages")
    yield "  ".join(f"{name}: {'not loaded' if not one['loaded'] else one['reason'] or 'well'}"
                    for name, one in modules.items())
    yield "  ".join(f"[{nr}]{name.upper() if name == view else name}" for nr, name in enumerate(VIEWS, 1))
    for problem in state["problems"]:
        yield f"! {problem}"
    yield ""


def part(title, lines):
    yield title
    yield from (f"  {line}" for line in lines)
    yield ""


def whole(state, width, braille):
    """Some of each, and the curve of the largest target."""
    if state["tests"]:
        yield from part("tests", coverage(state["tests"], braille))
    if state["bad_pages"]:
        yield from part("bad pages", bad_pages(state["bad_pages"][-SOME:]))
    if state["regions"]:
        yield from part("regions", regions(state["regions"][:SOME], braille))
    if state["placement"] and state["placement"]["policies"]:
        yield from part("policies", policies(state["placement"]["policies"][:SOME]))
    if state["stores"]:
        yield from part("stores", stores(state["stores"]))
    if state["targets"]:
        yield from part("targets", targets(state["targets"][:SOME]))
        if state["targets"][0]["curve"]:
            yield f"miss ratio by memory: {state['targets'][0]['target']}"
            yield from text_plot(state["targets"][0]["curve"], min(width, 76), 12, braille).splitlines()


def listed(state, view, braille):
    """(lines of the head, a line for each row)."""
    if view == "regions":
        return [], list(regions(rows_of(state, view), braille))
    tables = {"bad pages": bad_pages, "processes": processes, "targets": targets,
              "stores": lambda rows: stores(dict(rows))}
    lines = list(tables[view](rows_of(state, view)))
    return lines[:1], lines[1:]


def frame(state, view="overview", selected=None, detail=(), size=(80, 10 ** 6), braille=True):
    """Lines; @selected: the row that has a mark; @detail: what is told of it."""
    width, height = size
    lines = list(head(state, view))
    if view == "overview":
        lines += whole(state, width, braille)
    else:
        title, rows = listed(state, view, braille)
        room = max(height - len(lines) - len(title) - len(detail) - 2, 1)
        first = max((selected or 0) - room + 1, 0)
        lines += [f"  {line}" for line in title]
        lines += [f"{'>' if nr == selected else ' '} {line}" for nr, line in enumerate(rows[first:first + room], first)]
        lines += ["  there is nothing to be shown"] * (not rows)
        lines += ["", *detail]
    return [line[:width] for line in lines[:height]]
