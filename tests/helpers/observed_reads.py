"""Observe, or refuse, every read of an event file, whichever way it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.loading import whole_run_reader
from tbtui.tfrecord.reader import RecordReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pytest

    from tbtui.tfrecord.file_batches import FileBytes
    from tbtui.tfrecord.framing import RecordBlock


def observe_reads(monkeypatch: pytest.MonkeyPatch, before: Callable[[str], object]) -> None:
    """Call `before` with the path of each file before it is read, whole or in pieces.

    An `OSError` that it raises is what reading the file raises; a file that is read whole does not count as read then.
    """
    read, read_files = RecordReader.read, whole_run_reader.read_files

    def read_observed(reader: RecordReader, max_bytes: int) -> RecordBlock:
        before(reader.path)
        return read(reader, max_bytes)

    def is_allowed(path: str) -> bool:
        try:
            before(path)
        except OSError:
            return False
        return True

    def read_files_observed(paths: Sequence[str], sizes: Sequence[int]) -> FileBytes:
        return read_files([path if is_allowed(path) else "" for path in paths], sizes)

    monkeypatch.setattr(RecordReader, "read", read_observed)
    monkeypatch.setattr(whole_run_reader, "read_files", read_files_observed)
