"""Pictures in few colours: neighbouring pixels take turns, so that from afar their mean is nearer to what it was.

The pattern is always the same one at the same place (ordered dithering), so that of two pictures that differ in a
corner only the corner is drawn anew.

Source: B. E. Bayer, "An optimum method for two-level rendition of continuous-tone pictures", 1973.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.graphics.pictures import Pixels

_CUBE = np.array([0, 95, 135, 175, 215, 255])
"""Levels of each channel in the colours 16 to 231 of an xterm."""

_GREYS = np.array([0, *range(8, 239, 10), 255])
"""Its greys, 232 to 255, between black and white."""

_GREYS_FOR_RICH = np.rint(np.arange(len(_GREYS)) * 255 / (len(_GREYS) - 1)).astype(np.int_)
"""What Rich takes for each of them: it divides the way from black to white evenly, which xterm does not."""

STRENGTH = 0.4
"""How far thresholds are from the middle: with few pixels the turns that they take are seen as noise."""

_SIXTEEN_HEX = """
    000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff
"""
_SIXTEEN = np.array([list(bytes.fromhex(colour)) for colour in _SIXTEEN_HEX.split()])
"""The sixteen colours of a VGA; what a terminal makes of them is its user's choice."""

_SPREAD = 48
"""Of sixteen colours: how far a channel is moved up or down at most, together."""

_BAYER = (np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) + 0.5) / 16
"""From 0 to 1, evenly."""


def thresholds(height: int, width: int) -> npt.NDArray[np.float64]:
    """float64[height, width] between 0 and 1: of any neighbours as many lie below a number as it is large."""
    return np.tile(_BAYER, (-(-height // 4), -(-width // 4)))[:height, :width]


def in_256(pixels: Pixels) -> Pixels:
    """uint8[height, width, 3] in the colours 16 to 255 of an xterm."""
    limits = 0.5 + STRENGTH * (thresholds(*pixels.shape[:2]) - 0.5)[..., None]
    middle, mean = np.array(0.5), np.rint(pixels.mean(axis=2, keepdims=True))
    from_cube = ((_between(pixels, _CUBE, middle) - pixels.astype(np.int_)) ** 2).sum(axis=2)
    from_grey = ((_between(mean, _GREYS, middle) - pixels.astype(np.int_)) ** 2).sum(axis=2)
    greys = _GREYS_FOR_RICH[np.searchsorted(_GREYS, _between(mean, _GREYS, limits))]
    nearer = (from_grey < from_cube)[..., None]
    return np.where(nearer, greys, _between(pixels, _CUBE, limits)).astype(np.uint8)


def in_16(pixels: Pixels) -> Pixels:
    """uint8[height, width, 3] in the colours of a VGA."""
    moved = pixels + (thresholds(*pixels.shape[:2])[..., None] - 0.5) * _SPREAD
    # |a - b|² without what all colours have in common; green counts for most of what is bright.
    weights = np.array([0.30, 0.59, 0.11])
    apart = (_SIXTEEN**2 @ weights) - 2 * (moved * weights) @ _SIXTEEN.T
    found: Pixels = _SIXTEEN[apart.argmin(axis=2)].astype(np.uint8)
    return found


def _between(
    values: npt.NDArray[np.uint8] | npt.NDArray[np.float64],
    levels: npt.NDArray[np.int_],
    limits: npt.NDArray[np.float64],
) -> npt.NDArray[np.int_]:
    """Of the levels below and above each value the one that its threshold tells."""
    above = np.clip(np.searchsorted(levels, values), 1, len(levels) - 1)
    low, high = levels[above - 1], levels[above]
    return np.where((values - low) > limits * (high - low), high, low)
