"""Select the frames of an animation that show its changes.

Frames at equal distances in time may all show the same picture and miss a jump in between. Here the distance of two
frames is mainly the change between them, plus a small part of time for animations of equal frames.
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
"""Maximum pixels of all frames of an animation whose changes are measured: half a second of decoding."""

SCANNED_SIZE = (48, 48)
"""Width and height that are sufficient to measure a change."""

TIME_SHARE = 0.1
"""Share of time in the distance of two frames; the rest is change."""


def is_scanned(header: Header) -> bool:
    """Return True if an animation is small enough to decode all its frames."""
    return header.frames > 1 and header.frames * header.width * header.height <= MAX_SCANNED_PIXELS


def measure_changes(frames: Frames) -> Changes:
    """Return the mean difference of each frame from the one before over pixels and channels, float64[n], 0 to 255.

    The first frame has 0. The result ends before the first frame that cannot be decoded.
    """
    changes = np.zeros(len(frames))
    previous: Pixels | None = None
    for index in range(len(frames)):
        try:
            pixels = frames.at(index, enough=SCANNED_SIZE).pixels
        except PictureError:
            return changes[:index]
        if previous is not None and previous.shape == pixels.shape:
            changes[index] = np.abs(pixels.astype(np.int16) - previous).mean()
        previous = pixels
    return changes


def spread_frames(total: int, count: int) -> tuple[int, ...]:
    """Return the indices of frames at equal distances, including the first and the last."""
    count = min(count, total)
    return tuple(index * (total - 1) // max(count - 1, 1) for index in range(count))


def choose_frames(changes: Changes, count: int) -> tuple[int, ...]:
    """Return the indices of at most `count` frames at equal distances of change, including the first and the last."""
    total = len(changes)
    if count >= total or count < 3 or not changes.any():
        return spread_frames(total, count)
    distances = np.cumsum(changes) / changes.sum() * (1 - TIME_SHARE) + np.linspace(0, TIME_SHARE, total)
    selected = [0]
    for nth in range(1, count):
        nearest = int(np.argmin(np.abs(distances - nth / (count - 1))))
        # Each of the remaining frames needs an index after this one.
        selected.append(min(max(nearest, selected[-1] + 1), total - count + nth))
    return tuple(selected)
