"""Anomalies of a run: values no longer finite, losses that diverge or are flat; and the direction of metrics."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.decimate import compute_median

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from tbtui.settings.settings import Best, Settings
    from tbtui.store.run_series import ScalarEnds
    from tbtui.store.snapshot import ScalarSeries


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HIGHER_IS_BETTER = _split_words(
    "acc accuracy precision recall f1 fscore auc auroc auprc ap map iou miou dice jaccard bleu rouge meteor chrf cider"
    " match rew reward rewards return returns score success win wins winrate psnr ssim r2 likelihood elbo correlation"
    " corr em throughput fps utilization mfu hit hits ndcg mrr top"
)
"""Words of a tag whose greatest value is the best."""

LOWER_IS_BETTER = _split_words("loss losses error err mse mae rmse nll perplexity ppl cost wer cer fid regret")
"""Words of a tag whose smallest value is the best; they override the words above: `loss/accuracy_head`, `reward_loss`.
"""

SPEED = _split_words("throughput fps utilization mfu")
"""Words above that tell how fast a training is, not how good."""

_VALIDATION = r"(?:^|[^a-z])(?:val|valid|validation|eval|evaluation|test|dev)"

MAX_TAG_CHARS = 1000
"""Characters of a tag in which words are searched."""

_WORD = re.compile(r"[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*(?![a-z])")


def find_metric_direction(tag: str, settings: Settings) -> Best | None:
    """Return the direction in which values of a tag are better: as set for its chart, or by its name.

    None if unknown (`lr`, `grad/norm`). Then no value is marked as best, no difference is good or bad, and the last
    value replaces the best one: an extreme would look like an achievement.
    """
    return settings.chart(tag).best or guess_metric_direction(tag)


@lru_cache(maxsize=1 << 14)
def guess_metric_direction(tag: str) -> Best | None:
    """Return `min` if a word of the tag means lower is better, else `max` if one means higher is; None without."""
    if has_word(tag, LOWER_IS_BETTER):
        return "min"
    return "max" if has_word(tag, HIGHER_IS_BETTER) else None


def has_word(tag: str, words: frozenset[str]) -> bool:
    """Return True if a word of a tag, with or without its final digits (`mAP50`), is in `words`; case is ignored."""
    return any(_is_among(word, words) for word in _WORD.findall(tag[:MAX_TAG_CHARS]))


@lru_cache(maxsize=1 << 14)
def _is_among(word: str, words: frozenset[str]) -> bool:
    """Return True if a word of a tag is in `words`; thousands of tags share their words."""
    word = word.lower()
    return word in words or word.rstrip("0123456789") in words


def is_validation(name: str) -> bool:
    """Return True if a name says that a metric is measured on other data than those of the training."""
    return re.search(_VALIDATION, name, re.IGNORECASE) is not None


Trend: TypeAlias = Literal["diverges", "flat"]

MIN_TREND_POINTS, MAX_TREND_POINTS = 45, 300
"""Fewer points are not judged; more than the maximum are averaged to it."""

MAX_AVERAGED_VALUES = 32
"""Maximum values of one average, at equal distances: a million points are judged as fast as ten thousand."""

EXEMPT_LOSS_WORDS = _split_words(
    "policy value surrogate entropy kl kld actor critic q qf vf pg alpha adv adversarial gan gen generator g d disc"
    " discriminator fake real reg regularization regularizer regularisation commit commitment codebook aux lr"
    " learning"
)
"""Words of losses that rise or plateau in healthy training: adversarial losses, losses in the rewards of a learning
policy, regularisers of weights or codes. They are never reported."""

SEGMENTS = 9
"""A curve is reduced to the medians of this many segments of equally many points, at least five each; the first ones
have one more where the number of points is no multiple."""


@lru_cache(maxsize=1 << 16)
def is_loss(tag: str) -> bool:
    """Return True if the name of a tag means a distance to a goal: `loss/train`, `val_mse`, not `value_loss`."""
    return has_word(tag, LOWER_IS_BETTER) and not has_word(tag, EXEMPT_LOSS_WORDS)


def judge_loss_trend(values: npt.NDArray[np.float64]) -> Trend | None:
    """Return the trend of a loss; None if it is healthy or cannot be judged.

    With *start* the median of the first points, *best* the least of the stretches' medians, *drop* = start - best,
    *noise* the standard deviation about a smooth curve, estimated from the median second difference, and *recent* the
    median of the last stretch less the noise of the last third:

    diverges: no value is negative, and the loss had come down by a tenth of its start and by more than twice the
        noise of its first half. Now it stands above its first three values, at more than twice the best, and further
        above the start than the best is below it (recent - best > 2 drop), whether it still goes up or not. What grew
        for long after a short fall hides that fall and makes noise of it: start, best and noise are therefore also
        determined in the first half of the values, in the first quarter, and so on down to `MIN_TREND_POINTS`. A loss
        that overfits, came back from a spike, or starts again at a higher learning rate stays below that.
    flat: the last third stands below the start by more than 5 noise and did not come down to a fifth of it (there it
        has arrived). The medians of its two halves differ by less than a hundredth of what it had changed before, and
        there is so little noise that chance (4 standard errors) makes no more difference either.

    Args:
        values: float64[n] in the order of steps; NaN and infinities are left out. Judged from `MIN_TREND_POINTS` on.
    """
    curve, unit = _average_parts(values)
    if len(curve) < MIN_TREND_POINTS:
        return None
    if _is_diverging(values, curve, unit):
        return "diverges"
    return "flat" if _is_flat(curve[-(len(curve) // 3) :], _start(curve)) else None


def average_values(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return at most `MAX_TREND_POINTS` averages of finite values over equal stretches, as parts of the maximum."""
    return _average_parts(values)[0]


