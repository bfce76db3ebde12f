from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.annotations import ReferenceLine
from tbtui.charts.axis import Axis
from tbtui.charts.canvas import BRAILLE
from tbtui.charts.cells import Cells, Ink, to_shade_inks
from tbtui.charts.fan import BAND_SHADES, FanChart, FanPicture, draw_fan
from tbtui.charts.line_chart import RESTART_SIGN, Sign, Trace
from tests.helpers.shaded_cells import eighths, pairs, ranges

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

SPREAD = np.array([-8.0, -6, -4, -2, 0, 2, 4, 6, 8])
X_AXIS, Y_AXIS = Axis(0, 59, kind="step"), Axis(-10.5, 10.5)
"""With a plot of 30 x 21 cells a unit of y is 8 eighths less a little, and 0 is in the middle of the picture."""


def fan(x: Floats, curves: Floats, **more: object) -> FanChart:
    return replace(FanChart(x, curves, 0, X_AXIS, Y_AXIS), **more)  # type: ignore[arg-type]


def flat(steps: int = 60) -> FanChart:
    return fan(np.arange(float(steps)), np.tile(SPREAD, (steps, 1)))


def drawn(chart: FanChart, width: int = 35, height: int = 23) -> FanPicture:
    return draw_fan(chart, width, height)


def bands(picture: FanPicture, column: int) -> list[tuple[int, int]]:
    """Shades down a column of the plot, and how many eighths of a row each goes on."""
    return ranges(eighths(picture.at(), picture.layout.plot)[:, column])


def line(picture: FanPicture, cells: Cells | None = None) -> dict[int, list[int]]:
    """The rows of the plot that the median is in, by its columns."""
    plot = picture.layout.plot
    cells = picture.at() if cells is None else cells
    over, _ = pairs(cells)
    drawn = (over == 7) & (cells.glyphs > BRAILLE) & (cells.glyphs < BRAILLE + 256)
    drawn = drawn[plot.top : plot.top + plot.height, plot.left : plot.left + plot.width]
    return {int(column): np.flatnonzero(drawn[:, column]).tolist() for column in np.flatnonzero(drawn.any(axis=0))}


def test_bands_lie_within_each_other_and_darken_outward() -> None:
    picture = drawn(flat())
    assert tuple(sorted(BAND_SHADES)) == BAND_SHADES
    assert picture.layout.plot.height == 21
    column = bands(picture, 10)
    assert [shown for shown, _ in column] == [0, *BAND_SHADES, *BAND_SHADES[-2::-1], 0]
    lengths = [length for _, length in column]
    assert lengths == pytest.approx(lengths[::-1], abs=1)
    assert lengths[1:4] == pytest.approx([16] * 3, abs=2)  # two units are nearly 16 eighths
    assert lengths[4] == pytest.approx(32, abs=2)
    assert all(bands(picture, other) == column for other in range(30))


def test_the_median_is_a_line_in_the_full_colour_over_the_innermost_band() -> None:
    picture = drawn(flat())
    assert line(picture) == {column: [10] for column in range(30)}
    row = picture.layout.plot.left
    assert set(picture.at().get_row_text(10)[row:]) == {"⠤"}
    assert set(picture.at().inks[10, row:].tolist()) == {int(to_shade_inks(0, 7, BAND_SHADES[-1]))}


@pytest.mark.parametrize(("median", "glyph"), [(-0.4, "⣀"), (-0.2, "⠤"), (0.1, "⠒"), (0.4, "⠉")])
def test_the_median_is_a_line_of_dots(median: float, glyph: str) -> None:
    curves = np.tile(SPREAD, (60, 1))
    curves[:, 4] = median
    picture = drawn(fan(np.arange(60.0), curves))
    assert set(picture.at().get_row_text(10)[picture.layout.plot.left :]) == {glyph}


def test_where_steps_are_many_the_median_is_their_mean() -> None:
    curves = np.tile(SPREAD, (6000, 1))
    curves[::2, 4], curves[1::2, 4] = 1.6, -1.4
    picture = drawn(fan(np.linspace(0, 59, 6000), curves))
    assert set(picture.at().get_row_text(10)[picture.layout.plot.left :]) == {"⠒"}


