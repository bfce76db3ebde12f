"""Read many small files at once, and frame their records together.

The cost of a file is three system calls. Files whose records form one intact chain from their first byte to their last
are framed as one block; every other file, such as one that is damaged or ends within a record, is left to
`RecordReader`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.tfrecord.checksum import LENGTH_BYTES
from tbtui.tfrecord.framing import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES, find_short_headers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

SPARE_BYTES = 16
"""Bytes before the first file and after the last one, so that words around a record can be read."""

_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


@frozen(eq=False)
class FileBytes:
    """The bytes of some files, one after the other."""

    data: npt.NDArray[np.uint8]
    begins: npt.NDArray[np.int64]
    """Offset of each file in `data`, and the end of the last one, int64[files + 1]."""

    is_read: npt.NDArray[np.bool_]
    """For each file: it was read to its end, and has the size that it had before, bool[files]."""

    def part(self, files: npt.NDArray[np.int64]) -> FileBytes:
        """Return the bytes of some files."""
        begins, ends = self.begins[files], self.begins[files + 1]
        pieces = [self.data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
        spare = np.zeros(SPARE_BYTES, np.uint8)
        own = np.concatenate(([0], np.cumsum(ends - begins))) + SPARE_BYTES
        return FileBytes(np.concatenate((spare, *pieces, spare)), own, self.is_read[files])

    def are_heads_distinct(self, first: int, last: int, count: int) -> bool:
        """Return True if some files have `count` bytes or more each, and no two begin with the same ones."""
        begins = self.begins[first : last + 1]
        if (np.diff(begins) < count).any():
            return False
        # Most first events differ in their wall time, after its key.
        words = np.ndarray((len(self.data) - 7,), np.uint64, self.data, strides=(1,))
        if count >= HEADER_BYTES + 9 and len(set(words[begins[:-1] + HEADER_BYTES + 1].tolist())) == last - first:
            return True
        heads = self.data[begins[:-1, None] + np.arange(count)].tobytes()
        return len({heads[begin : begin + count] for begin in range(0, len(heads), count)}) == last - first


@frozen(eq=False)
class FramedFiles:
    """The records of some files."""

    starts: npt.NDArray[np.int64]
    """Offset in the data of each payload; files that are left out have none."""

    lengths: npt.NDArray[np.int64]
    files: npt.NDArray[np.int64]
    """Index of the file of each record."""

    is_whole: npt.NDArray[np.bool_]
    """For each file: its records form one chain from its first byte to its last, bool[files]."""


def read_files(paths: Sequence[str], sizes: Sequence[int]) -> FileBytes:
    """Read regular files to their ends; never raises `OSError`.

    Args:
        paths: Path of each file.
        sizes: Its size in bytes. A file that has another size now does not count as read.
    """
    begins = np.full(len(paths) + 1, SPARE_BYTES, np.int64)
    np.cumsum(sizes, out=begins[1:])
    begins[1:] += SPARE_BYTES
    data = np.empty(int(begins[-1]) + SPARE_BYTES, np.uint8)
    data[:SPARE_BYTES] = 0
    view = data.data
    is_read = []
    for path, begin, size in zip(paths, begins[:-1].tolist(), sizes, strict=True):
        try:
            descriptor = os.open(path, _OPEN_FLAGS)
        except OSError:
            is_read.append(False)
            continue
        try:
            # There is room for more bytes than the file had, so that one that has grown gives another number.
            is_read.append(os.readv(descriptor, [view[begin:]]) == size)
        except OSError:
            is_read.append(False)
        finally:
            os.close(descriptor)
    data[-SPARE_BYTES:] = 0
    return FileBytes(data, begins, np.array(is_read, np.bool_))


def frame_files(files: FileBytes) -> FramedFiles:
    """Return the records of the files that are intact.

    A file is left out if a byte of it is outside of the chain of its records, if one of them is long or may be
    truncated, because it holds a header, or if it may be a header itself.
    """
    begins, data = files.begins, files.data
    heads, lengths = find_short_headers(data, int(begins[0]), int(begins[-1]))
    ends = heads + lengths + OVERHEAD_BYTES
    sizes = np.diff(begins)
    if not len(heads):
        return FramedFiles(heads, lengths, heads, files.is_read & (sizes == 0))
    number = np.searchsorted(begins, heads, side="right") - 1
    counts = np.bincount(number, minlength=len(sizes))
    # Every record begins where the one before ends, the first at the beginning of the file; the last ends with it.
    expected = np.empty(len(heads), np.int64)
    expected[1:] = ends[:-1]
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))[counts > 0]
    expected[first] = begins[:-1][counts > 0]
    wrong = (heads != expected) | (lengths == LENGTH_BYTES)
    last = np.concatenate((first[1:], [len(heads)])) - 1
    is_whole = files.is_read & ((counts > 0) | (sizes == 0))
    is_whole[np.flatnonzero(counts)[ends[last] != begins[1:][counts > 0]]] = False
    if wrong.any():
        is_whole[number[wrong]] = False
    if not is_whole.all():
        is_selected = is_whole[number]
        heads, lengths, number = heads[is_selected], lengths[is_selected], number[is_selected]
    return FramedFiles(heads + HEADER_BYTES, lengths, number, is_whole)


def last_records(
    data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> list[bytes]:
    """Return header and footer of some records, given the positions of their payloads."""
    heads = data[(starts - HEADER_BYTES)[:, None] + np.arange(HEADER_BYTES)]
    footers = data[(starts + lengths)[:, None] + np.arange(FOOTER_BYTES)]
    size = HEADER_BYTES + FOOTER_BYTES
    joined = np.concatenate((heads, footers), axis=1).tobytes()
    return [joined[begin : begin + size] for begin in range(0, len(joined), size)]
