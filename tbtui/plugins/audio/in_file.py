"""Sounds too long to be held in memory: what is needed of them is read from their file each time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.sounds import sound_spans
from tbtui.frozen import frozen
from tbtui.records.source import open_file

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.records.source import OpenFile

PEEK = 256
"""Bytes read at once while fields are looked for."""

MOST_LABEL = 1 << 16


class FileCutError(OSError):
    """The file has become shorter."""


class _Peeked:
    """The bytes of a record, of which few are looked at."""

    def __init__(self, file: OpenFile, offset: int, size: int) -> None:
        self._file, self._offset, self._size = file, offset, size
        self._begin, self._held = 0, b""

    def __getitem__(self, at: int) -> int:
        if not 0 <= at < self._size:
            raise IndexError(at)
        if not self._begin <= at < self._begin + len(self._held):
            self._begin, self._held = at, self._file.read(self._offset + at, min(PEEK, self._size - at)).tobytes()
        return self._held[at - self._begin]


@frozen
class SoundInFile:
    """Where a sound lies."""

    path: str
    offset: int
    size: int
    """Bytes."""

    label: str = ""

    def read(self, begin: int, count: int) -> bytes:
        """Some of its bytes, as many as there are."""
        with open_file(self.path) as file:
            return file.read(self.offset + begin, max(min(count, self.size - begin), 0)).tobytes()

    def rows(self, dtype: np.dtype[Any], begin: int, shape: tuple[int, ...]) -> RowsInFile:
        """The samples of it from an offset on."""
        return RowsInFile(self, dtype, begin, shape)


@frozen
class RowsInFile:
    """Samples in a file, indexed as an array of them."""

    sound: SoundInFile
    dtype: np.dtype[Any]
    begin: int
    shape: tuple[int, ...]

    def __getitem__(self, rows: slice | npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        """Some rows; those that follow each other are read at once."""
        if isinstance(rows, slice):
            first, end, _ = rows.indices(self.shape[0])
            runs = [(first, max(end - first, 0))]
        else:
            starts = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
            runs = list(zip(rows[starts].tolist(), np.diff(starts, append=len(rows)).tolist(), strict=True))
        row = math.prod(self.shape[1:])
        found = np.empty((sum(count for _, count in runs), *self.shape[1:]), self.dtype)
        flat, at = found.reshape(-1).view(np.uint8), 0
        size = row * self.dtype.itemsize
        with open_file(self.sound.path) as file:
            for first, count in runs:
                part = flat[at : at + count * size]
                if file.fill(self.sound.offset + self.begin + first * size, part) < len(part):
                    raise FileCutError("the file has become shorter")
                at += count * size
        return found


def sounds_in_file(path: str, offset: int, length: int, index: int) -> tuple[SoundInFile, ...] | None:
    """Where the sounds of a value lie in its file.

    Args:
        path: Of the event file.
        offset: Of the record's payload.
        length: Its bytes.
        index: Of the value in it.

    Returns:
        None where they cannot be found without reading all of it.

    Raises:
        OSError: The file cannot be read.
    """
    with open_file(path) as file:
        spans = sound_spans(_Peeked(file, offset, length), length, index)
        if spans is None or any(data.end > length for data, _ in spans):
            return None
        labels = [
            file.read(offset + label.begin, min(label.end - label.begin, MOST_LABEL)).tobytes() for _, label in spans
        ]
    return tuple(
        SoundInFile(path, offset + data.begin, data.end - data.begin, label.decode("utf-8", "replace"))
        for (data, _), label in zip(spans, labels, strict=True)
    )
