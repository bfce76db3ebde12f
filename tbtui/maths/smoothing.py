"""Exponential smoothing, extremes and restarts of scalar series."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt


_BLOCK = 64
"""Points in a matrix product; the carry from block to block is the same recurrence, 64 times shorter."""


def smooth(values: npt.NDArray[np.float64], weight: float) -> npt.NDArray[np.float64]:
    """Return the smoothed line that TensorBoard draws.

    For each finite value `last = w * last + (1 - w) * value`, shown as `last / (1 - w ** n)`, where n counts the finite
    values so far. NaN and infinities are passed through and leave the average unchanged. A series of equal values is
    returned unchanged (`webapp/widgets/line_chart_v2/data_transformer.ts`). A series with equal finite values is too;
    TensorBoard averages it with rounding errors, which an automatic axis would magnify.

    Args:
        values: float64[n], in series order; the distance of steps has no effect.
        weight: Clamped to [0, 1]; a weight that is not finite is 0. With 1 the rule returns zeros.

    Returns:
        float64[n], a new array.
    """
    weight = min(max(weight, 0.0), 1.0) if math.isfinite(weight) else 0.0
    if weight == 0.0 or len(values) == 0 or bool(np.all(values == values[0])):
        return np.array(values)
    finite = np.isfinite(values)
    if bool(finite.all()):
        return _average(values, weight)
    smoothed, numbers = np.array(values), values[finite]
    if len(numbers) and not bool(np.all(numbers == numbers[0])):
        smoothed[finite] = _average(numbers, weight)
    return smoothed


def _average(values: npt.NDArray[np.float64], weight: float) -> npt.NDArray[np.float64]:
    """Apply the rule to finite values."""
    if weight == 1.0 or len(values) == 0:
        return np.zeros_like(values)
    # Near the largest float a sum of products may overflow although the recurrence itself does not. Scaling by a power
    # of two is exact.
    scale = 2.0**-4 if max(float(values.max()), -float(values.min())) > 1e300 else 1.0
    last = _recur(values * ((1.0 - weight) * scale), weight)
    with np.errstate(over="ignore"):
        last /= -np.expm1(np.arange(1, len(values) + 1) * math.log(weight)) * scale
    # A sum that is rounded up may exceed the largest float; the average never does.
    return np.asarray(last if scale == 1.0 else np.clip(last, values.min(), values.max()))


def _recur(inputs: npt.NDArray[np.float64], weight: float) -> npt.NDArray[np.float64]:
    """Compute `out[i] = weight * out[i - 1] + inputs[i]`, starting from 0, block by block."""
    count = len(inputs)
    blocks = -(-count // _BLOCK)
    padded = np.zeros((blocks, _BLOCK))
    padded.reshape(-1)[:count] = inputs
    decay, powers = _decay(weight)
    recurrence = padded @ decay
    if blocks > 1:
        # The input of a block is the end of the block before it: the same recurrence over block ends.
        ends = _recur(recurrence[:-1, -1], float(powers[-1]))
        recurrence[1:] += ends[:, None] * powers
    return np.asarray(recurrence.reshape(-1)[:count])


@lru_cache(maxsize=16)
def _decay(weight: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the matrix [from, to] of weights within a block, and the decay of the input from the block before."""
    powers = weight ** np.arange(_BLOCK + 1, dtype=np.float64)
    lag = np.arange(_BLOCK)[None, :] - np.arange(_BLOCK)[:, None]
    return np.where(lag >= 0, powers[np.maximum(lag, 0)], 0.0), powers[1:]


@frozen
class Summary:
    """Indices of the last value and the extremes of a series with at least one value."""

    last: int
    minimum: int | None
    """First index of the smallest finite value; None without finite values."""

    maximum: int | None
    """First index of the largest finite value; None without finite values."""


def summarize(values: npt.NDArray[np.float64]) -> Summary:
    """Return the summary of float64[n], n >= 1; NaN and infinities are never extremes."""
    smallest, largest = int(np.argmin(values)), int(np.argmax(values))
    if np.isfinite(values[smallest]) and np.isfinite(values[largest]):  # argmin and argmax stop at the first NaN
        return Summary(len(values) - 1, smallest, largest)
    finite = np.flatnonzero(np.isfinite(values))
    if len(finite) == 0:
        return Summary(len(values) - 1, None, None)
    finite_values = values[finite]
    return Summary(len(values) - 1, int(finite[np.argmin(finite_values)]), int(finite[np.argmax(finite_values)]))


def find_lasting_restarts(
    steps: npt.NDArray[np.int64], is_current: npt.NDArray[np.bool_], indices: npt.NDArray[np.intp]
) -> npt.NDArray[np.int64]:
    """Return the steps of restarts that no later restart superseded, int64[k], ascending.

    Args:
        steps: int64[n], in order of time.
        is_current: bool[n]: False for points superseded by a later one.
        indices: The first point after each restart, in order of time.
    """
    if not len(indices):
        return np.empty(0, np.int64)
    # The first point after a restart may have been corrected by a following point at the same step.
    step_group = np.concatenate([[0], np.cumsum(steps[1:] != steps[:-1])])
    has_current = np.bincount(step_group, weights=is_current) > 0
    return np.asarray(np.unique(steps[indices[has_current[step_group[indices]]]]))


def find_superseded_points(
    steps: npt.NDArray[np.int64], is_current: npt.NDArray[np.bool_], min_step: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the points superseded by restarts, in segments that are separate lines.

    A segment starts with the current point before it, and ends with a current point at the same step.

    Args:
        steps: int64[n], in order of time.
        is_current: bool[n]: False for points superseded by a later one.
        min_step: Minimum step of the points.

    Returns:
        Indices of the points, int[k], ascending, and the positions among them before which a line is interrupted.
    """
    is_drawn = ~is_current
    is_drawn[:-1] |= ~is_current[1:] & (steps[1:] > steps[:-1])
    is_drawn[1:] |= ~is_current[:-1] & (steps[1:] == steps[:-1])
    is_drawn &= steps >= min_step
    indices = np.flatnonzero(is_drawn)
    drawn_steps = steps[indices]
    breaks = np.flatnonzero((np.diff(indices) > 1) | (drawn_steps[1:] < drawn_steps[:-1])) + 1
    return indices, breaks
