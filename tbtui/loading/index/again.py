"""Finding the index of a run and keeping it; by which bytes a file is known again."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from tbtui.loading.index.place import LEAST_BYTES
from tbtui.loading.index.run_index import index_of, kept_of
from tbtui.records.source import open_file

if TYPE_CHECKING:
    from tbtui.loading.index.folder import IndexFolder
    from tbtui.loading.index.run_index import RunIndex

HEAD_BYTES = 4096
"""Of each file are compared: there stand the time it was begun and its first events."""

AGAIN_AFTER_SHARE = 4
"""A run that grows gets another index when 1/4 of it has been read since: all its indexes together cost no more than a
few times the last one."""


class RunIndexes:
    """The indexes of all runs, in one folder."""

    def __init__(self, folder: IndexFolder, *, least_bytes: int = LEAST_BYTES) -> None:
        """Args: folder: where they are kept; least_bytes: of event files, from which on a run has an index."""
        self.folder = folder
        self._least_bytes = least_bytes

    @property
    def failure(self) -> str | None:
        """Why the last index could not be kept, in plain words."""
        return self.folder.failure

    def is_due(self, read: int, kept: int) -> bool:
        """Whether an index is to be made of `read` bytes of event files when the last one was made of `kept`."""
        return read - kept >= max(self._least_bytes, read // AGAIN_AFTER_SHARE)

    def may_find(self, paths: tuple[str, ...]) -> bool:
        """Whether something is kept for the run with these files, be it of use or not."""
        return self.folder.holds(_name(paths))

    def find(self, paths: tuple[str, ...]) -> RunIndex | None:
        """The index of the run with these files, perhaps of fewer of them; None when there is none to be trusted."""
        kept = self.folder.read(_name(paths))
        return None if kept is None else index_of(kept)

    def keep(self, paths: tuple[str, ...], index: RunIndex) -> None:
        """Keep the index of the run with these files in place of the one before."""
        self.folder.write(_name(paths), kept_of(index))


def head_digest(path: str, inode: int, read: int) -> str | None:
    """A digest of the first bytes of a file, of which `read` were read as records; None when it is another file."""
    try:
        with open_file(path) as file:
            if file.inode != inode or file.size < read:
                return None
            return blake2b(file.read(0, min(read, HEAD_BYTES)).tobytes(), digest_size=16).hexdigest()
    except OSError:
        return None


def _name(paths: tuple[str, ...]) -> str:
    """By its first file a run is known again; others may have come after it meanwhile."""
    return paths[0]
