"""Lay out tables as lines: columns packed into a width, cells padded, names cut, lists wrapped.

Two layouts share these parts. `table_rows` cuts names and drops or continues columns (`tbtui print`); `stacked_rows`
loses nothing and continues a row on the next lines (`tbtui inspect`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.text import align_numbers, cell_width, pad, safe, shorten, split_at
from tbtui.report.blocks import Piece
from tbtui.view.run_names import fit_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.report.blocks import Table

BETWEEN = "  "
"""Blanks between columns."""

GAP = len(BETWEEN)

MIN_NAME = 12
"""Columns of a name before columns of some priority are dropped, or continue below."""

MIN_CUT_NAME = 6
"""Columns of a name before the cells beside it are cut."""

MIN_STACKED_NAME = 4
"""Columns of the first column before the others are stacked; longer names have lines of their own."""

MAX_NAME = 160
"""Columns of a name in a stacked table; longer names are cut, because they come from files and have no limit."""

REMARK_INDENT = "      "

_PART = re.compile(r"(?:[^,]|,(?! ))+(?:, +)?|, +")
"""Text up to the next comma before a blank."""

_WORD = re.compile(r" *[^ ]+ *| +")


def pad_cell(text: str, width: int, *, left: bool) -> str:
    """Return the text in `width` columns, at their left or right end."""
    blanks = " " * (width - cell_width(text))
    return text + blanks if left else blanks + text


def total_width(widths: Sequence[int]) -> int:
    """Return the columns that columns of a table take, with the gap before each."""
    return sum(GAP + width for width in widths)


def pack_columns(widths: Sequence[int], room: int) -> list[range]:
    """Split columns of a table into ranges that fit side by side; a column that is too wide has a range of its own.

    Args:
        widths: Width of each column.
        room: Columns of the output for one range, with the gap before each of its columns.
    """
    ranges = [range(0)]
    for at in range(len(widths)):
        start = ranges[-1].start
        if at > start and total_width(widths[start : at + 1]) > room:
            ranges.append(range(at, at))
        ranges[-1] = range(ranges[-1].start, at + 1)
    return ranges


# Tables whose names are cut and whose columns are dropped or continue below


def table_rows(table: Table, width: int) -> Iterator[list[Piece]]:
    """Yield the header and the rows of a table in at most `width` columns.

    Where the table continues below, a blank row separates its parts.
    """
    most = max(width - _lead(table) - MIN_CUT_NAME - GAP, 1)
    texts = [_texts(table, index, most) for index in range(len(table.columns))]
    widths = [max(map(cell_width, column)) for column in texts]
    room, parts = _layout(table, widths, width)
    texts[table.name_column] = _names(table, room)
    widths[table.name_column] = max(map(cell_width, texts[table.name_column]))
    for number, part in enumerate(parts):
        if number:
            yield []
        for row in range(len(table.rows) + 1):
            pieces: list[Piece] = []
            for index in part:
                ink = Ink.DIM if row == 0 else table.rows[row - 1][index].ink
                left = table.columns[index].align == "left"
                pieces.append(Piece(pad_cell(texts[index][row], widths[index], left=left), int(ink)))
                pieces.append(Piece(" " * _gap(table, index)))
            yield pieces


def _texts(table: Table, index: int, most: int) -> list[str]:
    """Return the title and the cells of a column, with decimal points in line; only names are wider than `most`."""
    column = table.columns[index]
    cells = [row[index].text for row in table.rows]
    if index == table.name_column:
        return [safe(column.title), *map(safe, cells)]
    if column.align == "number":
        in_line = align_numbers(cells)
        cells = list(in_line) if all(cell_width(cell) <= most for cell in in_line) else cells
    return [shorten(text, most) for text in (column.title, *cells)]


def _names(table: Table, room: int) -> list[str]:
    """Return the title and the cells of the name column in `room` columns."""
    cells = tuple(row[table.name_column].text for row in table.rows)
    shown = [shorten(cell, room) for cell in cells] if table.verbatim else fit_names(cells, room) if cells else ()
    return [shorten(table.columns[table.name_column].title, room), *shown]


def _gap(table: Table, index: int) -> int:
    """Return the number of blanks behind a column."""
    return GAP if table.columns[index].title or index else 1


def _lead(table: Table) -> int:
    """Return the columns of the output before the names; table columns there are one sign wide."""
    return sum(1 + _gap(table, index) for index in range(table.name_column))


def _layout(table: Table, widths: Sequence[int], width: int) -> tuple[int, list[list[int]]]:
    """Return the width of the names, and the indices of the table columns that stand side by side.

    Args:
        table: The table.
        widths: Width of each column if nothing is cut.
        width: Columns of the output.
    """
    first, others = [*range(table.name_column + 1)], [*range(table.name_column + 1, len(widths))]
    full, room = widths[table.name_column], width - _lead(table)
    least = min(full, max(MIN_NAME, width // 3))

    def beside(kept: Sequence[int]) -> int:
        return total_width([widths[index] for index in kept])

    def parts(room: int) -> list[list[int]]:
        return [[others[at] for at in part] for part in pack_columns([widths[index] for index in others], room)]

    if full + beside(others) <= room:
        return full, [first + others]
    if table.continues_below and others:
        # Names get what a wide column leaves them, and no more than keeps the number of parts smallest.
        most = max(min(full, room - GAP - max(widths[index] for index in others)), 1)
        fewest = len(parts(room - min(least, most)))
        name = next(name for name in range(most, 0, -1) if len(parts(room - name)) <= fewest)
        return name, [first + part for part in parts(room - name)]
    while least + beside(others) > room and (droppable := [i for i in others if table.columns[i].priority]):
        others.remove(min(droppable, key=lambda index: (table.columns[index].priority, -index)))
    return max(min(full, room - beside(others)), 1), [first + others]


# Tables that lose nothing: what does not fit continues in the next line


def stacked_rows(
    rows: Sequence[tuple[str, ...]], *, width: int | None = None, remarks: bool = False, left: int = 1
) -> Iterator[str]:
    """Yield rows of cells as lines.

    Args:
        rows: Cells, safe for a terminal. Rows may differ in length; a row of one cell is a line by itself.
        width: Columns of the output; None: no limit. A first cell that does not fit beside the others has a line of
            its own, uncut. Where the others do not fit side by side, every row takes several lines in the same way.
        remarks: The last cell of the longest rows is text, which moves to the next line if it does not fit.
        left: Number of columns that are aligned to the left; the others are aligned to the right.
    """
    most = max(map(len, rows), default=0)
    noted = most - 1 if remarks else most
    rows_of_cells = [row for row in rows if len(row) > 1]
    widths = [max((cell_width(row[at]) for row in rows_of_cells if at < len(row)), default=0) for at in range(noted)]
    if width is None:
        width = total_width(widths) + max((cell_width(row[-1]) for row in rows if row), default=0)
    bands = [range(1, noted)]
    if rows_of_cells:
        packed = pack_columns(widths[1:], width - min(widths[0], MIN_STACKED_NAME))
        bands = [range(band.start + 1, band.stop + 1) for band in packed]
        room = width - max(_band_width(widths, band) for band in bands)
        widths[0] = min(widths[0], max(room, 0))
    for row in rows:
        if len(row) == 1:
            yield from wrap_list(shorten(row[0], MAX_NAME), width, REMARK_INDENT)
            continue
        name = shorten(row[0], MAX_NAME)
        if cell_width(name) > widths[0]:
            blanks = len(name) - len(name.lstrip())
            yield from break_line(name, width, " " * (blanks + GAP))
            name = ""
        line = ""
        for number, band in enumerate(bands):
            cells = (pad_cell(row[at] if at < len(row) else "", widths[at], left=at < left) for at in band)
            line = BETWEEN.join([pad("" if number else name, widths[0]), *cells]).rstrip()
            if number < len(bands) - 1 and line:
                yield from break_line(line, width)
        remark = row[noted] if remarks and len(row) > noted else ""
        end = widths[0] + _band_width(widths, bands[-1])
        if remark and end + GAP + cell_width(remark) <= width:
            yield line + " " * (end - cell_width(line)) + BETWEEN + remark
            continue
        if line:
            yield from break_line(line, width)
        indent = REMARK_INDENT[: width // 2]
        yield from (indent + part for part in wrap_list(remark, width - len(indent)))


def _band_width(widths: Sequence[int], band: range) -> int:
    return total_width([widths[at] for at in band])


def wrap_list(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield safe text in lines of at most `width` columns, broken after commas, or at blanks without commas.

    Args:
        text: Any text. A word that is longer than a line is broken at the end of the line.
        width: Columns of a line.
        indent: Indent of every line but the first.
    """
    indent = indent[: width // 2]
    line = ""
    for part in _parts(text, width - len(indent)):
        longer = line + part
        if cell_width(longer.rstrip()) > width:
            if line.strip():
                yield line.rstrip()
            line = indent + part.lstrip()
        else:
            line = longer
    if line:
        yield line.rstrip()


def _parts(text: str, width: int) -> Iterator[str]:
    """Yield the parts that are not broken, each with the blanks behind it."""
    for item in _PART.findall(text):
        if cell_width(item.rstrip()) <= width:
            yield item
        else:
            for word in _WORD.findall(item):
                yield from _pieces(word, width)


def break_line(line: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield a line in as many lines as it needs, broken anywhere, because a name has no words."""
    indent = indent[: width // 2]
    first, rest = split_at(line, width)
    yield first.rstrip()
    yield from (indent + piece.rstrip() for piece in _pieces(rest, width - len(indent)))


def _pieces(text: str, width: int) -> Iterator[str]:
    """Yield a text in pieces of at most `width` columns, not counting blanks at their ends."""
    while cell_width(text.rstrip()) > width:
        piece, text = split_at(text, width)
        yield piece
    if text:
        yield text
