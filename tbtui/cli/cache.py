"""Run `tbtui cache`: show or delete the cache of logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.text import safe
from tbtui.cli.errors import print_error
from tbtui.cli.output import print_text
from tbtui.export.output import OutputError
from tbtui.loading.cache.store import user_cache_folder

if TYPE_CHECKING:
    from argparse import Namespace

    from tbtui.loading.cache.store import CacheUsage

EXIT_FAILED = 1
"""Exit code if the cache cannot be deleted."""


def run(arguments: Namespace) -> int:
    """Print location and size of the cache, or delete it.

    Args:
        arguments: As `options.cache.parse` gives them.

    Returns:
        The exit code.
    """
    folder = user_cache_folder()
    try:
        if arguments.clear:
            summary = f"deleted {_format_usage(folder.clear(), bound=False)}"
        else:
            summary = _format_usage(folder.held())
    except OSError as error:
        print_error(f"{error.filename}: {error.strerror}")
        return EXIT_FAILED
    try:
        print_text(f"{summary} in {safe(str(folder.path))}\n")
    except OutputError as error:
        return print_error(str(error))
    return 0


def _format_usage(usage: CacheUsage, *, bound: bool = True) -> str:
    files = "1 index" if usage.files == 1 else f"{usage.files:,} indexes"
    limit = f" of at most {numbers.size(usage.most_bytes)}" if bound else ""
    return f"{files}, {numbers.size(usage.bytes)}{limit}"
