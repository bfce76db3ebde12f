"""Damage of an event file, in the form that all packages above pass on."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt


UNREADABLE_BYTES = "unreadable_bytes"
"""Kind of damage if the disk cannot read some bytes; the reader tries again."""


CHECKSUM_MISMATCHES = "records that do not match their checksum"
"""Noun in the messages of damage of kind `payload_checksum`, which count such records."""


@frozen
class Damage:
    """A damaged range of bytes in an event file."""

    kind: str
    """`length_checksum`, `payload_checksum`, `undecodable`, `truncated`, `oversized`, `nan_wall_time`, `unreadable`,
    `unreadable_bytes`."""

    offset: int
    """Byte offset in the file where the damage begins."""

    bytes_skipped: int
    """Number of bytes skipped; 0 if the record is used."""

    message: str
    """One sentence for the user."""


def format_skipped_bytes(count: int) -> str:
    """Return the part of a message that counts the skipped bytes."""
    return "1 byte skipped" if count == 1 else f"{count:,} bytes skipped"


_PAGE_BYTES = 4096
"""The system reads a page of a disk as a whole or not at all."""
_ALL_TRIED_BYTES = 16 * _PAGE_BYTES
"""Bytes tried page by page where a disk fails; after them the steps double."""


class UnreadableRange(OSError):  # noqa: N818 - the range, not only the error
    """The disk cannot read some bytes of a file, as at a bad sector."""

    def __init__(self, begin: int, end: int, reason: str) -> None:
        """Create the error.

        Args:
            begin: First byte that cannot be read.
            end: First byte after it that can be read, or the end of the file.
            reason: The reason in plain words.
        """
        super().__init__(errno.EIO, reason)
        self.begin, self.end = begin, end


@frozen
class OpenFile:
    """An event file that is open for the duration of one read."""

    descriptor: int
    device: int
    inode: int
    size: int
    """File size in bytes when it was opened; nothing after it is read."""

    def read(self, offset: int, count: int) -> npt.NDArray[np.uint8]:
        """Return the bytes `[offset, offset + count)` up to the end of the file, uint8[at most count].

        Raises:
            UnreadableRange: The disk fails to give some of them.
            OSError: They cannot be read, or the file is shorter than when it was opened.
        """
        data = np.empty(max(0, min(count, self.size - offset)), np.uint8)
        if self.fill(offset, data) < len(data):
            raise OSError(errno.EIO, "was cut short while it was read")
        return data

    def fill(self, offset: int, data: npt.NDArray[np.uint8]) -> int:
        """Read from `offset` into `data`, uint8[n], and return the number of bytes that the file holds there."""
        count = max(0, min(len(data), self.size - offset))
        filled = 0
        os.lseek(self.descriptor, offset, os.SEEK_SET)
        try:
            while filled < count:
                read_count = os.readv(self.descriptor, [data[filled:count].data])
                if not read_count:
                    break
                filled += read_count
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            begin = (offset + filled) // _PAGE_BYTES * _PAGE_BYTES
            if self._is_readable(begin):
                raise  # it failed for a moment
            raise UnreadableRange(begin, self._find_readable(begin), error.strerror or str(error)) from error
        return filled

    def _find_readable(self, begin: int) -> int:
        """Return the first readable offset after the unreadable page at `begin`, or the end of the file.

        A disk takes seconds for each page that it cannot read, so not every page of a long range is tried.
        """
        bad, step = begin, _PAGE_BYTES
        while not self._is_readable(bad + step):
            bad += step
            step *= 1 if bad - begin < _ALL_TRIED_BYTES else 2
        good = bad + step
        while good - bad > _PAGE_BYTES:
            middle = (bad + good) // 2 // _PAGE_BYTES * _PAGE_BYTES
            bad, good = (bad, middle) if self._is_readable(middle) else (middle, good)
        return min(good, self.size)

    def _is_readable(self, offset: int) -> bool:
        """Return True if the byte can be read or lies after the end."""
        if offset >= self.size:
            return True
        try:
            os.lseek(self.descriptor, offset, os.SEEK_SET)
            return os.readv(self.descriptor, [bytearray(1)]) == 1
        except OSError:
            return False

    def expect_jumps(self) -> None:
        """Tell the system that reads are small and far apart from now on, so that it reads nothing ahead."""
        if hasattr(os, "posix_fadvise"):
            with suppress(OSError):
                os.posix_fadvise(self.descriptor, 0, 0, os.POSIX_FADV_RANDOM)


def read_head(path: str, count: int) -> bytes:
    """Return the first bytes of a regular file with few system calls: a directory may have tens of thousands.

    Raises:
        OSError: It cannot be read, or is a directory, a pipe or a device.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is no regular file", path)
        return os.read(descriptor, count)
    finally:
        os.close(descriptor)


@contextmanager
def open_file(path: str) -> Iterator[OpenFile]:
    """Open a regular file for one read.

    Raises:
        OSError: It cannot be opened, or is a directory, a pipe or a device: these could block or never end.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            kind = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise OSError(errno.EINVAL, f"is {kind}, no event file", path)
        yield OpenFile(descriptor, status.st_dev, status.st_ino, status.st_size)
    finally:
        os.close(descriptor)
