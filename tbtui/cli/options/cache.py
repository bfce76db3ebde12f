"""`tbtui cache`: show or delete the cache of logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.options.parser import create_parser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tbtui.loading.cache.index_folder import CacheUsage

EXIT_FAILED = 1
"""Exit code if the cache cannot be deleted."""

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
    parser = create_parser("tbtui cache", "The cache of parsed logs.", EXAMPLES)
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


def run(arguments: argparse.Namespace) -> int:
    """Print location and size of the cache, or delete it. Return the exit code."""
    from tbtui.charts.text import safe
    from tbtui.cli.errors import print_error
    from tbtui.cli.output import print_text
    from tbtui.export.output import OutputError
    from tbtui.loading.cache.index_folder import open_user_folder

    folder = open_user_folder()
    try:
        if arguments.clear:
            summary = f"deleted {_format_usage(folder.clear(), bound=False)}"
        else:
            summary = _format_usage(folder.measure_usage())
    except OSError as error:
        print_error(f"{error.filename}: {error.strerror}")
        return EXIT_FAILED
    try:
        print_text(f"{summary} in {safe(str(folder.path))}\n")
    except OutputError as error:
        return print_error(str(error))
    return 0


def _format_usage(usage: CacheUsage, *, bound: bool = True) -> str:
    from tbtui.charts import numbers

    files = "1 index" if usage.files == 1 else f"{usage.files:,} indexes"
    limit = f" of at most {numbers.format_size(usage.max_bytes)}" if bound else ""
    return f"{files}, {numbers.format_size(usage.bytes)}{limit}"
