"""Values so far out that an axis would show nothing of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.series.domain import extent
from tbtui.series.scales import bent

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.series.domain import Limits
    from tbtui.series.scales import Scale

FAR_OUT = 4.0
"""Values count as outliers once they would make the axis this many times as long as most of them need it."""

FENCE = 1.5
"""No outlier is a value that lies beyond most of them by no more than this many times their span."""


def without_outliers(
    values: npt.NDArray[np.float64], most: Limits, scale: Scale = "linear", threshold: float = 1.0
) -> Limits | None:
    """What an axis has to show of values so that most of them are not flattened: all, where that does not.

    Args:
        values: float64[n]; what is not finite does not count, nor does on a log scale what is not above 0.
        most: Between what most of them lie; low may equal high, and then there are no outliers.
        scale: Of the axis.
        threshold: Of a symlog scale.

    Returns:
        None when no value counts.
    """
    everything = extent([values], scale=scale)
    if everything is None or most[0] == most[1]:
        return everything
    if axis_span(everything, scale, threshold) <= FAR_OUT * axis_span(most, scale, threshold):
        return everything
    low, high = bent(np.array(most), scale, threshold) / 2
    places = bent(values, scale, threshold) / 2
    beyond = 2 * FENCE * (high / 2 - low / 2)
    inside = values[(places >= low - beyond) & (places <= high + beyond)]
    return extent([inside], scale=scale) or most


def axis_span(limits: Limits, scale: Scale, threshold: float) -> float:
    """Length on the axis; halved, so that opposite huge limits have one."""
    low, high = bent(np.array(limits), scale, threshold)
    return float(high / 2 - low / 2)
