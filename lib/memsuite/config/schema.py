# SPDX-License-Identifier: GPL-2.0-only
"""What configuration files may say."""

import argparse
import difflib

from ..arguments import placed_argument, policy_word, range_argument, tracked_argument, word_argument
from ..sysfs import CORE
from ..zone.policies import LASTING_OPTIONS, policy_argument
from ..zone.regions import PER_GIB, REGION_ATTRIBUTES

SWITCHES = {"1": "1", "yes": "1", "true": "1", "on": "1", "0": "0", "no": "0", "false": "0", "off": "0"}


def switch(text):
    try:
        return SWITCHES[text.lower()]
    except KeyError:
        raise argparse.ArgumentTypeError(f"not yes or no: {text!r}") from None


def number(text):
    try:
        if not 0 <= int(text, 0) < 1 << 64:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a number: {text!r}") from None
    return str(int(text, 0))


def text_value(text):
    return text


def blankless(text):
    if len(text.split()) != 1:
        raise argparse.ArgumentTypeError(f"has blanks: {text!r}")
    return text


def policy(text):
    """As the command takes it."""
    return policy_argument([policy_word(text)])


def tracked_group(text):
    """A target that is there after a reboot."""
    if text.isdigit():
        raise argparse.ArgumentTypeError(f"a process is none tomorrow: {text}; give cgroup:/PATH, above:SIZE or "
                                         "machine")
    return tracked_argument(text)


def lasting(text):
    if text.isdigit():
        raise argparse.ArgumentTypeError(f"a process is none tomorrow: {text}; give cgroup:/PATH, file:PATH or machine")
    return placed_argument(text)


def numbers(*names):
    return dict.fromkeys(names, number)


def switches(*names):
    return dict.fromkeys(names, switch)


# {key: what it has to be} of files that are read and written, in the order in which they are written: what is turned on
# comes last. Below the directory of the section's name.
SETTINGS = {
    "memdiag": {
        "algorithm": text_value, "method": blankless,
        **numbers("random_seed", "test_lifetime_s", "lifetime/least_s", "lifetime/alpha_pct", "lifetime/mem_util_pct",
                  "lifetime/test_res_pct"),
        **switches("lifetime/automatic"),
        **numbers("control/fixed_fidelity", "control/fixed_threads", "control/user_timeout_ms", "control/max_threads",
                  "control/max_fidelity", "control/min_fidelity", "control/emergency_fidelity", "control/emergency_threads",
                  "control/burst_factor_pct", "control/burst_pages", "control/comet_threshold_pages",
                  "control/comet_minimum_pages_s", "control/demand_alpha_pct", "control/monitor_ms",
                  "control/policy_ms", "control/bandwidth_mib_s", "control/pressure_memory_pct",
                  "control/pressure_cpu_pct"),
        "control/policy": blankless,
        **numbers("address_bits/period_s", "ecc_threshold", "move_interval_ms", "retire_policy/hard_threshold",
                  "retire_policy/intermittent_threshold", "retire_policy/transient_threshold",
                  "retire_policy/read_path_threshold", "retire_policy/window_s", "retire_policy/limit_pages",
                  "retire_policy/limit_dimm_pct"),
        **switches("optimisations/core_local", "optimisations/recycle", "optimisations/skip_middle",
                   "optimisations/node_local", "test_new_memory", "ahead/enabled", "enabled"),
    },
    "vipzone": {
        **numbers("audit/sample_pages", "audit/quota_kib_s", "audit/hot_looks", "audit/idle_looks"),
        **switches("audit/quota_auto", "audit/sample_accesses"),
        "accesses/read_event": blankless, "accesses/write_event": blankless, "accesses/source": blankless,
        **numbers("audit/interval_ms"), **switches("enabled"),
    },
    "mrc": {
        "mode": blankless, "sample_event": blankless,
        **numbers("sample_period", "epoch_ms", "group_pages", "samples", "ladder_ms", "max_cpu_permille", "total_cpu_permille", "change_pct"),
        **switches("contended_only"),
        **numbers("contention_pressure_pct", "contention_available_pct", "division/total_kib", "division/reserve_kib",
                  "division/unit_kib"),
        "division/utility": blankless,
        **numbers("division/miss_us", "division/interval_ms", "division/pressure_pct"),
        **switches("enabled", "division/enforce"),
    },
}
# Of sections that name a thing: the module, what the name has to be, the keys, and which of them there must be.
THINGS = {
    "bank_map": (CORE, word_argument, {"map": text_value}, ("map",)),
    "region": (CORE, word_argument, {
        "range": range_argument, "technology": blankless, "locator": blankless, "map": word_argument, "banks": blankless,
        **numbers(*REGION_ATTRIBUTES, PER_GIB, "pool_kib", "container_kib")}, ()),
    "test": ("memdiag", word_argument, {"algorithm": blankless, "period_s": number}, ("algorithm", "period_s")),
    "policy": ("vipzone", lasting, {"policy": policy, **switches(*LASTING_OPTIONS)}, ("policy",)),
    "target": ("mrc", tracked_group, numbers("accesses_per_s", "weight", "min_kib"), ()),
}
PROFILES = "profiles"           # key: file, value: yes or no
KINDS = (*SETTINGS, *THINGS, PROFILES)
# What can be written and read and is none of a configuration: a daemon writes it again and again.
LEFT_OUT = ("memdiag/control/user_config",)


def module_of(section):
    return section.kind if section.kind in SETTINGS else THINGS[section.kind][0] if section.kind in THINGS else CORE


def nearest(word, known):
    close = difflib.get_close_matches(word, known, 1, 0.5)
    return f"; is {close[0]} meant?" if close else f"; there are {', '.join(known)}"


def keys_of(section):
    return SETTINGS[section.kind] if section.kind in SETTINGS else THINGS[section.kind][2]


def check_name(section):
    if section.kind not in THINGS:
        return f"[{section.kind}] has no name" if section.name else None
    if not section.name:
        return f"{section.title()} needs a name"
    try:
        section.name = THINGS[section.kind][1](section.name)
    except argparse.ArgumentTypeError as error:
        return f"{section.title()}: {error}"
    missing = [key for key in THINGS[section.kind][3] if key not in section.values]
    return f"{section.title()} lacks {', '.join(missing)}" if missing else None


def check_move(section):
    """[(where, why)], as check() does."""
    value, where = section.values.get("move", ("0", None))
    if section.kind != "policy" or (section.name or "").startswith("cgroup:") or value != "1":
        return []
    return [(where, f"{section.title()}: move is for a cgroup: nobody enters {section.name}")]


def check(section):
    """[(where, why)] of what is wrong; values that are right become as they are written."""
    if section.kind not in KINDS:
        return [(section.where, f"no section {section.title()}{nearest(section.kind, KINDS)}")]
    problems = [(section.where, why) for why in (check_name(section),) if why]
    known = dict.fromkeys(section.values, switch) if section.kind == PROFILES else keys_of(section)
    for key, (value, where) in section.values.items():
        if key not in known:
            problems.append((where, f"{section.title()} has no {key}{nearest(key, known)}"))
            continue
        try:
            section.values[key] = known[key](value), where
        except argparse.ArgumentTypeError as error:
            problems.append((where, f"{key}: {error}"))
    return problems + check_move(section)
