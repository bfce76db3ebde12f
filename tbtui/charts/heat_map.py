"""Heat maps of histograms: steps across, values down, the share of each bin as its colour.

A cell shows two pixels, one above the other. Steps are distributed over columns: the content of a column is the mean of
its steps, or the step that extends into it. `heat_levels` gives the shares colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.annotations import draw_cursor
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, from_dot_rows, to_dot_columns
from tbtui.charts.cells import HEAT_FROM, Cells, Ink, to_warm_inks
from tbtui.charts.chart_layout import draw_axes, lay_out_chart
from tbtui.charts.heat_levels import (
    LEGEND_WIDTH,
    ColourScale,
    ColourSpacing,
    colour_scale,
    draw_heat_levels,
    draw_legend,
    round_levels,
)
from tbtui.charts.line_chart import NAN_SIGN, draw_signs
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.line_chart import Sign


MIN_LEGEND_WIDTH, MIN_LEGEND_HEIGHT = 60, 8
"""Smaller pictures have no legend."""

BINS_PER_ROW = 2
"""Bins in a row of cells."""

MISSING_SIGN = "╌"
"""Continues the sign in the bottom row over the next columns with missing histograms."""


@frozen(eq=False)
class HeatMap:
    """Data of a heat map."""

    x: npt.NDArray[np.float64]
    """float64[n] on the x axis, ascending."""

    shares: npt.NDArray[np.float64]
    """float64[n, bins]: share of the values of each histogram in each bin of the layout, the lowest values first. A row
    of NaN is a histogram that could not be read."""

    spacing: ColourSpacing = "linear"
    """Spacing of the colours."""

    top: float | None = None
    """Share of the last colour; None: `colour_scale` chooses it."""

    signs: tuple[Sign, ...] = ()
    """Signs over the plot, such as restarts."""


@frozen(eq=False)
class HeatLayout:
    """Layout of a heat map of one size, before there is data."""

    chart: Layout
    """Layout of everything except the legend."""

    bin_edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending: values at the edges of the rows of pixels, two in a row of cells."""

    width: int
    height: int
    has_legend: bool
    """True if the picture is large enough for a legend."""

    zone: tzinfo | None

    @property
    def plot(self) -> PlotArea:
        """Return the area of the data."""
        return self.chart.plot


def lay_out_heat_map(x_axis: Axis, y_axis: Axis, width: int, height: int, zone: tzinfo | None = None) -> HeatLayout:
    """Lay out a heat map of `width` x `height` cells, both at least 1.

    Args:
        x_axis: Axis of steps or times.
        y_axis: Axis of values; the height of bins follows its scale.
        width: Columns; a narrow picture has no legend, a narrower one no labels of the y axis either.
        height: Rows; a low picture has no line of the x axis, a lower one no legend, the lowest no labels.
        zone: Time zone of a wall time axis; None: the zone of the machine.
    """
    has_legend = width >= MIN_LEGEND_WIDTH and height >= MIN_LEGEND_HEIGHT
    chart = lay_out_chart(x_axis, y_axis, (), width - has_legend * LEGEND_WIDTH, height, zone)
    rows = chart.plot.height
    dots = DOTS_DOWN * rows - 0.5 - DOTS_DOWN / BINS_PER_ROW * np.arange(BINS_PER_ROW * rows + 1)
    edges = np.nan_to_num(from_dot_rows(y_axis, dots, rows))  # half a dot beyond the greatest float is infinite
    return HeatLayout(chart, np.maximum.accumulate(edges), width, height, has_legend, zone)


def check_bins(bins: int, layout: HeatLayout) -> None:
    """Raise an exception unless histograms have the bins of a layout.

    Raises:
        ValueError: They have another number of bins.
    """
    expected = len(layout.bin_edges) - 1
    if bins != expected:
        raise ValueError(f"{bins} bins in a layout of {expected}")


