"""The quantile curves of one tag of one run: what is drawn of what was recorded."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.histograms.readings import MEDIAN
from tbtui.series.restarts import superseded

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.store.snapshot import ReferenceSeries

    Floats: TypeAlias = npt.NDArray[np.float64]

LOWER, UPPER = MEDIAN - 2, MEDIAN + 2
"""Where a normal distribution has a standard deviation to each side: the outlines of a run among others."""

MOST_OUTLINED = 12
"""With more runs than this in a chart outlines would be noise: beside medians there are those of the focused run."""


def drawn_curves(runs: int, *, together: bool) -> slice:
    """Which of the nine curves are drawn of each run, and thus count for its axis."""
    if not together:
        return slice(None)
    return slice(LOWER, UPPER + 1) if runs <= MOST_OUTLINED else slice(MEDIAN, MEDIAN + 1)


@frozen
class Curves:
    """The quantiles of one run at n steps; there may be none. They are equal where they are of the same."""

    recorded: Recorded
    """What they are of; some of it may have no place on the x axis, and some may be superseded."""

    x: Floats = field(compare=False)
    """float64[n] on the chart's x axis, ascending, finite."""

    values: Floats = field(compare=False)
    """float64[n, 9]: TensorBoard's curves, ascending from the first to the last; NaN for what is refused."""

    superseded: tuple[Floats, Floats] | None = field(default=None, compare=False)
    """x and median of what restarts superseded, in order of arrival, NaN between stretches; None unless wanted."""

    def curve(self, index: int) -> Floats:
        """One of the nine, float64[n]."""
        return self.values[:, index]

    def in_sight(self, axis: Axis | None) -> Floats:
        """The values of all curves that an x axis shows, and those at which they enter and leave it, float64[k, 9].

        Args:
            axis: What is shown; None is everything.
        """
        if axis is None:
            return self.values
        x, values = self.x, self.values
        first, end = int(x.searchsorted(axis.low)), int(x.searchsorted(axis.high, "right"))
        parts = [values[first:end]]
        for index, at in ((first, axis.low), (end, axis.high)):
            if 0 < index < len(x):
                before, place, after = axis.unit(np.array([x[index - 1], at, x[index]])).tolist()
                part = (place - before) / (after - before) if after > before else 1.0
                if np.isfinite(part):
                    parts.append(values[None, index - 1] * (1 - part) + values[None, index] * part)
        return np.concatenate(parts)


def curves_of(recorded: Recorded, series: ReferenceSeries | None = None, skip: int = 0) -> Curves:
    """The curves of what a run has recorded under a tag.

    Args:
        recorded: With what restarts have superseded, or without it.
        series: What it was made of, where what was superseded is among it.
        skip: Steps below this were left out.
    """
    seen, lost = np.isfinite(recorded.x), None
    if series is not None and series.kept is not None:
        arrivals = np.arange(len(series))[recorded.rows]
        seen &= series.kept[arrivals]
        lost = _superseded(recorded, arrivals, series.kept, series.steps, skip)
    if bool(seen.all()):
        return Curves(recorded, recorded.x, recorded.quantiles, lost)
    return Curves(recorded, recorded.x[seen], recorded.quantiles[seen], lost)


def _superseded(
    recorded: Recorded,
    arrivals: npt.NDArray[np.intp],
    kept: npt.NDArray[np.bool_],
    steps: npt.NDArray[np.int64],
    skip: int,
) -> tuple[Floats, Floats] | None:
    indices, breaks = superseded(steps, kept, skip)
    if not len(indices):
        return None
    places = np.zeros(len(steps), np.intp)
    places[arrivals] = np.arange(len(arrivals))
    at = places[indices]
    return np.insert(recorded.x[at], breaks, np.nan), np.insert(recorded.quantiles[at, MEDIAN], breaks, np.nan)
