from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tbtui.maths.statistics import compute_moments
from tests.helpers.bucket_strategies import histograms
from tests.helpers.buckets import buckets_of, joined, of_values

if TYPE_CHECKING:
    from tbtui.maths.histograms import Buckets
    from tbtui.maths.statistics import Moments


def written(values: np.ndarray, bins: int = 30) -> Buckets:
    """Return sums and sums of squares as a writer stores them."""
    with np.errstate(over="ignore"):
        return buckets_of([of_values(values, bins)], sums=[values.sum()], squares=[np.square(values).sum()])


def only(figures: Moments) -> tuple[float, float, float, float, float, bool]:
    columns = (figures.count, figures.mean, figures.std, figures.minimum, figures.maximum, figures.is_exact)
    assert [len(column) for column in columns] == [1] * 6
    return tuple(column[0].item() for column in columns)


def test_moments_of_known_sums() -> None:
    values = np.random.default_rng(1).normal(0.5, 2, 4000)
    assert only(compute_moments(written(values, 7))) == (
        4000,
        pytest.approx(values.mean(), rel=1e-12),
        pytest.approx(values.std(), rel=1e-12),
        values.min(),
        values.max(),
        True,
    )


def test_moments_of_buckets_without_sums() -> None:
    figures = only(compute_moments(buckets_of([joined([0, 1, 3, 4], [1, 0, 3])])))
    assert figures == (4, pytest.approx((0.5 + 3 * 3.5) / 4), pytest.approx(3 * 3**0.5 / 4), 0, 4, False)


def test_moments_of_single_values_are_exact() -> None:
    assert only(compute_moments(buckets_of([[[1, 1, 1], [4, 4, 3]]]))) == (
        4,
        3.25,
        pytest.approx(1.6875**0.5),
        1,
        4,
        True,
    )


@pytest.mark.parametrize("value", [0.0, 0.1, -3.3, 1e300, -1e300, 5e-324, 1.7e308])
def test_moments_of_equal_values(value: float) -> None:
    values = np.full(7, value)
    assert only(compute_moments(buckets_of([of_values(values)]))) == (7, value, 0, value, value, True)
    with np.errstate(over="ignore"):
        assert only(compute_moments(written(values))) == (7, value, 0, value, value, True)


@pytest.mark.parametrize(
    ("rows", "total", "square"),
    [
        (joined([1, 2, 3], [4, 4]), 0, 0),  # missing, stored as zeros
        (joined([1, 2, 3], [4, 4]), 80, 800),  # a mean of 10
        (joined([1, 2, 3], [4, 4]), 16, 8),  # below the square of the mean
        (joined([1, 2, 3], [4, 4]), 16, 80),  # a deviation of 2.4
        (joined([1, 2, 3], [4, 4]), np.inf, np.inf),
        (joined([1, 2, 3], [4, 4]), np.nan, 35),
    ],
)
def test_moments_impossible_sums_are_ignored(rows: np.ndarray, total: float, square: float) -> None:
    assert only(compute_moments(buckets_of([rows], sums=[total], squares=[square]))) == (
        8,
        2,
        pytest.approx(0.5),
        1,
        3,
        False,
    )


def test_moments_cancelled_deviation_uses_the_buckets() -> None:
    values = 1e6 + np.random.default_rng(2).normal(0, 1e-3, 5000)
    count, mean, std, _, _, exact = only(compute_moments(written(values)))
    assert (count, exact) == (5000, False)
    assert mean == pytest.approx(values.mean(), rel=1e-9)
    assert std == pytest.approx(values.std(), rel=0.05)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e-30, 1.0, 1e30, 1e200, 1e307])
def test_moments_of_values_of_any_size(size: float) -> None:
    values = np.random.default_rng(3).normal(0.5, 1, 1000) * size
    _, mean, std, _, _, _ = only(compute_moments(written(values, 1000)))
    assert mean == pytest.approx((values / size).mean() * size, rel=0.02)
    assert std == pytest.approx((values / size).std() * size, rel=0.01)


def test_moments_over_the_whole_float_range() -> None:
    most = np.finfo(np.float64).max
    figures = only(compute_moments(buckets_of([joined([-most, 0, most], [1, 1])])))
    assert figures == (2, 0, most / 2, -most, most, False)


def test_moments_of_empty_and_unreadable_histograms() -> None:
    figures = compute_moments(buckets_of([(), joined([0, 1], [0]), ()], refused=[2]))
    np.testing.assert_array_equal(figures.count, [0, 0, np.nan])
    for column in (figures.mean, figures.std, figures.minimum, figures.maximum):
        assert np.isnan(column).all()
    assert not figures.is_exact.any()
    assert len(compute_moments(buckets_of([])).count) == 0


def test_moments_of_one_bucket_are_those_of_the_sums() -> None:
    values = np.random.default_rng(3).normal(0.97, 0.005, 512)
    figures = compute_moments(
        buckets_of([joined([0.9, 0.95, 0.99, 1], [0, 512, 0])], sums=[values.sum()], squares=[(values**2).sum()])
    )
    assert figures.has_one_bucket.tolist() == figures.is_exact.tolist() == [True]
    assert (figures.mean[0], figures.std[0]) == (pytest.approx(values.mean()), pytest.approx(values.std()))
    assert (figures.minimum[0], figures.maximum[0]) == (0.95, 0.99)


def test_moments_of_one_bucket_without_sums_have_no_deviation() -> None:
    figures = compute_moments(buckets_of([joined([0, 4], [3]), [[4, 4, 3]], joined([0, 2, 4], [1, 1])]))
    assert figures.has_one_bucket.tolist() == [True, False, False]
    np.testing.assert_array_equal(figures.std, [np.nan, 0, 1])
    assert figures.is_exact.tolist() == [False, True, False]


@given(histograms())
def test_moments_lie_within_the_values(buckets: Buckets) -> None:
    figures = compute_moments(buckets)
    some = np.flatnonzero(buckets.totals > 0)
    np.testing.assert_array_equal(np.isfinite(figures.mean), buckets.totals > 0)
    assert (figures.minimum[some] <= figures.mean[some]).all()
    assert (figures.mean[some] <= figures.maximum[some]).all()
    half = figures.maximum[some] / 2 - figures.minimum[some] / 2
    is_known = np.isfinite(figures.std[some])
    np.testing.assert_array_equal(is_known, (figures.is_exact | ~figures.has_one_bucket)[some])
    assert (figures.std[some][is_known] >= 0).all()
    assert (figures.std[some][is_known] / (1 + 1e-9) <= half[is_known]).all()


@given(
    hnp.arrays(np.float64, st.integers(1, 50), elements=st.floats(-1e3, 1e3).map(lambda x: round(x, 6))),
    st.integers(1, 40),
)
def test_moments_error_is_at_most_the_bucket_width(values: np.ndarray, bins: int) -> None:
    buckets = buckets_of([of_values(values, bins)])
    half, size = (values.max() - values.min()) / bins / 2, np.abs(values).max()
    _, mean, std, _, _, _ = only(compute_moments(buckets))
    assert mean == pytest.approx(values.mean(), rel=0, abs=half + 1e-6 * size)
    if bins == 1 and half > 0:
        assert np.isnan(std), "one bucket says nothing of the deviation"
        return
    assert std == pytest.approx(values.std(), rel=0, abs=half + 1e-6 * size)
