# SPDX-License-Identifier: GPL-2.0-only
"""What the guest boots into: busybox, the kernel's modules that it needs, the suite, and the command."""
import glob
import hashlib
import os
import shlex
import shutil
import subprocess

from . import Failure, TOP, cache, cpio, locked, temporary_beside

GUEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest")
# Modules of the kernel's package in the guest, with all that they depend on.  A kernel that has one
# built in, or not at all, is as good.
CARRIED = """
virtio_pci virtio_blk 9pnet_virtio 9p overlay
nfit nd_pmem nd_btt dax_pmem device_dax kmem ext4 crc32c_generic
dm_mod dm_bufio dm_snapshot loop virtio_mem zram null_blk
hwpoison_inject msr edac_core mce_inject einj memory_notifier_error_inject kvm_amd
""".split()
# Likewise, for programs of the host: file systems and disks of theirs.
CARRIED_FOR_HOST = """
virtio_blk xfs dm_writecache bcache dm_flakey dm_log_writes dm_thin_pool sd_mod scsi_debug
dm_crypt xts ecb aes aes_generic
""".split()


def compiled(source, *flags):
    """Path of the program that `source` compiles to; compiled again when it or a header has changed."""
    key = hashlib.sha256(repr(flags).encode())
    headers = (glob.glob(f"{os.path.dirname(source)}/*.h") + glob.glob(f"{TOP}/tests/guest/lib/*.h")
               + glob.glob(f"{TOP}/include/**/*.h", recursive=True)
               + glob.glob(f"{TOP}/tools/**/*.[ch]", recursive=True))
    for path in [source, *sorted(headers)]:
        with open(path, "rb") as f:
            key.update(f.read())
    path = f"{cache('programs')}/{os.path.basename(source)[:-2]}-{key.hexdigest()[:16]}"
    if not os.path.exists(path):
        with temporary_beside(path) as scratch:
            done = subprocess.run(["gcc", "-O2", "-Wall", "-pthread", f"-I{TOP}/include/uapi", f"-I{TOP}/include",
                                   "-o", f"{scratch}/a", source, *flags], capture_output=True, text=True)
            if done.returncode:
                raise Failure(f"{source} does not compile:\n{done.stderr}")
            os.rename(f"{scratch}/a", path)
    return path


def _module_name(path):
    return os.path.basename(path).split(".ko")[0].replace("-", "_")


def _closure(kernel, names):
    """Paths, below the kernel's module directory, of these modules and of what they need."""
    depends = {}
    with open(f"{kernel.modules}/modules.dep") as f:
        for line in f:
            path, _, needs = line.partition(":")
            depends[path] = needs.split()
    wanted = {path for path in depends if _module_name(path) in names}
    return sorted(wanted.union(*(depends[path] for path in wanted)))


def _plain(path):
    """A module's bytes, decompressed: neither busybox nor every kernel can."""
    with open(path, "rb") as f:
        data = f.read()
    for suffix, tool in ((".xz", "xz"), (".zst", "zstd"), (".gz", "gzip")):
        if path.endswith(suffix):
            data = subprocess.run([tool, "-dc"], input=data, capture_output=True, check=True).stdout
    return data


def _base(kernel, host):
    """Directory with the part that depends on the kernel, and on whether there are the host's files; made once."""
    with open(__file__, "rb") as f:
        key = hashlib.sha256(f.read() + f"{kernel}{host}".encode()).hexdigest()[:16]
    final = f"{cache('initramfs')}/{kernel.release}-{key}"
    if os.path.isdir(final):
        return final
    with locked(f"initramfs-{kernel.release}"), temporary_beside(final) as scratch:
        below = f"{scratch}/lib/modules/{kernel.release}"
        for path in _closure(kernel, CARRIED + CARRIED_FOR_HOST if host else CARRIED):
            target = f"{below}/{path.split('.ko')[0]}.ko"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as f:
                f.write(_plain(f"{kernel.modules}/{path}"))
        os.makedirs(below, exist_ok=True)
        for name in glob.glob(f"{kernel.modules}/modules.builtin*") + glob.glob(f"{kernel.modules}/modules.order"):
            shutil.copy(name, below)
        archive = cpio.Archive()
        for name in "proc sys dev tmp run mnt/share root sbin bin usr/bin usr/sbin lib/memsuite tests".split():
            archive.directory(name)
        archive.file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n")
        archive.file("etc/group", "root:x:0:\nnogroup:x:65534:\n")
        archive.link("etc/mtab", "/proc/mounts")
        busybox = shutil.which("busybox")
        if not busybox:
            raise Failure("busybox-static is not installed: run scripts/install-tools")
        archive.copy("bin/busybox", busybox)
        for applet in subprocess.run([busybox, "--list-full"], capture_output=True, text=True).stdout.split():
            if applet not in ("bin/busybox", "sbin/init", "linuxrc", "init"):
                archive.link(applet, "/bin/busybox")
        for directory, _, names in os.walk(below):
            for name in names:
                path = f"{directory}/{name}"
                archive.copy(path.removeprefix(scratch), path)
        with open(f"{scratch}/base.cpio", "wb") as f:
            f.write(archive.bytes())
        if not os.path.isdir(final):
            os.rename(scratch, final)
    return final


