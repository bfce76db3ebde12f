"""Which run is meant when a cell of a chart is clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.line_chart import Trace
from tbtui.charts.picking import nearest_line
from tbtui.plugins.histograms.curves import edges_of
from tbtui.plugins.histograms.readings import chosen_of

if TYPE_CHECKING:
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.plugins.histograms.bins import Bins
    from tbtui.plugins.histograms.data import Chart
    from tbtui.viewstate.pointer import Pointer


def run_at(chart: Chart, pointer: Pointer, bins: Bins, plot: PlotArea, column: int, row: int) -> str | None:
    """The run of a chart, or of several the one whose line is nearest to a cell; None where none is near.

    Args:
        chart: What is drawn.
        pointer: Where the user looks.
        bins: Where the counts are from.
        plot: Where it is drawn.
        column: Of the picture that the plot lies in.
        row: Likewise.
    """
    if not chart.together:
        return chart.recorded[0].run
    edges = edges_of(chart)
    middles = edges[:-1] / 2 + edges[1:] / 2
    backwards = chart.recorded[::-1]
    counts = (bins.counts(each, edges)[chosen_of(each, pointer).index] for each in backwards)
    found = nearest_line([Trace(middles, held, 0, ascending=True) for held in counts], plot, column, row)
    return None if found is None else backwards[found].run
