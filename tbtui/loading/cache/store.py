"""Finding the index of a run and keeping it; by which bytes a file is known again."""

from __future__ import annotations

import contextlib
import os
import stat
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.loading.cache.format import index_contents, pack, parse_index, unpack
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.cache.format import IndexContents, RunIndex


# The directory that index files are kept in: bounded, written atomically, and free to be deleted at any time.


MAX_CACHE_BYTES = 1 << 30
"""Of all index files together; those that were not used for the longest time are dropped."""

_SUFFIX = ".index"
_NEW = ".new"
"""Ending of a file that is being written; one that stays was left by a program that was killed."""

_OLD_SECONDS = 3600.0


@frozen
class CacheUsage:
    """What a cache directory holds."""

    path: Path
    files: int
    bytes: int
    most_bytes: int


class IndexFolder:
    """Index files by a name that is theirs alone.

    Nothing here raises for what the disk does: a cache that cannot be read is empty, and one that cannot be written
    to says why in `failure`.
    """

    def __init__(self, path: Path, *, most_bytes: int = MAX_CACHE_BYTES) -> None:
        """Args: path: the directory, made when it is first needed; most_bytes: of all files together."""
        self.path = path
        self.failure: str | None = None
        """Why the last file could not be written, in plain words."""

        self._most_bytes = most_bytes
        self._bytes: int | None = None
        """Of all files, as far as this program knows; None: it has not looked."""

    def holds(self, name: str) -> bool:
        """Whether something is kept under a name."""
        try:
            return self._path(name).exists()
        except OSError:  # the directory may be another person's
            return False

    def read(self, name: str) -> IndexContents | None:
        """What is kept under a name; None when nothing is, or what is there cannot be trusted."""
        path = self._path(name)
        try:
            there = path.stat()
            if not stat.S_ISREG(there.st_mode):  # which may never end
                return None
            # None that was written here is larger than all together may be.
            kept = unpack(np.fromfile(path, np.uint8)) if there.st_size <= self._most_bytes else None
            if kept is None:
                path.unlink()
            else:
                with contextlib.suppress(OSError):  # a cache that nobody can write to is of use, too
                    os.utime(path)  # used just now: the last to be dropped
        except OSError:
            return None
        return kept

    def write(self, name: str, kept: IndexContents) -> bool:
        """Keep something under a name in place of what is there; whether it could be written.

        Whoever reads meanwhile reads the old one or the new one, never a part.
        """
        pieces = list(pack(kept))
        size = sum(len(piece) for piece in pieces)
        if size > self._most_bytes:
            self.drop(name)
            return False
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(size)
            self._replace(self._path(name), pieces)
        except OSError as error:
            self.failure = f"{self.path} cannot be written: {error.strerror or error}"
            return False
        self.failure = None
        self._bytes = (self._bytes or 0) + size
        return True

    def drop(self, name: str) -> None:
        """Forget what is kept under a name."""
        with contextlib.suppress(OSError):
            self._path(name).unlink()

    def held(self) -> CacheUsage:
        """How much is kept."""
        sizes = [size for _, size, _ in self._files()]
        return CacheUsage(self.path, len(sizes), sum(sizes), self._most_bytes)

    def clear(self) -> CacheUsage:
        """Delete all that is kept.

        Returns:
            What was deleted.

        Raises:
            OSError: A file cannot be deleted.
        """
        files = size = 0
        for path, bytes_held, _ in list(self._files(unfinished=True)):
            path.unlink(missing_ok=True)
            files, size = files + 1, size + bytes_held
        self._bytes = None
        return CacheUsage(self.path, files, size, self._most_bytes)

    def _path(self, name: str) -> Path:
        digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        return self.path / f"{digest}{_SUFFIX}"

    def _replace(self, path: Path, pieces: list[bytes | memoryview]) -> None:
        """Put a file in the place of another in one step.

        Raises:
            OSError: It cannot be written; then the other one stays.
        """
        import tempfile  # brings much along, and is needed when everything has been read

        descriptor, name = tempfile.mkstemp(_NEW, "", self.path)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor
                file.writelines(pieces)
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise

    def _make_room(self, size: int) -> None:
        """Drop files until one of `size` bytes more fits; all files are looked at only when it might not."""
        if self._bytes is not None and self._bytes + size <= self._most_bytes:
            return
        files = sorted(self._files(unfinished=True), key=lambda file: file[2])
        held = sum(bytes_held for _, bytes_held, _ in files)
        newest = files[-1][2] if files else 0.0
        for path, bytes_held, used in files:
            is_left = path.suffix == _NEW and used < newest - _OLD_SECONDS
            if held + size > self._most_bytes or is_left:
                with contextlib.suppress(OSError):
                    path.unlink()
                    held -= bytes_held
        self._bytes = held

    def _files(self, *, unfinished: bool = False) -> Iterator[tuple[Path, int, float]]:
        """(path, bytes, when it was last used) of each file; an unreadable directory has none."""
        endings = {_SUFFIX, _NEW} if unfinished else {_SUFFIX}
        try:
            with os.scandir(self.path) as entries:
                for entry in entries:
                    path = Path(entry.path)
                    if path.suffix in endings:
                        with contextlib.suppress(OSError):
                            status = entry.stat(follow_symlinks=False)
                            yield path, status.st_size, status.st_mtime
        except OSError:
            return


