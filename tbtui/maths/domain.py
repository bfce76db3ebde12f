"""Axis limits: the extent of data, padding, nice rounding, and limits that hold still while data grows.

All of it on the scale of the axis: padding and spans are parts of what is seen. A symlog scale needs its threshold for
that, from `symlog_threshold`; the others ignore it.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.maths.axes import from_scale, to_scale

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from tbtui.maths.axes import Scale


Limits: TypeAlias = "tuple[float, float]"
"""Low and high end; finite, low < high, both positive on a log scale."""

PADDING = 0.05
"""Room left at each side of the data, as a part of its span."""

ROUNDING = 40
"""Limits are rounded outward to a nice step of at least a fortieth of the span (a sixteenth at most)."""

GROWTH = 8
"""Limits that data has left are rounded more coarsely, so that the next points stay inside."""

SHRINK_BELOW = 0.5
"""Held limits are given up once the data needs less than this part of them."""

OUTLIER_SHARE = 0.05
"""Part of all values that the outlier rule leaves out at each end."""

LINEAR_SHARE = 0.1
"""Part of the values that may lie within a symlog scale's linear part."""

MAX_DECADES = 6
"""Decades that a symlog scale spreads out at either side of zero."""

MAX_RANKED_VALUES = 1 << 16
"""Values put in order to find a threshold; of more, some are skipped."""

_MAX_FLOAT = sys.float_info.max
_MIN_FLOAT = sys.float_info.min


def extent(
    arrays: Iterable[npt.NDArray[np.float64]],
    *,
    scale: Scale = "linear",
    ignore_outliers: bool = False,
) -> Limits | None:
    """Least and greatest finite value over several arrays; low equals high for a constant.

    Args:
        arrays: float64[n] each; NaN and infinities do not count.
        scale: On a log scale only values above 0 count.
        ignore_outliers: With more than two values, those beyond the 5th and 95th hundredth (over all arrays together)
            do not count: TensorBoard's rule, `sorted[ceil((n - 1) * .05)]` to `sorted[floor((n - 1) * .95)]`.

    Returns:
        None when no value counts.
    """
    log = scale == "log"
    counted = [values for values in (_usable_values(array, log=log) for array in arrays) if len(values)]
    if not counted:
        return None
    if ignore_outliers and sum(map(len, counted)) > 2:
        return _inlier_limits(np.concatenate(counted))
    return min(float(values.min()) for values in counted), max(float(values.max()) for values in counted)


def _usable_values(values: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.float64]:
    """The finite (and positive) values; the array itself when all are."""
    if len(values) == 0:
        return values
    low, high = values.min(), values.max()  # either is NaN when any value is
    if np.isfinite(low) and np.isfinite(high) and (low > 0 or not log):
        return values
    kept = np.isfinite(values)
    if log:
        kept &= values > 0
    return np.asarray(values[kept])


def _inlier_limits(values: npt.NDArray[np.float64]) -> Limits:
    last = len(values) - 1
    first, end = math.ceil(last * OUTLIER_SHARE), math.floor(last * (1 - OUTLIER_SHARE))
    ordered = np.partition(values, (first, end))
    return float(ordered[first]), float(ordered[end])


def limits(
    data: Limits | None,
    *,
    scale: Scale = "linear",
    threshold: float = 1.0,
    padding: float = PADDING,
    rounding: int = ROUNDING,
) -> Limits:
    """Axis limits around an extent: padded, and rounded outward to nice values.

    A constant c gets the limits 0 to 2c, and 0 gets -1 to 1. Data of one sign never gets limits of the other.

    Args:
        data: From `extent`; None gives limits for an empty chart.
        scale: Of the axis; on a log scale `data` is positive.
        threshold: Of a symlog scale.
        padding: Room at each side as a part of the span; 0 for an x axis.
        rounding: About how many nice steps the span of a linear axis has; fewer steps round more.
    """
    if data is None:
        return (0.1, 1.0) if scale == "log" else (0.0, 1.0)
    low, high = data
    if scale == "log":
        return _log_limits(max(low, _MIN_FLOAT), max(high, _MIN_FLOAT), padding)
    if low == high:
        low, high = (-1.0, 1.0) if low == 0 else (min(2 * low, 0.0), max(2 * low, 0.0))
        return max(low, -_MAX_FLOAT), min(high, _MAX_FLOAT)
    half = _span(data, scale, threshold)
    room = 2 * half * padding if half < _MAX_FLOAT / 4 else 0.0
    if scale == "symlog":
        padded = _symlog_limits(low, high, threshold, room)
    else:
        padded = round_outward(low - room, high + room, rounding)
    return (0.0 if low >= 0 > padded[0] else padded[0]), (0.0 if high <= 0 < padded[1] else padded[1])


def _log_limits(low: float, high: float, padding: float) -> Limits:
    if low == high:
        return max(low / 2, _MIN_FLOAT / 2), min(high * 2, _MAX_FLOAT)
    factor = 10 ** (padding * (math.log10(high) - math.log10(low)))
    low, high = max(low / factor, _MIN_FLOAT / 2), min(high * factor, _MAX_FLOAT)
    if high / 10 < low:  # within a decade the steps of a linear scale are finer
        rounded = round_outward(low, high, ROUNDING)
        return (rounded[0] if rounded[0] > 0 else low), rounded[1]
    return _one_two_five(low, down=True), _one_two_five(high, down=False)


def _symlog_limits(low: float, high: float, threshold: float, room: float) -> Limits:
    ends = np.add(to_scale(np.array([low, high]), "symlog", threshold), (-room, room))
    low, high = np.clip(from_scale(ends, "symlog", threshold), (-_MAX_FLOAT, high), (low, _MAX_FLOAT)).tolist()
    if low * high > 0 and min(abs(low), abs(high)) > max(abs(low), abs(high)) / 10:
        return round_outward(low, high, ROUNDING)
    return _rounded(low, down=True), _rounded(high, down=False)


