"""Parse the options of `tbtui cache`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.options.parser import new_parser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

EXAMPLES = """\
tbtui caches what it parsed from event files, except images and other large
data, so the next start is fast. Files that have changed are read again. The
cache can be deleted at any time. --no-cache neither reads nor writes it.

examples:
  tbtui cache               show its location and size
  tbtui cache --clear       delete it

exit codes: 0 fine, 1 the cache cannot be deleted, 2 wrong arguments
"""


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of `tbtui cache`."""
    parser = new_parser("tbtui cache", "The cache of parsed logs.", EXAMPLES)
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
