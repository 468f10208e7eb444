# SPDX-License-Identifier: GPL-2.0-only
"""The kernel, and what in it stands in the way."""

import os
import re

from ..modules import hooks
from ..proc import proc_text
from ..series import SERIES
from ..sysfs import CORE, MODULES, debugfs_refused, debugfs_remedy, loaded, refusal
from .finding import names_in, note, ok, rooted, text_of, told_by, unknown, wrong

SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
TRACING = ("/sys/kernel/tracing/enabled_functions", "/sys/kernel/debug/tracing/enabled_functions")
LIVEPATCHES = "/sys/kernel/livepatch"
NOT_SIGNED = ("have dkms sign them: see mok_signing_key in /etc/dkms/framework.conf; then mokutil --import "
              "/var/lib/dkms/mok.pub, and reboot")


def release():
    return proc_text("sys/kernel/osrelease").strip()


def series():
    text, known = release(), ", ".join(SERIES)
    if text_of("/sys/kernel/realtime") == "1":
        yield wrong(f"{text} is a real-time kernel",
                    "boot another kernel: pages are taken under a lock that sleeps on it")
        return
    found = re.match(r"\d+\.\d+", text)
    if found and found[0] in SERIES:
        yield ok(f"{text} is of a series that the suite is tried on")
    else:
        yield wrong(f"{text} is of no series that the suite is tried on: {known}", "boot a kernel of one of these")


def lockdown():
    found = re.search(r"\[(\w+)\]", text_of("/sys/kernel/security/lockdown") or "")
    if not found or found[1] == "none":
        yield ok("the kernel is not locked down")
    elif loaded(CORE):
        yield note(f"the kernel is locked down ({found[1]}): debugfs cannot be read",
                   "memsuite diag works; mrc, zone ps and others that need tables of debugfs do not")
    else:
        yield wrong(f"the kernel is locked down ({found[1]}): it loads signed modules only",
                    "sign them: mokutil --import /var/lib/dkms/mok.pub, reboot and confirm the key"
                    if told_by("modinfo", "-F", "signer", CORE) else NOT_SIGNED)


def secure_boot():
    try:
        with open(rooted(SECURE_BOOT), "rb") as file:
            is_on = file.read()[-1:] == b"\1"
    except FileNotFoundError:
        is_on = False
    except OSError as error:
        yield unknown(f"whether Secure Boot is on: {error.strerror}")
        return
    if not is_on:
        yield ok("Secure Boot is off")
    elif loaded(CORE):
        yield ok("Secure Boot is on, and the modules are loaded")
    elif not told_by("modinfo", "-F", "signer", CORE):
        yield wrong("Secure Boot is on, and the modules are not signed", NOT_SIGNED)
    else:
        yield note("Secure Boot is on, and the modules are signed",
                   "if modprobe is refused (Key was rejected by service): "
                   "mokutil --import /var/lib/dkms/mok.pub, and reboot")


def debugfs():
    if re.search(r"^\S+ /sys/kernel/debug debugfs ", proc_text("mounts"), re.M):
        yield ok("debugfs is mounted")
    elif debugfs_refused():
        yield note("debugfs is off, by the kernel's command line: it cannot be mounted",
                   f"memsuite diag works; mrc, zone ps and others need tables of debugfs: for these, {debugfs_remedy()}")
    else:
        yield wrong("debugfs is not mounted: mrc, zone ps and others have no tables",
                    "mount -t debugfs none /sys/kernel/debug")


def ftrace():
    text = proc_text("sys/kernel/ftrace_enabled").strip()
    if text == "1":
        yield ok("ftrace is on")
    elif text == "0":
        yield wrong("kernel.ftrace_enabled is 0: nothing can be hooked",
                    "sysctl -w kernel.ftrace_enabled=1; look for what sets it in /etc/sysctl.d")
    else:
        yield wrong("this kernel has no ftrace: nothing can be hooked",
                    "boot a kernel with CONFIG_DYNAMIC_FTRACE_WITH_REGS")


def patched():
    """{function of the kernel itself: live patch} of those that are enabled."""
    found = {}
    for patch in names_in(LIVEPATCHES):
        if text_of(f"{LIVEPATCHES}/{patch}/enabled") == "1":
            for function in names_in(f"{LIVEPATCHES}/{patch}/vmlinux"):
                found[function.partition(",")[0]] = patch
    return found


def direct_callers():
    """{function: who is called from its entry}, as ftrace tells; None if it does not."""
    for path in TRACING:
        try:
            text = text_of(path)
        except PermissionError:
            return None
        if text is not None:
            return dict(re.findall(r"^(\S+) \(\d+\)[^\n]*(?:\n\s[^\n]*)*?\n\s*direct-->(\S+)", text, re.M))
    return None


def in_the_way():
    """Who else has a function that is hooked."""
    if not loaded(CORE):
        return
    patches, callers, clear = patched(), direct_callers(), True
    for name, hook in hooks().items():
        symbol = hook["symbol"]
        if symbol in patches:
            clear = False
            yield wrong(f"the live patch {patches[symbol]} owns {symbol}: {name} cannot be hooked",
                        "turn the module off for as long as the patch is enabled")
        elif callers and symbol in callers and hook["state"] != "direct":
            clear = False
            yield note(f"a BPF program is at {symbol} ({callers[symbol]}): {name} is hooked by a callback, "
                       "or on 5.10 not at all",
                       "when it has ended, turn the module off and on again")
    if clear and callers is None:
        yield unknown("whether a BPF program is at a function that is hooked", "run as root, with tracefs mounted: "
                      "mount -t tracefs none /sys/kernel/tracing")
    elif clear:
        yield ok("no live patch and no BPF program is at a function that is hooked")


def hook_states():
    if not loaded(CORE):
        return
    clear = True
    for name, hook in hooks().items():
        if hook["state"] == "failed":
            clear = False
            yield wrong(f"{name} could not be hooked at {hook['symbol']}",
                        "dmesg | grep memsuite says why; turn the module off and on again when that is mended")
        elif hook["state"] == "unsupported":
            clear = False
            yield note(f"this kernel has no function for {name}: what needs it is missing")
    if clear:
        yield ok("all hooks are as they should be")


def others():
    """Kernels that have no modules of the suite, and would be booted without."""
    have, lack = [], []
    for other in names_in("/lib/modules"):
        depends = text_of(f"/lib/modules/{other}/modules.dep")
        if depends is not None:
            (have if re.search(rf"(^|/){CORE}\.ko", depends, re.M) else lack).append(other)
    lack = [other for other in lack if have and re.match(rf"({'|'.join(map(re.escape, SERIES))})[^0-9]", other)]
    if lack:
        yield note(f"installed kernels without the modules: {', '.join(lack)}",
                   "dkms autoinstall -k VERSION; if the headers are missing: apt install linux-headers-VERSION")


def to_load(module):
    """What to do about it."""
    why = refusal()
    return f"{why}: have it signed" if why else f"modprobe {module}"


def missing():
    for module in MODULES:
        if not loaded(module):
            yield (wrong if module == CORE else note)(f"{module} is not loaded", to_load(module))
    if all(map(loaded, MODULES)):
        yield ok("all modules are loaded")


def is_there():
    """Whether modprobe knows them; who builds for himself may load them by insmod."""
    if not loaded(CORE) and not told_by("modinfo", CORE):
        build = os.path.exists(rooted(f"/lib/modules/{release()}/build"))
        yield wrong(f"the modules are not installed for {release()}",
                    "dkms status memsuite; dkms autoinstall" if build else
                    f"apt install linux-headers-{release()}, then dkms autoinstall")
