# SPDX-License-Identifier: GPL-2.0-only
"""Regions of physical memory, and the files that describe them."""

import errno

from .. import Failure
from ..output import done, human, human_pages, print_json, print_table
from ..sysfs import CORE, entries, need, number, read, write

# What an administrator can say of a region.
REGION_ATTRIBUTES = (
    "read_latency_ns", "write_latency_ns", "idle_power_mw", "read_power_mw", "write_power_mw",
    "read_energy_fj_per_bit", "write_energy_fj_per_bit", "wear_budget_kib_per_day", "endurance_writes")
REGION_NUMBERS = (
    "start", "end", "node", "tier", *REGION_ATTRIBUTES,
    "total_pages", "free_pages", "pool_kib", "pool_pages",
    "pool_large_pages", "pool_handed_pages", "pool_bare_pages", "pool_filled_pages",
    "pool_misses")
REGION_TEXTS = ("source", "locator", "interleaved", "technology")


def region(name):
    values = {"name": name}
    values.update({key: read("regions", name, key) for key in REGION_TEXTS})
    values.update({key: number("regions", name, key)
                   for key in REGION_NUMBERS})
    return values


def cmd_zone_list(args):
    need(CORE)
    regions = [region(name) for name in entries("regions")]
    if args.json:
        print_json(regions)
        return 0
    rows = [[r["name"], r["source"], r["node"] if r["node"] >= 0 else "-",
             f"{r['start']:#x}-{r['end']:#x}", human(r["end"] - r["start"]),
             human_pages(r["total_pages"]), human_pages(r["free_pages"]),
             f"{human_pages(r['pool_pages'])} of {human(r['pool_kib'] << 10)}",
             r["technology"] or r["locator"]]
            for r in regions]
    print_table(["REGION", "SOURCE", "NODE", "RANGE", "SIZE", "ONLINE", "FREE",
                 "POOL", "WHAT"], rows, right=("SIZE", "ONLINE", "FREE"))
    return 0


def define_region(name, extent, words):
    write("regions/add", " ".join([name, extent, *words]), {
        errno.EINVAL: "malformed: NAME START-END [key=value ...], addresses "
                      "in bytes at page boundaries; keys are technology, locator, "
                      + ", ".join(REGION_ATTRIBUTES) + ", and map with banks",
        errno.ENOENT: "no such bank map; there are " + ", ".join(entries("bank_maps")),
        errno.ERANGE: "empty, or beyond this machine's physical addresses, or a number too large",
        errno.EEXIST: "there is such a region already",
        errno.ENAMETOOLONG: "a name or text is too long",
        errno.E2BIG: "too long",
        errno.EOPNOTSUPP: "its DIMM is interleaved with others, see the kernel log: no pages lie in it alone",
    })


def cmd_zone_define(args):
    need(CORE)
    define_region(args.name, args.range, args.key)
    return done(args, f"region {args.name} is defined")


def cmd_zone_undefine(args):
    need(CORE)
    write("regions/remove", args.name, {
        errno.ENOENT: "no such region",
        errno.EPERM: "this region comes with the machine",
        errno.EBUSY: "somebody gets pages from it",
    })
    return done(args, f"region {args.name} is gone")


# A number by size, in a profile.
PER_GIB = "idle_power_mw_per_gib"


def profile_numbers(words, where):
    """{key: number} of KEY=NUMBER words."""
    values = {}
    for word in words:
        key, _, value = word.partition("=")
        if key not in (*REGION_ATTRIBUTES, PER_GIB) or not value.isdecimal():
            raise Failure(f"{where}: not KEY=NUMBER: {word!r}; keys are {', '.join((*REGION_ATTRIBUTES, PER_GIB))}")
        values[key] = int(value)
    return values


def read_profile(path):
    """[(where, region, range or None, words for regions/add, {key: number})]"""
    lines = []
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"{path}: {error}") from None
    for number_of_line, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        where = f"{path}:{number_of_line}"
        if not words:
            continue
        name, rest = words[0], words[1:]
        extent = rest.pop(0) if rest and "=" not in rest[0] else None
        # A region that comes with the machine has its locator from there.
        texts = [word for word in rest if word.partition("=")[0] in ("technology", "locator" if extent else "technology")]
        lines.append((where, name, extent, texts,
                      profile_numbers([word for word in rest if word not in texts], where)))
    return lines


def apply_profile_line(name, extent, texts, values):
    if extent:
        define_region(name, extent, texts)
    else:
        for text in texts:
            write(f"regions/{name}/technology", text.partition("=")[2], {
                errno.EINVAL: f"not a technology that is known: {text}"})
    if PER_GIB in values:
        gib = (number("regions", name, "end") - number("regions", name, "start")) / (1 << 30)
        values["idle_power_mw"] = round(values.pop(PER_GIB) * gib)
    for key, value in values.items():
        write(f"regions/{name}/{key}", str(value), {errno.ERANGE: f"{key}: too large: {value}"})


def cmd_zone_profile(args):
    need(CORE)
    lines = read_profile(args.file)
    known = set(entries("regions"))
    for where, name, extent, _, _ in lines:
        if bool(extent) == (name in known):
            raise Failure(f"{where}: there is {'already' if extent else 'no'} region {name}")
        known.add(name)
    for where, name, extent, texts, values in lines:
        try:
            apply_profile_line(name, extent, texts, values)
        except Failure as failure:
            raise Failure(f"{where}: {failure}") from None
    return done(args, f"{len(lines)} regions are described by {args.file}")
