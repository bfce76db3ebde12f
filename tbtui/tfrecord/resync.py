"""Find the next record after damage, and detect records whose writer was killed.

A killed writer leaves the beginning of a record, and the length in its header covers bytes of later records. If that
length happens to end where a later record ends, the chain of headers is intact, and only the payload checksum fails.
Then either no header follows the record, or another record lies inside it. A wrong payload alone does not make the
length wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from tbtui.frozen import frozen
from tbtui.tfrecord.checksum import LENGTH_BYTES, compute_chunked_checksum
from tbtui.tfrecord.file import UnreadableRange
from tbtui.tfrecord.framing import (
    FOOTER_BYTES,
    HEADER_BYTES,
    MAX_PAYLOAD_BYTES,
    OVERHEAD_BYTES,
    find_headers,
    parse_header,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    import numpy.typing as npt

    from tbtui.tfrecord.file import OpenFile
    from tbtui.tfrecord.framing import Frames, RecordBlock

RecordExtent: TypeAlias = "tuple[int, int]"
"""Byte offset where a record begins, and the length its header gives."""

WINDOW_BYTES = 1 << 20
"""Bytes searched, or compared with a checksum, at once."""

MAX_VERIFIED_RATIO = 4
"""Payload bytes compared in one search, as a multiple of the file size.