def test_other_lines_lie_below_the_median_and_over_the_bands() -> None:
    x = np.arange(60.0)
    beside = Trace(x[:30], np.full(30, 5.0), 0)
    picture = drawn(replace(flat(), lines=(beside, replace(beside, x=x, y=np.zeros(60)))))
    rows = line(picture)
    row = picture.layout.plot.row(5.0)
    assert rows == {column: [row, 10] if column < 15 else [10] for column in range(30)}
    _, under = pairs(picture.at())
    assert under[row, picture.layout.plot.left] == BAND_SHADES[1]


NAMES = ("least", "b", "c", "d", "median", "f", "g", "h", "greatest")


def test_where_there_is_room_curves_have_their_names_at_their_ends() -> None:
    picture = draw_fan(replace(flat(), names=NAMES), 80, 23)
    cells, margin = picture.at(), 80 - picture.layout.margin
    told = {cells.get_row_text(y)[margin:].strip(): y for y in range(23) if cells.get_row_text(y)[margin:].strip()}
    assert list(told) == list(NAMES[::-1])
    assert told["median"] == picture.layout.plot.row(0)
    assert told["greatest"] == picture.layout.plot.row(8)
    assert cells.inks[told["median"], margin + 1] == 0
    assert cells.inks[told["greatest"], margin + 1] == Ink.DIM
    assert draw_fan(replace(flat(), names=NAMES), 50, 23).at().text() == draw_fan(flat(), 50, 23).at().text()


def test_a_constant_tensor_is_the_median_alone() -> None:
    picture = drawn(fan(np.arange(60.0), np.full((60, 9), 3.0)))
    assert not eighths(picture.at(), picture.layout.plot).any()
    assert len(line(picture)) == 30


def test_a_fan_thinner_than_a_row_is_seen() -> None:
    curves = np.tile(SPREAD * 0.03, (60, 1)) + 0.5  # half a unit high, across the edge of two rows
    picture = drawn(fan(np.arange(60.0), curves))
    assert eighths(picture.at(), picture.layout.plot).any(axis=0).all()
    assert len(line(picture)) == 30


def test_between_steps_the_fan_is_straight() -> None:
    curves = np.array([np.full(9, 0.0), SPREAD])
    picture = drawn(fan(np.array([0.0, 59.0]), curves))
    filled = np.count_nonzero(eighths(picture.at(), picture.layout.plot), axis=0)
    assert filled == pytest.approx(np.linspace(0, 16 * 8, 61)[1::2], abs=4)
    assert list(line(picture)) == list(range(30))


def test_where_steps_are_many_the_outermost_band_keeps_every_spike() -> None:
    x = np.linspace(0, 59, 6000)
    curves = np.tile(SPREAD / 4, (6000, 1))
    curves[1234, 8], curves[4321, 0] = 10, -10
    picture = drawn(fan(x, curves))
    grid = eighths(picture.at(), picture.layout.plot)
    up, down = int(x[1234] + 1) // 2, int(x[4321] + 1) // 2
    assert np.flatnonzero(grid[8]).tolist() == [up]
    assert np.flatnonzero(grid[8 * 20]).tolist() == [down]
    assert grid[8, up] == BAND_SHADES[0]


def test_where_steps_are_many_the_inner_curves_are_their_mean() -> None:
    x = np.linspace(0, 59, 6000)
    curves = np.tile(SPREAD, (6000, 1))
    curves[::2] /= 2
    picture, mean = drawn(fan(x, curves)), drawn(fan(x, np.tile(SPREAD * 0.75, (6000, 1))))
    inner = [length for shown, length in bands(picture, 15) if shown > BAND_SHADES[0]]
    assert inner == [length for shown, length in bands(mean, 15) if shown > BAND_SHADES[0]]
    assert sum(length for shown, length in bands(picture, 15) if shown) == pytest.approx(16 * 8, abs=4)


