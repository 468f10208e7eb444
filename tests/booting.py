# SPDX-License-Identifier: GPL-2.0-only
"""A Debian with systemd that boots in QEMU, and says on its second serial port how that went."""
import os
import re
import signal
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "scripts"))
from vmlib import qemu, splats  # noqa: E402

BOOT_S = 900
# A busy machine makes the kernel take the TSC for slower than it is: its clock, and all limits of systemd's, would run away.
COMMAND_LINE = ("console=ttyS0 panic=-1 oops=panic tsc=unstable clocksource=hpet no_timer_check systemd.show_status=no "
                "systemd.default_timeout_start_sec=600")
# A guest may get a small part of a busy machine.
PATIENCE = "[Manager]\nDefaultTimeoutStartSec=600s\nDefaultDeviceTimeoutSec=300s\n"
UNIT = """[Unit]
After={after} multi-user.target
[Service]
Type=exec
ExecStart=/usr/local/sbin/boot.sh
StandardOutput=file:/dev/ttyS1
"""


def put(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(command)}:\n{done.stdout[-4000:]}")
    return done.stdout


def put_test(root, script, after, name):
    """What is run in the system below @root once it is up, later than the unit @after; it is called @name."""
    with open(script) as f:
        put(f"{root}/usr/local/sbin/boot.sh", f.read(), 0o755)
    put(f"{root}/etc/hostname", f"{name}\n")
    put(f"{root}/etc/machine-id", "0123456789abcdef0123456789abcdef\n")
    put(f"{root}/etc/systemd/system.conf.d/patience.conf", PATIENCE)
    put(f"{root}/etc/systemd/system/boot-test.service", UNIT.format(after=after))
    wants = f"{root}/etc/systemd/system/graphical.target.wants"
    os.makedirs(wants, exist_ok=True)
    os.symlink("../boot-test.service", f"{wants}/boot-test.service")


class Results:
    """What is printed as KTAP. Who is ended by a signal still removes what lies on disk and in memory: some GiB."""

    def __init__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        self.number = self.failed = 0
        print("KTAP version 1", flush=True)

    def add(self, good, text):
        self.number += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.number} {text}", flush=True)

    def end(self):
        print(f"1..{self.number}")
        return self.failed > 0


class Boot:
    """One boot: what the guest says, until it wants the power cut or is off."""

    def __init__(self, scratch, phase, image, initrd, append, disks, pmems, memory="768M", ram=None):
        """@disks, @pmems: files of @scratch, without .img; @ram: a file for the memory, in which cells can be forced."""
        name = os.path.basename(sys.argv[0])
        self.phase, self.said, self.log = phase, f"{scratch}/said-{phase}", f"{TOP}/out/{name}-{phase}.log"
        machine = ["-M", "pc,nvdimm=on"] if not ram else [
            "-M", "pc,nvdimm=on,memory-backend=ram",
            "-object", f"memory-backend-file,id=ram,share=on,mem-path={ram},size={memory}"]
        command = [qemu.binary(), "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-cpu", "max",
                   "-accel", "tcg,thread=single", "-smp", "1", *machine, "-m", f"{memory},slots=4,maxmem=4G",
                   "-serial", f"file:{self.log}", "-serial", f"file:{self.said}", "-kernel", image,
                   "-initrd", initrd, "-append", f"{COMMAND_LINE} rw boot-test.phase={phase} {append}"]
        for number, pmem in enumerate(pmems):
            path = f"{scratch}/{pmem}.img"
            command += ["-object", f"memory-backend-file,id=m{number},share=on,mem-path={path},size={os.path.getsize(path)}",
                        "-device", f"nvdimm,memdev=m{number},id=nvdimm{number}"]
        for disk in disks:
            command += ["-drive", f"if=virtio,format=raw,cache=unsafe,file={scratch}/{disk}.img"]
        # It is read before QEMU has come to make it.
        put(self.said, "")
        self.began = time.monotonic()
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL)

    def end(self):
        """The lines that the guest said, and whether it came to an end."""
        until = time.monotonic() + BOOT_S
        ended = False
        while time.monotonic() < until and self.process.poll() is None and not ended:
            time.sleep(1)
            ended = "END cut" in self.heard()
        self.process.kill()
        off = self.process.wait() == 0
        lines = self.heard().splitlines()
        return lines, ended or off and "END off" in lines

    def heard(self):
        with open(self.said, errors="replace") as f:
            return f.read().replace("\r", "")

    def tell(self, results):
        """Waits for the end, and tells all results. Whether it came."""
        lines, ended = self.end()
        for line in lines:
            found = re.fullmatch("(not )?ok (.*)", line)
            if found:
                results.add(not found[1], found[2])
            elif line.startswith("#"):
                print(line, flush=True)
        with open(self.log, errors="replace") as f:
            log = f.read()
        results.add(ended, f"{self.phase}: the system boots, and comes to an end")
        for line in splats.find(log):
            print(f"# {line}")
        results.add(not splats.find(log), f"{self.phase}: the kernel has nothing to complain of")
        print(f"# {self.phase}: {time.monotonic() - self.began:.0f} s; {self.log}", flush=True)
        return ended
