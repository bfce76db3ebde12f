from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.x_values import compute_relative_x, compute_wall_x, step_origin, step_x, to_steps

INT64 = st.integers(-(2**63), 2**63 - 1)


def test_axis_steps_start_at_zero_while_floats_are_exact() -> None:
    columns = [np.array([-5, 3]), np.array([2**53]), np.array([], np.int64)]
    assert step_origin(columns) == 0
    assert step_x(columns[0]).tolist() == [-5.0, 3.0]
    assert step_origin([]) == 0


def test_axis_huge_steps_start_at_the_smallest() -> None:
    columns = [np.array([2**62 + 7, 2**62 + 8]), np.array([2**62 + 1])]
    origin = step_origin(columns)
    assert origin == 2**62 + 1
    assert step_x(columns[0], origin).tolist() == [6.0, 7.0]


@given(st.lists(INT64, min_size=1, max_size=10))
def test_axis_distances_are_exact_beyond_63_bits(steps: list[int]) -> None:
    column = np.array(steps, np.int64)
    origin = step_origin([column])
    assert step_x(column, origin).tolist() == [float(step - origin) for step in steps]


@given(st.lists(INT64, min_size=1, max_size=10))
def test_axis_positions_convert_back_to_steps(steps: list[int]) -> None:
    column = np.array(sorted(set(steps)), np.int64)
    origin = step_origin([column])
    found = to_steps(step_x(column, origin), origin).tolist()
    assert all(abs(now - step) <= abs(step - origin) // 2**51 for now, step in zip(found, column.tolist(), strict=True))


@pytest.mark.parametrize(
    ("wall_times", "relative"),
    [
        ([100.5, 101.0, 99.0], [0.0, 0.5, -1.5]),
        ([], []),
        ([np.nan, 5.0, 7.0], [np.nan, 0.0, 2.0]),
        ([np.inf, 5.0], [np.inf, 0.0]),
        ([np.nan, np.nan], [np.nan, np.nan]),
    ],
)
def test_axis_relative_time_starts_at_the_first_point(wall_times: list[float], relative: list[float]) -> None:
    np.testing.assert_array_equal(compute_relative_x(np.array(wall_times, np.float64)), relative)


def test_axis_wall_times_are_unchanged() -> None:
    wall_times = np.array([3.0, 4.0])
    assert compute_wall_x(wall_times) is wall_times
