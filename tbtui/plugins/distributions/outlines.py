"""Runs over one another: of each its median, between the faint outlines of where two thirds of its values lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.chart_layout import LABELS_FROM_WIDTH
from tbtui.charts.line_chart import LineChart, Trace
from tbtui.charts.marks import RESTART_SIGN, Mark
from tbtui.charts.text import cell_width, pad
from tbtui.plugins.distributions.curves import LOWER, MOST_OUTLINED, UPPER
from tbtui.plugins.histograms.readings import MEDIAN
from tbtui.viewstate.run_names import distinct_names, told_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.plugins.distributions.curves import Curves
    from tbtui.plugins.distributions.data import Chart

LEAST_NAME = 10
"""Columns of a run's name at the end of its line, at least."""

ROWS_BESIDE = 3
"""Rows of a chart that have no room for such a name: those of its x axis, and one to breathe."""


def outline_chart(chart: Chart, width: int, height: int, focus: str | None = None) -> LineChart:
    """The runs of a chart as lines, without cursor; the focused one on top, then in the order of the run tree.

    Args:
        chart: What is shown.
        width: Columns, which decide how long names at the ends of lines may be.
        height: Rows, which decide how many there may be.
        focus: The run that stands out.
    """
    runs = [curves.recorded.run for curves in chart.curves]
    order = sorted(range(len(runs)), key=lambda index: (runs[index] == focus, -index))
    drawn = [chart.curves[index] for index in order]
    labels = _labels(chart.curves, width, height)
    outlined = drawn if len(drawn) <= MOST_OUTLINED else [each for each in drawn if each.recorded.run == focus]
    medians = (
        Trace(each.x, each.curve(MEDIAN), each.recorded.ink, label=labels.get(each.recorded.run, ""), ascending=True)
        for each in drawn
    )
    traces = (*superseded_lines(drawn, faint=True), *_outlines(outlined), *medians)
    return LineChart(traces, chart.axes.along, chart.axes.values, tuple(restart_marks(drawn)))


def superseded_lines(all_curves: Iterable[Curves], *, faint: bool) -> Iterator[Trace]:
    """The medians of what restarts superseded, in dashes."""
    for curves in all_curves:
        if curves.superseded is not None:
            yield Trace(*curves.superseded, curves.recorded.ink, faint, ascending=False, pattern=1)


def _outlines(all_curves: Iterable[Curves]) -> Iterator[Trace]:
    for curves in all_curves:
        for curve in (LOWER, UPPER):
            yield Trace(curves.x, curves.curve(curve), curves.recorded.ink, faint=True, ascending=True)


def restart_marks(all_curves: Iterable[Curves]) -> Iterator[Mark]:
    """Signs where runs went on from an earlier step, on their medians."""
    for curves in all_curves:
        recorded = curves.recorded
        for x in recorded.restarts:
            yield Mark(x, RESTART_SIGN, recorded.ink, float(recorded.quantiles[recorded.nearest(x), MEDIAN]))


def _labels(all_curves: Sequence[Curves], width: int, height: int) -> dict[str, str]:
    """Name and newest median of each run; none where not all of them have room."""
    held = [curves for curves in all_curves if len(curves.x)]
    if width < LABELS_FROM_WIDTH or not 0 < len(held) <= height - ROWS_BESIDE:
        return {}
    runs = [curves.recorded.run for curves in held]
    shown = told_apart(distinct_names(runs), max(LEAST_NAME, width // 6))
    room = max(map(cell_width, shown))
    return {
        run: f"{pad(name, room)} {numbers.brief(float(curves.curve(MEDIAN)[-1]))}"
        for run, name, curves in zip(runs, shown, held, strict=True)
    }