def _average_parts(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float]:
    """Return the result of `average_values` and the greatest value, which is its unit."""
    each = max(1, min(len(values) // MAX_TREND_POINTS, MAX_AVERAGED_VALUES))
    if len(values) > MAX_TREND_POINTS:
        values = values[_choose_points(len(values), MAX_TREND_POINTS * each)]
    finite = np.isfinite(values)
    if bool(finite.all()):
        # Sums of values near the ends of float64 would overflow, and the trend is the same at any scale.
        largest = float(np.abs(values).max(initial=0.0)) or 1.0
        parts = values / largest
        return (parts if each == 1 else parts.reshape(-1, each).sum(axis=1) / each), largest
    largest = float(np.abs(values[finite]).max(initial=0.0)) or 1.0
    parts = np.where(finite, values, 0.0) / largest
    counts = finite.reshape(-1, each).sum(axis=1)
    return np.asarray(parts.reshape(-1, each).sum(axis=1)[counts > 0] / counts[counts > 0]), largest


@lru_cache(maxsize=64)
def _choose_points(length: int, count: int) -> npt.NDArray[np.intp]:
    """Return the indices of points at equal distances; runs of a search are equally long."""
    return np.linspace(0, length - 1, count).astype(np.intp)


def _start(curve: npt.NDArray[np.float64]) -> float:
    return compute_median(curve[: max(3, len(curve) // 50)])


def _measure_noise(values: npt.NDArray[np.float64]) -> float:
    # Of normal values with standard deviation 1 the second differences have the root of 6, and their sizes a median of
    # 0.674 times that. Outliers hardly move it, nor does a slope.
    return compute_median(np.abs(np.diff(values, 2))) / 1.652


def _is_diverging(values: npt.NDArray[np.float64], curve: npt.NDArray[np.float64], unit: float) -> bool:
    recent = compute_median(_get_last_segment(curve)) - _measure_noise(curve[-(len(curve) // 3) :])
    largest = unit
    first = values[:MIN_TREND_POINTS]
    first = first[np.isfinite(first)]
    if len(first) and recent * unit <= _start(first):
        return False
    while len(curve) >= MIN_TREND_POINTS and curve.min() >= 0:
        if _is_far_above(recent * (largest / unit), curve):
            return True
        values = values[: len(values) // 2]
        curve, unit = _average_parts(values)
    return False


def _is_far_above(recent: float, curve: npt.NDArray[np.float64]) -> bool:
    """Return True if `recent` is too high for a loss that has learned `curve`."""
    start, best = _start(curve), _find_least_median(curve)
    drop = start - best
    if not (drop > 0.1 * start and recent > 2 * best and recent - best > 2 * drop):
        return False
    return drop > 2 * _measure_noise(curve[: len(curve) // 2])


def _find_least_median(curve: npt.NDArray[np.float64]) -> float:
    """Return the least of the medians of the segments of a curve, which has no NaN."""
    size, longer = divmod(len(curve), SEGMENTS)
    split = longer * (size + 1)
    parts = curve[:split].reshape(longer, size + 1), curve[split:].reshape(SEGMENTS - longer, size)
    return min(float(_compute_medians(part).min()) for part in parts if len(part))


def _compute_medians(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the median of each row."""
    ordered, middle = np.sort(rows, axis=1), rows.shape[1] // 2
    if rows.shape[1] % 2:
        return np.asarray(ordered[:, middle])
    return np.asarray((ordered[:, middle - 1] + ordered[:, middle]) / 2)


def _get_last_segment(curve: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return curve[len(curve) - len(curve) // SEGMENTS :]


def _is_flat(last_third: npt.NDArray[np.float64], start: float) -> bool:
    half, noise = len(last_third) // 2, _measure_noise(last_third)
    level = compute_median(last_third)
    changed = start - level
    if changed <= 5 * noise or changed <= 0 or 0 <= level < 0.2 * start:
        return False
    moved = abs(compute_median(last_third[half:]) - compute_median(last_third[:half]))
    # The standard error of the median of n normal values is 1.25 standard deviations over the root of n.
    chance = 4 * 1.25 * noise * (2 / half) ** 0.5
    return bool(max(moved, chance) <= changed / 100)


MAX_LOSSES = 8
"""Maximum number of losses of a run that are judged, the longest first."""

AnomalyKind: TypeAlias = Literal["nan", "inf", "diverges", "flat"]


@frozen
class Anomaly:
    """An anomaly of a run, and its tag."""

    kind: AnomalyKind
    tag: str
    step: int | None = None
    """First step from which no value of the tag is finite, for `nan` and `inf`; otherwise None."""


def find_anomaly(ends: ScalarEnds) -> Anomaly | None:
    """Return the most important anomaly of a run: no finite values, a diverging loss, or only flat losses."""
    if np.isfinite(ends.values).all():
        return _find_loss_trouble(ends)
    return (
        _find_lost_numbers("nan", map(ends.series, np.flatnonzero(np.isnan(ends.values)).tolist()))
        or _find_lost_numbers("inf", map(ends.series, np.flatnonzero(np.isinf(ends.values)).tolist()))
        or _find_loss_trouble(ends)
    )


def _find_lost_numbers(kind: AnomalyKind, lost: Iterable[ScalarSeries]) -> Anomaly | None:
    """Return the anomaly of the series whose finite values ended at the earliest step.

    A series that never had a finite value counts only if there is no other: a session logs its final metrics at step 0.
    """
    loss: tuple[str, int] | None = None
    never: tuple[str, int] | None = None
    for series in lost:
        # The last value in time need not be that of the last step: a counter counts down, or a session logs at step 0.
        if series.last_value is None or math.isfinite(series.last_value):
            continue
        # Thousands may have ended together: where a number stands just before the step that is known, this did not
        # end earlier.
        if loss is None or not _is_number_before(series.current, loss[1]):
            step, had_number = _find_first_without_number(series.current)
            if had_number and (loss is None or step < loss[1]):
                loss = series.tag, step
            elif not had_number and (never is None or step < never[1]):
                never = series.tag, step
    first = loss or never
    return None if first is None else Anomaly(kind, *first)


def _is_number_before(series: ScalarSeries, step: int) -> bool:
    """Return True if the value before `step` is finite, or there is none."""
    before = int(np.searchsorted(series.steps, step)) - 1
    return before < 0 or math.isfinite(series.values.item(before))


def _find_first_without_number(series: ScalarSeries) -> tuple[int, bool]:
    """Return the first step from which no value is finite, and True if any value before it is."""
    numbers = np.flatnonzero(np.isfinite(series.values))
    return int(series.steps[numbers[-1] + 1 if len(numbers) else 0]), bool(len(numbers))


def _find_loss_trouble(ends: ScalarEnds) -> Anomaly | None:
    if ends.max_length < MIN_TREND_POINTS:
        return None
    long_enough = np.flatnonzero(ends.lengths >= MIN_TREND_POINTS)
    by_length = long_enough[np.argsort(-ends.lengths[long_enough], kind="stable")]
    losses = islice((index for index in by_length.tolist() if is_loss(ends.names[index])), MAX_LOSSES)
    trends = {series.tag: judge_loss_trend(series.current.values) for series in map(ends.series, losses)}
    diverging = next((tag for tag, says in trends.items() if says == "diverges"), None)
    if diverging is not None:
        return Anomaly("diverges", diverging)
    flat = bool(trends) and all(says == "flat" for says in trends.values())
    return Anomaly("flat", next(iter(trends))) if flat else None
