"""Labels at the right of a chart, each as near to the end of its line as its neighbours let it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import column_edges
from tbtui.charts.text import write
from tbtui.series.decimate import drawable, in_sight, is_ascending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.line_chart import Trace


def draw_end_labels(cells: Cells, traces: Sequence[Trace], layout: Layout) -> None:
    """Write the labels of traces into the margin of a layout that has one."""
    plot = layout.plot
    ends = [(_end(trace, plot), trace) for trace in traces if trace.label]
    ends.sort(key=lambda pair: -math.inf if pair[0] is None else pair[0], reverse=True)
    rows = spread([plot.clamped_row(height) for height, _ in ends], plot.top, plot.top + plot.height)
    for row, (_, trace) in zip(rows, ends, strict=True):
        write(cells, row, plot.left + plot.width + 1, trace.label, trace.ink)


def _end(trace: Trace, plot: PlotArea) -> float | None:
    """The last value that could be drawn, in the window or just right of it; None when there is none."""
    log = plot.y_axis.scale == "log"
    if is_ascending(trace.x) if trace.ascending is None else trace.ascending:
        y = trace.y[in_sight(trace.x, column_edges(plot.x_axis, plot.width))]
    else:
        y = trace.y[np.isfinite(trace.x)]
    if len(y) and math.isfinite(y[-1]) and (y[-1] > 0 or not log):
        return float(y[-1])
    seen = np.flatnonzero(~np.isnan(drawable(y, log=log)))
    return float(y[seen[-1]]) if len(seen) else None


def spread(rows: list[int], first: int, end: int) -> list[int]:
    """Distinct rows from `first` to before `end`, in order, near the wanted ones (ascending; not more than fit)."""
    spread_rows: list[int] = []
    for row in rows:
        spread_rows.append(max(row, spread_rows[-1] + 1 if spread_rows else first))
    limit = end - 1
    for index in range(len(rows) - 1, -1, -1):
        spread_rows[index] = min(spread_rows[index], limit)
        limit = spread_rows[index] - 1
    return spread_rows
