"""Finding the next record after a place where the chain of records broke."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tbtui.records.block import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES
from tbtui.records.checksum import LENGTH_BYTES, pieces_checksum
from tbtui.records.framing import candidates, parse_header

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    from tbtui.records.source import OpenFile

WINDOW_BYTES = 1 << 20
"""Bytes searched, or compared with a checksum, at once."""
MOST_CHECKED = 4
"""How many times its own size a file's payloads are compared with their checksums in one search, so that a file made
of headers that all claim the rest of it is searched in bounded time."""
MOST_UNFINISHED = 1000
"""Right headers of records that are not all there that are remembered; real files have one, at their end."""
MOST_SEEN = 1 << 12
"""Bytes searched last that are remembered: what is written over them differs somewhere in so many."""


@dataclass(slots=True)
class Search:
    """How far a file has been searched for the record that follows a damaged place.

    The search goes on where it stopped when the file grows, so that a foreign file is passed over once: as long as what
    was searched still stands there. A torn end may be cut off, and others written over where it stood.
    """

    damaged: int
    """Byte offset where the trouble begins."""

    position: int
    """First byte that has not been tried as the beginning of a header."""

    unfinished: list[tuple[int, int]] = field(default_factory=list)
    """Right headers before `position`, and the lengths they give, of records that cannot be judged before the file has
    grown: it does not hold them to their ends, or nothing stands behind one whose payload is wrong."""

    expected: bool = True
    """Another record ends at `damaged`: the one whose header stands there is taken for one as soon as it is whole."""

    only_zeros: bool = True
    """Everything from `damaged` to `position` was zero: space reserved or lost by the file system, not data."""

    reported: int = 0
    """Up to here the damage has been reported."""

    checked: int = 0
    """Bytes of payloads that were compared with their checksums."""

    seen: bytes = b""
    """The last bytes that were looked at: up to the end of the last header that was tried."""

    def holds(self, file: OpenFile) -> bool:
        """Whether what was searched last is still there."""
        begin = self.position + HEADER_BYTES - 1 - len(self.seen)
        return not self.seen or (begin >= 0 and file.read(begin, len(self.seen)).tobytes() == self.seen)


def search(file: OpenFile, state: Search, max_bytes: int) -> int | None:
    """Look through the next `max_bytes` for a record that is surely one, and move `state` on.

    A right length checksum may be chance or lie inside another record's payload. A record is believed when the header
    of another follows it or its own payload matches its checksum.

    Returns:
        Where the record begins, or None when there is none in these bytes.
    """
    waiting, state.unfinished = state.unfinished, []
    found = _first_believed(file, state, waiting)
    end = state.position + max_bytes
    while found is None:
        data = file.read(state.position, min(WINDOW_BYTES, end - state.position))
        if len(data) < HEADER_BYTES:
            return None
        state.only_zeros = state.only_zeros and not data.any()
        positions, lengths = candidates(data)
        right = list(zip((positions + state.position).tolist(), lengths.tolist(), strict=True))
        found = _first_believed(file, state, right)
        state.seen = (state.seen[: 1 - HEADER_BYTES] + data[-MOST_SEEN:].tobytes())[-MOST_SEEN:]
        state.position += len(data) - HEADER_BYTES + 1
    return found


def is_followed(file: OpenFile, end: int) -> bool | None:
    """Whether a header follows the record that ends at `end`; None while nothing, or only zeros, was written there."""
    return is_followed_in(file.read(end - HEADER_BYTES, 2 * HEADER_BYTES))


def is_followed_in(around: npt.NDArray[np.uint8]) -> bool | None:
    """Likewise, told from the bytes around the end: as many before it as a header has, and after it if there are."""
    header = around[HEADER_BYTES:]
    if len(header) < HEADER_BYTES or not header.any():
        return None
    # Behind the header of a payload of eight bytes stands that payload, though with its checksum it may look like one.
    return parse_header(header, 0) is not None and parse_header(around, 0) != LENGTH_BYTES


def has_right_payload(file: OpenFile, position: int, length: int) -> bool:
    """Whether the payload of the record at `position` matches its checksum."""
    end = position + HEADER_BYTES + length
    stored = file.read(end, FOOTER_BYTES).tobytes()
    return int.from_bytes(stored, "little") == pieces_checksum(_pieces(file, position + HEADER_BYTES, end))


def is_whole(file: OpenFile, position: int, length: int) -> bool:
    """Whether the file holds the record at `position` to its end."""
    return position + OVERHEAD_BYTES + length <= file.size


def _first_believed(file: OpenFile, state: Search, headers: list[tuple[int, int]]) -> int | None:
    """The first of some right headers that surely begins a record; those that cannot be judged yet are kept."""
    for position, length in headers:
        followed = is_followed(file, position + OVERHEAD_BYTES + length)
        if is_whole(file, position, length) and (followed or _is_checked(file, state, position, length)):
            return position
        if followed is None and len(state.unfinished) < MOST_UNFINISHED:
            state.unfinished.append((position, length))
    return None


def _is_checked(file: OpenFile, state: Search, position: int, length: int) -> bool:
    """Whether the payload at `position` is right, as far as so much may still be compared in this search."""
    state.checked += length
    return state.checked <= MOST_CHECKED * file.size and has_right_payload(file, position, length)


def _pieces(file: OpenFile, begin: int, end: int) -> Iterator[bytes]:
    for offset in range(begin, end, WINDOW_BYTES):
        yield file.read(offset, min(WINDOW_BYTES, end - offset)).tobytes()
