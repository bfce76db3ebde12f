"""Folder of run indexes, and the fingerprints by which it recognises event files."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.loading.cache.format import index_contents, pack, parse_index, unpack
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.cache.format import IndexContents, RunIndex


MAX_CACHE_BYTES = 1 << 30
"""Maximum size of all index files; the least recently used are deleted first."""

_SUFFIX = ".index"
_NEW = ".new"
"""Suffix of a file being written; a leftover belongs to a program that was killed."""

_OLD_SECONDS = 3600.0


@frozen
class CacheUsage:
    """Size of a cache directory."""

    path: Path
    files: int
    bytes: int
    max_bytes: int


class IndexFolder:
    """Directory of index files: bounded, written atomically, and safe to delete at any time.

    Only `clear` raises disk errors. An unreadable cache counts as empty; `failure` says why a file was not written.
    """

    def __init__(self, path: Path, *, max_bytes: int = MAX_CACHE_BYTES) -> None:
        """Create a folder at `path`, made on first use, with at most `max_bytes` in all files."""
        self.path = path
        self.failure: str | None = None
        """Reason why the last file could not be written; None if it could."""

        self._max_bytes = max_bytes
        self._bytes: int | None = None
        """Size of all files as far as known; None: unknown."""

    def contains(self, name: str) -> bool:
        """Return True if there is a file for a name."""
        try:
            return self._build_path(name).exists()
        except OSError:  # the directory may belong to another user
            return False

    def read(self, name: str) -> IndexContents | None:
        """Return the contents stored under a name; None if there are none or they are invalid."""
        path = self._build_path(name)
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):  # a pipe or device may never end
                return None
            # No valid file is larger than the bound of all files.
            contents = unpack(np.fromfile(path, np.uint8)) if status.st_size <= self._max_bytes else None
            if contents is None:
                path.unlink()
            else:
                with contextlib.suppress(OSError):  # a read-only cache is useful too
                    os.utime(path)  # mark as most recently used
        except OSError:
            return None
        return contents

    def write(self, name: str, contents: IndexContents) -> bool:
        """Replace the contents stored under a name; return True on success.

        Concurrent readers get the old or the new contents, never a mixture.
        """
        pieces = list(pack(contents))
        size = sum(len(piece) for piece in pieces)
        if size > self._max_bytes:
            self.drop(name)
            return False
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(size)
            self._replace(self._build_path(name), pieces)
        except OSError as error:
            self.failure = f"{self.path} cannot be written: {error.strerror or error}"
            return False
        self.failure = None
        self._bytes = (self._bytes or 0) + size
        return True

    def drop(self, name: str) -> None:
        """Delete the file of a name."""
        with contextlib.suppress(OSError):
            self._build_path(name).unlink()

    def measure_usage(self) -> CacheUsage:
        """Return the current size."""
        sizes = [size for _, size, _ in self._iter_files()]
        return CacheUsage(self.path, len(sizes), sum(sizes), self._max_bytes)

    def clear(self) -> CacheUsage:
        """Delete all files.

        Returns:
            What was deleted.

        Raises:
            OSError: A file cannot be deleted.
        """
        files = size = 0
        for path, bytes_held, _ in list(self._iter_files(unfinished=True)):
            path.unlink(missing_ok=True)
            files, size = files + 1, size + bytes_held
        self._bytes = None
        return CacheUsage(self.path, files, size, self._max_bytes)

    def _build_path(self, name: str) -> Path:
        from hashlib import blake2b

        digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        return self.path / f"{digest}{_SUFFIX}"

    def _replace(self, path: Path, pieces: list[bytes | memoryview]) -> None:
        """Replace a file atomically.

        Raises:
            OSError: It cannot be written; the old file stays.
        """
        import tempfile  # slow import, needed only after everything was read

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
        """Delete files until `size` more bytes fit; the directory is listed only if they might not."""
        if self._bytes is not None and self._bytes + size <= self._max_bytes:
            return
        files = sorted(self._iter_files(unfinished=True), key=lambda file: file[2])
        total_bytes = sum(bytes_held for _, bytes_held, _ in files)
        newest = files[-1][2] if files else 0.0
        for path, bytes_held, used in files:
            is_left = path.suffix == _NEW and used < newest - _OLD_SECONDS
            if total_bytes + size > self._max_bytes or is_left:
                with contextlib.suppress(OSError):
                    path.unlink()
                    total_bytes -= bytes_held
        self._bytes = total_bytes

    def _iter_files(self, *, unfinished: bool = False) -> Iterator[tuple[Path, int, float]]:
        """Yield (path, bytes, last use) of each file; nothing for an unreadable directory."""
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


MIN_RUN_BYTES = 64 << 10
"""Minimum size of the event files of a cached run; smaller ones are read again just as fast."""


MIN_SCALAR_BYTES = 2 << 20
"""Minimum size of a cached run that holds little else than scalars. A smaller one is read as a whole, which takes no
longer than to read its index, and far less than to write it.
"""


def open_user_folder() -> IndexFolder:
    """Return the index folder in the user's cache directory."""
    from tbtui.paths import cache_directory

    return IndexFolder(cache_directory() / "index")


