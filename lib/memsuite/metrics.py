# SPDX-License-Identifier: GPL-2.0-only
"""All counters, as Prometheus reads them."""

import functools
import os
import re
import stat
import sys

from . import Failure
from .abi import descriptions
from .machine_metrics import machine_metrics
from .output import print_json, print_once
from .sysfs import CORE, MODULES, SYSFS, NoValue, entries, loaded, read
from .zone.regions import REGION_TEXTS

# What grows only; Prometheus wants "_total" at the end of such names.
COUNTERS = re.compile(r"""
    hooks/\*/(hits|missed)
    | pages/retired_pages
    | demand/\w+_pages
    | regions/\*/pool_(handed|bare|filled|foreign|passed)_pages | regions/\*/pool_misses
    | memdiag/(ecc_(corrected_errors|uncorrected_errors|tests) | tested_pages | passes | doubted_blocks)
    | memdiag/ahead/(served_pages | on_demand_tests | left_\w+)
    | memdiag/address_bits/passes
    | memdiag/control/(remote_pages | backoffs | alarms)
    | memdiag/moves/(moved_pages | walks)
    | vipzone/(steered|kernel|yielded|next|swapped_in|collapsed|moved|unmoved_\w+)_pages
    | vipzone/(lost_children | lost_tags | (moved|retried|lost)_entrants | fallback_\w+)
    | vipzone/policies/\*/(\w+_pages | fallback_\w+ | sampled_\w+ | counted_\w+ | access_\w+)
    | vipzone/ledger/\*/(?!over_budget)\w+
    | vipzone/audit/(rounds | cpu_ns) | vipzone/accesses/undivided
    | mrc/(changes | lost_children)
    | mrc/division/(evicted_pages | replaced_pages | refused_\w+_pages | suspended | undone)
    """, re.X)

# Text, told as labels of a metric that is 1.
INFOS = {
    "hooks/*": ("state", "symbol"),
    "regions/*": REGION_TEXTS,
    "memdiag": ("algorithm", "method"),
    "memdiag/range": ("status",),
    "memdiag/control": ("policy",),
    "memdiag/effectiveness": ("reads_reach_memory", "ecc", "encryption", "scrambling"),
    "vipzone/policies/*": ("who", "policy"),
    "mrc": ("mode",),
}

# Directories with one entry a thing: how metrics of it begin, and the label that names it.
THINGS = {"hooks": ("hook", "hook"), "regions": ("region", "region"), "bank_maps": ("bank_map", "bank_map"),
          "vipzone/policies": ("vipzone_policy", "policy"), "vipzone/ledger": ("vipzone_region", "region")}

# Units at the end of names, and those of Prometheus: (end, its end, factor). The first one that fits counts.
UNITS = (
    ("_mib_s", "_bytes_per_second", 1 << 20), ("_kib_s", "_bytes_per_second", 1 << 10),
    ("_pages_s", "_pages_per_second", 1), ("_kib_per_day", "_bytes_per_day", 1 << 10),
    ("_fj_per_bit", "_joules_per_bit", 1e-15), ("_permille", "_ratio", 1e-3), ("_pct", "_ratio", 1e-2),
    ("_kib", "_bytes", 1 << 10), ("_ms", "_seconds", 1e-3), ("_us", "_seconds", 1e-6), ("_ns", "_seconds", 1e-9),
    ("_s", "_seconds", 1), ("_uj", "_joules", 1e-6), ("_nj", "_joules", 1e-9), ("_mw", "_watts", 1e-3),
)
# Ends that Prometheus takes for something else, and a word that it takes for a unit.
RENAMED = {"memdiag/bad_page_count": "memdiag_bad_pages", "memdiag/pending_page_count": "memdiag_pending_pages",
           "memdiag/retire_policy/suspect_count": "memdiag_retire_policy_suspects",
           "memdiag/inject/count": "memdiag_emulated_faults", "memdiag/tests/count": "memdiag_extra_tests"}
# What changes nothing when it is read, and says nothing.
COMMANDS = ("add", "remove", "set")

# Permission bits of files that count: of whoever may read, or only of what everybody may.
ANYBODY, EVERYBODY = 0o444, 0o004


