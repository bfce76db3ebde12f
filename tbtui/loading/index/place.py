"""Where on this machine indexes are kept; light, for programs that may need none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.loading.index.again import RunIndexes
    from tbtui.loading.index.folder import IndexFolder

LEAST_BYTES = 64 << 10
"""Of event files, from which on a run has an index: less than that is read again as fast."""


def user_folder() -> IndexFolder:
    """The folder in the cache directory of the person who runs the program."""
    from tbtui.loading.index.folder import IndexFolder
    from tbtui.own_directories import cache_directory

    return IndexFolder(cache_directory() / "index")


def user_indexes() -> RunIndexes:
    """What is kept there."""
    from tbtui.loading.index.again import RunIndexes

    return RunIndexes(user_folder())
