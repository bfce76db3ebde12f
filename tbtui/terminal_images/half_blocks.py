"""Draw images as half blocks, two pixels per cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.charts.cells import BLANK, NO_COLOUR, Cells, Ink, colour_pairs
from tbtui.charts.heat_levels import run_starts
from tbtui.terminal_images.decode import LUMA, draw_on_checker
from tbtui.terminal_images.quantization import quantize_16, quantize_256, tile_thresholds

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.terminal_images.decode import Pixels


Depth: TypeAlias = Literal["true", "256", "16", "none"]
"""Colours of a terminal: true colours, those of an xterm, those of a VGA, or none."""

PIXELS_DOWN = 2
"""Pixels of a cell in vertical direction."""

SQUARE = 4
"""Side of the squares behind a transparent image, in pixels."""

TOLERANCE = 3
"""Maximum error of a channel, of 255."""

UPPER = ord("▀")

_DENSE = np.array([ord(glyph) for glyph in " ░▒▓█▀▄"], np.uint32)

_COVERED = np.array([[0, 0], [0.25, 0.25], [0.5, 0.5], [0.75, 0.75], [1, 1], [1, 0], [0, 1]])
"""Covered share of the upper and of the lower half of a cell, by glyph."""


def choose_depth(color_system: str | None, *, no_color: bool, native: bool) -> Depth:
    """Return the colours in which an image may be drawn.

    Args:
        color_system: Name in Rich: `truecolor`, `256`, `standard`, `windows`; None: no colours.
        no_color: True if the user disabled colours (`NO_COLOR`).
        native: True if the theme uses the colours of the terminal; other themes keep their greys without colours.
    """
    if color_system is None or (no_color and (native or color_system in ("standard", "windows"))):
        return "none"
    return "true" if color_system == "truecolor" else "256" if color_system == "256" else "16"


def draw_half_blocks(pixels: Pixels, depth: Depth = "true", *, dark: bool = True) -> Cells:
    """Draw an image as cells [(height + 1) // 2, width].

    Args:
        pixels: See `terminal_images.decode.Pixels`; transparent pixels show a checkerboard.
        depth: Colours of the terminal. Few colours are dithered; without colours, the covered part of a cell shows its
            brightness.
        dark: True if text is brighter than its background; used without colours.
    """
    pixels = draw_on_checker(pixels, SQUARE)
    if depth == "none":
        return _draw_without_colours(pixels, dark=dark)
    if depth != "true":
        pixels = quantize_256(pixels) if depth == "256" else quantize_16(pixels)
    odd = len(pixels) % PIXELS_DOWN
    if odd:
        pixels = np.vstack((pixels, pixels[-1:]))
    merged = (_merge_similar(pixels) if depth == "true" else pixels).astype(np.int64)
    colours = merged[..., 0] << 16 | merged[..., 1] << 8 | merged[..., 2]
    upper, lower = colours[::2], colours[1::2]
    if odd:
        lower[-1] = NO_COLOUR
    glyphs = np.where(upper == lower, BLANK, UPPER).astype(np.uint32)
    return Cells(glyphs, np.full(glyphs.shape, Ink.NONE, np.int16), colour_pairs(upper, lower))


def _merge_similar(pixels: Pixels) -> Pixels:
    """Return pixels with one colour for similar neighbours, which halves the bytes of a photo.

    From the left of a row of cells, all pixels within `TOLERANCE` of the middle of a span get its colour.
    """
    height, width = len(pixels) // PIXELS_DOWN, pixels.shape[1]
    columns = (
        pixels.reshape(height, PIXELS_DOWN, width, 3).transpose(2, 1, 3, 0).reshape(width, PIXELS_DOWN * 3, height)
    )
    columns = columns.astype(np.int16)
    is_start = run_starts(columns, 2 * TOLERANCE)
    starts = np.flatnonzero(is_start)
    flat = columns.transpose(2, 0, 1).reshape(height * width, PIXELS_DOWN * 3)
    middles = (np.minimum.reduceat(flat, starts) + np.maximum.reduceat(flat, starts) + 1) // 2
    filled = np.repeat(middles.astype(np.uint8), np.diff(starts, append=is_start.size), axis=0)
    smoothed: Pixels = filled.reshape(height, width, PIXELS_DOWN, 3).transpose(0, 2, 1, 3).reshape(pixels.shape)
    return smoothed


def _draw_without_colours(pixels: Pixels, *, dark: bool) -> Cells:
    """Return shades for cells with two halves of about equal brightness, half blocks for the others."""
    brightness = pixels @ LUMA / 255
    if not dark:
        brightness = 1 - brightness
    if len(brightness) % PIXELS_DOWN:
        brightness = np.vstack((brightness, np.zeros((1, brightness.shape[1]))))
    halves = np.stack((brightness[::2], brightness[1::2]), axis=2)
    dithering = (tile_thresholds(*halves.shape[:2])[..., None] - 0.5) / 8
    glyphs = _DENSE[_find_nearest_glyphs(halves + dithering)]
    return Cells(glyphs, np.where(glyphs == BLANK, Ink.NONE, Ink.TEXT).astype(np.int16))


def _find_nearest_glyphs(halves: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    return np.asarray(((halves[..., None, :] - _COVERED) ** 2).sum(axis=3).argmin(axis=2))
