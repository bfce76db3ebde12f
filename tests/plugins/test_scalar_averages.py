"""Averages of lines against a computation point by point."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.scalars.averages import MAX_AVERAGE_POINTS, average, join_x, sort_points

if TYPE_CHECKING:
    from tbtui.settings.settings import Spread

Points: TypeAlias = "list[tuple[float, float]]"

NAN, INF = math.nan, math.inf

points = st.lists(
    st.tuples(st.integers(-20, 20).map(float), st.floats(-1e6, 1e6) | st.sampled_from([NAN, INF, -INF])),
    min_size=1,
    max_size=12,
    unique_by=lambda point: point[0],
).map(sorted)


def columns(line: Points) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.array(line).T
    return x, y


def at(line: Points, x: float) -> float:
    """The value of a line by linear interpolation inside its span; NaN where it has none."""
    for (x0, y0), (x1, y1) in zip(line, [*line[1:], line[-1]], strict=True):
        if x0 == x:
            return y0
        if x0 < x < x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return NAN


def by_hand(lines: list[Points], x: float, spread: Spread) -> tuple[float, float, float]:
    present = [value for value in (at(line, x) for line in lines) if math.isfinite(value)]
    if not present:
        return NAN, NAN, NAN
    mean = statistics.fmean(present)
    if spread == "minmax":
        return mean, min(present), max(present)
    deviation = statistics.pstdev(present)
    return mean, mean - deviation, mean + deviation


@pytest.mark.parametrize("spread", ["std", "minmax"])
@given(lines=st.lists(points, min_size=1, max_size=5))
def test_average_equals_a_loop_over_points(lines: list[Points], spread: Spread) -> None:
    x = join_x([columns(line)[0] for line in lines])
    assert x.tolist() == sorted({point[0] for line in lines for point in line})
    found = average([columns(line) for line in lines], x, spread)
    expected = np.array([by_hand(lines, place, spread) for place in x.tolist()])
    np.testing.assert_allclose(np.array([found.mean, found.low, found.high]).T, expected, rtol=1e-6, atol=1e-3)


def test_average_lines_count_only_within_their_range() -> None:
    long, short = (np.arange(4.0), np.full(4, 1.0)), (np.array([1.0, 2.0]), np.array([3.0, 3.0]))
    found = average([long, short], np.arange(4.0), "minmax")
    assert found.mean.tolist() == [1, 2, 2, 1]
    assert found.high.tolist() == [1, 3, 3, 1]


def test_average_of_one_line_is_bit_identical() -> None:
    y = np.array([0.1, NAN, 1 / 3, 1e300])
    found = average([(np.arange(4.0), y)], np.arange(4.0), "std")
    np.testing.assert_array_equal(found.mean, y)
    np.testing.assert_array_equal(found.low, y)


def test_average_ignores_nan_of_single_lines() -> None:
    x = np.arange(3.0)
    found = average([(x, np.array([1.0, NAN, INF])), (x, np.array([3.0, 3.0, 3.0]))], x, "std")
    assert found.mean.tolist() == [2, 3, 3]


@given(st.lists(st.lists(st.floats(), min_size=3, max_size=3), min_size=1, max_size=4))
def test_average_of_any_floats_is_within_them(rows: list[list[float]]) -> None:
    x = np.arange(3.0)
    found = average([(x, np.array(row)) for row in rows], x, "std")
    for place in range(3):
        present = [row[place] for row in rows if math.isfinite(row[place])]
        if present:
            slack = 1e-9 * max(map(abs, present))
            assert min(present) - slack <= found.mean[place] <= max(present) + slack
            assert found.low[place] <= found.mean[place] <= found.high[place]
        else:
            assert math.isnan(found.mean[place])


def test_average_with_few_shared_x_uses_evenly_many_places() -> None:
    lines = [np.arange(MAX_AVERAGE_POINTS) + index / 7 for index in range(7)]
    x = join_x(lines)
    assert MAX_AVERAGE_POINTS / 2 < len(x) <= MAX_AVERAGE_POINTS + 1
    assert (x[0], x[-1]) == (0.0, lines[-1][-1])
    assert np.diff(x).max() < 3


def test_average_with_many_shared_x_uses_all_of_them() -> None:
    first, second = np.arange(MAX_AVERAGE_POINTS * 2.0), np.arange(MAX_AVERAGE_POINTS * 2.0)
    second[5] = 5.5
    assert len(join_x([first, second, first[:100]])) == len(first) + 1


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([0, 1, 2], [5, 6, 7], ([0, 1, 2], [5, 6, 7])),
        ([0, 2, 1], [5, 6, 7], ([0, 1, 2], [5, 7, 6])),
        ([0, 1, 1], [5, 6, 7], ([0, 1], [5, 7])),
        ([NAN, 1, INF], [5, 6, 7], ([1], [6])),
        ([NAN], [5], ([], [])),
    ],
)
def test_average_aligned_points(x: list[float], y: list[float], expected: tuple[list[float], list[float]]) -> None:
    found = sort_points(np.array(x, np.float64), np.array(y, np.float64))
    assert tuple(column.tolist() for column in found) == expected
