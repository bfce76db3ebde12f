"""Statistics between mark and cursor, and the order of lines, from arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.scalars.readout import compute_range_statistics as stretch_or_none
from tbtui.plugins.scalars.readout import rank_by_importance

if TYPE_CHECKING:
    from tbtui.plugins.scalars.readout import Floats, RangeStatistics
    from tbtui.settings.settings import Best

NAN = math.nan
X = np.array([0.0, 10.0, 20.0, 40.0])


def stretch_of(x: Floats, shown: Floats, ends: tuple[float, float], *, ascending: bool = True) -> RangeStatistics:
    stretch = stretch_or_none(x, shown, ends, ascending=ascending)
    assert stretch is not None
    return stretch


def test_interval_statistics() -> None:
    stretch = stretch_of(X, np.array([4.0, 3.0, NAN, 5.0]), (9.0, 45.0))
    assert (stretch.start, stretch.end, stretch.change, stretch.part) == (3, 5, 2, 2 / 3)
    assert (stretch.minimum, stretch.maximum, stretch.mean) == (3, 5, 4)


def test_interval_without_points_has_ends_only() -> None:
    stretch = stretch_of(X, X, (21.0, 22.0))
    assert (stretch.start, stretch.end) == (20, 20)
    assert math.isnan(stretch.minimum)
    assert math.isnan(stretch.maximum)
    assert math.isnan(stretch.mean)


@pytest.mark.parametrize("x", [X, X[::-1]])
def test_interval_outside_a_line_is_none(x: Floats) -> None:
    ascending = bool(x[0] < x[-1])
    assert stretch_or_none(x, x, (40.5, 50.0), ascending=ascending) is None
    assert stretch_or_none(x, x, (-9.0, -1.0), ascending=ascending) is None
    assert stretch_of(x, x, (40.0, 50.0), ascending=ascending).start == 40
    assert stretch_of(x, x, (-9.0, 0.0), ascending=ascending).end == 0


def test_interval_relative_change_has_its_sign_and_none_from_zero() -> None:
    assert stretch_of(X, -X[::-1], (0.0, 40.0)).part == 1
    assert math.isnan(stretch_of(X, X, (0.0, 40.0)).part)


def test_interval_with_a_backward_clock_includes_all_inner_points() -> None:
    stretch = stretch_of(np.array([5.0, 1.0, 3.0]), np.arange(3.0), (1.0, 3.0), ascending=False)
    assert (stretch.start, stretch.end, stretch.minimum, stretch.maximum) == (1, 2, 1, 2)


@pytest.mark.parametrize("count", [4, 49])
def test_interval_mean_of_maximum_floats_is_finite(count: int) -> None:
    values = np.full(count, np.finfo(np.float64).max)
    assert stretch_of(np.arange(float(count)), values, (0.0, 99.0)).mean == pytest.approx(values[0])


# Orders


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
def test_ranking_starts_with_the_most_important_lines(
    values: list[float], best: Best, first: tuple[int | None, ...], rows: list[int]
) -> None:
    assert rank_by_importance(values, best, first) == rows


@given(st.lists(st.floats(), max_size=20), st.sampled_from(["min", "max"]))
def test_ranking_contains_each_line_once(values: list[float], best: Best) -> None:
    assert sorted(rank_by_importance(values, best)) == list(range(len(values)))
