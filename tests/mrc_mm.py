# SPDX-License-Identifier: GPL-2.0-only
"""What tests/bench-mrc-mm runs: the pairs of paper 001's Table 2, the disk that they are on, and what their document
says.
"""
import hashlib
import math
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import tempfile

import bench
import programs
from vmlib import cache, initramfs, temporary_beside

PACKAGES = ["apache2-bin", "zlib1g-dev"]
# (response, execution): how many times as fast, in the paper.
PAIRS = {"apache+gzip": (2.29, 1.05), "apache+gcc": (2.53, 0.92), "apache+linear": (4.04, 1.37),
         "intr+linear": (3.61, 1.37), "intr+gzip": (5.86, 1.10), "intr+gcc": (2.53, 0.95)}
RESPONSE, SLOWEST = 2, 1 / 1.09
AVAILABLE_MIB, FILES_MIB, SWAP_MIB = 128, 192, 384
DISK_MIB = 1 + FILES_MIB + SWAP_MIB
# What the disk is in, what the kernel takes to keep it there, and a machine beside it.
MEMORY = f"{DISK_MIB * 34 // 32 + 320}M"
BLOCK = 4096
RUN_S = 600
DOCUMENTS, DOCUMENT_KIB = 1000, 80
COPIES = 180
MODULES = "mpm_event authz_core file_cache".split()
APACHE = "/usr/lib/apache2/modules"


BEGIN, END = "<!-- measured -->", "<!-- end -->"


def apache_conf():
    """One process, which has all documents mapped; nothing is left to the kernel to send by itself."""
    yield from (f"LoadModule {name}_module {APACHE}/mod_{name}.so" for name in MODULES)
    yield from ("ServerName localhost", "Listen 127.0.0.1:80", "User nobody", "Group nogroup", "DocumentRoot /documents",
                "PidFile /tmp/apache.pid", "ErrorLog /tmp/errors", "DefaultRuntimeDir /tmp", "Mutex posixsem", "ServerLimit 1",
                "StartServers 1", "ThreadsPerChild 8", "MaxRequestWorkers 8", "MinSpareThreads 1", "MaxSpareThreads 8",
                "EnableSendfile Off", 'LogFormat "%D" time', "CustomLog /tmp/answers time")
    yield from (f"MMapFile /documents/{n}" for n in range(DOCUMENTS))


def copies():
    """A program so many times over in one source, each with names of its own."""
    with open(f"{bench.TOP}/tests/programs/loops.c", encoding="utf-8") as file:
        text = file.read()
    outer = "\n".join(line for line in text.splitlines() if re.match("[a-z]", line))
    names = set(re.findall(r"\b([a-z]\w*)(?=\(|\[|,|;| = | \{$)", outer, re.M)) - {"struct"}
    return "\n".join(re.sub(rf"\b({'|'.join(sorted(names))})\b", rf"\1_{n}", text) for n in range(COPIES))


def zipper():
    return initramfs.compiled(f"{bench.TOP}/tests/programs/zipper.c", "-static", "-lz")


def install(root):
    """Programs, and the libraries and modules that they load."""
    paths = {"apache2": programs.where("apache2"), "cc1": programs.where("cc1"), "zipper": zipper()}
    for name, path in paths.items():
        shutil.copy(path, f"{root}/bin/{name}")
    os.makedirs(root + APACHE)
    for name in MODULES:
        shutil.copy(f"{APACHE}/mod_{name}.so", root + APACHE)
    for path in (paths["apache2"], paths["cc1"], *(f"{APACHE}/mod_{name}.so" for name in MODULES)):
        for library in programs.needed(path):
            os.makedirs(root + os.path.dirname(library), exist_ok=True)
            shutil.copy(os.path.realpath(library), root + library)
    # The C library loads it when a thread ends.
    for library in programs.needed(paths["apache2"]):
        if os.path.basename(library) == "libc.so.6":
            name = "libgcc_s.so.1"
            shutil.copy(os.path.join(os.path.dirname(library), name), root + os.path.join(os.path.dirname(library), name))
    for name, text in {"passwd": "nobody:x:65534:65534::/:/bin/false\n", "group": "nogroup:x:65534:\n"}.items():
        with open(f"{root}/etc/{name}", "w", encoding="ascii") as file:
            file.write(text)


