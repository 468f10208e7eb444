# SPDX-License-Identifier: GPL-2.0-only
"""The machine becomes as the files say; what is as they say already is left alone."""

import errno
import sys

from .. import Failure
from ..arguments import size_argument
from ..modules import ENABLE_ERRORS
from ..mrc.targets import ADD_ERRORS, accesses_written, mrc_targets, shares_written
from ..output import print_json
from ..store.devices import load_module
from ..sysfs import entries, loaded, number, present, read, write
from ..zone.files import is_current, is_file
from ..zone.policies import LASTING_OPTIONS, add_policy, policies
from ..zone.regions import PER_GIB, REGION_ATTRIBUTES, define_region, read_profile
from .extra_tests import extra_tests
from .files import Section, files, read_files
from .schema import PROFILES, SETTINGS, check, keys_of, module_of

# The order in which sections are applied; what is turned on comes last.
ORDER = ("bank_map", PROFILES, "region", "memdiag", "test", "vipzone", "policy", "mrc", "target")
LATE = ("enabled", "division/enforce")
# What is written to the first file stops the kernel from choosing it, which the second one tells.
CHOSEN = {"test_lifetime_s": "lifetime/automatic", "audit/quota_kib_s": "audit/quota_auto"}
WRITE_ERRORS = {errno.EINVAL: "not a value that is known", errno.ERANGE: "out of range", **ENABLE_ERRORS,
                errno.ENOENT: "the kernel does not know it"}


class Run:
    """What was changed, and what could not be."""

    def __init__(self, problems):
        self.changed, self.problems = [], problems
        self.refused = set()        # modules

    def do(self, where, what, function, *arguments):
        try:
            function(*arguments)
        except Failure as failure:
            self.problems.append((where, f"{what}: {failure}"))
        else:
            self.changed.append(what)

    def set(self, where, path, value, title, anyway=False):
        """@path: below the suite's directory. @anyway: also if it is so already."""
        try:
            if not present(path):
                raise Failure(f"this version of the modules has no {path}")
            before = read(path)
        except Failure as failure:
            self.problems.append((where, str(failure)))
            return
        if before != value or anyway:
            self.do(where, f"{title} = {value}", write, path, value, WRITE_ERRORS)


def define(section):
    words = [f"{key}={section.values[key][0]}" for key in ("technology", "locator", "map", "banks", *REGION_ATTRIBUTES)
             if key in section.values]
    define_region(section.name, section.values["range"][0], words)


def same_region(section):
    """Why the region that is there is another one, or None."""
    start, end = (number("regions", section.name, edge) for edge in ("start", "end"))
    if "range" in section.values and [start, end] != bounds(section.values["range"][0]):
        return f"it is at {start:#x}-{end:#x}"
    for key in ("map", "banks"):
        if key in section.values and read("regions", section.name, key) != section.values[key][0]:
            return f"its {key} is {read('regions', section.name, key) or 'none'}"
    return None


def bounds(text):
    return [size_argument(part) for part in text.split("-")]


def apply_region(run_of, section):
    title = section.title()
    if section.name not in entries("regions"):
        if "range" not in section.values:
            run_of.problems.append((section.where, f"{title}: there is no such region; with a range it is defined"))
            return
        before = len(run_of.problems)
        run_of.do(section.where, title, define, section)
        if len(run_of.problems) > before:
            return
    other = same_region(section)
    if other:
        run_of.problems.append((section.where,
                                f"{title}: {other}; memsuite zone undefine {section.name}, then apply again"))
        return
    for key, (value, where) in section.values.items():
        if key == PER_GIB:
            size = number("regions", section.name, "end") - number("regions", section.name, "start")
            run_of.set(where, f"regions/{section.name}/idle_power_mw", str(round(int(value) * size / (1 << 30))), title)
        elif key not in ("range", "locator", "map", "banks"):
            run_of.set(where, f"regions/{section.name}/{key}", value, f"{title} {key}")


def apply_bank_map(run_of, section):
    value, where = section.values["map"]
    if section.name not in entries("bank_maps"):
        run_of.do(where, section.title(), write, "bank_maps/add", f"{section.name} {value}", {
            errno.EINVAL: "not a map: xor=MASK[,MASK...] [row=MASK], or interleave=SIZExCOUNT[,...]"})
    elif read("bank_maps", section.name, "map") != value:
        run_of.problems.append((where, f"{section.title()}: it is {read('bank_maps', section.name, 'map')}; "
                                "remove it and the regions of it first: bank_maps/remove"))


def profile_regions(section, problems):
    """Sections of the regions that are in its files, of those that are right."""
    for path, (value, where) in section.values.items():
        if value == "0":
            continue
        try:
            lines = read_profile(path)
        except Failure as failure:
            problems.append((where, str(failure)))
            continue
        for place, name, extent, texts, values in lines:
            region = Section("region", name, place)
            region.values = {key: (str(text), place) for key, text in (
                *([("range", extent)] if extent else []), *(word.split("=", 1) for word in texts), *values.items())}
            wrong = check(region)
            problems += wrong
            if not wrong:
                yield region


def apply_profiles(run_of, section):
    for region in profile_regions(section, run_of.problems):
        apply_region(run_of, region)


