"""What a chart says at a cursor and over a stretch, from arrays alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.axis import Axis
from tbtui.charts.chart_layout import PlotArea
from tbtui.plugins.scalars.cursor import by_worth, in_order, nearest, stops_in, stretch_of

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Best, RowOrder

NAN, INF = math.nan, math.inf
X = np.array([0.0, 10.0, 20.0, 40.0])


@pytest.mark.parametrize(
    ("at", "index"), [(-5, 0), (0, 0), (4.9, 0), (5, 0), (5.1, 1), (29, 2), (30, 2), (31, 3), (1e9, 3)]
)
def test_the_nearest_point_is_read(at: float, index: int) -> None:
    assert nearest(X, at) == index
    assert nearest(X[::-1], at, ascending=False) in (3 - index, 3 - min(index + 1, 3))


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20).map(sorted), st.floats(-1e9, 1e9))
def test_no_point_is_nearer_than_the_nearest(x: list[float], at: float) -> None:
    column = np.array(x)
    least = np.abs(column - at).min()
    assert abs(column[nearest(column, at)] - at) == least
    assert abs(column[nearest(column, at, ascending=False)] - at) == least


@pytest.mark.parametrize(("x", "index"), [([NAN, 3.0, 1.0], 2), ([NAN, NAN], 1), ([5.0, NAN], 0)])
def test_what_is_nowhere_is_near_nothing(x: list[float], index: int) -> None:
    assert nearest(np.array(x), 0.0, ascending=False) == index


def test_a_stretch() -> None:
    stretch = stretch_of(X, np.array([4.0, 3.0, NAN, 5.0]), (9.0, 45.0))
    assert (stretch.start, stretch.end, stretch.change, stretch.part) == (3, 5, 2, 2 / 3)
    assert (stretch.least, stretch.greatest, stretch.mean) == (3, 5, 4)


def test_a_stretch_without_a_point_has_ends_and_nothing_between() -> None:
    stretch = stretch_of(X, X, (21.0, 22.0))
    assert (stretch.start, stretch.end) == (20, 20)
    assert math.isnan(stretch.least)
    assert math.isnan(stretch.greatest)
    assert math.isnan(stretch.mean)


def test_a_change_has_the_sign_of_its_direction_and_none_from_zero() -> None:
    assert stretch_of(X, -X[::-1], (0.0, 40.0)).part == 1
    assert math.isnan(stretch_of(X, X, (0.0, 40.0)).part)


def test_a_stretch_of_a_clock_that_went_back_is_of_all_points_inside() -> None:
    stretch = stretch_of(np.array([5.0, 1.0, 3.0]), np.arange(3.0), (1.0, 3.0), ascending=False)
    assert (stretch.start, stretch.end, stretch.least, stretch.greatest) == (1, 2, 1, 2)


@pytest.mark.parametrize("count", [4, 49])
def test_the_largest_numbers_have_a_mean(count: int) -> None:
    values = np.full(count, np.finfo(np.float64).max)
    assert stretch_of(np.arange(float(count)), values, (0.0, 99.0)).mean == pytest.approx(values[0])


# Stops


def plot(low: float = 0.0, high: float = 100.0, width: int = 10, **kind: object) -> PlotArea:
    return PlotArea(0, 3, width, 5, Axis(low, high, **kind), Axis(0, 1))  # type: ignore[arg-type]


def test_the_cursor_stops_at_points_in_sight() -> None:
    assert stops_in([np.array([-5.0, 0.0, 50.0, 100.0, 105.0])], plot()).tolist() == [0, 50, 100]
    assert stops_in([np.array([NAN, INF, 50.0])], plot()).tolist() == [50]
    assert stops_in([], plot()).tolist() == []


def test_of_points_in_one_column_the_middle_one_is_a_stop() -> None:
    middle = plot().x_at(3)
    assert stops_in([np.array([middle - 2, middle + 1]), np.array([middle - 0.5])], plot()).tolist() == [middle - 0.5]


@given(
    st.lists(st.lists(st.floats(-20, 120), max_size=60), max_size=4),
    st.integers(1, 30),
    st.sampled_from(["linear", "log", "symlog"]),
)
def test_each_column_with_a_point_has_one_stop(lines: list[list[float]], width: int, scale: str) -> None:
    area = plot(1.0, 100.0, width, scale=scale)
    stops = stops_in([np.array(line) for line in lines], area)
    everything = {x for line in lines for x in line}
    assert set(stops.tolist()) <= everything
    assert stops.tolist() == sorted(stops.tolist())
    columns = [area.column(x) for x in stops.tolist()]
    assert set(columns) == {column for x in everything if (column := area.column(x)) is not None}
    assert len(set(columns)) == len(columns)


def test_very_many_points_have_as_many_stops_as_columns_the_first_and_the_last_among_them() -> None:
    stops = stops_in([np.linspace(0, 100, 100_000)], plot())
    assert len(stops) == 10
    assert (stops[0], stops[-1]) == (0, 100)
    inner = stops_in([np.linspace(-100, 200, 301), np.arange(3.0, 98.0)], plot())
    assert (inner[0], inner[-1]) == (0, 100)
    assert stops_in([np.array([0.0, 1.0, 2.0, 99.0])], plot()).tolist() == [0, 99]


# Orders


@pytest.mark.parametrize(
    ("order", "focus", "rows"),
    [
        ("runs", None, [0, 1, 2, 3, 4]),
        ("ascending", None, [4, 0, 2, 3, 1]),
        ("descending", None, [3, 0, 2, 4, 1]),
        ("nearest", 4, [4, 0, 2, 3, 1]),
        ("nearest", 0, [0, 2, 4, 3, 1]),
        ("nearest", None, [0, 1, 2, 3, 4]),
        ("nearest", 1, [0, 1, 2, 3, 4]),
    ],
)
def test_rows_are_ordered_and_nan_comes_last(order: RowOrder, focus: int | None, rows: list[int]) -> None:
    assert in_order([2.0, NAN, 2.0, 9.0, 1.0], order, focus) == rows


@pytest.mark.parametrize(
    ("values", "best", "first", "rows"),
    [
        ([1.0, 2.0, 3.0, 4.0, 5.0], "min", (), [0, 1, 4, 2, 3]),
        ([1.0, 2.0, 3.0, 4.0, 5.0], "max", (), [4, 3, 0, 2, 1]),
        ([1.0, 2.0, 3.0, 4.0, 5.0], "min", (2, None), [2, 0, 1, 4, 3]),
        ([NAN, 2.0, NAN, 1.0], "min", (None, 0), [0, 3, 1, 2]),
        ([7.0], "min", (), [0]),
        ([7.0, 8.0], "min", (), [0, 1]),
    ],
)
def test_what_matters_most_comes_first(
    values: list[float], best: Best, first: tuple[int | None, ...], rows: list[int]
) -> None:
    assert by_worth(values, best, first) == rows


@given(st.lists(st.floats(), max_size=20), st.sampled_from(["min", "max"]))
def test_all_matter_once(values: list[float], best: Best) -> None:
    assert sorted(by_worth(values, best)) == list(range(len(values)))
