"""The data of one chart as tables, for a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.scalars import scalar_table
from tbtui.series.smoothing import smooth
from tbtui.viewstate.axes import axes_chosen
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.ranges import hand_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.table import Table
    from tbtui.plugins.scalars.data import ScalarData
    from tbtui.plugins.scalars.lines import Floats
    from tbtui.store.snapshot import ScalarSeries
    from tbtui.viewstate.view import View


def shown_tables(data: ScalarData, view: View, key: str) -> Iterator[Table]:
    """The points of the chart of card `key`: none superseded, skipped, or outside an x range set by hand.

    Where runs are averaged these are the runs' own points. A run without any in sight is left out.

    Args:
        data: Where the chart is from; used by one thread.
        view: What is shown.
        key: Of the card.

    Raises:
        NoPointsError: When the chart has none at all.
    """
    chart = data.chart(view, key)
    axis, chosen = chart.x_axis, axes_chosen(view.choices, key)
    is_whole = hand_range(chosen.x_range, axis.scale, axis.origin) == WHOLE
    for line in chart.lines:
        for own in line.members or (line,):
            inside = np.ones(len(own.x), np.bool_) if is_whole else (own.x >= axis.low) & (own.x <= axis.high)
            if bool(inside.any()) and own.steps is not None and own.wall_times is not None:
                steps, wall_times = own.steps[inside], own.wall_times[inside]
                values, smoothed = own.values[inside], own.smoothed[inside]
                yield scalar_table(own.key.run, own.key.tag, steps, wall_times, values, smoothed)


def stored_tables(data: ScalarData, view: View, key: str) -> Iterator[Table]:
    """Every stored point of the drawn runs of card `key`, in order of arrival; superseded ones are smoothed to NaN."""
    for series in data.series(view, key):
        smoothed = _smoothed(series, view.choices.smoothing)
        yield scalar_table(series.run, series.tag, series.steps, series.wall_times, series.values, smoothed)


def _smoothed(series: ScalarSeries, smoothing: float) -> Floats:
    current = np.asarray(series.current.values)
    shown = smooth(current, smoothing) if smoothing > 0 else current
    if series.kept is None:
        return shown
    smoothed = np.full(len(series), np.nan)
    smoothed[series.kept] = shown
    return smoothed
