# SPDX-License-Identifier: GPL-2.0-only
"""All counters, as Prometheus reads them."""

import os
import stat
import sys

from . import Failure
from .output import print_json
from .sysfs import CORE, MODULES, SYSFS, entries, loaded, present, read
from .zone.regions import REGION_TEXTS

# What grows only; Prometheus wants "_total" at the end of such names.
COUNTERS = {
    "hooks/*/hits": "calls that the hook saw",
    "hooks/*/missed": "calls that the hook could not serve",
    "demand/allocated_pages": "pages allocated",
    "demand/tested_pages": "pages whose test was good when allocated",
    "demand/untested_pages": "pages untested when allocated",
    "demand/returned_pages": "pages freed by their users",
    "demand/stale_pages": "of these, pages without a good test",
    "demand/expired_pages": "pages whose test had expired when allocated",
    "regions/*/pool_handed_pages": "pages that the pool handed out",
    "regions/*/pool_bare_pages": "pages that a CPU took for itself",
    "regions/*/pool_filled_pages": "pages that were put into the pool",
    "regions/*/pool_misses": "requests that found the pool empty",
    "memdiag/ecc_corrected_errors": "memory errors that were corrected",
    "memdiag/ecc_uncorrected_errors": "memory errors that were not corrected",
    "memdiag/ecc_tests": "tests on account of reported errors",
    "memdiag/tested_pages": "pages tested",
    "memdiag/passes": "complete sweeps over memory",
    "memdiag/address_bits/passes": "complete passes of the test of address bits",
    "vipzone/steered_pages": "pages placed as asked",
    "vipzone/lost_children": "processes not followed for want of memory",
    "vipzone/fallback_empty": "faults left to the kernel: no page at once",
    "vipzone/fallback_policy": "faults left to the kernel: NUMA policy",
    "vipzone/fallback_cpuset": "faults left to the kernel: cpuset",
    "vipzone/fallback_context": "faults left to the kernel: not movable",
    "vipzone/fallback_huge": "huge pages refused",
    "vipzone/fallback_wear": "faults left to the kernel: regions over their wear budget",
    "mrc/changes": "curves that have changed",
    "mrc/division/evicted_pages": "pages evicted of targets because little memory was available",
    "mrc/division/replaced_pages": "pages that targets have replaced in faults of their own",
    "mrc/division/refused_shared_pages": "pages not evicted: others map them, too",
    "mrc/division/refused_busy_pages": "pages not evicted: pinned, or in parts",
    "mrc/division/suspended": "intervals in which pressure has lifted all shares",
    "pages/retired_pages": "bad pages withheld for good",
}

# What goes up and down; a file that is in neither table has its path as help.
GAUGES = {
    "pages/held_pages": "pages that the suite holds",
    "pages/metadata_bytes": "memory that per-page metadata takes",
    "regions/*/total_pages": "pages of the region that are online",
    "regions/*/free_pages": "pages of the region that are free",
    "regions/*/pool_large_pages": "of these, pages of large folios that are ready",
    "regions/*/pool_pages": "pages that the region's pool holds",
    "regions/*/pool_kib": "what the region's pool is to hold",
    "memdiag/address_bits/age_s": "seconds since the last pass of the test of address bits",
    "memdiag/address_bits/tested_pct": "pages tested with their partner, of the worst bit",
    "memdiag/bad_page_count": "bad pages known",
    "memdiag/pending_page_count": "bad pages that are not retired",
    "memdiag/pass_progress_pct": "how far the current sweep is",
    "memdiag/test_lifetime_s": "how long a test is good for",
}

# Text, told as labels of a metric that is 1.
INFOS = {
    "hooks/*": ("state", "symbol"),
    "regions/*": REGION_TEXTS,
    "memdiag": ("algorithm",),
}

# Directories with one entry a thing, and what the thing is called.
THINGS = {"hooks": "hook", "regions": "region"}


def metric_name(pattern):
    parts = [THINGS.get(part, part) for part in pattern.split("/")
             if part != "*"]
    name = "_".join([CORE] + parts).replace("-", "_").replace(".", "_")
    return name + "_total" if pattern in COUNTERS else name


def label_text(value):
    value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    value = value.replace("\\", "\\\\").replace("\n", "\\n")
    return value.replace('"', '\\"')


def help_text(value):
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def directories():
    """(pattern, path, labels) of all directories that hold values."""
    for name in entries():
        if name not in THINGS:
            yield name, name, {}
            for part in entries(name):
                yield f"{name}/{part}", f"{name}/{part}", {}
            continue
        for thing in entries(name):
            yield f"{name}/*", f"{name}/{thing}", {THINGS[name]: thing}


def numbers_in(path):
    """(file, value) of the numbers in a directory; unreadable: skipped."""
    full = os.path.join(SYSFS, path)
    for name in sorted(os.listdir(full)):
        mode = os.stat(os.path.join(full, name)).st_mode
        if (not stat.S_ISREG(mode) or not mode & 0o444
                or name in ("add", "remove")):
            continue
        try:
            yield name, int(read(path, name), 0)
        except ValueError:
            continue
        except Failure as failure:
            print(f"memsuite: {failure}", file=sys.stderr)


def describe(pattern):
    """(type, help) of a metric."""
    if pattern in COUNTERS:
        return "counter", COUNTERS[pattern]
    return "gauge", GAUGES.get(pattern, f"{pattern} in {SYSFS}")


def metrics():
    """Name: {type, help, samples: [(labels, value)]}."""
    result = {}

    def put(name, kind, text, labels, value):
        metric = result.setdefault(
            name, {"type": kind, "help": text, "samples": []})
        metric["samples"].append((labels, value))

    for module in MODULES:
        put("memsuite_module_loaded", "gauge", "whether a module is loaded",
            {"module": module}, int(loaded(module)))
    if not loaded(CORE):
        return result
    put("memsuite_info", "gauge", "the version",
        {"version": read("version")}, 1)
    for pattern, path, labels in directories():
        if pattern in INFOS:
            texts = {key: read(path, key) for key in INFOS[pattern]
                     if present(path, key)}
            put(metric_name(pattern) + "_info", "gauge",
                f"the texts of {pattern}", {**labels, **texts}, 1)
        for file, value in numbers_in(path):
            kind, text = describe(f"{pattern}/{file}")
            put(metric_name(f"{pattern}/{file}"), kind, text, labels, value)
    return result


def sample_line(name, labels, value):
    inside = ",".join(f'{key}="{label_text(text)}"'
                      for key, text in labels.items())
    return f"{name}{{{inside}}} {value}" if inside else f"{name} {value}"


def cmd_export(args):
    if not loaded(CORE):
        print("memsuite: not loaded; as root: modprobe -a memdiag vipzone mrc",
              file=sys.stderr)
    result = metrics()
    if args.json:
        for metric in result.values():
            metric["samples"] = [{"labels": labels, "value": value}
                                 for labels, value in metric["samples"]]
        print_json(result)
        return 0
    for name, metric in result.items():
        print(f"# HELP {name} {help_text(metric['help'])}")
        print(f"# TYPE {name} {metric['type']}")
        for labels, value in metric["samples"]:
            print(sample_line(name, labels, value))
    return 0
