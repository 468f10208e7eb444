#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: fleets by the memsuite tool
"""What machines tell of their memory, and the report of many: which DIMMs fail, and which machines need care."""

import copy
import itertools
import json
import os
import random
import re
import resource
import sys
import time
from html.parser import HTMLParser

import jsonschema

import tool
from tool import BAD_PAGE, BAD_PAGES, DEBUGFS, SYSFS, TOP, Tree

from memsuite.fleet import kinds  # pylint: disable=wrong-import-order
from memsuite.fleet.reading import LIMIT  # pylint: disable=wrong-import-order

with open(os.path.join(TOP, "lib", "memsuite", "schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)
WELL, WRONG, BAD, PARTIAL, UNTESTED = 0, 1, 4, 8, 16

DIMM = {"locator": "DIMM_A1", "size_mib": 16384, "manufacturer": "Maker", "part": "GOOD-16G", "serial": "S1",
        "label": None, "bad_pages": 0, "perhaps_bad_pages": 0, "corrected": None, "uncorrected": None, "made": None}
FINDING = {"group": "memory", "check": "testers", "state": "wrong", "found": "CPU 3 finds faults",
           "remedy": "replace it"}
MODULE = {"loaded": True, "enabled": True, "healthy": True, "reason": None}
MACHINE = {
    "memsuite_machine": 1, "time_s": 0, "host": "", "machine": "0123456789abcdef", "product": "Vendor Product",
    "firmware": "1.0", "kernel": "6.12.1", "tool_version": "0.1.0", "version": "0.1.0", "memory_bytes": 32 << 30,
    "modules": {"memsuite": {**MODULE, "enabled": None}, "memdiag": {
        **MODULE, "bad_page_count": 0, "pending_page_count": 0, "tested_pages": 4096, "passes": 3,
        "pass_progress_pct": 5}},
    "tests": {"enabled": True, "algorithm": "march-c-", "test_lifetime_s": 180, "passes": 3, "held": True,
              "shortest_lifetime_s": 100, "coverage": {"free_pages": 1000, "free_tested_pct": 100, "kernel_pages": 1000,
                                                       "kernel_tested_pct": 0},
              "demand": {"allocated_pages": 1000, "tested_pages": 900, "untested_pages": 90, "expired_pages": 10}},
    "bad_pages": {"known": 0, "retired": 0, "unsaved": 0, "unrestored": 0, "list_error": None, "groups": []},
    "alarms": [], "dimms": [DIMM, {**DIMM, "locator": "DIMM_A2", "serial": "S2"}], "findings": [], "problems": [],
}


def a_machine(host, *changes, dimm=None):
    """One that is well, but for @changes, (path.of.a.field, value) each, and what its first DIMM has."""
    told = {**copy.deepcopy(MACHINE), "host": host, "time_s": int(time.time()) - 60}
    told["dimms"][0].update(dimm or {})
    for path, value in changes:
        *way, last = path.split(".")
        place = told
        for name in way:
            place = place[name]
        place[last] = value
    return told


def failing(host, pages=1, **dimm):
    return a_machine(host, ("bad_pages.known", pages), ("bad_pages.retired", pages), dimm={"bad_pages": pages, **dimm})


def written(top, **files):
    """A directory of them; what is no text is a document."""
    for name, told in files.items():
        Tree.fill(top, {f"{name}.json": told if isinstance(told, str) else json.dumps(told)})
    return top


def report(top, *args, **options):
    """(exit status, document) of a fleet."""
    result = Tree(os.path.join(top, "tree")).run("fleet", "report", "--json", *args, **options)
    assert "Traceback" not in result.stderr, result.stderr
    told = json.loads(result.stdout)
    described(told, "fleet report")
    return result.returncode, told


def described(told, name):
    jsonschema.Draft7Validator({**SCHEMA["$defs"][name], "$defs": SCHEMA["$defs"]}).validate(told)


def states(told):
    return {row["host"]: row["state"] for row in told["machines"]}


def a_machine_tells(top):
    tree = Tree(top, {**SYSFS, "memdiag/bad_page_count": "1", "memdiag/control/bandwidth_pages_s": "8192",
                      "memdiag/control/min_fidelity": "1", "memdiag/control/max_threads": "4",
                      "memdiag/retire_policy/alarms": "dimm DIMM_0 17"},
                {**DEBUGFS, "memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    tool.plug(tree, ("DIMM 0", "A1"), ("DIMM 1", "B2"))
    for args in (("fleet", "tell"), ("fleet", "tell", "--json")):
        result = tree.run(*args)
        assert result.returncode == 0 and result.stdout.count("\n") == 1, result
        told = json.loads(result.stdout)
        described(told, "fleet tell")
        assert told.keys() == MACHINE.keys() and told["tests"].keys() == MACHINE["tests"].keys()
    assert told["bad_pages"]["known"] == 1 and told["bad_pages"]["unsaved"] == 1 and not told["problems"], told
    assert [dimm["bad_pages"] for dimm in told["dimms"]] == [1, 0] and told["alarms"][0]["dimm"] == "DIMM_0"
    assert told["tests"]["held"] in (True, False) and told["tests"]["demand"]["expired_pages"] == 10
    assert re.fullmatch("[0-9a-f]{16}", told["machine"] or "0" * 16)
    # And is reported.
    status, of = report(top, "-", stdin=tell(tree, top))
    assert status & BAD and states(of) == {told["host"]: "in_use"}, of
    assert [(row["slot"], row["serial"], row["state"]) for row in of["dimms"]] == [("DIMM 0", "A1", "over_limit")], of


def tell(tree, top):
    path = os.path.join(top, "told")
    with open(path, "w", encoding="utf-8") as file:
        assert tree.start("fleet", "tell", stdout=file).wait() == 0
    return open(path, encoding="utf-8")


def a_machine_without_modules_tells(top):
    tree = Tree(os.path.join(top, "bare"))
    told = tree.json("fleet", "tell")
    described(told, "fleet tell")
    assert told["version"] is None and told["tests"] is None
    status, of = report(top, "-", stdin=tell(tree, top))
    assert status == WRONG and any("not loaded" in why for why in of["machines"][0]["reasons"]), of
    assert of["versions"] == [{"version": None, "tool_version": told["tool_version"], "kernel": told["kernel"],
                               "machines": 1}], of


SPD = {"at24": (0x0b, 120, 256), "ee1004": (0x0c, 323, 512), "spd5118": (0x12, 515, 1024)}


def an_eeprom(top, nr, driver, date, serial):
    """Of a DIMM, as the driver shows it."""
    kind, at, size = SPD[driver]
    text = bytearray(size)
    text[2:3], text[at:at + 6] = bytes([kind]), bytes.fromhex(date + serial)
    place = os.path.join(top, "i2c", f"0-005{nr}")
    os.makedirs(place)
    os.symlink(f"/sys/bus/i2c/drivers/{driver}", os.path.join(place, "driver"))
    with open(os.path.join(place, "eeprom"), "wb") as file:
        file.write(text)
    return place


def a_dimm_tells_when_it_was_made(top):
    """As decode-dimms of i2c-tools reads the same EEPROMs."""
    tree = Tree(top, SYSFS, DEBUGFS)
    told = [("at24", "1952", "00C0FFEE", "2019-W52"), ("ee1004", "2134", "2C3A1B4F", "2021-W34"),
            ("spd5118", "2401", "0000ABCD", "2024-W01"), ("ee1004", "FFFF", "11111111", None),
            ("ee1004", "2100", "22222222", None), ("ee1004", "2154", "33333333", None)]
    tool.plug(tree, *((f"DIMM {nr}", serial.lower() if nr else serial) for nr, (_, _, serial, _) in enumerate(told)),
              ("X", "4"))
    for nr, (driver, date, serial, _) in enumerate(told):
        place = an_eeprom(top, nr, driver, date, serial)
    os.truncate(os.path.join(place, "eeprom"), 2)
    os.mkdir(os.path.join(top, "i2c", "0-0060"))
    # Not of a DIMM, and a device without a driver.
    with open(os.path.join(an_eeprom(top, 9, "ee1004", "2134", "44444444"), "eeprom"), "r+b") as file:
        file.write(bytes(3))
    os.unlink(os.path.join(an_eeprom(top, 8, "ee1004", "2134", "00000004"), "driver"))
    rows = json.loads(tree.run("diag", "dimms", "--json", MEMSUITE_I2C=os.path.join(top, "i2c")).stdout)
    assert [row["made"] for row in rows] == [*(made for _, _, _, made in told), None], rows
    assert "2021-W34" not in tree.run("diag", "dimms", MEMSUITE_I2C="/nowhere").stdout
    text = tree.run("diag", "dimms", MEMSUITE_I2C=os.path.join(top, "i2c")).stdout
    assert re.search(r"^DIMM 1 .* 2c3a1b4f +2021-W34 ", text, re.M), text


def each_state_is_told_the_worst_first(top):
    old = int(time.time()) - 3 * 86400
    fleet = {
        "pending": a_machine("pending", ("bad_pages.known", 2), ("modules.memdiag.pending_page_count", 1)),
        "unrestored": a_machine("unrestored", ("bad_pages.known", 1), ("bad_pages.unrestored", 1)),
        "alarmed": a_machine("alarmed", ("alarms", [{"limit": "dimm", "dimm": "DIMM_A2", "line": "dimm DIMM_A2 9"}])),
        "failing": failing("failing", 3),
        "ecc": a_machine("ecc", dimm={"corrected": 9, "uncorrected": 2, "label": "A1"}),
        "stale": a_machine("stale", ("time_s", old)), "ahead": a_machine("ahead", ("time_s", old + 6 * 86400)),
        "blind": a_machine("blind", ("bad_pages", None), ("problems", ["permission denied; run as root"])),
        "late": a_machine("late", ("tests.coverage.free_tested_pct", 50)),
        "unsaved": a_machine("unsaved", ("bad_pages.unsaved", 1)),
        "doctor": a_machine("doctor", ("findings", [FINDING, {**FINDING, "found": "CPU 5"}])),
        "note": a_machine("note", ("findings", [{**FINDING, "state": "note"}])), "good": a_machine("good"),
        "corrects": a_machine("corrects", dimm={"corrected": 5, "uncorrected": 0}),
    }
    wanted = {"pending": "in_use", "unrestored": "in_use", "alarmed": "in_use", "failing": "failing", "ecc": "failing",
              "stale": "silent", "ahead": "silent", "blind": "silent", "late": "wrong", "unsaved": "wrong",
              "doctor": "wrong", "note": "well", "good": "well", "corrects": "well"}
    status, told = report(top, written(os.path.join(top, "fleet"), **fleet))
    assert states(told) == wanted and status == WRONG | BAD | PARTIAL, told
    order = [row["state"] for row in told["machines"]]
    assert order == sorted(order, key=["in_use", "failing", "silent", "wrong", "well"].index)
    reasons = {row["host"]: "; ".join(row["reasons"]) for row in told["machines"]}
    for host, why in (("pending", "1 bad page in use"), ("alarmed", "as many pages of DIMM_A2 are bad"),
                      ("stale", "3 d"), ("blind", "run as root"), ("late", "only 50% of free memory"),
                      ("ahead", "clock"), ("doctor", "CPU 3 finds faults"), ("unsaved", "1 bad page not saved"),
                      ("ecc", "2 errors in DIMM_A1")):
        assert why in reasons[host], (host, reasons[host])
    assert "CPU 3 finds faults (and 1 more)" in reasons["doctor"], reasons["doctor"]
    assert not reasons["good"] and told["findings"][0]["hosts"] == ["doctor"] and len(told["findings"]) == 1
    assert [(row["host"], row["state"]) for row in told["dimms"]] == [
        ("alarmed", "over_limit"), ("ecc", "uncorrected"), ("failing", "bad"), ("corrects", "corrected")], told["dimms"]
    # Each alone decides the status.
    alone = {"in_use": BAD, "failing": BAD, "silent": PARTIAL, "wrong": WRONG, "well": WELL}
    for host, state in wanted.items():
        assert report(top, os.path.join(top, "fleet", f"{host}.json"))[0] == alone[state], host
    # And what was told three days ago is new enough for who says so.
    assert report(top, os.path.join(top, "fleet", "stale.json"), "--stale", "4d")[0] == WELL


def people_are_told(top):
    bad = failing("rack1-n7", 3, part="POOR-16G", serial="X99", made="2021-W34")
    place = written(os.path.join(top, "fleet"), bad=bad, good=a_machine("fine"),
                    cut='{"memsuite_machine": 1, "host": "li')
    result = Tree(top).run("fleet", "report", place)
    assert result.returncode == BAD | PARTIAL, result
    for text in ("2 machines: failing memory: 1, well: 1", "rack1-n7  DIMM_A1  Maker POOR-16G  X99", "2021-W34",
                 "3 bad pages known"):
        assert text in result.stdout, (text, result.stdout)
    assert "\n  fine " not in result.stdout
    assert result.stderr == f"memsuite: {place}/cut.json: it ends in the middle: it was cut off\n", result.stderr
    assert "\n  fine " in Tree(top).run("fleet", "report", place, "--all").stdout


def one_file_that_is_none_does_not_stop_the_rest(top):
    good = json.dumps(a_machine("good"))
    place = written(os.path.join(top, "fleet"), good=good, empty="", blank="\n\n", text="Permission denied",
                    torn=good[:700], other='{"a": 1}', array="[1, 2]", error=json.dumps({"error": "no /sys"}),
                    newer=good.replace('"memsuite_machine": 1', '"memsuite_machine": 2'), deep="[" * 100000,
                    digits='{"a": ' + "9" * 10000 + "}",
                    lacks=json.dumps({name: value for name, value in a_machine("x").items() if name != "dimms"}),
                    wrong=good.replace('"size_mib": 16384', '"size_mib": "16 GiB"'), nan=good.replace("16384", "NaN"),
                    large=good.replace("16384", "1e300"), long='{"a": "' + "x" * LIMIT + '"}')
    with open(os.path.join(place, "latin.json"), "wb") as file:
        file.write(good.replace("Vendor", "V\xe9").encode("latin-1"))
    os.mkfifo(os.path.join(place, "pipe.json"))
    os.symlink("/nowhere", os.path.join(place, "gone.json"))
    Tree.fill(place, {"README": "not looked at", "rack/below.json": good.replace('"good"', '"below"')})
    os.mkdir(os.path.join(top, "bare"))
    status, told = report(top, place, os.path.join(top, "absent"), os.path.join(top, "bare"))
    assert status == PARTIAL and states(told) == {"good": "well", "below": "well"}, told
    why = {os.path.relpath(row["file"], place)[:-len(".json")]: row["why"] for row in told["refused"]}
    wanted = {"empty": "empty", "blank": "empty", "text": "not JSON", "torn": "cut off", "other": "fleet tell",
              "array": "fleet tell", "error": "could not tell: no /sys", "newer": "format 2", "deep": "nested",
              "digits": "digits", "lacks": "no dimms", "wrong": "dimms[0].size_mib is no null or number",
              "nan": "dimms[0].size_mib", "large": "too large a number", "long": "larger than 4 MiB", "latin": "UTF-8",
              "pipe": "no regular file", "gone": "No such file"}
    for name, text in wanted.items():
        assert text in why.pop(name), name
    assert sorted(why.values()) == ["No such file or directory", "no file *.json is in that directory"], why
    # People are told of each, too, and a script that nothing was told.
    result = Tree(top).run("fleet", "report", place)
    assert all(f"{name}.json: " in result.stderr for name in wanted), result.stderr
    status, told = report(top, os.path.join(place, "empty.json"))
    assert status == PARTIAL | UNTESTED and not told["machines"] and told["tested_pct"] is None
    assert "0 machines" in Tree(top).run("fleet", "report", os.path.join(place, "empty.json")).stdout


def several_documents_are_in_one_file(top):
    machines = [a_machine(f"n{nr}") for nr in range(5)]
    lines = [json.dumps(told) for told in machines]
    path = os.path.join(top, "all")
    torn = [lines[0], lines[1][:500], lines[2], "Connection to n3 closed.", json.dumps(machines[4], indent=2)]
    for sep, end in (("\n", "\n"), ("\n", ""), ("\r\n", "\r\n"), ("\n\n", "\n")):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(sep.join(torn) + end)
        with open(path, encoding="utf-8") as file:
            status, told = report(top, "-", stdin=file)
        # What follows a document without a brace goes with it.
        assert status == PARTIAL and sorted(states(told)) == ["n0", "n4"], (sep, told)
        assert [row["file"] for row in told["refused"]] == [
            f"standard input, line {1 + nr * len(sep.strip(chr(13)))}" for nr in (1, 2)], (sep, told["refused"])
    # A pipe that is named is read, as a shell's <(ssh ...) is.
    end = os.pipe()
    os.write(end[1], lines[0].encode())
    os.close(end[1])
    process = Tree(os.path.join(top, "tree")).start("fleet", "report", "--json", "/dev/stdin", stdin=end[0])
    assert states(json.loads(process.communicate()[0])) == {"n0": "well"}


def machines_that_have_told_nothing_are_named(top):
    place = written(os.path.join(top, "fleet"), by_ssh=a_machine("a"), b="{")
    Tree.fill(top, {"hosts": "a\n# comment\nby_ssh\n\nb # of rack 2\n"})
    status, told = report(top, place, "--machines", os.path.join(top, "hosts"))
    assert status == PARTIAL and states(told) == {"b": "silent", "a": "well"}, told
    result = Tree(top).run("fleet", "report", place, "--machines", os.path.join(top, "hosts"))
    assert re.search(r"^  b +not known +never .* has told nothing$", result.stdout, re.M), result.stdout
    result = Tree(top).run("fleet", "report", place, "--machines", "/nowhere")
    assert result.returncode == 1 and "/nowhere: No such file" in result.stderr and not result.stdout


def the_last_word_of_a_machine_counts(top):
    now = int(time.time())
    place = written(os.path.join(top, "fleet"), new=failing("a", 2), old=a_machine("a", ("time_s", now - 3600)),
                    other=a_machine("a", ("machine", "fedcba9876543210")), unknown=a_machine("a", ("machine", None)))
    status, told = report(top, place)
    assert status == BAD and told["older"] == 1 and told["same_name"] == ["a"], told
    assert sorted((row["state"], os.path.basename(row["source"])) for row in told["machines"]) == [
        ("failing", "new.json"), ("well", "other.json"), ("well", "unknown.json")]
    assert f"a ({place}/new.json)" in Tree(top).run("fleet", "report", place).stdout


def a_batch_that_fails_stands_out(top):
    """Of as many machines, and not where as many fail by chance."""
    for seed, share, wanted in ((1, 0.5, True), (2, 0.02, False), (3, 0.02, False)):
        chosen = random.Random(seed)
        fleet = {}
        for nr in range(200):
            poor = nr % 4 == 0
            dimm = {"part": "POOR" if poor else "GOOD-16G", "made": "2021-W34" if poor else "2020-W01"}
            fails = chosen.random() < (share if poor else 0.02)
            fleet[f"n{nr}"] = failing(f"n{nr}", **dimm) if fails else a_machine(f"n{nr}", dimm=dimm)
        _, told = report(top, written(os.path.join(top, str(seed)), **fleet))
        for by in ("part", "batch", "year"):
            out = [row for row in told[f"by_{by}"] if row["stands_out"]]
            assert bool(out) == wanted, (seed, by, told[f"by_{by}"])
            assert not out or (out[0].get("part", "POOR"), out[0].get("made", "2021-W34")) == ("POOR", "2021-W34"), out
        row, = [row for row in told["by_part"] if row["part"] == "POOR"]
        assert (row["manufacturer"], row["dimms"], row["machines"]) == ("Maker", 50, 50), row
        said = Tree(top).run("fleet", "report", os.path.join(top, str(seed))).stdout
        assert ("more than chance: DIMMs Maker POOR 2021-W34" in said) == wanted, said
    assert not any(row["stands_out"] for row in told["by_manufacturer"])


def chance_is_that_of_all_draws(_top):
    for failing_ones, drawn, all_failing, everything in (
            (2, 4, 3, 9), (0, 4, 3, 9), (3, 4, 3, 9), (4, 5, 7, 8), (1, 9, 3, 9)):
        draws = list(itertools.combinations(range(everything), drawn))
        wanted = sum(sum(nr < all_failing for nr in draw) >= failing_ones for draw in draws) / len(draws)
        assert abs(kinds.chance(failing_ones, drawn, all_failing, everything) - wanted) < 1e-9, (drawn, wanted)


EVIL = ('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "\x1b[2J\x1b]0;x\x07", "\u202egnp.exe",
        "\x9b31m", "a\nb\r", "\ud800", "x" * 100000, "{}{0}%s", "&amp;", "")


def strangers_texts_do_no_harm(top):
    """Neither to a terminal nor to a browser, in any field."""
    def poisoned(value, text):
        if isinstance(value, dict):
            return {name: poisoned(item, text) for name, item in value.items()}
        if isinstance(value, list):
            return [poisoned(item, text) for item in value]
        return text if isinstance(value, str) and value not in ("wrong", "dimm") else value
    base = failing("host", 3)
    base.update(findings=[FINDING], problems=["p"], alarms=[{"limit": "dimm", "dimm": "DIMM_A1", "line": "x"}])
    place = os.path.join(top, "fleet")
    for nr, text in enumerate(EVIL):
        written(place, **{f"m{nr}": poisoned(base, text)})
    Tree.fill(place, {"\x1b[2J<b>.json": "{"})
    page = os.path.join(top, "page.html")
    result = Tree(top).run("fleet", "report", place, "--all", "-o", page)
    assert result.returncode & BAD and "Traceback" not in result.stderr, result
    for text in (result.stdout, result.stderr):
        assert all(c.isprintable() or c == "\n" for c in text), ascii(text)
        assert max(map(len, text.splitlines())) < 3000
    read = page_of(page)
    assert "script" not in read.tags and "img" not in read.tags and "<script>" in read.said, read.tags
    assert report(top, place)[0] & BAD


class Page(HTMLParser):
    """What is open, what tags there are, and what is said."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.said = [], set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs), attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.said += data


def page_of(path):
    page = Page()
    with open(path, encoding="utf-8") as file:
        page.feed(file.read())
    assert not page.open, page.open
    return page


def what_is_no_document_is_refused_or_reported(top):
    """Each field replaced by each kind of value: one run reads all, and none ends it."""
    def places(value, way=()):
        yield way
        inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, item in inside:
            yield from places(item, (*way, name))
    base = failing("h", 1)
    base.update(findings=[FINDING], alarms=[{"limit": "dimm", "dimm": "DIMM_A1", "line": "x"}])
    lines = []
    for way in places(base):
        for value in (None, True, 0, -1, 1.5, 1 << 64, -1e19, float("inf"), "", "x", [], [None], {}, {"x": 1}):
            told = copy.deepcopy(base)
            told["host"] = f"h{len(lines)}"
            place = told
            for name in way[:-1]:
                place = place[name]
            if way:
                place[way[-1]] = value
            lines.append(json.dumps(told if way else value))
    Tree.fill(top, {"all.jsonl": "\n".join(line if line.startswith("{") else "{" + line for line in lines)})
    status, told = report(top, os.path.join(top, "all.jsonl"))
    assert status & PARTIAL and len(told["refused"]) > 300 and len(told["machines"]) > 100, (
        len(lines), len(told["refused"]), len(told["machines"]))
    page = os.path.join(top, "page.html")
    result = Tree(top).run("fleet", "report", os.path.join(top, "all.jsonl"), "-o", page)
    assert "Traceback" not in result.stderr and page_of(page).said, result.stderr
    assert result.stderr.count("\n") == 21, result.stderr


def a_page_is_made(top):
    place = written(os.path.join(top, "fleet"), bad=failing("rack1-n7", 3, serial="X99"), good=a_machine("fine"),
                    cut="{")
    page = os.path.join(top, "page.html")
    result = Tree(top).run("fleet", "report", place, "-o", page)
    assert result.returncode == BAD | PARTIAL and "rack1-n7" in result.stdout
    said = page_of(page).said
    for text in ("Fleet of 2 machines", "failing memory: 1", "rack1-n7", "X99", "cut.json", "it ends in the middle"):
        assert text in said, (text, said)
    assert "fine" not in said and "fine" in Tree(top).run("fleet", "report", place, "--all", "-o", "-").stdout
    assert Tree(top).run("fleet", "report", place, "-o", "-").stdout.startswith("<!DOCTYPE html>")
    assert "No such file" in Tree(top).run("fleet", "report", place, "-o", os.path.join(top, "no", "page")).stderr


def seconds_for(top, count, line):
    """CPU time of a report of so many machines."""
    path = os.path.join(top, "many.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for nr in range(count):
            file.write(line.replace('"HOST"', f'"n{nr}"') + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = Tree(os.path.join(top, "tree")).run("fleet", "report", path, "-o", os.path.join(top, "page.html"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.returncode == BAD and f"{count:,} machines" in result.stdout, result.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def time_grows_as_machines_do(top):
    told = failing("HOST", 2)
    told["dimms"] = [{**dimm, "locator": f"{dimm['locator']}_{nr}"} for dimm in told["dimms"] for nr in range(8)]
    told["findings"] = [{**FINDING, "check": f"c{nr}"} for nr in range(6)]
    line = json.dumps(told)
    few, many = seconds_for(top, 1000, line), seconds_for(top, 8000, line)
    print(f"# 1,000 machines {few:.2f} s, 8,000 machines {many:.2f} s of a CPU")
    assert few < 5 and many < 16 * few, (few, many)


TESTS = (
    a_machine_tells,
    a_machine_without_modules_tells,
    a_dimm_tells_when_it_was_made,
    each_state_is_told_the_worst_first,
    people_are_told,
    one_file_that_is_none_does_not_stop_the_rest,
    several_documents_are_in_one_file,
    machines_that_have_told_nothing_are_named,
    the_last_word_of_a_machine_counts,
    a_batch_that_fails_stands_out,
    chance_is_that_of_all_draws,
    strangers_texts_do_no_harm,
    what_is_no_document_is_refused_or_reported,
    a_page_is_made,
    time_grows_as_machines_do,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
