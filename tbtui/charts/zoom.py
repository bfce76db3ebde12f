"""Limits of an axis that is zoomed or panned: the same part of what is seen at every scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.charts.axis import Axis
    from tbtui.series.domain import Limits

LEAST_FLOATS = 64
"""Distances of neighbouring floats that limits stay apart, so that columns of a chart can be told apart."""


def zoomed(axis: Axis, at: float, factor: float) -> Limits:
    """Limits of an axis zoomed about a value.

    Args:
        axis: The axis as it is.
        at: The value that stays where it is; one without a place on the scale stands for the middle.
        factor: What the length is multiplied by, above 0: 0.5 shows half, 2 twice as much, in the scale's own measure.

    Returns:
        Low and high end; those of the axis where floats (or, for steps, whole numbers) do not go on.
    """
    place = float(axis.unit(at))
    if not math.isfinite(place):
        place = 0.5
    return _between(axis, place * (1 - factor), place + (1 - place) * factor)


def panned(axis: Axis, part: float) -> Limits:
    """Limits of an axis moved by a part of its length: 0.25 is a quarter to the right or up.

    Returns:
        Low and high end; those of the axis where floats do not go on.
    """
    return _between(axis, part, 1 + part)


def _between(axis: Axis, first: float, last: float) -> Limits:
    """The values at two positions, where they can be limits of such an axis."""
    low, high = axis.value([first, last]).tolist()
    if not (math.isfinite(low) and math.isfinite(high)) or (axis.scale == "log" and low <= 0):
        return axis.low, axis.high
    finest = LEAST_FLOATS * math.ulp(max(abs(low), abs(high)))
    if axis.kind == "step":
        finest = max(finest, min(1.0, axis.high - axis.low))
    return (low, high) if high - low >= finest else (axis.low, axis.high)
