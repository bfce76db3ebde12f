"""Histograms as a heat map, and beside it the chosen steps as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.colour_scale import colour_scale
from tbtui.charts.heat_map import HeatMap, heat_layout, heat_picture
from tbtui.charts.marks import ABOVE_SIGN, BELOW_SIGN, RESTART_SIGN, Mark
from tbtui.charts.side_bars import SideBars, side_bars
from tbtui.charts.stops import stops_in
from tbtui.plugins.histograms.axes import rows_in_sight
from tbtui.plugins.histograms.bins import shares_of
from tbtui.plugins.histograms.drawn import Pictured, outside_of, whole_of
from tbtui.series.quantiles import BASIS_POINTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.heat_map import HeatLayout
    from tbtui.plugins.histograms.bins import Bins
    from tbtui.plugins.histograms.data import Chart
    from tbtui.plugins.histograms.readings import Reading
    from tbtui.plugins.histograms.recorded import Floats, Recorded

MEDIAN = len(BASIS_POINTS) // 2


def layout_of(chart: Chart, width: int, height: int) -> HeatLayout:
    """Where everything lies in the heat map of a chart."""
    return heat_layout(chart.axes.along, chart.axes.values, width, height)


def common_top(chart: Chart, sharing: Sequence[Recorded], layout: HeatLayout, bins: Bins) -> float | None:
    """The share that has the last colour in the heat maps of all runs of a tag; None where the map finds its own."""
    if len(sharing) < 2:
        return None
    greatest = np.concatenate([bins.greatest_shares(each, layout.bin_edges) for each in sharing])
    return colour_scale(np.nan_to_num(greatest)[:, None], chart.colours).top


def heat_map(chart: Chart, layout: HeatLayout, bins: Bins, top: float | None) -> Pictured:
    """The heat map of a chart of one run."""
    (recorded,) = chart.recorded
    counts = bins.counts(recorded, layout.bin_edges)
    shares = shares_of(counts, recorded.moments.count)
    outside = outside_of(recorded, counts, chart.axes)
    marks = (*_restarts(recorded, layout), *(_lost(recorded, outside, layout) if chart.may_leave_out else ()))
    picture = heat_picture(HeatMap(recorded.x, shares, chart.colours, top, tuple(marks)), layout)
    return Pictured(picture, stops_in([recorded.x], layout.plot), whole_of([outside]))


def _restarts(recorded: Recorded, layout: HeatLayout) -> Iterator[Mark]:
    for x in recorded.restarts:
        yield Mark(x, RESTART_SIGN, Ink.DIM, layout.plot.y_axis.high)


def _lost(recorded: Recorded, outside: Floats, layout: HeatLayout) -> Iterator[Mark]:
    """Signs at the edge that more than half of a step's values lie beyond: of that step next to nothing is seen."""
    plot = layout.plot
    rows = rows_in_sight(recorded, plot.x_axis)
    most = np.flatnonzero(outside > recorded.moments.count[rows] / 2) + rows.start
    if not len(most):
        return
    above = recorded.quantiles[most, MEDIAN] > plot.y_axis.high
    seen = set[tuple[int | None, bool]]()
    for x, is_above in zip(recorded.x[most].tolist(), above.tolist(), strict=True):
        place = plot.column(x), is_above
        if place not in seen:
            seen.add(place)
            yield Mark(x, ABOVE_SIGN if is_above else BELOW_SIGN, Ink.WARN, plot.y_axis.high if is_above else None)


# Beside it

BARS_FROM_WIDTH = 90
"""Columns of a heat map with bars beside it."""

BARS_SHARE, LEAST_BARS, MOST_BARS = 0.2, 16, 32
"""Part of the columns that the bars take, and how many at least and at most."""

BLANK = 32

BETWEEN = 1
"""Blank columns in front of the bars."""


def bars_width(width: int) -> int:
    """Columns for bars beside a heat map, with the blank in front of them; 0 where there is too little room."""
    return BETWEEN + min(max(int(BARS_SHARE * width), LEAST_BARS), MOST_BARS) if width >= BARS_FROM_WIDTH else 0


def with_bars(
    cells: Cells, ends: tuple[Reading, Reading | None], ink: int, layout: HeatLayout, bins: Bins, width: int
) -> Cells:
    """A heat map with one or two of its steps as bars between plot and legend, row by row as in the map.

    Args:
        cells: The map.
        ends: The step that the user looks at, and the one that it is compared with.
        ink: Of the former's bars.
        layout: Of the map.
        bins: Where the counts are from.
        width: Columns more, from `bars_width`.
    """
    chosen, marked = ends
    counts = bins.counts(chosen.recorded, layout.bin_edges)
    other = None if marked is None else counts[marked.index]
    bars = side_bars(SideBars(counts[chosen.index], other, ink, Ink.TEXT), layout, width - BETWEEN)
    plot = layout.plot
    end, below = plot.left + plot.width, plot.top + plot.height
    joined = Cells.blank(cells.height, cells.width + width)
    _put(joined, cells, slice(0, below), slice(0, end), 0)
    _put(joined, cells, slice(0, below), slice(end, cells.width), end + width)
    _put(joined, cells, slice(below, cells.height), slice(0, cells.width), 0)  # labels may reach beyond the plot
    _put(joined, bars, slice(0, bars.height), slice(0, bars.width), end + BETWEEN)
    return joined


def _put(cells: Cells, other: Cells, rows: slice, columns: slice, left: int) -> None:
    """Put a part of another picture over the same rows of one, from a column on; blanks let through what is there."""
    glyphs, inks = other.glyphs[rows, columns], other.inks[rows, columns]
    area = rows, slice(left, left + glyphs.shape[1])
    some = (glyphs != BLANK) | (inks != Ink.NONE)
    cells.glyphs[area][some], cells.inks[area][some] = glyphs[some], inks[some]
