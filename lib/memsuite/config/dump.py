# SPDX-License-Identifier: GPL-2.0-only
"""What is set on this machine, as files of configuration say it."""

import sys

from ..mrc.targets import accesses_written, mrc_targets, shares_written
from ..output import print_json
from ..sysfs import CORE, entries, loaded, need, present, read
from ..zone.policies import policies
from ..zone.regions import REGION_ATTRIBUTES
from .extra_tests import extra_tests
from .schema import SETTINGS


def bank_maps():
    for name in entries("bank_maps"):
        yield "bank_map", name, {"map": read("bank_maps", name, "map")}


def regions():
    """What is as it came is written as well: nobody knows what an administrator has set."""
    for name in entries("regions"):
        values = {}
        if read("regions", name, "source") == "admin":
            values["range"] = f"{read('regions', name, 'start')}-{read('regions', name, 'end')}"
            values.update((key, read("regions", name, key)) for key in ("locator", "map", "banks"))
        values.update((key, read("regions", name, key))
                      for key in ("technology", *REGION_ATTRIBUTES, "pool_kib", "container_kib")
                      if present("regions", name, key))
        yield "region", name, {key: value for key, value in values.items() if value}


def settings(module):
    values = {key: read(module, key) for key in SETTINGS[module] if present(module, key)}
    if values.get("lifetime/automatic") == "1":
        del values["test_lifetime_s"]       # it is computed, and writing it would end that
    return module, None, values


def tests():
    for name, values in extra_tests().items():
        yield "test", name, values


def policies_set():
    for who, (policy, options) in policies().items():
        yield "policy", who, {"policy": policy, **dict.fromkeys(options, "yes")}


def targets():
    shares = shares_written()
    for who in mrc_targets():
        accesses = accesses_written(who)
        yield "target", who, {**({"accesses_per_s": accesses} if accesses else {}),
                              **dict(zip(("weight", "min_kib"), shares.get(who, ())))}


def sections():
    yield from bank_maps()
    yield from regions()
    for module, more in (("memdiag", tests), ("vipzone", policies_set), ("mrc", targets)):
        if loaded(module):
            yield settings(module)
            yield from more()


def is_process(kind, name):
    """It is not there after a reboot, and apply would refuse it."""
    return kind in ("policy", "target") and (name.split()[0].isdigit() or name.startswith("file:/proc/"))


def lines():
    for kind, name, values in sections():
        comment = "# " if is_process(kind, name) else ""
        yield f"{comment}[{kind} {name}]" if name else f"[{kind}]"
        for key, value in values.items():
            yield f"{comment}{key} = {value}"
        yield ""


def cmd_dump(args):
    need(CORE)
    if args.json:
        print_json([{"section": kind, "name": name, "values": values} for kind, name, values in sections()])
        return 0
    text = "\n".join(lines()) + "\n"
    # Paths of cgroups as they are: apply reads them so.
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    return 0