def data(root):
    any_ = random.Random(1)
    for n in range(DOCUMENTS):
        with open(f"{root}/documents/{n}", "wb") as file:
            file.write(any_.randbytes(DOCUMENT_KIB << 10))
    with open(f"{root}/apache.conf", "w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in apache_conf())
    with open(f"{root}/data/picture", "wb") as file:
        file.write(programs.picture(384))
    with open(f"{root}/data/in.c", "w", encoding="ascii") as file:
        file.write(copies())
    subprocess.run(["gcc", "-w", "-E", "-o", f"{root}/data/in.i", f"{root}/data/in.c"], check=True)


def partition(path):
    """Two: the files', from the first MiB on, and the one that is swapped to."""
    per_mib = at = (1 << 20) // BLOCK
    table = b""
    for kind, mib in (0x83, FILES_MIB), (0x82, SWAP_MIB):
        table += struct.pack("<B3sB3sII", 0, b"\xfe\xff\xff", kind, b"\xfe\xff\xff", at, mib * per_mib)
        at += mib * per_mib
    with open(path, "r+b") as file:
        file.seek(446)
        file.write(table.ljust(64, b"\0") + b"\x55\xaa")
        file.truncate(at * BLOCK)


def image():
    """The disk's image, made once."""
    key = hashlib.sha256()
    for source in __file__, programs.__file__, zipper(), f"{bench.TOP}/tests/programs/loops.c", programs.where("apache2"):
        with open(source, "rb") as file:
            key.update(file.read())
    path = f"{cache('programs')}/disk-mm-{key.hexdigest()[:16]}"
    if os.path.exists(path):
        return path
    with temporary_beside(path) as scratch, tempfile.TemporaryDirectory() as root:
        for name in "bin data documents etc tmp dev".split():
            os.mkdir(f"{root}/{name}")
        os.chmod(root, 0o755)
        install(root)
        data(root)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-b", "4096", "-E", f"offset={1 << 20}",
                        "-d", root, f"{scratch}/disk", f"{FILES_MIB}M"], check=True)
        partition(f"{scratch}/disk")
        os.rename(f"{scratch}/disk", path)
    return path


def of(runs, which, key):
    """The figures of one kind of run."""
    return [key(run) for run in runs if run["run"] == which]


def both(runs):
    return {run["run"] for run in runs} == {"stock", "mrc"}


def response(run):
    return run["mean_ms"]


def execution(run):
    return run["seconds"]


def gain(runs, key):
    """Stock over mrc, of the means."""
    stock, mrc = (statistics.mean(of(runs, which, key)) for which in ("stock", "mrc"))
    return stock / mrc if mrc else math.inf


def checks(results):
    """(what, whether it is so)"""
    gains = {pair: gain(runs, response) for pair, runs in results.items()}
    mean = statistics.geometric_mean(gains.values())
    yield f"{len(results)} of {len(PAIRS)} pairs were run", len(results) == len(PAIRS)
    yield f"response, geometric mean of {len(gains)} pairs: {mean:.2f} times as fast, at least {RESPONSE}", mean >= RESPONSE
    for pair, times in gains.items():
        yield f"{pair}: response {times:.2f} times as fast, at least 1", times >= 1
    for pair, runs in results.items():
        times = gain(runs, execution)
        yield f"{pair}: execution {times:.2f} times as fast, at least {SLOWEST:.3f}", times >= SLOWEST


def listed(values, form):
    return ", ".join(format(value, form) for value in values)


def measurements(results):
    """Lines of Markdown: the table."""
    kinds = (("response, ms", response, ".1f"), ("longest, ms", lambda run: run["max_ms"], ".0f"),
             ("major faults an answer", lambda run: run["answering_faults"] / run["answers"], ".2f"),
             ("execution, s", execution, ".1f"), ("its major faults", lambda run: run["computing_faults"], ".0f"))
    rows = []
    for pair, runs in results.items():
        for name, key, form in kinds:
            there = {response: PAIRS[pair][0], execution: PAIRS[pair][1]}.get(key)
            rows.append([pair, name, listed(of(runs, "stock", key), form), listed(of(runs, "mrc", key), form),
                         f"{gain(runs, key):.2f}", f"{there:.2f}" if there else ""])
    return bench.table(["pair", "what", "stock", "mrc", "stock over mrc", "in the paper"], rows, 2)


def chart(results):
    plot = bench.pyplot()
    figure, axes = plot.subplots(figsize=(9, 3.6))
    bench.grouped_bars(axes, list(results), {
        "response": [gain(runs, response) for runs in results.values()],
        "in the paper": [PAIRS[pair][0] for pair in results],
        "execution": [gain(runs, execution) for runs in results.values()],
        "execution, in the paper": [PAIRS[pair][1] for pair in results]})
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylabel("stock over mrc")
    axes.set_yscale("log")
    axes.legend()
    bench.save(figure, "mrc-mm")


def report(results, date, before):
    """The document's lines: its own text, `before`, with the measurements between the marks made anew."""
    chart(results)
    top, rest = before.split(BEGIN)
    _, bottom = rest.split(END)
    release = next(iter(results.values()))[0]["release"]
    yield from (top + BEGIN, "", f"{release}, {date}, {bench.machine()}:", "", *measurements(results), "",
                *(f"* {'met' if good else '**not met**'}: {what}" for what, good in checks(results)), "",
                "![Stock over mrc](mrc-mm.svg)", "", END + bottom.rstrip("\n"))


if __name__ == "__main__":
    print(*PACKAGES)
