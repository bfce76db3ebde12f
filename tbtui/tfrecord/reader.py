"""Follow the records of one file that may still grow."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.tfrecord.file import UNREADABLE, Damage, UnreadablePlace, open_file, passed_over
from tbtui.tfrecord.framing import (
    FOOTER_BYTES,
    HEADER_BYTES,
    LONG_BYTES,
    LONGEST_PAYLOAD,
    OVERHEAD_BYTES,
    RecordBlock,
    frame,
    parse_header,
)
from tbtui.tfrecord.resync import (
    MAX_DAMAGED,
    Search,
    TruncatedRecords,
    has_right_payload,
    is_followed,
    is_followed_in,
    is_whole,
    search,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tbtui.tfrecord.file import OpenFile


# The state of a reader between two reads, complete enough for another reader to resume.


Pair = tuple[int, int]
"""Byte offset where a record begins, and the length its header gives."""


@frozen
class Anchor:
    """Bytes that were read and must still be there: the last record's header and payload checksum."""

    header: int
    """Byte offset."""

    header_bytes: bytes
    footer: int
    footer_bytes: bytes


@frozen
class Searched:
    """How far a damaged place has been searched; as `records.resync.Search`."""

    damaged: int
    position: int
    unfinished: tuple[Pair, ...]
    expected: bool
    only_zeros: bool
    reported: int
    checked: int
    seen: bytes
    """The last field: the only one that JSON cannot say as it is."""


@frozen
class Place:
    """A reader's state between two reads."""

    offset: int
    """Byte offset where the next record begins."""

    anchor: Anchor | None = None
    searched: Searched | None = None
    uncertain: Pair | None = None
    skipped: tuple[Pair, ...] = ()
    checked: int = 0
    damaged: tuple[tuple[int, bytes], ...] = ()
    """The state of `records.resync.TruncatedRecords`."""

    def to_json(self) -> list[Any]:
        """As JSON can say it."""
        anchor, searched = self.anchor, self.searched
        return [
            self.offset,
            anchor and [anchor.header, anchor.header_bytes.hex(), anchor.footer, anchor.footer_bytes.hex()],
            searched and [*(getattr(searched, field.name) for field in fields(searched)[:-1]), searched.seen.hex()],
            self.uncertain,
            self.skipped,
            self.checked,
            [[position, header.hex()] for position, header in self.damaged],
        ]

    @classmethod
    def from_json(cls, said: Any) -> Place:
        """The place that `to_json` told of.

        Raises:
            ValueError: It does not tell of a place. Also TypeError.
        """
        offset, anchor, searched, uncertain, skipped, checked, damaged = said
        return cls(
            _whole(offset),
            None if anchor is None else _anchor(*anchor),
            None if searched is None else _valid_search(*searched),
            None if uncertain is None else _pair(uncertain),
            tuple(map(_pair, skipped)),
            _whole(checked),
            tuple((_whole(position), bytes.fromhex(header)) for position, header in damaged),
        )


def _anchor(header: Any, header_bytes: Any, footer: Any, footer_bytes: Any) -> Anchor:
    return Anchor(_whole(header), bytes.fromhex(header_bytes), _whole(footer), bytes.fromhex(footer_bytes))


def _valid_search(
    damaged: Any, position: Any, unfinished: Any, expected: Any, only_zeros: Any, reported: Any, checked: Any, seen: Any
) -> Searched:
    return Searched(
        _whole(damaged),
        _whole(position),
        tuple(map(_pair, unfinished)),
        bool(expected),
        bool(only_zeros),
        _whole(reported),
        _whole(checked),
        bytes.fromhex(seen),
    )


def _pair(said: Any) -> Pair:
    first, second = said
    return _whole(first), _whole(second)


