"""Pictures of histograms: ridges, curves over one baseline, and heat maps with bars beside them."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tbtui.charts.area_curves import (
    OverlayChart,
    OverlayCurve,
    RidgeChart,
    build_curves_by_age,
    count_max_ridges,
    draw_overlay,
    draw_ridges,
)
from tbtui.charts.axis import Axis
from tbtui.charts.cells import BLANK, BUNDLE_INKS, Cells, Ink
from tbtui.charts.heat_levels import TOP_QUANTILE, colour_scale
from tbtui.charts.heat_map import HeatMap, draw_heat_map, lay_out_heat_map
from tbtui.charts.histogram_bars import HistogramBars, draw_histogram_bars
from tbtui.charts.hit_testing import find_cursor_stops, find_nearest_line
from tbtui.charts.line_chart import ABOVE_SIGN, BELOW_SIGN, RESTART_SIGN, Sign, Trace
from tbtui.charts.ticks import format_axis_value
from tbtui.frozen import frozen
from tbtui.maths.domain import compute_limits
from tbtui.maths.histograms import DISPLAY_BINS, sample_evenly
from tbtui.maths.statistics import BASIS_POINTS
from tbtui.plugins.histograms.chart import bin_shares, find_visible_rows
from tbtui.plugins.histograms.readout import build_cursor_readout
from tbtui.view.run_names import fit_names, fit_run_name, shorten_to_distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.heat_map import HeatLayout
    from tbtui.plugins.histograms.chart import Axes, BinnedCache
    from tbtui.plugins.histograms.readout import HistogramChart, StepReadout
    from tbtui.plugins.histograms.series import Floats, HistogramSeries
    from tbtui.settings.chart_navigation import CursorState


class Picture(Protocol):
    """A chart without cursor."""

    @property
    def layout(self) -> Layout:
        """Layout of the chart."""

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return new cells with a cursor and a mark."""


@frozen(eq=False)
class SizedPicture:
    """A chart of one size."""

    picture: Picture
    stops: Floats
    """Positions of the cursor on the axis of steps."""

    outside: float = 0.0
    """Number of values of all visible steps that the axis of values leaves out."""


def count_outside(series: HistogramSeries, counts: Floats, axes: Axes) -> Floats:
    """Return the number of values outside all bins of each visible step, float64[k]; 0 if it cannot be drawn.

    Args:
        series: n histograms.
        counts: float64[n, bins].
        axes: Axes of the chart.
    """
    rows = find_visible_rows(series, axes.along)
    outside = series.moments.count[rows] - counts[rows].sum(axis=1)
    # What is left over by adding up fractions is nothing.
    return np.where(outside > ROUNDING * series.moments.count[rows], outside, 0.0)


def total_count(counts: Iterable[Floats]) -> float:
    """Return the sum of all counts, at most the greatest float."""
    with np.errstate(over="ignore"):
        return min(sum(float(each.sum()) for each in counts), sys.float_info.max)


ROUNDING = 1e-9


MAX_OVERLAY_LINES = 5
"""Steps of one run over one baseline, besides selected ones: more lines hide each other."""

NAME_WIDTH = 16
"""Columns of the name of a run at the end of its line."""


def bin_edges(chart: HistogramChart) -> Floats:
    """Return the bins of curves: TensorBoard's number of bins, equal on the scale of the axis."""
    return np.asarray(chart.axes.values.value(np.linspace(0, 1, DISPLAY_BINS + 1)))


def choose_ridge_rows(chart: HistogramChart, height: int) -> npt.NDArray[np.intp]:
    """Return the indices of the histograms that a chart of `height` rows draws as ridges if no step is selected."""
    return _choose_evenly_spaced_rows(chart.series[0], chart, count_max_ridges(height))


