"""What plotext makes of dots and letters, against what they are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tbtui.charts.axis import Axis
from tbtui.charts.cells import Ink, faint
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart, plot_area
from tbtui.cli.print.plot import BRAILLE, plotted


def area(width: int, height: int) -> PlotArea:
    return PlotArea(0, 0, width, height, Axis(0.0, 10.0), Axis(0.0, 10.0))


def line(*points: tuple[float, float], ink: int = 0, is_faint: bool = False) -> Trace:
    x, y = np.array(points, np.float64).reshape(-1, 2).T
    return Trace(x, y, ink, is_faint)


@pytest.mark.parametrize("size", [(10, 3), (80, 20), (190, 50), (1, 1), (2, 1)])
def test_dots_are_those_of_the_dashboard(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    for number in range(5):
        x = np.sort(rng.uniform(-2, 12, 300))
        y = rng.uniform(-5, 15, 300)
        y[rng.integers(0, 300, 20)] = np.nan
        trace = Trace(x, y, number)
        chart = LineChart((trace,), Axis(0.0, 10.0), Axis(0.0, 10.0))
        plot = plot_area(chart, *size)
        drawn = draw_line_chart(chart, *size).part(*plot.area).glyphs.copy()
        drawn[(drawn < 0x2800) | (drawn > 0x28FF)] = 32  # signs of what is NaN stand over them
        mine = plotted([trace], [BRAILLE], plot).glyphs
        assert np.array_equal(mine[drawn != 32], drawn[drawn != 32])


def test_lines_that_share_cells_take_turns_in_letters() -> None:
    both = line((0, 5), (10, 5), ink=3), line((0, 5), (10, 5), ink=4)
    cells = plotted(both, "AB", area(8, 3))
    assert cells.text().split("\n")[1] == "BABABABA"
    assert cells.inks[1].tolist() == [4, 3] * 4
    assert plotted(both, "AB", area(8, 3), turns=False).text().split("\n")[1] == "BBBBBBBB"


def test_what_is_faint_lies_below_all_that_is_not() -> None:
    cells = plotted(
        [line((0, 5), (10, 5), ink=3, is_faint=True), line((5, 5), (10, 5), ink=4)], [BRAILLE] * 2, area(8, 3)
    )
    assert cells.inks[1].tolist() == [faint(3)] * 4 + [4] * 4
    assert cells.inks[0].tolist() == [Ink.NONE] * 8


def test_nothing_to_draw_is_blank() -> None:
    assert plotted([], [], area(5, 2)).text() == " " * 5 + "\n" + " " * 5
    assert plotted([line((0, np.nan))], ["A"], area(5, 2)).text().strip() == ""


def test_what_ends_plotext_does_not_end_this() -> None:
    """Lines far outside a canvas, and a canvas of one column, abort the process where plotext joins the points."""
    huge = line((0, -1e300), (5, 1e300), (10, -1e300), (10, 5))
    for width in (1, 2, 30):
        assert plotted([huge], [BRAILLE], area(width, 4)).glyphs.shape == (4, width)


def test_its_manual_is_not_made_and_nothing_of_that_stays() -> None:
    program = (
        "import sys\n"
        "from tbtui.cli.print.plot import _plotext\n"
        "made = _plotext()\n"
        "assert made is sys.modules['plotext'] and made.figure\n"
        "missing = ('plotext._doc.doc', 'plotext._tests.run', 'PIL', 'yt_dlp', 'ffpyplayer')\n"
        "assert not [name for name in missing if name in sys.modules]\n"
        "import PIL.Image\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
