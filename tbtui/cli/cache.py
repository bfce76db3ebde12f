"""`tbtui cache`: what is kept of logs that were read; and the place of it, for the other commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from tbtui.cli.complaint import complain

if TYPE_CHECKING:
    from argparse import Namespace

    from tbtui.loading.index.again import RunIndexes
    from tbtui.loading.index.folder import Held, IndexFolder
    from tbtui.loading.state import LoadState

FAILED = 1
"""Exit code when something cannot be deleted."""


def run(arguments: Namespace) -> int:
    """Say what is kept, or delete it.

    Args:
        arguments: As `parse_cache` gives them.

    Returns:
        The exit code.
    """
    from tbtui.charts.text import safe  # rich comes with it, and other commands import this module

    folder = _folder()
    if not arguments.clear:
        print(f"{_told(folder.held())} in {safe(str(folder.path))}")
        return 0
    try:
        print(f"deleted {_told(folder.clear(), bound=False)} in {safe(str(folder.path))}")
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}")
        return FAILED
    return 0


def run_indexes(arguments: Namespace) -> RunIndexes | None:
    """Where what is read is kept for the next time; None after `--no-cache`."""
    if arguments.no_cache:
        return None
    from tbtui.loading.index.again import RunIndexes

    return RunIndexes(_folder())


def complain_of_index(state: LoadState) -> None:
    """Tell that what was read could not be kept, if so; it is no failure of the command."""
    if state.index_failure is not None:
        complain(f"{state.index_failure} (nothing is lost, but it will be read anew the next time; see --no-cache)")


def _folder() -> IndexFolder:
    from tbtui.loading.index.folder import IndexFolder

    return IndexFolder(Path(platformdirs.user_cache_dir("tbtui", appauthor=False)) / "index")


def _told(held: Held, *, bound: bool = True) -> str:
    files = "1 index" if held.files == 1 else f"{held.files:,} indexes"
    size = f"{_megabytes(held.bytes)} of at most {_megabytes(held.most_bytes)}" if bound else _megabytes(held.bytes)
    return f"{files}, {size}"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count < 100e6 else f"{count / 1e6:,.0f} MB"
