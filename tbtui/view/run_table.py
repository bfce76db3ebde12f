"""A table of runs below a chart: names at the left, columns of numbers as far as there is room. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.colours import marker
from tbtui.charts.text import align_numbers, cell_width, fit, pad, safe, visible_name, write
from tbtui.frozen import frozen
from tbtui.view.run_names import fit_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BULLET_COLUMNS = 2
"""Columns of a run's bullet and the sign of the focus beside it."""

GAP = 2
"""Blank columns between columns of the table."""

MAX_NAME_COLUMNS = 48

NAME_ROOM = ((10, 8), (5, 16), (0, 24))
"""Columns that a column worth at least so much leaves for names, if they are as long; those worth less leave more."""

FOCUS_SIGN = "▸"
"""Beside the bullet of the focused run."""

NO_VALUE = "–"


@frozen
class TableColumn:
    """One column of numbers; `column` makes one."""

    title: str
    texts: tuple[str, ...]
    """One a row, all of one width."""

    worth: int
    """Where there is too little room, the columns worth most have it first."""

    pair: str = ""
    """Columns with the same are shown all or not at all; empty: this one is by itself."""

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return max([len(self.title), *map(len, self.texts[:1])])


@frozen
class TableRow:
    """What stands at the left of one row."""

    name: str
    """Any text, likewise the short one; neither is safe for a terminal yet."""

    short: str
    """What it is called where there is little room."""

    ink: int
    """A series ink."""

    in_focus: bool = False


def run_table(
    rows: Sequence[TableRow],
    columns: Sequence[TableColumn],
    width: int,
    order: Iterable[int] | None = None,
    title: str = "run",
) -> tuple[Cells, Cells]:
    """The table's header (one row) and its body, `width` columns wide.

    Args:
        rows: What the columns have texts for.
        columns: In the order in which they stand; those worth least are left out where there is no room.
        width: Columns of the terminal.
        order: Indices of the rows as they are wanted; None: as given.
        title: Above the names.
    """
    names = [row.name for row in rows]
    if BULLET_COLUMNS + _names_width(names) + _width(columns) > width:
        short = [row.short for row in rows]
        columns = _fitting(columns, width - BULLET_COLUMNS, _names_width(short))
        if BULLET_COLUMNS + _names_width(names) + _width(columns) > width:
            names = short
    name_width = max(min(_names_width(names), width - BULLET_COLUMNS - _width(columns)), 0)
    shown = fit_names(tuple(names), name_width)
    header, body = Cells.blank(1, max(width, 0)), Cells.blank(len(rows), max(width, 0))
    _write_row(header, 0, fit(title, name_width), name_width, [each.title for each in columns], columns, Ink.DIM)
    for y, index in enumerate(range(len(rows)) if order is None else order):
        row = rows[index]
        write(body, y, 0, marker(row.ink), row.ink)
        texts = [each.texts[index] for each in columns]
        _write_row(body, y, shown[index], name_width, texts, columns, Ink.BOLD if row.in_focus else Ink.TEXT)
        if row.in_focus:
            write(body, y, 1, FOCUS_SIGN, Ink.ACCENT)
    return header, body


def _names_width(names: Sequence[str]) -> int:
    return min(max(map(cell_width, ("run", *(safe(visible_name(name)) for name in names)))), MAX_NAME_COLUMNS)


def _fitting(columns: Sequence[TableColumn], width: int, names: int) -> list[TableColumn]:
    """The columns that there is room for beside names that are `names` columns wide, in their order."""
    units: dict[str, list[TableColumn]] = {}
    for index, each in enumerate(columns):
        units.setdefault(each.pair or f"\0{index}", []).append(each)
    kept: list[TableColumn] = []
    for unit in sorted(units.values(), key=lambda unit: -unit[0].worth):
        room = next(room for worth, room in NAME_ROOM if unit[0].worth >= worth)
        if min(names, room) + _width((*kept, *unit)) <= width:
            kept += unit
    return [each for each in columns if each in kept]


def _width(columns: Sequence[TableColumn]) -> int:
    return sum(GAP + each.width for each in columns)


def _write_row(
    cells: Cells, y: int, name: str, name_width: int, texts: Sequence[str], columns: Sequence[TableColumn], ink: int
) -> None:
    """Name at the left, texts at the right of their columns."""
    rest = (" " * GAP + text.rjust(each.width) for text, each in zip(texts, columns, strict=True))
    write(cells, y, 2, pad(name, name_width) + "".join(rest), ink)


def table_column(
    title: str, texts: Sequence[str], worth: int, after: Sequence[str] | None = None, pair: str = ""
) -> TableColumn:
    """A column of numbers with their points in line, and of what follows each.

    Args:
        title: Above it.
        texts: One a row.
        worth: See `Column`.
        after: What stands behind each of them.
        pair: See `Column`.
    """
    texts = align_numbers(texts)
    if after is not None:
        room = max(map(len, after), default=0)
        texts = tuple(text + more.ljust(room) for text, more in zip(texts, after, strict=True))
    return TableColumn(title, tuple(texts), worth, pair)
