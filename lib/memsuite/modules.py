# SPDX-License-Identifier: GPL-2.0-only
"""The modules: what is loaded, enabled and healthy."""

import errno

from .diag.keeping import keeping_trouble
from .exit_status import FAILED, NOT_LOADED
from .output import bad_page_count, done, human, human_pages, print_json, print_table, yes
from .sysfs import CORE, MODULES, entries, loaded, need, number, read, write


def hooks():
    return {name: {
        "state": read("hooks", name, "state"),
        "symbol": read("hooks", name, "symbol"),
        "hits": number("hooks", name, "hits"),
        "missed": number("hooks", name, "missed"),
    } for name in entries("hooks")}


def core_trouble(_state):
    failed = [name for name, hook in hooks().items()
              if hook["state"] == "failed"]
    return f"not hooked: {', '.join(failed)}; see dmesg" if failed else None


def memdiag_trouble(state):
    bad = state["pending_page_count"]
    return f"not retired: {bad_page_count(bad)}" if bad else keeping_trouble()


def vipzone_trouble(state):
    # The others are armed while a policy needs them.
    if state["enabled"] and hooks()["fault.alloc"]["state"] not in ("direct", "callback"):
        return "enabled, but not hooked: fault.alloc"
    if state["lost_children"]:
        return f"{state['lost_children']} processes lost for want of memory"
    if state["lost_entrants"]:
        return f"pages of {state['lost_entrants']} processes were not moved when they entered a cgroup"
    return None


# What of a module's files its status tells, and what may be wrong with it.
STATUS = {
    CORE: ((), core_trouble),
    "memdiag": (("bad_page_count", "pending_page_count", "tested_pages",
                 "passes",
                 "pass_progress_pct"), memdiag_trouble),
    "vipzone": (("steered_pages", "lost_children", "lost_entrants"), vipzone_trouble),
    "mrc": ((), lambda state: None),
}


def module_status(module):
    state = {"loaded": loaded(module), "enabled": None, "healthy": None,
             "reason": None}
    if not state["loaded"]:
        state["reason"] = f"not loaded; as root: modprobe {module}"
        return state
    fields, trouble = STATUS[module]
    if module != CORE:
        state["enabled"] = bool(number(module, "enabled"))
    state.update({field: number(module, field) for field in fields})
    state["reason"] = trouble(state)
    state["healthy"] = state["reason"] is None
    return state


def status():
    """All that "memsuite status" tells, and whether all is well."""
    modules = {module: module_status(module) for module in MODULES}
    result = {"version": None, "modules": modules, "hooks": {}, "pages": {}}
    if modules[CORE]["loaded"]:
        result["version"] = read("version")
        result["hooks"] = hooks()
        result["pages"] = {
            "held": number("pages", "held_pages"),
            "retired": number("pages", "retired_pages"),
            "metadata_bytes": number("pages", "metadata_bytes"),
        }
    well = modules[CORE]["loaded"] and all(
        state["healthy"] is not False for state in modules.values())
    return result, well


def remark(module, state):
    if state["reason"]:
        return state["reason"]
    if module == "memdiag" and state["bad_page_count"]:
        return f"{bad_page_count(state['bad_page_count'])} found and retired"
    return ""


def cmd_status(args):
    result, well = status()
    code = 0 if well else FAILED if result["version"] else NOT_LOADED
    if args.json:
        print_json(result)
        return code
    if result["version"] is None:
        print("memsuite is not loaded. To load all of it, as root:\n"
              "    modprobe -a memdiag vipzone mrc\n"
              "If modprobe does not find them, install them: "
              "make install, or the package memsuite-dkms.")
        return code
    print(f"memsuite {result['version']}\n")
    print_table(["MODULE", "LOADED", "ENABLED", "HEALTHY", ""],
                [[module, yes(state["loaded"]), yes(state["enabled"]),
                  yes(state["healthy"]), remark(module, state)]
                 for module, state in result["modules"].items()])
    print()
    print_table(["HOOK", "STATE", "SYMBOL", "HITS", "MISSED"],
                [[name, *hook.values()]
                 for name, hook in result["hooks"].items()],
                right=("HITS", "MISSED"))
    pages = result["pages"]
    print(f"\npages held: {pages['held']} ({human_pages(pages['held'])}), "
          f"retired: {pages['retired']}, "
          f"metadata: {human(pages['metadata_bytes'])}")
    return code


ENABLE_ERRORS = {
    errno.EBUSY: "busy: another user has it, a live patch owns the function, "
                 "or kernel.ftrace_enabled is 0; see dmesg",
    errno.EOPNOTSUPP: "this kernel lacks what is needed for it; see dmesg",
    errno.ENXIO: "the kernel's functions are not as expected; see dmesg",
}


def cmd_enable(args):
    need(args.module)
    write(f"{args.module}/enabled", "1", ENABLE_ERRORS)
    return done(args, f"{args.module} is enabled")


def cmd_disable(args):
    need(args.module)
    write(f"{args.module}/enabled", "0")
    return done(args, f"{args.module} is disabled")


def add_commands(top):
    top.add("status", cmd_status, "what is loaded, enabled and healthy",
            exits={0: "all that is loaded is healthy", FAILED: "it failed, or a module is not healthy"})
