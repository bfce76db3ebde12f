"""Read the durations of the frames of an animation from the blocks before their pixels, without decoding.

Sources: PNG Third Edition 11.3.6.2 (`fcTL`), RFC 9649 2.7.1.1 (`ANMF`). GIF delays are read with the frames (`header`).
"""

from __future__ import annotations

import struct

from tbtui.frozen import frozen

MIN_FRAME_SECONDS, DEFAULT_FRAME_SECONDS = 0.02, 0.1
"""Seconds. A frame shorter than `MIN_FRAME_SECONDS` is shown for `DEFAULT_FRAME_SECONDS`, as in browsers; most such
durations are a meaningless zero."""


def shown_seconds(seconds: float) -> float:
    """Return the duration for which a frame with a stored duration is shown."""
    return seconds if seconds >= MIN_FRAME_SECONDS else DEFAULT_FRAME_SECONDS


@frozen
class AnimationLength:
    """Length of an animation."""

    frames: int
    seconds: float

    @property
    def rate(self) -> float:
        """Mean number of frames per second."""
        return self.frames / self.seconds


def png_seconds(data: bytes, max_frames: int) -> list[float]:
    """Return the stored duration of each frame of an animated PNG, of at most `max_frames`."""
    seconds: list[float] = []
    offset = 8
    while offset + 8 <= len(data) and len(seconds) < max_frames:
        size, name = struct.unpack_from(">I4s", data, offset)
        if name == b"fcTL" and offset + 8 + 26 <= len(data):
            delay, unit = struct.unpack_from(">HH", data, offset + 8 + 20)
            seconds.append(delay / (unit or 100))
        offset += size + 12
    return seconds


def webp_seconds(data: bytes, max_frames: int) -> list[float]:
    """Return the stored duration of each frame of an animated WebP, of at most `max_frames`."""
    seconds: list[float] = []
    offset = 12
    while offset + 8 <= len(data) and len(seconds) < max_frames:
        name, size = struct.unpack_from("<4sI", data, offset)
        if name == b"ANMF" and offset + 8 + 16 <= len(data):
            seconds.append(int.from_bytes(data[offset + 20 : offset + 23], "little") / 1000)
        offset += 8 + size + size % 2
    return seconds
