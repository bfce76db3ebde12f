"""The state of a reader between two reads, complete enough for another reader to resume."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tbtui.frozen import frozen

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
            None if searched is None else _searched(*searched),
            None if uncertain is None else _pair(uncertain),
            tuple(map(_pair, skipped)),
            _whole(checked),
            tuple((_whole(position), bytes.fromhex(header)) for position, header in damaged),
        )


def _anchor(header: Any, header_bytes: Any, footer: Any, footer_bytes: Any) -> Anchor:
    return Anchor(_whole(header), bytes.fromhex(header_bytes), _whole(footer), bytes.fromhex(footer_bytes))


def _searched(
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
