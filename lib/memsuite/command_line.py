# SPDX-License-Identifier: GPL-2.0-only
"""What commands have in common on the command line, and how a family of them is added.

add_commands() of a family's command_line.py, or of the module of a single command, adds them; cli.py knows which.
"""

import argparse

from .exit_status import CANCELLED, COMMON, help_text
from .modules import cmd_disable, cmd_enable

GOES_ON = {0: "done so many times, or until a signal"}


def add_json(command):
    """Before a subcommand and after it, it is the same."""
    command.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print the result as JSON, "
                         "a document a line if it goes on; schema.json of the package describes it")


class Help(argparse.HelpFormatter):
    """Lines that are broken stay as they are."""

    def _fill_text(self, text, width, indent):
        return text if "\n" in text else super()._fill_text(text, width, indent)


def examples_text(examples):
    """For the end of --help."""
    return "examples:\n" + "\n".join(f"  {example}\n      {why}" for example, why in examples)


class Commands:
    """Subcommands that all take --json; @exits: what their exit statuses mean beyond what all have in common."""

    def __init__(self, parser):
        self.commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(self, name, function, text, aliases=(), exits=None, **defaults):
        command = self.commands.add_parser(name, help=text, description=text, aliases=aliases, formatter_class=Help,
                                           epilog=help_text({**COMMON, **(exits or {})}))
        add_json(command)
        command.set_defaults(function=function, ended=0 if exits is GOES_ON else CANCELLED, **defaults)
        return command

    def group(self, name, text, module=None, examples=()):
        """@examples: (command line, why)."""
        group = self.commands.add_parser(name, help=text, description=text, formatter_class=Help,
                                         epilog=examples_text(examples))
        group.examples = examples
        add_json(group)
        commands = Commands(group)
        if module:
            commands.add("enable", cmd_enable, f"turn {module} on",
                         module=module)
            commands.add("disable", cmd_disable, f"turn {module} off",
                         module=module)
        return commands


def add_number(command, name, metavar, kind, default, text):
    command.add_argument(name, metavar=metavar, type=kind, default=default,
                         help=text if default is None else f"{text} ({default})")


def picture_arguments(command):
    """How a picture is made; without one of them, for a terminal."""
    picture = command.add_mutually_exclusive_group()
    picture.add_argument("--svg", metavar="FILE", help="- is standard output")
    picture.add_argument("--png", metavar="FILE", help="needs matplotlib")
    picture.add_argument("--csv", metavar="FILE", help="the numbers; - is standard output")
    command.add_argument("--width", type=int, default=72, metavar="COLUMNS")
    command.add_argument("--height", type=int, default=18, metavar="LINES")
