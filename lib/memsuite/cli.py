# SPDX-License-Identifier: GPL-2.0-only
"""memsuite - see and control the memsuite kernel modules.

Everything is read from and written to /sys/kernel/memsuite, and tables come
from /sys/kernel/debug/memsuite; MEMSUITE_SYSFS and MEMSUITE_DEBUGFS name other
places, for tests; MEMSUITE_STATE another file than
/var/lib/memsuite/bad_pages.json, MEMSUITE_DMI another DMI table, and
MEMSUITE_PROC, MEMSUITE_POWERCAP and MEMSUITE_NODES other places than /proc,
/sys/class/powercap and /sys/devices/system/node.

"""

import argparse
import os
import sys
from importlib import import_module

from . import Failure, completion
from .command_line import Commands, Help
from .ending import Ended, until_ended
from .exit_status import FAILED, MEANINGS, help_text
from .log import log_errors
from .output import drop_output, print_json
from .version import VERSION

# Which module has the add_commands() for the first word of a command line. Only that one is loaded: a command is run
# for each event of a bad page, and by scripts.
COMMANDS = {
    "status": ".modules",
    "doctor": ".doctor.report",
    "top": ".overview.command_line",
    "report": ".overview.command_line",
    "bench": ".bench.command",
    "apply": ".config.command_line",
    "dump": ".config.command_line",
    "diag": ".diag.command_line",
    "zone": ".zone.command_line",
    "mrc": ".mrc.command_line",
    "store": ".store.command_line",
    "fleet": ".fleet.command_line",
    "export": ".metrics",
    "exporter": ".exporter",
}


def commands_of(parser, *words):
    """(words, parser) of all commands."""
    for action in parser._actions:  # pylint: disable=protected-access
        if isinstance(action, argparse._SubParsersAction):  # pylint: disable=protected-access
            for name, command in action.choices.items():
                yield from commands_of(command, *words, name)
            return
    yield words, parser


def families(parser):
    """{name: (what it is, parser)} of those that have commands of their own."""
    action = parser._subparsers._group_actions[0]  # pylint: disable=protected-access
    return {name: (group.description, group) for name, group in action.choices.items() if hasattr(group, "examples")}


def parser(word=None):
    """Of all commands, or of those that come with @word."""
    top_parser = argparse.ArgumentParser(
        prog="memsuite", description=__doc__.split("\n", 1)[1], epilog=help_text(MEANINGS), formatter_class=Help)
    top_parser.add_argument("--json", action="store_true", default=False, help="print the result as JSON")
    top_parser.add_argument("--log", action="store_true",
                            help="errors go to the system's log as well: for what runs by itself")
    top_parser.add_argument("--version", action="version", version=f"memsuite {VERSION}")
    top = Commands(top_parser)
    for module in dict.fromkeys([COMMANDS[word]] if word in COMMANDS else COMMANDS.values()):
        import_module(module, __package__).add_commands(top)
    return top_parser


def parse(argv):
    words = [word for word in argv if word not in ("--json", "--log")]
    return parser(words[0] if words else None).parse_args(argv, argparse.Namespace(parse=parse))


def main(argv):
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    if completion.ASKED:        # then no command is run, whatever else
        top_parser = parser()
        completion.complete(top_parser, commands_of(top_parser))
        return FAILED
    args = parse(argv)
    if args.log:
        log_errors()
    try:
        return until_ended(lambda: told(args))
    except Ended:
        drop_output()
        if args.ended:
            print("memsuite: ended by a signal", file=sys.stderr)
        return args.ended


def told(args):
    """What a command returns, with all that it has to say said."""
    try:
        try:
            result = args.function(args)
        except Failure as failure:
            result = failed(args, str(failure), failure.status)
        except OSError as error:
            if error.filename is None:
                raise
            # A module was unloaded meanwhile, say.
            result = failed(args, f"{error.filename}: {error.strerror}")
        sys.stdout.flush()
        return result
    except BrokenPipeError:
        drop_output()       # the reader has seen enough
    except OSError as error:
        drop_output()
        print(f"memsuite: standard output: {error.strerror}", file=sys.stderr)
    return FAILED


def failed(args, text, status=FAILED):
    if args.json:
        print_json({"error": text})
    print(f"memsuite: {text}", file=sys.stderr)
    return status
