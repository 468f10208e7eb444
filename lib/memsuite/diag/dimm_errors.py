# SPDX-License-Identifier: GPL-2.0-only
"""Which DIMM to replace: what tests have found in each, and what the machine has reported of it."""

import re

from ..output import human, print_json, print_table
from .bad_pages import all_bad_pages
from .dimms import dimms
from .edac import edac_dimms
from .spd import weeks_made


def bare(text):
    """Firmware and drivers differ in blanks and underscores."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def counted_by(dimm, edac):
    """What EDAC has of a DIMM: of those whose label names its slot, if there is exactly one."""
    slot = bare(dimm["locator"])
    same = [entry for entry in edac if slot and bare(entry["label"]).endswith(slot)]
    return same[0] if len(same) == 1 else None


def dimm_rows():
    every, edac, made = dimms(), edac_dimms(), weeks_made()
    bad = [row for row in all_bad_pages() if row["origin"] != "emulated"]
    rows = []
    for dimm in every:
        entry = counted_by(dimm, edac)
        here = [row for row in bad if dimm in row["dimms"]]
        rows.append({**dimm, "label": entry and entry["label"],
                     "bad_pages": sum(len(row["dimms"]) == 1 for row in here),
                     "perhaps_bad_pages": sum(len(row["dimms"]) > 1 for row in here),
                     "corrected": entry and entry["corrected"], "uncorrected": entry and entry["uncorrected"],
                     "made": made.get(dimm["serial"].upper())})
    named = {row["label"] for row in rows}
    rows += [{"locator": None, "size_mib": None, "manufacturer": "", "part": "", "serial": "", "bad_pages": None,
              "perhaps_bad_pages": None, "made": None, **{name: entry[name] for name in ("label", "corrected", "uncorrected")}}
             for entry in edac if entry["label"] not in named]
    return rows, bool(edac)


def shown(value):
    return "-" if value is None else value


def cmd_diag_dimms(args):
    rows, counted = dimm_rows()
    if args.json:
        print_json(rows)
        return 0
    if not rows:
        print("the firmware tells of no DIMM, and no EDAC driver of a memory controller is loaded")
        return 0
    print_table(["DIMM", "SIZE", "PART", "SERIAL", "MADE", "BAD", "CORRECTED", "UNCORRECTED", "EDAC LABEL"],
                [[shown(row["locator"]), human(row["size_mib"] * 2 ** 20) if row["size_mib"] else "-",
                  " ".join(filter(None, (row["manufacturer"], row["part"]))) or "-", row["serial"] or "-",
                  shown(row["made"]), shown(row["bad_pages"]), shown(row["corrected"]), shown(row["uncorrected"]), shown(row["label"])]
                 for row in rows], right=("SIZE", "BAD", "CORRECTED", "UNCORRECTED"))
    perhaps = max((row["perhaps_bad_pages"] or 0 for row in rows), default=0)
    if perhaps:
        print(f"{perhaps} bad pages lie in one of several DIMMs, and it is not known in which: memsuite diag bad")
    if not counted:
        print("no EDAC driver of this machine's memory controllers is loaded: what they correct is not counted by DIMM")
    return 0
