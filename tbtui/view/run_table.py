"""The table of runs below a chart: names at the left, as many columns of numbers as fit."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.text import align_numbers, cell_width, fit, format_run_name, pad, safe, write
from tbtui.frozen import frozen
from tbtui.view.run_names import FOCUS_SIGN, fit_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BULLET_COLUMNS = 2
"""Columns of the bullet of a run and the sign of the focus beside it."""

GAP = 2
"""Blank columns between columns of the table."""

MAX_NAME_COLUMNS = 48

NAME_ROOM = ((10, 8), (5, 16), (0, 24))
"""Columns that a column of at least this priority leaves for names, if they are as long; others leave more."""

NO_VALUE = "–"


@frozen(slots=False)
class TableColumn:
    """One column of numbers; `create_column` creates one."""

    title: str
    texts: tuple[str, ...]
    """One for each row, all of one width."""

    priority: int
    """If there is too little room, the columns of the highest priority are kept."""

    pair: str = ""
    """Columns with the same `pair` are shown all or not at all; empty: independent."""

    @cached_property
    def width(self) -> int:
        """Return the terminal columns."""
        return max([len(self.title), *map(len, self.texts[:1])])


@frozen
class TableRow:
    """Name and state of one row."""

    name: str
    """Any text, not yet safe for a terminal."""

    short: str
    """Short name for tight places, not yet safe for a terminal."""

    ink: int
    """A series ink."""

    in_focus: bool = False
    sign: str = ""
    """Sign before the name, one column wide; empty: the marker of the ink."""


def draw_run_table(
    rows: Sequence[TableRow],
    columns: Sequence[TableColumn],
    width: int,
    order: Iterable[int] | None = None,
    title: str = "run",
) -> tuple[Cells, Cells]:
    """Return the header (one row) and the body of the table, `width` columns wide.

    Args:
        rows: Rows of the columns.
        columns: In their order; those of the lowest priority are dropped if there is no room.
        width: Columns of the terminal.
        order: Indices of the rows in their order; None: as given.
        title: Title of the names.
    """
    names = [row.name for row in rows]
    if BULLET_COLUMNS + _measure_names(names) + _measure_columns(columns) > width:
        short = [row.short for row in rows]
        columns = _select_fitting(columns, width - BULLET_COLUMNS, _measure_names(short))
        if BULLET_COLUMNS + _measure_names(names) + _measure_columns(columns) > width:
            names = short
    name_width = max(min(_measure_names(names), width - BULLET_COLUMNS - _measure_columns(columns)), 0)
    shown = fit_names(tuple(names), name_width)
    header, body = Cells.blank(1, max(width, 0)), Cells.blank(len(rows), max(width, 0))
    _write_row(header, 0, fit(title, name_width), name_width, [each.title for each in columns], columns, Ink.DIM)
    for y, index in enumerate(range(len(rows)) if order is None else order):
        row = rows[index]
        write(body, y, 0, row.sign or get_series_marker(row.ink), row.ink)
        texts = [each.texts[index] for each in columns]
        _write_row(body, y, shown[index], name_width, texts, columns, Ink.BOLD if row.in_focus else Ink.TEXT)
        if row.in_focus:
            write(body, y, 1, FOCUS_SIGN, Ink.ACCENT)
    return header, body


def _measure_names(names: Sequence[str]) -> int:
    return min(max(map(cell_width, ("run", *(safe(format_run_name(name)) for name in names)))), MAX_NAME_COLUMNS)


def _select_fitting(columns: Sequence[TableColumn], width: int, names: int) -> list[TableColumn]:
    """Return the columns that fit next to names of `names` columns, in order."""
    units: dict[str, list[TableColumn]] = {}
    for index, each in enumerate(columns):
        units.setdefault(each.pair or f"\0{index}", []).append(each)
    visible_columns: list[TableColumn] = []
    used_width = 0
    for unit in sorted(units.values(), key=lambda unit: -unit[0].priority):
        room = next(room for priority, room in NAME_ROOM if unit[0].priority >= priority)
        unit_width = _measure_columns(unit)
        if min(names, room) + used_width + unit_width <= width:
            visible_columns += unit
            used_width += unit_width
    return [each for each in columns if each in visible_columns]


def _measure_columns(columns: Sequence[TableColumn]) -> int:
    return sum(GAP + each.width for each in columns)


def _write_row(
    cells: Cells, y: int, name: str, name_width: int, texts: Sequence[str], columns: Sequence[TableColumn], ink: int
) -> None:
    """Write the name left-aligned and the texts right-aligned in their columns."""
    rest = (" " * GAP + text.rjust(each.width) for text, each in zip(texts, columns, strict=True))
    write(cells, y, 2, pad(name, name_width) + "".join(rest), ink)


def create_column(
    title: str, texts: Sequence[str], priority: int, after: Sequence[str] | None = None, pair: str = ""
) -> TableColumn:
    """Return a column of numbers with aligned decimal points and optional texts after them.

    Args:
        title: Title of the column.
        texts: One for each row.
        after: Text behind each number.
        priority: As in `TableColumn`.
        pair: As in `TableColumn`.
    """
    texts = align_numbers(texts)
    if after is not None:
        room = max(map(len, after), default=0)
        texts = tuple(text + more.ljust(room) for text, more in zip(texts, after, strict=True))
    return TableColumn(title, tuple(texts), priority, pair)
