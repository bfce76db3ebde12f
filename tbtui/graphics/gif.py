"""The frames of a GIF, found without decoding any: how many, how long each is shown, how far they reach.

Pillow lets a frame that lies outside enlarge the whole picture while it is decoded; here that is known beforehand.

Source: GIF89a specification, W3C copy, sections 17 to 27.
"""

from __future__ import annotations

from tbtui.frozen import frozen

_EXTENSION, _PICTURE, _CONTROL = 0x21, 0x2C, 0xF9
_HEADER, _DESCRIPTOR = 13, 10


@frozen
class GifFrames:
    """What is said before the pixels."""

    width: int
    """Of all frames together."""

    height: int
    """Likewise."""

    delays: tuple[int, ...]
    """Hundredths of a second that each frame stays."""


def gif_frames(data: bytes, most: int) -> GifFrames:
    """The frames of a GIF as far as they can be found.

    Args:
        data: The file; it may end or turn into garbage anywhere.
        most: Frames that are looked for at most.
    """
    width, height = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    at = _HEADER + _palette(data[10] if len(data) > 10 else 0)
    delays: list[int] = []
    delay = 0
    while at < len(data) and len(delays) < most:
        block = data[at]
        if block == _EXTENSION and at + 7 < len(data) and data[at + 1] == _CONTROL:
            delay = int.from_bytes(data[at + 4 : at + 6], "little")
            at = _behind_blocks(data, at + 2)
        elif block == _EXTENSION:
            at = _behind_blocks(data, at + 2)
        elif block == _PICTURE and at + _DESCRIPTOR < len(data):
            left, top, across, down = (
                int.from_bytes(data[place : place + 2], "little") for place in range(at + 1, at + 9, 2)
            )
            width, height = max(width, left + across), max(height, top + down)
            delays.append(delay)
            delay = 0
            at = _behind_blocks(data, at + _DESCRIPTOR + _palette(data[at + 9]) + 1)
        elif block == ord(";"):
            break
        else:
            at += 1  # as Pillow does
    return GifFrames(width, height, tuple(delays))


def _palette(flags: int) -> int:
    """Bytes of the palette that flags tell of."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _behind_blocks(data: bytes, at: int) -> int:
    """The place behind blocks that each begin with their size, of which the last is empty."""
    end = len(data)
    while at < end and (size := data[at]):
        at += size + 1
    return at + 1
