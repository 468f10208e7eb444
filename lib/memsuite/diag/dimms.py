# SPDX-License-Identifier: GPL-2.0-only
"""The DIMMs, as the firmware tells of them: bad pages go with them."""

import hashlib
import json
import os
import re
import struct

DMI = os.environ.get("MEMSUITE_DMI", "/sys/firmware/dmi/tables/DMI")

# What firmware writes where it should have written a serial number.
NO_SERIAL = ("", "not specified", "unknown", "none", "no dimm", "n/a", "empty",
             "to be filled by o.e.m.")


def smbios_structures(data):
    """(type, formatted part, strings) of the structures of a DMI table."""
    at = 0
    while at + 4 <= len(data):
        kind, length = data[at], data[at + 1]
        end = data.find(b"\0\0", at + length)
        if length < 4 or end < 0:
            return
        texts = data[at + length:end].split(b"\0")
        yield (kind, data[at:at + length],
               [text.decode("latin-1").strip() for text in texts])
        at = end + 2


def dimm(body, strings):
    """A memory device: structure type 17 of SMBIOS, DSP0134 section 7.18."""
    def text(offset):
        nr = body[offset] if offset < len(body) else 0
        return strings[nr - 1] if 0 < nr <= len(strings) else ""
    size, = struct.unpack_from("<H", body, 0x0c)
    mib = size & 0x7fff if size & 0x8000 == 0 else (size & 0x7fff) / 1024
    if size == 0x7fff and len(body) >= 0x20:
        mib, = struct.unpack_from("<I", body, 0x1c)
    serial = text(0x18)
    if serial.lower() in NO_SERIAL or not serial.strip("0"):
        serial = ""
    return {"locator": text(0x10), "size_mib": mib,
            "manufacturer": text(0x17), "serial": serial, "part": text(0x1a)}


def dimms():
    """The DIMMs that the firmware tells of; none if it does not."""
    try:
        with open(DMI, "rb") as file:
            data = file.read()
    except OSError:
        return []
    found = [dimm(body, strings) for kind, body, strings
             in smbios_structures(data) if kind == 17 and len(body) >= 0x15]
    return [d for d in found if d["size_mib"]]


def dimms_at(column, every):
    """Of every DIMM, those that a page's column tells; all if it tells none.

    What is not a letter, a digit or another sign is not written, and what is long is cut short.
    """
    names = [] if column in ("-", "", None) else column.split(",")

    def is_it(locator, name):
        locator = re.sub("[^!-~]", "_", locator)
        cut = len(name) >= 31 or (len(column) >= 63 and name == names[-1])
        return locator == name or (cut and name and locator.startswith(name))

    return [d for d in every if any(is_it(d["locator"], name)
                                    for name in names)] or every


def machine_key():
    for path in ("/sys/class/dmi/id/product_uuid", "/etc/machine-id"):
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                text = file.read().strip().lower()
        except OSError:
            continue
        if text.strip("0-"):
            return text
    return "unknown"


def layout_key(every):
    """Where addresses lie follows from which slots hold how much."""
    slots = sorted((d["locator"], d["size_mib"]) for d in every)
    return hashlib.sha256(json.dumps(slots).encode()).hexdigest()[:16]


def page_key(column, every):
    """What must be the same for a bad page to be the same cells: the layout,
    and the serial numbers of the DIMMs there, or else the machine."""
    here = dimms_at(column, every)
    serials = sorted(f"{d['locator']}={d['serial']}" for d in here)
    if not here or not all(d["serial"] for d in here):
        return {"layout": layout_key(every), "machine": machine_key()}
    return {"layout": layout_key(every), "dimms": serials}
