"""Which run is meant when a cell of a chart is clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.line_chart import Trace
from tbtui.charts.picking import nearest_line
from tbtui.plugins.distributions.curves import LOWER, MEDIAN, UPPER

if TYPE_CHECKING:
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.plugins.distributions.data import Chart


def run_at(chart: Chart, plot: PlotArea, column: int, row: int) -> str | None:
    """The run whose curves are nearest to a cell of the picture that `plot` lies in; None where none is near.

    Args:
        chart: What is drawn.
        plot: Where.
        column: Of the picture.
        row: Likewise.
    """
    if not chart.together and _in_fan(chart, plot, column, row):
        return chart.curves[0].recorded.run
    curves = (LOWER, UPPER, MEDIAN) if chart.together else (0, -1)
    traces = [
        (each.recorded.run, Trace(each.x, each.values[:, curve], 0, ascending=True))
        for curve in curves
        for each in reversed(chart.curves)
    ]
    found = nearest_line([trace for _, trace in traces], plot, column, row)
    return None if found is None else traces[found][0]


def _in_fan(chart: Chart, plot: PlotArea, column: int, row: int) -> bool:
    """Whether a cell lies between the least and the greatest value of the only run, as far as it goes."""
    curves = chart.curves[0]
    x, y = plot.x_at(column), plot.y_at(row)
    if not curves.x[0] <= x <= curves.x[-1]:
        return False
    low, high = (float(np.interp(x, curves.x, curves.values[:, curve])) for curve in (0, -1))
    return low <= y <= high
