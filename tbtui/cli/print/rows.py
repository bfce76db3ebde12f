"""Cells and tables as lines of pieces: what text and colours have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink, glyph_text
from tbtui.charts.columns import aligned
from tbtui.charts.text import cell_width, safe, shorten
from tbtui.cli.print.sheet import Piece, Table
from tbtui.viewstate.run_names import told_apart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.cells import Cells

GAP = 2
"""Blank columns between those of a table."""

LEAST_NAME = 12
"""Columns of a name before columns of some worth are left out for it, or are put below."""

TIGHTEST_NAME = 6
"""Columns of a name before what stands beside it is cut."""


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
    """A table in at most `width` columns: its header, its rows, and where it is broken a blank line and so on."""
    most = max(width - _lead(table) - TIGHTEST_NAME - GAP, 1)
    texts = [_texts(table, index, most) for index in range(len(table.columns))]
    widths = [max(map(cell_width, column)) for column in texts]
    room, parts = _layout(table, widths, width)
    texts[table.names] = _names(table, room)
    widths[table.names] = max(map(cell_width, texts[table.names]))
    for number, part in enumerate(parts):
        if number:
            yield []
        for row in range(len(table.rows) + 1):
            pieces: list[Piece] = []
            for index in part:
                text, ink = texts[index][row], Ink.DIM if row == 0 else table.rows[row - 1][index].ink
                blanks = " " * (widths[index] - cell_width(text))
                pieces.append(Piece(text + blanks if table.columns[index].align == "left" else blanks + text, int(ink)))
                pieces.append(Piece(" " * _gap(table, index)))
            yield pieces


def _texts(table: Table, index: int, most: int) -> list[str]:
    """The title and the cells of a column, numbers with their points in line; none but a name wider than `most`."""
    column = table.columns[index]
    cells = [row[index].text for row in table.rows]
    if index == table.names:
        return [safe(column.title), *map(safe, cells)]
    if column.align == "number":
        in_line = aligned(cells)
        cells = list(in_line) if all(cell_width(cell) <= most for cell in in_line) else cells
    return [shorten(text, most) for text in (column.title, *cells)]


def _names(table: Table, room: int) -> list[str]:
    """The title and the cells of the column of names, in as many columns as they have."""
    cells = tuple(row[table.names].text for row in table.rows)
    shown = [shorten(cell, room) for cell in cells] if table.verbatim else told_apart(cells, room) if cells else ()
    return [shorten(table.columns[table.names].title, room), *shown]


def _gap(table: Table, index: int) -> int:
    """Blank columns behind one."""
    return GAP if table.columns[index].title or index else 1


def _lead(table: Table) -> int:
    """Columns of the paper before those of the names; what stands there is one sign wide."""
    return sum(1 + _gap(table, index) for index in range(table.names))


def _layout(table: Table, widths: Sequence[int], width: int) -> tuple[int, list[list[int]]]:
    """Columns of the paper that names have, and which columns of the table stand beside each other.

    Args:
        table: What is laid out.
        widths: Of each column where nothing is cut.
        width: Columns of the paper.
    """
    first, others = [*range(table.names + 1)], [*range(table.names + 1, len(widths))]
    full, room = widths[table.names], width - _lead(table)
    least = min(full, max(LEAST_NAME, width // 3))

    def beside(kept: Sequence[int]) -> int:
        return sum(GAP + widths[index] for index in kept)

    if full + beside(others) <= room:
        return full, [first + others]
    if table.broken and others:
        # Names have what is left where a wide column stands alone, and no more than lets as many stand together.
        most = max(min(full, room - GAP - max(widths[index] for index in others)), 1)
        fewest = len(_broken(others, widths, room - min(least, most)))
        name = next(name for name in range(most, 0, -1) if len(_broken(others, widths, room - name)) <= fewest)
        return name, [first + part for part in _broken(others, widths, room - name)]
    while least + beside(others) > room and (worthless := [index for index in others if table.columns[index].worth]):
        others.remove(min(worthless, key=lambda index: (table.columns[index].worth, -index)))
    return max(min(full, room - beside(others)), 1), [first + others]


def _broken(columns: Sequence[int], widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns in rows of at most `room` columns of the paper, gaps before them included; more where one needs it."""
    parts: list[list[int]] = [[]]
    used = 0
    for index in columns:
        needed = GAP + widths[index]
        if parts[-1] and used + needed > room:
            parts.append([])
            used = 0
        parts[-1].append(index)
        used += needed
    return parts