def _whole(said: Any) -> int:
    """A number of bytes.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(said, int) or isinstance(said, bool) or not 0 <= said < 1 << 63:
        raise ValueError(f"no number of bytes: {said!r}")
    return said


# Read only outlines of long records, so that the time to load a log of images depends on the number of records.
#
# Where a record ends says its header, and what an event says (its tags, steps, kinds) stands in few bytes of it. A
# record
# that is passed over so is believed because another header stands where it ends, and no record of its own ends with
# it;
# whether its payload is right is seen when that is read. One that was cut short may claim the records written behind
# it,
# and when it ends by chance where one of these ends, they would be hidden. The last of them is looked for: where
# there is
# one, all of the long record is read and its payload compared. So are all long records behind a damaged place. What
# can
# still hide others is a long record before the first damage of its file: one that ends by chance with one of more
# than
# 1,000 bytes, or into whose middle the file system has put a block of others. `inspect --check` finds these, too.


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


BLOCK_BYTES = 2 << 20
MOST_WHOLE = 1 << 28
"""Payloads up to here are read as a whole where no outline tells of them; longer ones are passed over. A file may claim
gigabytes that take no place on the disk."""

_FEWEST_BYTES = 64
_SHORT_BYTES = 4096
"""What is read after a damaged place or a long record, where the next one may be near; then more and more."""
_MOST_BYTES = 1 << 62


class FileReplaced(Exception):  # noqa: N818 - a fact about the file, not an error of the reader
    """The part of the file that was read has changed: it shrank, or other bytes stand where the last record was.

    Or it is longer by bytes which show that a damaged place was taken for a record, or a record for a damaged place; or
    what was damaged has been mended.
    """


class RecordReader:
    """Reads the records of one file block by block, from any offset, and goes on when the file has grown.

    A record that is not all there yet is no error: it stays, and is read when its rest has arrived. No descriptor is
    kept between reads, so thousands of files can be followed.
    """

    def __init__(
        self, path: str, offset: int = 0, *, place: Place | None = None, outline: Outline | None = None
    ) -> None:
        """Begin to read.

        Args:
            path: the file.
            offset: byte offset of a record to begin with.
            place: where another reader of the file stood, in place of the offset.
            outline: says what a long record says without all of it being read; None: all is read.
        """
        self.path = path
        self._outline = outline
        self._ahead = _MOST_BYTES
        self._was_at_end = True
        """The previous read reached the end of the file."""

        self._stand_at(Place(offset) if place is None else place)

    @property
    def place(self) -> Place:
        """The state of the reader, from which another one can resume."""
        searched = None if self._search is None else _searched(self._search)
        return Place(self.offset, self._anchor, searched, *self._truncated.state)

    @property
    def position(self) -> int:
        """Up to where the file has been looked at: past the offset while the end of a damaged place is searched."""
        return self.offset if self._search is None else max(self.offset, self._search.position)

    def read(self, max_bytes: int = BLOCK_BYTES) -> RecordBlock:
        """The next whole records.

        Damaged places make many short stretches of records; these are handed on as one block. When one of them cannot
        be read none is handed on, and the next call begins with the first of them again.

        Args:
            max_bytes: How much to read; more only when one record is longer.

        Returns:
            A block, without records when there are none yet or when the bytes were passed over as damaged.

        Raises:
            FileReplaced: The file must be read again from its beginning by a new reader.
            OSError: It cannot be read, or was cut short meanwhile.
        """
        place, ahead = self.place, self._ahead
        try:
            with open_file(self.path) as file:
                return self._read(file, max(max_bytes, _FEWEST_BYTES))
        except BaseException:
            self._stand_at(place)
            self._ahead = ahead
            raise

    def is_right(self, block: RecordBlock, row: int) -> bool:
        """Return True if the payload of a record matches its checksum in the file; otherwise watch for its repair.

        Raises:
            OSError: The file cannot be read.
        """
        with open_file(self.path) as file:
            is_right = has_right_payload(file, block.offset(row), int(block.lengths[row]))
            if not is_right:
                self._truncated.add_damaged(file, block.offset(row))
            return is_right

    def tell_broken(self, block: RecordBlock) -> None:
        """Watch for the repair of the damaged records of a block.

        Raises:
            OSError: The file cannot be read.
        """
        with open_file(self.path) as file:
            for row in block.mismatches()[:MAX_DAMAGED].tolist():
                self._truncated.add_damaged(file, block.offset(row))

    def _stand_at(self, place: Place) -> None:
        self.offset = place.offset
        """Byte offset where the next record begins."""

        self._anchor = place.anchor
        self._search = None if place.searched is None else _search_of(place.searched)
        self._truncated = TruncatedRecords(place.uncertain, place.skipped, place.checked, place.damaged)

    def _read(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        is_same = file.size >= self.position and (self._anchor is None or _holds(self._anchor, file))
        is_repaired = self._was_at_end and self._truncated.is_repaired(file)
        if not is_same or is_repaired or self._truncated.is_contradicted(file):
            raise FileReplaced(self.path)
        known = self._anchor
        blocks: list[RecordBlock] = []
        spent = 0
        while not blocks or (not blocks[-1].at_end and spent < max_bytes // 2):
            begin = self.position
            try:
                block = self._read_past_unreadable(file, max_bytes)
            except UnreadablePlace:
                if not blocks:
                    raise
                break  # what stands before it is handed on; the next call will tell of it
            blocks.append(block)
            skimmed = len(block.outlines)
            spent += skimmed * SKIMMED_BYTES if skimmed else self.position - begin
            self._ahead = _SHORT_BYTES if skimmed or block.damage else min(4 * self._ahead, _MOST_BYTES)
        if known is not None and not _holds(known, file):
            raise FileReplaced(self.path)  # while it was read: what was found may be of both
        self._was_at_end = blocks[-1].at_end
        return blocks[0] if len(blocks) == 1 else _joined(blocks)

    def _read_past_unreadable(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        """Read like `_read_stretch`, but report a place that the disk cannot read as damage.

        Raises:
            UnreadablePlace: Nothing behind it can be read: perhaps the disk is away, and all can be read later.
        """
        start = self.place
        try:
            return self._read_stretch(file, max_bytes)
        except UnreadablePlace as found:
            unreadable = found
        self._stand_at(start)
        while unreadable.begin > self.position:
            self._ahead = _MOST_BYTES  # all at once: each time that the disk fails anew may take it seconds
            try:
                block = self._read_stretch(replace(file, size=unreadable.begin), unreadable.begin)
            except UnreadablePlace as found:
                unreadable = found  # an earlier one
                self._stand_at(start)
                continue
            if len(block):
                return replace(block, at_end=False)
            self._stand_at(start)
            break
        if unreadable.end >= file.size:
            raise unreadable
        return self._leave_out(file, unreadable)

    def _leave_out(self, file: OpenFile, place: UnreadablePlace) -> RecordBlock:
        """Search for the next record behind a place that cannot be read and that holds the record at the offset."""
        state = self._search
        begin = self.offset if state is None else max(state.damaged, state.reported)
        self._truncated.add_damaged(file, self.offset if state is None else state.damaged)
        self.offset = place.end
        self._search = Search(place.end, place.end, expected=False, only_zeros=False)
        size = place.end - begin
        message = f"the disk cannot read this ({place.strerror}); {passed_over(size)}"
        return self._nothing((Damage(UNREADABLE, begin, size, message),), truncated=False, at_end=False)

    def _read_stretch(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        """Return the records up to the next damaged place, or the damage at the offset."""
        if self._can_follow(file):
            return self._follow(file, max_bytes, ())
        self._doubt_search(file)
        if file.size - self.offset < HEADER_BYTES:
            return self._nothing((), truncated=file.size > self.offset)
        return self._recover(file, max_bytes)

    def _can_follow(self, file: OpenFile) -> bool:
        """Return True if a complete record with a valid header stands at the offset."""
        if self._search is not None and not self._search.expected:
            return False
        length = self._next_length(file)
        if length is None or not is_whole(file, self.offset, length):
            return False
        # One that is not read cannot be doubted when its bytes are seen.
        return length <= MOST_WHOLE or is_followed(file, self.offset + OVERHEAD_BYTES + length) is not False

    def _next_length(self, file: OpenFile) -> int | None:
        length = parse_header(file.read(self.offset, HEADER_BYTES), 0)
        return None if length is None or length > LONGEST_PAYLOAD else length

    def _follow(self, file: OpenFile, max_bytes: int, damage: tuple[Damage, ...]) -> RecordBlock:
        """Return the records from the offset on, where a record begins."""
        length = self._next_length(file) or 0
        if self._outline is not None and length >= LONG_BYTES and not self._truncated.has_damage:
            block = skim(file, self.offset, max_bytes, self._outline, damage)
            if len(block):
                self._search = None
                self.offset = block.end
                self._anchor = _anchor_in(file, block.offset(len(block) - 1), block.end)
                return block
        if length > MOST_WHOLE:
            return self._pass_over(file, OVERHEAD_BYTES + length, damage)
        data = file.read(self.offset, max(min(max_bytes, self._ahead), OVERHEAD_BYTES + length))
        frames = frame(data)
        if not len(frames.starts):
            # The file changed between two reads of the same bytes.
            return self._nothing(damage, truncated=True)
        offsets = self.offset + frames.starts
        block = RecordBlock(data, frames.starts, frames.lengths, offsets, damage, at_end=False, truncated=False)
        cut = self._truncated.first_truncated(file, block, frames)
        count, end = len(block), block.end
        if cut is not None:
            count, end = cut.index, block.offset(cut.index)
        self._search = None if cut is None else Search(end, cut.next_begin, expected=False, only_zeros=False)
        self.offset = end
        if count:
            self._anchor = _anchor_of(block, count - 1)
        starts, lengths, offsets = block.starts[:count], block.lengths[:count], offsets[:count]
        return replace(block, starts=starts, lengths=lengths, offsets=offsets, at_end=end >= file.size)

    def _pass_over(self, file: OpenFile, size: int, damage: tuple[Damage, ...]) -> RecordBlock:
        """Skip the record at the offset, which is too long."""
        begin, self.offset = self.offset, self.offset + size
        self._search = None
        self._anchor = _anchor_in(file, begin, self.offset)
        told = Damage("oversized", begin, size, f"a record is too long to be read; {passed_over(size)}")
        return self._nothing((*damage, told), truncated=False, at_end=self.offset >= file.size)

    def _recover(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        """Search for the next record behind one that is damaged or incomplete."""
        state = self._begin_search(file)
        found = search(file, state, min(max_bytes, self._ahead))
        unfinished = [record for record in state.unfinished if not is_whole(file, *record)]
        if found is not None:
            damage = self._damage(file, state, found)
            self._truncated.add_skipped(unfinished)
            self.offset = found
            return self._follow(file, max_bytes, damage)
        if state.position + HEADER_BYTES <= file.size:
            return self._nothing((), truncated=False, at_end=False)
        if state.only_zeros:
            return self._nothing((), truncated=True)
        if not unfinished:
            damage = self._damage(file, state, file.size)
            return self._nothing(damage, truncated=False)
        first, _ = unfinished[0]
        damage = self._damage(file, state, first)
        if first != self.offset:
            state.damaged, state.expected = first, False
            self.offset = first
        return self._nothing(damage, truncated=True)

    def _doubt_search(self, file: OpenFile) -> None:
        """Restart the search if other bytes stand in the part already searched: a torn end was overwritten.

        Raises:
            FileReplaced: Something may have been made of those that stood there: damage was told, or the record before
                them believed.
        """
        state = self._search
        if state is not None and not state.holds(file):
            if not state.only_zeros:
                raise FileReplaced(self.path)
            self._search = None

    def _begin_search(self, file: OpenFile) -> Search:
        """Return the search behind the offset: the current one, or a new one."""
        if self._search is None:
            length = self._next_length(file)
            unfinished = [] if length is None else [(self.offset, length)]
            begun = file.read(self.offset, HEADER_BYTES).tobytes()
            self._search = Search(self.offset, self.offset + 1, unfinished, only_zeros=not begun[0], seen=begun)
        return self._search

    def _damage(self, file: OpenFile, state: Search, end: int) -> tuple[Damage, ...]:
        """Return the damage up to `end` that was not reported yet."""
        begin = max(state.damaged, state.reported)
        if end <= begin:
            return ()
        state.reported = end
        self._truncated.add_damaged(file, state.damaged)
        length = parse_header(file.read(state.damaged, HEADER_BYTES), 0)
        if length is None:
            kind, what = "length_checksum", "the length of a record does not match its checksum"
        elif length > LONGEST_PAYLOAD:
            kind, what = "oversized", "a record claims more bytes than an event can have"
        else:
            kind, what = "truncated", "a record was cut short and other bytes follow it"
        return (Damage(kind, begin, end - begin, f"{what}; {passed_over(end - begin)}"),)

    def _nothing(self, damage: tuple[Damage, ...], *, truncated: bool, at_end: bool = True) -> RecordBlock:
        none = np.empty(0, np.int64)
        return RecordBlock(np.empty(0, np.uint8), none, none, none, damage, at_end=at_end, truncated=truncated)


def _anchor_of(block: RecordBlock, index: int) -> Anchor:
    """Return the anchor at a record that was read as a whole."""
    start, end = int(block.starts[index]), int(block.starts[index] + block.lengths[index])
    header = block.data[start - HEADER_BYTES : start].tobytes()
    footer = block.data[end : end + FOOTER_BYTES].tobytes()
    return Anchor(block.offset(index), header, block.offset(index) + HEADER_BYTES + end - start, footer)


def _anchor_in(file: OpenFile, begin: int, end: int) -> Anchor:
    """Return the anchor at the record in `[begin, end)`."""
    footer = end - FOOTER_BYTES
    return Anchor(begin, file.read(begin, HEADER_BYTES).tobytes(), footer, file.read(footer, FOOTER_BYTES).tobytes())


def _holds(anchor: Anchor, file: OpenFile) -> bool:
    return (
        file.read(anchor.header, len(anchor.header_bytes)).tobytes() == anchor.header_bytes
        and file.read(anchor.footer, len(anchor.footer_bytes)).tobytes() == anchor.footer_bytes
    )


def _searched(search: Search) -> Searched:
    return Searched(
        search.damaged,
        search.position,
        tuple(search.unfinished),
        search.expected,
        search.only_zeros,
        search.reported,
        search.checked,
        search.seen,
    )


def _search_of(searched: Searched) -> Search:
    return Search(
        searched.damaged,
        searched.position,
        list(searched.unfinished),
        searched.expected,
        searched.only_zeros,
        searched.reported,
        searched.checked,
        searched.seen,
    )


def _joined(blocks: list[RecordBlock]) -> RecordBlock:
    """Return one block with the records of several."""
    held = [
        block.data[: block.starts[-1] + block.lengths[-1] + FOOTER_BYTES] if len(block) else block.data[:0]
        for block in blocks
    ]
    places = np.cumsum([0, *map(len, held)])
    rows = np.cumsum([0, *map(len, blocks)]).tolist()
    starts = [block.starts + place for block, place in zip(blocks, places, strict=False)]
    return RecordBlock(
        np.concatenate(held),
        np.concatenate(starts),
        np.concatenate([block.lengths for block in blocks]),
        np.concatenate([block.offsets for block in blocks]),
        tuple(place for block in blocks for place in block.damage),
        blocks[-1].at_end,
        blocks[-1].truncated,
        {first + row: said for first, block in zip(rows, blocks, strict=False) for row, said in block.outlines.items()},
    )
