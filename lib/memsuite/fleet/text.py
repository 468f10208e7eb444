# SPDX-License-Identifier: GPL-2.0-only
"""The report as tables, for a terminal and for a page."""

import time

from ..output import human, human_pages, table_lines
from .kinds import NAMES
from .machines import BAD, CORRECTED, OVER, PERHAPS, STATES, STATE_TEXT, UNCORRECTED, span
from .summary import needs_care

COUNTS = ("bad_pages", "perhaps_bad_pages", "corrected", "uncorrected")     # of DIMMs
SOME = 20           # rows of what there may be many of, on a terminal
WHY = 3             # reasons of a machine that are told

DIMM_TEXT = {OVER: "replace it: no more of it is retired", UNCORRECTED: "replace it: errors that ECC did not correct",
             BAD: "has bad pages", PERHAPS: "one of several, of which one has bad pages", CORRECTED: "corrects errors"}
# How DIMMs are grouped, the most telling first.
KINDS = {"batch": "Batches: DIMMs by the week in which they were made", "part": "Parts",
         "manufacturer": "Manufacturers", "year": "Years in which DIMMs were made"}
NUMBERS = {"DIMMs", "Machines", "Failing", "%", "Bad", "Perhaps", "Corrected", "Uncorrected", "Known", "Retired",
           "In use", "Free tested"}


class Table:
    """@more: rows that are left out."""

    def __init__(self, title, head, rows, limit=None):
        rows = list(rows)
        limit = len(rows) if limit is None else limit
        self.title, self.head, self.rows, self.more = title, head, rows[:limit], len(rows[limit:])


def shown(value, unit=""):
    return "-" if value is None or value == "" else f"{value:,}{unit}" if isinstance(value, int) else f"{value}{unit}"


def count(number, one, many=None):
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def heads(told):
    """Lines that say how it is."""
    states = told["states"]
    yield f"{count(sum(states.values()), 'machine')}: " + ", ".join(
        f"{STATE_TEXT[state]}: {states[state]:,}" for state in STATES if states[state])
    tested = "" if told["tested_pct"] is None else (
        f", {told['tested_pct']}% of {human(told['counted_bytes'])} tested in time")
    yield (f"{human(told['memory_bytes'])} of memory{tested}; "
           f"{count(told['testing'], 'machine tests', 'machines test')}, {told['held']:,} hold the "
           f"lifetime of their tests, {told['not_held']:,} do not")
    yield f"{count(told['bad_pages'], 'bad page')} known, {human_pages(told['retired_pages'])} retired"
    # A batch that fails makes its part and its manufacturer stand out as well.
    for by in KINDS:
        rows = [row for row in told[f"by_{by}"] if row["stands_out"]]
        for row in rows[:SOME]:
            made = " ".join(row[name] for name in NAMES[by] if row[name]) or "of unknown make"
            yield (f"more than chance: DIMMs {made} fail in {row['failing_machines']:,} of "
                   f"{count(row['machines'], 'machine')}, DIMMs in all in {told['failing_machines']:,} of "
                   f"{sum(told['states'].values()):,}")
        if rows:
            return


def kinds(told, by, limit):
    head = [*(name.capitalize() for name in NAMES[by]), "DIMMs", "Machines", "Failing", "%", "Bad", "Perhaps",
            "Corrected", "Uncorrected", ""]
    return Table(KINDS[by], head, [
        [*(shown(row[name]) for name in NAMES[by]),
         *(f"{row[name]:,}" for name in ("dimms", "machines", "failing_machines")),
         f"{100 * row['failing_machines'] / row['machines']:.1f}" if row["machines"] else "-",
         *(f"{row[name]:,}" for name in COUNTS),
         "stands out" if row["stands_out"] else ""] for row in told[f"by_{by}"]], limit)


def machine_name(row, told):
    return f"{row['host']} ({row['source']})" if row["host"] in told["same_name"] and row["source"] else row["host"]


def why(row):
    reasons = row["reasons"]
    return "; ".join(reasons[:WHY]) + (f"; and {len(reasons) - WHY} more" if len(reasons) > WHY else "")


def machine_table(told, everything, limit):
    rows = [row for row in told["machines"] if everything or needs_care(row)]
    return Table("Machines" if everything else "Machines that need care",
                 ["Machine", "State", "Told", "Known", "Retired", "In use", "Free tested", "Version", "Why"], [
        [machine_name(row, told), STATE_TEXT[row["state"]],
         "never" if row["age_s"] is None else f"{span(max(row['age_s'], 0))} ago", shown(row["known"]),
         shown(row["retired"]), row["in_use"], shown(row["free_tested_pct"], "%"), shown(row["version"]), why(row)]
        for row in rows], limit)


def tables(told, everything=False, limit=SOME):
    """Of what there is."""
    yield Table("DIMMs, the worst first",
                ["Machine", "Slot", "Part", "Serial", "Made", "Bad", "Perhaps", "Corrected", "Uncorrected", "What"], [
        [row["host"], row["slot"], " ".join(filter(None, (row["manufacturer"], row["part"]))) or "-",
         row["serial"] or "-", row["made"] or "-", *(f"{row[name]:,}" for name in COUNTS), DIMM_TEXT[row["state"]]]
        for row in told["dimms"]], limit)
    for by in KINDS:
        yield kinds(told, by, limit)
    yield machine_table(told, everything, None if everything else limit)
    yield Table("What is wrong, by check", ["Machines", "Check", "For example", "Found there", "What to do"], [
        [row["machines"], f"{row['group']}: {row['check'].replace('_', ' ')}", row["hosts"][0], row["found"],
         shown(row["remedy"])] for row in told["findings"]], limit)
    yield Table("Versions", ["Machines", "Modules", "Tool", "Kernel"], [
        [row["machines"], row["version"] or "not loaded", row["tool_version"], row["kernel"]]
        for row in told["versions"]], limit)


def refused(told, limit):
    return Table("Not read", ["File", "Why"], [[row["file"], row["why"]] for row in told["refused"]], limit)


def notes(told):
    if told["same_name"]:
        yield f"several machines have one name: {', '.join(told['same_name'][:SOME])}"
    if told["older"]:
        yield f"{count(told['older'], 'older document')} of the same machines left out"


def lines(told, everything):
    yield f"fleet at {time.strftime('%Y-%m-%d %H:%M %z', time.localtime(told['time_s']))}"
    yield from heads(told)
    for table in tables(told, everything):
        if table.rows:
            yield ""
            yield f"{table.title}:"
            head = [name.upper() for name in table.head]
            yield from (f"  {line}" for line in table_lines(head, table.rows, {name.upper() for name in NUMBERS}))
            if table.more:
                yield f"  and {table.more:,} more: --json and the page of -o have them"
    noted = list(notes(told))
    if noted:
        yield ""
        yield from noted


