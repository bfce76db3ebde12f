"""Whether a loss that has come down goes up for good, or no longer moves: told from its values alone."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.viewstate.best import LESS_IS_BETTER, has_word

if TYPE_CHECKING:
    import numpy.typing as npt

Trend: TypeAlias = Literal["diverges", "flat"]

LEAST_POINTS, MOST_POINTS = 45, 300
"""Fewer say nothing yet; more are averaged to so many."""

MOST_AVERAGED = 32
"""Values that go into one average at most, at equal distances: a million points are judged as fast as ten thousand."""

NO_DISTANCE = re.compile(
    r"policy|value|surrogate|entropy|kl|kld|actor|critic|q|qf|vf|pg|alpha|adv|adversarial|gan|gen|generator|g|d|disc"
    r"|discriminator|fake|real|reg|regularization|regularizer|regularisation|commit|commitment|codebook|aux|lr|learning"
)
"""A word of a loss that rises, or stands still, in good trainings too: what two players lose to each other, what is
measured in the rewards of a policy that learns, what holds weights or codes in bounds."""

STRETCHES = 9
"""A curve is seen as the medians of so many stretches of equally many points, at least five each; the last three are
its last third."""


@lru_cache(maxsize=1 << 16)
def is_loss(tag: str) -> bool:
    """Whether a tag's name says that it measures the distance to a goal: `loss/train`, `val_mse`, not `value_loss`."""
    return has_word(tag, LESS_IS_BETTER) and not has_word(tag, NO_DISTANCE)


def trend(values: npt.NDArray[np.float64]) -> Trend | None:
    """What is to be said of a loss, in the order of its steps; None while it behaves, or cannot be judged.

    With *start* the median of the first points, *best* the least of the stretches' medians, *drop* = start - best, and
    *noise* the standard deviation about a smooth curve, estimated from the median second difference:

    diverges: no value is negative, and the loss had come down by a tenth of its start and by more than the noise of
        its first half. Now the median of the last stretch is more than twice the best, further above the start than
        the best is below it (recent - best > 2 drop), the highest of the last third, and above the first of that third
        by more than noise. A loss that overfits, spikes, or starts again at a higher learning rate stays below that.
    flat: the last third stands below the start by more than 5 noise and did not come down to a fifth of it (there it
        has arrived). The medians of its two halves differ by less than a hundredth of what it had changed before, and
        there is so little noise that chance (4 standard errors) makes no more difference either.

    Args:
        values: float64[n] in the order of steps; NaN and infinities are left out. Judged from `LEAST_POINTS` on.
    """
    values = averaged(values)
    if len(values) < LEAST_POINTS:
        return None
    start = float(np.median(values[: max(3, len(values) // 50)]))
    if _diverges(values, start):
        return "diverges"
    return "flat" if _is_flat(values[-(len(values) // 3) :], start) else None


def averaged(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """At most `MOST_POINTS` averages over equal stretches, as parts of the greatest value; only of finite values."""
    each = max(1, min(len(values) // MOST_POINTS, MOST_AVERAGED))
    if len(values) > MOST_POINTS:
        values = values[np.linspace(0, len(values) - 1, MOST_POINTS * each).astype(np.intp)]
    finite = np.isfinite(values)
    # Sums of values near the ends of float64 would overflow, and what is asked is the same at any scale.
    largest = np.abs(values[finite]).max(initial=0.0)
    parts = np.where(finite, values, 0.0) / (largest or 1.0)
    counts = finite.reshape(-1, each).sum(axis=1)
    return np.asarray(parts.reshape(-1, each).sum(axis=1)[counts > 0] / counts[counts > 0])


def _noise(values: npt.NDArray[np.float64]) -> float:
    # Of normal values with standard deviation 1 the second differences have the root of 6, and their sizes a median of
    # 0.674 times that. Outliers hardly move it, nor does a slope.
    return float(np.median(np.abs(np.diff(values, 2)))) / 1.652


def _diverges(values: npt.NDArray[np.float64], start: float) -> bool:
    if values.min() < 0:
        return False
    medians = np.array([np.median(stretch) for stretch in np.array_split(values, STRETCHES)])
    best, before, recent = float(medians.min()), float(medians[-3]), float(medians[-1])
    drop = start - best
    has_learned = drop > 0.1 * start and drop > _noise(values[: len(values) // 2])
    is_far_above = recent > 2 * best and recent - best > 2 * drop
    is_rising = recent >= medians[-2] and recent - before > _noise(values[-(len(values) // 3) :])
    return bool(has_learned and is_far_above and is_rising)


def _is_flat(last_third: npt.NDArray[np.float64], start: float) -> bool:
    half, noise = len(last_third) // 2, _noise(last_third)
    level = float(np.median(last_third))
    changed = start - level
    if changed <= 5 * noise or changed <= 0 or 0 <= level < 0.2 * start:
        return False
    moved = abs(float(np.median(last_third[half:])) - float(np.median(last_third[:half])))
    # The standard error of the median of n normal values is 1.25 standard deviations over the root of n.
    chance = 4 * 1.25 * noise * (2 / half) ** 0.5
    return bool(max(moved, chance) <= changed / 100)
