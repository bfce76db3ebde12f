"""The axes of a chart of histograms: one of steps or times, and one of values that all runs of its tag share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.histograms.spread import joined, shown_limits, spread_of
from tbtui.series.domain import SMALL, extent
from tbtui.series.histograms import value_limits
from tbtui.viewstate.axes import NOTHING_HELD, HeldAxes, threshold_of, x_axis, y_axis
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.ranges import hand_range

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.histograms.recorded import Floats, Recorded
    from tbtui.plugins.histograms.spread import Spread
    from tbtui.series.domain import Limits
    from tbtui.viewstate.axes import AxesChosen

INNER = slice(1, -1)
"""Quantiles that are neither the least nor the greatest value."""


@frozen
class Axes:
    """Both axes of a chart."""

    along: Axis
    """Of steps or times."""

    values: Axis


class HistogramAxes:
    """The axes of every chart seen so far: limits grow in nice steps, and start anew when other things are shown."""

    def __init__(self) -> None:
        self._held = HeldAxes()

    def axes(
        self,
        key: str,
        own: Sequence[Recorded],
        beside: Sequence[Recorded],
        chosen: AxesChosen,
        shown: Hashable,
        *,
        glance: bool = False,
    ) -> Axes:
        """The axes of a chart.

        Args:
            key: Of its card.
            own: The histograms that it shows; at least one run's.
            beside: Those that share its range of values, its own among them.
            chosen: What is chosen for the axes.
            shown: What is shown beside the data and `chosen`: while these are equal, limits are held.
            glance: See `shown_limits`.
        """
        former, _ = self._held.former(key, (chosen, shown))
        along, held = x_axis([_ends(each.x) for each in own], chosen, own[0].origin, former)
        self._held.keep(key, (chosen, shown), held, NOTHING_HELD)
        in_sight = along if hand_range(chosen.x_range, along.scale, along.origin) != WHOLE else None
        return Axes(along, self._values(beside, chosen, (chosen, shown), in_sight, glance=glance))

    def _values(
        self, beside: Sequence[Recorded], chosen: AxesChosen, shown: Hashable, in_sight: Axis | None, *, glance: bool
    ) -> Axis:
        """The axis of values; it is remembered for all runs that share it, so that they go on to have the same."""
        key = "\0".join(("", beside[0].tag, str(glance), *(each.run for each in beside)))
        _, former = self._held.former(key, shown)
        scale = chosen.y_scale
        if None not in hand_range(chosen.y_range, scale) and scale != "symlog":
            return y_axis(None, chosen, 1.0)[0]
        rows = [slice(None) if in_sight is None else rows_in_sight(each, in_sight) for each in beside]
        values: Floats = np.empty(0)
        if scale == "symlog":
            values = np.concatenate([each.quantiles[at, INNER].ravel() for each, at in zip(beside, rows, strict=True)])
        threshold = threshold_of(values, SMALL, scale, former)
        spreads = [_spread(each, at) for each, at in zip(beside, rows, strict=True)]
        if scale == "log":
            ends = [_above_zero(each, at) for each, at in zip(beside, rows, strict=True)]
        else:
            ends = [each.limits for each in spreads]
        everything = extent([np.array(end) for end in ends if end is not None])
        limits = shown_limits(joined(spreads), everything, chosen.outliers, scale, threshold, glance=glance)
        axis, held = y_axis(limits, chosen, threshold, former, padding=0.0)
        self._held.keep(key, shown, NOTHING_HELD, held)
        return axis


def rows_in_sight(recorded: Recorded, axis: Axis) -> slice:
    """Which of its histograms an axis of steps shows."""
    return slice(int(recorded.x.searchsorted(axis.low)), int(recorded.x.searchsorted(axis.high, "right")))


def _spread(recorded: Recorded, rows: slice) -> Spread:
    return recorded.spread if rows == slice(None) else spread_of(recorded.some(rows))


def _above_zero(recorded: Recorded, rows: slice) -> Limits | None:
    return recorded.figures.above_zero if rows == slice(None) else value_limits(recorded.some(rows), "log")


def _ends(x: Floats) -> Floats:
    """The ends of x that count, and what is next to zero, at which scales that have one turn."""
    end = int(x.searchsorted(np.inf))
    zero = int(x[:end].searchsorted(0.0))
    return np.concatenate([x[:1], x[max(end - 1, 0) : end], x[max(zero - 1, 0) : min(zero + 2, end)]])
