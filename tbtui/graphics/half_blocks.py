"""Pictures as character cells: two pixels a cell, one above the other, in the colours that the terminal has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.charts.cells import NO_COLOUR, Cells, Ink, colour_pairs
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
    parts = pixels.astype(np.int64)
    colours = parts[..., 0] << 16 | parts[..., 1] << 8 | parts[..., 2]
    if len(colours) % DOTS_DOWN:
        colours = np.vstack((colours, np.full((1, colours.shape[1]), NO_COLOUR)))
    over, under = colours[::2], colours[1::2]
    glyphs = np.where(over == under, BLANK, UPPER).astype(np.uint32)
    return Cells(glyphs, np.full(glyphs.shape, Ink.NONE, np.int16), colour_pairs(over, under))


def _uncoloured(pixels: Pixels, *, dark: bool) -> Cells:
    """Shades where both halves of a cell are about as bright, halves where they are not."""
    bright = pixels @ _LUMA / 255
    if not dark:
        bright = 1 - bright
    if len(bright) % DOTS_DOWN:
        bright = np.vstack((bright, np.zeros((1, bright.shape[1]))))
    halves = np.stack((bright[::2], bright[1::2]), axis=2)
    turns = (thresholds(*halves.shape[:2])[..., None] - 0.5) / 4
    glyphs = _DENSE[_nearest(halves + turns)]
    return Cells(glyphs, np.where(glyphs == BLANK, Ink.NONE, Ink.TEXT).astype(np.int16))


def _nearest(halves: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    return np.asarray(((halves[..., None, :] - _COVERED) ** 2).sum(axis=3).argmin(axis=2))
