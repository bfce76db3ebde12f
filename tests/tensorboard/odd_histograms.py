"""Histograms of odd kinds for TensorBoard to compute with: what `record_histograms.py` feeds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]
    Series: TypeAlias = list[Floats]
    """Histograms of one tag, each rows of left edge, right edge and count, float64[k, 3]."""

NOTHING = np.zeros((0, 3))


def odd_series() -> dict[str, Series]:
    """Series by name, the same each time."""
    random = np.random.default_rng(9)
    some: dict[str, Callable[[np.random.Generator], Floats]] = {
        "half below a gap": half_below_a_gap,
        "few values in many buckets": few_values,
        "empty buckets at the ends": empty_ends,
        "buckets without width": without_width,
        "gaps between buckets": gaps,
        "fractions": fractions,
        "widths of all sizes": all_widths,
        "equal buckets": equal_buckets,
        "huge and tiny counts": all_counts,
    }
    drawn = {f"{name} {number}": [make(random) for _ in range(5)] for name, make in some.items() for number in range(5)}
    return {**drawn, **special_series()}


def special_series() -> dict[str, Series]:
    """Those that are not drawn by lot."""
    whole = np.arange(31.0)
    constants = {
        f"all values {value:g}": [constant(value, buckets) for buckets in (1, 3, 30)]
        for value in (0.0, 3.25, -2.0, 1e-8, 1e8, -9.5)
    }
    return {
        **constants,
        "a constant that changes": [constant(value, 30) for value in (0.0, 0.5, 1.0, 1.5, 30.0)],
        "one bucket": [joined([0, 1], [10]), joined([-3, -1], [1]), joined([0.5, 0.75], [7])],
        "one empty bucket": [joined([1, 2], [0]), joined([1, 2], [3])],
        "no bucket": [NOTHING, NOTHING],
        "nothing at times": [NOTHING, np.zeros((30, 3)), equal_buckets(np.random.default_rng(1)), NOTHING],
        "at the edges of the bins": [rows(whole, whole, np.arange(1.0, 32.0)), joined(whole, np.arange(1.0, 31.0))],
        "huge values": [joined([-1e300, -1e299, 0, 1e300], [1, 2, 3]), joined([0, 1e300], [4])],
        "tiny values": [joined([1e-300, 2e-300, 5e-300], [3, 1]), joined([0, 1e-302], [2])],
        "far from zero": [joined(1e9 + np.arange(9.0), [1, 0, 2, 5, 3, 0, 0, 1])],
    }


def rows(lefts: Floats, rights: Floats, counts: Sequence[float] | Floats) -> Floats:
    """Three columns as one array."""
    return np.column_stack([lefts, rights, np.asarray(counts, np.float64)])


def joined(edges: Sequence[float] | Floats, counts: Sequence[float] | Floats) -> Floats:
    """Buckets without gaps."""
    edges = np.asarray(edges, np.float64)
    return rows(edges[:-1], edges[1:], counts)


def constant(value: float, buckets: int) -> Floats:
    """As TensorFlow 2 writes equal values: all of them in the last of so many buckets of no width."""
    return rows(np.full(buckets, value), np.full(buckets, value), [0.0] * (buckets - 1) + [12.0])


def edges(random: np.random.Generator, count: int) -> Floats:
    """Ascending, with three decimals, some of them equal."""
    return np.sort(np.round(random.normal(0, random.choice([0.1, 1, 20]), count), 3))


def half_below_a_gap(random: np.random.Generator) -> Floats:
    """Just half of the values below empty buckets: rounding decides where the median is."""
    half, gap = int(random.choice([1, 3, 5, 7, 15, 33])), int(random.integers(1, 4))
    counts = [*[1.0] * half, *[0.0] * gap, *random.multinomial(half, [0.25] * 4).astype(float), 0.0]
    return joined(np.round(np.cumsum(random.uniform(0.01, 1, len(counts) + 1)), 3), counts)


def few_values(random: np.random.Generator) -> Floats:
    """As PyTorch writes the bias of a small layer."""
    grid = np.round(0.01 * 1.1 ** np.arange(60), 4)
    counts = np.bincount(random.integers(0, 59, int(random.choice([2, 6, 10, 30]))), minlength=59)
    return joined(grid, counts)


def empty_ends(random: np.random.Generator) -> Floats:
    """As TensorBoard's faster loader leaves them."""
    counts = [*[0] * random.integers(1, 4), *random.integers(0, 5, 6), *[0] * random.integers(1, 4)]
    return joined(edges(random, len(counts) + 1), counts)


def without_width(random: np.random.Generator) -> Floats:
    """Whole numbers, some of them in buckets of no width."""
    lefts = np.sort(random.integers(-8, 9, 9)).astype(np.float64)
    return joined(lefts, random.integers(0, 6, 8))


def gaps(random: np.random.Generator) -> Floats:
    """Buckets that do not touch."""
    ends = edges(random, 16)
    return rows(ends[::2], ends[1::2], random.integers(0, 9, 8))


def fractions(random: np.random.Generator) -> Floats:
    """Counts that are not whole."""
    return joined(edges(random, 9), np.round(random.random(8) * 10, 2))


def all_widths(random: np.random.Generator) -> Floats:
    """Buckets that are a million times as wide as others."""
    ends = np.unique(random.choice([-1, 1], 12) * np.round(10.0 ** random.uniform(-4, 3, 12), 4))
    return joined(ends, random.integers(0, 50, len(ends) - 1))


def equal_buckets(random: np.random.Generator) -> Floats:
    """As TensorFlow 2 writes them."""
    counts, ends = np.histogram(random.normal(size=int(random.choice([10, 64, 1000]))), 30)
    return joined(ends, counts)


def all_counts(random: np.random.Generator) -> Floats:
    """From one in a thousand million to a thousand million million."""
    return joined(edges(random, 9), np.round(10.0 ** random.integers(-9, 16, 8), 9))
