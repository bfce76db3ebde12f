"""Parse the options of `tbtui cache`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.options.parser import new_parser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

EXAMPLES = """\
What was read of event files is kept, without pictures and the like, so that it
is there at once the next time; files that have changed are read anew. It may be
deleted at any time. --no-cache reads without it and keeps nothing.

examples:
  tbtui cache               where it is and how much
  tbtui cache --clear       delete it

exit codes: 0 fine, 1 it cannot be deleted, 2 wrong arguments
"""


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of `tbtui cache`."""
    parser = new_parser("tbtui cache", "The cache of logs that were read.", EXAMPLES)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--info", action="store_true", help="show location and size (default)")
    which.add_argument("--clear", action="store_true", help="delete the cache")
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words after `tbtui cache`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    return command_parser().parse_args(words)
