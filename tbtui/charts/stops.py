"""Where a cursor may stand in a chart, and which point of a line it reads: arrays in, numbers and indices out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, nearest_dot
from tbtui.series.in_order import distinct

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea

    Floats: TypeAlias = npt.NDArray[np.float64]


def nearest(x: Floats, at: float, *, ascending: bool = True) -> int:
    """Index of the point nearest to `at`; of two as near the first.

    Args:
        x: float64[n], n >= 1.
        at: Where.
        ascending: Whether x never goes back; otherwise it may also hold NaN, which is near nothing.
    """
    if not ascending:
        away = np.abs(x - at)
        return int(np.nanargmin(away)) if not bool(np.isnan(away).all()) else len(x) - 1
    after = min(int(x.searchsorted(at)), len(x) - 1)
    before = max(after - 1, 0)
    near = before if at - x[before] <= x[after] - at else after
    return int(x.searchsorted(x[near]))


def stops_in(columns: Iterable[Floats], plot: PlotArea) -> Floats:
    """Where a cursor may stand: x values of points in sight, in each column of the plot the one nearest to its middle.

    The first and the last point in sight are always among them, whatever their columns hold beside them. Where steps
    stand down, all this is of rows.

    Args:
        columns: x of each line, float64[n].
        plot: Where the lines are drawn.

    Returns:
        float64[k], ascending; none where the picture has no axis of steps.
    """
    axis = plot.along
    if axis is None:
        return np.empty(0)
    dots, count = (DOTS_DOWN, plot.height) if plot.turned else (DOTS_ACROSS, plot.width)
    last, middle = dots * count - 1, (dots - 1) / 2
    middles = axis.value((dots * np.arange(count) + middle) / last)
    near = [_near(np.asarray(x), middles, (axis.low, axis.high)) for x in columns]
    x = distinct(np.concatenate([*near, np.empty(0)]))
    with np.errstate(over="ignore"):
        places = axis.unit(x) * last
    inside = (places >= -0.5) & (places < last + 0.5)
    x, places = x[inside], places[inside]
    cells = nearest_dot(places) // dots
    order = np.lexsort((np.abs(places - (dots * cells + middle)), cells))
    _, firsts = np.unique(cells[order], return_index=True)
    stops = np.asarray(x[order[firsts]])
    if len(stops) > 1:
        stops[0], stops[-1] = x[0], x[-1]
    return stops


def _near(x: Floats, middles: Floats, ends: tuple[float, float]) -> Floats:
    """Few of many points, among them the nearest to each of the middles and the first and last between the ends."""
    if len(x) <= 2 * len(middles):
        return x
    x = x if bool(np.all(x[1:] >= x[:-1])) else np.sort(x)
    after = np.searchsorted(x, middles)
    first, end = np.searchsorted(x, ends[0]), np.searchsorted(x, ends[1], "right")
    return np.asarray(x[np.clip(np.concatenate([after - 1, after, [first, end - 1]]), 0, len(x) - 1)])
