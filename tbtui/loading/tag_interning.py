"""Tags of runs for the store. Runs that log alike share one list: thousands of runs may have thousands of tags each."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.store.scalar_table import PointCounts, TagList
from tbtui.store.snapshot import Metadata

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.events.block import TagInfo, TagSet

MAX_SHARED_LISTS = 32
"""Maximum number of lists that are kept for further runs."""


def intern_metadata(info: TagInfo) -> Metadata:
    """Return the metadata of a tag for the store."""
    return Metadata(info.plugin_name, info.content, info.data_class, info.display_name, info.description)


def tag_list_of(tags: TagSet) -> TagList:
    """Return the tags of a run; the same object for the same tags, most of the time."""
    if tags.alike is None:
        return _intern_list(tags)
    shared = _intern_list(tags.alike)
    metadata = list(shared.metadata)
    for number in tags.changed:
        metadata[number] = intern_metadata(tags.infos[number])
    return TagList(shared.names, tuple(metadata), shared)


@lru_cache(MAX_SHARED_LISTS)
def _intern_list(tags: TagSet) -> TagList:
    return TagList(tags.names, tuple(map(intern_metadata, tags.infos)))


def intern_counts(tags: TagList, starts: npt.NDArray[np.int64]) -> PointCounts:
    """Return the number of points of each tag; the same object for runs that log alike.

    Args:
        tags: The tags.
        starts: As of `ScalarTable`.
    """
    return _intern_counts(tags.alike or tags, starts.tobytes())


@lru_cache(MAX_SHARED_LISTS)
def _intern_counts(tags: TagList, starts: bytes) -> PointCounts:
    return PointCounts(tags.names, np.frombuffer(starts, np.int64))
