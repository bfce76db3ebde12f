"""Read only outlines of long records, so that the time to load a log of images depends on the number of records.

Where a record ends says its header, and what an event says (its tags, steps, kinds) stands in few bytes of it. A record
that is passed over so is believed because another header stands where it ends, and no record of its own ends with it;
whether its payload is right is seen when that is read. One that was cut short may claim the records written behind it,
and when it ends by chance where one of these ends, they would be hidden. The last of them is looked for: where there is
one, all of the long record is read and its payload compared. So are all long records behind a damaged place. What can
still hide others is a long record before the first damage of its file: one that ends by chance with one of more than
1,000 bytes, or into whose middle the file system has put a block of others. `inspect --check` finds these, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.records.block import HEADER_BYTES, OVERHEAD_BYTES, RecordBlock
from tbtui.records.framing import LONG_BYTES, LONGEST_PAYLOAD, parse_header
from tbtui.records.resync import is_followed_in, is_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tbtui.records.damage import Damage
    from tbtui.records.source import OpenFile

SKIMMED_BYTES = 4096
"""Cost of an outline: it takes as long as reading at least this many bytes."""

_HEAD_BYTES = 1024
_TAIL_BYTES = 1024
"""At its end is looked for a record that may have been written over its rest: so much comes with the same page."""
_SHORT_LENGTH = bytes(6)
"""The upper bytes of a length below 2**16."""
_PIECE_BYTES = 256
"""Minimum number of bytes per read of a payload."""


class LongPayload:
    """The payload of a long record; only requested bytes are read."""

    def __init__(self, file: OpenFile, offset: int, length: int, head: bytes) -> None:
        """Args: file: holds it; offset: where it begins; length: its bytes; head: the first of them."""
        self.length = length
        self._file = file
        self._offset = offset
        self._begin, self._window = 0, head

    def read(self, begin: int, count: int) -> bytes:
        """Return the bytes `[begin, begin + count)`, up to the end of the payload."""
        end = min(begin + count, self.length)
        if not self._begin <= begin <= end <= self._begin + len(self._window):
            wanted = min(max(count, _PIECE_BYTES), self.length - begin)
            self._begin, self._window = begin, self._file.read(self._offset + begin, wanted).tobytes()
        return self._window[begin - self._begin : end - self._begin]


Outline: TypeAlias = "Callable[[LongPayload], bytes | None]"
"""Returns a short payload that says the same as a long one; None if the long one must be read."""


class _Skimmed(NamedTuple):
    offset: int
    length: int
    outline: bytes


def skim(
    file: OpenFile, position: int, max_bytes: int, outline: Outline, damage: tuple[Damage, ...] = ()
) -> RecordBlock:
    """Read the outlines of long records.

    Args:
        file: holds them.
        position: where the first one begins.
        max_bytes: how much may be read, about; at least one record is passed over.
        outline: says what they are.
        damage: what was passed over before them.

    Returns:
        Those that follow one another up to the first that is short, that must be read, or behind which no header
        stands. Perhaps none.
    """
    found: list[_Skimmed] = []
    file.expect_jumps()
    while not found or len(found) * SKIMMED_BYTES < max_bytes:
        one = _skim_one(file, position, outline)
        if one is None:
            break
        found.append(one)
        position += OVERHEAD_BYTES + one.length
    return RecordBlock(
        np.empty(0, np.uint8),
        np.zeros(len(found), np.int64),
        np.array([one.length for one in found], np.int64),
        np.array([one.offset for one in found], np.int64),
        damage,
        at_end=False,
        truncated=False,
        outlines={row: one.outline for row, one in enumerate(found)},
    )


def _skim_one(file: OpenFile, position: int, outline: Outline) -> _Skimmed | None:
    head = file.read(position, HEADER_BYTES + _HEAD_BYTES)
    length = parse_header(head, 0)
    if length is None or not LONG_BYTES <= length <= LONGEST_PAYLOAD or not is_whole(file, position, length):
        return None
    offset, end = position + HEADER_BYTES, position + OVERHEAD_BYTES + length
    begin = max(offset, end - _TAIL_BYTES)
    tail = file.read(begin, end + HEADER_BYTES - begin)
    if not is_followed_in(tail[-2 * HEADER_BYTES :]) or _ends_with_record(tail[: end - begin]):
        return None
    said = outline(LongPayload(file, offset, length, head[HEADER_BYTES:].tobytes()))
    return None if said is None else _Skimmed(offset, length, said)


def _ends_with_record(data: npt.NDArray[np.uint8]) -> bool:
    """Return True if a record, by its header, begins in `data` and ends with it."""
    if _SHORT_LENGTH not in data.tobytes():
        return False
    wanted = np.arange(len(data) - OVERHEAD_BYTES, -1, -1, dtype=np.uint64)
    lengths: npt.NDArray[np.uint64] = np.ndarray(wanted.shape, "<u8", buffer=data, strides=(1,))
    return any(parse_header(data, int(begin)) is not None for begin in np.flatnonzero(lengths == wanted))
