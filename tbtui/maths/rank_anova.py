"""Rank analysis of variance: the share of a result's variance that the levels of a setting explain.

The formulas need only numpy. Ranks make them robust against outliers and diverged results. Levels make them independent
of the scale of a setting, such as a learning rate that is searched on a linear or a logarithmic scale. The share is ε²
(Kelley 1935): η² minus the share that as many levels explain by chance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

MIN_BINS, MAX_BINS = 3, 8
"""Levels of one setting. Fewer levels hide a minimum inside the range; more levels have too few results each."""

MIN_PAIR_BINS, MAX_PAIR_BINS = 2, 5
"""Levels of each setting of a pair."""


@frozen(eq=False)
class Levels:
    """The level of each result."""

    codes: npt.NDArray[np.intp]
    """Index of the level, int[n]."""

    count: int
    """Number of levels; some may be empty."""


@frozen
class Effect:
    """Share of the variance that the levels of a setting explain."""

    eta2: float
    """Sum of squares between levels divided by the total sum of squares, 0 to 1."""

    share: float
    """ε², at most 1; negative if the levels explain less than chance would."""

    groups: int
    """Number of levels with a result."""

    p: float
    """Probability of this share by chance (Kruskal and Wallis)."""


@frozen
class PairEffect:
    """Share of the variance that two settings explain together."""

    first: int
    second: int
    """Indices of the settings."""

    excess: float
    """Share of the pair minus the shares of the two settings."""

    p: float
    """Probability of this excess by chance."""

    association: float
    """Cramér's V of the levels, 0 to 1; 1 if one setting is a function of the other."""


def choose_bin_count(results: int) -> int:
    """Return the number of levels for the values of one setting."""
    return int(np.clip(math.sqrt(results) / 1.5, MIN_BINS, MAX_BINS))


def pair_bin_count(results: int) -> int:
    """Return the number of levels of each setting of a pair."""
    return int(np.clip(results ** (1 / 3), MIN_PAIR_BINS, MAX_PAIR_BINS))


def compute_mid_ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the ranks from 0; equal values share the mean of their ranks, and NaN is the largest value."""
    _, inverse, counts = np.unique(np.where(np.isnan(values), np.inf, values), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts + 1) / 2)[inverse.reshape(-1)], np.float64)


def number_levels(values: npt.NDArray[np.float64], bins: int, order: npt.NDArray[np.intp] | None = None) -> Levels:
    """Return the levels of numbers: the numbers themselves if there are at most `bins`, otherwise quantile bins.

    Args:
        values: float64[n]; NaN is missing, which is a level of its own.
        bins: Maximum number of levels, without the level of missing values.
        order: Indices of the values, ascending, NaN last; None: they are sorted.
    """
    if order is None:
        order = np.argsort(values, kind="stable")
    ascending = values[order]
    count = len(values) - int(np.count_nonzero(np.isnan(ascending)))
    numbers = ascending[:count]
    starts = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    if len(starts) >= bins:
        edges = np.unique(_compute_quantiles(numbers, np.linspace(0, 1, bins + 1)[1:-1]))
        starts = np.searchsorted(numbers, edges)
    levels = len(starts) + (count > 0)
    if count < len(values):
        starts, levels = np.append(starts, count) if count else starts, levels + 1
    codes = np.empty(len(values), np.intp)
    codes[order] = np.repeat(np.arange(levels), np.diff(starts, prepend=0, append=len(values)))
    return Levels(codes, levels)


def assign_word_levels(codes: npt.NDArray[np.integer], bins: int) -> Levels:
    """Return the levels of words: the most frequent ones, and one level for all others.

    Args:
        codes: Index of a word, int[n]; a negative one is missing, which is treated like a word.
        bins: Maximum number of levels.
    """
    _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    if len(counts) <= bins:
        return Levels(inverse.astype(np.intp), len(counts))
    order = np.argsort(-counts, kind="stable")
    levels_by_word = np.full(len(counts), bins - 1, np.intp)
    levels_by_word[order[: bins - 1]] = np.arange(bins - 1)
    return Levels(levels_by_word[inverse], bins)


def _compute_quantiles(
    ascending: npt.NDArray[np.float64], fractions: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return quantiles, interpolated unless some values are infinite.

    np.quantile would sort the values again.
    """
    positions = fractions * (len(ascending) - 1)
    lower_indices = np.floor(positions).astype(np.intp)
    low = ascending[lower_indices]
    if not (np.isfinite(ascending[0]) and np.isfinite(ascending[-1])):
        return np.asarray(low, np.float64)
    high = ascending[np.minimum(lower_indices + 1, len(ascending) - 1)]
    return np.asarray(low + (high - low) * (positions - lower_indices), np.float64)