It bounds the time for a file of headers that all claim the rest of it.
"""

MAX_UNFINISHED = 1000
"""Valid headers of incomplete records that a search remembers; real files have one, at their end."""

MAX_SEEN_BYTES = 1 << 12
"""Bytes searched last that are remembered: a file that was overwritten there differs somewhere in them."""

MAX_SKIPPED = 8
"""Incomplete records with later ones after them that are remembered; real files have one."""

MAX_DAMAGED = 32
"""Damaged records that are remembered; a repair of the file repairs the first of them, too."""

MAX_COMPARED_BYTES = 1 << 28
"""Damaged payloads that are compared at each look, to notice a repair."""


@dataclass(slots=True)
class Search:
    """The progress of a search for the record that follows damage.

    The search resumes where it stopped when the file grows, so that a foreign file is searched once. It starts again
    if other bytes stand in the part already searched: a torn end may be cut off and overwritten.
    """

    damaged: int
    """Byte offset where the damage begins."""

    position: int
    """First byte that has not been tried as the beginning of a header."""

    unfinished: list[tuple[int, int]] = field(default_factory=list)
    """Valid headers before `position`, with their lengths, of records that cannot be verified before the file grows:
    the file ends inside the record, or nothing follows a record whose payload is wrong."""

    expected: bool = True
    """Another record ends at `damaged`: the one whose header stands there is accepted as soon as it is complete."""

    only_zeros: bool = True
    """All bytes from `damaged` to `position` are zero: the file system reserved or lost them."""

    reported: int = 0
    """Damage has been reported up to this offset."""

    checked: int = 0
    """Payload bytes compared with their checksums."""

    seen: bytes = b""
    """The last bytes searched: up to the end of the last header that was tried."""

    def copy(self) -> Search:
        """Return a search that proceeds on its own."""
        return replace(self, unfinished=list(self.unfinished))

    def is_unchanged(self, file: OpenFile) -> bool:
        """Return True if the bytes searched last are still there."""
        begin = self.position + HEADER_BYTES - 1 - len(self.seen)
        return not self.seen or (begin >= 0 and file.read(begin, len(self.seen)).tobytes() == self.seen)


@frozen
class TruncatedRecord:
    """A record of a block whose length covers bytes of later records."""

    index: int
    next_begin: int
    """Byte offset in the file from which on another record may begin."""


class TruncatedRecords:
    """Detects truncated records of one file while it grows, and notices when an earlier decision was wrong."""

    def __init__(
        self,
        uncertain: RecordExtent | None = None,
        skipped: Iterable[RecordExtent] = (),
        checked: int = 0,
        damaged: Iterable[tuple[int, bytes]] = (),
    ) -> None:
        """Start afresh, or resume from the `state` of another detector."""
        self._uncertain = uncertain
        """Offset and length of the last record, if its payload is wrong and nothing after it shows where it ends."""

        self._skipped = list(skipped)
        """Offsets and lengths of incomplete records before the record read last: their writer was killed, or is about
        to finish a record that holds others."""

        self._checked = checked
        """Payload bytes compared with their checksums."""

        self._damaged = dict(damaged)
        """Headers of damaged records, by the offset at which the record should begin."""

    @property
    def state(self) -> tuple[RecordExtent | None, tuple[RecordExtent, ...], int, tuple[tuple[int, bytes], ...]]:
        """The arguments for a detector that resumes here."""
        return self._uncertain, tuple(self._skipped), self._checked, tuple(self._damaged.items())

    @property
    def has_damage(self) -> bool:
        """The file is damaged somewhere before this point: no record is accepted by its header alone."""
        return bool(self._damaged)

    def find_truncated(self, file: OpenFile, block: RecordBlock, frames: Frames) -> TruncatedRecord | None:
        """Return the first truncated record of a block of such frames, or None."""
        last = len(block) - 1
        self._uncertain = None
        suspects = [int(index) for index in frames.suspects]
        if suspects[-1:] != [last] and not is_followed(file, block.end):
            suspects.append(last)
        for index in suspects:
            next_begin = self._find_next_record(file, block, index)
            if next_begin is not None:
                return TruncatedRecord(index, next_begin)
        return None

    def add_skipped(self, unfinished: list[tuple[int, int]]) -> None:
        """Remember incomplete records that are skipped because later records are read."""
        self._skipped = [*self._skipped, *unfinished[:MAX_SKIPPED]][-MAX_SKIPPED:]

    def add_damaged(self, file: OpenFile, position: int) -> None:
        """Remember that the record at `position` is damaged, to notice its repair."""
        try:
            header = file.read(position, HEADER_BYTES).tobytes()
        except UnreadableRange:
            header = b""
        # A record that matches its checksums and was skipped all the same says nothing by matching.
        if len(self._damaged) < MAX_DAMAGED and not _is_repaired(file, position, header, MAX_COMPARED_BYTES):
            self._damaged[position] = header

    def is_repaired(self, file: OpenFile) -> bool:
        """Return True if a valid record stands where a damaged one was."""
        left = MAX_COMPARED_BYTES
        # The newest first: on a network file system their bytes may arrive late.
        for position, header in reversed(self._damaged.items()):
            if _is_repaired(file, position, header, left):
                return True
            left -= _read_length(file, position)
        return False

    def is_contradicted(self, file: OpenFile) -> bool:
        """Return True if bytes that were added to the file show that an earlier decision was wrong."""
        finished = [record for record in self._skipped if is_complete(file, *record)]
        self._skipped = [record for record in self._skipped if record not in finished]
        if any(has_valid_payload(file, *record) for record in finished):
            return True
        if self._uncertain is None:
            return False
        position, length = self._uncertain
        followed = is_followed(file, position + OVERHEAD_BYTES + length)
        if followed is not None:
            self._uncertain = None
        return _find_next_within(file, position, length, followed=followed) is not None

    def _find_next_record(self, file: OpenFile, block: RecordBlock, index: int) -> int | None:
        """Return the offset at which to search inside a suspect; None if the suspect is a record."""
        position, length = block.offset(index), int(block.lengths[index])
        if not self._may_verify(file, length):
            return None
        if block.verify(index):
            return self._find_next_as_payload(file, position + HEADER_BYTES) if length == LENGTH_BYTES else None
        followed = is_followed(file, position + OVERHEAD_BYTES + length)
        next_begin = _find_next_within(file, position, length, followed=followed)
        if next_begin is None and followed is None:
            self._uncertain = position, length
        return next_begin

    def _find_next_as_payload(self, file: OpenFile, position: int) -> int | None:
        """Return `position` if a valid payload of eight bytes there is the header of the next record.

        A length and its checksum look like such a payload and its own checksum. This happens if a record was cut short
        just after its header.
        """
        length = parse_header(file.read(position, HEADER_BYTES), 0)
        if length is None or length > MAX_PAYLOAD_BYTES:
            return None
        if not is_complete(file, position, length):
            self.add_skipped([(position, length)])
            return None
        return position if self._may_verify(file, length) and has_valid_payload(file, position, length) else None

    def _may_verify(self, file: OpenFile, length: int) -> bool:
        """Return True while the bound on compared bytes is kept, as in a file of deeply nested records."""
        self._checked += length
        return self._checked <= MAX_VERIFIED_RATIO * file.size


def find_record(file: OpenFile, state: Search, max_bytes: int) -> int | None:
    """Search the next `max_bytes` for a record, and advance `state`.

    A valid length checksum may be chance or lie inside the payload of another record. A record is accepted if a header
    follows it or its own payload matches its checksum.

    Returns:
        Byte offset of the record, or None if there is none in these bytes.
    """
    waiting, state.unfinished = state.unfinished, []
    accepted = _find_accepted(file, state, waiting)
    end = state.position + max_bytes
    while accepted is None:
        data = file.read(state.position, min(WINDOW_BYTES, end - state.position))
        if len(data) < HEADER_BYTES:
            return None
        state.only_zeros = state.only_zeros and not data.any()
        positions, lengths = find_headers(data)
        headers = list(zip((positions + state.position).tolist(), lengths.tolist(), strict=True))
        accepted = _find_accepted(file, state, headers)
        state.seen = (state.seen[: 1 - HEADER_BYTES] + data[-MAX_SEEN_BYTES:].tobytes())[-MAX_SEEN_BYTES:]
        state.position += len(data) - HEADER_BYTES + 1
    return accepted


def is_followed(file: OpenFile, end: int) -> bool | None:
    """Return True if a header follows the record that ends at `end`; None if nothing, or only zeros, is there yet."""
    return is_followed_in(file.read(end - HEADER_BYTES, 2 * HEADER_BYTES))


def is_followed_in(around: npt.NDArray[np.uint8]) -> bool | None:
    """Return the same as `is_followed`.

    Args:
        around: Up to 24 bytes of the file, uint8: 12 bytes before the end of the record and those after it.
    """
    header = around[HEADER_BYTES:]
    if len(header) < HEADER_BYTES or not header.any():
        return None
    # A payload of eight bytes follows its header, and with its checksum it may look like a header itself.
    return parse_header(header, 0) is not None and parse_header(around, 0) != LENGTH_BYTES


def has_valid_payload(file: OpenFile, position: int, length: int) -> bool:
    """Return True if the payload of the record at `position` matches its checksum."""
    end = position + HEADER_BYTES + length
    stored = file.read(end, FOOTER_BYTES).tobytes()
    return int.from_bytes(stored, "little") == compute_chunked_checksum(
        _iter_chunks(file, position + HEADER_BYTES, end)
    )


def is_complete(file: OpenFile, position: int, length: int) -> bool:
    """Return True if the file holds the record at `position` to its end."""
    return position + OVERHEAD_BYTES + length <= file.size


def _find_accepted(file: OpenFile, state: Search, headers: list[tuple[int, int]]) -> int | None:
    """Return the first valid header that begins a record; keep those that cannot be verified yet."""
    for position, length in headers:
        followed = is_followed(file, position + OVERHEAD_BYTES + length)
        if is_complete(file, position, length) and (followed or _is_verified(file, state, position, length)):
            return position
        if followed is None and len(state.unfinished) < MAX_UNFINISHED:
            state.unfinished.append((position, length))
    return None


def _is_verified(file: OpenFile, state: Search, position: int, length: int) -> bool:
    """Return True if the payload at `position` matches, within the bound on compared bytes of this search."""
    state.checked += length
    return state.checked <= MAX_VERIFIED_RATIO * file.size and has_valid_payload(file, position, length)


def _iter_chunks(file: OpenFile, begin: int, end: int) -> Iterator[bytes]:
    for offset in range(begin, end, WINDOW_BYTES):
        yield file.read(offset, min(WINDOW_BYTES, end - offset)).tobytes()


def _read_length(file: OpenFile, position: int) -> int:
    """Return the payload length in the header at `position`; 0 if no complete record begins there."""
    try:
        length = parse_header(file.read(position, HEADER_BYTES), 0)
    except UnreadableRange:
        return 0
    return length if length is not None and is_complete(file, position, length) else 0


def _is_repaired(file: OpenFile, position: int, header: bytes, max_bytes: int) -> bool:
    """Return True if a record begins at `position`, with another header than `header` or with a valid payload."""
    try:
        header_bytes = file.read(position, HEADER_BYTES)
        length = parse_header(header_bytes, 0)
        if length is None or length > MAX_PAYLOAD_BYTES:
            return False
        if header_bytes.tobytes() != header:
            return True
        return length <= max_bytes and is_complete(file, position, length) and has_valid_payload(file, position, length)
    except UnreadableRange:
        return False


def _find_next_within(file: OpenFile, position: int, length: int, *, followed: bool | None) -> int | None:
    """Return the offset at which to search inside a record with a wrong payload; None if there is none inside.

    Args:
        file: Holds the record to its end.
        position: Byte offset of the record.
        length: Bytes of its payload.
        followed: The result of `is_followed` for its end.
    """
    # The next record may begin in the header: the last byte of a cut header may be the first byte of the next one.
    begin, end = position + 1, position + OVERHEAD_BYTES + length
    if followed is False:
        return begin
    # If a header follows the record, what lies inside ends with it. Otherwise another record may reach past the end.
    view = replace(file, size=end) if followed else file
    # Bytes before the record count as compared, so that the bound is that of the bytes from here on.
    next_record = find_record(
        view, Search(position, begin, checked=MAX_VERIFIED_RATIO * position), end + HEADER_BYTES - 1 - begin
    )
    # An incomplete record inside must be found again by the caller, to be remembered.
    return next_record if followed or next_record is None else begin
