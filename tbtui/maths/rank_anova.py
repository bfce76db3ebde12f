"""Rank analysis of variance: the share of a result's variance that the levels of a setting explain.

The formulas need numpy alone. Ranks make them robust against outliers and diverged results, and levels make them blind
to the scale of a setting: it does not matter if a learning rate is searched on a linear or a logarithmic scale. The
share is ε² (Kelley 1935): η² less what as many levels explain by chance.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

MIN_BINS, MAX_BINS = 3, 8
"""Levels of one setting. Fewer lose a minimum inside the range, more have too few results each."""

MIN_PAIR_BINS, MAX_PAIR_BINS = 2, 5
"""Levels of each of two settings that are examined together."""


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
    """Sum of squares between levels by the total one, 0 to 1."""

    share: float
    """ε², at most 1; negative if the levels explain less than chance would."""

    groups: int
    """Number of levels with a result."""

    p: float
    """Probability of as much by chance (Kruskal and Wallis)."""


@frozen
class PairEffect:
    """Share of the variance that two settings explain together."""

    first: int
    second: int
    """Indices of the settings."""

    excess: float
    """Share of the pair less the shares of both alone."""

    p: float
    """Probability that both together explain as much more than both alone by chance."""

    association: float
    """Cramér's V of the levels, 0 to 1; 1 if one setting is a function of the other."""


def bin_count(results: int) -> int:
    """Return the number of levels for the values of one setting."""
    return int(np.clip(math.sqrt(results) / 1.5, MIN_BINS, MAX_BINS))


def pair_bin_count(results: int) -> int:
    """Return the number of levels of each of two settings that are examined together."""
    return int(np.clip(results ** (1 / 3), MIN_PAIR_BINS, MAX_PAIR_BINS))


def mid_ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the ranks from 0; equal values share the mean of their ranks, and NaN counts as the greatest value."""
    _, inverse, counts = np.unique(np.where(np.isnan(values), np.inf, values), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts + 1) / 2)[inverse.reshape(-1)], np.float64)


def number_levels(values: npt.NDArray[np.float64], bins: int) -> Levels:
    """Return the levels of numbers: the numbers themselves if there are at most `bins`, otherwise quantile bins.

    Args:
        values: float64[n]; NaN is missing, which is a level of its own.
        bins: Maximum number of levels beside the missing one.
    """
    is_missing = np.isnan(values)
    known = values[~is_missing]
    distinct = np.unique(known)
    if len(distinct) <= bins:
        codes, count = np.searchsorted(distinct, values), len(distinct)
    else:
        edges = np.unique(_quantiles(known, np.linspace(0, 1, bins + 1)[1:-1]))
        codes, count = np.searchsorted(edges, values, side="right"), len(edges) + 1
    if is_missing.any():
        codes, count = np.where(is_missing, count, codes), count + 1
    return Levels(codes.astype(np.intp), count)


def word_levels(codes: npt.NDArray[np.integer], bins: int) -> Levels:
    """Return the levels of words: the most frequent ones, and one level for all others.

    Args:
        codes: Index of a word, int[n]; a negative one is missing, which is a word like any other.
        bins: Maximum number of levels.
    """
    _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    if len(counts) <= bins:
        return Levels(inverse.astype(np.intp), len(counts))
    order = np.argsort(-counts, kind="stable")
    level_of = np.full(len(counts), bins - 1, np.intp)
    level_of[order[: bins - 1]] = np.arange(bins - 1)
    return Levels(level_of[inverse], bins)


def _quantiles(values: npt.NDArray[np.float64], parts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return quantiles; beside infinite values they are values themselves, as nothing lies between."""
    method = "linear" if np.isfinite(values).all() else "lower"
    return np.asarray(np.quantile(values, parts, method=method), np.float64)  # type: ignore[call-overload]


