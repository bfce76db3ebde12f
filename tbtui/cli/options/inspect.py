"""Parse the options of `tbtui inspect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.options.parser import (
    INSPECT_SUFFIXES,
    add_common,
    add_output,
    add_setting,
    check_suffix,
    create_parser,
    format_of_name,
)
from tbtui.plugins.registry import run_settings
from tbtui.settings.settings import SETTINGS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tbtui.cli.options.parser import OneLineParser

EXAMPLES = """\
examples:
  tbtui inspect logs/       a table of runs, tags and damage
  tbtui inspect --json logs/ | jq '.runs | keys'
  tbtui inspect --check logs/ -o report.txt

Values are counted and the least and the greatest are found among all that is
stored. Those marked as superseded, which were logged again after a restart, are
left out by print and compare, and by export --current.

exit codes: 0 fine, 1 nothing matched or data damaged beyond use (with --check:
any damage), 2 wrong arguments or path
"""


def command_parser() -> OneLineParser:
    """Return the parser of `tbtui inspect [PATH …]`."""
    parser = create_parser("tbtui inspect", "What is in the event files and how healthy they are.", EXAMPLES)
    add_common(parser)
    parser.add_argument(
        "--json", action="store_true", help="everything, in a form for scripts; also where FILE ends in .json"
    )
    parser.add_argument("--all", action="store_true", help="list every run and every tag")
    parser.add_argument(
        "--check",
        action="store_true",
        help="read long values too, such as images, and verify their checksums; any damage exits with 1",
    )
    add_setting(
        parser,
        SETTINGS["fold_runs"],
        help="runs that only hold the hyperparameters of the run above are part of it (default: yes; --json names the "
        "run above)",
        default="yes",
    )
    add_setting(parser, SETTINGS["chain_runs"], default="no")
    for declared in run_settings():
        add_setting(parser, declared)
    add_output(parser)
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words after `tbtui inspect`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    parser = command_parser()
    arguments: argparse.Namespace = parser.parse_intermixed_args(words)
    if not arguments.json:
        check_suffix(parser, arguments.output, INSPECT_SUFFIXES, "--json says which")
        arguments.json = format_of_name(arguments.output, INSPECT_SUFFIXES) == "json"
    return arguments
