# SPDX-License-Identifier: GPL-2.0-only
"""The machine that QEMU is told to be: processors, memory and its nodes, devices."""
import contextlib
import os
import re
import struct

from . import Usage, qemu

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
GIB = 1 << 30
BLOCK = 128 << 20	# what the kernel can take as memory, an NVDIMM's too (dax kmem)

# The guest's clock goes on while a busy host does not run it.  no_timer_check: ten ticks in a row may be late, and the
# kernel would panic.  What hangs it tells after five times as long as it does by default.
KERNEL_COMMAND_LINE = ("console=ttyS0 loglevel=7 panic=-1 oops=panic panic_on_warn=1 softlockup_panic=1 "
                       "hung_task_panic=1 rdinit=/init tsc=reliable no_timer_check "
                       "watchdog_thresh=50 rcupdate.rcu_cpu_stall_timeout=105 sysctl.kernel.hung_task_timeout_secs=600")


def number(text, what):
    """A count of bytes: decimal or 0x hexadecimal, with K, M or G behind it."""
    found = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([KMG]?)", text)
    if not found:
        raise Usage(f"{what}: {text!r} is not a number of bytes such as 4096, 0x1000 or 512M")
    return int(found.group(1), 0 if found.group(1)[:2].lower() == "0x" else 10) * UNITS[found.group(2)]


class Ram:
    """Where guest physical addresses lie in the files that hold the guest's memory."""

    LOW_LIMIT = 0xe0000000	# QEMU's pc machine: memory from here on moves above 4 GiB,
    LOW_WHEN_SPLIT = 0xc0000000	# and then 3 GiB remain below

    def __init__(self, nodes):
        self.nodes = nodes		# bytes of each
        self.total = sum(nodes)
        self.low = self.total if self.total < self.LOW_LIMIT else self.LOW_WHEN_SPLIT

    def locate(self, address):
        """(node, offset in its file) of a guest physical address, or None where there is no memory."""
        if address < self.low:
            offset = address
        elif 4 * GIB <= address < 4 * GIB + self.total - self.low:
            offset = address - 4 * GIB + self.low
        else:
            return None
        for node, size in enumerate(self.nodes):
            if offset < size:
                return node, offset
            offset -= size
        return None

    def ranges(self):
        yield 0, self.low
        if self.total > self.low:
            yield 4 * GIB, 4 * GIB + self.total - self.low


