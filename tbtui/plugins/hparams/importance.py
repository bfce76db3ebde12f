"""Importance of hyperparameters for a metric: shares, pairs, hints of what to try, divergence and noise.

The table of sessions is the only input. Below `MIN_SESSIONS` sessions there are no shares, and a hyperparameter without
a significant effect has no bar.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.rank_anova import (
    Levels,
    assign_word_levels,
    choose_bin_count,
    compute_mid_ranks,
    compute_q_values,
    measure_effect,
    measure_pairs,
    number_levels,
    pair_bin_count,
)
from tbtui.view.terms import format_term_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from tbtui.plugins.hparams.session_table import HParam, SessionTable
    from tbtui.settings.settings import Best
    from tbtui.view.attributes import AttributeColumn

MIN_SESSIONS = 12
"""A true effect that explains half of the variance is found in 3 % of searches with 12 sessions, in 54 % with 20."""

MAX_Q, DOUBTFUL_Q = 0.1, 0.3
"""False discovery rates up to which a share is shown, and shown with a question mark. At .1 a search in which nothing
matters has a share in 0 to 11 % of cases."""

BEST_PART, MIN_BEST = 0.1, 5
"""Fraction of the sessions that count as the best ones, and the minimum number of them."""

EDGE = 0.15
"""The best sessions lie at an edge if their median rank is within this fraction of the tried values."""

MIN_REPEATS = 3
"""Fewer sessions in the best level are an accident: repeat them."""

MIN_DIVERGED, HIGH_DIVERGED, LOW_DIVERGED = 3, 0.5, 0.2
"""Minimum number of diverged sessions in a region; fractions that diverged inside and outside it."""

MAX_BOUNDS = 33
"""Values of a hyperparameter that are tried as the end of a diverged region."""

MAX_PROFILE = 9
"""Levels of a profile."""

SAME = 0.9
"""Cramér's V from which two hyperparameters are treated as one."""

MAX_PAIR_HPARAMS = 60
"""Hyperparameters whose pairs are examined, those of the largest shares first: 1,770 pairs take a tenth of a second."""


@frozen
class ProfileLevel:
    """Sessions with similar values of one hyperparameter."""

    label_low: float | str | bool | None
    label_high: float | str | bool | None
    """Least and greatest value; the same for a level of one value, None for a missing value."""

    count: int
    diverged: int
    median: float
    """Median of the metric; NaN if all sessions diverged."""

    median_rank: float
    """Median rank of the metric among all sessions, 0 (the best) to 1."""


@frozen
class BestRange:
    """Values of the best sessions."""

    low: float | None = None
    high: float | None = None
    """Ends of the middle 90 % of numbers."""

    words: tuple[tuple[float | str | bool | None, int], ...] = ()
    """Other values, each with the number of best sessions, the most frequent first."""

    count: int = 0


@frozen
class Hint:
    """A suggestion of values to try or to avoid."""

    kind: str
    """`edge`, `diverged` or `thin`."""

    text: str
    """A few words, safe after `safe`: `above 64`."""


@frozen
class HParamImportance:
    """Importance of one hyperparameter."""

    name: str
    together: tuple[str, ...]
    """Other hyperparameters that always changed with it; they have no entry of their own."""

    share: float
    p: float
    q: float
    levels: int
    least: float | None
    greatest: float | None
    """Ends of its numbers; None if it has words."""

    profile: tuple[ProfileLevel, ...]
    best: BestRange
    hints: tuple[Hint, ...] = ()

    @property
    def is_significant(self) -> bool:
        """True if the share is more than chance would show."""
        return self.q < MAX_Q

    @property
    def is_doubtful(self) -> bool:
        """True if it may be more than chance."""
        return MAX_Q <= self.q < DOUBTFUL_Q

    @property
    def has_effect(self) -> bool:
        """True if it has a share that is, or may be, more than chance."""
        return self.share > 0 and self.q < DOUBTFUL_Q


@frozen
class PairImportance:
    """Two hyperparameters whose effects depend on each other."""

    first: str
    second: str
    excess: float
    q: float


