"""Cells and tables as lines of pieces: what text and colours have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink, glyph_text
from tbtui.charts.columns import aligned
from tbtui.charts.text import cell_width, safe, shorten
from tbtui.cli.print.sheet import Column, Piece, Table
from tbtui.viewstate.run_names import told_apart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.cells import Cells

GAP = 2
"""Blank columns between those of a table."""

LEAST_NAME = 12
"""Columns of a name before columns of some worth are left out for it."""


def cell_rows(cells: Cells) -> Iterator[list[Piece]]:
    """A picture, row by row, each piece of one look."""
    for y in range(cells.height):
        inks = cells.inks[y].astype(np.int64)
        pairs = np.zeros_like(inks) if cells.colours is None else cells.colours[y]
        glyphs = cells.glyphs[y]
        # What is blank looks the same in any ink without a ground.
        inks = np.where((glyphs == 32) & (inks < 8192) & (pairs == 0) & (inks != Ink.CURSOR), np.int64(Ink.NONE), inks)
        begins = np.flatnonzero(np.append(True, (inks[1:] != inks[:-1]) | (pairs[1:] != pairs[:-1])))
        ends = np.append(begins[1:], cells.width)
        yield [
            Piece(glyph_text(glyphs[begin:end]), int(inks[begin]), int(pairs[begin]))
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        ]


def table_rows(table: Table, width: int) -> Iterator[list[Piece]]:
    """A table in at most `width` columns, as far as one name and one value have room there; its header first."""
    for number, part in enumerate(_parts(table, width)):
        if number:
            yield []
        room = _name_room(table, width) if table.broken else width - _others(part)
        texts = [_texts(part, index, room) for index in range(len(part.columns))]
        widths = [max(map(cell_width, column), default=0) for column in texts]
        for row in range(len(part.rows) + 1):
            pieces: list[Piece] = []
            for index, column in enumerate(part.columns):
                text, ink = texts[index][row], Ink.DIM if row == 0 else part.rows[row - 1][index].ink
                blanks = " " * (widths[index] - cell_width(text))
                pieces.append(Piece(text + blanks if column.align == "left" else blanks + text, int(ink)))
                pieces.append(Piece(" " * (GAP if column.title or index else 1)))
            yield pieces


def _texts(table: Table, index: int, room: int) -> Sequence[str]:
    """The title and the cells of a column, numbers with their points in line, names as long as there is room."""
    column = table.columns[index]
    cells = [row[index].text for row in table.rows]
    if index == table.names and table.indented:
        cells = [shorten(cell, max(room, LEAST_NAME)) for cell in cells]
    elif index == table.names:
        cells = list(told_apart(tuple(cells), max(room, LEAST_NAME))) if cells else []
    elif column.align == "number":
        cells = list(aligned(cells))
    return [safe(column.title), *cells]


def _column_width(table: Table, index: int) -> int:
    column = table.columns[index]
    cells = [row[index].text for row in table.rows]
    shown = aligned(cells) if column.align == "number" else [safe(cell) for cell in cells]
    return max([cell_width(safe(column.title)), *map(cell_width, shown)])


def _others(table: Table) -> int:
    """Columns of the paper that all but the names take, gaps included."""
    return sum(
        _column_width(table, index) + (GAP if column.title or index else 1)
        for index, column in enumerate(table.columns)
        if index != table.names
    )


def _parts(table: Table, width: int) -> Iterator[Table]:
    """The table as it has room: without some of its columns, or in several tables below one another."""
    name = _name_room(table, width)
    if name + _others(table) <= width and not table.broken:
        yield table
        return
    if table.broken:
        yield from _broken(table, width - name)
        return
    kept = list(range(len(table.columns)))
    while name + _others(_only(table, kept)) > width and (
        worthless := [index for index in kept if table.columns[index].worth]
    ):
        kept.remove(min(worthless, key=lambda index: (table.columns[index].worth, -index)))
    yield _only(table, kept)


def _name_room(table: Table, width: int) -> int:
    """Columns that names have where there is little room, the same in all parts of a table."""
    rest = width - _others(table)
    return min(_column_width(table, table.names), max(LEAST_NAME, width // 3, rest))


def _broken(table: Table, room: int) -> Iterator[Table]:
    first = [index for index in range(len(table.columns)) if index <= table.names]
    taken: list[int] = []
    used = 0
    for index in range(len(first), len(table.columns)):
        needed = _column_width(table, index) + GAP
        if taken and used + needed > room:
            yield _only(table, [*first, *taken])
            taken, used = [], 0
        taken.append(index)
        used += needed
    if taken:
        yield _only(table, [*first, *taken])


def _only(table: Table, kept: Sequence[int]) -> Table:
    columns: tuple[Column, ...] = tuple(table.columns[index] for index in kept)
    rows = tuple(tuple(row[index] for index in kept) for row in table.rows)
    return replace(table, columns=columns, rows=rows, names=list(kept).index(table.names))
