"""Rasterize lines: the dots that lines light in each column, any number of lines in one pass.

A line is followed column by column. Its height is computed exactly where it crosses from one column into the next, so a
column shows the span between its two crossings and the points within. Spans meet but do not overlap, which keeps gentle
slopes one dot thin. The height of a point is lit exactly, so that no spike is rounded away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import round_to_dots
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_DOTS = 1e7
"""Distances in dots are clipped to this."""

SAME_HEIGHT_DOTS = 1e-6
"""Heights in dots that differ by less are equal except for rounding."""

MAX_CROSSINGS = 1 << 15
"""A line with more crossings (a hundred times over the whole width) shows only its points."""

_NOT_DRAWN = -2
"""Column of points that are not drawn."""


@frozen(eq=False)
class Spans:
    """Vertical runs of dots, by line and in the order of each line."""

    lines: npt.NDArray[np.intp]
    """Index of its line."""

    columns: npt.NDArray[np.intp]
    tops: npt.NDArray[np.intp]
    bottoms: npt.NDArray[np.intp]
    """Last lit row, not less than `tops`."""

    is_lone: npt.NDArray[np.bool_]
    """True for a single point that is not connected to another one."""

    def select(self, selected: npt.NDArray[np.bool_]) -> Spans:
        """Return some of the spans."""
        if bool(selected.all()):
            return self
        lines, columns, tops, bottoms = (each[selected] for each in (self.lines, self.columns, self.tops, self.bottoms))
        return Spans(lines, columns, tops, bottoms, self.is_lone[selected])

    def clip_rows(self, height: int) -> Spans:
        """Return the parts of the spans in rows 0 to before `height`."""
        visible = self.select((self.bottoms >= 0) & (self.tops < height))
        tops, bottoms = np.maximum(visible.tops, 0), np.minimum(visible.bottoms, height - 1)
        return Spans(visible.lines, visible.columns, tops, bottoms, visible.is_lone)


@frozen(eq=False)
class _Blocks:
    """Consecutive points in one column of one line, and the part of the line up to the next block."""

    lines: npt.NDArray[np.intp]
    columns: npt.NDArray[np.intp]
    points: npt.NDArray[np.float64]
    """[2, blocks]: minimum and maximum height."""

    end: npt.NDArray[np.float64]
    """[2, blocks]: dot column and height of the last point."""

    slope: npt.NDArray[np.float64]
    """Change of the height per column from the last point to the next block; NaN at the end of the line."""

    crossings: npt.NDArray[np.intp]
    """Columns from the last point to the next block; 0 at the end of the line."""


def rasterize_lines(
    across: npt.NDArray[np.float64],
    down: npt.NDArray[np.float64],
    width: int,
    starts: npt.NDArray[np.intp] | None = None,
) -> Spans:
    """Return the dots of lines in columns 0 to before `width`, in any rows.

    Args:
        across: Dot column of each point, float64[n]. A point that is not finite, or a column to the left of the one
            before, interrupts its line.
        down: Dot row of each point, float64[n]; NaN interrupts the line.
        width: Columns of the raster.
        starts: Index of the first point of each line, ascending; None: one line. A line may have no points.
    """
    blocks = _group_points(across, down, width, np.zeros(1, np.intp) if starts is None else starts)
    is_crowded = np.bincount(blocks.lines, blocks.crossings) > MAX_CROSSINGS
    if bool(is_crowded.any()):
        is_in_crowded_line = is_crowded[blocks.lines]
        blocks.crossings[is_in_crowded_line], blocks.slope[is_in_crowded_line] = 0, np.nan
    spans = _build_spans(blocks)
    spans.is_lone[is_crowded[spans.lines]] = False
    return spans.select((spans.columns >= 0) & (spans.columns < width))


def _group_points(
    across: npt.NDArray[np.float64], down: npt.NDArray[np.float64], width: int, starts: npt.NDArray[np.intp]
) -> _Blocks:
    columns = _to_columns(across, down, width)
    is_start = np.empty(len(columns), np.bool_)
    np.not_equal(columns[1:], columns[:-1], out=is_start[1:])
    is_start[starts[starts < len(columns)]] = True
    firsts = np.flatnonzero(is_start)
    if len(firsts) == 0:
        return _Blocks(firsts, firsts, *(np.empty((2, 0)), np.empty((2, 0)), np.empty(0)), firsts)
    lasts = np.append(firsts[1:], len(columns)) - 1
    lines = np.searchsorted(starts, firsts, "right") - 1
    block_columns = columns[firsts].astype(np.intp)
    is_drawn = block_columns != _NOT_DRAWN
    is_joined = is_drawn[:-1] & is_drawn[1:] & (lines[1:] == lines[:-1]) & (block_columns[1:] > block_columns[:-1])
    crossings = np.zeros(len(firsts), np.intp)
    np.subtract(block_columns[1:], block_columns[:-1], out=crossings[:-1], where=is_joined)
    first_points = np.clip((across[firsts], down[firsts]), -MAX_DOTS, MAX_DOTS)
    last_points = np.clip((across[lasts], down[lasts]), -MAX_DOTS, MAX_DOTS)
    to_next = first_points[:, 1:] - last_points[:, :-1]
    slope = np.full(len(firsts), np.nan)
    np.divide(to_next[1], to_next[0], out=slope[:-1], where=is_joined)
    points = np.stack((np.minimum.reduceat(down, firsts), np.maximum.reduceat(down, firsts)))
    np.clip(points, -MAX_DOTS, MAX_DOTS, out=points)
    if bool(is_drawn.all()):
        return _Blocks(lines, block_columns, points, last_points, slope, crossings)
    return _Blocks(
        lines[is_drawn],
        block_columns[is_drawn],
        points[:, is_drawn],
        last_points[:, is_drawn],
        slope[is_drawn],
        crossings[is_drawn],
    )


def _to_columns(across: npt.NDArray[np.float64], down: npt.NDArray[np.float64], width: int) -> npt.NDArray[np.int32]:
    """Return whole columns of points; -1 left of the raster, `width` right of it."""
    clipped = np.fmax(across, -1)
    np.fmin(clipped, width, out=clipped)
    clipped += 1.5
    columns = clipped.astype(np.int32)  # truncates positive numbers
    columns -= 1
    columns[~np.isfinite(across) | np.isnan(down)] = _NOT_DRAWN
    return columns


def _build_spans(blocks: _Blocks) -> Spans:
    """Return one span for each block, and after it one for each column up to the next block."""
    firsts = np.zeros(len(blocks.columns), np.intp)
    span_counts = np.maximum(blocks.crossings, 1)
    np.cumsum(span_counts[:-1], out=firsts[1:])
    owners = np.repeat(np.arange(len(span_counts)), span_counts)
    columns = blocks.columns[owners] + np.arange(len(owners)) - firsts[owners]
    points = np.empty((2, len(owners)))
    points[0], points[1] = np.inf, -np.inf
    points[:, firsts] = blocks.points
    crossing_heights = np.full(len(owners) + 1, np.nan)  # a line leaves a column and enters the next at one height
    crossing_heights[1:] = blocks.end[1, owners] + (columns + 0.5 - blocks.end[0, owners]) * blocks.slope[owners]
    return Spans(blocks.lines[owners], columns, *_find_lit_rows(points, crossing_heights[:-1], crossing_heights[1:]))


def _find_lit_rows(
    points: npt.NDArray[np.float64], left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Return the first and the last lit row of columns, and True for each lone point.

    Args:
        points: [2, columns]: minimum and maximum height of the points; infinities without points.
        left: Heights at which lines enter from the column before; NaN: no line does.
        right: Heights at which they leave to the next column.
    """
    high = np.fmin(np.fmin(left, right), points[0])
    low = np.fmax(np.fmax(left, right), points[1])
    # An end that a crossing defines is shared with the neighbouring column: each takes half of the difference between
    # them. An end that a point defines, even a point exactly at a crossing, stays as it is.
    shared_high, shared_low = points[0] > high + SAME_HEIGHT_DOTS, points[1] < low - SAME_HEIGHT_DOTS
    top, bottom = high + 0.5 * shared_high, low - 0.5 * shared_low
    is_thin = top > bottom
    middle = np.where(shared_high, np.where(shared_low, (high + low) / 2, low), high)
    tops = round_to_dots(np.where(is_thin, middle, top))
    bottoms = round_to_dots(np.where(is_thin, middle, bottom))
    return tops, bottoms, np.isnan(left) & np.isnan(right) & (tops == bottoms)
