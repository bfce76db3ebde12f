"""Columns beside the names of the tree and the table, as many as fit. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.text import pad
from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.times import cell_word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.times import Times

NAMES_FIRST = 20
"""Columns of the terminal that names have before anything stands beside them."""

PARAMETERS = 7
"""Width of the number of parameters: that of `999,999`."""

NAME = "name"
"""Title of the names."""

ORDER = ("type", "shape", "device", "params", "time", "memory")
"""Of columns, from left to right."""


class Column(NamedTuple):
    """A column beside the names."""

    title: str
    width: int
    text: Callable[[int], str]
    at_right: bool = True


def known_columns(hierarchy: Hierarchy, times: Times | None) -> tuple[Column, ...]:
    """Return the columns that are known of a graph, the most useful first; the cost is one pass over all nodes.

    Args:
        hierarchy: What the rows are of.
        times: What a run of it cost; None where that is not known.
    """
    parameters, columns = hierarchy.parameters, []
    if times is not None and times.whole("time"):
        columns.append(Column("time", 7, lambda item: cell_word(times, item, "time")))
    if len(parameters) and int(parameters.max()):
        columns.append(Column("params", PARAMETERS, lambda item: item_labels.figure(int(parameters[item]), PARAMETERS)))
    columns.append(Column("type", 13, lambda item: item_labels.what(hierarchy, item), at_right=False))
    columns.append(Column("shape", 12, lambda item: item_labels.shape_words(hierarchy.shapes(item)), at_right=False))
    if times is not None and times.whole("memory"):
        columns.append(Column("memory", 8, lambda item: cell_word(times, item, "memory")))
    if any(hierarchy.graph.written.devices):
        columns.append(
            Column("device", 8, lambda item: item_labels.devices_word(hierarchy.devices(item)), at_right=False)
        )
    return tuple(columns)


def fitting(known: Sequence[Column], width: int, first: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return as many columns as fit beside names, in order.

    Args:
        known: From `known_columns`.
        width: Terminal columns of a row.
        first: Titles of the columns that are there before all others.
    """

    def weight(column: Column) -> int:
        return first.index(column.title) if column.title in first else len(first)

    chosen: list[Column] = []
    room = width - NAMES_FIRST
    for column in sorted(known, key=weight):
        if column.width + 1 <= room:
            chosen.append(column)
            room -= column.width + 1
    return tuple(sorted(chosen, key=lambda column: ORDER.index(column.title)))


def cell(column: Column, text: str) -> str:
    """Return a text padded to its column, with a blank before it."""
    filled = pad(text, column.width)
    blanks = len(filled) - len(filled.rstrip(" "))
    return f" {' ' * blanks}{filled[: len(filled) - blanks]}" if column.at_right else f" {filled}"


def title_at(columns: Sequence[Column], x: int, width: int) -> str:
    """Return the title of the column at a column of the terminal; `name` beside them.

    Args:
        columns: Beside names, in order.
        x: Terminal column of a row.
        width: Terminal columns of a row.
    """
    end = width
    for column in reversed(columns):
        end -= column.width + 1
        if x >= end:
            return column.title
    return NAME