# Where on this machine indexes are kept; light, for programs that may need none.


MIN_RUN_BYTES = 64 << 10
"""Of event files, from which on a run has an index: less than that is read again as fast."""


def user_cache_folder() -> IndexFolder:
    """The folder in the cache directory of the person who runs the program."""
    from tbtui.paths import cache_directory

    return IndexFolder(cache_directory() / "index")


def user_indexes() -> RunIndexes:
    """What is kept there."""
    return RunIndexes(user_cache_folder())


FINGERPRINT_BYTES = 4096
"""Of each file are compared: there stand the time it was begun and its first events."""

REWRITE_SHARE = 4
"""A run that grows gets another index when 1/4 of it has been read since: all its indexes together cost no more than a
few times the last one."""


class RunIndexes:
    """The indexes of all runs, in one folder."""

    def __init__(self, folder: IndexFolder, *, min_bytes: int = MIN_RUN_BYTES) -> None:
        """Args: folder: where they are kept; min_bytes: of event files, from which on a run has an index."""
        self.folder = folder
        self._least_bytes = min_bytes

    @property
    def failure(self) -> str | None:
        """Why the last index could not be kept, in plain words."""
        return self.folder.failure

    def is_due(self, read: int, kept: int) -> bool:
        """Whether an index is to be made of `read` bytes of event files when the last one was made of `kept`."""
        return read - kept >= max(self._least_bytes, read // REWRITE_SHARE)

    def may_find(self, paths: tuple[str, ...]) -> bool:
        """Whether something is kept for the run with these files, be it of use or not."""
        return self.folder.holds(_name(paths))

    def find(self, paths: tuple[str, ...]) -> RunIndex | None:
        """The index of the run with these files, perhaps of fewer of them; None when there is none to be trusted."""
        kept = self.folder.read(_name(paths))
        return None if kept is None else parse_index(kept)

    def keep(self, paths: tuple[str, ...], index: RunIndex) -> None:
        """Keep the index of the run with these files in place of the one before."""
        self.folder.write(_name(paths), index_contents(index))


def fingerprint_head(path: str, inode: int, read: int) -> str | None:
    """A digest of the first bytes of a file, of which `read` were read as records; None when it is another file."""
    try:
        with open_file(path) as file:
            if file.inode != inode or file.size < read:
                return None
            return blake2b(file.read(0, min(read, FINGERPRINT_BYTES)).tobytes(), digest_size=16).hexdigest()
    except OSError:
        return None


def _name(paths: tuple[str, ...]) -> str:
    """By its first file a run is known again; others may have come after it meanwhile."""
    return paths[0]
