"""Observe, or refuse, every read of an event file, whichever way it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.tfrecord.file_batches import FileBatch
from tbtui.tfrecord.reader import RecordReader

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    import pytest

    from tbtui.tfrecord.framing import RecordBlock


def observe_reads(monkeypatch: pytest.MonkeyPatch, before: Callable[[str], object]) -> None:
    """Call `before` with the path of each file before it is read, whole or in pieces.

    An `OSError` that it raises is what reading the file raises; a file that is read whole does not count as read then.
    """
    read, put, put_new = RecordReader.read, FileBatch.put, FileBatch.put_new

    def read_observed(reader: RecordReader, max_bytes: int) -> RecordBlock:
        before(reader.path)
        return read(reader, max_bytes)

    def is_allowed(path: str) -> bool:
        try:
            before(path)
        except OSError:
            return False
        return True

    def put_observed(batch: FileBatch, paths: Sequence[str], sizes: Sequence[int]) -> None:
        put(batch, [path if is_allowed(path) else "" for path in paths], sizes)

    def put_new_observed(batch: FileBatch, paths: Sequence[str], max_bytes: int) -> list[os.stat_result] | None:
        return put_new(batch, [path if is_allowed(path) else "" for path in paths], max_bytes)

    monkeypatch.setattr(RecordReader, "read", read_observed)
    monkeypatch.setattr(FileBatch, "put", put_observed)
    monkeypatch.setattr(FileBatch, "put_new", put_new_observed)
