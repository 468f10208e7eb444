# SPDX-License-Identifier: GPL-2.0-only
"""How results are printed."""

import functools
import json
import mmap
import os
import sys

from . import Failure


def json_text(value, indent=None):
    """What is not UTF-8, in firmware's texts and in paths, is told by an escape; so is the rest where it has to be."""
    return json.dumps(value, indent=indent, ensure_ascii=(sys.stdout.encoding or "").lower().replace("-", "") != "utf8")


def print_json(value):
    print(json_text(value, 2))


def print_json_line(value):
    """Of a command that goes on: a document a line, as soon as it is known."""
    print(json_text(value), flush=True)


@functools.lru_cache(maxsize=1000)
def print_once(text):
    """To standard error; of what is seen again and again, only the first time."""
    print(text, file=sys.stderr)


def print_table(head, rows, right=()):
    for line in table_lines(head, rows, right):
        print(line)


def table_lines(head, rows, right=()):
    """Aligned columns; @right are the names of those aligned to the right."""
    cells = [head] + [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    for row in cells:
        yield "  ".join(
            cell.rjust(width) if name in right else cell.ljust(width)
            for cell, width, name in zip(row, widths, head)).rstrip()


def clear_screen():
    """For what is shown over and over; a file gets one after another."""
    if sys.stdout.isatty():
        print("\033[H\033[2J", end="")


def human(size):
    """Bytes as people read them."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            break
        size /= 1024
    else:
        unit = "TiB"
    return f"{size:.0f} {unit}" if size == int(size) else f"{size:.1f} {unit}"


def human_pages(pages):
    return human(pages * mmap.PAGESIZE)


def bad_page_count(count):
    return f"{count} bad page" + ("s" if count != 1 else "")


def yes(value):
    return "-" if value is None else "yes" if value else "no"


def done(args, text):
    if args.json:
        print_json({"ok": True})
    else:
        print(text)
    return 0


def drop_output():
    """What is not written yet is not, and Python says nothing of that at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def for_root(path, flags):
    return os.open(path, flags, 0o600)


def save(path, text, opener=None):
    """To a file, or standard output for "-". With for_root(), for what tells physical addresses or of others' processes."""
    if path == "-":
        print(text, end="")
        return
    try:
        with open(path, "w", encoding="utf-8", opener=opener) as file:
            file.write(text)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def written(args, csv, svg, png):
    """Writes what the arguments ask for, as picture_arguments() in command_line.py has them; False: it is for the terminal."""
    if args.csv:
        save(args.csv, csv())
    elif args.svg:
        save(args.svg, svg())
    elif args.png:
        png(args.png)
    return bool(args.csv or args.svg or args.png)
