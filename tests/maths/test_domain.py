from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.axis import Axis
from tbtui.maths.domain import (
    Limits,
    Scale,
    choose_symlog_threshold,
    compute_extent,
    compute_limits,
    round_outward,
    stabilise_limits,
)

NAN, INF = math.nan, math.inf
FINITE = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=5e-324, allow_infinity=False)


def arrays(*lists: list[float]) -> list[np.ndarray]:
    return [np.array(values, np.float64) for values in lists]


@pytest.mark.parametrize(
    ("values", "scale", "low_high"),
    [
        ([[1, 2], [0, 5]], "linear", (0, 5)),
        ([[NAN, 1, INF, -INF, -2]], "linear", (-2, 1)),
        ([[INF, 1]], "linear", (1, 1)),
        ([[NAN], [], [INF]], "linear", None),
        ([], "linear", None),
        ([[-1, 0, 2, 3]], "log", (2, 3)),
        ([[NAN, -1, 0]], "log", None),
        ([[5, INF]], "log", (5, 5)),
        ([[7]], "linear", (7, 7)),
    ],
)
def test_extent_counts_drawable_values(values: list[list[float]], scale: Scale, low_high: Limits | None) -> None:
    assert compute_extent(arrays(*values), scale=scale) == low_high


def test_extent_excludes_outliers_by_the_rule_of_tensorboard() -> None:
    many = np.random.default_rng(0).permutation(np.arange(101.0))
    assert compute_extent([many, np.array([NAN])], ignore_outliers=True) == (5, 95)
    assert compute_extent(arrays([1, 2], [1000]), ignore_outliers=True) == (2, 2)
    assert compute_extent(arrays([1, 1000]), ignore_outliers=True) == (1, 1000)


@pytest.mark.parametrize(
    ("data", "scale", "low_high"),
    [
        (None, "linear", (0, 1)),
        (None, "log", (0.1, 1)),
        ((0, 0), "linear", (-1, 1)),
        ((3, 3), "linear", (0, 6)),
        ((-3, -3), "linear", (-6, 0)),
        ((1.5e308, 1.5e308), "linear", (0, sys.float_info.max)),
        ((0.1, 2.3), "linear", (0, 2.5)),
        ((0.0, 0.98), "linear", (0, 1.05)),
        ((-5, -1), "linear", (-5.2, -0.8)),
        ((-0.3, 0.4), "linear", (-0.34, 0.44)),
        ((1e38, 3e38), "linear", (9e37, 3.2e38)),
        ((0.0011, 0.9), "log", (0.0005, 2)),
        ((0.3, 0.4), "log", (0.295, 0.41)),
        ((4, 4), "log", (2, 8)),
    ],
)
def test_limits_known_values(data: Limits | None, scale: Scale, low_high: Limits) -> None:
    assert compute_limits(data, scale=scale) == pytest.approx(low_high)


def test_x_limits_are_rounded_without_padding() -> None:
    assert compute_limits((0, 439), padding=0) == (0, 440)
    assert compute_limits((0, 1000), padding=0) == (0, 1000)
    assert compute_limits((1, 1953), padding=0) == (0, 2000)
    assert compute_limits((160, 440), padding=0) == (160, 440)


@given(FINITE, FINITE, st.sampled_from([0.0, 0.05]))
def test_limits_contain_any_data_and_fit_an_axis(first: float, second: float, padding: float) -> None:
    low, high = min(first, second), max(first, second)
    shown = compute_limits((low, high), padding=padding)
    Axis(*shown)
    assert shown[0] <= low <= high <= shown[1]


@given(POSITIVE, POSITIVE)
def test_log_limits_contain_any_positive_data_and_fit_an_axis(first: float, second: float) -> None:
    low, high = max(min(first, second), sys.float_info.min), max(first, second)
    shown = compute_limits((min(first, second), high), scale="log")
    Axis(*shown, scale="log")
    assert shown[0] <= low <= high or high < low
    assert shown[1] >= high


@given(FINITE, FINITE, st.integers(1, 40))
def test_nice_limits_only_move_outward(first: float, second: float, rounding: int) -> None:
    low, high = min(first, second), max(first, second)
    shown = round_outward(low, high, rounding)
    assert shown[0] <= low <= high <= shown[1]


def test_held_limits_are_stable_while_data_stays_inside() -> None:
    shown = stabilise_limits(None, (0.0, 2.3))
    assert shown == compute_limits((0.0, 2.3))
    assert stabilise_limits(shown, (0.1, 2.31)) == shown
    assert stabilise_limits(shown, None) == shown


def test_held_limits_grow_with_margin_on_the_exceeded_side() -> None:
    shown = stabilise_limits((0.0, 100.0), (0.0, 101.0), padding=0)
    assert shown == (0.0, 120.0)
    assert stabilise_limits(shown, (0.0, 119.0), padding=0) == shown
    assert stabilise_limits((0.5, 2.0), (-0.1, 1.5))[1] == 2.0


def test_held_limits_of_growing_data_rarely_change() -> None:
    shown, moves = stabilise_limits(None, (0.0, 0.0), padding=0), 0
    for step in range(1, 100_000):
        following = stabilise_limits(shown, (0.0, float(step)), padding=0)
        moves += following != shown
        shown = following
    assert moves < 120
    assert shown[1] <= 120_000


def test_held_limits_much_too_wide_are_dropped() -> None:
    assert stabilise_limits((0.0, 1000.0), (0.0, 3.0)) == compute_limits((0.0, 3.0))
    assert stabilise_limits((0.0, 10.0), (0.0, 6.0)) == (0.0, 10.0)


