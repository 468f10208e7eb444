#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""hook_mutants.py points MODULE: the names of the points of the hook table in memsuite.ko, a line each.
hook_mutants.py list MODULE: the mutants of that table, a line each: POINT FIELD VALUE TEXT.
hook_mutants.py make MODULE OUT FIELD VALUE: the module with that one.

FIELD is where in the file a byte of the table is: an argument's position; VALUE another one, or none (255). Or it is where
a function's name is, and VALUE another function of the allocator. Only candidates that this kernel has are mutated.
The table is memsuite_hook_points, of modules/hook/hook_points.h.
"""
import struct
import sys

NO_ARG = 0xff
REGISTERS = 6
NR_CANDIDATES, NR_ARGS = 4, 4
POINT = struct.Struct("=8xB?6x")        # name, nr_args, answers
CANDIDATE = struct.Struct("=8x4B4x")    # symbol, args
OTHERS = ("vma_alloc_folio_noprof", "vma_alloc_folio", "alloc_pages_vma", "filemap_alloc_folio_noprof",
          "filemap_alloc_folio", "__page_cache_alloc", "__alloc_frozen_pages_noprof", "__alloc_pages_noprof",
          "__alloc_pages", "__alloc_pages_nodemask", "mpol_misplaced", "move_page_tables", "folio_alloc_noprof",
          "folio_alloc", "shmem_alloc_folio", "shmem_alloc_page", "kfree", "no_such_function")


class Module:
    """What is needed of an ELF file."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        shoff, = struct.unpack_from("=Q", self.data, 40)
        size, number = struct.unpack_from("=HH", self.data, 58)
        self.sections = [struct.unpack_from("=LLQQQQLLQQ", self.data, shoff + i * size) for i in range(number)]
        self.symbols = []
        for section in self.sections:
            if section[1] == 2:
                self.symbols = [struct.unpack_from("=LBBHQQ", self.data, section[4] + at)
                                for at in range(0, section[5], 24)]
                self.names = self.sections[section[6]][4]

    def text(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode()

    def find(self, name):
        """Section and place in it of a symbol."""
        for symbol in self.symbols:
            if symbol[3] and self.text(self.names + symbol[0]) == name:
                return symbol[3], symbol[4]
        raise SystemExit(f"no {name}")

    def size(self, name):
        """Of a symbol, in bytes."""
        return next(symbol[5] for symbol in self.symbols if symbol[3] and self.text(self.names + symbol[0]) == name)

    def pointer(self, section, place):
        """Where in the file the string is that a relocation at that place leads to."""
        for relocations in self.sections:
            if relocations[1] != 4 or relocations[7] != section:
                continue
            for at in range(relocations[4], relocations[4] + relocations[5], 24):
                where, info, addend = struct.unpack_from("=QQq", self.data, at)
                if where == place:
                    symbol = self.symbols[info >> 32]
                    return self.sections[symbol[3]][4] + symbol[4] + addend
        return None


def kernel_has():
    with open("/proc/kallsyms", encoding="ascii") as f:
        return {line.split()[2] for line in f if "[" not in line}


def points(module):
    """Section of the table, and place in it and name of each point."""
    section, place = module.find("memsuite_hook_points")
    size = POINT.size + NR_CANDIDATES * CANDIDATE.size
    for at in range(place, place + module.size("memsuite_hook_points"), size):
        yield section, at, module.text(module.pointer(section, at))


def mutants(module):
    here = kernel_has()
    for number, (section, at, point) in enumerate(points(module)):
        file = module.sections[section][4]
        nr_args, _ = POINT.unpack_from(module.data, file + at)
        for candidate in range(NR_CANDIDATES):
            where = at + POINT.size + candidate * CANDIDATE.size
            string = module.pointer(section, where)
            name = string and module.text(string)
            if name not in here:
                continue
            args = CANDIDATE.unpack_from(module.data, file + where)
            for arg in range(nr_args):
                for value in (*range(REGISTERS), NO_ARG):
                    if value != args[arg]:
                        yield number, file + where + 8 + arg, value, f"{point}:{name}:argument-{arg}-from-{value}"
            for other in OTHERS:
                # move_page_tables.part.0 and what it is a part of are one function to the caller.
                if other != name and len(other) <= len(name) and not name.startswith(other + "."):
                    yield number, string, other, f"{point}:{name}:instead-{other}"
            break


def main(arguments):
    module = Module(arguments[1])
    if arguments[0] == "points":
        for _, _, name in points(module):
            print(name)
        return 0
    if arguments[0] == "list":
        for mutant in mutants(module):
            print(*mutant)
        return 0
    data = bytearray(module.data)
    at = int(arguments[3])
    if arguments[4].isdigit():
        data[at] = int(arguments[4])
    else:
        data[at:at + len(arguments[4]) + 1] = arguments[4].encode() + b"\0"
    with open(arguments[2], "wb") as f:
        f.write(data)
    return 0


sys.exit(main(sys.argv[1:]))