def apply_test(run_of, section):
    wanted = {key: value for key, (value, _) in section.values.items()}
    before = extra_tests().get(section.name)
    if before == wanted:
        return
    if before:
        run_of.do(section.where, f"{section.title()}, as it was, removed", write, "memdiag/tests/remove", section.name)
    run_of.do(section.where, section.title(), write, "memdiag/tests/add",
              f"{section.name} {wanted['algorithm']} period_s={wanted['period_s']}",
              {errno.EINVAL: "no such algorithm", errno.ENOSPC: "there are 16 tests already"})


def later(who):
    """A service's cgroup is made when it starts, which may be after this."""
    return ["later"] if who.startswith("cgroup:") else []


def apply_policy(run_of, section):
    wanted, where = section.values["policy"]
    options = [option for option in LASTING_OPTIONS if section.values.get(option, ("0", ""))[0] == "1"]
    if policies().get(section.name) == (wanted, options) and (not is_file(section.name) or is_current(section.name)):
        return
    run_of.do(where, f"{section.title()} {' '.join([wanted, *options])}", add_policy, section.name, wanted,
              options + later(section.name))


def apply_target(run_of, section):
    if section.name not in mrc_targets():
        run_of.do(section.where, section.title(), write, "mrc/add", " ".join([section.name, *later(section.name)]), ADD_ERRORS)
    if "accesses_per_s" in section.values:
        value, where = section.values["accesses_per_s"]
        if accesses_written(section.name) != value:
            run_of.do(where, f"{section.title()} accesses_per_s = {value}", write, "mrc/accesses_per_s",
                      f"{section.name} {value}")
    apply_share(run_of, section)


def apply_share(run_of, section):
    """What is said of it; the rest stays."""
    said = [section.values.get(key) for key in ("weight", "min_kib")]
    if not any(said):
        return
    before = shares_written().get(section.name, ("1", "0"))
    wanted = tuple(value[0] if value else old for value, old in zip(said, before))
    if wanted != before:
        run_of.do(next(filter(None, said))[1], f"{section.title()} weight = {wanted[0]}, min_kib = {wanted[1]}", write,
                  "mrc/division/set", f"{section.name} {' '.join(wanted)}")


APPLIED = {"bank_map": apply_bank_map, PROFILES: apply_profiles, "region": apply_region, "test": apply_test,
           "policy": apply_policy, "target": apply_target}


def is_chosen(section, key):
    """Whether the kernel chooses a value that is to stay, if that is so by now or not."""
    switch = CHOSEN.get(key)
    try:
        return bool(switch and switch not in section.values and present(section.kind, switch)
                    and read(section.kind, switch) == "1")
    except Failure:     # its module is being unloaded: so is the value
        return False


def apply_settings(run_of, section, late):
    """Twice what was refused: limits bound one another, and one may fit when the other is set."""
    keys = [key for key in keys_of(section) if key in section.values and (key in LATE) == late]
    refused = []
    for tried in (keys, refused):
        del run_of.problems[len(run_of.problems) - len(refused):]
        for key in list(tried):
            value, where = section.values[key]
            before = len(run_of.problems)
            run_of.set(where, f"{section.kind}/{key}", value, f"{section.title()} {key}", is_chosen(section, key))
            if tried is keys and len(run_of.problems) > before:
                refused.append(key)


def load(run_of, section):
    """Whether the module is there that the section is for; if not, that is said once."""
    module = module_of(section)
    if not loaded(module) and module not in run_of.refused:
        before = len(run_of.problems)
        run_of.do(section.where, f"{module} is loaded", load_module, module)
        if len(run_of.problems) > before:
            run_of.refused.add(module)
    return loaded(module)


def apply(sections, problems):
    run_of = Run(problems)
    usable = [section for section in sorted(sections, key=lambda one: ORDER.index(one.kind)) if load(run_of, section)]
    for section in usable:
        if section.kind in SETTINGS:
            apply_settings(run_of, section, late=False)
        else:
            try:
                APPLIED[section.kind](run_of, section)
            except Failure as failure:
                problems.append((section.where, f"{section.title()}: {failure}"))
    for section in usable:
        if section.kind in SETTINGS:
            apply_settings(run_of, section, late=True)
    return run_of.changed


def checked(paths):
    """(sections that are right, problems)."""
    sections, problems = read_files(paths)
    right = []
    for section in sections:
        wrong = check(section)
        problems += wrong
        if not wrong:
            right.append(section)
    return right, problems


def cmd_apply(args):
    """What is wrong keeps nothing else from being applied, as at boot nobody is there to mend it."""
    paths = args.file or files()
    sections, problems = checked(paths)
    if args.check:
        changed = []
        for section in sections:
            if section.kind == PROFILES:
                list(profile_regions(section, problems))
    else:
        changed = apply(sections, problems)
    if args.json:
        print_json({"changed": changed, "failed": [{"where": where, "why": why} for where, why in problems]})
    else:
        for what in changed:
            print(what)
    for where, why in problems:
        print(f"memsuite: {where}: {why}", file=sys.stderr)
    if not problems and not args.json:
        print(f"{len(paths)} files are right" if args.check else f"{len(changed)} settings changed")
    return 1 if problems else 0
