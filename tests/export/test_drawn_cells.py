"""Test that cells become shapes at the same position and in the same colour."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.cells import Cells, Ink, colour_pairs, to_faint_ink, to_heat_inks, to_shade_inks
from tbtui.charts.ink_colours import DARK_THEME_COLOURS, PAPER_THEME_COLOURS, InkTheme
from tbtui.charts.series_colours import DARK_PALETTE, LIGHT_PALETTE
from tbtui.charts.text import cell_width, safe, write
from tbtui.export.drawing.cell_shapes import draw_cells, join_dots
from tbtui.export.drawing.shapes import CELL_HEIGHT, CELL_WIDTH, Boxes, Fill, Stroke, TextLine

COLOURS = InkTheme(PAPER_THEME_COLOURS)


def cells_of(*rows: str, ink: int = Ink.TEXT) -> Cells:
    cells = Cells.blank(len(rows), max(map(cell_width, rows)))
    for y, row in enumerate(rows):
        write(cells, y, 0, row, ink)
    return cells


def lines_of(points: np.ndarray) -> list[list[tuple[float, float]]]:
    parts = np.split(points, np.flatnonzero(np.isnan(points[:, 0])))
    return [[tuple(p) for p in part.tolist() if p[0] == p[0]] for part in parts if len(part[~np.isnan(part[:, 0])])]


def dots_of(*rows: str) -> np.ndarray:
    return np.array([[sign == "#" for sign in row] for row in rows])


def test_cells_words_stay_text_in_their_columns() -> None:
    shapes = draw_cells(cells_of("ab cd   漢字 x"), COLOURS)
    assert [(s.left / CELL_WIDTH, s.columns, s.text) for s in shapes if isinstance(s, TextLine)] == [
        (0, 5, "ab cd"),
        (8, 6, "漢字 x"),
    ]


def test_cells_style_ends_where_the_next_begins() -> None:
    cells = Cells.blank(1, 6)
    write(cells, 0, 0, "abc", Ink.TEXT)
    write(cells, 0, 3, "def", Ink.BOLD)
    assert [(s.text, s.bold) for s in draw_cells(cells, COLOURS) if isinstance(s, TextLine)] == [
        ("abc", False),
        ("def", True),
    ]


def test_cells_adjacent_dots_are_joined() -> None:
    assert lines_of(join_dots(dots_of("###", "...", "#.."))) == [[(0, 0), (2, 0)], [(0, 2)]]
    assert lines_of(join_dots(dots_of("#", "#", ".", "#"))) == [[(0, 0), (0, 1)], [(0, 3)]]
    assert lines_of(join_dots(dots_of("#.", ".#"))) == [[(0, 0), (1, 1)]]
    assert lines_of(join_dots(dots_of(".#", "#."))) == [[(0, 1), (1, 0)]]
    assert len(join_dots(dots_of("..", ".."))) == 0


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=6))
def test_cells_every_dot_and_no_other_is_drawn(rows: list[list[bool]]) -> None:
    dots = np.array(rows)
    touched = set()
    for line in lines_of(join_dots(dots)):
        (x, y), (u, v) = line[0], line[-1]
        steps = int(max(abs(u - x), abs(v - y)))
        touched |= {
            (round(y + (v - y) * n / max(steps, 1)), round(x + (u - x) * n / max(steps, 1))) for n in range(steps + 1)
        }
    assert touched == {(int(y), int(x)) for y, x in np.argwhere(dots)}


def test_cells_dots_keep_their_position_in_the_cell() -> None:
    (stroke,) = draw_cells(cells_of(" ⠈", ink=2), COLOURS)
    assert isinstance(stroke, Stroke)
    assert stroke.points.tolist() == [[CELL_WIDTH * 1.75, CELL_HEIGHT / 8]]
    assert stroke.colour == LIGHT_PALETTE[2]


def test_cells_adjacent_areas_are_merged() -> None:
    cells = Cells.blank(2, 4)
    cells.glyphs[:, :3], cells.inks[:, :3] = ord("▀"), to_heat_inks(47, 1)
    ground, upper = draw_cells(cells, COLOURS)
    assert isinstance(ground, Boxes)
    assert isinstance(upper, Boxes)
    assert ground.rows.tolist() == [[0, 0, 24, 18], [0, 18, 24, 18]]
    assert upper.rows.tolist() == [[0, 0, 24, 9], [0, 18, 24, 9]]
    assert ground.colour != upper.colour


def test_cells_frames_are_lines_between_corners() -> None:
    shapes = draw_cells(cells_of("╭──╮", "│  │", "╰──╯", ink=Ink.FAINT), COLOURS)
    strokes = [shape for shape in shapes if isinstance(shape, Stroke)]
    assert len(strokes) == len(shapes)
    straight = [line for stroke in strokes[:2] for line in lines_of(stroke.points)]
    assert len(straight) == 4  # each side is one line, independent of its corner glyphs
    assert len({stroke.colour for stroke in strokes}) == 1


@pytest.mark.parametrize("glyph", list("✗▲▼▴▾★●◆■○◇□△↻"))
def test_cells_symbols_stay_within_their_cell(glyph: str) -> None:
    (shape,) = draw_cells(cells_of(f" {glyph}", ink=Ink.WARN), COLOURS)
    assert isinstance(shape, Stroke | Fill)
    assert shape.colour == PAPER_THEME_COLOURS.warn
    assert np.nanmin(shape.points[:, 0]) >= CELL_WIDTH - 1
    assert np.nanmax(shape.points[:, 0]) <= 2 * CELL_WIDTH + 1
    assert np.nanmin(shape.points[:, 1]) >= 0
    assert np.nanmax(shape.points[:, 1]) <= CELL_HEIGHT


@given(st.text(max_size=20))
def test_cells_no_glyph_is_lost(text: str) -> None:
    cells = Cells.blank(1, 50)
    write(cells, 0, 0, text, Ink.TEXT)
    shapes = draw_cells(cells, COLOURS)
    words = "".join(shape.text for shape in shapes if isinstance(shape, TextLine))
    for char in safe(text):
        drawn = char in " \u2800" or any(not isinstance(shape, TextLine) for shape in shapes)
        assert char in words or drawn


def test_cells_colours_are_those_of_the_theme() -> None:
    dark = InkTheme(DARK_THEME_COLOURS)
    assert dark.of(1).colour == DARK_PALETTE[1]
    assert dark.of(to_faint_ink(1)).colour not in (DARK_PALETTE[1], DARK_THEME_COLOURS.background)
    assert dark.of(Ink.CURSOR).ground == DARK_THEME_COLOURS.accent
    assert dark.of(int(to_shade_inks(1, 7, 0))) == dark.of(1)
    assert dark.of(int(to_heat_inks(3, 0))).ground is None
    assert dark.of(int(to_heat_inks(3, 4))).ground == dark.of(int(to_heat_inks(4, 0))).colour
    assert dark.of(0, int(colour_pairs(0x123456, 0xABCDEF))).ground == "#abcdef"
    assert dark.of(0, int(colour_pairs(0x123456, 0xABCDEF))).colour == "#123456"