def _rounded(value: float, *, down: bool) -> float:
    """The nearest 1, 2 or 5 times a power of ten, with its sign, at or beyond a value; 0 stays 0."""
    if abs(value) < _MIN_FLOAT:
        return value
    return _one_two_five(value, down=down) if value > 0 else -_one_two_five(-value, down=not down)


def _one_two_five(value: float, *, down: bool) -> float:
    """The nearest 1, 2 or 5 times a power of ten at or beyond a positive value."""
    exponent = math.floor(math.log10(value))
    candidates = [float(f"{digit}e{exponent + shift}") for shift in (-1, 0, 1) for digit in (1, 2, 5)]
    if down:
        return max((c for c in candidates if 0 < c <= value), default=value)
    return min((c for c in candidates if value <= c < math.inf), default=value)


def nice_step(span: float) -> tuple[int, int]:
    """The least 1, 2 or 5 times a power of ten that is at least `span` > 0, as (digit, exponent)."""
    exponent = math.floor(math.log10(span))
    for digit in (1, 2, 5):
        if float(f"{digit}e{exponent}") >= span * (1 - 1e-12):
            return digit, exponent
    return 1, exponent + 1


def round_outward(low: float, high: float, rounding: int) -> Limits:
    """Limits rounded outward to multiples of a nice step, about `rounding` of which make the span."""
    low, high = max(low, -_MAX_FLOAT), min(high, _MAX_FLOAT)
    span = (high - low) / rounding
    if not 0 < span < _MAX_FLOAT / 10:
        return low, high
    digit, exponent = nice_step(span)
    step = float(f"{digit}e{exponent}")
    if step == 0 or not math.isfinite(step):
        return low, high
    # Where the step is less than the distance of neighbouring floats, rounding would move limits inward.
    return min(low, _multiple(math.floor(low / step), digit, exponent)), max(
        high, _multiple(math.ceil(high / step), digit, exponent)
    )


def _multiple(count: int, digit: int, exponent: int) -> float:
    """`count` steps, rounded once (three tenths are 0.3), no further than floats go."""
    return min(max(float(f"{count * digit}e{exponent}"), -_MAX_FLOAT), _MAX_FLOAT)


def stable_limits(
    previous: Limits | None,
    data: Limits | None,
    *,
    scale: Scale = "linear",
    threshold: float = 1.0,
    padding: float = PADDING,
) -> Limits:
    """Limits for data that grows: those it had, until data leaves them or needs far less than they give.

    A side that data has left moves outward by a nice step with room for what comes next; the other side stays.

    Args:
        previous: The limits shown so far; None at first.
        data: The extent now.
        scale: Of the axis.
        threshold: Of a symlog scale.
        padding: As in `limits`.
    """
    fresh = limits(data, scale=scale, threshold=threshold, padding=padding)
    if previous is None or (scale == "log" and previous[0] <= 0):
        return fresh
    if data is None:
        return previous
    grown = limits(data, scale=scale, threshold=threshold, padding=padding, rounding=GROWTH)
    kept = (
        previous[0] if previous[0] <= data[0] else min(grown[0], previous[0]),
        previous[1] if data[1] <= previous[1] else max(grown[1], previous[1]),
    )
    return kept if _span(fresh, scale, threshold) >= SHRINK_BELOW * _span(kept, scale, threshold) else fresh


def _span(limits: Limits, scale: Scale, threshold: float) -> float:
    """Half the length on the axis, so that two opposite huge limits have one."""
    low, high = map(float, to_scale(np.array(limits), scale, threshold))
    return high / 2 - low / 2


def symlog_threshold(values: npt.NDArray[np.float64], small: float = LINEAR_SHARE) -> float:
    """The magnitude around which a symlog scale turns from linear to logarithmic: a power of ten, from the data.

    Args:
        values: float64[n]; NaN, infinities and zeros do not count.
        small: Part of the values that may be smaller. A tenth is right for y, where noise about zero comes as near to
            it as one likes; 0 for x, where the first point after the origin matters.

    Returns:
        At most about a tenth of the greatest magnitude, at least a millionth of it; 1.0 when no value counts.
    """
    if small:
        values = values[:: 1 + len(values) // MAX_RANKED_VALUES]
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if len(sizes) == 0:
        return 1.0
    rank = int(small * (len(sizes) - 1))
    least = float(np.partition(sizes, rank)[rank]) if rank else float(sizes.min())
    greatest = math.log10(float(sizes.max()))
    lowest, highest = math.ceil(greatest) - MAX_DECADES, math.floor(greatest + 0.05) - 1  # 0.99 counts as 1
    exponent = min(max(math.floor(math.log10(least)), lowest), highest)
    return float(f"1e{max(exponent, -300)}")


# Values so far out that an axis would show nothing of the others.


OUTLIER_RATIO = 4.0
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
    if axis_span(everything, scale, threshold) <= OUTLIER_RATIO * axis_span(most, scale, threshold):
        return everything
    low, high = to_scale(np.array(most), scale, threshold) / 2
    places = to_scale(values, scale, threshold) / 2
    beyond = 2 * FENCE * (high / 2 - low / 2)
    inside = values[(places >= low - beyond) & (places <= high + beyond)]
    return extent([inside], scale=scale) or most


def axis_span(limits: Limits, scale: Scale, threshold: float) -> float:
    """Length on the axis; halved, so that opposite huge limits have one."""
    low, high = to_scale(np.array(limits), scale, threshold)
    return float(high / 2 - low / 2)