def build_ridges(
    chart: HistogramChart, rows: npt.NDArray[np.intp], stops: Floats, bins: BinnedCache, width: int, height: int
) -> SizedPicture:
    """Return the ridges of a chart of one run.

    Args:
        chart: Data of the chart.
        rows: Indices of the histograms.
        stops: Positions of the cursor.
        bins: Cache of binned counts.
        width: Columns.
        height: Rows.
    """
    (series,) = chart.series
    edges = bin_edges(chart)
    counts = bins.counts(series, edges)
    ridge_chart = RidgeChart(
        counts[rows],
        series.stops[rows],
        edges,
        series.ink,
        chart.axes.values,
        chart.axes.along,
        _find_usual_max_count(chart, series, counts),
    )
    outside = total_count([count_outside(series, counts, chart.axes)])
    return SizedPicture(draw_ridges(ridge_chart, width, height), stops, outside)


def with_selected(rows: npt.NDArray[np.intp], selected: Sequence[int]) -> npt.NDArray[np.intp]:
    """Return the same number of rows, with the selected ones in place of their nearest neighbours."""
    rows = rows.copy()
    for index in selected:
        replaceable = np.flatnonzero(~np.isin(rows, [each for each in selected if each != index]))
        if index not in rows and len(replaceable):
            rows[replaceable[np.argmin(np.abs(rows[replaceable] - index))]] = index
    return np.unique(rows)


def overlay_rows(chart: HistogramChart) -> npt.NDArray[np.intp]:
    """Return the indices of the histograms of one run drawn over one baseline if no step is selected."""
    return _choose_evenly_spaced_rows(chart.series[0], chart, MAX_OVERLAY_LINES)


def step_overlay(
    chart: HistogramChart, rows: npt.NDArray[np.intp], bins: BinnedCache, width: int, height: int
) -> SizedPicture:
    """Return several steps of one run as lines over one baseline; arguments as of `ridges`."""
    (series,) = chart.series
    edges = bin_edges(chart)
    counts = bins.counts(series, edges)
    steps = series.stops[rows]
    names = [format_axis_value(chart.axes.along, x) for x in steps.tolist()]
    curves = build_curves_by_age(edges, counts[rows], steps, names, series.ink)
    max_count = max(_find_usual_max_count(chart, series, counts), _find_max_count(counts[rows]))
    return _draw_overlay(chart, curves, max_count, [counts], width, height)


def run_overlay(
    chart: HistogramChart,
    selected: Sequence[int],
    front_index: int | None,
    highlights: Mapping[int, str],
    bins: BinnedCache,
    width: int,
    height: int,
) -> SizedPicture:
    """Return one step of each run as lines over one baseline.

    Args:
        chart: Data of the chart.
        selected: Index of the step of each run.
        front_index: Index of the run on top.
        highlights: Indices of the runs that keep their colours, with the reason; empty: all do.
        bins: Cache of binned counts.
        width: Columns.
        height: Rows.
    """
    edges = bin_edges(chart)
    counts = [bins.counts(each, edges) for each in chart.series]
    inks = {
        index: each.ink if not highlights or index in highlights else int(BUNDLE_INKS[0])
        for index, each in enumerate(chart.series)
    }
    curves = [
        OverlayCurve(edges, count[step], inks[index], name)
        for index, (count, step, name) in enumerate(
            zip(counts, selected, _run_names(chart.series, highlights), strict=True)
        )
    ]
    order = sorted(range(len(curves)), key=lambda index: (index in highlights, index == front_index, -index))
    max_count = max(
        max(_find_usual_max_count(chart, each, count), _find_max_count(curve.counts))
        for each, count, curve in zip(chart.series, counts, curves, strict=True)
    )
    return _draw_overlay(chart, [curves[index] for index in order], max_count, counts, width, height)


def _run_names(series: Sequence[HistogramSeries], highlights: Mapping[int, str]) -> Sequence[str]:
    """Return the name of each run at its line: none for those that a crowded chart dims."""
    runs = tuple(each.run for each in series)
    if not highlights:
        return fit_names(shorten_to_distinct(runs), NAME_WIDTH)
    return [
        f"{highlights[index]} {fit_run_name(run, runs, NAME_WIDTH)}" if index in highlights else ""
        for index, run in enumerate(runs)
    ]


