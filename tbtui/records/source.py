"""Reading stretches of a regular file, without keeping it open."""

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


@frozen
class OpenFile:
    """An event file that is open for the length of one read."""

    descriptor: int
    device: int
    inode: int
    size: int
    """Bytes the file held when it was opened; nothing after them is read."""

    def read(self, offset: int, count: int) -> npt.NDArray[np.uint8]:
        """The bytes of `[offset, offset + count)` as far as the file goes, uint8[at most count].

        Raises:
            OSError: They cannot be read, or fewer are there than when it was opened.
        """
        data = np.empty(max(0, min(count, self.size - offset)), np.uint8)
        if self.fill(offset, data) < len(data):
            raise OSError(errno.EIO, "was cut short while it was read")
        return data

    def fill(self, offset: int, data: npt.NDArray[np.uint8]) -> int:
        """Read what stands at `offset` into `data`, uint8[n], and say how many bytes of it the file had."""
        count = max(0, min(len(data), self.size - offset))
        filled = 0
        os.lseek(self.descriptor, offset, os.SEEK_SET)
        while filled < count:
            got = os.readv(self.descriptor, [data[filled:count].data])
            if not got:
                break
            filled += got
        return filled

    def expect_jumps(self) -> None:
        """Tell that single bytes far from one another are read from now on: nothing around them is to be fetched."""
        if hasattr(os, "posix_fadvise"):
            with suppress(OSError):
                os.posix_fadvise(self.descriptor, 0, 0, os.POSIX_FADV_RANDOM)


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