def _suite(kernel, modules, archive, base):
    """The suite's modules, in /lib/memsuite and for modprobe, next to the kernel's."""
    base = f"{base}/lib/modules/{kernel.release}"
    with temporary_beside(cache("initramfs") + "/depmod") as scratch:
        below = f"{scratch}/lib/modules/{kernel.release}"
        shutil.copytree(base, below, copy_function=os.link)
        os.makedirs(f"{below}/extra")
        for path in modules:
            name = os.path.basename(path)
            # As an installed one: what a debugger reads is 12 times as much as the rest, and a guest unpacks it slowly.
            subprocess.run(["strip", "--strip-debug", "-o", f"{below}/extra/{name}", path], check=True)
            archive.copy(f"lib/modules/{kernel.release}/extra/{name}", f"{below}/extra/{name}")
            archive.link(f"lib/memsuite/{name}", f"/lib/modules/{kernel.release}/extra/{name}")
        done = subprocess.run(["depmod", "-b", scratch, kernel.release], capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"depmod: {done.stderr}")
        # busybox reads the texts; the host's kmod, with --root host, the others.
        for name in ("dep", "alias", "softdep", "symbols", "dep.bin", "alias.bin", "symbols.bin", "builtin.bin"):
            archive.copy(f"lib/modules/{kernel.release}/modules.{name}", f"{below}/modules.{name}")


def _tests(archive):
    """What is in the folders of tests/guest, with its programs compiled, all in one directory of the guest."""
    flags = ["-static", "-s", "-lm"]
    if glob.glob("/usr/lib/*/libnuma.a"):
        flags.insert(2, "-lnuma")
    taken = {"fault": f"{GUEST}/fault.c"}
    for path in sorted(glob.glob(f"{TOP}/tests/guest/*/*")):
        name, suffix = os.path.splitext(os.path.basename(path))
        if suffix in (".h", ".o") or not os.path.isfile(path):
            continue
        name = name if suffix == ".c" else name + suffix
        if name in taken:
            raise Failure(f"{path} and {taken[name]} have the same name in the guest")
        taken[name] = path
        archive.copy(f"tests/{name}", compiled(path, *flags) if suffix == ".c" else path)


def write(path, kernel, modules, nonce, argv, environ, where, settings):
    """Writes the whole initramfs of one run to `path`."""
    archive = cpio.Archive()
    base = _base(kernel, bool(settings["host_root"]))
    _suite(kernel, modules, archive, base)
    _tests(archive)
    archive.copy("init", f"{GUEST}/init")
    archive.copy("vm/after", f"{GUEST}/after")
    archive.copy("vm/run", compiled(f"{GUEST}/run.c", "-static"))
    archive.copy("tests/fault", compiled(f"{GUEST}/fault.c", "-static"))
    archive.file("vm/nonce", nonce)
    for name, strings in (("argv", argv), ("where", where), ("environ", [f"{k}={v}" for k, v in environ.items()])):
        archive.file(f"vm/{name}", b"".join(os.fsencode(s) + b"\0" for s in strings))
    archive.file("vm/settings", "".join(f"{k}={shlex.quote(v)}\n" for k, v in settings.items()))
    with open(path, "wb") as out:
        with open(f"{base}/base.cpio", "rb") as f:
            shutil.copyfileobj(f, out)
        out.write(archive.bytes())
