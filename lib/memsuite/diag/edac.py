# SPDX-License-Identifier: GPL-2.0-only
"""What the machine's memory controllers count, by DIMM, as EDAC tells it."""

import glob
import os

EDAC = os.environ.get("MEMSUITE_EDAC", "/sys/devices/system/edac/mc")


def edac_text(directory, name):
    try:
        with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def edac_dimms():
    """[{label, location, corrected, uncorrected}]; none where no driver is."""
    found = []
    for directory in sorted(glob.glob(os.path.join(EDAC, "mc*", "dimm*")) +
                            glob.glob(os.path.join(EDAC, "mc*", "rank*"))):
        corrected, uncorrected = (edac_text(directory, name) for name in ("dimm_ce_count", "dimm_ue_count"))
        if corrected.isdigit() and uncorrected.isdigit():
            location = " ".join(edac_text(directory, "dimm_location").split())
            found.append({"label": edac_text(directory, "dimm_label") or location, "location": location,
                          "corrected": int(corrected), "uncorrected": int(uncorrected)})
    return found


def edac_growth(before, after):
    """The DIMMs that had errors in between. A count that has become less began anew: by reset_counters, or a driver's load."""
    old = {(dimm["label"], dimm["location"]): dimm for dimm in before}
    grown = []
    for dimm in after:
        was = old.get((dimm["label"], dimm["location"]), {"corrected": 0, "uncorrected": 0})
        more = {kind: dimm[kind] - was[kind] if dimm[kind] >= was[kind] else dimm[kind] for kind in ("corrected", "uncorrected")}
        if any(more.values()):
            grown.append({**dimm, **more})
    return grown
