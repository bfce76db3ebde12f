"""TensorBoard's debiased exponential moving average, over whole arrays."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.decimate import unique_values

if TYPE_CHECKING:
    import numpy.typing as npt


_BLOCK = 64
"""Points a matrix product carries at once; the carry from block to block is the same recurrence, 64 times shorter."""


def smooth(values: npt.NDArray[np.float64], weight: float) -> npt.NDArray[np.float64]:
    """The line TensorBoard draws for smoothing `weight`.

    For each finite value `last = w * last + (1 - w) * value`, shown as `last / (1 - w ** n)` where n counts the finite
    values so far. NaN and infinities are passed on and leave the average as it was. A series whose values are all
    equal is its own average (`webapp/widgets/line_chart_v2/data_transformer.ts`); here also one whose finite values
    are, which TensorBoard averages into the same value but for rounding: an axis would make mountains of that.

    Args:
        values: float64[n], in series order; the spacing of steps plays no part.
        weight: Clamped to [0, 1]; one that is not finite counts as 0. At 1 the rule gives zeros.

    Returns:
        float64[n], a new array.
    """
    weight = min(max(weight, 0.0), 1.0) if math.isfinite(weight) else 0.0
    if weight == 0.0 or len(values) == 0 or bool(np.all(values == values[0])):
        return np.array(values)
    finite = np.isfinite(values)
    if bool(finite.all()):
        return _debiased(values, weight)
    smoothed, numbers = np.array(values), values[finite]
    if len(numbers) and not bool(np.all(numbers == numbers[0])):
        smoothed[finite] = _debiased(numbers, weight)
    return smoothed


def _debiased(values: npt.NDArray[np.float64], weight: float) -> npt.NDArray[np.float64]:
    """The rule over finite values."""
    if weight == 1.0 or len(values) == 0:
        return np.zeros_like(values)
    # Near the largest float a sum of products may overflow where the one-by-one rule just does not; a power of two
    # scales without rounding.
    scale = 2.0**-4 if max(float(values.max()), -float(values.min())) > 1e300 else 1.0
    last = _recur(values * ((1.0 - weight) * scale), weight)
    with np.errstate(over="ignore"):
        last /= -np.expm1(np.arange(1, len(values) + 1) * math.log(weight)) * scale
    # Likewise a sum rounded up may be more than any float, as no average of floats is.
    return np.asarray(last if scale == 1.0 else np.clip(last, values.min(), values.max()))


def _recur(inputs: npt.NDArray[np.float64], weight: float) -> npt.NDArray[np.float64]:
    """`out[i] = weight * out[i - 1] + inputs[i]`, starting from 0, by blocks."""
    count = len(inputs)
    blocks = -(-count // _BLOCK)
    padded = np.zeros((blocks, _BLOCK))
    padded.reshape(-1)[:count] = inputs
    decay, powers = _decay(weight)
    out = padded @ decay
    if blocks > 1:
        # What enters a block is the end of the block before it: the same recurrence over block ends.
        ends = _recur(out[:-1, -1], float(powers[-1]))
        out[1:] += ends[:, None] * powers
    return np.asarray(out.reshape(-1)[:count])


@lru_cache(maxsize=16)
def _decay(weight: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The matrix [from, to] of weights within a block, and what a block's input from the left has decayed to."""
    powers = weight ** np.arange(_BLOCK + 1, dtype=np.float64)
    lag = np.arange(_BLOCK)[None, :] - np.arange(_BLOCK)[:, None]
    return np.where(lag >= 0, powers[np.maximum(lag, 0)], 0.0), powers[1:]


# The few numbers that stand for a whole series: its last value and its extremes, and where they are.


@frozen
class Summary:
    """Indices into a series that holds at least one value."""

    last: int
    least: int | None
    """The first of the least finite values; None when no value is finite."""

    greatest: int | None
    """The first of the greatest finite values; likewise."""


def summarize(values: npt.NDArray[np.float64]) -> Summary:
    """The figures of float64[n], n >= 1; NaN and infinities are no extremes."""
    least, greatest = int(np.argmin(values)), int(np.argmax(values))
    if np.isfinite(values[least]) and np.isfinite(values[greatest]):  # argmin and argmax stop at the first NaN
        return Summary(len(values) - 1, least, greatest)
    finite = np.flatnonzero(np.isfinite(values))
    if len(finite) == 0:
        return Summary(len(values) - 1, None, None)
    kept = values[finite]
    return Summary(len(values) - 1, int(finite[np.argmin(kept)]), int(finite[np.argmax(kept)]))


# Where a run went on from an earlier step than it had reached.


def restart_points(steps: npt.NDArray[np.int64], shown: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """The points with which a series went on after it had gone back.

    A step logged twice in a row is a correction, not a restart. Steps that went back farther later on have superseded
    the restart as well: nothing of it is shown.

    Args:
        steps: int64[n], in order of arrival.
        shown: int64[k], strictly ascending: those of them that are shown.

    Returns:
        Indices into `shown`, ascending.
    """
    if not len(shown):
        return np.zeros(0, np.intp)
    lasting = steps[1:] == np.minimum.accumulate(steps[:0:-1])[::-1]
    back = steps[1:][lasting & (steps[1:] < steps[:-1])]
    return unique_values(np.searchsorted(shown, back[back >= shown[0]]))


def superseded_points(
    steps: npt.NDArray[np.int64], kept: npt.NDArray[np.bool_], least: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """What restarts superseded, each stretch of it with the point from which it went on.

    Args:
        steps: int64[n], in order of arrival.
        kept: bool[n]: which of the points no later one has superseded.
        least: Points at steps below are left out.

    Returns:
        Indices of the points, int[k], ascending, and where among these a new stretch begins: a line through them is
        interrupted before each.
    """
    shown = ~kept
    shown[:-1] |= ~kept[1:] & (steps[1:] > steps[:-1])
    shown &= steps >= least
    indices = np.flatnonzero(shown)
    along = steps[indices]
    breaks = np.flatnonzero((np.diff(indices) > 1) | (along[1:] <= along[:-1])) + 1
    return indices, breaks
