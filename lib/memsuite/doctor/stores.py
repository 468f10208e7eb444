# SPDX-License-Identifier: GPL-2.0-only
"""Disks with PRAM before them."""

import os

from .. import Failure
from ..output import human_pages
from ..store import devices
from .finding import names_in, note, ok, rooted, text_of, unknown, wrong

HIGH_PCT = 75       # high_watermark, if the store does not tell


def listed():
    text = text_of(devices.LIST) or ""
    return [line.split()[0] for line in (line.partition("#")[0] for line in text.splitlines()) if line.strip()]


def high_watermark_pct(name):
    for block in names_in("/sys/block"):
        if text_of(f"/sys/block/{block}/dm/name") == name:
            return int(text_of(f"/sys/block/{block}/vstore/high_watermark") or HIGH_PCT)
    return HIGH_PCT


def health():
    names = listed()
    if not names and text_of("/sys/module/dm_vstore/initstate") is None:
        return
    for name in names:
        if not os.path.exists(rooted(f"/dev/mapper/{name}")):
            yield wrong(f"the store {name} of {devices.LIST} is not open", "memsuite store start says why")
    try:
        found = devices.stores(None)
    except Failure as failure:
        yield unknown(f"how stores are: {failure}",
                      "apt install dmsetup" if "installed" in str(failure) else "run as root")
        return
    for name, store in found.items():
        yield from health_of(name, store)


def health_of(name, store):
    clear = True
    if store.get("errors"):
        clear = False
        yield wrong(f"{name}: {store['errors']} requests failed", "dmesg | grep vstore; look at its disk: smartctl -a")
    if store.get("bad_blocks") or store.get("bad_pages"):
        clear = False
        yield wrong(f"{name}: {store.get('bad_pages', 0)} pages of its PRAM cannot be read, "
                    f"{store.get('bad_blocks', 0)} blocks are lost with them",
                    f"restore what is lost; memsuite store close {name}, and replace the NVDIMM: "
                    "see ndctl list --media-errors")
    high = high_watermark_pct(name)
    if store["dirty"] * 100 > store["pages"] * high:
        clear = False
        yield wrong(f"{name}: {human_pages(store['dirty'])} are not on the disk yet, more than {high}% of its "
                    "PRAM: the disk does not keep up",
                    f"look whether the disk is slow or fails; memsuite store watch {name}")
    elif store["dirty"]:
        yield note(f"{name}: {human_pages(store['dirty'])} are in PRAM alone: the disk cannot be used without it",
                   f"before either is taken out: memsuite store close {name}")
    if clear:
        yield ok(f"{name} works")
