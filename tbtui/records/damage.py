"""Damage of an event file, in the form that all packages above pass on."""

from __future__ import annotations

from tbtui.frozen import frozen

UNREADABLE = "unreadable_bytes"
"""Kind of a place that the disk cannot read now; the reader tries again."""


@frozen
class Damage:
    """One damaged place in an event file."""

    kind: str
    """`length_checksum`, `payload_checksum`, `undecodable`, `truncated`, `oversized`, `nan_wall_time`, `unreadable`,
    `unreadable_bytes`."""

    offset: int
    """Byte offset in the file where the damage begins."""

    bytes_skipped: int
    """Number of bytes skipped; 0 if the record is used."""

    message: str
    """One sentence for the user."""


def passed_over(count: int) -> str:
    """Return the part of a message that counts the skipped bytes."""
    return "1 byte was passed over" if count == 1 else f"{count:,} bytes were passed over"