@frozen(eq=False)
class HeatPicture:
    """A drawn heat map without its cursor, which can be drawn over it repeatedly."""

    layout: Layout
    scale: ColourScale
    """Meaning of its colours."""

    _cells: Cells
    """Everything except cursor and signs."""

    _zone: tzinfo | None
    _signs: tuple[Sign, ...]

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return new cells with the columns at two x values in warm colours, and lines in their empty cells.

        Args:
            cursor: x of the cursor; None or a value outside the axis is not drawn.
            mark: x of the other end of a range.
        """
        plot = self.layout.plot
        cells = self._cells.copy()
        rows = slice(plot.top, plot.top + plot.height)
        is_filled = cells.inks[rows, plot.left : plot.left + plot.width] != Ink.NONE
        for column in {plot.column(x) for x in (cursor, mark) if x is not None} - {None}:
            inks = cells.inks[rows, column]
            cells.inks[rows, column] = np.where(inks >= HEAT_FROM, to_warm_inks(inks), inks)
        draw_cursor(cells, self.layout, (cursor, mark), is_filled, self._zone)
        draw_signs(cells, self._signs, plot)
        return cells


def draw_heat_map(heat_map: HeatMap, layout: HeatLayout) -> HeatPicture:
    """Draw a heat map without its cursor.

    Raises:
        ValueError: The bins are not those of the layout.
    """
    check_bins(heat_map.shares.shape[1], layout)
    plot = layout.plot
    cells = Cells.blank(layout.height, layout.width)
    draw_axes(cells, layout.chart)
    columns = fill_heat_columns(heat_map.x, heat_map.shares, plot.x_axis, plot.width)
    scale = colour_scale(columns.shares, heat_map.spacing, heat_map.top)
    pixels = draw_heat_levels(round_levels(scale.levels(columns.shares).T[::-1]))
    area = (slice(plot.top, plot.top + plot.height), slice(plot.left, plot.left + plot.width))
    cells.glyphs[area], cells.inks[area] = pixels.glyphs, pixels.inks
    _draw_missing(cells, columns.has_missing, plot)
    if layout.has_legend:
        draw_legend(cells, scale, plot.top, plot.left + plot.width, plot.height)
    return HeatPicture(layout.chart, scale, cells, layout.zone, heat_map.signs)


def _draw_missing(cells: Cells, has_missing: npt.NDArray[np.bool_], plot: PlotArea) -> None:
    """Draw a sign in the first of adjacent columns with missing histograms, and a line in the others."""
    columns = np.flatnonzero(has_missing)
    is_first = np.diff(columns, prepend=-2) > 1
    row = plot.top + plot.height - 1
    cells.glyphs[row, plot.left + columns] = np.where(is_first, ord(NAN_SIGN), ord(MISSING_SIGN))
    cells.inks[row, plot.left + columns] = Ink.BAD


PAUSE_FACTOR = 5
"""A gap between steps that is more than this many times as wide as its neighbours is a pause, which stays blank."""

NEIGHBOUR_GAPS = 3
"""Gaps on either side that are compared with a gap: few, because some runs write ever more rarely."""

LONE_STEP_SHARE = 1 / 16
"""Share of the width that a step without neighbours covers on either side."""


class HeatColumns(NamedTuple):
    """Content of each column."""

    shares: npt.NDArray[np.float64]
    """float64[width, bins]: the mean of its steps; zeros without steps."""

    has_missing: npt.NDArray[np.bool_]
    """bool[width]: True if one of its steps has no histogram."""


def fill_heat_columns(
    x: npt.NDArray[np.float64], shares: npt.NDArray[np.float64], axis: Axis, width: int
) -> HeatColumns:
    """Distribute steps over columns.

    A column with steps shows their mean, which is a distribution again. Any other column shows the nearest step. At a
    pause, a step covers only half of the typical gap; the rest of the pause stays blank.

    Args:
        x: float64[n], ascending on the axis; NaN and values that the scale cannot show are dropped.
        shares: float64[n, bins]; a row of NaN is not a histogram.
        axis: The horizontal axis.
        width: Columns of the plot.
    """
    positions = (to_dot_columns(axis, x, width) + 0.5) / DOTS_ACROSS
    is_finite = np.isfinite(positions)
    if not is_finite.all():
        x, positions, shares = x[is_finite], positions[is_finite], shares[is_finite]
    columns = HeatColumns(np.zeros((width, shares.shape[1])), np.zeros(width, np.bool_))
    if not len(positions):
        return columns
    first, end = np.searchsorted(positions, (0, width)).tolist()
    step_columns = positions[first:end].astype(np.intp)
    starts = np.flatnonzero(np.diff(step_columns, prepend=-1))
    filled = step_columns[starts]
    columns.shares[filled], columns.has_missing[filled] = _group_means(shares[first:end], starts)
    free = np.flatnonzero(np.bincount(filled, minlength=width) == 0)
    nearest = _find_covering_steps(x, positions, free.astype(np.float64) + 0.5, width)
    covered, nearest = free[nearest >= 0], nearest[nearest >= 0]
    columns.shares[covered], columns.has_missing[covered] = _group_means(shares[nearest], np.arange(len(nearest)))
    return columns


def _group_means(
    shares: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the mean of each group of rows that begins at `starts`, and True for each group with a row of NaN."""
    if not len(starts):
        return np.zeros((0, shares.shape[1])), np.zeros(0, np.bool_)
    is_missing = np.isnan(shares[:, 0])
    if is_missing.any():
        shares = np.where(is_missing[:, None], 0.0, shares)
    counts = np.add.reduceat(~is_missing, starts, dtype=np.intp)
    sizes = np.diff(starts, append=len(shares))
    return np.add.reduceat(shares, starts, axis=0) / np.maximum(counts, 1)[:, None], counts < sizes


