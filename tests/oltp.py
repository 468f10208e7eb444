# SPDX-License-Identifier: GPL-2.0-only
"""Block traces of a database at work: what pgbench on PostgreSQL asks of the device below its file system."""
import contextlib
import os
import shutil
import subprocess
import tempfile

import bench

BLOCK = 8               # sectors
SCALE = 80              # pgbench's: 8 million accounts, 1.2 GB
DISK_MIB = 3072
SETTINGS = """
listen_addresses = ''
unix_socket_directories = '/run/pg'
checkpoint_timeout = 60s
"""


def programs():
    """Where PostgreSQL's are."""
    base = "/usr/lib/postgresql"
    return f"{base}/{max(os.listdir(base), key=int)}/bin"


def postgres(*command):
    """As the user that it insists on."""
    subprocess.run(["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups",
                    "env", "HOME=/", f"PATH={programs()}:{os.environ['PATH']}", *command],
                   cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


@contextlib.contextmanager
def server(data, log):
    os.makedirs("/run/pg", exist_ok=True)
    shutil.chown("/run/pg", "postgres")
    postgres("pg_ctl", "-s", "-w", "-D", data, "-l", log, "start")
    try:
        yield
    finally:
        postgres("pg_ctl", "-s", "-w", "-D", data, "-m", "fast", "stop")


def make_image(path):
    """A file system with the database in it, made on this machine: it would take an emulator long."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as scratch:
        for at in scratch, f"{scratch}/root":
            os.makedirs(at, exist_ok=True)
            shutil.chown(at, "postgres")
        data = f"{scratch}/root/pg"
        postgres("initdb", "-D", data, "-A", "trust", "--no-locale")
        with open(f"{data}/postgresql.conf", "a", encoding="ascii") as f:
            f.write(SETTINGS)
        with server(data, f"{scratch}/log"):
            postgres("createdb", "-h", "/run/pg", "bench")
            postgres("pgbench", "-q", "-i", "-h", "/run/pg", "-s", str(SCALE), "bench")
        with open(path, "wb") as f:
            f.truncate(DISK_MIB << 20)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", f"{scratch}/root", path], check=True)


def record(path, kernel, seconds):
    """Leaves the trace of so many seconds in @path."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # Below /var/tmp, which postgres may enter, whoever owns this directory.
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="memsuite-oltp.") as scratch:
        os.chmod(scratch, 0o755)
        image, share = f"{scratch}/image", f"{scratch}/share"
        os.mkdir(share)
        make_image(image)
        options = ["--kernel", kernel, "--root", "host", "--mem", "1G", "--nvdimm", f"{DISK_MIB}M@{image}",
                   "--share", share, "--timeout", str(900 + 2 * seconds)]
        for _ in bench.in_guest(options, ["sh", "/tests/oltp.sh", programs(), str(seconds)]):
            pass
        shutil.copy(f"{share}/trace", path)


class Trace:
    """What a trace asks for; sizes in bytes."""

    def __init__(self, path):
        self.reads = self.writes = self.flushes = 0
        self.small_writes = self.written_small = 0
        blocks, dirty = set(), set()
        with open(path, encoding="ascii") as f:
            for line in f:
                kind, first, sectors = line.split()
                touched = range(int(first) // BLOCK, (int(first) + int(sectors)) // BLOCK)
                blocks.update(touched)
                if "R" in kind:
                    self.reads += 1
                    continue
                self.flushes += kind.startswith("F")
                if not touched:
                    continue
                self.writes += 1
                dirty.update(touched)
                if len(touched) < 16:
                    self.small_writes += 1
                    self.written_small += len(touched) * 4096
        self.footprint, self.dirty = len(blocks) * 4096, len(dirty) * 4096
