"""Histograms as curves: ridges one before the other, or lines over one baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import Axis
from tbtui.charts.colour_scale import COMMON
from tbtui.charts.overlay import OverlayChart, OverlayCurve, aged_curves, overlay_picture
from tbtui.charts.ridges import RidgeChart, most_ridges, ridge_picture
from tbtui.charts.stops import stops_in
from tbtui.charts.tick_labels import value_label
from tbtui.plugins.histograms.axes import rows_in_sight
from tbtui.plugins.histograms.drawn import Pictured, outside_of, whole_of
from tbtui.series.binning import DISPLAY_BINS
from tbtui.series.choosing import spread_out
from tbtui.series.domain import limits
from tbtui.viewstate.run_names import distinct_names, told_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.histograms.bins import Bins
    from tbtui.plugins.histograms.data import Chart
    from tbtui.plugins.histograms.recorded import Floats, Recorded

MOST_LINES = 5
"""Steps of one run over one baseline, beside those that the user looks at: more lines hide each other."""

NAME_WIDTH = 16
"""Columns of a run's name beside its line."""


def edges_of(chart: Chart) -> Floats:
    """The bins that curves are drawn from: as many as TensorBoard has, equal on the scale of the axis."""
    return np.asarray(chart.axes.values.value(np.linspace(0, 1, DISPLAY_BINS + 1)))


def ridge_rows(chart: Chart, height: int) -> npt.NDArray[np.intp]:
    """Which histograms are drawn as ridges in a chart so many rows high, when the user looks at none."""
    return _spread_out(chart.recorded[0], chart, most_ridges(height))


def ridges(chart: Chart, rows: npt.NDArray[np.intp], stops: Floats, bins: Bins, width: int, height: int) -> Pictured:
    """The ridges of a chart of one run.

    Args:
        chart: What is shown.
        rows: Which histograms.
        stops: Where the cursor may stand.
        bins: Where the counts are from.
        width: Columns.
        height: Rows.
    """
    (recorded,) = chart.recorded
    edges = edges_of(chart)
    counts = bins.counts(recorded, edges)
    made = RidgeChart(
        counts[rows],
        recorded.x[rows],
        edges,
        recorded.ink,
        chart.axes.values,
        chart.axes.along,
        _usual_most(chart, recorded, counts),
    )
    outside = whole_of([outside_of(recorded, counts, chart.axes)])
    return Pictured(ridge_picture(made, width, height), stops, outside)


def with_chosen(rows: npt.NDArray[np.intp], chosen: Sequence[int]) -> npt.NDArray[np.intp]:
    """The same number of histograms, those that the user looks at among them in place of the nearest."""
    rows = rows.copy()
    for index in chosen:
        free = np.flatnonzero(~np.isin(rows, [each for each in chosen if each != index]))
        if index not in rows and len(free):
            rows[free[np.argmin(np.abs(rows[free] - index))]] = index
    return np.unique(rows)


def line_rows(chart: Chart) -> npt.NDArray[np.intp]:
    """Which histograms of one run are drawn over one baseline, when the user looks at none."""
    return _spread_out(chart.recorded[0], chart, MOST_LINES)


def lines(chart: Chart, rows: npt.NDArray[np.intp], bins: Bins, width: int, height: int) -> Pictured:
    """Several steps of one run as lines over one baseline; arguments as of `ridges`."""
    (recorded,) = chart.recorded
    edges = edges_of(chart)
    counts = bins.counts(recorded, edges)
    at = recorded.x[rows]
    names = [value_label(chart.axes.along, x) for x in at.tolist()]
    curves = aged_curves(edges, counts[rows], at, names, recorded.ink)
    most = max(_usual_most(chart, recorded, counts), _most(counts[rows]))
    return _overlay(chart, curves, most, [counts], width, height)


def lines_of_runs(
    chart: Chart, chosen: Sequence[int], front: int | None, bins: Bins, width: int, height: int
) -> Pictured:
    """One step of each run as lines over one baseline.

    Args:
        chart: What is shown.
        chosen: Index of the step of each run.
        front: The run that lies on top, by its index.
        bins: Where the counts are from.
        width: Columns.
        height: Rows.
    """
    edges = edges_of(chart)
    counts = [bins.counts(each, edges) for each in chart.recorded]
    names = told_apart(distinct_names([each.run for each in chart.recorded]), NAME_WIDTH)
    curves = [
        OverlayCurve(edges, count[index], each.ink, name)
        for each, count, index, name in zip(chart.recorded, counts, chosen, names, strict=True)
    ]
    order = sorted(range(len(curves)), key=lambda index: (index == front, -index))
    most = max(
        max(_usual_most(chart, each, count), _most(curve.counts))
        for each, count, curve in zip(chart.recorded, counts, curves, strict=True)
    )
    return _overlay(chart, [curves[index] for index in order], most, counts, width, height)


def _overlay(
    chart: Chart, curves: Sequence[OverlayCurve], most: float, counts: Sequence[Floats], width: int, height: int
) -> Pictured:
    axes = chart.axes
    picture = overlay_picture(OverlayChart(tuple(curves), axes.values, _count_axis(most)), width, height)
    # The picture has no axis of steps: the cursor stands where it would on one as wide.
    plot = replace(picture.layout.plot, x_axis=axes.along, turned=False)
    outside = whole_of(outside_of(each, count, axes) for each, count in zip(chart.recorded, counts, strict=True))
    return Pictured(picture, stops_in([each.x for each in chart.recorded], plot), outside)


def _count_axis(most: float) -> Axis:
    low, high = limits((0.0, most) if most > 0 else None)
    return Axis(low, high)


def _spread_out(recorded: Recorded, chart: Chart, most: int) -> npt.NDArray[np.intp]:
    """So many of the histograms in sight."""
    rows = rows_in_sight(recorded, chart.axes.along)
    x = np.asarray(chart.axes.along.unit(recorded.x[rows]))
    return np.asarray(spread_out(x, most) + rows.start)


def _most(counts: Floats) -> float:
    return float(np.nanmax(counts, initial=0.0))


def _usual_most(chart: Chart, recorded: Recorded, counts: Floats) -> float:
    """The greatest count of most steps in sight, as colours have it: one step of nothing but zeros is no measure."""
    rows = counts[rows_in_sight(recorded, chart.axes.along)]
    greatest = rows.max(axis=1, initial=0)
    greatest = greatest[greatest > 0]
    return float(np.quantile(greatest, COMMON)) if len(greatest) else 0.0