def test_a_slope_looks_the_same_whether_steps_are_many_or_few() -> None:
    x = np.linspace(0, 59, 5000)
    curves = SPREAD / 2 + (x[:, None] - 30) / 10
    few = np.linspace(0, 4999, 5).astype(int)
    one, other = drawn(fan(x, curves)), drawn(fan(x[few], curves[few]))
    assert np.abs(eighths(one.at(), one.layout.plot) - eighths(other.at(), other.layout.plot)).mean() < 0.02
    assert line(one) == line(other)


def test_a_steep_median_is_drawn_whole() -> None:
    x = np.arange(60.0)
    picture = drawn(fan(x, np.where(x < 30, -9.0, 9.0)[:, None] + SPREAD / 100))
    rows = line(picture)
    top, bottom = picture.layout.plot.row(9.0), picture.layout.plot.row(-9.0)
    assert top is not None
    assert bottom is not None
    assert {row for column in (14, 15) for row in rows[column]} == set(range(top, bottom + 1))


def test_steps_that_are_no_distribution_are_a_gap_with_a_sign() -> None:
    curves = np.tile(SPREAD, (60, 1))
    curves[20:40, 3] = math.nan
    picture = drawn(fan(np.arange(60.0), curves))
    grid = eighths(picture.at(), picture.layout.plot)
    assert np.flatnonzero(~grid.any(axis=0)).tolist() == list(range(10, 20))
    text = picture.at().text()
    assert text.count("✗") == 1
    row, left = picture.at().get_row_text(10), picture.layout.plot.left
    assert row.index("✗") == left + 10  # where it begins, at the height of the last median
    curves[20:40, 3] = math.inf
    assert drawn(fan(np.arange(60.0), curves)).at().text() == text


def test_steps_alone_between_gaps_have_a_column_each() -> None:
    curves = np.tile(SPREAD, (5, 1))
    curves[1::2] = math.nan
    picture = drawn(fan(np.array([0.0, 14, 28, 42, 58]), curves))
    grid = eighths(picture.at(), picture.layout.plot)
    assert np.flatnonzero(grid.any(axis=0)).tolist() == [0, 14, 29]


@pytest.mark.parametrize(("x", "columns"), [(30.0, [14, 15, 16]), (0.0, [0, 1]), (59.0, [28, 29]), (90.0, [])])
def test_a_single_step_is_a_small_column(x: float, columns: list[int]) -> None:
    picture = drawn(fan(np.array([x]), SPREAD[None]))
    grid = eighths(picture.at(), picture.layout.plot)
    assert np.flatnonzero(grid.any(axis=0)).tolist() == columns
    assert list(line(picture)) == columns


def test_on_a_log_axis_what_is_not_positive_reaches_to_the_lower_edge() -> None:
    curves = np.tile([-3.0, -1, 0, 0, 0, 0.1, 1, 10, 100], (60, 1))
    picture = drawn(fan(np.arange(60.0), curves, y_axis=Axis(0.01, 1000, "log")))
    assert [shown for shown, _ in bands(picture, 5)] == [0, *BAND_SHADES]
    assert line(picture) == {}  # the median is out of sight
    positive = drawn(fan(np.arange(60.0), np.abs(curves) + 1, y_axis=Axis(0.01, 1000, "log")))
    assert len(line(positive)) == positive.layout.plot.width


def test_beyond_the_axes_it_is_cut_off() -> None:
    picture = drawn(fan(np.arange(-100.0, 200), np.tile(SPREAD * 1e300, (300, 1))))
    assert {shown for shown, _ in bands(picture, 0)} == {BAND_SHADES[-1]}
    above = drawn(fan(np.arange(60.0), np.tile(SPREAD + 1000, (60, 1))))
    assert not eighths(above.at(), above.layout.plot).any()
    assert line(above) == {}


def test_without_steps_there_are_the_axes() -> None:
    picture = drawn(fan(np.zeros(0), np.zeros((0, 9))))
    assert picture.at().get_row_text(21).strip().startswith("└┬───")
    assert not eighths(picture.at(), picture.layout.plot).any()


