"""Read parts of long records, so that a log of images loads in time proportional to its records."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.tfrecord.framing import (
    HEADER_BYTES,
    MAX_PAYLOAD_BYTES,
    MIN_LONG_BYTES,
    OVERHEAD_BYTES,
    RecordBlock,
    parse_header,
)
from tbtui.tfrecord.resync import (
    is_complete,
    is_followed_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tbtui.tfrecord.file import Damage, OpenFile


PARTIAL_READ_BYTES = 4096
"""Cost of a partial read: it takes as long as reading at least this many bytes."""

_HEAD_BYTES = 1024

_TAIL_BYTES = 1024
"""Bytes at the end of a long record that are searched for another record; they come with the same disk page."""

_SHORT_LENGTH = bytes(6)
"""The upper bytes of a length below 2**16."""

_MIN_CHUNK_BYTES = 256
"""Minimum number of bytes per read of a payload."""

PartialReader: TypeAlias = "Callable[[LongPayload], bytes | None]"
"""Returns a short payload with the same meaning as a long one; None if the long one must be read."""


class LongPayload:
    """The payload of a long record; only requested bytes are read."""

    def __init__(self, file: OpenFile, offset: int, length: int, head: bytes) -> None:
        """Create a payload.

        Args:
            file: The file that holds it.
            offset: Byte offset where it begins.
            length: Its bytes.
            head: The first of them.
        """
        self.length = length
        self._file = file
        self._offset = offset
        self._begin, self._window = 0, head

    def read(self, begin: int, count: int) -> bytes:
        """Return the bytes `[begin, begin + count)`, up to the end of the payload."""
        end = min(begin + count, self.length)
        if not self._begin <= begin <= end <= self._begin + len(self._window):
            size = min(max(count, _MIN_CHUNK_BYTES), self.length - begin)
            self._begin, self._window = begin, self._file.read(self._offset + begin, size).tobytes()
        return self._window[begin - self._begin : end - self._begin]


def read_partial_records(
    file: OpenFile, position: int, max_bytes: int, read_partial: PartialReader, damage: tuple[Damage, ...] = ()
) -> RecordBlock:
    """Read parts of successive long records, so that a log of images loads in time proportional to its records.

    The header gives the end of a record, and the step, tags and kinds of an event take few of its bytes. The payload
    checksum of such a record is compared when the payload is read. Until then the record is accepted if a header
    follows it and no other record ends where it ends: a truncated record may cover the records written after it.

    Two cases remain in which a record before the first damage of its file hides others: it ends by chance with a
    record of more than 1,000 bytes, or the file system has put a block of other records into its middle.
    `inspect --check` finds both. After damage all long records are read whole.

    Args:
        file: The file.
        position: Byte offset of the first record.
        max_bytes: Approximate number of bytes to read; at least one record is read.
        read_partial: Reads the part of a payload that is needed.
        damage: Damage before the first record.

    Returns:
        The records up to the first that is short, that must be read whole, or that no header follows; perhaps none.
    """
    records: list[_PartialRecord] = []
    file.expect_jumps()
    while not records or len(records) * PARTIAL_READ_BYTES < max_bytes:
        record = _read_partial_record(file, position, read_partial)
        if record is None:
            break
        records.append(record)
        position += OVERHEAD_BYTES + record.length
    return RecordBlock(
        np.empty(0, np.uint8),
        np.zeros(len(records), np.int64),
        np.array([record.length for record in records], np.int64),
        np.array([record.offset for record in records], np.int64),
        damage,
        at_end=False,
        truncated=False,
        partial_payloads={row: record.payload for row, record in enumerate(records)},
    )


class _PartialRecord(NamedTuple):
    offset: int
    length: int
    payload: bytes


def _read_partial_record(file: OpenFile, position: int, read_partial: PartialReader) -> _PartialRecord | None:
    head = file.read(position, HEADER_BYTES + _HEAD_BYTES)
    length = parse_header(head, 0)
    if length is None or not MIN_LONG_BYTES <= length <= MAX_PAYLOAD_BYTES or not is_complete(file, position, length):
        return None
    offset, end = position + HEADER_BYTES, position + OVERHEAD_BYTES + length
    begin = max(offset, end - _TAIL_BYTES)
    tail = file.read(begin, end + HEADER_BYTES - begin)
    if not is_followed_in(tail[-2 * HEADER_BYTES :]) or _ends_with_record(tail[: end - begin]):
        return None
    payload = read_partial(LongPayload(file, offset, length, head[HEADER_BYTES:].tobytes()))
    return None if payload is None else _PartialRecord(offset, length, payload)


def _ends_with_record(data: npt.NDArray[np.uint8]) -> bool:
    """Return True if a record, by its header, begins in `data` and ends with it."""
    if _SHORT_LENGTH not in data.tobytes():
        return False
    expected = np.arange(len(data) - OVERHEAD_BYTES, -1, -1, dtype=np.uint64)
    lengths: npt.NDArray[np.uint64] = np.ndarray(expected.shape, "<u8", buffer=data, strides=(1,))
    return any(parse_header(data, int(begin)) is not None for begin in np.flatnonzero(lengths == expected))
