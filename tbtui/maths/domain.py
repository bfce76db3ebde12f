"""Scales and limits of axes: extent of data, padding, rounding, and limits that stay stable while data grows.

Padding and spans are measured on the scale of the axis. A symlog scale has a threshold from
`choose_symlog_threshold`; other scales ignore it.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt


Scale: TypeAlias = Literal["linear", "log", "symlog"]

Limits: TypeAlias = "tuple[float, float]"
"""Low and high end; finite, low < high, both positive on a log scale."""

PADDING = 0.05
"""Padding on each side of the data, as a share of its span."""

ROUNDING = 40
"""Limits are rounded outward to a nice step of at least 1/40 of the span (at most 1/16)."""

GROWTH = 8
"""Rounding of limits that data has exceeded: coarser, so that the next points stay inside."""

SHRINK_BELOW = 0.5
"""Stable limits are replaced when the data needs less than this share of them."""

OUTLIER_SHARE = 0.05
"""Share of all values that the outlier rule ignores at each end."""

LINEAR_SHARE = 0.1
"""Share of the values that may be within the linear part of a symlog scale."""

MAX_DECADES = 6
"""Maximum number of decades of a symlog scale on each side of zero."""

MAX_RANKED_VALUES = 1 << 16
"""Maximum number of values sorted to find a threshold; more are subsampled."""

_MAX_FLOAT = sys.float_info.max
_MIN_FLOAT = sys.float_info.min


def to_scale(values: npt.NDArray[np.float64], scale: Scale, threshold: float) -> npt.NDArray[np.float64]:
    """Transform values to positions on a scale; NaN for values outside its domain."""
    if scale == "linear":
        return values
    if scale == "symlog":
        with np.errstate(over="ignore"):
            return np.asarray(np.arcsinh(values / threshold))
    return np.log10(values, out=np.full(np.shape(values), np.nan), where=np.asarray(values > 0))


def from_scale(positions: npt.NDArray[np.float64], scale: Scale, threshold: float) -> npt.NDArray[np.float64]:
    """Transform positions back to values: the inverse of `to_scale`."""
    if scale == "linear":
        return positions
    with np.errstate(over="ignore"):
        return np.asarray(np.sinh(positions) * threshold) if scale == "symlog" else np.asarray(10.0**positions)


def compute_extent(
    arrays: Iterable[npt.NDArray[np.float64]],
    *,
    scale: Scale = "linear",
    ignore_outliers: bool = False,
) -> Limits | None:
    """Return the smallest and largest finite value of several arrays; equal for a constant.

    Args:
        arrays: float64[n] each; NaN and infinities do not count.
        scale: On a log scale only values above 0 count.
        ignore_outliers: With more than two values, ignore those beyond the 5th and 95th percentile of all arrays
            together: TensorBoard's rule, `sorted[ceil((n - 1) * .05)]` to `sorted[floor((n - 1) * .95)]`.

    Returns:
        None if no value counts.
    """
    log = scale == "log"
    usable = [values for values in (_drop_unusable(array, log=log) for array in arrays) if len(values)]
    if not usable:
        return None
    if ignore_outliers and sum(map(len, usable)) > 2:
        return _find_inlier_limits(np.concatenate(usable))
    return min(float(values.min()) for values in usable), max(float(values.max()) for values in usable)


def _drop_unusable(values: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.float64]:
    """Return the finite (and positive) values; the same array if all are."""
    if len(values) == 0:
        return values
    low, high = values.min(), values.max()  # either is NaN when any value is
    if np.isfinite(low) and np.isfinite(high) and (low > 0 or not log):
        return values
    is_usable = np.isfinite(values)
    if log:
        is_usable &= values > 0
    return np.asarray(values[is_usable])


def _find_inlier_limits(values: npt.NDArray[np.float64]) -> Limits:
    last = len(values) - 1
    first, end = math.ceil(last * OUTLIER_SHARE), math.floor(last * (1 - OUTLIER_SHARE))
    ordered = np.partition(values, (first, end))
    return float(ordered[first]), float(ordered[end])


def compute_limits(
    data: Limits | None,
    *,
    scale: Scale = "linear",
    threshold: float = 1.0,
    padding: float = PADDING,
    rounding: int = ROUNDING,
) -> Limits:
    """Return axis limits around an extent, padded and rounded outward to nice values.

    A constant c has the limits 0 to 2c, and 0 has -1 to 1. Data of one sign never has limits of the other sign.

    Args:
        data: From `compute_extent`; None returns limits of an empty chart.
        scale: Scale of the axis; on a log scale `data` is positive.
        threshold: Threshold of a symlog scale.
        padding: Padding on each side as a share of the span; 0 for an x axis.
        rounding: Approximate number of nice steps in the span of a linear axis; fewer steps round more.
    """
    if data is None:
        return (0.1, 1.0) if scale == "log" else (0.0, 1.0)
    low, high = data
    if scale == "log":
        return _choose_log_limits(max(low, _MIN_FLOAT), max(high, _MIN_FLOAT), padding)
    if low == high:
        low, high = (-1.0, 1.0) if low == 0 else (min(2 * low, 0.0), max(2 * low, 0.0))
        return max(low, -_MAX_FLOAT), min(high, _MAX_FLOAT)
    half_span = compute_axis_span(data, scale, threshold)
    padding_length = 2 * half_span * padding if half_span < _MAX_FLOAT / 4 else 0.0
    if scale == "symlog":
        padded = _choose_symlog_limits(low, high, threshold, padding_length)
    else:
        padded = round_outward(low - padding_length, high + padding_length, rounding)
    return (0.0 if low >= 0 > padded[0] else padded[0]), (0.0 if high <= 0 < padded[1] else padded[1])


def _choose_log_limits(low: float, high: float, padding: float) -> Limits:
    if low == high:
        return max(low / 2, _MIN_FLOAT / 2), min(high * 2, _MAX_FLOAT)
    factor = 10 ** (padding * (math.log10(high) - math.log10(low)))
    low, high = max(low / factor, _MIN_FLOAT / 2), min(high * factor, _MAX_FLOAT)
    if high / 10 < low:  # within a decade the steps of a linear scale are finer
        rounded = round_outward(low, high, ROUNDING)
        return (rounded[0] if rounded[0] > 0 else low), rounded[1]
    return _round_positive(low, down=True), _round_positive(high, down=False)


def _choose_symlog_limits(low: float, high: float, threshold: float, padding_length: float) -> Limits:
    ends = np.add(to_scale(np.array([low, high]), "symlog", threshold), (-padding_length, padding_length))
    low, high = np.clip(from_scale(ends, "symlog", threshold), (-_MAX_FLOAT, high), (low, _MAX_FLOAT)).tolist()
    if low * high > 0 and min(abs(low), abs(high)) > max(abs(low), abs(high)) / 10:
        return round_outward(low, high, ROUNDING)
    return _round_to_one_two_five(low, down=True), _round_to_one_two_five(high, down=False)


def _round_to_one_two_five(value: float, *, down: bool) -> float:
    """Return the nearest 1, 2 or 5 times a power of ten, with its sign, at or beyond a value; 0 stays 0."""
    if abs(value) < _MIN_FLOAT:
        return value
    return _round_positive(value, down=down) if value > 0 else -_round_positive(-value, down=not down)


def _round_positive(value: float, *, down: bool) -> float:
    """Return the nearest 1, 2 or 5 times a power of ten at or beyond a positive value."""
    exponent = math.floor(math.log10(value))
    candidates = [float(f"{digit}e{exponent + shift}") for shift in (-1, 0, 1) for digit in (1, 2, 5)]
    if down:
        return max((c for c in candidates if 0 < c <= value), default=value)
    return min((c for c in candidates if value <= c < math.inf), default=value)


def choose_nice_step(span: float) -> tuple[int, int]:
    """Return the smallest 1, 2 or 5 times a power of ten that is at least `span` > 0, as (digit, exponent)."""
    exponent = math.floor(math.log10(span))
    for digit in (1, 2, 5):
        if float(f"{digit}e{exponent}") >= span * (1 - 1e-12):
            return digit, exponent
    return 1, exponent + 1


def round_outward(low: float, high: float, rounding: int) -> Limits:
    """Return limits rounded outward to multiples of a nice step, with about `rounding` steps in the span."""
    low, high = max(low, -_MAX_FLOAT), min(high, _MAX_FLOAT)
    span = (high - low) / rounding
    if not 0 < span < _MAX_FLOAT / 10:
        return low, high
    digit, exponent = choose_nice_step(span)
    step = float(f"{digit}e{exponent}")
    if step == 0 or not math.isfinite(step):
        return low, high
    # If the step is smaller than the distance of neighbouring floats, rounding would move limits inward.
    return min(low, _multiply_step(math.floor(low / step), digit, exponent)), max(
        high, _multiply_step(math.ceil(high / step), digit, exponent)
    )


def _multiply_step(count: int, digit: int, exponent: int) -> float:
    """Return `count` steps, rounded once (three tenths are 0.3) and clamped to the range of floats."""
    return min(max(float(f"{count * digit}e{exponent}"), -_MAX_FLOAT), _MAX_FLOAT)


def stabilise_limits(
    previous: Limits | None,
    data: Limits | None,
    *,
    scale: Scale = "linear",
    threshold: float = 1.0,
    padding: float = PADDING,
) -> Limits:
    """Return limits for growing data: the previous ones until data exceeds them or needs far less.

    A limit that the data has exceeded moves outward by a large nice step; the other limit does not change.

    Args:
        previous: Limits shown so far; None at first.
        data: Current extent.
        scale: Scale of the axis.
        threshold: Threshold of a symlog scale.
        padding: See `compute_limits`.
    """
    fitted = compute_limits(data, scale=scale, threshold=threshold, padding=padding)
    if previous is None or (scale == "log" and previous[0] <= 0):
        return fitted
    if data is None:
        return previous
    grown = compute_limits(data, scale=scale, threshold=threshold, padding=padding, rounding=GROWTH)
    extended = (
        previous[0] if previous[0] <= data[0] else min(grown[0], previous[0]),
        previous[1] if data[1] <= previous[1] else max(grown[1], previous[1]),
    )
    return (
        extended
        if compute_axis_span(fitted, scale, threshold) >= SHRINK_BELOW * compute_axis_span(extended, scale, threshold)
        else fitted
    )


def choose_symlog_threshold(values: npt.NDArray[np.float64], max_linear_share: float = LINEAR_SHARE) -> float:
    """Return the magnitude at which a symlog scale turns from linear to logarithmic: a power of ten, from the data.

    Args:
        values: float64[n]; NaN, infinities and zeros do not count.
        max_linear_share: Share of the values that may be smaller. A tenth is right for y, where noise around zero comes
            arbitrarily close to it; 0 for x, where the first point after the origin matters.

    Returns:
        At most about a tenth of the largest magnitude, at least a millionth of it; 1.0 if no value counts.
    """
    if max_linear_share:
        values = values[:: 1 + len(values) // MAX_RANKED_VALUES]
    magnitudes = np.abs(values[np.isfinite(values) & (values != 0)])
    if len(magnitudes) == 0:
        return 1.0
    rank = int(max_linear_share * (len(magnitudes) - 1))
    smallest = float(np.partition(magnitudes, rank)[rank]) if rank else float(magnitudes.min())
    largest_exponent = math.log10(float(magnitudes.max()))
    lowest, highest = (
        math.ceil(largest_exponent) - MAX_DECADES,
        math.floor(largest_exponent + 0.05) - 1,
    )  # 0.99 counts as 1
    exponent = min(max(math.floor(math.log10(smallest)), lowest), highest)
    return float(f"1e{max(exponent, -300)}")


OUTLIER_RATIO = 4.0
"""Minimum factor by which outliers lengthen the axis."""

FENCE = 1.5
"""Distance from the range of most values, in spans of that range, within which values are never outliers."""


def compute_extent_without_outliers(
    values: npt.NDArray[np.float64], typical: Limits, scale: Scale = "linear", threshold: float = 1.0
) -> Limits | None:
    """Return the extent that an axis shows so that outliers do not flatten most values.

    Args:
        values: float64[n]; values that are not finite, or not above 0 on a log scale, do not count.
        typical: Range of most values; there are no outliers if low equals high.
        scale: Scale of the axis.
        threshold: Threshold of a symlog scale.

    Returns:
        The extent of all values if there are no outliers; None if no value counts.
    """
    full_extent = compute_extent([values], scale=scale)
    if full_extent is None or typical[0] == typical[1]:
        return full_extent
    if compute_axis_span(full_extent, scale, threshold) <= OUTLIER_RATIO * compute_axis_span(typical, scale, threshold):
        return full_extent
    low, high = to_scale(np.array(typical), scale, threshold) / 2
    positions = to_scale(values, scale, threshold) / 2
    fence = 2 * FENCE * (high / 2 - low / 2)
    inside = values[(positions >= low - fence) & (positions <= high + fence)]
    return compute_extent([inside], scale=scale) or typical


def compute_axis_span(limits: Limits, scale: Scale, threshold: float) -> float:
    """Return half the length on the axis, which is finite for opposite huge limits."""
    low, high = to_scale(np.array(limits), scale, threshold).tolist()  # NaN without a warning beyond the scale
    return float(high / 2 - low / 2)
