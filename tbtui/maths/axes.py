"""X values of a series (steps, relative time, wall time) and axis scales."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt


MAX_EXACT_INTEGER = 2**53
"""Largest magnitude up to which every integer is exact as float64."""


def step_origin(steps: Iterable[npt.NDArray[np.int64]]) -> int:
    """Return the value to subtract from all steps of a chart so that neighbours stay distinct as float64.

    Args:
        steps: Step column of each series of the chart.

    Returns:
        0 unless steps exceed `MAX_EXACT_INTEGER`; otherwise the smallest step of the chart.
    """
    ends = [(int(column.min()), int(column.max())) for column in steps if len(column)]
    if all(low >= -MAX_EXACT_INTEGER and high <= MAX_EXACT_INTEGER for low, high in ends):
        return 0
    return min(low for low, _ in ends)


def step_x(steps: npt.NDArray[np.int64], origin: int = 0) -> npt.NDArray[np.float64]:
    """Return steps as x values, float64[n], relative to `origin` (see `step_origin`)."""
    if origin == 0:
        return steps.astype(np.float64)
    # The difference of two int64 may need 65 bits; as unsigned numbers it is exact, since no step is below the origin.
    return np.asarray((steps.astype(np.uint64) - np.uint64(origin % 2**64)).astype(np.float64))


def steps_at(x: npt.NDArray[np.float64], origin: int = 0) -> npt.NDArray[np.int64]:
    """Return the steps at ascending x values, int64[n]: the inverse of `step_x`, up to float64 precision."""
    # Rounding may have moved x beyond the largest int64 step.
    x = np.minimum(x, math.nextafter(float(2**63 - 1 - origin), 0.0)) if len(x) and x[-1] > MAX_EXACT_INTEGER else x
    if origin == 0:
        return x.astype(np.int64)
    return np.asarray((x.astype(np.uint64) + np.uint64(origin % 2**64)).view(np.int64))


def start_time(wall_times: npt.NDArray[np.float64]) -> float:
    """Return the origin of relative time: the first finite wall time; 0.0 without any."""
    if len(wall_times) and np.isfinite(wall_times[0]):
        return float(wall_times[0])
    finite = wall_times[np.isfinite(wall_times)]
    return float(finite[0]) if len(finite) else 0.0


def relative_x(wall_times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return seconds since the first point of this series, float64[n], as TensorBoard does.

    The origin is not the start of the run. If the first wall time is not finite, the first finite one is the origin.
    """
    return np.asarray(wall_times - start_time(wall_times))


def wall_x(wall_times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return seconds since the epoch, float64[n]."""
    return wall_times


Scale: TypeAlias = Literal["linear", "log", "symlog"]


def to_scale(values: npt.NDArray[np.float64], scale: Scale, threshold: float) -> npt.NDArray[np.float64]:
    """Transform values to positions on a scale; NaN for values outside its domain."""
    if scale == "linear":
        return values
    if scale == "symlog":
        with np.errstate(over="ignore"):
            return np.asarray(np.arcsinh(values / threshold))
    return np.log10(values, out=np.full(np.shape(values), np.nan), where=np.asarray(values > 0))


def from_scale(places: npt.NDArray[np.float64], scale: Scale, threshold: float) -> npt.NDArray[np.float64]:
    """Transform positions back to values: the inverse of `to_scale`."""
    if scale == "linear":
        return places
    with np.errstate(over="ignore"):
        return np.asarray(np.sinh(places) * threshold) if scale == "symlog" else np.asarray(10.0**places)