class Machine:
    def __init__(self, options):
        self._options = options
        self._cpus = []
        self._latency = []	# of each node: {"read": ns, "write": ns}, as far as given
        nodes = []
        for spec in options.numa:
            size, *rest = spec.split(",")
            nodes.append(self._memory(size, f"--numa {spec}"))
            self._node(rest, spec)
        if self._cpus and not any(self._cpus):
            self._cpus[0] = f"0-{options.smp - 1}"
        self.ram = Ram(nodes or [self._memory(options.mem, "--mem")])
        if self.ram.total < 128 << 20:
            raise Usage(f"{self.ram.total >> 20}M of memory: a kernel needs 128M at least")
        self.faulty = bool(options.fault)
        self._nvdimm = self._persistent(options.nvdimm) if options.nvdimm else None
        self._dimm = self._blocks(number(options.dimm, "--dimm"), f"--dimm {options.dimm}") if options.dimm else 0
        self._memory_type = self._two_numbers(options.memory_type) if options.memory_type else None
        self._disk = self._drive(options.disk) if options.disk else None
        self.drivers = bool(options.share or options.root == "host" or options.nvdimm or options.disk)

    @staticmethod
    def _memory(text, what):
        size = number(text, what)
        if not size or size % (1 << 20):
            raise Usage(f"{what}: not a multiple of 1M")
        return size

    def _node(self, rest, spec):
        cpus, latency = "", {}
        for item in rest:
            if found := re.fullmatch(r"cpus=(\d+)(?:-(\d+))?", item):
                first, last = int(found.group(1)), int(found.group(2) or found.group(1))
                if not first <= last < self._options.smp:
                    raise Usage(f"--numa {spec}: there are CPUs 0 to {self._options.smp - 1}")
                cpus = f"{first}-{last}"
            elif found := re.fullmatch(r"(read|write)_ns=(\d+)", item):
                latency[found.group(1)] = int(found.group(2))
                if not 0 < int(found.group(2)) < 10000:
                    raise Usage(f"--numa {spec}: latencies are 1 to 9999 ns")
            else:
                raise Usage(f"--numa {spec}: {item!r} is not cpus=A-B, read_ns=N or write_ns=N")
        self._cpus.append(cpus)
        self._latency.append(latency)

    def _node_options(self):
        """The nodes, and what the firmware's HMAT tells of them, as seen from the first node with CPUs."""
        hmat = any(self._latency)
        initiator = next(node for node, cpus in enumerate(self._cpus) if cpus)
        for node, cpus in enumerate(self._cpus):
            yield (f"node,nodeid={node},memdev=ram{node}" + (f",cpus={cpus}" if cpus else "") +
                   (f",initiator={node if cpus else initiator}" if hmat else ""))
        for node, latency in enumerate(self._latency):
            for access, ns in latency.items():
                yield (f"hmat-lb,initiator={initiator},target={node},hierarchy=memory,"
                       f"data-type={access}-latency,latency={ns}")

    @staticmethod
    def _blocks(size, what):
        if not size or size % BLOCK:
            raise Usage(f"{what}: not a multiple of 128M")
        return size

    @staticmethod
    def _two_numbers(text):
        words = text.split(",")
        if len(words) > 2 or not all(word.isdecimal() and int(word) < 256 for word in words):
            raise Usage(f"--memory-type {text}: not TYPE[,TECHNOLOGY], numbers below 256")
        return [int(word) for word in [*words, "0"]][:2]

    def _memory_device(self):
        """SMBIOS' structure of type 17, as QEMU makes it, in all but what it is made of."""
        kind, technology = self._memory_type
        size = min(self.ram.total >> 20, 0x7fff)
        body = struct.pack("<HHHHHBBBBBHHBBBBBIHHHHB", 0x1000, 0xfffe, 64, 64, size, 9, 0, 1, 0, kind, 2,
                           0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, technology)
        return struct.pack("<BBH", 17, 4 + len(body), 0x1100) + body + b"DIMM 0\0QEMU\0\0"

    @staticmethod
    def _persistent(text):
        size, _, path = text.partition("@")
        size = Machine._blocks(number(size, "--nvdimm"), f"--nvdimm {text}")
        if path and os.path.exists(path) and os.path.getsize(path) not in (0, size):
            raise Usage(f"--nvdimm {text}: {path} has {os.path.getsize(path)} bytes")
        return size, path

    @staticmethod
    def _drive(text):
        found = re.fullmatch(r"([^,@]+)(?:@([^,]+))?(?:,iops=([1-9]\d*))?(?:,log=([^,]+))?", text)
        if not found:
            raise Usage(f"--disk {text}: not SIZE[@FILE][,iops=N][,log=LOG]")
        size, path, iops, log = found.groups()
        return Machine._memory(size, f"--disk {text}"), path, iops, log

    def _disk_options(self):
        """QEMU's layers of a disk, the file last. Flushes are for the guest: the host does not lose power."""
        _, path, iops, log = self._disk
        node, layer, options = ["node-name=disk"], "", []
        if iops:
            options += ["-object", f"throttle-group,id=slow,x-iops-total={iops}"]
            node += [f"{layer}driver=throttle", f"{layer}throttle-group=slow"]
            layer += "file."
        if log:
            node += [f"{layer}driver=blklogwrites", f"{layer}log.driver=file", f"{layer}log.filename={log}"]
            layer += "file."
        node += [f"{layer}driver=file", f"{layer}filename={path}", f"{layer}cache.no-flush=on"]
        return [*options, "-blockdev", ",".join(node), "-device", "virtio-blk-pci,drive=disk,write-cache=on"]

    @contextlib.contextmanager
    def backing(self, scratch):
        """Makes the files behind the guest's memory for as long as it runs."""
        self.files = []
        # More memory than the host has it maps from a file only, a sparse one; and a plugin may want to find it.
        if self.faulty or self._options.plugin or self.ram.total > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
            directory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else scratch
            for node, size in enumerate(self.ram.nodes):
                path = f"{directory}/memsuite-vm.{os.getpid()}.{node}"
                self.files.append(path)
                with open(path, "wb") as f:
                    f.truncate(size)
        if self._nvdimm:
            size, path = self._nvdimm
            self._nvdimm = size, path or f"{scratch}/nvdimm"
            with open(self._nvdimm[1], "ab") as f:
                f.truncate(size)
        if self._memory_type:
            self._smbios = f"{scratch}/smbios"
            with open(self._smbios, "wb") as f:
                f.write(self._memory_device())
        if self._disk:
            size, path, *rest = self._disk
            self._disk = size, path or f"{scratch}/disk", *rest
            with open(self._disk[1], "ab") as f:
                f.truncate(size)
        try:
            yield
        finally:
            for path in self.files:
                os.remove(path)

    def _backend(self, node, size):
        where = f"file,share=on,mem-path={self.files[node]}" if self.files else "ram"
        return ["-object", f"memory-backend-{where},id=ram{node},size={size}"]

    def command(self, image, initrd):
        """QEMU's command line."""
        o = self._options
        plugged = self._dimm + (self._nvdimm[0] if self._nvdimm else 0)
        maximum = f",slots=2,maxmem={self.ram.total + plugged + GIB >> 20}M" if plugged else ""
        machine = "pc" + (",nvdimm=on" if self._nvdimm else "") + ("" if self._cpus else ",memory-backend=ram0")
        machine += ",hmat=on" if any(self._latency) else ""
        command = [qemu.binary(), "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                   "-M", machine, "-m", f"{self.ram.total >> 20}M{maximum}",
                   # A socket each: processors of one socket on two nodes make the kernel warn.
                   "-smp", f"{o.smp},sockets={o.smp},cores=1,threads=1",
                   # A ftrace site that one thread patches may be seen half patched by another under thread=multi.
                   "-accel", f"tcg,thread={'multi' if o.parallel else 'single'}",
                   # Without erms: `rep stosb` would count as one instruction a byte.
                   "-cpu", "max,-erms,-fsrm" if o.icount else "max"]
        for node, size in enumerate(self.ram.nodes):
            command += self._backend(node, size)
        if self._cpus:
            for node in self._node_options():
                command += ["-numa", node]
        if o.icount:
            command += ["-icount", "shift=0,sleep=off", "-rtc", "clock=vm"]
        if self._nvdimm:
            size, path = self._nvdimm
            command += ["-object", f"memory-backend-file,id=nvdimm,share=on,mem-path={path},size={size}",
                        "-device", "nvdimm,memdev=nvdimm,id=nvdimm0"]
        if self._dimm:
            command += ["-object", f"memory-backend-ram,id=dimm,size={self._dimm}",
                        "-device", f"pc-dimm,memdev=dimm,id=dimm0,node={max(len(self._cpus) - 1, 0)}"]
        if self._memory_type:
            command += ["-smbios", f"file={self._smbios}"]
        if self._disk:
            command += self._disk_options()
        if o.root == "host":
            command += ["-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap"]
        if o.share:
            path = os.path.abspath(o.share).replace(",", ",,")
            command += ["-virtfs", f"local,path={path},mount_tag=share,security_model=none,multidevs=remap"]
        for plugin in o.plugin:
            command += ["-plugin", plugin]
        arguments = [KERNEL_COMMAND_LINE, *o.append]
        if self._dimm:
            arguments.append("memhp_default_state=offline")
        # At a random place, the kernel itself would now and then lie on the faulty cell.
        if self.faulty:
            arguments.append("nokaslr")
        return command + ["-kernel", image, "-initrd", initrd, "-append", " ".join(arguments)]
