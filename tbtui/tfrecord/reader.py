"""Read the records of one file that may still grow, and resume where an earlier reader stopped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.tfrecord.file import UNREADABLE_BYTES, Damage, UnreadableRange, format_skipped_bytes, open_file
from tbtui.tfrecord.framing import (
    FOOTER_BYTES,
    HEADER_BYTES,
    MAX_PAYLOAD_BYTES,
    MIN_LONG_BYTES,
    OVERHEAD_BYTES,
    RecordBlock,
    parse_header,
    read_frames,
)
from tbtui.tfrecord.partial_records import PARTIAL_READ_BYTES, PartialReader, read_partial_records
from tbtui.tfrecord.reader_state import ReaderState, build_anchor, has_anchor, read_anchor
from tbtui.tfrecord.resync import (
    MAX_DAMAGED,
    Search,
    TruncatedRecords,
    find_record,
    has_valid_payload,
    is_complete,
    is_followed,
)

if TYPE_CHECKING:
    from tbtui.tfrecord.file import OpenFile


BLOCK_BYTES = 2 << 20

MAX_WHOLE_BYTES = 1 << 28
"""Longer payloads are skipped, except those read partially: a file may claim gigabytes that occupy no disk space."""

_MIN_READ_BYTES = 64

_SHORT_READ_BYTES = 4096
"""Bytes read after damage or a long record, because the next one may be near; later reads grow."""

_UNLIMITED_BYTES = 1 << 62


class FileReplaced(Exception):  # noqa: N818 - a fact about the file, not an error of the reader
    """The part of the file that was read has changed, so that it must be read again from its beginning.

    It shrank, the bytes of the last record differ, or a damaged record was repaired. Or new bytes show that a damaged
    place was taken for a record, or a record for a damaged place.
    """


class RecordReader:
    """Reads the records of one file block by block, from any offset, and continues when the file has grown.

    An incomplete record is not an error: it is read once it is complete. No descriptor is kept between reads,
    so thousands of files can be followed.
    """

    def __init__(
        self, path: str, offset: int = 0, *, state: ReaderState | None = None, read_partial: PartialReader | None = None
    ) -> None:
        """Create a reader.

        Args:
            path: The file.
            offset: Byte offset of the first record to read.
            state: The state of another reader of the file, from which this one resumes; replaces `offset`.
            read_partial: Reads the part of a long payload that is needed; None: every payload is read whole.
        """
        self.path = path
        self._read_partial = read_partial
        self._ahead = _UNLIMITED_BYTES
        self._was_at_end = True
        """The previous read reached the end of the file."""

        self._restore(ReaderState(offset) if state is None else state)

    @property
    def state(self) -> ReaderState:
        """The state of the reader, from which another one can resume."""
        search = None if self._search is None else self._search.copy()
        return ReaderState(self.offset, self._anchor, search, *self._truncated.state)

    @property
    def position(self) -> int:
        """Byte offset up to which the file was examined: after `offset` during a search."""
        return self.offset if self._search is None else max(self.offset, self._search.position)

    def read(self, max_bytes: int = BLOCK_BYTES) -> RecordBlock:
        """Return the next complete records.

        Short stretches of records between damage are joined into one block. If one of them cannot be read,
        none is returned, and the next call begins with the first of them again.

        Args:
            max_bytes: Number of bytes to read; more only if one record is longer.

        Returns:
            A block; it is empty if no record is complete yet, or if all bytes were skipped as damaged.

        Raises:
            FileReplaced: The file must be read again from its beginning by a new reader.
            OSError: The file cannot be read, or was cut short meanwhile.
        """
        state, ahead = self.state, self._ahead
        try:
            with open_file(self.path) as file:
                return self._read(file, max(max_bytes, _MIN_READ_BYTES))
        except BaseException:
            self._restore(state)
            self._ahead = ahead
            raise

    def is_valid(self, block: RecordBlock, row: int) -> bool:
        """Return True if the payload of a record matches its checksum in the file; otherwise watch for its repair.

        Raises:
            OSError: The file cannot be read.
        """
        with open_file(self.path) as file:
            is_valid = has_valid_payload(file, block.offset(row), int(block.lengths[row]))
            if not is_valid:
                self._truncated.add_damaged(file, block.offset(row))
            return is_valid

    def watch_damaged(self, block: RecordBlock) -> None:
        """Watch for the repair of the damaged records of a block.

        Raises:
            OSError: The file cannot be read.
        """
        with open_file(self.path) as file:
            for row in block.find_mismatches()[:MAX_DAMAGED].tolist():
                self._truncated.add_damaged(file, block.offset(row))

    def _restore(self, state: ReaderState) -> None:
        self.offset = state.offset
        """Byte offset where the next record begins."""

        self._anchor = state.anchor
        self._search = None if state.search is None else state.search.copy()
        self._truncated = TruncatedRecords(state.uncertain, state.skipped, state.checked, state.damaged)

    def _read(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        is_same = file.size >= self.position and (self._anchor is None or has_anchor(file, self._anchor))
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
            except UnreadableRange:
                if not blocks:
                    raise
                break  # the next call reports it
            blocks.append(block)
            partial = len(block.partial_payloads)
            spent += partial * PARTIAL_READ_BYTES if partial else self.position - begin
            is_short = bool(partial or block.damage)
            self._ahead = _SHORT_READ_BYTES if is_short else min(4 * self._ahead, _UNLIMITED_BYTES)
        if known is not None and not has_anchor(file, known):
            raise FileReplaced(self.path)  # while it was read: the records may be of both files
        self._was_at_end = blocks[-1].at_end
        return blocks[0] if len(blocks) == 1 else _join_blocks(blocks)

    def _read_past_unreadable(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        """Read like `_read_stretch`, but report bytes that the disk cannot read as damage.

        Raises:
            UnreadableRange: Nothing after it can be read: perhaps the disk is away, and all can be read later.
        """
        start = self.state
        try:
            return self._read_stretch(file, max_bytes)
        except UnreadableRange as found:
            unreadable = found
        self._restore(start)
        while unreadable.begin > self.position:
            self._ahead = _UNLIMITED_BYTES  # one read: a disk may take seconds to fail
            try:
                block = self._read_stretch(replace(file, size=unreadable.begin), unreadable.begin)
            except UnreadableRange as found:
                unreadable = found  # an earlier one
                self._restore(start)
                continue
            if len(block):
                return replace(block, at_end=False)
            self._restore(start)
            break
        if unreadable.end >= file.size:
            raise unreadable
        return self._skip_unreadable(file, unreadable)

    def _skip_unreadable(self, file: OpenFile, unreadable: UnreadableRange) -> RecordBlock:
        """Skip unreadable bytes that hold the record at the offset, and begin a search after them."""
        state = self._search
        begin = self.offset if state is None else max(state.damaged, state.reported)
        self._truncated.add_damaged(file, self.offset if state is None else state.damaged)
        self.offset = unreadable.end
        self._search = Search(unreadable.end, unreadable.end, expected=False, only_zeros=False)
        size = unreadable.end - begin
        message = f"the disk cannot read this ({unreadable.strerror}); {format_skipped_bytes(size)}"
        return self._empty_block((Damage(UNREADABLE_BYTES, begin, size, message),), truncated=False, at_end=False)

    def _read_stretch(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        """Return the records up to the next damage, or the damage at the offset."""
        if self._can_follow(file):
            return self._read_records(file, max_bytes, ())
        self._check_search(file)
        if file.size - self.offset < HEADER_BYTES:
            return self._empty_block((), truncated=file.size > self.offset)
        return self._recover(file, max_bytes)

    def _can_follow(self, file: OpenFile) -> bool:
        """Return True if a complete record with a valid header stands at the offset."""
        if self._search is not None and not self._search.expected:
            return False
        length = self._next_length(file)
        if length is None or not is_complete(file, self.offset, length):
            return False
        # A record that is skipped is never verified.
        return length <= MAX_WHOLE_BYTES or is_followed(file, self.offset + OVERHEAD_BYTES + length) is not False

    def _next_length(self, file: OpenFile) -> int | None:
        length = parse_header(file.read(self.offset, HEADER_BYTES), 0)
        return None if length is None or length > MAX_PAYLOAD_BYTES else length

    def _read_records(self, file: OpenFile, max_bytes: int, damage: tuple[Damage, ...]) -> RecordBlock:
        """Return the records from the offset on, where a record begins."""
        length = self._next_length(file) or 0
        if self._read_partial is not None and length >= MIN_LONG_BYTES and not self._truncated.has_damage:
            block = read_partial_records(file, self.offset, max_bytes, self._read_partial, damage)
            if len(block):
                self._search = None
                self.offset = block.end
                self._anchor = read_anchor(file, block.offset(len(block) - 1), block.end)
                return block
        if length > MAX_WHOLE_BYTES:
            return self._skip_oversized(file, OVERHEAD_BYTES + length, damage)
        data = file.read(self.offset, max(min(max_bytes, self._ahead), OVERHEAD_BYTES + length))
        frames = read_frames(data)
        if not len(frames.starts):
            # The file changed between two reads of the same bytes.
            return self._empty_block(damage, truncated=True)
        offsets = self.offset + frames.starts
        block = RecordBlock(data, frames.starts, frames.lengths, offsets, damage, at_end=False, truncated=False)
        cut = self._truncated.find_truncated(file, block, frames)
        count, end = len(block), block.end
        if cut is not None:
            count, end = cut.index, block.offset(cut.index)
        self._search = None if cut is None else Search(end, cut.next_begin, expected=False, only_zeros=False)
        self.offset = end
        if count:
            self._anchor = build_anchor(block, count - 1)
        starts, lengths, offsets = block.starts[:count], block.lengths[:count], offsets[:count]
        return replace(block, starts=starts, lengths=lengths, offsets=offsets, at_end=end >= file.size)

    def _skip_oversized(self, file: OpenFile, size: int, damage: tuple[Damage, ...]) -> RecordBlock:
        """Skip the record at the offset, which is too long."""
        begin, self.offset = self.offset, self.offset + size
        self._search = None
        self._anchor = read_anchor(file, begin, self.offset)
        oversized = Damage("oversized", begin, size, f"a record is too long to be read; {format_skipped_bytes(size)}")
        return self._empty_block((*damage, oversized), truncated=False, at_end=self.offset >= file.size)

    def _recover(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        """Search for the next record after one that is damaged or incomplete."""
        state = self._begin_search(file)
        next_record = find_record(file, state, min(max_bytes, self._ahead))
        unfinished = [record for record in state.unfinished if not is_complete(file, *record)]
        if next_record is not None:
            damage = self._new_damage(file, state, next_record)
            self._truncated.add_skipped(unfinished)
            self.offset = next_record
            return self._read_records(file, max_bytes, damage)
        if state.position + HEADER_BYTES <= file.size:
            return self._empty_block((), truncated=False, at_end=False)
        if state.only_zeros:
            return self._empty_block((), truncated=True)
        if not unfinished:
            damage = self._new_damage(file, state, file.size)
            return self._empty_block(damage, truncated=False)
        first, _ = unfinished[0]
        damage = self._new_damage(file, state, first)
        if first != self.offset:
            state.damaged, state.expected = first, False
            self.offset = first
        return self._empty_block(damage, truncated=True)

    def _check_search(self, file: OpenFile) -> None:
        """Restart the search if other bytes stand in the part already searched: a torn end was overwritten.

        Raises:
            FileReplaced: The old bytes may have had an effect: damage was reported, or the record before them was
                accepted.
        """
        state = self._search
        if state is not None and not state.is_unchanged(file):
            if not state.only_zeros:
                raise FileReplaced(self.path)
            self._search = None

    def _begin_search(self, file: OpenFile) -> Search:
        """Return the search after the offset: the current one, or a new one."""
        if self._search is None:
            length = self._next_length(file)
            unfinished = [] if length is None else [(self.offset, length)]
            begun = file.read(self.offset, HEADER_BYTES).tobytes()
            self._search = Search(self.offset, self.offset + 1, unfinished, only_zeros=not begun[0], seen=begun)
        return self._search

    def _new_damage(self, file: OpenFile, state: Search, end: int) -> tuple[Damage, ...]:
        """Return the damage up to `end` that was not reported yet."""
        begin = max(state.damaged, state.reported)
        if end <= begin:
            return ()
        state.reported = end
        self._truncated.add_damaged(file, state.damaged)
        length = parse_header(file.read(state.damaged, HEADER_BYTES), 0)
        if length is None:
            kind, reason = "length_checksum", "the length of a record does not match its checksum"
        elif length > MAX_PAYLOAD_BYTES:
            kind, reason = "oversized", "a record claims more bytes than an event can have"
        else:
            kind, reason = "truncated", "a record was cut short and other bytes follow it"
        return (Damage(kind, begin, end - begin, f"{reason}; {format_skipped_bytes(end - begin)}"),)

    def _empty_block(self, damage: tuple[Damage, ...], *, truncated: bool, at_end: bool = True) -> RecordBlock:
        none = np.empty(0, np.int64)
        return RecordBlock(np.empty(0, np.uint8), none, none, none, damage, at_end=at_end, truncated=truncated)


def _join_blocks(blocks: list[RecordBlock]) -> RecordBlock:
    """Return one block with the records of several."""
    used = [
        block.data[: block.starts[-1] + block.lengths[-1] + FOOTER_BYTES] if len(block) else block.data[:0]
        for block in blocks
    ]
    shifts = np.cumsum([0, *map(len, used)])
    rows = np.cumsum([0, *map(len, blocks)]).tolist()
    starts = [block.starts + shift for block, shift in zip(blocks, shifts, strict=False)]
    return RecordBlock(
        np.concatenate(used),
        np.concatenate(starts),
        np.concatenate([block.lengths for block in blocks]),
        np.concatenate([block.offsets for block in blocks]),
        tuple(damage for block in blocks for damage in block.damage),
        blocks[-1].at_end,
        blocks[-1].truncated,
        {
            first + row: payload
            for first, block in zip(rows, blocks, strict=False)
            for row, payload in block.partial_payloads.items()
        },
    )
