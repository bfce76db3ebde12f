from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.area_curves import RidgeChart, RidgePicture, count_max_ridges, draw_ridges, shade_ridges
from tbtui.charts.axis import Axis
from tbtui.charts.cells import Ink
from tests.helpers.shaded_cells import eighths, ranges

if TYPE_CHECKING:
    import numpy.typing as npt

WIDTH, HEIGHT = 45, 22
"""A plot of 40 x 20: steps from row 8 on, ridges at most 9 rows high."""

EDGES = np.linspace(0, 40, 41)
MIDDLES = EDGES[:-1] + 0.5


def bump(middle: float, height: float) -> npt.NDArray[np.float64]:
    """Counts around a value."""
    return height * np.maximum(1 - np.abs(MIDDLES - middle) / 8, 0)


def ridges(*curves: npt.NDArray[np.float64], at: tuple[float, ...], **more: object) -> RidgeChart:
    axis = Axis(0, 400, kind="step")
    chart = RidgeChart(np.array(curves).reshape(-1, 40), np.array(at), EDGES, 0, Axis(0.25, 39.75), axis)
    return replace(chart, **more)  # type: ignore[arg-type]


def drawn(chart: RidgeChart, width: int = WIDTH, height: int = HEIGHT) -> RidgePicture:
    return draw_ridges(chart, width, height)


def down(picture: RidgePicture, column: int) -> list[tuple[int, int]]:
    """Shades down a column of the plot, and how many eighths of a row each goes on."""
    return ranges(eighths(picture.at(), picture.layout.plot)[:, column])


THREE = ridges(bump(20.5, 10), bump(20.5, 5), bump(20.5, 10), at=(0, 200, 400))


def test_values_stand_across_and_steps_go_down() -> None:
    plot = drawn(THREE).layout.plot
    assert (plot.width, plot.height, plot.head, plot.turned, plot.is_inverted) == (40, 20, 8, True, True)
    text = drawn(THREE).at().text().split("\n")
    assert [row for row, line in enumerate(text) if line.startswith("  0 ┤")] == [8]
    assert [row for row, line in enumerate(text) if line.startswith("400 ┤")] == [19]
    assert text[20].startswith("    └")
    assert text[21].split()[:2] == ["10", "20"]


def test_later_ridges_cover_earlier_ones_and_are_brighter() -> None:
    picture = drawn(THREE)
    assert down(picture, 20) == [(2, 72), (0, 4), (4, 12), (7, 72)]
    assert down(picture, 39) == [(0, 160)]


def test_each_ridge_stands_on_the_row_of_its_step() -> None:
    for step, row in ((0.0, 8), (200.0, 13), (400.0, 19)):
        picture = drawn(ridges(bump(20.5, 10), at=(step,)))
        grid = eighths(picture.at(), picture.layout.plot)
        filled = np.flatnonzero(grid[:, 20])
        assert (int(filled[0]), int(filled[-1])) == (8 * (row + 1) - 72, 8 * (row + 1) - 1)


def test_heights_are_parts_of_the_greatest_count_of_all() -> None:
    picture = drawn(ridges(bump(20.5, 10), at=(400,), max_count=20.0))
    assert down(picture, 20)[-1] == (7, 36)
    cut = drawn(ridges(bump(20.5, 10), at=(400,), max_count=5.0))
    assert down(cut, 20)[-1] == (7, 72)


def test_any_count_is_seen() -> None:
    counts = np.zeros(40)
    counts[5], counts[30] = 1, 1e6
    picture = drawn(ridges(counts, at=(400,)))
    grid = eighths(picture.at(), picture.layout.plot)
    assert np.count_nonzero(grid[:, 5]) == 1
    assert not grid[:, 10].any()
    assert not drawn(ridges(np.zeros(40), at=(400,))).at().text().strip("│┤└─┬ 0123456789\n")


def test_bins_wider_than_columns_are_joined_by_straight_lines() -> None:
    edges = np.linspace(0, 40, 5)
    picture = drawn(ridges(at=(400,), curves=np.array([[0.0, 10, 10, 0]]), edges=edges))
    heights = np.count_nonzero(eighths(picture.at(), picture.layout.plot), axis=0)
    assert heights[15:25].tolist() == [72] * 10
    assert np.diff(heights[5:15]) == pytest.approx(7.2, abs=1)
    assert heights[:4].tolist() == [0] * 4


def test_bins_narrower_than_columns_show_the_greatest() -> None:
    counts = np.full(4000, 1.0)
    counts[1234] = 9
    picture = drawn(ridges(at=(400,), curves=counts[None], edges=np.linspace(0, 40, 4001)))
    heights = np.count_nonzero(eighths(picture.at(), picture.layout.plot), axis=0)
    assert np.flatnonzero(heights == 72).tolist() == [12]
    assert set(np.delete(heights, 12).tolist()) == {8}


def test_a_histogram_of_one_value_is_a_column() -> None:
    picture = drawn(ridges(at=(400,), curves=np.array([[7.0]]), edges=np.array([20.1, 20.2])))
    assert np.flatnonzero(eighths(picture.at(), picture.layout.plot).any(axis=0)).tolist() == [20]


def test_what_lies_beyond_the_axes_is_not_drawn() -> None:
    zoomed = replace(THREE, step_axis=Axis(150, 250, kind="step"), value_axis=Axis(30, 60))
    picture = drawn(zoomed)
    assert {int(shown) for shown in np.unique(eighths(picture.at(), picture.layout.plot))} <= {0, 7}
    assert picture.nearest(0) == picture.nearest(1000) == 1
    away = drawn(replace(THREE, step_axis=Axis(1000, 2000, kind="step")))
    assert away.nearest(1500) is None
    assert away.at(1500.0).text() == away.at().text()


