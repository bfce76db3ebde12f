"""The runs of one chart as a table: where each stands and what its extremes were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, nameable, pad, safe, shorten, write
from tbtui.plugins.scalars.names import distinct_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.plugins.scalars.data import Chart
    from tbtui.plugins.scalars.lines import Floats, Line

BULLET = "●"
GAP = 2
"""Blank columns between columns of the table."""

LEAST_NAME, MOST_NAME = 8, 48


@dataclass(frozen=True, slots=True)
class Column:
    """One column of numbers."""

    title: str
    cell: Callable[[Line], tuple[str, str]]
    """The number, and what follows it: `0.0187`, ` @ 401`."""

    worth: int
    """Where the table is too wide, the column worth least goes first."""


def run_table(chart: Chart, width: int) -> tuple[Cells, Cells]:
    """The table's header (one row) and its body (one row a line, in the chart's order), `width` columns wide."""
    columns = [_aligned(column, chart.lines) for column in _columns(chart)]
    names = [safe(nameable(line.key.run)) for line in chart.lines]
    name_width = min(max(map(cell_width, (*names, "run"))), MOST_NAME)
    least = min(name_width, LEAST_NAME)
    while columns and 2 + least + _width(columns) > width:
        columns.remove(min(columns, key=lambda column: column.worth))
    if name_width > width - 2 - _width(columns):
        names = [safe(name) for name in distinct_names(names)]
        name_width = max(min(max(map(cell_width, (*names, "run"))), width - 2 - _width(columns)), 0)
    header, body = Cells.blank(1, max(width, 0)), Cells.blank(len(names), max(width, 0))
    _write_row(header, 0, "run", name_width, [column.title for column in columns], columns, Ink.DIM)
    for row, (name, ink) in enumerate(zip(names, chart.inks, strict=True)):
        write(body, row, 0, BULLET, ink)
        texts = [column.texts[row] for column in columns]
        _write_row(body, row, shorten(name, name_width), name_width, texts, columns, Ink.TEXT)
    return header, body


@dataclass(frozen=True, slots=True)
class _Aligned:
    """A column with its texts, all of one width."""

    title: str
    texts: tuple[str, ...]
    width: int
    worth: int


def _aligned(column: Column, lines: Sequence[Line]) -> _Aligned:
    cells = [column.cell(line) for line in lines]
    suffix_width = max(len(suffix) for _, suffix in cells)
    left = aligned([number for number, _ in cells])
    texts = tuple(number + suffix.ljust(suffix_width) for number, (_, suffix) in zip(left, cells, strict=True))
    return _Aligned(column.title, texts, max(len(column.title), len(texts[0])), column.worth)


def _width(columns: Sequence[_Aligned]) -> int:
    return sum(GAP + column.width for column in columns)


def _write_row(
    cells: Cells, y: int, name: str, name_width: int, texts: Sequence[str], columns: Sequence[_Aligned], ink: int
) -> None:
    """Name at the left, texts at the right of their columns."""
    x = write(cells, y, 2, pad(name, name_width), ink)
    for text, column in zip(texts, columns, strict=True):
        x = write(cells, y, x + GAP, text.rjust(column.width), ink)


def aligned(texts: Sequence[str]) -> tuple[str, ...]:
    """Numbers padded so that their decimal points stand below each other; all else ends where they end."""
    room = max((len(text) - len(text.partition(".")[0]) for text in texts if text[-1:].isdigit()), default=0)
    padded = [_with_decimals(text, room) if text[-1:].isdigit() else text for text in texts]
    width = max(map(len, padded), default=0)
    return tuple(text.rjust(width) for text in padded)


def _with_decimals(number: str, room: int) -> str:
    whole, point, decimals = number.partition(".")
    return whole + (point + decimals).ljust(room)


def _columns(chart: Chart) -> list[Column]:
    columns = [Column("value", lambda line: (numbers.short(float(line.values[-1])), ""), 9)]
    if any(line.smoothed is not line.values for line in chart.lines):
        columns.append(Column("smoothed", lambda line: (numbers.short(float(line.smoothed[-1])), ""), 4))
    return [
        *columns,
        Column("min @ step", lambda line: _at_step(line, np.nanargmin), 6),
        Column("max @ step", lambda line: _at_step(line, np.nanargmax), 3),
        Column("step", lambda line: (str(int(line.steps[-1])), ""), 7),
        Column("time", lambda line: (numbers.duration(float(line.wall_times[-1] - line.wall_times[0])), ""), 5),
    ]


def _at_step(line: Line, which: Callable[[Floats], np.intp]) -> tuple[str, str]:
    """The least or greatest finite value and the step that had it."""
    finite = np.where(np.isfinite(line.values), line.values, np.nan)
    if bool(np.isnan(finite).all()):
        return "–", ""
    index = int(which(finite))
    return numbers.short(float(finite[index])), f" @ {numbers.step(int(line.steps[index]))}"
