"""Where a cursor may stand, and which point of a line it reads."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.axis import Axis
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.hit_testing import find_cursor_stops, find_nearest_point

NAN, INF = math.nan, math.inf
X = np.array([0.0, 10.0, 20.0, 40.0])


@pytest.mark.parametrize(
    ("at", "index"), [(-5, 0), (0, 0), (4.9, 0), (5, 0), (5.1, 1), (29, 2), (30, 2), (31, 3), (1e9, 3)]
)
def test_the_nearest_point_is_read(at: float, index: int) -> None:
    assert find_nearest_point(X, at) == index
    assert find_nearest_point(X[::-1], at, ascending=False) in (3 - index, 3 - min(index + 1, 3))


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20).map(sorted), st.floats(-1e9, 1e9))
def test_no_point_is_nearer_than_the_nearest(x: list[float], at: float) -> None:
    column = np.array(x)
    least = np.abs(column - at).min()
    assert abs(column[find_nearest_point(column, at)] - at) == least
    assert abs(column[find_nearest_point(column, at, ascending=False)] - at) == least


@pytest.mark.parametrize(("x", "index"), [([NAN, 3.0, 1.0], 2), ([NAN, NAN], 1), ([5.0, NAN], 0)])
def test_what_is_nowhere_is_near_nothing(x: list[float], index: int) -> None:
    assert find_nearest_point(np.array(x), 0.0, ascending=False) == index


# Stops


def plot(low: float = 0.0, high: float = 100.0, width: int = 10, **kind: object) -> PlotArea:
    return PlotArea(0, 3, width, 5, Axis(low, high, **kind), Axis(0, 1))  # type: ignore[arg-type]


def test_the_cursor_stops_at_points_in_sight() -> None:
    assert find_cursor_stops([np.array([-5.0, 0.0, 50.0, 100.0, 105.0])], plot()).tolist() == [0, 50, 100]
    assert find_cursor_stops([np.array([NAN, INF, 50.0])], plot()).tolist() == [50]
    assert find_cursor_stops([], plot()).tolist() == []


def test_of_points_in_one_column_the_middle_one_is_a_stop() -> None:
    middle = plot().get_x(3)
    assert find_cursor_stops([np.array([middle - 2, middle + 1]), np.array([middle - 0.5])], plot()).tolist() == [
        middle - 0.5
    ]


@given(
    st.lists(st.lists(st.floats(-20, 120), max_size=60), max_size=4),
    st.integers(1, 30),
    st.sampled_from(["linear", "log", "symlog"]),
)
def test_each_column_with_a_point_has_one_stop(lines: list[list[float]], width: int, scale: str) -> None:
    area = plot(1.0, 100.0, width, scale=scale)
    stops = find_cursor_stops([np.array(line) for line in lines], area)
    everything = {x for line in lines for x in line}
    assert set(stops.tolist()) <= everything
    assert stops.tolist() == sorted(stops.tolist())
    columns = [area.column(x) for x in stops.tolist()]
    assert set(columns) == {column for x in everything if (column := area.column(x)) is not None}
    assert len(set(columns)) == len(columns)


def test_cursor_stops_many_points_are_one_per_column_with_both_ends() -> None:
    stops = find_cursor_stops([np.linspace(0, 100, 100_000)], plot())
    assert len(stops) == 10
    assert (stops[0], stops[-1]) == (0, 100)
    inner = find_cursor_stops([np.linspace(-100, 200, 301), np.arange(3.0, 98.0)], plot())
    assert (inner[0], inner[-1]) == (0, 100)
    assert find_cursor_stops([np.array([0.0, 1.0, 2.0, 99.0])], plot()).tolist() == [0, 99]


# Where steps stand down


def test_where_steps_stand_down_each_row_has_one_stop() -> None:
    turned = PlotArea(0, 3, 10, 5, Axis(-1, 1), Axis(0, 99, kind="step"), turned=True)
    stops = find_cursor_stops([np.arange(100.0)], turned)
    assert len(stops) == 5
    assert (stops[0], stops[-1]) == (0, 99)
    assert sorted(row for x in stops.tolist() if (row := turned.row(x)) is not None) == [0, 1, 2, 3, 4]


def test_a_picture_without_steps_has_no_stop() -> None:
    counts = PlotArea(0, 3, 10, 5, Axis(-1, 1), Axis(0, 99), turned=True)
    assert find_cursor_stops([np.arange(100.0)], counts).tolist() == []
