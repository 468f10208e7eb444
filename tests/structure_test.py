#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: faults that are planted between files are found
"""tests/structure finds each kind of fault that is planted, and nothing in a tree without one."""
import os
import subprocess
import sys
import tempfile

STRUCTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "structure")
KBUILDS = {
    "modules": "memsuite-y := low/page.o low/block.o\nmemsuite-y += high/pool.o \\\n\thigh/depot.o main.o\n",
    "kmod-memdiag": "memdiag-y := main.o\n",
    "kmod-vipzone": "vipzone-y := main.o\ndm-vstore-y := store/io.o\n",
    "kmod-mrc": "mrc-y := main.o\n",
}
SOUND = {
    "modules/low/page": "int memsuite_page; int memsuite_page_get(void) { return memsuite_page; }",
    "modules/low/block": "int memsuite_page_get(void);\n"
                         "static int block_take(void) { return 1; }\n"
                         "int memsuite_block_get(void) { return block_take() + memsuite_page_get(); }",
    "modules/high/pool": "int memsuite_block_get(void);\n"
                         "static int take(void) { return 2; }\n"
                         "int memsuite_pool_pop(void) { return take() + memsuite_block_get(); }",
    "modules/high/depot": "int memsuite_pool_pop(void); int memsuite_depot_get(void) { return memsuite_pool_pop(); }",
    "modules/low/page.h": "",
    "modules/main": "int memsuite_depot_get(void); int init_module(void) { return memsuite_depot_get(); }",
    "kmod-memdiag/main": "int memdiag_on;",
    "kmod-vipzone/main": "int vipzone_on;",
    "kmod-vipzone/store/io": "int vstore_on;",
    "kmod-mrc/main": "int mrc_on;",
}
# What is planted in which file, the check that must find it, and what it must say.
FAULTS = [
    ("circles", "modules/low/page", "int memsuite_block_get(void); int memsuite_page_put(void) { return memsuite_block_get(); }",
     "modules/low/page.c -> modules/low/block.c: memsuite_block_get"),
    ("layers", "modules/low/page", "extern int memsuite_late; int *memsuite_page_late(void) { return &memsuite_late; }",
     "modules/low/page.c uses the higher modules/high/depot.c: memsuite_late"),
    ("globals", "kmod-mrc/main", "int curve;", "kmod-mrc/main.c: curve lacks the prefix mrc_"),
    ("globals", "kmod-vipzone/store/io", "int vipzone_io;", "kmod-vipzone/store/io.c: vipzone_io lacks the prefix vstore_"),
    ("twins", "kmod-mrc/main", "static int\ttake(void) { return 3; }\nint mrc_take(void) { return take(); }",
     "take() is static in kmod-mrc/main.c modules/high/pool.c"),
    ("headers", "include/memsuite/page.h", "", "headers of one name: include/memsuite/page.h modules/low/page.h"),
]
MEANT_FOR = {"layers": ("modules/high/depot", "int memsuite_late;")}


def build(place, sources):
    for directory, text in KBUILDS.items():
        os.makedirs(f"{place}/{directory}", exist_ok=True)
        with open(f"{place}/{directory}/Kbuild", "w", encoding="utf-8") as file:
            file.write(text)
    for name, text in sources.items():
        os.makedirs(os.path.dirname(f"{place}/{name}"), exist_ok=True)
        path = f"{place}/{name}" if name.endswith(".h") else f"{place}/{name}.c"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        if path.endswith(".c"):
            subprocess.run(["gcc", "-c", "-w", "-o", f"{place}/{name}.o", path], check=True)


def structure(place, *checks):
    done = subprocess.run([sys.executable, STRUCTURE, place, *checks], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


def main():
    print(f"KTAP version 1\n1..{len(FAULTS) + 1}")
    failed = 0

    def result(number, name, passed, output):
        nonlocal failed
        failed += not passed
        if not passed:
            print("# " + output.replace("\n", "\n# "))
        print(f"{'' if passed else 'not '}ok {number} {name}")

    with tempfile.TemporaryDirectory() as place:
        build(place, SOUND)
        status, output = structure(place, "circles", "layers", "globals", "twins", "headers")
        result(1, "a sound tree passes", status == 0 and not output.strip(), output)
    for number, (check, file, fault, expected) in enumerate(FAULTS, 2):
        sources = dict(SOUND)
        for name, text in [(file, fault), *([MEANT_FOR[check]] if check in MEANT_FOR else [])]:
            sources[name] = sources.get(name, "") + "\n" + text
        with tempfile.TemporaryDirectory() as place:
            build(place, sources)
            status, output = structure(place, check)
            result(number, f"{check}: found in {file}", status == 1 and expected in output, output)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