def measure_effect(levels: Levels, ranks: npt.NDArray[np.float64]) -> Effect:
    """Return what the levels explain of the variance of the ranks, float64[n]."""
    counts = np.bincount(levels.codes, minlength=levels.count)
    sums = np.bincount(levels.codes, ranks, levels.count)
    eta2, groups = _eta2(counts, sums, *_spread(ranks))
    return Effect(eta2, _corrected(eta2, groups, len(ranks)), groups, _p_value(eta2, groups - 1, len(ranks)))


def _spread(ranks: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean of the ranks, and the sum of their squared deviations."""
    if not len(ranks):
        return 0.0, 0.0
    mean = float(ranks.mean())
    return mean, float(((ranks - mean) ** 2).sum())


def _eta2(counts: npt.NDArray[np.intp], sums: npt.NDArray[Any], mean: float, total: float) -> tuple[float, int]:
    filled = counts > 0
    groups = int(np.count_nonzero(filled))
    if not total:
        return 0.0, groups
    deviations = sums[filled] / counts[filled] - mean
    return float(counts[filled] @ (deviations * deviations)) / total, groups


def _corrected(eta2: float, groups: int, results: int) -> float:
    if results <= groups:
        return 0.0
    chance = (groups - 1) / (results - 1)
    return (eta2 - chance) / (1 - chance)


def _p_value(eta2: float, freedom: int, results: int) -> float:
    return chi2_tail((results - 1) * eta2, freedom)


def chi2_tail(value: float, freedom: int) -> float:
    """Return the probability that χ² of `freedom` degrees exceeds `value`, by the cube root of Wilson and Hilferty."""
    if freedom < 1 or value <= 0:
        return 1.0
    deviation = 2 / (9 * freedom)
    z = ((value / freedom) ** (1 / 3) - (1 - deviation)) / math.sqrt(deviation)
    return 0.5 * math.erfc(z / math.sqrt(2))


def q_values(probabilities: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return the false discovery rate at which each probability would be accepted (Benjamini and Hochberg)."""
    p = np.asarray(probabilities, np.float64)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(scaled[::-1])[::-1] if len(p) else scaled
    return np.minimum(q, 1.0)


def measure_pairs(settings: Sequence[Levels], ranks: npt.NDArray[np.float64]) -> list[PairEffect]:
    """Return what each pair of settings explains beyond both alone.

    The p value is that of H = (n - 1)(η²ab - η²a - η²b), χ² of gab - ga - gb + 1 degrees. It decides, not the excess:
    the greatest excess of 45 pairs reaches .26 by chance in 30 trials.
    """
    alone = [measure_effect(levels, ranks) for levels in settings]
    results, found = len(ranks), []
    mean, total = _spread(ranks)
    for first, second in combinations(range(len(settings)), 2):
        a, b = settings[first], settings[second]
        joint = a.codes * b.count + b.codes
        size = a.count * b.count
        counts = np.bincount(joint, minlength=size)
        eta2, groups = _eta2(counts, np.bincount(joint, ranks, size), mean, total)
        freedom = groups - alone[first].groups - alone[second].groups + 1
        excess = eta2 - alone[first].eta2 - alone[second].eta2
        share = _corrected(eta2, groups, results) - max(alone[first].share, 0.0) - max(alone[second].share, 0.0)
        p = _p_value(max(excess, 0.0), freedom, results)
        found.append(PairEffect(first, second, share, p, _cramers_v(counts.reshape(a.count, b.count))))
    return found


def _cramers_v(table: npt.NDArray[np.intp]) -> float:
    """Return the association of the rows and columns of a table of counts."""
    rows, columns, total = table.sum(axis=1), table.sum(axis=0), table.sum()
    least = min(int((rows > 0).sum()), int((columns > 0).sum())) - 1
    if least < 1:
        return 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = table * table / (rows[:, None] * columns)
    chi2 = float(np.nansum(parts) * total - total)
    return math.sqrt(max(chi2, 0.0) / (total * least))
