"""Draws the parts of a table as cells."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, safe, shorten, write
from tbtui.viewstate.run_names import told_apart
from tbtui.widgets.line import pieces_width
from tbtui.widgets.row_list import Row, edge_glyph, row_pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tbtui.widgets.grid_source import Cell, Head
    from tbtui.widgets.grid_viewport import ColumnPlace
    from tbtui.widgets.line import Piece

HEADER_HEIGHT = 2
"""One line of groups above one line of titles."""

PENDING: Cell = (("…", Ink.FAINT),)
"""Shown at the right end of a column for a cell that is not computed yet."""

RULE = "─"


def wanted_width(rows: Sequence[Row]) -> int:
    """Return the terminal columns that the rows need without shortening."""
    return max(map(_row_width, rows), default=0)


def _row_width(row: Row) -> int:
    right = pieces_width(row.right)
    return pieces_width(row.lead) + cell_width(safe(row.label)) + (right + 1 if right else 0)


def fitted_rows(rows: Sequence[Row], width: int) -> tuple[Row, ...]:
    """Return the rows; if one is too long for `width`, the least distinctive parts of labels are left out."""
    if wanted_width(rows) <= width:
        return tuple(rows)
    rooms = tuple(max(width - _row_width(replace(row, label="")), 0) for row in rows)
    labels = told_apart(tuple(row.label for row in rows), max(rooms), rooms)
    return tuple(replace(row, label=label, faded=0) for row, label in zip(rows, labels, strict=True))


def draw_names(rows: Sequence[Row], width: int, cursor: int | None) -> Cells:
    """Draw the first column of the visible rows; the label of row `cursor` is bold."""
    cells = Cells.blank(len(rows), width)
    for y, row in enumerate(rows):
        _write_pieces(cells, y, row_pieces(replace(row, ink=Ink.BOLD, faded=0) if y == cursor else row, width))
    return cells


def draw_column(held: Mapping[str, Cell], rows: Sequence[Row], width: int) -> Cells:
    """Draw the cells of one column."""
    cells = Cells.blank(len(rows), width)
    for y, row in enumerate(rows):
        cell = held.get(row.key)
        if cell is None:
            write(cells, y, width - 1, *PENDING[0])
        else:
            _write_pieces(cells, y, cell)
    return cells


def draw_header(
    heads: Sequence[tuple[ColumnPlace, Head]], corner: str, names: int, width: int, cursor: int | None
) -> Cells:
    """Draw groups above titles.

    Args:
        heads: The visible columns.
        corner: Title of the first column.
        names: Width of the first column.
        width: Width of the header.
        cursor: Index of the column whose title is bold.
    """
    cells = Cells.blank(HEADER_HEIGHT, width)
    write(cells, 1, 0, fit(corner, names), Ink.DIM)
    for group, held in groupby(heads, key=lambda each: each[1].group):
        places = [place for place, _ in held]
        if group:
            _write_group(cells, group, places[0].x, places[-1].end)
    for place, head in heads:
        _write_title(cells, place, head, leads=place.index == cursor)
    return cells


def write_more(header: Cells, names: int, before: int, after: int) -> None:
    """Write the numbers of hidden columns: `‹ 3` above the first column, `24 ›` at the right end."""
    if before:
        text = f"‹ {before:,}"
        write(header, 0, max(names - len(text), 0), fit(text, max(names, 1)), Ink.ACCENT)
    if after:
        text = f" {after:,} ›"
        write(header, 0, header.width - len(text), text, Ink.ACCENT)


def draw_edge(height: int, count: int, first: int) -> Cells:
    """Draw the right edge, which shows the scroll position; blank if all rows are visible."""
    cells = Cells.blank(height, 1)
    if count > height:
        for y in range(height):
            write(cells, y, 0, edge_glyph(y, height, count, first), Ink.FAINT)
    return cells


def together(parts: Iterable[tuple[int, int, Cells]], height: int, width: int) -> Cells:
    """Return one picture of parts, each at (row, column) of its upper left corner; parts outside are cut off."""
    placed = tuple(parts)
    picture = Cells.blank(height, width, coloured=any(part.colours is not None for _, _, part in placed))
    for y, x, part in placed:
        picture.put(y, x, part)
    return picture


def _write_group(cells: Cells, group: str, x: int, end: int) -> None:
    after = write(cells, 0, x, fit(group, end - x), Ink.DIM)
    write(cells, 0, after + 1, RULE * (end - after - 1), Ink.FAINT)


def _write_title(cells: Cells, place: ColumnPlace, head: Head, *, leads: bool) -> None:
    sign = fit(f"{head.sign} " if head.sign else "", place.width)
    title = shorten(head.title, place.width - len(sign))
    x = place.end - cell_width(title) - len(sign) if head.at_right else place.x
    x = write(cells, 1, x, sign, Ink.ACCENT)
    write(cells, 1, x, title, Ink.BOLD if leads else Ink.DIM)


def _write_pieces(cells: Cells, y: int, pieces: Sequence[Piece]) -> None:
    x = 0
    for text, ink in pieces:
        x = write(cells, y, x, text, ink)
