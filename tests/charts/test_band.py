from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.annotations import Band, draw_bands
from tbtui.charts.axis import Axis
from tbtui.charts.cells import Cells, Ink, to_faint_ink
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart, plot_area

NAN, INF = math.nan, math.inf
X = np.arange(40.0)


def drawn(*bands: Band, y_axis: Axis = Axis(0, 15), x_axis: Axis = Axis(0, 39), height: int = 4) -> Cells:  # noqa: B008
    cells = Cells.blank(height, 20)
    draw_bands(cells, bands, PlotArea(0, 0, 20, height, x_axis, y_axis))
    return cells


def flat(low: float, high: float, ink: int = 0) -> Band:
    return Band(X, np.full(40, low), np.full(40, high), ink)


@pytest.mark.parametrize(
    ("low", "high", "rows"),
    [
        (4, 11, " " * 20 + "⣿" * 40 + " " * 20),
        (5, 6, " " * 40 + "⠶" * 20 + " " * 20),
        (6, 6, " " * 40 + "⠒" * 20 + " " * 20),
        (-100, 100, "⣿" * 80),
        (-INF, 7, " " * 40 + "⣿" * 40),
        (12, INF, "⣿" * 20 + " " * 60),
        (20, 30, " " * 80),
        (-30, -20, " " * 80),
        (NAN, 7, " " * 80),
        (7, NAN, " " * 80),
        (11, 4, " " * 80),
    ],
)
def test_a_band_fills_what_lies_between_its_curves(low: float, high: float, rows: str) -> None:
    assert drawn(flat(low, high)).text().replace("\n", "") == rows


def test_a_band_is_drawn_in_the_faint_twin_of_its_ink() -> None:
    assert set(drawn(flat(4, 11, 3)).inks.ravel().tolist()) == {to_faint_ink(3), Ink.NONE}


def test_missing_values_are_a_gap() -> None:
    high = np.where((X >= 10) & (X < 20), NAN, 11.0)
    row = drawn(Band(X, np.full(40, 4.0), high, 0)).get_row_text(1)
    assert row == "⣿" * 5 + " " * 5 + "⣿" * 10


def test_what_a_log_axis_has_no_place_for_reaches_to_its_bottom() -> None:
    cells = drawn(flat(-1, 1), y_axis=Axis(0.01, 100, "log"))
    assert [row.strip() for row in cells.text().split("\n")] == ["", "", "⣿" * 20, "⣿" * 20]


def test_a_band_of_a_million_points_keeps_its_spikes() -> None:
    x = np.arange(1e6)
    high = np.full(1_000_000, 6.0)
    high[400_000] = 15
    cells = drawn(Band(x, np.full(1_000_000, 4.0), high, 0), x_axis=Axis(0, 1e6))
    assert [index for index, glyph in enumerate(cells.get_row_text(0)) if glyph != " "] == [8]


def test_where_bands_overlap_both_inks_are_seen() -> None:
    cells = drawn(flat(0, 11, 1), flat(4, 15, 2))
    assert set(cells.inks[0].tolist()) == {to_faint_ink(2)}
    assert set(cells.inks[3].tolist()) == {to_faint_ink(1)}
    for row in (1, 2):
        inks = cells.inks[row].tolist()
        assert inks.count(to_faint_ink(1)) == inks.count(to_faint_ink(2)) == 10
    assert (cells.inks[1] != cells.inks[2]).all()


def test_lines_lie_over_bands_and_marks_over_all() -> None:
    trace, band = Trace(X, np.full(40, 7.0), 1), flat(0, 15, 0)
    chart = LineChart((trace,), Axis(0, 39), Axis(0, 15), bands=(band,))
    cells, plot = draw_line_chart(chart, 30, 8), plot_area(chart, 30, 8)
    row = plot.row(7.0)
    assert row is not None
    assert set(cells.inks[row, plot.left : plot.left + plot.width].tolist()) == {1}
    others = np.delete(cells.inks[: plot.height, plot.left : plot.left + plot.width], row, axis=0)
    assert set(others.ravel().tolist()) == {to_faint_ink(0)}


VALUES = st.floats(-1e3, 1e3) | st.sampled_from([NAN, INF, -INF, 0.0, 1.7e308])


@given(st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=30), st.sampled_from(["linear", "log", "symlog"]))
def test_any_band_is_drawn(points: list[tuple[float, float, float]], scale: str) -> None:
    x, low, high = np.array(points, np.float64).reshape(-1, 3).T
    axis = Axis(0.1, 100, scale)  # type: ignore[arg-type]
    assert drawn(Band(x, low, high, 0), y_axis=axis, x_axis=axis).height == 4
