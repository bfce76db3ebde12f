"""Which run is meant when a cell of a chart is clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.line_chart import Trace
from tbtui.charts.picking import nearest_line
from tbtui.plugins.distributions.curves import LOWER, UPPER
from tbtui.plugins.histograms.readings import MEDIAN

if TYPE_CHECKING:
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.plugins.distributions.data import Chart


def run_at(chart: Chart, plot: PlotArea, column: int, row: int) -> str | None:
    """The run of a chart, or of several the one whose lines are nearest to a cell; None where none is near.

    Args:
        chart: What is drawn.
        plot: Where.
        column: Of the picture that the plot lies in.
        row: Likewise.
    """
    if not chart.together:
        return chart.curves[0].recorded.run
    lines = [
        (curves.recorded.run, Trace(curves.x, curves.curve(index), 0, ascending=True))
        for index in (LOWER, UPPER, MEDIAN)
        for curves in reversed(chart.curves)
    ]
    found = nearest_line([trace for _, trace in lines], plot, column, row)
    return None if found is None else lines[found][0]