def _find_covering_steps(
    x: npt.NDArray[np.float64],
    positions: npt.NDArray[np.float64],
    middles: npt.NDArray[np.float64],
    width: int,
) -> npt.NDArray[np.intp]:
    """Return the index of the step that covers the middle of each free column; -1: none.

    Args:
        x: Steps, float64[n].
        positions: Steps in columns of the plot, float64[n], ascending.
        middles: Middles of the free columns, float64[k].
        width: Columns of the plot.
    """
    after = np.searchsorted(positions, middles)
    before = after - 1
    left, right = np.maximum(before, 0), np.minimum(after, len(positions) - 1)
    left_distance = np.where(before < 0, np.inf, middles - positions[left])
    right_distance = np.where(after == len(positions), np.inf, positions[right] - middles)
    nearest = np.where(left_distance <= right_distance, left, right)
    limits = _compute_reach_in_gaps(x, positions, before, width)
    return np.where(np.minimum(left_distance, right_distance) <= limits, nearest, -1)


def _compute_reach_in_gaps(
    x: npt.NDArray[np.float64], positions: npt.NDArray[np.float64], gaps: npt.NDArray[np.intp], width: int
) -> npt.NDArray[np.float64]:
    """Return the columns by which a step extends into each gap; infinite in gaps that are no pauses.

    A pause is wider than usual both in steps and on the screen.

    Args:
        x: Steps, float64[n].
        positions: Steps in columns of the plot, float64[n].
        gaps: Gap i is between step i and the next; -1 is before the first step, n - 1 after the last.
        width: Columns of the plot.
    """
    count = len(positions)
    if count == 1:
        return np.full(len(gaps), max(width * LONE_STEP_SHARE, 1.0))
    distinct_gaps, index_of_gap = np.unique(gaps, return_inverse=True)
    step_sizes, column_sizes = np.diff(x), np.diff(positions)
    usual_columns = _compute_typical_gaps(column_sizes, distinct_gaps)
    inner = np.clip(distinct_gaps, 0, count - 2)
    is_pause = (step_sizes[inner] > PAUSE_FACTOR * _compute_typical_gaps(step_sizes, distinct_gaps)) & (
        column_sizes[inner] > PAUSE_FACTOR * usual_columns
    )
    is_outside = (distinct_gaps < 0) | (distinct_gaps == count - 1)
    return np.where(is_pause | is_outside, np.maximum(usual_columns / 2, 0.5), np.inf)[index_of_gap]


def _compute_typical_gaps(sizes: npt.NDArray[np.float64], gaps: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the usual size of gaps around each gap: the greater of the medians before and after it."""
    padding = np.full(NEIGHBOUR_GAPS + 1, np.nan)
    padded = np.concatenate((padding, sizes, padding))
    padded[padded == 0] = np.nan
    offsets = np.arange(NEIGHBOUR_GAPS)
    middle = gaps[:, None] + NEIGHBOUR_GAPS + 1
    return np.fmax(
        _compute_row_medians(padded[middle - NEIGHBOUR_GAPS + offsets]),
        _compute_row_medians(padded[middle + 1 + offsets]),
    )


def _compute_row_medians(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the upper median of each row without its NaNs; NaN for a row of NaN."""
    ordered = np.sort(values, axis=1)  # NaN sorts last
    counts = np.count_nonzero(~np.isnan(ordered), axis=1)
    return np.asarray(ordered[np.arange(len(ordered)), counts // 2])
