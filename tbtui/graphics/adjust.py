"""Brightness and contrast, transparency, and what lies between two pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.graphics.pictures import resized

if TYPE_CHECKING:
    from tbtui.graphics.pictures import Pixels

CHECKER = (102, 153)
"""Greys of the squares behind what is transparent, as painting programs have them; seen as such on dark and light."""


def adjusted(pixels: Pixels, brightness: float = 1.0, contrast: float = 1.0) -> Pixels:
    """A picture with another brightness and contrast.

    As TensorBoard has it, with the CSS filters `contrast(c) brightness(b)`, one after the other: with channels from 0
    to 1 first (p - 0.5) c + 0.5, then times b, after each no less than 0 and no more than 1. Alpha stays.

    Args:
        pixels: See `Pixels`; the same array is returned where nothing is to be done.
        brightness: 0 is black, 1 nothing changed; TensorBoard's slider ends at 2.
        contrast: 0 is grey, 1 nothing changed; TensorBoard's slider ends at 5.
    """
    if brightness == contrast == 1:
        return pixels
    levels = np.arange(256) / 255
    levels = np.clip(np.clip((levels - 0.5) * contrast + 0.5, 0, 1) * brightness, 0, 1)
    table = np.rint(levels * 255).astype(np.uint8)
    out: Pixels = table[pixels]
    if pixels.shape[2] == 4:
        out[..., 3] = pixels[..., 3]
    return out


def on_checker(pixels: Pixels, square: int = 1) -> Pixels:
    """A picture without alpha: what is transparent lets a checkerboard through.

    Args:
        pixels: See `Pixels`; the same array is returned where it has no alpha.
        square: Side of a square of the board, in pixels.
    """
    if pixels.shape[2] == 3:
        return pixels
    height, width = pixels.shape[:2]
    odd = (np.arange(height)[:, None] // square + np.arange(width) // square) % 2
    return on_colour(pixels, np.array(CHECKER, np.uint8)[odd][..., None])


def on_colour(pixels: Pixels, ground: Pixels) -> Pixels:
    """A picture without alpha before another one.

    Args:
        pixels: See `Pixels`; the same array is returned where it has no alpha.
        ground: Whatever can be spread to uint8[height, width, 3].
    """
    if pixels.shape[2] == 3:
        return pixels
    alpha = pixels[..., 3:].astype(np.uint16)
    both = pixels[..., :3] * alpha + ground * (255 - alpha)
    return ((both + 127) // 255).astype(np.uint8)


@frozen(eq=False)
class Difference:
    """How far two pictures are apart."""

    pixels: Pixels
    """Of each channel the distance, black where there is none; without alpha."""

    largest: int
    """The largest distance of any channel, 0 to 255."""

    mean: float
    """Of all channels, 0 to 255."""

    differing: float
    """Part of the pixels that differ in any channel, 0 to 1."""

    note: str = ""
    """What has to be known, in a few words: the pictures are not of one size."""


def difference(one: Pixels, other: Pixels) -> Difference:
    """The distance of two pictures, pixel by pixel; of what is transparent in one of them alone, it is how much.

    Where their sizes differ, the second is brought to the size of the first, and that is said.
    """
    note = ""
    if one.shape[:2] != other.shape[:2]:
        (height, width), (down, across) = one.shape[:2], other.shape[:2]
        note = f"{width}×{height} beside {across}×{down}, brought to that size"
        other = resized(other, (0.0, 0.0, float(across), float(down)), width, height)
    black = np.zeros(1, np.uint8)
    apart = _distance(on_colour(one, black), on_colour(other, black))
    if one.shape[2] == 4 or other.shape[2] == 4:
        apart = np.maximum(apart, _distance(_alpha(one), _alpha(other)))
    if not apart.size:
        return Difference(apart, 0, 0.0, 0.0, note)
    return Difference(apart, int(apart.max()), float(apart.mean()), float(apart.any(axis=2).mean()), note)


def _distance(one: Pixels, other: Pixels) -> Pixels:
    return np.asarray(np.maximum(one, other) - np.minimum(one, other))


def _alpha(pixels: Pixels) -> Pixels:
    return pixels[..., 3:] if pixels.shape[2] == 4 else np.full((*pixels.shape[:2], 1), 255, np.uint8)
