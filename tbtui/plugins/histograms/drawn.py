"""What drawing a chart comes to, however it looks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.histograms.axes import rows_in_sight

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.plugins.histograms.axes import Axes
    from tbtui.plugins.histograms.recorded import Floats, Recorded


class Picture(Protocol):
    """A chart that is drawn but for what moves."""

    @property
    def layout(self) -> Layout:
        """Of the chart."""

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Fresh cells, in which two steps stand out."""


@frozen(eq=False)
class Pictured:
    """A chart of one size."""

    picture: Picture
    stops: Floats
    """Where the cursor may stand on the axis of steps."""

    outside: float = 0.0
    """Values of all steps in sight that the axis of values leaves out."""


@frozen(eq=False)
class Drawn:
    """A chart as cells, and where data lies within them."""

    cells: Cells
    plot: PlotArea | None = None
    """None where there is no room for any."""

    stops: Floats | None = None
    """None likewise, and where nobody asked."""

    outside: float = 0.0
    """As in `Pictured`."""

    picture: Picture | None = None
    """What the cells are of; None where there is no room for any."""


def outside_of(recorded: Recorded, counts: Floats, axes: Axes) -> Floats:
    """How many values of each step in sight are in none of the bins, float64[k]; 0 for what is refused.

    Args:
        recorded: n histograms.
        counts: float64[n, bins].
        axes: What is in sight.
    """
    rows = rows_in_sight(recorded, axes.along)
    missing = recorded.moments.count[rows] - counts[rows].sum(axis=1)
    # What is left over by adding up fractions is nothing.
    return np.where(missing > ROUNDING * recorded.moments.count[rows], missing, 0.0)


def whole_of(counts: Iterable[Floats]) -> float:
    """The sum of all counts, or the greatest float where it is more."""
    with np.errstate(over="ignore"):
        return min(sum(float(each.sum()) for each in counts), sys.float_info.max)


ROUNDING = 1e-9
