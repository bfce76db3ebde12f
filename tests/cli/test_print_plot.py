"""Test the lines of printed charts, drawn as dots and as letters."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.charts.axis import Axis
from tbtui.charts.cells import Ink, to_faint_ink
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart, plot_area
from tbtui.report.charts import draw_lines


def area(width: int, height: int) -> PlotArea:
    return PlotArea(0, 0, width, height, Axis(0.0, 10.0), Axis(0.0, 10.0))


def line(*points: tuple[float, float], ink: int = 0, is_faint: bool = False) -> Trace:
    x, y = np.array(points, np.float64).reshape(-1, 2).T
    return Trace(x, y, ink, is_faint)


@pytest.mark.parametrize("size", [(10, 3), (80, 20), (190, 50), (1, 1), (2, 1)])
def test_draw_lines_in_dots_lights_the_dots_of_the_dashboard(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    for number in range(5):
        x = np.sort(rng.uniform(-2, 12, 300))
        y = rng.uniform(-5, 15, 300)
        y[rng.integers(0, 300, 20)] = np.nan
        trace = Trace(x, y, number)
        chart = LineChart((trace,), Axis(0.0, 10.0), Axis(0.0, 10.0))
        plot = plot_area(chart, *size)
        drawn = draw_line_chart(chart, *size).crop(*plot.area).glyphs.copy()
        drawn[(drawn < 0x2800) | (drawn > 0x28FF)] = 32  # NaN markers are above them
        mine = draw_lines([trace], plot).glyphs
        assert np.array_equal(mine[drawn != 32], drawn[drawn != 32])


def test_draw_lines_in_letters_alternates_in_shared_cells() -> None:
    both = line((0, 5), (10, 5), ink=3), line((0, 5), (10, 5), ink=4)
    cells = draw_lines(both, area(8, 3), "AB")
    assert cells.text().split("\n")[1] == "BABABABA"
    assert cells.inks[1].tolist() == [4, 3] * 4
    assert draw_lines(both, area(8, 3), "AB", take_turns=False).text().split("\n")[1] == "BBBBBBBB"


def test_draw_lines_puts_bright_lines_over_faint_ones() -> None:
    cells = draw_lines([line((0, 5), (10, 5), ink=3, is_faint=True), line((5, 5), (10, 5), ink=4)], area(8, 3))
    assert cells.inks[1].tolist() == [to_faint_ink(3)] * 4 + [4] * 4
    assert cells.inks[0].tolist() == [Ink.NONE] * 8


def test_draw_lines_without_values_is_blank() -> None:
    assert draw_lines([], area(5, 2)).text() == " " * 5 + "\n" + " " * 5
    assert draw_lines([line((0, np.nan))], area(5, 2), ["A"]).text().strip() == ""


def test_draw_lines_clips_values_far_outside_the_axes() -> None:
    huge = line((0, -1e300), (5, 1e300), (10, -1e300), (10, 5))
    for width in (1, 2, 30):
        cells = draw_lines([huge], area(width, 4))
        assert cells.glyphs.shape == (4, width)
        assert (cells.glyphs != ord(" ")).any()
