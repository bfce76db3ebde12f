from __future__ import annotations

import math

import numpy as np
import pytest

from tbtui.charts.axis import Axis
from tbtui.charts.cells import Cells
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.line_chart import Sign, Trace, draw_signs, find_nonfinite_signs

NAN, INF = math.nan, math.inf
PLOT = PlotArea(0, 5, 20, 8, Axis(0, 10), Axis(-1, 4))
LOG_PLOT = PlotArea(0, 5, 20, 8, Axis(0, 10), Axis(0.1, 4, "log"))


def signs(y: list[float], plot: PlotArea = PLOT) -> list[Sign]:
    return find_nonfinite_signs([Trace(np.arange(float(len(y))), np.array(y, np.float64), 3)], plot)


@pytest.mark.parametrize(
    ("y", "found"),
    [
        ([1, 2, 3], []),
        ([], []),
        ([1, NAN, NAN, 2], [(1, "✗", 1)]),
        ([1, NAN, 2, NAN], [(1, "✗", 1), (3, "✗", 2)]),
        ([NAN, NAN, 2], [(0, "✗", 2)]),
        ([NAN, NAN], [(0, "✗", None)]),
        ([1, INF, 2, -INF, 3], [(1, "▲", 4), (3, "▼", None)]),
        ([1, NAN, INF, NAN], [(1, "✗", 1), (2, "▲", 4), (3, "✗", 1)]),
        ([1, 0, -5, 2], []),
        ([1] * 12 + [NAN], []),
    ],
)
def test_nonfinite_signs_begin_where_values_cannot_be_drawn(
    y: list[float], found: list[tuple[float, str, float | None]]
) -> None:
    assert signs(y) == [Sign(x, glyph, 3, height) for x, glyph, height in found]


def test_nonfinite_signs_log_axis_includes_values_not_above_zero() -> None:
    assert signs([1, 0, -5, 2, -INF], LOG_PLOT) == [Sign(1, "▼", 3), Sign(4, "▼", 3)]


def test_a_column_has_one_mark_of_a_kind() -> None:
    y = np.ones(10_000)
    y[::2] = NAN
    y[1::100] = INF
    found = find_nonfinite_signs([Trace(np.linspace(0, 10, 10_000), y, 0)], PLOT)
    assert len(found) <= 2 * (PLOT.width + 1)
    assert {mark.glyph for mark in found} == {"✗", "▲"}


def test_nonfinite_signs_several_traces_have_their_own() -> None:
    x = np.arange(4.0)
    traces = [
        Trace(x, np.array([1, 2, NAN, NAN]), 0),
        Trace(x, np.array([NAN, NAN, 3, 4]), 1),
        Trace(x[:0], x[:0], 2),
        Trace(x, np.full(4, NAN), 3),
    ]
    assert find_nonfinite_signs(traces, PLOT) == [Sign(2, "✗", 0, 2), Sign(0, "✗", 1, 3), Sign(0, "✗", 3)]


def test_no_trace_has_no_mark() -> None:
    assert find_nonfinite_signs([], PLOT) == []


def test_nonfinite_signs_log_x_axis_drops_points_at_zero() -> None:
    plot = PlotArea(0, 5, 20, 8, Axis(1, 10, "log"), Axis(-1, 4))
    y = np.array([NAN, 1, NAN, 2])
    assert find_nonfinite_signs([Trace(np.array([0.0, 1, 2, 3]), y, 0)], plot) == [Sign(2, "✗", 0, 1)]


def test_draw_signs_outside_the_axis_are_not_drawn() -> None:
    cells = Cells.blank(8, 30)
    draw_signs(cells, [Sign(-1, "a", 0, 1), Sign(11, "b", 0, 1), Sign(NAN, "c", 0), Sign(5, "★", 2, 99)], PLOT)
    assert cells.text().split() == ["★"]
    assert cells.get_row_text(0).strip() == "★"
