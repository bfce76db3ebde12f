"""Pictures as character cells: two pixels a cell, one above the other, in the colours that the terminal has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.charts.cells import NO_COLOUR, Cells, Ink, colour_pairs
from tbtui.charts.half_blocks import runs_begin
from tbtui.graphics.adjust import on_checker
from tbtui.graphics.dither import in_16, in_256, thresholds

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.graphics.pictures import Pixels

Depth: TypeAlias = Literal["true", "256", "16", "none"]
"""Colours of a terminal: any, those of an xterm, those of a VGA; or none at all."""

DOTS_DOWN = 2
"""Pixels of a cell, one above the other."""

SQUARE = 4
"""Pixels that a square of the board behind a transparent picture is wide."""

TOLERANCE = 3
"""Of 255, that a channel may be off."""

BLANK, UPPER = 32, ord("▀")

_DENSE = np.array([ord(glyph) for glyph in " ░▒▓█▀▄"], np.uint32)
_COVERED = np.array([[0, 0], [0.25, 0.25], [0.5, 0.5], [0.75, 0.75], [1, 1], [1, 0], [0, 1]])
"""How much of its upper and of its lower half each of them covers."""

_LUMA = np.array([0.299, 0.587, 0.114])
"""What the channels count for in brightness; source: ITU-R BT.601."""


def depth_of(color_system: str | None, *, no_color: bool, native: bool) -> Depth:
    """What colours a picture may be drawn in.

    Args:
        color_system: As Rich names it: `truecolor`, `256`, `standard`, `windows`; None where there is none.
        no_color: Whether the user asked for no colours (`NO_COLOR`).
        native: Whether the theme is in the terminal's own colours; in others greys stay where colours are taken away.
    """
    if color_system is None or (no_color and (native or color_system in ("standard", "windows"))):
        return "none"
    return "true" if color_system == "truecolor" else "256" if color_system == "256" else "16"


def half_blocks(pixels: Pixels, depth: Depth = "true", *, dark: bool = True) -> Cells:
    """A picture as cells [(height + 1) // 2, width].

    Args:
        pixels: See `graphics.pictures.Pixels`; what is transparent lets a checkerboard through.
        depth: Colours of the terminal. Where there are few, neighbours take turns; where there are none, brightness
            is how much of a cell is covered.
        dark: Where there are none: whether text is brighter than what is behind it.
    """
    pixels = on_checker(pixels, SQUARE)
    if depth == "none":
        return _uncoloured(pixels, dark=dark)
    if depth != "true":
        pixels = in_256(pixels) if depth == "256" else in_16(pixels)
    odd = len(pixels) % DOTS_DOWN
    if odd:
        pixels = np.vstack((pixels, pixels[-1:]))
    parts = (_steady(pixels) if depth == "true" else pixels).astype(np.int64)
    colours = parts[..., 0] << 16 | parts[..., 1] << 8 | parts[..., 2]
    over, under = colours[::2], colours[1::2]
    if odd:
        under[-1] = NO_COLOUR
    glyphs = np.where(over == under, BLANK, UPPER).astype(np.uint32)
    return Cells(glyphs, np.full(glyphs.shape, Ink.NONE, np.int16), colour_pairs(over, under))


def _steady(pixels: Pixels) -> Pixels:
    """Neighbours that nobody tells apart in one colour: half the bytes of a photo.

    From the left of a row of cells on, all that are within `TOLERANCE` of what is in the middle of them become that.
    """
    height, width = len(pixels) // DOTS_DOWN, pixels.shape[1]
    columns = pixels.reshape(height, DOTS_DOWN, width, 3).transpose(2, 1, 3, 0).reshape(width, DOTS_DOWN * 3, height)
    columns = columns.astype(np.int16)
    begins = runs_begin(columns, 2 * TOLERANCE)
    starts = np.flatnonzero(begins)
    flat = columns.transpose(2, 0, 1).reshape(height * width, DOTS_DOWN * 3)
    middles = (np.minimum.reduceat(flat, starts) + np.maximum.reduceat(flat, starts) + 1) // 2
    whole = np.repeat(middles.astype(np.uint8), np.diff(starts, append=begins.size), axis=0)
    steady: Pixels = whole.reshape(height, width, DOTS_DOWN, 3).transpose(0, 2, 1, 3).reshape(pixels.shape)
    return steady


def _uncoloured(pixels: Pixels, *, dark: bool) -> Cells:
    """Shades where both halves of a cell are about as bright, halves where they are not."""
    bright = pixels @ _LUMA / 255
    if not dark:
        bright = 1 - bright
    if len(bright) % DOTS_DOWN:
        bright = np.vstack((bright, np.zeros((1, bright.shape[1]))))
    halves = np.stack((bright[::2], bright[1::2]), axis=2)
    turns = (thresholds(*halves.shape[:2])[..., None] - 0.5) / 8
    glyphs = _DENSE[_nearest(halves + turns)]
    return Cells(glyphs, np.where(glyphs == BLANK, Ink.NONE, Ink.TEXT).astype(np.int16))


def _nearest(halves: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    return np.asarray(((halves[..., None, :] - _COVERED) ** 2).sum(axis=3).argmin(axis=2))
