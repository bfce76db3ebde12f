"""The cache of runs that commands share, and the report if it cannot be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.errors import print_error
from tbtui.loading.cache.index_folder import user_indexes

if TYPE_CHECKING:
    from argparse import Namespace

    from tbtui.loading.cache.index_folder import RunIndexes
    from tbtui.loading.state import LoadState


def open_run_cache(arguments: Namespace) -> RunIndexes | None:
    """Return the cache of the user; None with `--no-cache`."""
    if arguments.no_cache:
        return None
    return user_indexes()


def report_cache_failure(state: LoadState) -> None:
    """Report that the cache could not be written, which is no failure of the command."""
    if state.index_failure is not None:
        print_error(f"{state.index_failure} (nothing is lost, but it will be read anew the next time; see --no-cache)")
