# SPDX-License-Identifier: GPL-2.0-only
"""What is installed: versions that go together, and what keeps bad pages across reboots."""

import os
import re

from ..config.apply import checked
from ..config.files import files
from ..sysfs import MODULES
from ..version import VERSION
from .finding import names_in, note, ok, rooted, text_of, told_by, wrong

PLACES = ("/etc", "/usr/lib", "/lib")
# What install-hooks puts into one of PLACES, and what is lost without.
HOOKS = {
    "modprobe.d/memsuite.conf": "bad pages of before are not retired when memdiag is loaded",
    "udev/rules.d/90-memsuite.rules": "bad pages that are found are not kept across reboots",
    "udev/rules.d/60-memsuite-stores.rules": "by its UUID, a disk may be mounted instead of the store before it",
    "systemd/system/memsuite-bad-pages.service": "bad pages of before are not withheld early at boot",
    "systemd/system/memsuite-bad-pages-late.service": "bad pages of before are not withheld if /var is on the network",
    "systemd/system/memsuite.service": "what is configured is not set at boot",
    "systemd/system/memsuite-stores.service": "stores are not opened at boot",
}
UNITS = tuple(os.path.basename(name) for name in HOOKS if name.endswith(".service"))
AGAIN = "install it again: make install, or apt install --reinstall memsuite-tools"
TOOL = re.compile(r"(/\S*memsuite) (?:diag|store|apply)\b")


def versions():
    clear = True
    of_modules = {module: text_of(f"/sys/module/{module}/version") for module in (*MODULES, "dm_vstore")}
    for module, of_loaded in of_modules.items():
        if of_loaded is None:
            continue
        if of_loaded != VERSION:
            clear = False
            yield wrong(f"{module} {of_loaded} is loaded, and this tool is {VERSION}",
                        "install both from the same sources; then rmmod mrc vipzone memdiag memsuite, and modprobe")
        source, installed = text_of(f"/sys/module/{module}/srcversion"), told_by("modinfo", "-F", "srcversion", module)
        if source and installed and source != installed:
            clear = False
            yield note(f"{module} was built from other sources than the one that is installed", "to have that one: "
                       "rmmod mrc vipzone memdiag memsuite, and modprobe; or reboot")
    if clear:
        yield ok(f"this tool is {VERSION}" + (", as are the modules" if any(of_modules.values()) else ""))


def found_at(name):
    return next((f"{place}/{name}" for place in PLACES if os.path.exists(rooted(f"{place}/{name}"))), None)


def hook_files():
    clear = True
    for name, loss in HOOKS.items():
        path = found_at(name)
        if not path:
            clear = False
            yield wrong(f"{name} is in none of {', '.join(PLACES)}: {loss}", AGAIN)
            continue
        for tool in set(TOOL.findall(text_of(path) or "")):
            if not os.access(rooted(tool), os.X_OK):
                clear = False
                yield wrong(f"{path} calls {tool}, which is not there: {loss}", AGAIN)
    if clear:
        yield ok("modprobe, udev and systemd call the tool")


def units():
    """Units that failed: nobody looks at the journal of boot."""
    clear = True
    for unit in UNITS:
        if told_by("systemctl", "is-failed", unit) == "failed":
            clear = False
            yield wrong(f"{unit} has failed", f"journalctl -u {unit} says why; then systemctl restart {unit}")
    if clear and names_in("/run/systemd/system"):
        yield ok("no unit of the suite has failed")


def configuration():
    """What memsuite.service would say."""
    paths = files()
    _, problems = checked(paths)
    for where, why in problems:
        yield wrong(f"{where}: {why}", "mend it; memsuite apply --check looks again, memsuite apply sets it")
    if paths and not problems:
        yield ok(f"{len(paths)} files of configuration are right")


def at_boot():
    """Whether memdiag comes back after a reboot."""
    if text_of("/sys/module/memdiag/initstate") is None:
        return
    if any(section.kind == "memdiag" for section in checked(files())[0]):
        yield ok("memdiag is loaded at boot, for it is configured")
        return
    for place in PLACES:
        for name in names_in(f"{place}/modules-load.d"):
            if re.search(r"^\s*memdiag\s*$", text_of(f"{place}/modules-load.d/{name}") or "", re.M):
                yield ok("memdiag is loaded at boot")
                return
    yield note("memdiag is loaded, and will not be at the next boot",
               "memsuite dump >/etc/memsuite/memsuite.conf.d/memsuite.conf, or "
               "echo memdiag >/etc/modules-load.d/memdiag.conf")
