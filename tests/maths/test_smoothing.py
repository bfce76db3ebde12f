from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tbtui.maths.smoothing import smooth

NAN, INF = math.nan, math.inf


def one_by_one(values: list[float], weight: float) -> list[float]:
    """Reference implementation of TensorBoard's rule, one value at a time."""
    if all(value == values[0] for value in values):
        return values
    last, count, out = 0.0, 0, []
    for value in values:
        if math.isfinite(value):
            last = weight * last + (1 - weight) * value
            count += 1
            out.append(last / (1.0 if weight == 1 else 1 - weight**count))
        else:
            out.append(value)
    return out


@pytest.mark.parametrize(
    ("values", "weight", "smoothed"),
    [
        ([1, 2, 3, 4], 0.6, [1, 1.625, 2.326531, 3.095588]),
        ([1, NAN, 3, INF, 5], 0.6, [1, NAN, 2.25, INF, 3.653061]),
        ([0, 10, 0], 0.9, [0, 5.263158, 3.321033]),
        ([NAN, NAN], 0.6, [NAN, NAN]),
        ([INF, INF], 0.6, [INF, INF]),
        ([3, 3, 3], 1.0, [3, 3, 3]),
        ([1, 2, NAN], 1.0, [0, 0, NAN]),
        ([1, 2, 3], 0.0, [1, 2, 3]),
        ([1, 2, 3], -4.0, [1, 2, 3]),
        ([1, 2, 3], 7.0, [0, 0, 0]),
        ([1, 2, 3], NAN, [1, 2, 3]),
        ([1, 2, 3], INF, [1, 2, 3]),
        ([-INF, 1, 2], 0.5, [-INF, 1, 5 / 3]),
        ([5], 0.6, [5]),
        ([], 0.6, []),
    ],
)
def test_smoothing_known_values(values: list[float], weight: float, smoothed: list[float]) -> None:
    np.testing.assert_allclose(smooth(np.array(values, np.float64), weight), smoothed, rtol=1e-6)


@pytest.mark.parametrize(
    ("weight", "size", "count"),
    list(product((0.999, 0.99, 0.6, 0.01, 1e-20), (1.0, 1e38, 1e-38, 1e300, 1.7e308), (63, 64, 65, 4097))),
)
def test_smoothing_equals_the_reference_per_value(weight: float, size: float, count: int) -> None:
    values = np.random.default_rng(count).random(count) * size
    values[count // 2 :: 17] = NAN
    values[count // 3 :: 31] = INF
    np.testing.assert_allclose(smooth(values, weight), one_by_one(values.tolist(), weight), rtol=1e-9)


@given(
    hnp.arrays(np.float64, st.integers(0, 200), elements=st.floats(-1e6, 1e6) | st.sampled_from([NAN, INF, -INF])),
    st.floats(0, 0.999),
)
def test_smoothing_equals_the_reference_for_any_values(values: np.ndarray, weight: float) -> None:
    given_values = values.copy()
    smoothed = smooth(values, weight)
    expected = np.array(one_by_one(values.tolist(), weight), np.float64)
    # Cancelling terms leave an error of one ulp of the largest term, so no relative bound holds.
    finite = values[np.isfinite(values)]
    np.testing.assert_allclose(smoothed, expected, rtol=1e-9, atol=1e-9 * np.abs(finite).max(initial=1e-9))
    np.testing.assert_array_equal(values, given_values)
    assert not np.shares_memory(smoothed, values)


def test_smoothing_average_stays_within_its_values() -> None:
    values = np.random.default_rng(0).normal(size=100_000)
    smoothed = smooth(values, 0.999)
    assert values.min() <= smoothed.min()
    assert smoothed.max() <= values.max()
    assert abs(smoothed[-1]) < 0.2


def test_smoothing_huge_value_decays_without_overflow() -> None:
    values = np.ones(10_000)
    values[0] = 1.7e308
    smoothed = smooth(values, 0.6)
    assert np.isfinite(smoothed).all()
    assert smoothed[-1] == pytest.approx(1.0)


def test_smoothing_of_the_largest_floats_stays_finite() -> None:
    values = np.full(200, np.finfo(np.float64).max)
    values[0] = 1.0
    smoothed = smooth(values, 0.999)
    assert np.isfinite(smoothed).all()
    assert smoothed[-1] == pytest.approx(values[-1], rel=0.01)


def test_smoothing_accepts_read_only_values() -> None:
    values = np.arange(5.0)
    values.flags.writeable = False
    assert smooth(values, 0.5).flags.writeable
    assert smooth(values, 0.0).flags.writeable


def test_smoothing_constant_with_gaps_stays_exact() -> None:
    values = np.array([0.1, 0.1, np.nan, 0.1, np.inf, 0.1, 0.1])
    np.testing.assert_array_equal(smooth(values, 0.6), values)
