"""Tags of runs for the store. Runs that log alike share one list: thousands of runs may have thousands of tags each."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.store.scalar_table import TagList
from tbtui.store.snapshot import Metadata

if TYPE_CHECKING:
    from tbtui.events.block import TagInfo, TagSet

MAX_SHARED_LISTS = 32
"""Maximum number of lists that are kept for further runs."""


def metadata_of(info: TagInfo) -> Metadata:
    """Return the metadata of a tag for the store."""
    return Metadata(info.plugin_name, info.content, info.data_class, info.display_name, info.description)


@lru_cache(MAX_SHARED_LISTS)
def tag_list_of(tags: TagSet) -> TagList:
    """Return the tags of a run; the same object for the same tags, most of the time."""
    return TagList(tags.names, tuple(map(metadata_of, tags.infos)))
