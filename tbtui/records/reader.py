"""Following the records of one file that may still grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.records.block import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES, RecordBlock
from tbtui.records.damage import Damage
from tbtui.records.framing import BROKEN, LONGEST_PAYLOAD, frame, parse_header
from tbtui.records.search import Search, has_right_payload, search
from tbtui.records.source import open_file

if TYPE_CHECKING:
    from tbtui.records.framing import Frames
    from tbtui.records.source import OpenFile

BLOCK_BYTES = 2 << 20
_FEWEST_BYTES = 64
_SHORT_BYTES = 4096
"""What is read after a damaged place, where the next one may be near."""


class FileReplaced(Exception):  # noqa: N818 - a fact about the file, not an error of the reader
    """The file is no longer the one that was read: it shrank, or other bytes stand where the last record was."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    """Bytes that were read and must still be there: the last record's header and payload checksum."""

    header: int
    header_bytes: bytes
    footer: int
    footer_bytes: bytes

    def holds(self, file: OpenFile) -> bool:
        return (
            file.read(self.header, len(self.header_bytes)).tobytes() == self.header_bytes
            and file.read(self.footer, len(self.footer_bytes)).tobytes() == self.footer_bytes
        )


class RecordReader:
    """Reads the records of one file block by block, from any offset, and goes on when the file has grown.

    A record that is not all there yet is no error: it stays, and is read when its rest has arrived. No descriptor is
    kept between reads, so thousands of files can be followed.
    """

    def __init__(self, path: str, offset: int = 0) -> None:
        self.path = path
        self.offset = offset
        """Byte offset where the next record begins."""

        self._anchor: _Anchor | None = None
        self._search: Search | None = None
        self._distrusted: int | None = None

    @property
    def position(self) -> int:
        """Up to where the file has been looked at: past the offset while the end of a damaged place is searched."""
        return self.offset if self._search is None else max(self.offset, self._search.position)

    def read(self, max_bytes: int = BLOCK_BYTES) -> RecordBlock:
        """The next whole records.

        Damaged places make many short stretches of records; these are handed on as one block.

        Args:
            max_bytes: How much to read; more only when one record is longer.

        Returns:
            A block, without records when there are none yet or when the bytes were passed over as damaged.

        Raises:
            FileReplaced: The file must be read again from its beginning by a new reader.
            OSError: It cannot be read.
        """
        max_bytes = max(max_bytes, _FEWEST_BYTES)
        with open_file(self.path) as file:
            if file.size < self.offset or (self._anchor is not None and not self._anchor.holds(file)):
                raise FileReplaced(self.path)
            begin = self.position
            blocks = [self._read_stretch(file, max_bytes)]
            ahead = _SHORT_BYTES
            while not blocks[-1].at_end and self.position - begin < max_bytes // 2:
                blocks.append(self._read_stretch(file, min(ahead, max_bytes)))
                ahead = _SHORT_BYTES if blocks[-1].damage else 4 * ahead
            return blocks[0] if len(blocks) == 1 else _joined(blocks)

    def _read_stretch(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        """Records up to the next damaged place, or what is to be said of the one at the offset."""
        if self._can_follow(file):
            return self._follow(file, max_bytes, ())
        if file.size - self.offset < HEADER_BYTES:
            return self._nothing((), truncated=file.size > self.offset)
        return self._recover(file, max_bytes)

    def _can_follow(self, file: OpenFile) -> bool:
        """Whether a whole record with a right header stands at the offset."""
        length = self._next_length(file)
        return length is not None and self.offset + OVERHEAD_BYTES + length <= file.size

    def _next_length(self, file: OpenFile) -> int | None:
        if self.offset == self._distrusted:
            return None
        length = parse_header(file.read(self.offset, HEADER_BYTES), 0)
        return None if length is None or length > LONGEST_PAYLOAD else length

    def _follow(self, file: OpenFile, max_bytes: int, damage: tuple[Damage, ...]) -> RecordBlock:
        """The records from the offset on, where one surely stands."""
        length = self._next_length(file) or 0
        data = file.read(self.offset, max(max_bytes, OVERHEAD_BYTES + length))
        frames = frame(data)
        starts, lengths, end = frames.starts, frames.lengths, frames.end
        base = self.offset
        if not len(starts):
            # The file changed between two reads of the same bytes.
            return self._nothing(damage, truncated=True)
        block = RecordBlock(data, base, starts, lengths, damage, at_end=False, truncated=False)
        if self._ends_in_others(file, block, frames):
            starts, lengths, end = starts[:-1], lengths[:-1], int(starts[-1]) - HEADER_BYTES
            self._distrusted = base + end
        self._search = None
        self.offset = base + end
        if len(starts):
            self._anchor = self._anchor_of(block, len(starts) - 1)
        return RecordBlock(data, base, starts, lengths, damage, at_end=self.offset >= file.size, truncated=False)

    def _ends_in_others(self, file: OpenFile, block: RecordBlock, frames: Frames) -> bool:
        """Whether the block's last record was cut short and its end is made of the records written after it.

        So it is when its payload is wrong and what follows it is no header, or, at the end of the file, when another
        record stands in it. (A wrong payload alone is no reason to doubt the length.)
        """
        last = len(block) - 1
        begin, after = block.offset(last), block.base + frames.end
        is_broken = frames.stop == BROKEN
        if (not is_broken and file.size - after >= HEADER_BYTES) or block.verify(last):
            return False
        return is_broken or search(file, Search(begin, begin + HEADER_BYTES), file.size - begin) is not None

    def _recover(self, file: OpenFile, max_bytes: int) -> RecordBlock:
        """Look for the next record behind one that is damaged, or that is cut off and may be for ever."""
        length = self._next_length(file)
        state = self._begin_search(file)
        found = search(file, state, max_bytes)
        if found is not None:
            damage = self._damage(file, state, found, length)
            self.offset = found
            return self._follow(file, max_bytes, damage)
        if state.position + HEADER_BYTES <= file.size:
            return self._nothing((), truncated=False, at_end=False)
        if length is not None or state.only_zeros:
            return self._nothing((), truncated=True)
        if state.unfinished:
            (first, _), *others = state.unfinished
            damage = self._damage(file, state, first, length)
            self.offset = first
            self._search = Search(first, state.position, others)
            return self._nothing(damage, truncated=True)
        damage = self._damage(file, state, file.size, length)
        state.reported = file.size
        return self._nothing(damage, truncated=False)

    def _begin_search(self, file: OpenFile) -> Search:
        """The search for what follows the offset: the one under way, or a new one."""
        if self._search is None or file.size < self._search.position:
            self._search = Search(self.offset, self.offset + 1, only_zeros=not file.read(self.offset, 1).any())
            anchor = self._anchor
            if anchor is not None and anchor.footer + FOOTER_BYTES == self.offset:
                before = anchor.footer - anchor.header - HEADER_BYTES
                if not has_right_payload(file, anchor.header, before):
                    self._search.position = anchor.header + HEADER_BYTES
        return self._search

    def _damage(self, file: OpenFile, state: Search, end: int, length: int | None) -> tuple[Damage, ...]:
        """What to report of the bytes up to `end` that was not reported yet."""
        begin = state.damaged if state.reported is None else state.reported
        if end <= begin:
            return ()
        if length is not None or state.damaged == self._distrusted:
            kind, what = "truncated", "a record was cut short and other bytes follow it"
        elif parse_header(file.read(state.damaged, HEADER_BYTES), 0) is not None:
            kind, what = "oversized", "a record claims more bytes than an event can have"
        else:
            kind, what = "length_checksum", "the length of a record does not match its checksum"
        return (Damage(kind, begin, end - begin, f"{what}; {end - begin:,} bytes were passed over"),)

    def _anchor_of(self, block: RecordBlock, index: int) -> _Anchor:
        start = int(block.starts[index])
        end = start + int(block.lengths[index])
        header = block.data[start - HEADER_BYTES : start].tobytes()
        footer = block.data[end : end + FOOTER_BYTES].tobytes()
        return _Anchor(block.base + start - HEADER_BYTES, header, block.base + end, footer)

    def _nothing(self, damage: tuple[Damage, ...], *, truncated: bool, at_end: bool = True) -> RecordBlock:
        none = np.empty(0, np.int64)
        return RecordBlock(np.empty(0, np.uint8), self.offset, none, none, damage, at_end=at_end, truncated=truncated)


def _joined(blocks: list[RecordBlock]) -> RecordBlock:
    """One block with the records of several; the bytes that none of them holds are zeros in it."""
    full = [block for block in blocks if len(block)]
    ends = [int(block.starts[-1] + block.lengths[-1]) + FOOTER_BYTES for block in full]
    base = min((block.base for block in full), default=blocks[-1].base)
    size = max((block.base + end - base for block, end in zip(full, ends, strict=True)), default=0)
    data = np.zeros(size, np.uint8)
    for block, end in zip(full, ends, strict=True):
        data[block.base - base : block.base - base + end] = block.data[:end]
    starts = np.concatenate([block.starts + (block.base - base) for block in blocks])
    lengths = np.concatenate([block.lengths for block in blocks])
    damage = tuple(place for block in blocks for place in block.damage)
    return RecordBlock(data, base, starts, lengths, damage, blocks[-1].at_end, blocks[-1].truncated)