def test_on_a_log_axis_of_values_what_has_no_place_is_left_out() -> None:
    picture = drawn(ridges(np.ones(40), at=(400,), edges=EDGES - 10, value_axis=Axis(0.1, 40, "log")))
    filled = np.flatnonzero(eighths(picture.at(), picture.layout.plot).any(axis=0))
    plot = picture.layout.plot
    assert (filled + plot.left).tolist() == list(range(plot.column(1) or 0, (plot.column(30) or 0) + 1))


def test_what_is_no_histogram_has_a_sign_at_its_step() -> None:
    picture = drawn(ridges(bump(20.5, 10), np.full(40, math.nan), bump(20.5, 10), at=(0, 200, 400)))
    text = picture.at().text().split("\n")
    assert [row for row, line in enumerate(text) if "✗" in line] == [13]
    assert [shown for shown, _ in down(picture, 20)] == [2, 0, 7]
    pointed = picture.at(200.0)
    assert pointed.get_row_text(13).startswith("200 ┼✗")


def test_no_two_neighbours_have_one_shade() -> None:
    for count in range(2, 60):
        shades = shade_ridges(count)
        assert len(shades) == count
        assert all(1 <= shown <= 7 for shown in shades)
        assert all(one != other for one, other in pairwise(shades))
        assert shades[-1] == max(shades) == 7
    assert shade_ridges(0) == []
    assert shade_ridges(1) == [7]
    assert shade_ridges(7) == [1, 2, 3, 4, 5, 6, 7]
    assert shade_ridges(10) == [1, 3, 2, 4, 3, 5, 4, 6, 5, 7]


@pytest.mark.parametrize(("height", "count"), [(1, 1), (5, 2), (10, 3), (22, 6), (38, 11)])
def test_how_many_are_told_apart(height: int, count: int) -> None:
    assert count_max_ridges(height) == count
    at = np.linspace(0, 400, count)
    rows = drawn(ridges(at=(0.0,)), height=height).layout.plot.rows(at)
    assert count == 1 or np.diff(rows).min() >= 1


def test_the_ridge_at_the_cursor_is_outlined_in_front_of_all() -> None:
    picture = drawn(THREE)
    cells, plot = picture.at(30.0, 210.0), picture.layout.plot
    outline = np.argwhere(cells.inks[plot.area] == Ink.ACCENT)
    assert set(outline[:, 1].tolist()) == set(range(40))
    assert outline[:, 0].min() == 0  # where the oldest has its peak
    assert outline[:, 0].max() == 8  # and its foot, over later ones
    marked = np.argwhere(cells.inks[plot.area] == Ink.TEXT)
    assert (marked[:, 0].min(), marked[:, 0].max()) == (9, 13)
    assert cells.get_row_text(8).startswith("  0 ┼")
    assert cells.get_row_text(13).startswith("200 ┼")
    assert cells.inks[8, 2] == Ink.ACCENT
    assert picture.at().text() == drawn(THREE).at().text()  # nothing stays of it


def test_the_cursor_stands_at_the_nearest_ridge_and_says_which() -> None:
    picture = drawn(THREE)
    assert picture.at(130.0).text() == picture.at(200.0).text()
    assert "200 ┼" in picture.at(130.0).text()
    assert "400 ┼" in picture.at(399.0).text()
    assert picture.at(math.nan).text() == picture.at().text()


def test_a_step_without_room_at_the_axis_is_told_in_the_plot() -> None:
    picture = drawn(replace(THREE, steps=np.array([0.0, 123456, 4e6]), step_axis=Axis(0, 4e6, kind="step")))
    assert picture.layout.plot.left == 4
    assert picture.at(123456.0).get_row_text(8).startswith("123456")
    narrow = drawn(THREE, 12, 9)
    assert narrow.layout.plot.left == 0
    assert any(line.startswith("200") for line in narrow.at(200.0).text().split("\n"))


COUNTS = st.floats(0, 1e6) | st.sampled_from([0.0, math.nan, math.inf, 1.7e308])
VALUES = st.floats(-1e3, 1e3) | st.sampled_from([1.7e308, -1.7e308])


@given(
    st.lists(VALUES, min_size=2, max_size=12).map(sorted),
    st.lists(st.floats(-10, 110), max_size=12).map(sorted),
    st.data(),
    st.sampled_from(["linear", "log", "symlog"]),
    st.integers(1, 40),
    st.integers(1, 25),
)
def test_any_ridges_are_drawn_at_any_size(
    edges: list[float], at: list[float], data: st.DataObject, scale: str, width: int, height: int
) -> None:
    counts = data.draw(st.lists(COUNTS, min_size=len(at) * (len(edges) - 1), max_size=len(at) * (len(edges) - 1)))
    axis = Axis(0.1, 100, scale)  # type: ignore[arg-type]
    curves = np.array(counts, np.float64).reshape(len(at), -1) if at else np.zeros((0, len(edges) - 1))
    chart = RidgeChart(curves, np.array(at, np.float64), np.array(edges), 0, axis, replace(axis, kind="step"))
    cells = draw_ridges(chart, width, height).at(50.0, 2.0)
    assert cells.glyphs.shape == cells.inks.shape == (height, width)