def test_a_cursor_crosses_the_bands_and_leaves_the_median() -> None:
    picture = drawn(flat())
    cells, plot = picture.at(20.0, 40.0), picture.layout.plot
    for x in (20.0, 40.0):
        column = plot.column(x)
        assert column is not None
        glyphs = "".join(map(chr, cells.glyphs[: plot.height, column]))
        assert glyphs == "╎" * 10 + "⠤" + "╎" * 10
        over, under = (part[: plot.height, column] for part in pairs(cells))
        assert set(cells.inks[[0, plot.height - 1], column].tolist()) == {Ink.ACCENT}  # nothing is behind it there
        assert set(over[3:18].tolist()) == {7}
        behind = np.median(eighths(picture.at(), plot)[:, column - plot.left].reshape(-1, 8), axis=1)
        assert under[3:18] == pytest.approx(behind[3:18], abs=0.5)
    assert "20" in cells.get_row_text(22)
    assert "━━━" in cells.get_row_text(21)
    assert picture.at().text() == draw_fan(flat(), 35, 23).at().text()  # nothing stays of it


def test_the_cursor_stands_out_from_every_band() -> None:
    picture = drawn(flat())
    column = picture.layout.plot.column(20.0)
    over, under = (part[:, column] for part in pairs(picture.at(20.0)))
    assert np.abs(over - under)[under >= 0].min() >= 2


def test_signs_and_levels_lie_over_bands_without_a_hole() -> None:
    chart = replace(
        flat(), signs=(Sign(10, RESTART_SIGN, 0), Sign(50, "!", Ink.BAD, 5)), levels=(ReferenceLine(5, "goal"),)
    )
    picture = drawn(replace(chart, curves=chart.curves * 2))
    cells, plot = picture.at(), picture.layout.plot
    _, under = pairs(cells)
    row, column = plot.row(5), plot.column(50)
    assert row is not None
    text = cells.get_row_text(row)
    assert "goal" in text
    assert "⠤" in text or "⠒" in text or "⠉" in text or "⣀" in text
    shown = np.arange(plot.left, cells.width) != column
    assert (under[row, plot.left :][shown] > 0).all()
    assert cells.inks[row, column] == Ink.BAD
    assert RESTART_SIGN in cells.get_row_text(plot.height - 1)
    assert (under[plot.height - 1, plot.left :] > 0).all()


def test_curves_of_other_inks_have_other_shades() -> None:
    assert set(drawn(replace(flat(), ink=3)).at().inks[10].tolist()) >= {int(to_shade_inks(3, 7, BAND_SHADES[-1]))}


VALUES = st.floats(-1e3, 1e3) | st.sampled_from([math.nan, math.inf, -math.inf, 0.0, 1.7e308, -1.7e308])


@given(
    st.lists(st.tuples(VALUES, st.lists(VALUES, min_size=9, max_size=9).map(sorted)), max_size=30),
    st.sampled_from(["linear", "log", "symlog"]),
    st.integers(1, 40),
    st.integers(1, 25),
    st.none() | VALUES,
)
def test_any_fan_is_drawn_at_any_size(
    points: list[tuple[float, list[float]]], scale: str, width: int, height: int, cursor: float | None
) -> None:
    points.sort(key=lambda point: point[0])
    x, curves = np.array([at for at, _ in points]), np.array([each for _, each in points]).reshape(-1, 9)
    axis = Axis(0.1, 100, scale)  # type: ignore[arg-type]
    cells = draw_fan(FanChart(x, curves, 0, axis, axis, levels=(ReferenceLine(5, "five"),)), width, height).at(
        cursor, 50
    )
    assert cells.glyphs.shape == cells.inks.shape == (height, width)


def test_end_labels_at_one_place_are_sorted_greatest_first() -> None:
    names = tuple(f"q{index}" for index in range(9))
    chart = FanChart(np.arange(3.0), np.full((3, 9), 0.5), 0, Axis(0, 2, kind="step"), Axis(0, 1), names=names)
    rows = draw_fan(chart, 80, 20).at().text().split("\n")
    assert [row.split()[-1] for row in rows if row.rstrip()[-2:] in names] == list(names[::-1])
