"""Read many small files at once, and frame their records together.

The cost of a file is three or four system calls. Files whose records form one intact chain from their first byte to
their last are framed as one block; every other file, such as one that is damaged or ends within a record, is left to
`RecordReader`.
"""

from __future__ import annotations

import os
import stat
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

MAX_OPEN_FILES = 64
"""Maximum number of files that are open at once; some systems allow a process 256."""

_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


@frozen(eq=False)
class FileBytes:
    """The bytes of some files, one after the other."""

    data: npt.NDArray[np.uint8]
    begins: npt.NDArray[np.int64]
    """Offset of each file in `data`, and the end of the last one, int64[files + 1]."""

    is_read: npt.NDArray[np.bool_]
    """For each file: it was read to its end, and has the size that it had before, bool[files]."""

    def select(self, files: npt.NDArray[np.int64]) -> FileBytes:
        """Return the bytes of some files."""
        begins, ends = self.begins[files], self.begins[files + 1]
        chunks = [self.data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
        spare = np.zeros(SPARE_BYTES, np.uint8)
        new_begins = np.concatenate(([0], np.cumsum(ends - begins))) + SPARE_BYTES
        return FileBytes(np.concatenate((spare, *chunks, spare)), new_begins, self.is_read[files])

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


class FileBatch:
    """Collects the bytes of files; never raises `OSError`.

    Files are read from the last to the first: when the bytes of one are there, those that were written earlier to the
    files before it are there too.
    """

    def __init__(self, likely_bytes: int) -> None:
        """Create an empty batch; `likely_bytes` is the size from which on it has to be copied."""
        self._data = np.empty(likely_bytes + 2 * SPARE_BYTES, np.uint8)
        self._view = self._data.data
        self._end = len(self._data) - SPARE_BYTES
        self._begin = self._end
        """Offset of the bytes of the first file: the data is filled from its end."""

        self._one_more = bytearray(1)
        self._sizes: list[int] = []
        """From the last file to the first."""

        self._is_read: list[bool] = []

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def size(self) -> int:
        """Number of bytes that were read."""
        return self._end - self._begin

    def put(self, paths: Sequence[str], sizes: Sequence[int]) -> None:
        """Read files of known sizes before those that the batch has.

        Args:
            paths: Path of each regular file.
            sizes: Its size in bytes. A file that has another size now does not count as read.
        """
        for path, size in zip(reversed(paths), reversed(sizes), strict=True):
            try:
                descriptor = os.open(path, _OPEN_FLAGS)
            except OSError:
                self._add(0, is_read=False)
                continue
            try:
                is_read = self._fill(descriptor, size)
            finally:
                os.close(descriptor)
            self._add(size if is_read else 0, is_read=is_read)

    def put_new(self, paths: Sequence[str], max_bytes: int) -> list[os.stat_result] | None:
        """Read files of unknown sizes and put them in front of the files of the batch; saves a system call for each.

        Args:
            paths: Path of each regular file.
            max_bytes: Maximum size of all of them. Where the last files are large, reading stops early.

        Returns:
            The status of each file before it was read. None if one of them is empty or unreadable, or they are too
            large: then the batch is as before.
        """
        statuses: list[os.stat_result] = []
        known_files, known_bytes = len(self._sizes), self.size
        backwards = paths[::-1]
        for first in range(0, len(paths), MAX_OPEN_FILES):
            left = max_bytes + known_bytes - self.size
            opened = self._put_opened(backwards[first : first + MAX_OPEN_FILES], len(paths) - first, left)
            if opened is None:
                del self._sizes[known_files:]
                self._begin = self._end - known_bytes
                return None
            statuses += opened
        self._is_read += [True] * len(paths)
        statuses.reverse()
        return statuses

    def _put_opened(self, paths: Sequence[str], count: int, max_bytes: int) -> list[os.stat_result] | None:
        """Read some files, from the last to the first.

        Args:
            paths: Path of each, the last one first.
            count: Number of these files and those before them.
            max_bytes: Maximum size of all `count` files, which are as large as these ones on average.

        Returns:
            As `put_new`, the status of the last file first.
        """
        # To open many files, then to read them, and then to close them takes a tenth less than to do so one by one.
        descriptors: list[int] = []
        try:
            for path in paths:
                descriptors.append(os.open(path, _OPEN_FLAGS))  # noqa: PERF401 - those before a failure are closed
            statuses = list(map(os.fstat, descriptors))
            sizes = [status.st_size for status in statuses]
            total = sum(sizes)
            if not all(sizes) or total * count > max_bytes * len(paths):
                return None
            if not all(stat.S_ISREG(status.st_mode) for status in statuses):
                return None
            if self._begin - total < SPARE_BYTES:
                self._grow(total)
            begin, view = self._begin, self._view
            for descriptor, size in zip(descriptors, sizes, strict=True):
                end, begin = begin, begin - size
                if os.readv(descriptor, (view[begin:end],)) != size:
                    return None
        except OSError:
            return None
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self._begin = begin
        self._sizes += sizes
        return statuses

    def content(self) -> FileBytes:
        """Return the bytes of all files, the first one first; nothing can be added after that."""
        data = self._data[self._begin - SPARE_BYTES :]
        data[:SPARE_BYTES] = data[-SPARE_BYTES:] = 0
        begins = np.zeros(len(self._sizes) + 1, np.int64)
        np.cumsum(self._sizes[::-1], out=begins[1:])
        return FileBytes(data, begins + SPARE_BYTES, np.array(self._is_read[::-1], np.bool_))

    def _fill(self, descriptor: int, size: int) -> bool:
        """Read a file before the others; return False if it has another size."""
        if self._begin - size < SPARE_BYTES:
            self._grow(size)
        try:
            # There is room for one byte more than the file had, so that one that has grown gives another number.
            count = os.readv(descriptor, [self._view[self._begin - size : self._begin], self._one_more])
        except OSError:
            return False
        return count == size

    def _add(self, size: int, *, is_read: bool) -> None:
        self._sizes.append(size)
        self._is_read.append(is_read)
        self._begin -= size

    def _grow(self, size: int) -> None:
        """Make room for `size` bytes before the others."""
        data = np.empty(2 * len(self._data) + size, np.uint8)
        begin, end = len(data) - (len(self._data) - self._begin), len(data) - SPARE_BYTES
        data[begin:end] = self._data[self._begin : self._end]
        self._data, self._view, self._begin, self._end = data, data.data, begin, end


def frame_files(files: FileBytes) -> FramedFiles:
    """Return the records of the files that are intact.

    A file is left out if a byte of it is outside of the chain of its records, if one of them is long or may be
    truncated, because it holds a header, or if it may be a header itself.
    """
    begins, data = files.begins, files.data
    positions, lengths = find_short_headers(data, int(begins[0]), int(begins[-1]))
    ends = positions + lengths + OVERHEAD_BYTES
    sizes = np.diff(begins)
    if not len(positions):
        return FramedFiles(positions, lengths, positions, files.is_read & (sizes == 0))
    file_of_record = np.searchsorted(begins, positions, side="right") - 1
    counts = np.bincount(file_of_record, minlength=len(sizes))
    # Every record begins where the one before ends, the first at the beginning of the file; the last ends with it.
    expected = np.empty(len(positions), np.int64)
    expected[1:] = ends[:-1]
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))[counts > 0]
    expected[first] = begins[:-1][counts > 0]
    is_wrong = (positions != expected) | (lengths == LENGTH_BYTES)
    last = np.concatenate((first[1:], [len(positions)])) - 1
    is_whole = files.is_read & ((counts > 0) | (sizes == 0))
    is_whole[np.flatnonzero(counts)[ends[last] != begins[1:][counts > 0]]] = False
    if is_wrong.any():
        is_whole[file_of_record[is_wrong]] = False
    if not is_whole.all():
        is_selected = is_whole[file_of_record]
        positions, lengths, file_of_record = positions[is_selected], lengths[is_selected], file_of_record[is_selected]
    return FramedFiles(positions + HEADER_BYTES, lengths, file_of_record, is_whole)


def read_overheads(
    data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint8]:
    """Return header and footer of n records, uint8[n, 16], given the positions of their payloads."""
    heads = data[(starts - HEADER_BYTES)[:, None] + np.arange(HEADER_BYTES)]
    footers = data[(starts + lengths)[:, None] + np.arange(FOOTER_BYTES)]
    return np.concatenate((heads, footers), axis=1)
