"""Axis limits: the extent of data, padding, nice rounding, and limits that hold still while data grows."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

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

OUTLIERS = 0.05
"""Part of all values that the outlier rule leaves out at each end."""

_MOST = sys.float_info.max
_LEAST = sys.float_info.min


def extent(
    arrays: Iterable[npt.NDArray[np.float64]], *, log: bool = False, ignore_outliers: bool = False
) -> Limits | None:
    """Least and greatest finite value over several arrays; low equals high for a constant.

    Args:
        arrays: float64[n] each; NaN and infinities do not count.
        log: Only values above 0 count.
        ignore_outliers: With more than two values, those beyond the 5th and 95th hundredth (over all arrays together)
            do not count: TensorBoard's rule, `sorted[ceil((n - 1) * .05)]` to `sorted[floor((n - 1) * .95)]`.

    Returns:
        None when no value counts.
    """
    counted = [values for values in (_counted(array, log=log) for array in arrays) if len(values)]
    if not counted:
        return None
    if ignore_outliers and sum(map(len, counted)) > 2:
        return _inner(np.concatenate(counted))
    return min(float(values.min()) for values in counted), max(float(values.max()) for values in counted)


def _counted(values: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.float64]:
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


def _inner(values: npt.NDArray[np.float64]) -> Limits:
    last = len(values) - 1
    first, end = math.ceil(last * OUTLIERS), math.floor(last * (1 - OUTLIERS))
    ordered = np.partition(values, (first, end))
    return float(ordered[first]), float(ordered[end])


def limits(data: Limits | None, *, log: bool = False, padding: float = PADDING, rounding: int = ROUNDING) -> Limits:
    """Axis limits around an extent: padded, and rounded outward to nice values.

    A constant c gets the limits 0 to 2c, and 0 gets -1 to 1. Data of one sign never gets limits of the other.

    Args:
        data: From `extent`; None gives limits for an empty chart.
        log: The axis is logarithmic; `data` is positive.
        padding: Room at each side as a part of the span; 0 for an x axis.
        rounding: About how many nice steps the span has; fewer steps round more.
    """
    if data is None:
        return (0.1, 1.0) if log else (0.0, 1.0)
    low, high = data
    if log:
        return _log_limits(max(low, _LEAST), max(high, _LEAST), padding)
    if low == high:
        low, high = (-1.0, 1.0) if low == 0 else (min(2 * low, 0.0), max(2 * low, 0.0))
        return max(low, -_MOST), min(high, _MOST)
    room = padding * (high / 2 - low / 2) * 2 if high / 2 - low / 2 < _MOST / 4 else 0.0
    padded = nice(low - room, high + room, rounding)
    return (0.0 if low >= 0 > padded[0] else padded[0]), (0.0 if high <= 0 < padded[1] else padded[1])


def _log_limits(low: float, high: float, padding: float) -> Limits:
    if low == high:
        return max(low / 2, _LEAST / 2), min(high * 2, _MOST)
    factor = 10 ** (padding * (math.log10(high) - math.log10(low)))
    low, high = max(low / factor, _LEAST / 2), min(high * factor, _MOST)
    if high / 10 < low:  # within a decade the steps of a linear scale are finer
        rounded = nice(low, high, ROUNDING)
        return (rounded[0] if rounded[0] > 0 else low), rounded[1]
    return _one_two_five(low, down=True), _one_two_five(high, down=False)


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


def nice(low: float, high: float, rounding: int) -> Limits:
    """Limits rounded outward to multiples of a nice step, about `rounding` of which make the span."""
    low, high = max(low, -_MOST), min(high, _MOST)
    span = (high - low) / rounding
    if not 0 < span < _MOST / 10:
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
    return min(max(float(f"{count * digit}e{exponent}"), -_MOST), _MOST)


def held(previous: Limits | None, data: Limits | None, *, log: bool = False, padding: float = PADDING) -> Limits:
    """Limits for data that grows: those it had, until data leaves them or needs far less than they give.

    A side that data has left moves outward by a nice step with room for what comes next; the other side stays.

    Args:
        previous: The limits shown so far; None at first.
        data: The extent now.
        log: The axis is logarithmic.
        padding: As in `limits`.
    """
    fresh = limits(data, log=log, padding=padding)
    if previous is None or (log and previous[0] <= 0):
        return fresh
    if data is None:
        return previous
    grown = limits(data, log=log, padding=padding, rounding=GROWTH)
    kept = (
        previous[0] if previous[0] <= data[0] else min(grown[0], previous[0]),
        previous[1] if data[1] <= previous[1] else max(grown[1], previous[1]),
    )
    return kept if _span(fresh, log=log) >= SHRINK_BELOW * _span(kept, log=log) else fresh


def _span(limits: Limits, *, log: bool) -> float:
    low, high = limits
    return math.log(high) - math.log(low) if log else high / 2 - low / 2