def _draw_overlay(
    chart: HistogramChart,
    curves: Sequence[OverlayCurve],
    max_count: float,
    counts: Sequence[Floats],
    width: int,
    height: int,
) -> SizedPicture:
    axes = chart.axes
    picture = draw_overlay(OverlayChart(tuple(curves), axes.values, _count_axis(max_count)), width, height)
    # The picture has no axis of steps: the cursor stands where it would on one as wide.
    plot = replace(picture.layout.plot, x_axis=axes.along, turned=False)
    outside = total_count(count_outside(each, count, axes) for each, count in zip(chart.series, counts, strict=True))
    return SizedPicture(picture, find_cursor_stops([each.stops for each in chart.series], plot), outside)


def _count_axis(max_count: float) -> Axis:
    low, high = compute_limits((0.0, max_count) if max_count > 0 else None)
    return Axis(low, high)


def _choose_evenly_spaced_rows(series: HistogramSeries, chart: HistogramChart, max_rows: int) -> npt.NDArray[np.intp]:
    """Return the indices of at most `max_rows` visible histograms, evenly spaced."""
    rows = find_visible_rows(series, chart.axes.along)
    x = np.asarray(chart.axes.along.unit(series.stops[rows]))
    return np.asarray(sample_evenly(x, max_rows) + rows.start)


def _find_max_count(counts: Floats) -> float:
    return float(np.nanmax(counts, initial=0.0))


def _find_usual_max_count(chart: HistogramChart, series: HistogramSeries, counts: Floats) -> float:
    """Return the greatest count of most visible steps, so that one step of zeros does not set the scale."""
    rows = counts[find_visible_rows(series, chart.axes.along)]
    maxima = rows.max(axis=1, initial=0)
    maxima = maxima[maxima > 0]
    return float(np.quantile(maxima, TOP_QUANTILE)) if len(maxima) else 0.0


MEDIAN = len(BASIS_POINTS) // 2


def create_heat_map_layout(chart: HistogramChart, width: int, height: int) -> HeatLayout:
    """Return the layout of the heat map of a chart."""
    return lay_out_heat_map(chart.axes.along, chart.axes.values, width, height)


def find_colour_limit(
    chart: HistogramChart, sharing: Sequence[HistogramSeries], layout: HeatLayout, bins: BinnedCache
) -> float | None:
    """Return the share of the last colour in the heat maps of all runs of a tag; None: each has its own."""
    if len(sharing) < 2:
        return None
    max_shares = np.concatenate([bins.find_greatest_shares(each, layout.bin_edges) for each in sharing])
    return colour_scale(np.nan_to_num(max_shares)[:, None], chart.colours).top


def draw_histogram_heat_map(
    chart: HistogramChart, layout: HeatLayout, bins: BinnedCache, top: float | None
) -> SizedPicture:
    """Return the heat map of a chart of one run."""
    (series,) = chart.series
    counts = bins.counts(series, layout.bin_edges)
    shares = bin_shares(counts, series.moments.count)
    outside = count_outside(series, counts, chart.axes)
    marks = (
        *_build_restart_signs(series, layout),
        *(_build_clipped_signs(series, outside, layout) if chart.may_leave_out else ()),
    )
    picture = draw_heat_map(HeatMap(series.stops, shares, chart.colours, top, tuple(marks)), layout)
    return SizedPicture(picture, find_cursor_stops([series.stops], layout.plot), total_count([outside]))


def _build_restart_signs(series: HistogramSeries, layout: HeatLayout) -> Iterator[Sign]:
    for x in series.restarts:
        yield Sign(x, RESTART_SIGN, Ink.DIM, layout.plot.y_axis.high)


def _build_clipped_signs(series: HistogramSeries, outside: Floats, layout: HeatLayout) -> Iterator[Sign]:
    """Yield a sign at the edge of the axis for each step with more than half of its values beyond."""
    plot = layout.plot
    rows = find_visible_rows(series, plot.x_axis)
    lost_rows = np.flatnonzero(outside > series.moments.count[rows] / 2) + rows.start
    if not len(lost_rows):
        return
    above = series.quantiles[lost_rows, MEDIAN] > plot.y_axis.high
    signed_columns = set[tuple[int | None, bool]]()
    for x, is_above in zip(series.stops[lost_rows].tolist(), above.tolist(), strict=True):
        column_and_side = plot.column(x), is_above
        if column_and_side not in signed_columns:
            signed_columns.add(column_and_side)
            yield Sign(x, ABOVE_SIGN if is_above else BELOW_SIGN, Ink.WARN, plot.y_axis.high if is_above else None)


