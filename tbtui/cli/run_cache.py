"""Where commands keep what they read for the next time, and what they say when they cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.errors import complain
from tbtui.loading.cache.store import user_indexes

if TYPE_CHECKING:
    from argparse import Namespace

    from tbtui.loading.cache.store import RunIndexes
    from tbtui.loading.state import LoadState


def run_indexes(arguments: Namespace) -> RunIndexes | None:
    """Where what is read is kept for the next time; None after `--no-cache`."""
    if arguments.no_cache:
        return None
    return user_indexes()


def complain_of_index(state: LoadState) -> None:
    """Tell that what was read could not be kept, if so; it is no failure of the command."""
    if state.index_failure is not None:
        complain(f"{state.index_failure} (nothing is lost, but it will be read anew the next time; see --no-cache)")
