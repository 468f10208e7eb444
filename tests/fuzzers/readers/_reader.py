# SPDX-License-Identifier: GPL-2.0-only
"""What the readers share: inputs come from libFuzzer by Atheris, or from the files that are named.

What the memsuite command does not take, it refuses by a Failure or as argparse does; anything else is a traceback
that its user would see.
"""
import codecs
import contextlib
import copy
import io
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = os.path.dirname(os.path.dirname(HERE))
DIRECTORY = tempfile.mkdtemp(prefix="memsuite-fuzz.", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
FILE = os.path.join(DIRECTORY, "file")
FUZZING = any(argument.startswith("-") for argument in sys.argv[1:])

sys.path.insert(0, os.path.join(TOP, "lib"))
# Nothing of this machine's plays a part.
os.environ.update({"MEMSUITE_SYSFS": os.path.join(DIRECTORY, "sysfs"), "MEMSUITE_STATE": FILE,
                   "MEMSUITE_DMI": os.path.join(DIRECTORY, "dmi"), "MEMSUITE_PROC": os.path.join(DIRECTORY, "proc")})
if FUZZING:
    import atheris

# What JSON may have where something else belongs.
ODD = (None, True, 0, -1, 1 << 63, 1 << 70, 10 ** 400, 5e-324, 1e308, float("nan"), float("inf"), "", "1", "\ud800", "\x1b[m",
       [], [[]], {}, {"a": []})


def imports():
    """A context in which memsuite is imported."""
    return atheris.instrument_imports(include=["memsuite"]) if FUZZING else contextlib.nullcontext()


def file_write(data, path=FILE):
    with open(path, "wb") as file:
        file.write(data)


def first_seed(name):
    with open(os.path.join(HERE, "seeds", name), encoding="ascii") as file:
        line = next(line for line in file if not line.startswith("#"))
    return codecs.escape_decode(line.rstrip("\n"))[0]


def places(value):
    """(container, key) of all that is in @value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(inside):
        yield value, key
        yield from places(part)


def json_of(value, data):
    """@value with some of what is in it replaced, or left out: two bytes say where, and one by what."""
    value = copy.deepcopy(value)
    for at in range(0, len(data) - 2, 3):
        every = list(places(value))
        if not every:
            break
        container, key = every[(data[at] | data[at + 1] << 8) % len(every)]
        if data[at + 2] == 0xff:
            del container[key]
        else:
            container[key] = copy.deepcopy(ODD[data[at + 2] % len(ODD)])
    return value


def terminal(errors):
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors)


def refused(function, *arguments):
    """Whether it is refused; what is printed goes nowhere, but has to be what a terminal takes."""
    from memsuite import Failure  # pylint: disable=import-outside-toplevel
    with contextlib.redirect_stdout(terminal("strict")), contextlib.redirect_stderr(terminal("backslashreplace")):
        try:
            function(*arguments)
        except (Failure, SystemExit):
            return True
    return False


def run(one):
    """Gives @one all inputs."""
    try:
        if FUZZING:
            atheris.Setup(sys.argv, one)
            atheris.Fuzz()
        for path in sys.argv[1:]:
            print(path, file=sys.stderr)
            with open(path, "rb") as file:
                one(file.read())
    finally:
        shutil.rmtree(DIRECTORY, ignore_errors=True)
