# SPDX-License-Identifier: GPL-2.0-only
"""Programs of Debian and of our own as workloads: a disk's image with them, what they need, and what they work on.

Run as a program, it names the packages. On a disk of its own a program's file, its libraries' and its data's come into the page cache anew for each run.
"""
import array
import hashlib
import math
import os
import random
import re
import shutil
import subprocess
import tempfile

import bench
import traffic  # noqa: F401, for the path of vmlib
from vmlib import cache, initramfs, temporary_beside

PACKAGES = "libjpeg-turbo-progs lame libtiff-tools groff-base ispell iamerican libgsm-tools madplay e2fsprogs bzip2".split()
IMAGE_MIB = 256		# an NVDIMM's size is a multiple of 128

# Of MiBench's kind. Its typeset is lout, which Debian no longer has.
EMBEDDED = {
    "cjpeg": "cjpeg -dct int -progressive -optimize -outfile /out/x.jpg /data/in.ppm",
    "djpeg": "djpeg -dct int -ppm -outfile /out/x.ppm /data/in.jpg",
    "lame": "lame --quiet /data/in.wav /out/x.mp3",
    "madplay": "madplay -Q -o wave:/out/x.wav /data/in.mp3",
    "tiff2bw": "tiff2bw /data/in.tif /out/x.tif",
    "tiff2rgba": "tiff2rgba -c none /data/in.tif /out/x.tif",
    "tiffmedian": "tiffmedian /data/in.tif /out/x.tif",
    "tiffdither": "tiffdither -c none /data/grey.tif /out/x.tif",
    "typeset": "groff -Tps -man /data/in.man >/out/x.ps",
    "ispell": "ispell -l </data/in.txt >/out/x.txt",
    "toast": "toast -clp /data/in.raw >/out/x.gsm",
    "untoast": "untoast -clp /data/in.raw.gsm >/out/x.raw",
    "sha": "sha1sum /data/in.raw /data/in.ppm /data/in.wav /data/in.txt >/out/x.txt",
    "patricia": "loops patricia 100000",
    "dijkstra": "loops dijkstra 100",
}
# Of PARSEC's: more than the last cache holds, some of them. What they begin with is little of their time.
PARALLEL = {
    "stream": "loops stream 36 40",
    "chase": "loops chase 48 40000000",
    "sort": "sort -S 40M --parallel=1 -o /out/x.txt /data/lines.txt",
    "sqlite3": "sqlite3 :memory: </data/in.sql >/out/x.txt",
    "gzip": "gzip -c /data/lines.txt >/out/x.gz",
    "paths": "loops dijkstra 1000",
}
# Of SPEC2000's integer ones: bzip2 and gcc, perl for perlbmk, a database for vortex, a speller for parser.
COMPUTING = {
    "bzip2": "bzip2 -c /data/in.sql >/out/x.bz2",
    "gcc": "cc1 -quiet -fpreprocessed -O2 -o /out/x.s /data/in.i",
    "perl": "LC_ALL=C perl -ne '$n{$_}++ for split; END { print qq($_ $n{$_}\\n) for sort keys %n }' /data/in.sql >/out/x.txt",
    "sqlite3": PARALLEL["sqlite3"],
    "ispell": EMBEDDED["ispell"],
}
# At once, each on its CPU, with a file of its own, which nobody else has in memory.
TOGETHER = {
    "walk": [f"loops{i} walk 12 8" for i in range(4)],
    "STREAM": [f"loops{i} stream 24 2" for i in range(4)],
    "mixed": ["loops0 stream 24 2", "loops1 chase 24 1500000", "loops2 patricia 400000",
              "sort -S 24M --parallel=1 -o /out/x.txt /data/lines.txt"],
}
PROGRAMS = EMBEDDED | PARALLEL | COMPUTING
FILES = ("sh cjpeg djpeg lame madplay tiff2bw tiff2rgba tiffmedian tiffdither groff troff grops ispell toast untoast "
         "sha1sum sort sqlite3 gzip bzip2 perl").split()
TREES = ["/usr/share/groff", "/usr/lib/ispell", "/var/lib/ispell", "/etc/groff"]


def needed(path):
    """The libraries of a program."""
    out = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return re.findall(r"(/\S+) \(0x", out)


def compiled(name):
    return initramfs.compiled(f"{bench.TOP}/tests/programs/{name}.c", "-static")


def where(name):
    """The file of a program; the compiler proper is not in the path."""
    path = shutil.which(name) or subprocess.run(["gcc", f"-print-prog-name={name}"], check=True,
                                                stdout=subprocess.PIPE, text=True).stdout.strip()
    # gcc says the name again if it has no such program.
    if not os.path.isabs(path):
        raise SystemExit(f"{name} is not installed: apt install the package that has it")
    return os.path.realpath(path)


