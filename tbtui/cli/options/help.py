"""`tbtui help [COMMAND]`: print what `--help` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.options import COMMANDS
from tbtui.cli.options.parser import OneLineParser, create_parser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

EXAMPLES = """\
examples:
  tbtui help                as tbtui --help
  tbtui help export         as tbtui export --help

exit codes: 0 success, 2 unknown command
"""


def command_parser() -> OneLineParser:
    """Return the parser of `tbtui help`."""
    parser = create_parser("tbtui help", "The help of tbtui, or of a command.", EXAMPLES)
    parser.add_argument("command", metavar="COMMAND", nargs="?", help="one of the commands; without one, all of them")
    parser.offers["command"] = lambda: COMMANDS
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words after `tbtui help`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    parser = command_parser()
    arguments: argparse.Namespace = parser.parse_args(words)
    if arguments.command not in (None, *COMMANDS):
        from tbtui.cli.options.suggestions import find_closest

        suggestion = find_closest(arguments.command, COMMANDS)
        parser.error(f"unknown command {arguments.command!r}" + (f"; did you mean {suggestion}?" if suggestion else ""))
    return arguments


def run(arguments: argparse.Namespace) -> int:
    """Print the help of `arguments.command`, or of tbtui without one. Return the exit code."""
    from tbtui.cli.options.suggestions import get_parser

    get_parser(arguments.command or "dashboard").print_help()
    return 0
