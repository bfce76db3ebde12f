"""The events that begin a file: they give nothing but its version, and perhaps the program that wrote it."""

from __future__ import annotations

from typing import NamedTuple

from tbtui.events.schema import PARSE_ERRORS, decode_text, get_message_class

WALL_KEY, WALL_BYTES = 0x09, 9
"""First byte of an event with a wall time, and the bytes that the time takes with it."""


class Version(NamedTuple):
    """The content of an event that gives nothing but the version of its file."""

    writer: str | None


def read_version(payload: bytes) -> Version | None:
    """Return the content of an event; None if it holds anything else or does not begin with its wall time."""
    return read_rest(payload[WALL_BYTES:]) if payload[:1] == bytes((WALL_KEY,)) else None


def read_rest(rest: bytes) -> Version | None:
    """Return the content of an event, given its bytes after the wall time."""
    try:
        event = get_message_class("Event").FromString(rest)
    except PARSE_ERRORS:
        return None
    if event.WhichOneof("what") != "file_version" or event.step or event.wall_time:
        return None
    return Version(decode_text(event.source_metadata.writer) or None)
