"""Read how long the frames of an animation are shown, from the blocks before their pixels; nothing is decoded.

Sources: PNG Third Edition 11.3.6.2 (`fcTL`), RFC 9649 2.7.1.1 (`ANMF`). GIF delays are read with the frames (`header`).
"""

from __future__ import annotations

import struct

from tbtui.frozen import frozen

MIN_FRAME_SECONDS, DEFAULT_FRAME_SECONDS = 0.02, 0.1
"""Seconds: a frame with a shorter duration than `MIN_FRAME_SECONDS` is shown for `DEFAULT_FRAME_SECONDS`, as in
browsers; most such durations are a meaningless zero."""


def shown_seconds(seconds: float) -> float:
    """Return how long a frame is shown."""
    return seconds if seconds >= MIN_FRAME_SECONDS else DEFAULT_FRAME_SECONDS


@frozen
class FilmLength:
    """Length of an animation."""

    frames: int
    seconds: float

    @property
    def rate(self) -> float:
        """Mean number of frames per second."""
        return self.frames / self.seconds


def png_seconds(data: bytes, most: int) -> list[float]:
    """Return the duration of each frame of an animated PNG as stored, at most `most`."""
    seconds: list[float] = []
    at = 8
    while at + 8 <= len(data) and len(seconds) < most:
        size, name = struct.unpack_from(">I4s", data, at)
        if name == b"fcTL" and at + 8 + 26 <= len(data):
            delay, unit = struct.unpack_from(">HH", data, at + 8 + 20)
            seconds.append(delay / (unit or 100))
        at += size + 12
    return seconds


def webp_seconds(data: bytes, most: int) -> list[float]:
    """Return the duration of each frame of an animated WebP as stored, at most `most`."""
    seconds: list[float] = []
    at = 12
    while at + 8 <= len(data) and len(seconds) < most:
        name, size = struct.unpack_from("<4sI", data, at)
        if name == b"ANMF" and at + 8 + 16 <= len(data):
            seconds.append(int.from_bytes(data[at + 20 : at + 23], "little") / 1000)
        at += 8 + size + size % 2
    return seconds
