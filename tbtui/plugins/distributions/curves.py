"""The quantile curves of one tag of one run: what is drawn of what was recorded, and what is read at a cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.stops import nearest
from tbtui.series.quantiles import BASIS_POINTS, WHOLE
from tbtui.series.restarts import superseded

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.store.snapshot import ReferenceSeries

    Floats: TypeAlias = npt.NDArray[np.float64]
    Flags: TypeAlias = npt.NDArray[np.bool_]

CURVES = len(BASIS_POINTS)
MEDIAN = BASIS_POINTS.index(WHOLE // 2)
LOWER, UPPER = MEDIAN - 2, MEDIAN + 2
"""Where a normal distribution has a standard deviation to each side: the outlines of a run among others."""

INNER = slice(1, CURVES - 1)
"""All but the least and the greatest."""


@dataclass(frozen=True, eq=False)
class Curves:
    """The quantiles of one run. All arrays have one length, at least 1, unless it says otherwise."""

    recorded: Recorded
    """What it is of; some of it may not be drawn."""

    x: Floats
    """float64[n] on the chart's x axis, ascending, finite."""

    values: Floats
    """float64[n, 9]: TensorBoard's curves, ascending from the first to the last; NaN for what is refused."""

    rows: npt.NDArray[np.intp] | slice
    """Which of the recorded histograms these are."""

    superseded: tuple[Floats, Floats] | None = None
    """x and median of what restarts superseded, in order of arrival, NaN between stretches; None unless wanted."""

    @property
    def median(self) -> Floats:
        """float64[n]."""
        return self.values[:, MEDIAN]

    def index_at(self, cursor: float | None) -> int:
        """Index of what is read at a place of the x axis; without one the newest."""
        return len(self.x) - 1 if cursor is None else nearest(self.x, cursor)

    def recorded_index(self, index: int) -> int:
        """Index of the same among all that was recorded."""
        return int(np.arange(len(self.recorded))[self.rows][index])


def curves_of(recorded: Recorded, series: ReferenceSeries | None = None, skip: int = 0) -> Curves | None:
    """The curves of what a run has recorded under a tag; None where nothing has a place on the x axis.

    Args:
        recorded: With what restarts have superseded, or without it.
        series: What it was made of, where what was superseded is among it.
        skip: Steps below this were left out.
    """
    finite = np.isfinite(recorded.x)
    if series is None or series.kept is None:
        rows: npt.NDArray[np.intp] | slice = slice(None) if bool(finite.all()) else np.flatnonzero(finite)
        lost = None
    else:
        arrivals = np.arange(len(series))[recorded.rows]
        rows = np.flatnonzero(finite & series.kept[arrivals])
        lost = _superseded(recorded, arrivals, series.steps, series.kept, skip)
    x = recorded.x[rows]
    return Curves(recorded, x, recorded.quantiles[rows], rows, lost) if len(x) else None


def _superseded(
    recorded: Recorded, arrivals: npt.NDArray[np.intp], steps: npt.NDArray[np.int64], kept: Flags, skip: int
) -> tuple[Floats, Floats] | None:
    indices, breaks = superseded(steps, kept, skip)
    if not len(indices):
        return None
    places = np.zeros(len(steps), np.intp)
    places[arrivals] = np.arange(len(arrivals))
    at = places[indices]
    return np.insert(recorded.x[at], breaks, np.nan), np.insert(recorded.quantiles[at, MEDIAN], breaks, np.nan)


def span_of(all_curves: Sequence[Curves]) -> tuple[float, float]:
    """The least and the greatest x of several."""
    return min(float(each.x[0]) for each in all_curves), max(float(each.x[-1]) for each in all_curves)