@frozen
class DivergedRegion:
    """Values of a hyperparameter with which most sessions diverged."""

    name: str
    low: float | None
    high: float | None
    """Ends of a range of numbers; None: open."""

    word: str | bool | None
    diverged: int
    count: int


@frozen
class SeedNoise:
    """Spread of sessions that differ in their seeds alone."""

    deviation: float
    """Standard deviation within groups, pooled over the better half of them."""

    groups: int
    as_good: int
    """Number of groups whose mean is within two deviations of the best mean."""


@frozen(eq=False)
class Importance:
    """Importance of hyperparameters for one metric."""

    metric: str
    best: Best
    sessions: int
    """Sessions with a value."""

    without: int
    """Sessions without one, which are left out."""

    diverged: int
    settings: int
    """Number of different settings among the sessions, without seeds: the sample of the shares."""

    hparams: tuple[HParamImportance, ...] = ()
    """Hyperparameters sorted by share; empty if there is a `reason`."""

    pairs: tuple[PairImportance, ...] = ()
    regions: tuple[DivergedRegion, ...] = ()
    noise: SeedNoise | None = None
    reason: str = ""
    """Reason without shares, as a sentence; empty with shares."""

    @property
    def marked(self) -> tuple[HParamImportance, ...]:
        """Hyperparameters with a share that is significant or doubtful."""
        return tuple(each for each in self.hparams if each.q < DOUBTFUL_Q and each.share > 0)

    @property
    def unmarked(self) -> tuple[HParamImportance, ...]:
        """Hyperparameters without a difference that these sessions can show."""
        marked = {each.name for each in self.marked}
        return tuple(each for each in self.hparams if each.name not in marked)


