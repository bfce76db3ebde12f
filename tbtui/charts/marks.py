"""Signs on a chart: where values stop being numbers, and what the caller wants marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea

NAN_SIGN, ABOVE_SIGN, BELOW_SIGN, RESTART_SIGN = "✗", "▲", "▼", "↻"
MIN_SIGN, MAX_SIGN, BEST_SIGN = "▾", "▴", "★"
"""Small, so that the extremes of a line are told from its infinities."""

_NAN, _ABOVE, _BELOW = 1, 2, 3
_SIGNS = {_NAN: NAN_SIGN, _ABOVE: ABOVE_SIGN, _BELOW: BELOW_SIGN}


@dataclass(frozen=True, slots=True)
class Mark:
    """One sign on a chart."""

    x: float
    glyph: str
    ink: int
    y: float | None = None
    """None is the bottom row. A value outside the axis shows at its edge."""


def nonfinite_marks(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], ink: int, plot: PlotArea) -> list[Mark]:
    """Signs where values that cannot be drawn begin: at most one of a kind in a column.

    NaN is a `✗` at the height of the last value that could be drawn (the next one, where none was before); infinity is
    a `▲` at the top; minus infinity, and on a log axis everything not above 0, is a `▼` at the bottom.
    """
    kinds = _kinds(y, log=plot.y_axis.scale == "log")
    begins = np.flatnonzero((kinds != 0) & (np.concatenate(([0], kinds[:-1])) != kinds))
    begins = begins[(x[begins] >= plot.x_axis.low) & (x[begins] <= plot.x_axis.high)]
    columns = np.floor(plot.x_axis.unit(x[begins]) * plot.width)
    _, firsts = np.unique(columns * 4 + kinds[begins], return_index=True)
    drawable = np.flatnonzero(kinds == 0)
    return [_mark(x, y, int(index), int(kinds[index]), ink, plot, drawable) for index in begins[np.sort(firsts)]]


def _kinds(y: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.int8]:
    kinds = np.zeros(len(y), np.int8)
    kinds[np.isnan(y)] = _NAN
    kinds[np.isposinf(y)] = _ABOVE
    kinds[y <= 0 if log else np.isneginf(y)] = _BELOW
    return kinds


def _mark(
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    index: int,
    kind: int,
    ink: int,
    plot: PlotArea,
    drawable: npt.NDArray[np.intp],
) -> Mark:
    height: float | None = None
    if kind == _ABOVE:
        height = plot.y_axis.high
    elif kind == _NAN and len(drawable):
        after = int(np.searchsorted(drawable, index))
        height = float(y[drawable[max(after - 1, 0)]])
    return Mark(float(x[index]), _SIGNS[kind], ink, height)
