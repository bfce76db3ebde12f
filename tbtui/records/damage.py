"""What is wrong with a file, in words that every room above can hand on."""

from __future__ import annotations

from tbtui.frozen import frozen

UNREADABLE = "unreadable_bytes"
"""The kind of a place that the disk fails to give now; it is tried again."""


@frozen
class Damage:
    """One place in an event file that could not be read as it should."""

    kind: str
    """`length_checksum`, `payload_checksum`, `undecodable`, `truncated`, `oversized`, `nan_wall_time`, `unreadable`,
    `unreadable_bytes`."""

    offset: int
    """Byte offset in the file where the trouble begins."""

    bytes_skipped: int
    """How many bytes were passed over; 0 when the record was used all the same."""

    message: str
    """One plain sentence for people."""


def passed_over(count: int) -> str:
    """How the message of a damaged place tells of the bytes that were lost."""
    return "1 byte was passed over" if count == 1 else f"{count:,} bytes were passed over"
