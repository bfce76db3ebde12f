"""Stops of the cursor: one for each value, also of several at one step."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.maths.stops import compute_value_stops, find_nearest_value, has_shared_positions


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


def test_value_stops_distinct_steps_are_the_steps() -> None:
    assert compute_value_stops(floats(0, 5, 7)).tolist() == [0, 5, 7]


@pytest.mark.parametrize("step", [0.0, -3.0, 1e6, 2.0**53, 1.7e9, -(2.0**60)])
def test_value_stops_equal_steps_strictly_ascend(step: float) -> None:
    stops = compute_value_stops(np.full(50, step))
    assert bool(np.all(np.diff(stops) > 0))


def test_value_stops_equal_steps_stay_before_the_next_step() -> None:
    stops = compute_value_stops(floats(0, *[7] * 1000, 8))
    assert stops[0] == 0
    assert stops[-1] == 8
    assert abs(stops[1:-1] - 7).max() < 1e-9


def test_value_stops_appended_value_keeps_earlier_stops() -> None:
    assert compute_value_stops(floats(7, 7, 7))[:2].tolist() == compute_value_stops(floats(7, 7)).tolist()


def test_value_stops_beyond_exact_integers_strictly_ascend() -> None:
    first = 2.0**53
    stops = compute_value_stops(floats(first, first, first, first + 2, first + 4))
    assert bool(np.all(np.diff(stops) > 0))


def test_nearest_value_of_each_stop_is_its_value() -> None:
    x = floats(0, 3, 3, 3, 9, 9)
    stops = compute_value_stops(x)
    assert [find_nearest_value(x, stops, at) for at in stops] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("at", "index"), [(3.0, 3), (2.5, 3), (3.5, 3), (6.0, 3), (7.0, 5), (-1.0, 0), (1.0, 0)])
def test_nearest_value_cursor_of_another_chart_selects_the_last(at: float, index: int) -> None:
    x = floats(0, 3, 3, 3, 9, 9)
    assert find_nearest_value(x, compute_value_stops(x), at) == index


def test_nearest_value_number_beyond_the_shorter_series_selects_its_last() -> None:
    longer, shorter = floats(0, 0, 0, 0, 0), floats(0, 0)
    cursor = compute_value_stops(longer)
    found = [find_nearest_value(shorter, compute_value_stops(shorter), at) for at in cursor]
    assert found == [0, 1, 1, 1, 1]


def test_share_a_position_distinct_steps_false() -> None:
    assert not has_shared_positions(compute_value_stops(floats(0, 1, 2)))


def test_share_a_position_equal_steps_true() -> None:
    assert has_shared_positions(compute_value_stops(floats(0, 0, 2)))
