"""Which line a click means."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tbtui.charts.axis import Axis
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.hit_testing import find_nearest_line
from tbtui.charts.line_chart import Trace

PLOT = PlotArea(1, 5, 50, 20, Axis(0, 100), Axis(0, 100))
"""A cell is two steps wide and five values high."""


def line(values: tuple[float, ...], x: tuple[float, ...]) -> Trace:
    return Trace(np.array(x, np.float64), np.array(values, np.float64), 0)


FLAT, RISING = line((50, 50), (0, 100)), line((0, 100), (0, 100))


def cell(x: float, y: float) -> tuple[int, int]:
    column, row = PLOT.column(x), PLOT.row(y)
    assert column is not None
    assert row is not None
    return column, row


@pytest.mark.parametrize(
    ("x", "y", "index"),
    [
        pytest.param(10, 50, 0, id="on a line"),
        pytest.param(30, 30, 1, id="on another, far from its points"),
        pytest.param(10, 58, 0, id="near enough"),
        pytest.param(10, 75, None, id="too far"),
    ],
)
def test_the_nearest_line_within_reach(x: float, y: float, index: int | None) -> None:
    assert find_nearest_line((FLAT, RISING), PLOT, *cell(x, y)) == index


def test_of_lines_that_lie_on_each_other_the_last_drawn_is_met() -> None:
    assert find_nearest_line((RISING, FLAT, FLAT), PLOT, *cell(10, 50)) == 2


def test_a_point_alone_is_met_and_a_gap_is_not() -> None:
    gap = line((50, math.nan, 50), (0, 50, 100))
    assert find_nearest_line((gap,), PLOT, *cell(2, 50)) == 0
    assert find_nearest_line((gap,), PLOT, *cell(50, 50)) is None
    assert find_nearest_line((line((50,), (40,)),), PLOT, *cell(42, 45)) == 0


def test_beyond_the_end_of_a_line_there_is_nothing() -> None:
    assert find_nearest_line((line((50, 50), (0, 20)),), PLOT, *cell(60, 50)) is None


def test_a_line_that_went_back_is_met_where_it_is_drawn() -> None:
    back = line((50, 50, 10, 10), (0, 40, 20, 60))
    assert find_nearest_line((back,), PLOT, *cell(30, 50)) == 0
    assert find_nearest_line((back,), PLOT, *cell(50, 10)) == 0
    assert find_nearest_line((back,), PLOT, *cell(30, 30)) is None


@pytest.mark.parametrize("values", [(math.nan,), (math.inf, -math.inf), (1.7e308, -1.7e308), (5e-324, 0.0)])
def test_any_values(values: tuple[float, ...]) -> None:
    made = line(values, tuple(range(len(values))))
    log = PlotArea(0, 0, 50, 20, Axis(1, 100, "log"), Axis(1, 100, "log"))
    for area in (PLOT, log):
        for column, row in ((0, 0), (25, 10), (1000, -1000)):
            assert find_nearest_line((made,), area, column, row) in (0, None)


def test_among_very_many_points_only_those_nearby_are_looked_at() -> None:
    x = np.arange(1_000_000)
    made = Trace(x.astype(np.float64), np.sin(x), 0, ascending=True)
    area = PlotArea(0, 0, 100, 20, Axis(0, 1_000_000), Axis(-1, 1))
    assert find_nearest_line((made,), area, 50, 10) == 0
