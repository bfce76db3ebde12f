"""Choose the frames of an animation that show what changes in it.

Frames at equal distances in time show a still film six times and miss the jump in between. Here the distance of two
frames is the change between them, and a little of the time, so that a film of equal frames is cut evenly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.terminal_images.header import PictureError

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.terminal_images.decode import Frames, Pixels
    from tbtui.terminal_images.header import Header

    Changes: TypeAlias = npt.NDArray[np.float64]

MAX_SCANNED_PIXELS = 60_000_000
"""Pixels of all frames of an animation that is searched for changes: half a second of decoding."""

SCANNED_SIZE = (48, 48)
"""Width and height that suffice to measure a change."""

TIME_SHARE = 0.1
"""Part of the distance of two frames that is time; the rest is change."""


def is_scanned(header: Header) -> bool:
    """Return True if an animation is small enough to decode all its frames."""
    return header.frames > 1 and header.frames * header.width * header.height <= MAX_SCANNED_PIXELS


def measure_changes(frames: Frames) -> Changes:
    """Return how much each frame differs from the one before: the mean over pixels and channels, float64[n], 0 to 255.

    The first frame has 0. A frame that cannot be decoded ends the search, and so do those behind it.
    """
    changes = np.zeros(len(frames))
    before: Pixels | None = None
    for index in range(len(frames)):
        try:
            pixels = frames.at(index, enough=SCANNED_SIZE).pixels
        except PictureError:
            return changes[:index]
        if before is not None and before.shape == pixels.shape:
            changes[index] = np.abs(pixels.astype(np.int16) - before).mean()
        before = pixels
    return changes


def even_frames(total: int, count: int) -> tuple[int, ...]:
    """Return the indices of frames at equal distances, the first and the last among them."""
    count = min(count, total)
    return tuple(index * (total - 1) // max(count - 1, 1) for index in range(count))


def choose_frames(changes: Changes, count: int) -> tuple[int, ...]:
    """Return the indices of at most `count` frames, ascending and distinct, at equal distances of change.

    The first frame and the last are among them.
    """
    total = len(changes)
    if count >= total or count < 3 or not changes.any():
        return even_frames(total, count)
    passed = np.cumsum(changes) / changes.sum() * (1 - TIME_SHARE) + np.linspace(0, TIME_SHARE, total)
    chosen = [0]
    for nth in range(1, count):
        nearest = int(np.argmin(np.abs(passed - nth / (count - 1))))
        # Each of the remaining frames needs a place behind this one.
        chosen.append(min(max(nearest, chosen[-1] + 1), total - count + nth))
    return tuple(chosen)
