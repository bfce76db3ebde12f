"""The directory that index files are kept in: bounded, written atomically, and free to be deleted at any time."""

from __future__ import annotations

import contextlib
import os
import stat
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.loading.index.form import packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.index.form import Kept

MOST_BYTES = 1 << 30
"""Of all index files together; those that were not used for the longest time are dropped."""

_SUFFIX = ".index"
_NEW = ".new"
"""Ending of a file that is being written; one that stays was left by a program that was killed."""

_OLD_SECONDS = 3600.0


@frozen
class Held:
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

    def __init__(self, path: Path, *, most_bytes: int = MOST_BYTES) -> None:
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

    def read(self, name: str) -> Kept | None:
        """What is kept under a name; None when nothing is, or what is there cannot be trusted."""
        path = self._path(name)
        try:
            there = path.stat()
            if not stat.S_ISREG(there.st_mode):  # which may never end
                return None
            # None that was written here is larger than all together may be.
            kept = unpacked(np.fromfile(path, np.uint8)) if there.st_size <= self._most_bytes else None
            if kept is None:
                path.unlink()
            else:
                with contextlib.suppress(OSError):  # a cache that nobody can write to is of use, too
                    os.utime(path)  # used just now: the last to be dropped
        except OSError:
            return None
        return kept

    def write(self, name: str, kept: Kept) -> bool:
        """Keep something under a name in place of what is there; whether it could be written.

        Whoever reads meanwhile reads the old one or the new one, never a part.
        """
        pieces = list(packed(kept))
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

    def held(self) -> Held:
        """How much is kept."""
        sizes = [size for _, size, _ in self._files()]
        return Held(self.path, len(sizes), sum(sizes), self._most_bytes)

    def clear(self) -> Held:
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
        return Held(self.path, files, size, self._most_bytes)

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
