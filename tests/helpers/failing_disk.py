"""Simulate a disk that fails to return some bytes of files."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest


class BadDisk:
    """Fail to read some pages of all files, as a disk with bad sectors does; the pages before them are read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bad: set[int] = set()
        """Numbers of pages of 4,096 bytes."""

        self._readv = os.readv
        monkeypatch.setattr(os, "readv", self._read)

    def _read(self, descriptor: int, buffers: Sequence[memoryview]) -> int:
        first = os.lseek(descriptor, 0, os.SEEK_CUR)
        (wanted,) = buffers
        hit = [
            page * 4096 for page in sorted(self.bad) if first < (page + 1) * 4096 and page * 4096 < first + len(wanted)
        ]
        if hit and hit[0] <= first:
            raise OSError(errno.EIO, "Input/output error")
        return self._readv(descriptor, [memoryview(wanted)[: hit[0] - first] if hit else wanted])
