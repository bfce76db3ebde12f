from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.decimate import MIN_POINTS_PER_COLUMN, decimate, is_ascending

NAN, INF = math.nan, math.inf
EDGES = np.linspace(-0.5, 9.5, 11)
"""Ten columns centred at 0 to 9."""

MANY = MIN_POINTS_PER_COLUMN * len(EDGES) + 1


def column_range(x: np.ndarray, y: np.ndarray, column: int) -> tuple[float, float] | None:
    inside = y[(x >= EDGES[column]) & (x < EDGES[column + 1]) & np.isfinite(y)]
    return (float(inside.min()), float(inside.max())) if len(inside) else None


def test_decimate_few_points_are_unchanged() -> None:
    x, y = np.arange(10.0), np.array([0, 1, NAN, 3, INF, 5, -INF, 7, 8, 9.0])
    shown_x, shown_y = decimate(x, y, EDGES)
    np.testing.assert_array_equal(shown_x, x)
    np.testing.assert_array_equal(shown_y, [0, 1, NAN, 3, NAN, 5, NAN, 7, 8, 9])


def test_decimate_column_keeps_first_min_max_and_last() -> None:
    x = np.linspace(-0.5, 9.49, 10_000)
    y = np.random.default_rng(0).normal(size=10_000)
    shown_x, shown_y = decimate(x, y, EDGES)
    assert len(shown_x) == 40
    for column in range(10):
        assert column_range(shown_x, shown_y, column) == column_range(x, y, column)
        inside = np.flatnonzero((x >= EDGES[column]) & (x < EDGES[column + 1]))
        of_column = shown_y[4 * column : 4 * column + 4]
        assert (of_column[0], of_column[3]) == (y[inside[0]], y[inside[-1]])


def test_decimate_keeps_a_single_spike_of_a_million_points() -> None:
    y = np.zeros(1_000_000)
    y[123_456] = 1e6
    _, shown = decimate(np.arange(1e6), y, np.linspace(0, 1e6, 241), ascending=True)
    assert len(shown) < 1000
    assert shown.max() == 1e6


def test_decimate_missing_value_stays_a_gap() -> None:
    x = np.linspace(-0.5, 9.49, 10_000)
    y = np.ones(10_000)
    y[5000] = NAN
    y[7000] = INF
    _, shown = decimate(x, y, EDGES)
    assert len(np.flatnonzero(np.isnan(shown[1:]) & ~np.isnan(shown[:-1]))) == 2


def test_decimate_non_positive_values_are_gaps_on_a_log_scale() -> None:
    x = np.linspace(-0.5, 9.49, MANY)
    y = np.where(x > 5, 0.0, 2.0)
    _, shown = decimate(x, y, EDGES, log=True)
    assert set(shown[~np.isnan(shown)].tolist()) == {2.0}


def test_decimate_line_enters_and_leaves_the_window() -> None:
    x = np.arange(-1000.0, 1000.0)
    shown_x, _ = decimate(x, x, EDGES)
    assert (shown_x[0], shown_x[-1]) == (-1.0, 10.0)
    assert decimate(np.array([-5.0, 50.0]), np.array([1.0, 2.0]), EDGES)[0].tolist() == [-5.0, 50.0]


@pytest.mark.parametrize("count", [20, MANY])
def test_decimate_backward_line_is_interrupted(count: int) -> None:
    x = np.concatenate((np.linspace(0, 8, count), np.linspace(3, 9, count)))
    shown_x, shown_y = decimate(x, np.ones(2 * count), EDGES)
    gaps = np.flatnonzero(np.isnan(shown_y))
    assert len(gaps) == 1
    assert (shown_x[gaps[0] - 1], shown_x[gaps[0] + 1]) == (8.0, 3.0)


def test_decimate_jitter_below_a_column_interrupts_nothing() -> None:
    x = np.array([0.0, 1.2, 0.9, 2.0, 1.9, 3.0])
    assert not np.isnan(decimate(x, np.ones(6), EDGES)[1]).any()


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_decimate_nan_x_is_a_gap(bad: float) -> None:
    x = np.array([0.0, 1.0, bad, 3.0, 4.0])
    shown_x, shown_y = decimate(x, np.ones(5), EDGES)
    assert shown_x[~np.isnan(shown_y)].tolist() == [0.0, 1.0, 3.0, 4.0]
    assert np.isnan(shown_y[2])


@pytest.mark.parametrize(
    ("x", "ascending"), [([], True), ([1], True), ([1, 1, 2], True), ([2, 1], False), ([1, NAN], False), ([NAN], False)]
)
def test_is_ascending(x: list[float], ascending: bool) -> None:
    assert is_ascending(np.array(x, np.float64)) == ascending


@given(
    st.integers(0, 400),
    st.integers(0, 2**32 - 1),
    st.floats(0, 0.5),
    st.sampled_from(["ascending", "jittered", "random"]),
)
def test_decimate_column_heights_are_unchanged(count: int, seed: int, missing: float, order: str) -> None:
    random = np.random.default_rng(seed)
    x = np.sort(random.uniform(-3, 12, count))
    if order == "random":
        random.shuffle(x)
    elif order == "jittered":
        x += random.normal(0, 0.5, count)
    y = np.where(random.random(count) < missing, NAN, random.normal(size=count))
    shown_x, shown_y = decimate(x, y, EDGES)
    assert len(shown_x) == len(shown_y) <= 2 * count
    for column in range(10):
        assert column_range(shown_x, shown_y, column) == column_range(x, y, column)
    columns = np.searchsorted(EDGES, shown_x)
    joined = ~np.isnan(shown_y[1:]) & ~np.isnan(shown_y[:-1])
    assert not (joined & (columns[1:] < columns[:-1])).any()