def measure_effect(levels: Levels, ranks: npt.NDArray[np.float64]) -> Effect:
    """Return the share of the variance of the ranks, float64[n], that the levels explain."""
    counts = np.bincount(levels.codes, minlength=levels.count)
    sums = np.bincount(levels.codes, ranks, levels.count)
    eta2, groups = _compute_eta2(counts, sums, *_spread(ranks))
    return Effect(
        eta2, _correct_for_chance(eta2, groups, len(ranks)), groups, _compute_p_value(eta2, groups - 1, len(ranks))
    )


def _spread(ranks: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean of the ranks, and the sum of their squared deviations."""
    if not len(ranks):
        return 0.0, 0.0
    mean = float(ranks.mean())
    return mean, float(((ranks - mean) ** 2).sum())


def _compute_eta2(counts: npt.NDArray[np.intp], sums: npt.NDArray[Any], mean: float, total: float) -> tuple[float, int]:
    filled = counts > 0
    groups = int(np.count_nonzero(filled))
    if not total:
        return 0.0, groups
    deviations = sums[filled] / counts[filled] - mean
    return float(counts[filled] @ (deviations * deviations)) / total, groups


def _correct_for_chance(eta2: float, groups: int, results: int) -> float:
    if results <= groups:
        return 0.0
    chance = (groups - 1) / (results - 1)
    return (eta2 - chance) / (1 - chance)


def _compute_p_value(eta2: float, freedom: int, results: int) -> float:
    return compute_chi2_tail((results - 1) * eta2, freedom)


def compute_chi2_tail(value: float, freedom: int) -> float:
    """Return the probability that χ² of `freedom` degrees exceeds `value`, by the cube root of Wilson and Hilferty."""
    if freedom < 1 or value <= 0:
        return 1.0
    deviation = 2 / (9 * freedom)
    z = ((value / freedom) ** (1 / 3) - (1 - deviation)) / math.sqrt(deviation)
    return 0.5 * math.erfc(z / math.sqrt(2))


def compute_q_values(probabilities: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return the false discovery rate at which each probability would be accepted (Benjamini and Hochberg)."""
    p = np.asarray(probabilities, np.float64)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(scaled[::-1])[::-1] if len(p) else scaled
    return np.minimum(q, 1.0)


def measure_pairs(settings: Sequence[Levels], ranks: npt.NDArray[np.float64]) -> list[PairEffect]:
    """Return the share of the variance that each pair of settings explains beyond both settings.

    The p value is that of H = (n - 1)(η²ab - η²a - η²b), χ² of gab - ga - gb + 1 degrees. It is more reliable than the
    excess: the largest excess of 45 pairs reaches .26 by chance in 30 trials.
    """
    results, settings_count = len(ranks), len(settings)
    mean, total = _spread(ranks)
    if settings_count < 2 or not results:
        return []
    # Tables of counts and of sums first, then the formulas for all pairs at once. Two matrix products over the levels
    # would need no loop, but take twice the time (measured): threads of BLAS wait for each other on a busy machine.
    width = max(levels.count for levels in settings)
    first, second = np.triu_indices(settings_count, 1)
    joint_counts, joint_sums = np.empty((2, len(first), width, width))
    centred, scaled = ranks - mean, [levels.codes * width for levels in settings]
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        joint_codes = scaled[a] + settings[b].codes
        joint_counts[pair].reshape(-1)[:] = np.bincount(joint_codes, minlength=width * width)
        joint_sums[pair].reshape(-1)[:] = np.bincount(joint_codes, centred, width * width)
    groups = np.count_nonzero(joint_counts, axis=(1, 2))
    explained = np.divide(joint_sums**2, joint_counts, out=np.zeros_like(joint_sums), where=joint_counts > 0)
    eta2 = explained.sum(axis=(1, 2)) / total if total else np.zeros(len(first))
    association = _compute_cramers_v(joint_counts)
    single_effects = [measure_effect(levels, ranks) for levels in settings]
    pairs = []
    for a, b, joint, size, v in zip(
        first.tolist(), second.tolist(), eta2.tolist(), groups.tolist(), association.tolist(), strict=True
    ):
        freedom = size - single_effects[a].groups - single_effects[b].groups + 1
        excess_eta2 = joint - single_effects[a].eta2 - single_effects[b].eta2
        excess_share = (
            _correct_for_chance(joint, size, results)
            - max(single_effects[a].share, 0.0)
            - max(single_effects[b].share, 0.0)
        )
        pairs.append(PairEffect(a, b, excess_share, _compute_p_value(max(excess_eta2, 0.0), freedom, results), v))
    return pairs


def _compute_cramers_v(tables: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the association of the rows and columns of tables of counts, float64[k, rows, columns]."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    total = rows.sum(axis=1)
    freedom = np.minimum(np.count_nonzero(rows, axis=1), np.count_nonzero(columns, axis=1)) - 1
    expected = rows[:, :, None] * columns[:, None, :]
    terms = np.divide(tables**2, expected, out=np.zeros_like(tables), where=expected > 0)
    chi2 = np.maximum(terms.sum(axis=(1, 2)) * total - total, 0.0)
    return np.where(freedom < 1, 0.0, np.sqrt(chi2 / (total * np.maximum(freedom, 1))))
