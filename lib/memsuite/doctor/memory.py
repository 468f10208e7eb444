# SPDX-License-Identifier: GPL-2.0-only
"""Bad pages, the tests that find them, and what the modules could not do."""

import os

from .. import Failure
from ..diag.alarms import alarm_text, alarms
from ..diag.bad_pages import bad_pages
from ..diag.keeping import keeping
from ..diag.plan import measured_speed, planned
from ..diag.saved_pages import STATE
from ..exit_status import BAD_MEMORY
from ..output import bad_page_count
from ..proc import proc_text
from ..sysfs import loaded, number, present, read
from .finding import note, ok, unknown, wrong
from .kernel import to_load

SOME = 8        # addresses that are told

# What could not be done, and why: counters that are 0 on a machine that is well.
LOST = {
    ("vipzone", "lost_children"): "processes are not steered: there was no memory to note them",
    ("vipzone", "lost_entrants"): "processes keep their pages that have entered a cgroup whose policy moves them: "
                                  "too many waited, or there was no memory to note them",
    ("vipzone", "lost_arrival_pages"): "pages of files with a policy lie elsewhere: too many came at once; memsuite zone move "
                                       "file:PATH moves them",
    ("vipzone", "lost_tags"): "hints of programs were lost: there was no memory for them, or a process has 32768",
    ("mrc", "lost_children"): "children of targets are not tracked: there was no memory to note them",
}


def some(addresses):
    return ", ".join(addresses[:SOME]) + (", ..." if len(addresses) > SOME else "")


def saved_list():
    """Whether the next bad page can be kept."""
    place = STATE
    while not os.path.exists(place) and os.path.dirname(place) not in ("", place):
        place = os.path.dirname(place)
    if os.geteuid() and not os.access(place, os.W_OK):
        yield unknown(f"whether {STATE} can be written")
    elif not os.access(place, os.W_OK):
        yield wrong(f"{place} cannot be written: bad pages are not kept across reboots",
                    "mount its file system for writing, or set MEMSUITE_STATE to another file in the hooks")
    elif not os.statvfs(place).f_bavail:
        yield wrong(f"there is no room for {STATE}", "make room on its file system")
    else:
        yield ok(f"{STATE} can be written")


def kept():
    told = keeping()
    if told is None:
        yield unknown("which bad pages are saved")
        return
    if told["error"]:
        yield wrong(told["error"], f"memsuite diag save writes a new list, and keeps the damaged one beside {STATE}"
                    if "damaged" in told["error"] else "see above")
    if told["unsaved"]:
        yield wrong(f"{bad_page_count(len(told['unsaved']))} not saved: {some(told['unsaved'])}",
                    "memsuite diag save; look why udev did not: journalctl -u systemd-udevd")
    if told["unrestored"]:
        yield wrong(f"{bad_page_count(len(told['unrestored']))} of before are in use: {some(told['unrestored'])}",
                    "memsuite diag restore" if loaded("memdiag") else to_load("memdiag"), BAD_MEMORY)
    if told["elsewhere"]:
        yield wrong(f"{bad_page_count(len(told['elsewhere']))} were found in other DIMMs, or before DIMMs were added, moved "
                    f"or renamed, and are not withheld: {some(told['elsewhere'])}",
                    "if the memory is the same, memsuite diag restore --force; if it has been replaced, memsuite diag "
                    "unretire ADDRESS...")
    if not any(told.values()):
        yield ok("all bad pages that are known are saved, and withheld")


def retired():
    if not loaded("memdiag"):
        return
    if not number("memdiag", "pending_page_count"):
        yield ok("no bad page is in use")
        return
    try:
        left = [row["address"] for row in bad_pages() if row["retired"] == "0"]
    except Failure:
        left = []
    yield wrong(f"{bad_page_count(number('memdiag', 'pending_page_count'))} in use: {some(left) or 'run as root'}",
                "they are the kernel's, or pinned: leave them out at the next boot, memsuite diag export --format grub",
                BAD_MEMORY)


def limit():
    for alarm in alarms():
        yield wrong(alarm_text(alarm), f"replace {alarm.dimm}; until then a higher limit goes on retiring", BAD_MEMORY)


def testers():
    cpus = present("memdiag", "distrusted_cpus") and read("memdiag", "distrusted_cpus")
    if cpus:
        yield wrong(f"CPU {cpus} finds faults that no other one finds: it is bad, or its way to memory is",
                    "take it offline (/sys/devices/system/cpu), and have it replaced")


def tests():
    if not loaded("memdiag"):
        return
    if read("memdiag", "effectiveness", "reads_reach_memory") == "no":
        yield wrong("the tests read caches, not memory: they find next to nothing",
                    "set another memdiag/method, and write 1 to memdiag/effectiveness/self_test")
    if number("memdiag", "inject", "count"):
        yield wrong("faults are emulated: good pages get retired", "memsuite diag inject --clear")
    if not number("memdiag", "enabled"):
        yield note("memdiag is off: no memory is tested", "memsuite diag enable")
        return
    try:
        told = planned() if measured_speed() else None
    except Failure:
        told = None
    if told and not told["held"]:
        yield wrong(f"tests do not keep up: they take {told['shortest_lifetime_s']} s, and memdiag/test_lifetime_s is "
                    f"{told['lifetime_s']}",
                    f"memsuite diag set --lifetime {told['shortest_lifetime_s']}, or give them more: "
                    "memsuite diag plan")
    else:
        yield ok("memory is tested" + (" in time" if told else ""))


def recovery():
    if proc_text("sys/vm/memory_failure_recovery").strip() == "0":
        yield note("vm.memory_failure_recovery is 0: an error that the hardware reports makes the kernel panic",
                   "sysctl -w vm.memory_failure_recovery=1")


def lost():
    clear = True
    for (module, name), what in LOST.items():
        count = number(module, name) if present(module, name) else 0
        if count:
            clear = False
            yield note(f"{count} {what}", "the count starts anew when the module is loaded again")
    if present("mrc", "division", "suspended") and number("mrc", "division", "suspended"):
        clear = False
        yield note(f"pressure has lifted the shares of memory {number('mrc', 'division', 'suspended')} times",
                   "give the targets more: memsuite mrc plan")
    if clear and loaded("memsuite"):
        yield ok("no limit of the modules was reached")
