"""Runs over one another: of each its median, between the faint outlines of where two thirds of its values lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.chart_layout import LABELS_FROM_WIDTH
from tbtui.charts.guides import Level
from tbtui.charts.line_chart import LineChart, Trace
from tbtui.charts.marks import RESTART_SIGN, Mark
from tbtui.charts.text import cell_width, pad
from tbtui.plugins.distributions.curves import LOWER, MEDIAN, UPPER
from tbtui.viewstate.run_names import distinct_names, told_apart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.plugins.distributions.curves import Curves
    from tbtui.plugins.distributions.data import Chart

MOST_OUTLINED = 6
"""With more runs than this in a chart outlines would be noise: medians alone are drawn."""

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
    order = sorted(range(len(chart.curves)), key=lambda index: (chart.curves[index].recorded.run == focus, -index))
    curves = [chart.curves[index] for index in order]
    labels = _labels(chart.curves, width, height)
    outlined = curves if len(curves) <= MOST_OUTLINED else [each for each in curves if each.recorded.run == focus]
    return LineChart(
        (
            *_superseded(curves),
            *_outlines(outlined),
            *(
                Trace(each.x, each.median, each.recorded.ink, label=labels.get(each.recorded.run, ""), ascending=True)
                for each in curves
            ),
        ),
        chart.x_axis,
        chart.y_axis,
        tuple(restart_marks(curves)),
        levels=levels_of(chart),
    )


def _superseded(curves: Sequence[Curves]) -> Iterator[Trace]:
    for each in curves:
        if each.superseded is not None:
            yield Trace(*each.superseded, each.recorded.ink, faint=True, ascending=False, pattern=0)


def _outlines(curves: Sequence[Curves]) -> Iterator[Trace]:
    for each in curves:
        for curve in (LOWER, UPPER):
            yield Trace(each.x, each.values[:, curve], each.recorded.ink, faint=True, ascending=True)


def restart_marks(curves: Sequence[Curves]) -> Iterator[Mark]:
    """Signs where runs went on from an earlier step, on their medians."""
    for each in curves:
        for x in each.recorded.restarts:
            yield Mark(x, RESTART_SIGN, each.recorded.ink, float(each.values[each.index_at(x), MEDIAN]))


def levels_of(chart: Chart) -> tuple[Level, ...]:
    """Reference lines that were drawn in by hand."""
    return tuple(Level(level.y, level.name or numbers.short(level.y)) for level in chart.levels)


def _labels(curves: Sequence[Curves], width: int, height: int) -> dict[str, str]:
    """Name and newest median of each run; none where not all of them have room."""
    if width < LABELS_FROM_WIDTH or len(curves) > height - ROWS_BESIDE:
        return {}
    runs = [each.recorded.run for each in curves]
    shown = told_apart(distinct_names(runs), max(LEAST_NAME, width // 6))
    room = max(map(cell_width, shown), default=0)
    return {
        run: f"{pad(name, room)} {numbers.brief(float(each.median[-1]))}"
        for run, name, each in zip(runs, shown, curves, strict=True)
    }