def measure_importance(
    table: SessionTable,
    metric: str,
    values: AttributeColumn,
    best: Best,
    rows: npt.NDArray[np.bool_] | None = None,
    seeds: Sequence[str] = (),
) -> Importance:
    """Return the importance of the hyperparameters for a metric.

    Args:
        table: All sessions.
        metric: Title of the metric.
        values: Value of the metric in each session.
        best: The better end of its values.
        rows: Sessions that count, bool[n]; None: all.
        seeds: Hyperparameters that repeat a training: they group sessions.
    """
    is_counted = np.ones(len(table), np.bool_) if rows is None else rows
    with_value = np.flatnonzero(is_counted & values.is_number)
    numbers = values.numbers[with_value]
    y = numbers if best == "min" else -numbers
    y = np.where(np.isfinite(y) | (y == -np.inf), y, np.nan)
    groups = table.groups(seeds)[with_value]
    group_rows, y, numbers = _merge_groups(with_value, groups, y, numbers)
    diverged = np.isnan(y)
    count = len(group_rows)
    facts = Importance(
        metric,
        best,
        len(with_value),
        int(is_counted.sum()) - len(with_value),
        int((~np.isfinite(values.numbers[with_value])).sum()),
        count,
        noise=_measure_noise(groups, values.numbers[with_value], best),
    )
    varying = [
        hparam
        for name, hparam in table.hparams.items()
        if name not in seeds and _is_varied(hparam.column.level_codes[group_rows])
    ]
    if len(with_value) >= MIN_SESSIONS and not varying:
        return replace(facts, reason="no hyperparameter differs between these sessions")
    if count < MIN_SESSIONS:
        noun = "settings" if count < len(with_value) else "sessions"
        verb = "has" if count == 1 else "have"
        needed = f"shares need {MIN_SESSIONS} {noun} with a value of {metric}: {count} {verb} one"
        return replace(facts, reason=needed)
    ranks = compute_mid_ranks(y)
    if not (ranks != ranks[0]).any():
        return replace(facts, reason=f"all sessions have the same value of {metric}")
    columns = [hparam.column.part(group_rows) for hparam in varying]
    effects = [measure_effect(_find_levels(column, choose_bin_count(count)), ranks) for column in columns]
    order = np.argsort([-effect.share for effect in effects], kind="stable").tolist()
    examined = order[:MAX_PAIR_HPARAMS]
    pairs = measure_pairs([_find_levels(columns[index], pair_bin_count(count)) for index in examined], ranks)
    representatives = _find_representatives(
        [(examined[pair.first], examined[pair.second]) for pair in pairs if pair.association > SAME]
    )
    independent = [index for index in order if representatives.get(index, index) == index]
    q = dict(zip(independent, compute_q_values([effects[index].p for index in independent]).tolist(), strict=True))
    by_rank = np.lexsort((diverged, ranks))
    best_rows = by_rank[: max(MIN_BEST, count // int(1 / BEST_PART))]
    best_rows = best_rows[~diverged[best_rows]]
    entries = []
    for index in independent:
        column, effect = columns[index], effects[index]
        together = tuple(
            varying[other].name for other in order if other != index and representatives.get(other) == index
        )
        finite = column.numbers[column.is_number & np.isfinite(column.numbers)]
        has_ends = column.is_numeric and len(finite) > 0
        span = _find_best_range(column, best_rows)
        entries.append(
            HParamImportance(
                varying[index].name,
                together,
                max(effect.share, 0.0),
                effect.p,
                q[index],
                effect.groups,
                float(finite.min()) if has_ends else None,
                float(finite.max()) if has_ends else None,
                _build_profile(column, numbers, ranks, diverged, by_rank),
                span,
                _find_hints(varying[index], column, best_rows, span, q[index]),
            )
        )
    joint = [
        (pair, examined[pair.first], examined[pair.second])
        for pair in pairs
        if representatives.get(examined[pair.first], examined[pair.first]) == examined[pair.first]
        and representatives.get(examined[pair.second], examined[pair.second]) == examined[pair.second]
    ]
    pair_q = compute_q_values([pair.p for pair, _, _ in joint])
    together_list = [
        PairImportance(varying[a].name, varying[b].name, pair.excess, float(each))
        for (pair, a, b), each in zip(joint, pair_q, strict=True)
        if each < MAX_Q and pair.excess > 0
    ]
    return replace(
        facts,
        hparams=tuple(entries),
        pairs=tuple(sorted(together_list, key=lambda pair: -pair.excess)),
        regions=_find_regions(
            [varying[index] for index in independent], [columns[index] for index in independent], diverged
        ),
    )


def _is_varied(codes: npt.NDArray[np.intp]) -> bool:
    return bool((codes != codes[:1]).any())


def _find_levels(column: AttributeColumn, bins: int) -> Levels:
    """Return the levels of a column: bins of numbers, or the most frequent words."""
    if column.is_numeric:
        return number_levels(np.where(column.is_number, column.rounded, np.nan), bins, column.order)
    return assign_word_levels(column.level_codes, bins)


def _find_representatives(pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return the representative of each hyperparameter whose effect cannot be separated from that of another one.

    Args:
        pairs: Indices, the one with the larger share first.
    """
    representative_of: dict[int, int] = {}
    for first, second in pairs:
        representative_of.setdefault(second, representative_of.get(first, first))
    return representative_of


def _build_profile(
    column: AttributeColumn,
    values: npt.NDArray[np.float64],
    ranks: npt.NDArray[np.float64],
    diverged: npt.NDArray[np.bool_],
    by_rank: npt.NDArray[np.intp],
) -> tuple[ProfileLevel, ...]:
    """Return the median of the metric over the values: numbers ascending, words as they first appear."""
    levels = _find_levels(column, MAX_PROFILE)
    scale = max(len(ranks) - 1, 1)
    # Rows by level, and by rank within: the median is in the middle, and diverged sessions are last.
    order = by_rank[np.argsort(levels.codes[by_rank].astype(np.int16), kind="stable")]
    ends = np.cumsum(np.bincount(levels.codes, minlength=levels.count)).tolist()
    profile = []
    for start, end in zip([0, *ends], ends, strict=False):
        if start == end:
            continue
        rows = order[start:end]
        count, bad = end - start, int(np.count_nonzero(diverged[rows]))
        low, high = _find_level_ends(column, rows)
        median = _find_median(values, rows[: count - bad]) if bad < count else math.nan
        profile.append(ProfileLevel(low, high, count, bad, median, _find_median(ranks, rows) / scale))
    return tuple(profile)


def _find_median(values: npt.NDArray[np.float64], rows: npt.NDArray[np.intp]) -> float:
    """Return the median of values whose order the rows have, upwards or downwards."""
    half = len(rows) // 2
    last = float(values[rows[half]])
    return last if len(rows) % 2 else (last + float(values[rows[half - 1]])) / 2


def _find_level_ends(
    column: AttributeColumn, rows: npt.NDArray[np.intp]
) -> tuple[float | str | bool | None, float | str | bool | None]:
    if column.is_numeric:
        numbers = column.numbers[rows][column.is_number[rows]]
        if len(numbers):
            return float(np.min(numbers)), float(np.max(numbers))
    codes = np.unique(column.level_codes[rows])
    first = column.value(int(rows[0]))
    return first, first if len(codes) == 1 else None


def _find_best_range(column: AttributeColumn, rows: npt.NDArray[np.intp]) -> BestRange:
    """Return the values of the best sessions."""
    values = column.part(rows)
    if column.is_numeric:
        numbers = values.numbers[values.is_number & np.isfinite(values.numbers)]
        if not len(numbers):
            return BestRange(count=0)
        low, high = np.quantile(numbers, (0.05, 0.95), method="nearest").tolist()
        return BestRange(low, high, (), len(numbers))
    codes, first, counts = np.unique(values.level_codes, return_index=True, return_counts=True)
    del codes
    order = np.argsort(-counts, kind="stable").tolist()
    return BestRange(None, None, tuple((values.value(int(first[k])), int(counts[k])) for k in order), len(rows))


def _find_hints(
    hparam: HParam, column: AttributeColumn, best_rows: npt.NDArray[np.intp], span: BestRange, q: float
) -> tuple[Hint, ...]:
    """Return suggestions: values beyond an edge with the best sessions, or repeats of rare best values."""
    del hparam
    if q > MAX_Q or not len(best_rows):
        return ()
    if column.is_numeric:
        is_finite = column.is_number & np.isfinite(column.numbers)
        best_rows = best_rows[is_finite[best_rows]]
        if len(best_rows) < MIN_REPEATS or is_finite.sum() < 2:
            return ()
        ranks = np.full(len(is_finite), np.nan)
        ranks[is_finite] = compute_mid_ranks(column.rounded[is_finite]) / (is_finite.sum() - 1)
        middle = float(np.median(ranks[best_rows]))
        numbers = column.numbers[is_finite]
        if middle <= EDGE:
            return (Hint("edge", f"below {format_term_number(float(numbers.min()))}"),)
        if middle >= 1 - EDGE:
            return (Hint("edge", f"above {format_term_number(float(numbers.max()))}"),)
        return ()
    word, count = span.words[0] if span.words else (None, 0)
    tried = int(np.isin(column.level_codes, column.level_codes[best_rows]).sum())
    if word is not None and count > 0 and tried < MIN_REPEATS:
        return (Hint("thin", f"repeat {word}: {tried} tried"),)
    return ()


def _find_regions(
    hparams: Sequence[HParam], columns: Sequence[AttributeColumn], diverged: npt.NDArray[np.bool_]
) -> tuple[DivergedRegion, ...]:
    """Return the values with which most sessions diverged, while few did elsewhere; the strongest first."""
    total = int(diverged.sum())
    if total < MIN_DIVERGED:
        return ()
    candidates: list[tuple[float, DivergedRegion]] = []
    for hparam, column in zip(hparams, columns, strict=True):
        inside, counts, regions = (_find_end_regions if column.is_numeric else _find_word_regions)(column, diverged)
        others = len(diverged) - counts
        with np.errstate(invalid="ignore", divide="ignore"):
            part, elsewhere = inside / counts, (total - inside) / others
        is_region = (inside >= MIN_DIVERGED) & (others > 0) & (part > HIGH_DIVERGED) & (elsewhere < LOW_DIVERGED)
        if is_region.any():
            gain = np.where(is_region, inside / total + part - elsewhere, -np.inf)
            best = int(np.argmax(gain))
            low, high, word = regions(best)
            region = DivergedRegion(hparam.name, low, high, word, int(inside[best]), int(counts[best]))
            candidates.append((float(gain[best]), region))
    return tuple(region for _, region in sorted(candidates, key=lambda pair: -pair[0]))


_Region: TypeAlias = "tuple[float | None, float | None, str | bool | None]"
"""Ends of a range of numbers, or a word."""

_Counts: TypeAlias = "npt.NDArray[np.intp]"


def _find_end_regions(
    column: AttributeColumn, diverged: npt.NDArray[np.bool_]
) -> tuple[_Counts, _Counts, Callable[[int], _Region]]:
    """Return the regions from each of some diverged values on, and up to each of them.

    Returns:
        Their diverged sessions and all of them, int[k], and a function that returns a region by its index.
    """
    order = column.order
    order = order[np.isfinite(column.numbers[order]) & column.is_number[order]]
    numbers, is_bad = column.numbers[order], diverged[order]
    bounds = np.unique(numbers[is_bad])
    if len(bounds) > MAX_BOUNDS:
        bounds = np.unique(np.quantile(bounds, np.linspace(0, 1, MAX_BOUNDS), method="nearest"))
    bad = np.concatenate(([0], np.cumsum(is_bad)))
    first, last = np.searchsorted(numbers, bounds), np.searchsorted(numbers, bounds, side="right")
    inside = np.stack((bad[-1] - bad[first], bad[last]), axis=1).reshape(-1)
    counts = np.stack((len(numbers) - first, last), axis=1).reshape(-1)

    def region(index: int) -> _Region:
        bound = float(bounds[index // 2])
        return (None, bound, None) if index % 2 else (bound, None, None)

    return inside, counts, region


def _find_word_regions(
    column: AttributeColumn, diverged: npt.NDArray[np.bool_]
) -> tuple[_Counts, _Counts, Callable[[int], _Region]]:
    """Return a region for each word, as `_find_end_regions` does."""
    size = len(column.words)
    is_word = column.codes >= 0
    counts = np.bincount(column.codes[is_word], minlength=size)
    inside = np.bincount(column.codes[is_word & diverged], minlength=size)
    return inside, counts, lambda index: (None, None, column.words[index])


def _merge_groups(
    rows: npt.NDArray[np.intp],
    groups: npt.NDArray[np.intp],
    y: npt.NDArray[np.float64],
    numbers: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return one row for each group, with the median of its sessions; a group diverged if most of its sessions did.

    Sessions of one group are not independent: counted one by one, three seeds of each setting would make a setting
    without any effect significant.
    """
    if len(np.unique(groups)) == len(groups):
        return rows, y, numbers
    order = np.lexsort((np.where(np.isnan(y), np.inf, y), groups))
    ordered = groups[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    ends = np.append(starts[1:], len(ordered))
    middle = order[(starts + ends - 1) // 2]
    middle_rows = np.sort(middle)
    return rows[middle_rows], y[middle_rows], numbers[middle_rows]


def _measure_noise(groups: npt.NDArray[np.intp], numbers: npt.NDArray[np.float64], best: Best) -> SeedNoise | None:
    """Return the spread within groups of sessions that differ in their seeds alone; None without such groups."""
    finite = np.isfinite(numbers)
    groups, values = groups[finite], numbers[finite]
    if not len(groups):
        return None
    _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    if not (counts > 1).any():
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # values near the end of float64
        return _spread_in_groups(values, inverse, counts, best)


def _spread_in_groups(
    values: npt.NDArray[np.float64], inverse: npt.NDArray[np.intp], counts: npt.NDArray[np.intp], best: Best
) -> SeedNoise | None:
    repeated = counts > 1
    means = np.bincount(inverse, values) / counts
    # Groups spread over orders of magnitude: a bad setting with a large spread does not describe the best ones.
    goal = means if best == "min" else -means
    near = repeated & (goal <= np.median(goal[repeated]))
    squares = np.bincount(inverse, (values - means[inverse]) ** 2)
    deviation = math.sqrt(float(squares[near].sum()) / int((counts[near] - 1).sum()))
    as_good = int((goal <= goal.min() + 2 * deviation).sum())
    return SeedNoise(deviation, int(repeated.sum()), as_good) if math.isfinite(deviation) else None