def open_user_indexes() -> RunIndexes:
    """Return the indexes in the user's cache directory."""
    return RunIndexes(open_user_folder(), min_scalar_bytes=MIN_SCALAR_BYTES)


FINGERPRINT_BYTES = 4096
"""Bytes at the start of each file that are compared; they include its start time and first events."""

REWRITE_SHARE = 4
"""The index of a growing run is written again when it lacks 1/4 of the bytes read. So all writes together cost only a
few times as much as the last one.
"""


class RunIndexes:
    """Cached indexes of all runs, in one folder."""

    def __init__(self, folder: IndexFolder, *, min_bytes: int = MIN_RUN_BYTES, min_scalar_bytes: int = 0) -> None:
        """Create the indexes of a folder.

        Args:
            folder: The folder.
            min_bytes: Runs with fewer bytes of event files are not cached.
            min_scalar_bytes: Neither are runs with fewer bytes that were read as a whole and hold hardly anything but
                scalars.
        """
        self.folder = folder
        self._least_bytes = min_bytes
        self._least_scalar_bytes = min_scalar_bytes

    @property
    def failure(self) -> str | None:
        """Reason why the last index could not be written; None if it could."""
        return self.folder.failure

    def is_due(self, read: int, cached: int, *, is_scalar: bool = False) -> bool:
        """Return True if an index of `read` bytes should replace one of `cached` bytes.

        Args:
            read: Bytes that were read.
            cached: Bytes of which the cache has an index.
            is_scalar: The run was read as a whole, and holds hardly anything but scalars.
        """
        if is_scalar and read < self._least_scalar_bytes:
            return False
        return read - cached >= max(self._least_bytes, read // REWRITE_SHARE)

    def may_find(self, paths: tuple[str, ...]) -> bool:
        """Return True if there is an index for the run with these files, valid or not."""
        return bool(paths) and self.folder.contains(_name(paths))  # a run may hold assets alone

    def find(self, paths: tuple[str, ...]) -> RunIndex | None:
        """Return the index of the run with these files, or with the first of them; None if there is no valid one."""
        contents = self.folder.read(_name(paths))
        return None if contents is None else parse_index(contents)

    def keep(self, paths: tuple[str, ...], index: RunIndex) -> None:
        """Write the index of the run with these files."""
        self.folder.write(_name(paths), index_contents(index))


def fingerprint_head(path: str, inode: int, read: int) -> str | None:
    """Return a digest of the first bytes of a file of which `read` bytes were read; None if it is another file."""
    from hashlib import blake2b

    try:
        with open_file(path) as file:
            if file.inode != inode or file.size < read:
                return None
            return blake2b(file.read(0, min(read, FINGERPRINT_BYTES)).tobytes(), digest_size=16).hexdigest()
    except OSError:
        return None


def _name(paths: tuple[str, ...]) -> str:
    """Return the key of a run: its first file, because later files may be added."""
    return paths[0]