# Beside it

MIN_BARS_WIDTH = 90
"""Columns of a heat map with bars beside it."""

BARS_SHARE, MIN_BAR_COLUMNS, MAX_BAR_COLUMNS = 0.2, 16, 32
"""Share of the columns that bars take, and their least and greatest number of columns."""


BETWEEN = 1
"""Blank columns before the bars."""


def choose_bars_width(width: int) -> int:
    """Return the number of columns of bars beside a heat map and of the gap before them; 0 without room."""
    return (
        BETWEEN + min(max(int(BARS_SHARE * width), MIN_BAR_COLUMNS), MAX_BAR_COLUMNS) if width >= MIN_BARS_WIDTH else 0
    )


def with_bars(
    cells: Cells,
    ends: tuple[StepReadout, StepReadout | None],
    ink: int,
    layout: HeatLayout,
    bins: BinnedCache,
    width: int,
) -> Cells:
    """Return a heat map with one or two of its steps as bars between plot and legend, row by row as in the map.

    Args:
        cells: The map.
        ends: The selected step, and the step it is compared with.
        ink: Ink of the bars of the selected step.
        layout: Layout of the map.
        bins: Cache of binned counts.
        width: Additional columns, from `choose_bars_width`.
    """
    selected, marked = ends
    counts = bins.counts(selected.series, layout.bin_edges)
    other = None if marked is None else counts[marked.index]
    bars = draw_histogram_bars(HistogramBars(counts[selected.index], other, ink, Ink.TEXT), layout, width - BETWEEN)
    plot = layout.plot
    end, below = plot.left + plot.width, plot.top + plot.height
    result = Cells.blank(cells.height, cells.width + width)
    _copy_cells(result, cells, slice(0, below), slice(0, end), 0)
    _copy_cells(result, cells, slice(0, below), slice(end, cells.width), end + width)
    _copy_cells(result, cells, slice(below, cells.height), slice(0, cells.width), 0)  # labels may reach beyond the plot
    _copy_cells(result, bars, slice(0, bars.height), slice(0, bars.width), end + BETWEEN)
    return result


def _copy_cells(cells: Cells, other: Cells, rows: slice, columns: slice, left: int) -> None:
    """Copy part of a picture to the same rows of another, from a column on; blanks are transparent."""
    glyphs, inks = other.glyphs[rows, columns], other.inks[rows, columns]
    area = rows, slice(left, left + glyphs.shape[1])
    is_drawn = (glyphs != BLANK) | (inks != Ink.NONE)
    cells.glyphs[area][is_drawn], cells.inks[area][is_drawn] = glyphs[is_drawn], inks[is_drawn]


def run_at(
    chart: HistogramChart, pointer: CursorState, bins: BinnedCache, plot: PlotArea, column: int, row: int
) -> str | None:
    """Return the only run of a chart, or the run whose line is nearest to a cell; None if no line is near.

    Args:
        chart: Data of the chart.
        pointer: State of the cursor.
        bins: Cache of binned counts.
        plot: Plot area of the chart.
        column: Column of the picture that holds the plot.
        row: Row of that picture.
    """
    if not chart.together:
        return chart.series[0].run
    edges = bin_edges(chart)
    middles = edges[:-1] / 2 + edges[1:] / 2
    reversed_series = chart.series[::-1]
    counts = (bins.counts(each, edges)[build_cursor_readout(each, pointer).index] for each in reversed_series)
    nearest = find_nearest_line(
        [Trace(middles, counts_of_run, 0, ascending=True) for counts_of_run in counts], plot, column, row
    )
    return None if nearest is None else reversed_series[nearest].run
