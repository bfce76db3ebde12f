"""Finding the next record after a place where the chain of records broke."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.records.block import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES
from tbtui.records.checksum import payload_checksum
from tbtui.records.framing import candidates, parse_header

if TYPE_CHECKING:
    from tbtui.records.source import OpenFile


@dataclass(slots=True)
class Search:
    """How far a file has been searched for the record that follows a damaged place.

    The search goes on where it stopped when the file grows, so that a foreign file is passed over once.
    """

    damaged: int
    """Byte offset where the trouble begins."""

    position: int
    """First byte that has not been tried as the beginning of a header."""

    unfinished: int | None = None
    """The first right header whose record the file does not hold to its end."""

    only_zeros: bool = True
    """Everything from `damaged` to `position` was zero: space reserved or lost by the file system, not data."""

    reported: int | None = None
    """Up to here the damage has been reported; None when not at all."""


def search(file: OpenFile, state: Search, max_bytes: int) -> int | None:
    """Look through the next `max_bytes` for a record that is surely one, and move `state` on.

    A right length checksum may be chance or lie inside another record's payload. A record is believed when the header
    of another follows it or its own payload matches its checksum.

    Returns:
        Where the record begins, or None when there is none in these bytes.
    """
    data = file.read(state.position, max_bytes)
    state.only_zeros = state.only_zeros and not data.any()
    positions, lengths = candidates(data)
    for position, length in zip((positions + state.position).tolist(), lengths.tolist(), strict=True):
        if position + OVERHEAD_BYTES + length > file.size:
            state.unfinished = position if state.unfinished is None else state.unfinished
        elif followed_by_header(file, position, length) or has_right_payload(file, position, length):
            return int(position)
    state.position += max(0, len(data) - HEADER_BYTES + 1)
    return None


def followed_by_header(file: OpenFile, position: int, length: int) -> bool:
    """Whether another record's header stands where the record at `position` ends."""
    return parse_header(file.read(position + OVERHEAD_BYTES + length, HEADER_BYTES), 0) is not None


def has_right_payload(file: OpenFile, position: int, length: int) -> bool:
    """Whether the payload of the record at `position` matches its checksum."""
    data = file.read(position + HEADER_BYTES, length + FOOTER_BYTES)
    stored = int.from_bytes(data[length:].tobytes(), "little")
    return len(data) == length + FOOTER_BYTES and stored == payload_checksum(np.asarray(data[:length]).tobytes())
