"""Lay out tables as lines: columns packed into a width, cells padded, names cut, lists wrapped.

There are two layouts. `format_table` cuts names and drops or continues columns (`tbtui print`). `stack_rows` shows
everything and continues a row on the next lines (`tbtui inspect`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.text import align_numbers, cell_width, pad, safe, shorten, split_at
from tbtui.report.blocks import InkText
from tbtui.view.run_names import fit_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.report.blocks import Table

BETWEEN = "  "
"""Blanks between columns."""

GAP = len(BETWEEN)

MIN_NAME = 12
"""Minimum columns of a name if other columns can be dropped or continue below."""

MIN_CUT_NAME = 6
"""Minimum columns of a name if other cells can be cut."""

MIN_STACKED_NAME = 4
"""Minimum columns of the first column of a stacked table; longer names have separate lines."""

MAX_NAME = 160
"""Maximum columns of a name in a stacked table; names come from files and may have any length."""

REMARK_INDENT = "      "

_PART = re.compile(r"(?:[^,]|,(?! ))+(?:, +)?|, +")
"""Text up to the next comma before a blank."""

_WORD = re.compile(r" *[^ ]+ *| +")


def pad_cell(text: str, width: int, *, left: bool) -> str:
    """Return the text padded to `width` columns, aligned to the left or to the right."""
    blanks = " " * (width - cell_width(text))
    return text + blanks if left else blanks + text


def sum_widths(widths: Sequence[int]) -> int:
    """Return the total width of columns of a table, with the gap before each."""
    return sum(GAP + width for width in widths)


def pack_columns(widths: Sequence[int], max_width: int) -> list[range]:
    """Split columns of a table into ranges that fit side by side; a column that is too wide is a separate range.

    Args:
        widths: Width of each column.
        max_width: Maximum width of one range, with the gap before each of its columns.
    """
    ranges = [range(0)]
    for index in range(len(widths)):
        start = ranges[-1].start
        if index > start and sum_widths(widths[start : index + 1]) > max_width:
            ranges.append(range(index, index))
        ranges[-1] = range(ranges[-1].start, index + 1)
    return ranges


def format_table(table: Table, width: int) -> Iterator[list[InkText]]:
    """Yield the header and the rows of a table in at most `width` columns.

    A blank row separates the parts of a table that continues below.
    """
    max_cell_width = max(width - _measure_before_names(table) - MIN_CUT_NAME - GAP, 1)
    texts = [_format_column(table, index, max_cell_width) for index in range(len(table.columns))]
    widths = [max(map(cell_width, column)) for column in texts]
    name_width, parts = _layout(table, widths, width)
    texts[table.name_column] = _format_names(table, name_width)
    widths[table.name_column] = max(map(cell_width, texts[table.name_column]))
    for number, part in enumerate(parts):
        if number:
            yield []
        for row in range(len(table.rows) + 1):
            pieces: list[InkText] = []
            for index in part:
                ink = Ink.DIM if row == 0 else table.rows[row - 1][index].ink
                left = table.columns[index].align == "left"
                pieces.append(InkText(pad_cell(texts[index][row], widths[index], left=left), int(ink)))
                pieces.append(InkText(" " * _choose_gap(table, index)))
            yield pieces


def _format_column(table: Table, index: int, max_width: int) -> list[str]:
    """Return the title and the cells of a column with aligned decimal points; only names exceed `max_width`."""
    column = table.columns[index]
    cells = [row[index].text for row in table.rows]
    if index == table.name_column:
        return [safe(column.title), *map(safe, cells)]
    if column.align == "number":
        aligned = align_numbers(cells)
        cells = list(aligned) if all(cell_width(cell) <= max_width for cell in aligned) else cells
    return [shorten(text, max_width) for text in (column.title, *cells)]


def _format_names(table: Table, width: int) -> list[str]:
    """Return the title and the cells of the name column in `width` columns."""
    cells = tuple(row[table.name_column].text for row in table.rows)
    names = [shorten(cell, width) for cell in cells] if table.is_verbatim else fit_names(cells, width) if cells else ()
    return [shorten(table.columns[table.name_column].title, width), *names]


def _choose_gap(table: Table, index: int) -> int:
    """Return the number of blanks after a column."""
    return GAP if table.columns[index].title or index else 1


def _measure_before_names(table: Table) -> int:
    """Return the width of the columns before the names, which hold one sign each."""
    return sum(1 + _choose_gap(table, index) for index in range(table.name_column))


def _layout(table: Table, widths: Sequence[int], width: int) -> tuple[int, list[list[int]]]:
    """Return the width of the names, and the indices of the table columns of each part.

    Args:
        table: The table.
        widths: Width of each column if nothing is cut.
        width: Columns of the output.
    """
    first, others = [*range(table.name_column + 1)], [*range(table.name_column + 1, len(widths))]
    full_name_width, available_width = widths[table.name_column], width - _measure_before_names(table)
    min_name_width = min(full_name_width, max(MIN_NAME, width // 3))

    def width_of(columns: Sequence[int]) -> int:
        return sum_widths([widths[index] for index in columns])

    def parts(max_width: int) -> list[list[int]]:
        ranges = pack_columns([widths[index] for index in others], max_width)
        return [[others[position] for position in each] for each in ranges]

    if full_name_width + width_of(others) <= available_width:
        return full_name_width, [first + others]
    if table.continues_below and others:
        # Names get the columns that the widest other column leaves, if that does not increase the number of parts.
        max_name_width = max(min(full_name_width, available_width - GAP - max(widths[index] for index in others)), 1)
        min_part_count = len(parts(available_width - min(min_name_width, max_name_width)))
        name_width = next(
            name_width
            for name_width in range(max_name_width, 0, -1)
            if len(parts(available_width - name_width)) <= min_part_count
        )
        return name_width, [first + part for part in parts(available_width - name_width)]
    while min_name_width + width_of(others) > available_width and (
        droppable := [i for i in others if table.columns[i].priority]
    ):
        others.remove(min(droppable, key=lambda index: (table.columns[index].priority, -index)))
    return max(min(full_name_width, available_width - width_of(others)), 1), [first + others]


def stack_rows(
    rows: Sequence[tuple[str, ...]], *, width: int | None = None, remarks: bool = False, left_aligned: int = 1
) -> Iterator[str]:
    """Yield rows of cells as lines.

    Args:
        rows: Cells, safe for a terminal. Rows may differ in length; a row of one cell is a separate line.
        width: Columns of the output; None: no limit. A first cell that is too long has a separate line, uncut. If the
            other cells do not fit side by side, every row takes several lines with the same columns.
        remarks: The last cell of the longest rows is text, which moves to the next line if it does not fit.
        left_aligned: Number of columns that are aligned to the left; the others are aligned to the right.
    """
    max_cells = max(map(len, rows), default=0)
    cell_count = max_cells - 1 if remarks else max_cells
    rows_of_cells = [row for row in rows if len(row) > 1]
    widths = [
        max((cell_width(row[index]) for row in rows_of_cells if index < len(row)), default=0)
        for index in range(cell_count)
    ]
    if width is None:
        width = sum_widths(widths) + max((cell_width(row[-1]) for row in rows if row), default=0)
    bands = [range(1, cell_count)]
    if rows_of_cells:
        packed = pack_columns(widths[1:], width - min(widths[0], MIN_STACKED_NAME))
        bands = [range(band.start + 1, band.stop + 1) for band in packed]
        available_width = width - max(_measure_band(widths, band) for band in bands)
        widths[0] = min(widths[0], max(available_width, 0))
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
            cells = (
                pad_cell(row[index] if index < len(row) else "", widths[index], left=index < left_aligned)
                for index in band
            )
            line = BETWEEN.join([pad("" if number else name, widths[0]), *cells]).rstrip()
            if number < len(bands) - 1 and line:
                yield from break_line(line, width)
        remark = row[cell_count] if remarks and len(row) > cell_count else ""
        end = widths[0] + _measure_band(widths, bands[-1])
        if remark and end + GAP + cell_width(remark) <= width:
            yield line + " " * (end - cell_width(line)) + BETWEEN + remark
            continue
        if line:
            yield from break_line(line, width)
        indent = REMARK_INDENT[: width // 2]
        yield from (indent + part for part in wrap_list(remark, width - len(indent)))


def _measure_band(widths: Sequence[int], band: range) -> int:
    return sum_widths([widths[index] for index in band])


def wrap_list(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield safe text in lines of at most `width` columns, broken after commas, otherwise at blanks.

    Args:
        text: Any text. A word longer than a line is broken at the end of the line.
        width: Columns of a line.
        indent: Indent of every line but the first.
    """
    indent = indent[: width // 2]
    line = ""
    for part in _split_parts(text, width - len(indent)):
        extended = line + part
        if cell_width(extended.rstrip()) > width:
            if line.strip():
                yield line.rstrip()
            line = indent + part.lstrip()
        else:
            line = extended
    if line:
        yield line.rstrip()


def _split_parts(text: str, width: int) -> Iterator[str]:
    """Yield the unbreakable parts of a text, each with the blanks after it."""
    for item in _PART.findall(text):
        if cell_width(item.rstrip()) <= width:
            yield item
        else:
            for word in _WORD.findall(item):
                yield from _split_pieces(word, width)


def break_line(line: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield a line in several lines, broken at any character, because a name has no words."""
    indent = indent[: width // 2]
    first, rest = split_at(line, width)
    yield first.rstrip()
    yield from (indent + piece.rstrip() for piece in _split_pieces(rest, width - len(indent)))


def _split_pieces(text: str, width: int) -> Iterator[str]:
    """Yield a text in pieces of at most `width` columns, not counting blanks at their ends."""
    while cell_width(text.rstrip()) > width:
        piece, text = split_at(text, width)
        yield piece
    if text:
        yield text