def metric_of(pattern):
    """(name, factor) of a file, or of a directory; * is each thing of it."""
    directory, star, rest = pattern.partition("/*")
    name = RENAMED.get(pattern) or "_".join([THINGS[directory][0] if star else directory, *rest.split("/")[1:]])
    name = re.sub(r"\W", "_", name).replace("address_bits", "address_test")
    factor = 1
    for end, of_base, of_unit in UNITS:
        if name.endswith(end):
            name, factor = name[:-len(end)] + of_base, of_unit
            break
    return f"{CORE}_{name}" + ("_total" if COUNTERS.fullmatch(pattern) else ""), factor


def label_text(value):
    value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    value = value.replace("\\", "\\\\").replace("\n", "\\n")
    return value.replace('"', '\\"')


def help_text(value):
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def directories(*top):
    """(pattern, path, labels) of all directories that hold values, and of all below."""
    for name in entries(*top):
        path = "/".join([*top, name])
        if path not in THINGS:
            yield path, path, {}
            yield from directories(*top, name)
            continue
        for thing in entries(path):
            yield f"{path}/*", f"{path}/{thing}", {THINGS[path][1]: thing}


def values_in(path, readers):
    """{file: text} of what a directory tells; unreadable: left out."""
    full, found = os.path.join(SYSFS, path), {}
    try:
        names = sorted(os.listdir(full))
    except (FileNotFoundError, NotADirectoryError):
        return found
    for name in names:
        try:
            mode = os.stat(os.path.join(full, name)).st_mode
            if stat.S_ISREG(mode) and mode & readers and name not in COMMANDS:
                found[name] = read(path, name)
        except (FileNotFoundError, NoValue):
            continue
        except Failure as failure:
            print_once(f"memsuite: {failure}")
    return found


def number_in(text):
    """None if it is none."""
    try:
        return int(text, 0)
    except ValueError:
        return None


@functools.lru_cache(maxsize=None)
def described(pattern):
    """(name, type, help, factor) of a file."""
    name, factor = metric_of(pattern)
    text = descriptions().get(pattern, f"{pattern} in {SYSFS}")
    if factor != 1:
        text += f" (Here in another unit, times {factor:g}.)"
    return name, "counter" if COUNTERS.fullmatch(pattern) else "gauge", text, factor


def metrics(readers=ANYBODY):
    """Name: {type, help, samples: [(labels, value)]}; of files that those @readers may read."""
    result = {}

    def put(name, kind, text, labels, value):
        metric = result.setdefault(
            name, {"type": kind, "help": text, "samples": []})
        metric["samples"].append((labels, value))

    for module in MODULES:
        put("memsuite_module_loaded", "gauge", "whether a module is loaded",
            {"module": module}, int(loaded(module)))
    for metric in machine_metrics():
        put(*metric)
    if not loaded(CORE):
        return result
    put("memsuite_info", "gauge", "the version",
        {"version": read("version")}, 1)
    for pattern, path, labels in directories():
        values = values_in(path, readers)
        texts = {file: values[file] for file in INFOS.get(pattern, ()) if file in values}
        if texts:
            put(metric_of(pattern)[0] + "_info", "gauge", f"the texts of {pattern}", {**labels, **texts}, 1)
        for file, value in values.items():
            value = number_in(value)
            if value is None:
                continue
            name, kind, text, factor = described(f"{pattern}/{file}")
            put(name, kind, text, labels, value if factor == 1 else round(value * factor, 18))
    return result


def sample_line(name, labels, value):
    inside = ",".join(f'{key}="{label_text(text)}"'
                      for key, text in labels.items())
    return f"{name}{{{inside}}} {value}" if inside else f"{name} {value}"


def prometheus_lines(result):
    for name, metric in result.items():
        yield f"# HELP {name} {help_text(metric['help'])}"
        yield f"# TYPE {name} {metric['type']}"
        for labels, value in metric["samples"]:
            yield sample_line(name, labels, value)


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
    for line in prometheus_lines(result):
        print(line)
    return 0


def add_commands(top):
    top.add("export", cmd_export, "all counters, as Prometheus reads them")