def install(root):
    for name in [*FILES, "cc1"]:
        path = where(name)
        shutil.copy(path, f"{root}/bin/{name}")
        for library in needed(path):
            os.makedirs(root + os.path.dirname(library), exist_ok=True)
            shutil.copy(os.path.realpath(library), root + library)
    for tree in TREES:
        if os.path.isdir(tree):
            shutil.copytree(tree, root + tree, ignore_dangling_symlinks=True)
    for name in "loops", "loops0", "loops1", "loops2", "loops3":
        shutil.copy(compiled("loops"), f"{root}/bin/{name}")
    shutil.copy(compiled("together"), f"{root}/bin/together")


def picture(size):
    """A portable pixmap of shapes and a little noise."""
    any_ = random.Random(1)
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            level = 128 + 100 * math.sin(x / 17) * math.cos(y / 23)
            pixels += bytes(int(level * scale) + any_.getrandbits(4) & 255 for scale in (0.9, 0.7, 0.5))
    return f"P6 {size} {size} 255\n".encode() + pixels


def sound(samples, rate):
    any_ = random.Random(2)
    return array.array("h", (int(9000 * math.sin(2 * math.pi * 440 * t / rate) + 5000 * math.sin(t * t / 1e6) +
                                 any_.gauss(0, 300)) for t in range(samples))).tobytes()


def wav(data, rate):
    return (b"RIFF" + (36 + len(data)).to_bytes(4, "little") + b"WAVEfmt \x10\0\0\0\x01\0\x01\0" +
            rate.to_bytes(4, "little") + (2 * rate).to_bytes(4, "little") + b"\x02\0\x10\0data" +
            len(data).to_bytes(4, "little") + data)


def words(n):
    any_ = random.Random(3)
    known = "memory page frame zone policy region process kernel allocate random access energy latency write".split()
    for _ in range(n):
        yield any_.choice(known) if any_.random() < 0.9 else "".join(any_.choice("aeioubcdfg") for _ in range(6))


def data(directory):
    """What the programs work on, the same each time."""
    def put(name, content):
        with open(f"{directory}/{name}", "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    any_ = random.Random(4)
    put("in.ppm", picture(384))
    put("in.wav", wav(sound(44100, 44100), 44100))
    put("in.raw", sound(8000 * 20, 8000))
    text = list(words(20000))
    lines = [" ".join(text[i:i + 12]) for i in range(0, len(text), 12)]
    put("in.txt", "\n".join(lines) + "\n")
    put("in.man", ".TH TEXT 1\n.SH TEXT\n" + "".join(f".PP\n{line}.\n" for line in lines[:len(lines) // 4]))
    put("lines.txt", "".join(f"{any_.getrandbits(64):016x} {any_.getrandbits(32):08x}\n" for _ in range(150000)))
    put("in.sql", "create table t(a integer, b text);\nbegin;\n" +
        "".join(f"insert into t values({any_.getrandbits(31)}, '{any_.getrandbits(256):064x}');\n" for _ in range(20000))
        + "commit;\ncreate index i on t(a);\nselect sum(a), max(b) from t where a % 7 = 3;\n")
    subprocess.run(["gcc", "-E", "-o", f"{directory}/in.i", f"{bench.TOP}/tests/programs/loops.c"], check=True)
    for command in ("cjpeg -outfile in.jpg in.ppm", "lame --quiet in.wav in.mp3", "ppm2tiff -c none in.ppm in.tif",
                    "tiff2bw -c none in.tif grey.tif", "toast -lp in.raw"):
        subprocess.run(command.split(), cwd=directory, check=True, stdout=subprocess.DEVNULL)


def put_scripts(directory):
    scripts = {name: f"#!/bin/sh\n{command}\n" for name, command in PROGRAMS.items()}
    scripts |= {f"together-{name}": "\n".join(["#!/bin/together", *commands, ""]) for name, commands in TOGETHER.items()}
    for name, text in scripts.items():
        with open(f"{directory}/{name}", "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(f"{directory}/{name}", 0o755)


def image():
    """The disk's image, made once."""
    key = hashlib.sha256()
    for path in __file__, compiled("loops"), compiled("together"):
        with open(path, "rb") as file:
            key.update(file.read())
    path = f"{cache('programs')}/disk-{key.hexdigest()[:16]}"
    if os.path.exists(path):
        return path
    with temporary_beside(path) as scratch, tempfile.TemporaryDirectory() as root:
        for name in "bin data out tmp dev programs".split():
            os.mkdir(f"{root}/{name}")
        install(root)
        data(f"{root}/data")
        put_scripts(f"{root}/programs")
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-b", "4096", "-d", root,
                        f"{scratch}/disk", f"{IMAGE_MIB}M"], check=True)
        os.rename(f"{scratch}/disk", path)
    return path


if __name__ == "__main__":
    print(*PACKAGES)
