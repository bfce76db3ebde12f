from __future__ import annotations

import numpy as np
import pytest

from tbtui.charts.canvas import Canvas, Pens
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.raster import rasterize_lines


def line(
    canvas: Canvas, across: list[float], down: list[float], ink: int, *, faint: bool = False, pattern: int = 0
) -> None:
    spans = rasterize_lines(np.array(across, np.float64), np.array(down, np.float64), 2 * canvas.width)
    canvas.draw_lines(spans, Pens(np.array([ink], np.int16), np.array([faint]), np.array([pattern])))


def drawn(width: int, height: int, *lines: tuple[list[float], list[float], int, bool]) -> Cells:
    canvas = Canvas(width, height)
    for across, down, ink, faint in lines:
        line(canvas, across, down, ink, faint=faint)
    cells = Cells.blank(height, width)
    canvas.blit(cells, 0, 0)
    return cells


@pytest.mark.parametrize(("row", "glyph"), [(0, "⠉"), (1, "⠒"), (2, "⠤"), (3, "⣀")])
def test_each_row_of_dots_has_its_glyph(row: int, glyph: str) -> None:
    assert drawn(3, 1, ([0, 5], [row, row], 0, False)).text() == glyph * 3


def test_each_column_of_dots_has_its_glyph() -> None:
    assert drawn(2, 1, ([0, 0], [0, 3], 0, False)).text() == "⡇ "
    assert drawn(2, 1, ([3, 3], [0, 3], 0, False)).text() == " ⢸"


@pytest.mark.parametrize(("row", "glyph"), [(0, "⠛"), (1, "⠶"), (2, "⣤"), (3, "⣤")])
@pytest.mark.parametrize("column", [0, 1])
def test_a_point_alone_is_four_dots_within_its_cell(column: int, row: int, glyph: str) -> None:
    assert drawn(2, 1, ([column], [row], 0, False)).text() == glyph + " "


def test_lines_of_one_brightness_merge_and_the_last_gives_its_ink() -> None:
    cells = drawn(2, 1, ([0, 3], [0, 0], 0, False), ([0, 1], [3, 3], 1, False))
    assert cells.text() == "⣉⠉"
    assert cells.inks.tolist() == [[1, 0]]


@pytest.mark.parametrize("faint_first", [True, False])
def test_a_bright_cell_shows_no_faint_dot(faint_first: bool) -> None:
    lines = [([0.0, 3.0], [0.0, 0.0], 4096, True), ([0.0, 1.0], [3.0, 3.0], 0, False)]
    cells = drawn(2, 1, *(lines if faint_first else lines[::-1]))
    assert cells.text() == "⣀⠉"
    assert cells.inks.tolist() == [[0, 4096]]


def test_cells_without_dots_are_left_alone() -> None:
    cells = Cells.blank(3, 4)
    cells.glyphs[:] = ord("x")
    canvas = Canvas(2, 1)
    line(canvas, [0, 1], [0, 0], 5)
    canvas.blit(cells, 1, 1)
    assert cells.text() == "xxxx\nx⠉xx\nxxxx"
    assert cells.inks[1].tolist() == [Ink.NONE, 5, Ink.NONE, Ink.NONE]


def test_dashes_pause() -> None:
    canvas, cells = Canvas(9, 1), Cells.blank(1, 9)
    line(canvas, [0, 17], [0, 0], 0, pattern=1)
    canvas.blit(cells, 0, 0)
    assert cells.text() == "⠉⠉⠉ ⠉⠉⠉ ⠉"
