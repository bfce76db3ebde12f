"""A line through dots: which dots of each column it lights.

The line is walked column by column: where it crosses from one column into the next it has an exact height there, so a
column shows the span between its two crossings and the points within. Spans meet but do not overlap, which keeps
gentle slopes one dot thin; an extreme that a point itself makes is lit exactly, so that no spike is rounded away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import nearest_dot

if TYPE_CHECKING:
    import numpy.typing as npt

FAR = 1e7
"""Dots; what lies farther out is drawn as if it lay here."""

AT_ONE = 1e-6
"""Dots; heights that differ by less are the same, rounded differently."""

CROWDED = 1 << 17
"""Points and crossings; a line that has more (torn or thrown back tens of thousands of times) shows points alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Vertical runs of lit dots, all within the raster."""

    columns: npt.NDArray[np.intp]
    tops: npt.NDArray[np.intp]
    bottoms: npt.NDArray[np.intp]
    """Last lit row, not less than `tops`."""

    alone: npt.NDArray[np.bool_]
    """A single point that nothing joins to others."""


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """The line as heights in order: its points, and twice (leaving and entering) each crossing between columns."""

    columns: npt.NDArray[np.intp]
    heights: npt.NDArray[np.float64]
    crossing: npt.NDArray[np.bool_]


def line_spans(across: npt.NDArray[np.float64], down: npt.NDArray[np.float64], width: int, height: int) -> Spans:
    """The dots of a line.

    Args:
        across: Dot column of each point, float64[n]; must not go back but where `down` is NaN.
        down: Dot row of each point, float64[n]; NaN interrupts the line.
        width: Columns of the raster.
        height: Rows of the raster.
    """
    drawn = np.isfinite(across) & ~np.isnan(down)
    columns = nearest_dot(np.clip(np.where(drawn, across, 0.0), -1, width))
    crossings = np.zeros(len(across), np.intp)
    np.maximum(columns[1:] - columns[:-1], 0, out=crossings[:-1], where=drawn[1:] & drawn[:-1])
    heights = np.clip(np.where(drawn, down, np.nan), -FAR, FAR)
    if len(across) + int(crossings.sum()) > CROWDED:
        return _points_alone(columns[drawn], nearest_dot(heights[drawn]), width, height)
    walk = _walk(np.clip(across, -FAR, FAR), heights, columns, crossings)
    return _spans(walk, width, height)


def _points_alone(columns: npt.NDArray[np.intp], rows: npt.NDArray[np.intp], width: int, height: int) -> Spans:
    shown = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    columns, rows = columns[shown], rows[shown]
    return Spans(columns, rows, rows, np.zeros(len(rows), np.bool_))


def _walk(
    across: npt.NDArray[np.float64],
    heights: npt.NDArray[np.float64],
    columns: npt.NDArray[np.intp],
    crossings: npt.NDArray[np.intp],
) -> _Walk:
    """Points and crossings in order; `crossings` says how many lie between each point and the next."""
    before = np.cumsum(crossings) - crossings
    places = np.arange(len(across)) + 2 * before
    length = len(across) + 2 * int(crossings.sum())
    walk = _Walk(np.empty(length, np.intp), np.empty(length), np.ones(length, np.bool_))
    walk.columns[places] = columns
    walk.heights[places] = heights
    walk.crossing[places] = False
    origin = np.repeat(np.arange(len(across)), crossings)
    nth = np.arange(len(origin)) - before[origin]
    left = columns[origin] + nth
    part = (left + 0.5 - across[origin]) / (across[origin + 1] - across[origin])
    crossed = heights[origin] + (heights[origin + 1] - heights[origin]) * part
    at = places[origin] + 1 + 2 * nth
    for side in (0, 1):
        walk.columns[at + side] = left + side
        walk.heights[at + side] = crossed
    return walk


def _spans(walk: _Walk, width: int, height: int) -> Spans:
    missing = np.isnan(walk.heights)
    begins = np.ones(len(missing), np.bool_)
    begins[1:] = (walk.columns[1:] != walk.columns[:-1]) | missing[1:] | missing[:-1]
    starts = np.flatnonzero(begins & ~missing & (walk.columns >= 0) & (walk.columns < width))
    if len(starts) == 0:
        none = np.empty(0, np.intp)
        return Spans(none, none, none, np.empty(0, np.bool_))
    return _lit(walk, np.flatnonzero(begins), starts, height)


def _lit(walk: _Walk, begins: npt.NDArray[np.intp], starts: npt.NDArray[np.intp], height: int) -> Spans:
    chosen = np.searchsorted(begins, starts)
    high = np.minimum.reduceat(walk.heights, begins)[chosen]
    low = np.maximum.reduceat(walk.heights, begins)[chosen]
    # A side made by a crossing is shared with the neighbouring column: each takes its half of the step between them.
    # A side made by a point, even one right at a crossing, is where it is.
    shared_high = np.minimum.reduceat(np.where(walk.crossing, np.inf, walk.heights), begins)[chosen] > high + AT_ONE
    shared_low = np.maximum.reduceat(np.where(walk.crossing, -np.inf, walk.heights), begins)[chosen] < low - AT_ONE
    top, bottom = high + 0.5 * shared_high, low - 0.5 * shared_low
    thin = top > bottom
    middle = np.where(shared_high, np.where(shared_low, (high + low) / 2, low), high)
    tops = nearest_dot(np.where(thin, middle, top))
    bottoms = nearest_dot(np.where(thin, middle, bottom))
    shown = (bottoms >= 0) & (tops < height)
    alone = ~np.logical_or.reduceat(walk.crossing, begins)[chosen] & (tops == bottoms)
    return Spans(
        walk.columns[starts][shown],
        np.maximum(tops, 0)[shown],
        np.minimum(bottoms, height - 1)[shown],
        alone[shown],
    )
