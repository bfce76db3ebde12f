"""Find complete records in a buffer. Pure functions that know no file.

A TFRecord file is a bare chain of records: length (8 bytes), masked checksum of the length (4), payload, masked
checksum of the payload (4), all little-endian (TensorBoard `tf_record.rs`). Many short records are found at once: a
filter marks every position that could be a header, and the length checksum rejects the false ones. Then the end of
each record leads to the next header. Long records are read one at a time, so that their payloads are not searched.
A record that contains another header is a suspect: the caller verifies its payload.
"""

from __future__ import annotations

import struct
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.tfrecord.checksum import (
    LENGTH_BYTES,
    compute_chunked_checksum,
    compute_length_checksum,
    compute_length_checksums,
    compute_payload_checksum,
    compute_payload_checksums,
    compute_short_length_checksums,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tbtui.tfrecord.file import Damage


HEADER_BYTES = 12
"""Length (8 bytes, little-endian) and its masked checksum (4 bytes). TensorBoard `tf_record.rs`."""
FOOTER_BYTES = 4
"""Masked checksum of the payload."""
OVERHEAD_BYTES = HEADER_BYTES + FOOTER_BYTES
_CHUNK_BYTES = 1 << 18


@frozen(eq=False)
class RecordBlock:
    """Complete records in the order of the file; damage may lie between them."""

    data: npt.NDArray[np.uint8]
    """The bytes read."""

    starts: npt.NDArray[np.int64]
    """Offset in `data` of each record's payload, in the order of the file; 0 if the payload was read partially."""

    lengths: npt.NDArray[np.int64]
    """Bytes of each payload."""

    offsets: npt.NDArray[np.int64]
    """Byte offset in the file of each payload."""

    damage: tuple[Damage, ...]
    """Damage found since the previous block."""

    at_end: bool
    """The file holds nothing more for now."""

    truncated: bool
    """The file ends with an incomplete record."""

    partial_payloads: Mapping[int, bytes] = field(default_factory=dict)
    """The read parts of the payloads that were not read whole, by record."""

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def end(self) -> int:
        """Byte offset in the file just after the last record; the block must not be empty."""
        return int(self.offsets[-1] + self.lengths[-1]) + FOOTER_BYTES

    def payload(self, index: int) -> bytes:
        """Return the payload of record `index`, or the part of it that was read."""
        if index in self.partial_payloads:
            return self.partial_payloads[index]
        start = int(self.starts[index])
        return self.data[start : start + int(self.lengths[index])].tobytes()

    def offset(self, index: int) -> int:
        """Return the byte offset in the file of the header of record `index`."""
        return int(self.offsets[index]) - HEADER_BYTES

    def verify(self, index: int) -> bool:
        """Return True if the payload of record `index`, which was read whole, matches its checksum."""
        start = int(self.starts[index])
        end = start + int(self.lengths[index])
        stored = int.from_bytes(self.data[end : end + FOOTER_BYTES].tobytes(), "little")
        # A long payload is never copied as a whole.
        chunks = (
            self.data[chunk_start : min(chunk_start + _CHUNK_BYTES, end)].tobytes()
            for chunk_start in range(start, end, _CHUNK_BYTES)
        )
        return stored == compute_chunked_checksum(chunks)

    def find_mismatches(self, rows: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """Return the given records, or all, whose payloads were read and do not match their checksums.

        Several times faster than `verify` for each.
        """
        rows = np.arange(len(self)) if rows is None else rows
        if self.partial_payloads:
            is_read = np.ones(len(self), np.bool_)
            is_read[list(self.partial_payloads)] = False
            rows = rows[is_read[rows]]
        return rows[find_mismatches(self.data, self.starts[rows], self.lengths[rows])]


def find_mismatches(
    data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the indices of the payloads in `data` that do not match the checksums after them."""
    ends = starts + lengths
    stored = data[ends[:, None] + np.arange(FOOTER_BYTES)].view("<u4")[:, 0]
    view = data.data
    payloads = (view[start:end].tobytes() for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
    return np.flatnonzero(stored != compute_payload_checksums(payloads))


MIN_LONG_BYTES = 1 << 16
"""Minimum size of a payload that is framed alone; the length of a shorter one fits in two bytes."""
MAX_PAYLOAD_BYTES = (1 << 31) - 1
"""No protobuf message may be longer, so no event can be."""
FIRST_WINDOW_BYTES, MAX_WINDOW_BYTES = MIN_LONG_BYTES + OVERHEAD_BYTES, 1 << 22
"""Bytes searched at once: few after a long record, since another may follow, then more and more. The first short
record is always complete in them."""

_BEFORE_PAIR = 3
"""Maximum number of bytes from the beginning of a short header to its first two zero words."""

_Stretch: TypeAlias = "tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]"
"""Begin of each payload, its length, and True for each suspect."""

END, TRUNCATED, BROKEN, OVERSIZED = "end", "truncated", "broken", "oversized"


class Frames(NamedTuple):
    """The chain of complete records from one position on, and why it stops."""

    starts: npt.NDArray[np.int64]
    """Offset of each payload in the buffer."""

    lengths: npt.NDArray[np.int64]

    suspects: npt.NDArray[np.int64]
    """Records that may be truncated, so that their length includes records written later. They are all long records;
    records with a payload of eight bytes, which may be the length in the next header; and short records that contain
    the header of another record. That record is complete, or its payload is the header after the short record."""

    end: int
    """Offset after the last complete record."""

    stop: str
    """The bytes at `end`: `END` none, `TRUNCATED` a part of a record, `BROKEN` no valid header, `OVERSIZED` a valid
    header whose length is too large for an event."""


def parse_header(data: npt.NDArray[np.uint8], position: int) -> int | None:
    """Return the payload length in the header at `position`; None if its checksum is wrong or it is cut off."""
    header = data[position : position + HEADER_BYTES].tobytes()
    if len(header) < HEADER_BYTES:
        return None
    length = int.from_bytes(header[:8], "little")
    return length if compute_length_checksum(length) == int.from_bytes(header[8:], "little") else None


def read_frames(data: npt.NDArray[np.uint8]) -> Frames:
    """Return the records of `data`, which begins with a record.

    Args:
        data: uint8[n].

    Returns:
        All complete records up to the first offset without one.
    """
    stretches: list[_Stretch] = []
    position, window = 0, FIRST_WINDOW_BYTES
    stop = END
    while position < len(data):
        length = parse_header(data, position)
        stop = _classify_header(length, len(data) - position)
        if length is None or stop != END:
            break
        if length >= MIN_LONG_BYTES:
            stretches.append((np.array([position + HEADER_BYTES]), np.array([length]), np.array([True])))
            position += OVERHEAD_BYTES + length
            window = FIRST_WINDOW_BYTES
            continue
        starts, lengths, is_suspect = _follow_short_records(data, position, min(len(data), position + window))
        stretches.append((starts, lengths, is_suspect))
        position = int(starts[-1] + lengths[-1]) + OVERHEAD_BYTES - HEADER_BYTES
        window = min(4 * window, MAX_WINDOW_BYTES)
    starts, lengths, is_suspect = _join_stretches(stretches)
    return Frames(starts, lengths, np.flatnonzero(is_suspect), position, stop)


def find_headers(data: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return every position of `data` with a valid header, in the chain or not.

    Returns:
        positions int64[k] and the lengths that the headers give int64[k], of lengths that an event can have.
    """
    zeros = data[4:] == 0
    quarter = zeros[:-1] & zeros[1:]
    high_zero = quarter[:-2] & quarter[2:]
    # Bytes 4 to 7 must be zero. Only 1 checksum in 2**32 is zero: if bytes 8 to 11 are zero too, it is no header.
    possible = high_zero[:-4] & ~high_zero[4:]
    positions = np.flatnonzero(possible)
    lengths = _read_numbers(data, positions, 4)
    is_valid = compute_length_checksums(lengths.astype(np.uint64)) == _read_numbers(data, positions + 8, 4)
    is_valid &= lengths <= MAX_PAYLOAD_BYTES
    return positions[is_valid], lengths[is_valid]


def _classify_header(length: int | None, available: int) -> str:
    """Return the stop reason of a header with `length` if `available` bytes remain from its beginning."""
    if available < HEADER_BYTES:
        return TRUNCATED
    if length is None:
        return BROKEN
    if length > MAX_PAYLOAD_BYTES:
        return OVERSIZED
    return TRUNCATED if OVERHEAD_BYTES + length > available else END


def _follow_short_records(data: npt.NDArray[np.uint8], begin: int, end: int) -> _Stretch:
    """Return the chain of short records from `begin`, where a record begins, that are complete before `end`.

    All of their bytes are searched, so every header inside one of them is found.
    """
    positions, lengths = find_short_headers(data, begin, end)
    ends = positions + lengths + OVERHEAD_BYTES
    is_complete = ends <= end
    if not is_complete.all():
        positions, lengths, ends = positions[is_complete], lengths[is_complete], ends[is_complete]
    chain = _follow_chain(positions, ends)
    is_suspect = _find_suspects(positions, ends, chain)
    # A record after the last one may begin outside the bytes that were searched.
    is_suspect[-1] |= parse_header(data, int(ends[chain[-1]]) - HEADER_BYTES) == LENGTH_BYTES
    if len(chain) < len(positions):
        positions, lengths = positions[chain], lengths[chain]
    return positions + HEADER_BYTES, lengths, is_suspect


def find_short_headers(
    data: npt.NDArray[np.uint8], begin: int, end: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the valid headers of short records in `[begin, end)` with room for a footer after them.

    Bytes 2 to 7 of such a header are zero, and so they contain two adjacent 16-bit words that are zero. To test
    words is much faster than to test every byte. The header begins at the first such pair of words, or one to three
    bytes before it. In a longer row of zeros it may begin later; then every byte is tested.

    Returns:
        positions int64[k], ascending, and the lengths that they give int64[k].
    """
    if end - begin < OVERHEAD_BYTES:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if begin <= _BEFORE_PAIR:
        padded = np.concatenate([np.full(2 * _BEFORE_PAIR, 0xFF, np.uint8), data[begin:end]])
        positions, lengths = find_short_headers(padded, 2 * _BEFORE_PAIR, len(padded))
        return positions + (begin - 2 * _BEFORE_PAIR), lengths
    even = begin & ~1
    zeros = data[even : end - (end - even) % 2].view("<u2") == 0
    twice = zeros[:-1] & zeros[1:]
    pairs = 2 * np.flatnonzero(twice[1:] > twice[:-1]) + (even + 2)
    if twice[:1].any():
        pairs = np.concatenate([[even], pairs])
    pairs = pairs[: np.searchsorted(pairs, end + _BEFORE_PAIR - OVERHEAD_BYTES, side="right")]
    around: npt.NDArray[np.void] = np.ndarray(
        (len(data) - OVERHEAD_BYTES + 1,), f"V{OVERHEAD_BYTES}", buffer=data, strides=(1,)
    )
    low, high = around[pairs - _BEFORE_PAIR].view("<u8").reshape(-1, 2).T
    if not (high & np.uint64(0xFFFFFF00)).all():
        return _find_headers_bytewise(data, begin, end)
    shifts = _BEFORE_PAIR + (not (high & np.uint64(0xFFFF00)).all())
    lengths = np.empty((len(pairs), shifts), np.int64)
    is_valid = np.empty((len(pairs), shifts), np.bool_)
    for shift in range(shifts):
        word = low >> np.uint64(8 * shift) | high << np.uint64(64 - 8 * shift) if shift else low
        lengths[:, shift] = word & np.uint64(MIN_LONG_BYTES - 1)
        stored = (high >> np.uint64(8 * shift)).astype(np.uint32)
        is_valid[:, shift] = (word < MIN_LONG_BYTES) & (
            compute_short_length_checksums().take(lengths[:, shift]) == stored
        )
    hits = np.flatnonzero(is_valid)
    positions = pairs[hits // shifts] + (hits % shifts - _BEFORE_PAIR)
    lengths = lengths.reshape(-1)[hits]
    inside = slice(*np.searchsorted(positions, [begin, end - OVERHEAD_BYTES + 1]))
    return positions[inside], lengths[inside]


def _find_headers_bytewise(
    data: npt.NDArray[np.uint8], begin: int, end: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the same as `find_short_headers` by testing every byte; faster if the data has long rows of zeros."""
    zeros = data[begin:end] == 0
    two = zeros[2:-1] & zeros[3:]
    four = two[:-2] & two[2:]
    six = four[:-2] & two[4:]
    positions = np.flatnonzero(six[: max(0, end - begin - OVERHEAD_BYTES + 1)]) + begin
    lengths = _read_numbers(data, positions, 2)
    is_valid = compute_short_length_checksums()[lengths] == _read_numbers(data, positions + 8, 4)
    return positions[is_valid], lengths[is_valid]


def _follow_chain(positions: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the candidates reached from the first by following each record's end to the header there.

    Nearly always every candidate is a record and the chain is all of them. A candidate inside another's payload breaks
    a stretch in two; it is jumped over.
    """
    breaks = np.append(np.flatnonzero(ends[:-1] != positions[1:]), len(positions) - 1)
    stretches = []
    first = 0
    while True:
        last = int(breaks[np.searchsorted(breaks, first)])
        stretches.append(np.arange(first, last + 1))
        first = int(np.searchsorted(positions, ends[last]))
        if first == len(positions) or positions[first] != ends[last]:
            return np.concatenate(stretches)


def _find_suspects(
    positions: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], chain: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Return True for each record of the chain that holds another candidate or may be a header itself.

    The payload and footer of the inner candidate may also be the header of the next record.
    """
    is_suspect: npt.NDArray[np.bool_] = ends[chain] - positions[chain] == LENGTH_BYTES + OVERHEAD_BYTES
    if len(chain) < len(positions):
        others = np.delete(np.arange(len(positions)), chain)
        around = np.searchsorted(chain, others) - 1
        inside = ends[others] <= ends[chain[around]]
        inside |= ends[others] == ends[chain[around]] + LENGTH_BYTES + FOOTER_BYTES
        is_suspect[around[inside]] = True
    return is_suspect


def _read_numbers(data: npt.NDArray[np.uint8], positions: npt.NDArray[np.int64], width: int) -> npt.NDArray[np.int64]:
    """Return the little-endian numbers of `width` bytes (at most 4) at `positions`, as int64."""
    numbers = data[positions].astype(np.int64)
    for byte in range(1, width):
        numbers |= data[positions + byte].astype(np.int64) << (8 * byte)
    return numbers


def _join_stretches(stretches: list[_Stretch]) -> _Stretch:
    if not stretches:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_)
    starts, lengths, is_suspect = zip(*stretches, strict=True)
    return np.concatenate(starts), np.concatenate(lengths), np.concatenate(is_suspect)


def frame_record(payload: bytes) -> bytes:
    """Return the record of `payload`: its length, the length's checksum, the payload, the payload's checksum."""
    header = struct.pack("<QI", len(payload), compute_length_checksum(len(payload)))
    return header + payload + struct.pack("<I", compute_payload_checksum(payload))
