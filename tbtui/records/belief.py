"""Which records of a chain are to be believed: one that was cut short may hold those written after it.

A killed writer leaves the beginning of a record, and its header claims bytes that now belong to the next ones. When
what it claims happens to end where one of them ends, the chain of headers fits all the same, and only its payload says
that something is wrong. Then the payload does not match its checksum, and either no header follows the record or
another record stands in it. (A wrong payload alone is no reason to doubt the length.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.records.block import HEADER_BYTES, OVERHEAD_BYTES
from tbtui.records.checksum import LENGTH_BYTES
from tbtui.records.framing import LONGEST_PAYLOAD, parse_header
from tbtui.records.search import MOST_CHECKED, Search, has_right_payload, is_followed, is_whole, search
from tbtui.records.source import UnreadablePlace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.records.block import RecordBlock
    from tbtui.records.framing import Frames
    from tbtui.records.place import Pair
    from tbtui.records.source import OpenFile

MOST_PASSED = 8
"""Unfinished records with others behind them that are remembered; real files have one."""

MOST_BROKEN = 32
"""Damaged records that are remembered; who mends a file mends the first of them, too."""
MAX_COMPARED_BYTES = 1 << 28
"""Damaged payloads that are compared at each look, to notice when they are mended."""


@frozen
class Cut:
    """A record of a block that was cut short."""

    index: int
    next_one: int
    """Byte offset in the file from which on another may begin."""


class Belief:
    """What is believed of the records of one file while it grows, and what was believed too early."""

    def __init__(
        self,
        unsure: Pair | None = None,
        passed: Iterable[Pair] = (),
        checked: int = 0,
        broken: Iterable[tuple[int, bytes]] = (),
    ) -> None:
        """Begin, or go on with the `state` of another."""
        self._unsure = unsure
        """Where the last record begins and its length, when its payload is wrong and nothing stands behind it yet that
        shows whether it ends there."""

        self._passed = list(passed)
        """Where headers of unfinished records stand and the lengths they give, before the record that was read last:
        a writer was killed there, or it is about to finish a record that holds others."""

        self._checked = checked
        """Bytes of payloads that were compared with their checksums."""

        self._broken = dict(broken)
        """Where records should begin that were damaged, and what stood there as their headers."""

    @property
    def state(self) -> tuple[Pair | None, tuple[Pair, ...], int, tuple[tuple[int, bytes], ...]]:
        """What another must be told to believe the same."""
        return self._unsure, tuple(self._passed), self._checked, tuple(self._broken.items())

    @property
    def is_shaken(self) -> bool:
        """Whether the file is damaged somewhere up to here: then no record is believed by its header alone."""
        return bool(self._broken)

    def first_cut(self, file: OpenFile, block: RecordBlock, frames: Frames) -> Cut | None:
        """The first record of a block of such frames that was cut short, if one was."""
        last = len(block) - 1
        self._unsure = None
        doubtful = _suspects(frames)
        if doubtful[-1:] != [last] and not is_followed(file, block.end):
            doubtful.append(last)
        for index in doubtful:
            next_one = self._next_within(file, block, index)
            if next_one is not None:
                return Cut(index, next_one)
        return None

    def pass_over(self, unfinished: list[tuple[int, int]]) -> None:
        """Remember records that the file does not hold to their ends, though others behind them are read now."""
        self._passed = [*self._passed, *unfinished[:MOST_PASSED]][-MOST_PASSED:]

    def remember_broken(self, file: OpenFile, position: int) -> None:
        """Remember that the record which should begin at `position` is damaged, to notice when it is mended."""
        try:
            header = file.read(position, HEADER_BYTES).tobytes()
        except UnreadablePlace:
            header = b""
        # What is right and was given up all the same says nothing by being right.
        if len(self._broken) < MOST_BROKEN and not _is_right_now(file, position, header, MAX_COMPARED_BYTES):
            self._broken[position] = header

    def is_mended(self, file: OpenFile) -> bool:
        """Whether a right record stands now where a damaged one was."""
        left = MAX_COMPARED_BYTES
        # The newest first: on a network file system their bytes may arrive late.
        for position, header in reversed(self._broken.items()):
            if _is_right_now(file, position, header, left):
                return True
            left -= _length_at(file, position)
        return False

    def is_refuted(self, file: OpenFile) -> bool:
        """Whether the file has grown by bytes which show that what was believed is wrong."""
        finished = [record for record in self._passed if is_whole(file, *record)]
        self._passed = [record for record in self._passed if record not in finished]
        if any(has_right_payload(file, *record) for record in finished):
            return True
        if self._unsure is None:
            return False
        position, length = self._unsure
        followed = is_followed(file, position + OVERHEAD_BYTES + length)
        if followed is not None:
            self._unsure = None
        return _next_in_wrong(file, position, length, followed=followed) is not None

    def _next_within(self, file: OpenFile, block: RecordBlock, index: int) -> int | None:
        """Where to look for the next record in a doubtful one; None when it is believed."""
        position, length = block.offset(index), int(block.lengths[index])
        if not self._may_check(file, length):
            return None
        if block.verify(index):
            return self._next_as_payload(file, position + HEADER_BYTES) if length == LENGTH_BYTES else None
        followed = is_followed(file, position + OVERHEAD_BYTES + length)
        next_one = _next_in_wrong(file, position, length, followed=followed)
        if next_one is None and followed is None:
            self._unsure = position, length
        return next_one

    def _next_as_payload(self, file: OpenFile, position: int) -> int | None:
        """`position` when a payload there, eight bytes and right, is rather the header of the next record.

        For a length and its checksum look the same as such a payload and its own: so they do when a record was cut
        short just behind its header.
        """
        length = parse_header(file.read(position, HEADER_BYTES), 0)
        if length is None or length > LONGEST_PAYLOAD:
            return None
        if not is_whole(file, position, length):
            self.pass_over([(position, length)])
            return None
        return position if self._may_check(file, length) and has_right_payload(file, position, length) else None

    def _may_check(self, file: OpenFile, length: int) -> bool:
        """Whether a payload may be compared: in a file full of records in one another, only so many are."""
        self._checked += length
        return self._checked <= MOST_CHECKED * file.size


def _suspects(frames: Frames) -> list[int]:
    """The records that may hold others and whose payloads are compared in hardly any time."""
    return [int(index) for index in frames.suspects]


def _length_at(file: OpenFile, position: int) -> int:
    """Return the payload length in the header at `position`; 0 if no whole record begins there."""
    try:
        length = parse_header(file.read(position, HEADER_BYTES), 0)
    except UnreadablePlace:
        return 0
    return length if length is not None and is_whole(file, position, length) else 0


def _is_right_now(file: OpenFile, position: int, header: bytes, max_bytes: int) -> bool:
    """Whether a record begins at `position`, by another header than `header` or because its payload is right."""
    try:
        found = file.read(position, HEADER_BYTES)
        length = parse_header(found, 0)
        if length is None or length > LONGEST_PAYLOAD:
            return False
        if found.tobytes() != header:
            return True
        return length <= max_bytes and is_whole(file, position, length) and has_right_payload(file, position, length)
    except UnreadablePlace:
        return False


def _next_in_wrong(file: OpenFile, position: int, length: int, *, followed: bool | None) -> int | None:
    """Where to look for the next record in the one at `position`, whose payload is wrong; None when it is believed.

    Args:
        file: holds the record to its end.
        position: where it begins.
        length: of its payload.
        followed: what `is_followed` says of its end.
    """
    # Even in its header: the last byte of one cut off may be the first byte of the next one as well.
    begin, end = position + 1, position + OVERHEAD_BYTES + length
    if followed is False:
        return begin
    # What a header follows ends there, and so does what lies in it. Without one, another may reach past the end.
    view = replace(file, size=end) if followed else file
    # What stands before counts as checked, so that the bound is that of the bytes from here on.
    found = search(view, Search(position, begin, checked=MOST_CHECKED * position), end + HEADER_BYTES - 1 - begin)
    # What the file does not hold to its end yet must be found again, to be remembered.
    return found if followed or found is None else begin
