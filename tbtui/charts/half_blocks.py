"""Levels of the colour map as character cells: two pixels a cell, one above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tbtui.charts.cells import Cells, Ink, heat

if TYPE_CHECKING:
    import numpy.typing as npt

AnyNumber = TypeVar("AnyNumber", bound="np.number[Any]")

TOLERANCES = (1.0, 2.0, 4.0)
"""Levels that a pixel may be off, so that more neighbours have one colour and the picture takes fewer bytes. The first
nobody sees, and it halves a picture of many histograms; the others are for pictures of noise, which hides them."""

FEW, FEW_AT_ALL = 0.16, 200
"""Runs a cell, and in a small picture runs in all, that the next tolerance is not needed for; each takes about 40 bytes
to the terminal."""

UPPER, LOWER, BLANK = ord("▀"), ord("▄"), 32

_APART = -1000.0
"""Stands for level 0 where levels are compared: nothing and something never become one."""


def half_blocks(levels: npt.NDArray[np.int16]) -> Cells:
    """Cells [height, width] from levels [2 height, width], the top row first.

    A cell of one colour is a blank on it. One with nothing above has its glyph below, since the background is no colour
    that a glyph could have.
    """
    over, under = levels[::2], levels[1::2]
    falls = (over == 0) & (under > 0)
    inks = np.where(falls, heat(under, over), heat(over, under))
    inks[(over == 0) & (under == 0)] = Ink.NONE
    glyphs = np.select([over == under, falls], [BLANK, LOWER], UPPER)
    return Cells(glyphs.astype(np.uint32), inks)


def steady(levels: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
    """Fractions of levels as whole ones, in runs along each row of cells.

    From the left, a run goes on while neither its upper pixels nor its lower ones spread over more than twice the
    tolerance; all of a run have the level in the middle of that.

    Args:
        levels: float64[2 height, width]; 0 is nothing, and stays so, anything else is at least 1.

    Returns:
        int16[2 height, width].
    """
    height, width = len(levels) // 2, levels.shape[1]
    pairs = levels.reshape(height, 2, width).transpose(1, 0, 2)
    columns = np.where(pairs > 0, pairs, _APART).transpose(2, 0, 1).copy()
    for tolerance in TOLERANCES:
        begins = runs_begin(columns, 2 * tolerance)
        starts = np.flatnonzero(begins)
        if len(starts) <= max(FEW * begins.size, FEW_AT_ALL):
            break
    flat = pairs.reshape(2, -1)
    middles = (np.minimum.reduceat(flat, starts, axis=1) + np.maximum.reduceat(flat, starts, axis=1)) / 2
    whole = np.repeat(np.rint(middles).astype(np.int16), np.diff(starts, append=begins.size), axis=1)
    return np.asarray(whole.reshape(2, height, width).transpose(1, 0, 2).reshape(2 * height, width))


def runs_begin(columns: npt.NDArray[AnyNumber], spread: float) -> npt.NDArray[np.bool_]:
    """Where cells begin that are about the same, from the left of each row on.

    Args:
        columns: [width, parts, height]: each cell has so many numbers.
        spread: How far those of a run are apart at most.

    Returns:
        bool[height, width].
    """
    begins = np.ones((columns.shape[2], len(columns)), np.bool_)
    low = high = columns[0]
    for index in range(1, len(columns)):
        column = columns[index]
        low, high = np.minimum(low, column), np.maximum(high, column)
        begins[:, index] = fresh = (high - low > spread).any(axis=0)
        low, high = np.where(fresh, column, low), np.where(fresh, column, high)
    return begins
