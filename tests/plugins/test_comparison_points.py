"""Points of a series in the table."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.comparison.comparison import Point, Points, find_last_point, find_point, find_points
from tests.helpers.views import series

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("figure", "best", "told"),
    [
        ("last", "min", Point(3.0, 40)),
        ("min", "max", Point(1.0, 20)),
        ("max", "min", Point(9.0, 30)),
        ("best", "min", Point(1.0, 20)),
        ("best", "max", Point(9.0, 30)),
    ],
)
def test_points_of_each_figure(figure: str, best: str, told: Point) -> None:
    assert find_point(series("t", (5, 1, 9, 3), steps=(10, 20, 30, 40)), figure, best) == told  # type: ignore[arg-type]


def test_points_superseded_are_no_extremes() -> None:
    made = series("t", (5, 0, 9, 4, 7, 6), steps=(0, 10, 20, 10, 15, 30))
    assert find_points(made) == Points(last=Point(6, 30), least=Point(4, 10), greatest=Point(7, 15))


@pytest.mark.parametrize(
    ("skip", "least", "last"),
    [(0, Point(1, 0), Point(3, 20)), (1, Point(2, 10), Point(3, 20)), (11, Point(3, 20), Point(3, 20))],
)
def test_points_skipped_steps_do_not_count(skip: int, least: Point, last: Point) -> None:
    made = series("t", (1, 2, 3), steps=(0, 10, 20))
    assert find_point(made, "min", "min", skip) == least
    assert find_point(made, "last", "min", skip) == last


def test_points_empty_series_has_none() -> None:
    assert find_last_point(series("t", (1, 2), steps=(0, 10)), 11) is None
    assert find_point(series("t", (1, 2), steps=(0, 10)), "max", "min", 11) is None
    assert find_points(series("t", ())) is None


def test_points_negative_steps_count_unless_skipped() -> None:
    made = series("t", (1, 2), steps=(-5, 5))
    assert find_point(made, "min", "min") == Point(1, -5)
    assert find_point(made, "min", "min", 1) == Point(2, 5)


def test_points_extremes_are_finite_and_last_may_be_anything() -> None:
    made = series("t", (NAN, 2, INF, 1, -INF))
    points = find_points(made)
    assert points is not None
    assert (points.least, points.greatest) == (Point(1, 3), Point(2, 1))
    assert points.last == Point(-INF, 4)


def test_points_without_finite_values_fall_back_to_the_last() -> None:
    told = find_point(series("t", (INF, NAN)), "best", "min")
    assert told is not None
    assert math.isnan(told.value)
    assert told.step == 1


@given(st.lists(st.floats(), min_size=1), st.integers(0, 60))
def test_points_extremes_equal_those_of_counted_values(values: list[float], skip: int) -> None:
    points = find_points(series("t", values), skip)
    counted = values[skip:]
    finite = [value for value in counted if math.isfinite(value)]
    assert (points is None) == (not counted)
    if points is not None:
        assert (points.least and points.least.value) == (min(finite) if finite else None)
        assert (points.greatest and points.greatest.value) == (max(finite) if finite else None)
        assert points.last.step == len(values) - 1