def test_held_linear_limits_are_not_used_on_a_log_axis() -> None:
    assert stabilise_limits((-1.0, 10.0), (1.0, 9.0), scale="log") == compute_limits((1.0, 9.0), scale="log")


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=8))
def test_held_limits_always_contain_the_data(growth: list[Limits]) -> None:
    shown = None
    for pair in growth:
        data = min(pair), max(pair)
        shown = stabilise_limits(shown, data)
        Axis(*shown)
        assert shown[0] <= data[0] <= data[1] <= shown[1]


@given(st.lists(st.tuples(st.floats(1e-300, 1e300), st.floats(1e-300, 1e300)), min_size=1, max_size=8))
def test_held_log_limits_always_contain_the_data(growth: list[Limits]) -> None:
    shown = None
    for pair in growth:
        data = min(pair), max(pair)
        shown = stabilise_limits(shown, data, scale="log")
        Axis(*shown, scale="log")
        assert shown[0] <= data[0] <= data[1] <= shown[1]


@pytest.mark.parametrize(
    ("data", "threshold", "low_high"),
    [
        ((-40, 40), 1, (-100, 100)),
        ((-0.001, 1e6), 0.001, (-0.005, 5e6)),
        ((0, 900), 1, (0, 2000)),
        ((-900, 0), 1, (-2000, 0)),
        ((0.5, 900), 1, (0.1, 2000)),
        ((300, 400), 1, (295, 410)),
        ((7, 7), 1, (0, 14)),
        ((0, 0), 1, (-1, 1)),
        (None, 1, (0, 1)),
    ],
)
def test_symlog_limits_known_values(data: Limits | None, threshold: float, low_high: Limits) -> None:
    assert compute_limits(data, scale="symlog", threshold=threshold) == pytest.approx(low_high)


def test_log_x_limits_are_not_padded() -> None:
    assert compute_limits((1, 439), scale="log", padding=0) == (1, 500)
    assert compute_limits((1, 1000), scale="log", padding=0) == (1, 1000)
    assert compute_limits((0, 10_000), scale="symlog", padding=0) == (0, 10_000)


@given(FINITE, FINITE, st.integers(-300, 300), st.sampled_from([0.0, 0.05]))
def test_symlog_limits_contain_any_data_and_fit_an_axis(
    first: float, second: float, exponent: int, padding: float
) -> None:
    low, high = min(first, second), max(first, second)
    threshold = 10.0**exponent
    shown = compute_limits((low, high), scale="symlog", threshold=threshold, padding=padding)
    Axis(*shown, scale="symlog", threshold=threshold)
    assert shown[0] <= low <= high <= shown[1]
    assert low == high == 0 or not (low >= 0 > shown[0] or high <= 0 < shown[1])


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=8), st.integers(-300, 300))
def test_held_symlog_limits_always_contain_the_data(growth: list[Limits], exponent: int) -> None:
    shown, threshold = None, 10.0**exponent
    for pair in growth:
        data = min(pair), max(pair)
        shown = stabilise_limits(shown, data, scale="symlog", threshold=threshold)
        Axis(*shown, scale="symlog", threshold=threshold)
        assert shown[0] <= data[0] <= data[1] <= shown[1]


def test_held_symlog_limits_shrink_by_drawn_distance() -> None:
    assert stabilise_limits((-1000.0, 1000.0), (-200.0, 200.0), scale="symlog") == (-1000, 1000)
    assert stabilise_limits((-1000.0, 1000.0), (0.0, 20.0), scale="symlog") == compute_limits(
        (0.0, 20.0), scale="symlog"
    )


DECAY = 2.4 * np.exp(-np.arange(1000.0) / 100)


@pytest.mark.parametrize(
    ("values", "small", "threshold"),
    [
        (DECAY, 0.1, 1e-4),
        (np.sin(np.arange(1000.0)), 0.1, 0.1),
        (np.concatenate((DECAY, -DECAY * 1e-3)), 0.1, 1e-5),
        (np.array([1.0, 1e12]), 0.1, 1e6),
        (np.array([1.0, 1e12]), 0.0, 1e6),
        (np.array([5.0, 5.0]), 0.1, 0.1),
        (np.array([1.0, 1.0]), 0.1, 0.1),
        (np.array([NAN, INF, -INF, 0, 0, -30, 20]), 0.1, 1.0),
        (np.arange(10_000.0), 0.1, 1000),
        (np.arange(10_000.0), 0.0, 1),
        (np.array([0.0, NAN]), 0.1, 1.0),
        (np.array([]), 0.0, 1.0),
        (np.array([5e-324, 1e-310]), 0.1, 1e-300),
        (np.array([1e300, -1.7e308]), 0.1, 1e303),
    ],
)
def test_symlog_threshold_follows_the_data(values: np.ndarray, small: float, threshold: float) -> None:
    assert choose_symlog_threshold(values, small) == threshold


def test_symlog_threshold_ignores_a_single_tiny_value() -> None:
    values = np.sin(np.arange(1000.0))
    values[17] = 1e-12
    assert choose_symlog_threshold(values) == choose_symlog_threshold(np.sin(np.arange(1000.0)))


@given(st.lists(st.floats(), max_size=50), st.sampled_from([0.0, 0.1]))
def test_symlog_threshold_spreads_any_data(values: list[float], small: float) -> None:
    threshold = choose_symlog_threshold(np.array(values, np.float64), small)
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    assert math.isfinite(threshold)
    if sizes and max(sizes) > 1e-290:
        assert max(sizes) * 0.99e-6 <= threshold <= max(sizes) / 8.9
