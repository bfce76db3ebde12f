"""State of a reader between two reads, from which another reader of the same file resumes."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tbtui.frozen import frozen
from tbtui.tfrecord.framing import (
    FOOTER_BYTES,
    HEADER_BYTES,
    RecordBlock,
)
from tbtui.tfrecord.resync import (
    Search,
)

if TYPE_CHECKING:
    from tbtui.tfrecord.file import OpenFile
    from tbtui.tfrecord.resync import RecordExtent


@frozen
class Anchor:
    """Bytes that were read and must still be there: the last record's header and payload checksum."""

    header: int
    """Byte offset."""

    header_bytes: bytes
    footer: int
    footer_bytes: bytes


@frozen
class ReaderState:
    """The state of a reader between two reads, from which another reader can resume."""

    offset: int
    """Byte offset where the next record begins."""

    anchor: Anchor | None = None
    search: Search | None = None
    uncertain: RecordExtent | None = None
    skipped: tuple[RecordExtent, ...] = ()
    checked: int = 0
    damaged: tuple[tuple[int, bytes], ...] = ()
    """The last four are the state of `resync.TruncatedRecords`."""

    def to_json(self) -> list[Any]:
        """Return the state in the types of JSON."""
        anchor, search = self.anchor, self.search
        return [
            self.offset,
            anchor and [anchor.header, anchor.header_bytes.hex(), anchor.footer, anchor.footer_bytes.hex()],
            # `seen` is the last field, and the only one that is no type of JSON.
            search and [*(getattr(search, field.name) for field in fields(search)[:-1]), search.seen.hex()],
            self.uncertain,
            self.skipped,
            self.checked,
            [[position, header.hex()] for position, header in self.damaged],
        ]

    @classmethod
    def from_json(cls, data: Any) -> ReaderState:
        """Return the state that `to_json` wrote.

        Raises:
            ValueError: `data` is not a state. Also TypeError.
        """
        offset, anchor, search, uncertain, skipped, checked, damaged = data
        return cls(
            _parse_size(offset),
            None if anchor is None else _parse_anchor(*anchor),
            None if search is None else _parse_search(*search),
            None if uncertain is None else _parse_extent(uncertain),
            tuple(map(_parse_extent, skipped)),
            _parse_size(checked),
            tuple((_parse_size(position), bytes.fromhex(header)) for position, header in damaged),
        )


def build_anchor(block: RecordBlock, index: int) -> Anchor:
    """Return the anchor at a record that was read as a whole."""
    start, end = int(block.starts[index]), int(block.starts[index] + block.lengths[index])
    header = block.data[start - HEADER_BYTES : start].tobytes()
    footer = block.data[end : end + FOOTER_BYTES].tobytes()
    return Anchor(block.offset(index), header, block.offset(index) + HEADER_BYTES + end - start, footer)


def read_anchor(file: OpenFile, begin: int, end: int) -> Anchor:
    """Return the anchor at the record in `[begin, end)`."""
    footer = end - FOOTER_BYTES
    return Anchor(begin, file.read(begin, HEADER_BYTES).tobytes(), footer, file.read(footer, FOOTER_BYTES).tobytes())


def has_anchor(file: OpenFile, anchor: Anchor) -> bool:
    """Return True if the bytes of an anchor are still in the file."""
    return (
        file.read(anchor.header, len(anchor.header_bytes)).tobytes() == anchor.header_bytes
        and file.read(anchor.footer, len(anchor.footer_bytes)).tobytes() == anchor.footer_bytes
    )


def _parse_anchor(header: Any, header_bytes: Any, footer: Any, footer_bytes: Any) -> Anchor:
    return Anchor(_parse_size(header), bytes.fromhex(header_bytes), _parse_size(footer), bytes.fromhex(footer_bytes))


def _parse_search(
    damaged: Any, position: Any, unfinished: Any, expected: Any, only_zeros: Any, reported: Any, checked: Any, seen: Any
) -> Search:
    return Search(
        _parse_size(damaged),
        _parse_size(position),
        [_parse_extent(each) for each in unfinished],
        bool(expected),
        bool(only_zeros),
        _parse_size(reported),
        _parse_size(checked),
        bytes.fromhex(seen),
    )


def _parse_extent(data: Any) -> RecordExtent:
    begin, length = data
    return _parse_size(begin), _parse_size(length)


def _parse_size(data: Any) -> int:
    """Return a number of bytes.

    Raises:
        ValueError: `data` is not one.
    """
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data < 1 << 63:
        raise ValueError(f"no number of bytes: {data!r}")
    return data
