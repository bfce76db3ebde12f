from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tbtui.charts.area_curves import draw_areas, restore_backgrounds, scale_to_eighths, shade_by_age
from tbtui.charts.axis import Axis
from tbtui.charts.cells import Cells, Ink, to_shade_inks
from tbtui.charts.chart_layout import PlotArea
from tests.helpers.shaded_cells import eighths, ranges

AXIS = Axis(0, 1)


def plot_of(width: int, height: int) -> PlotArea:
    return PlotArea(0, 0, width, height, AXIS, AXIS)


def drawn(*column: int) -> tuple[Cells, int]:
    """One cell from eight shades, the lowest first, and its ground."""
    cells = Cells.blank(1, 1)
    grounds = draw_areas(cells, np.array([column], np.int16), plot_of(1, 1), 3)
    return cells, int(grounds[0, 0])


@pytest.mark.parametrize(
    ("column", "glyph", "over", "under", "ground"),
    [
        ([5] * 8, " ", 5, 5, 5),
        ([5] * 3 + [0] * 5, "▃", 5, 0, 0),
        ([0] * 3 + [5] * 5, "▃", 0, 5, 5),
        ([2] + [3] * 7, "▁", 2, 3, 3),
        ([4] * 7 + [3], "▇", 4, 3, 4),
        ([0, 2, 3, 3, 3, 3, 3, 3], "▁", 0, 3, 3),  # one eighth a shade off is nearest
        ([5, 5, 5, 5, 4, 4, 0, 0], "▆", 5, 0, 5),  # the outline stays where it is
        ([3, 3, 3, 7, 3, 3, 3, 3], " ", 3, 3, 3),
    ],
)
def test_a_cell_shows_two_shades_and_the_height_between_them(
    column: list[int], glyph: str, over: int, under: int, ground: int
) -> None:
    cells, of_cell = drawn(*column)
    assert (cells.text(), int(cells.inks[0, 0]), of_cell) == (glyph, int(to_shade_inks(3, over, under)), ground)


def test_nothing_is_left_blank() -> None:
    cells, ground = drawn(*[0] * 8)
    assert (cells.text(), int(cells.inks[0, 0]), ground) == (" ", Ink.NONE, 0)


def test_areas_are_drawn_into_their_plot_from_below() -> None:
    cells = Cells.blank(4, 5)
    plot = PlotArea(1, 2, 2, 2, AXIS, AXIS)
    columns = np.zeros((2, 16), np.int16)
    columns[0, :10], columns[1, :2] = 4, 6
    grounds = draw_areas(cells, columns, plot, 0)
    assert cells.text() == "     \n  ▂  \n   ▂ \n     "
    assert [ranges(column) for column in eighths(cells, plot).T] == [[(0, 6), (4, 10)], [(0, 14), (6, 2)]]
    assert grounds.tolist() == [[0, 0], [4, 0]]


@given(arrays.arrays(np.int16, (4, 24), elements=st.integers(0, 7)))
def test_no_two_shades_come_nearer_to_a_cell(columns: np.ndarray[tuple[int, ...], np.dtype[np.int16]]) -> None:
    plot = plot_of(4, 3)
    cells = Cells.blank(3, 4)
    grounds = draw_areas(cells, columns, plot, 0)
    seen = eighths(cells, plot).T[:, ::-1]

    def wrong(these: np.ndarray[tuple[int, ...], np.dtype[np.int16]], column: int, row: int) -> int:
        wanted = columns[column, 8 * row : 8 * row + 8]
        return int(np.abs(np.where(these > 0, these, -2) - np.where(wanted > 0, wanted, -2)).sum())

    for column in range(4):
        for row in range(3):
            wanted = columns[column, 8 * row : 8 * row + 8]
            shown = wrong(seen[column, 8 * row : 8 * row + 8], column, row)
            best = min(
                wrong(np.array([low] * height + [high] * (8 - height)), column, row)
                for height in range(9)
                for low in set(wanted.tolist())
                for high in set(wanted.tolist())
            )
            assert shown == best
            assert grounds[2 - row, column] in wanted


def test_heights_are_where_lines_have_their_dots() -> None:
    assert scale_to_eighths(Axis(0, 1), [0.0, 0.5, 1.0], 5).tolist() == [1.0, 20.0, 39.0]
    assert np.isnan(scale_to_eighths(Axis(1, 10, "log"), [0.0, -1.0], 5)).all()


def test_text_over_an_area_keeps_the_background_with_contrast() -> None:
    cells = Cells.blank(1, 5)
    plot = plot_of(5, 1)
    grounds = draw_areas(cells, np.repeat(np.array([[2], [7], [0], [2], [2]], np.int16), 8, axis=1), plot, 3)
    cells.glyphs[0, :4] = ord("╎")
    cells.inks[0, :4] = Ink.ACCENT, Ink.ACCENT, Ink.ACCENT, Ink.BAD
    restore_backgrounds(cells, grounds, plot, 3)
    assert cells.inks[0].tolist() == [
        int(to_shade_inks(3, 7, 2)),
        int(to_shade_inks(3, 0, 7)),
        Ink.ACCENT,  # nothing behind it
        Ink.BAD,  # a warning has its own colour
        int(to_shade_inks(3, 2, 2)),  # nothing was written here
    ]


def test_shades_of_age_end_at_the_full_colour() -> None:
    assert shade_by_age(0, 2) == []
    assert shade_by_age(1, 2) == [7]
    assert shade_by_age(6, 2) == [2, 3, 4, 5, 6, 7]
    assert shade_by_age(3, 3) == [3, 5, 7]
