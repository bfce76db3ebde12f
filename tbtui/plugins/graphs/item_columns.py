"""Columns next to the names of items: their texts, the choice of those that fit, and their header."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, pad, safe, shorten
from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.item_labels import format_item_cost

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.costs import RunCosts
    from tbtui.plugins.graphs.hierarchy import Hierarchy


MIN_NAME_WIDTH = 20
"""Minimum columns of a name."""

PARAMETERS_WIDTH = 7
"""Width of the number of parameters, such as `999,999`; a lower bound has one more character, a sign."""

NAME = "name"
"""Title of the column of names."""

ORDER = ("type", "shape", "device", "params", "time", "memory")
"""Titles of columns from left to right."""

SORT_SIGNS = {True: "▼", False: "▲"}
"""Signs before the title of the sorted column, by whether the order is descending."""


TYPE_WIDTH = 15
"""Width of the type of an operation, such as `prim::Constant`."""


class Column(NamedTuple):
    """A column at the right of the names."""

    title: str
    width: int
    """Terminal columns, without the blank before it."""

    text: Callable[[int], str]
    """Returns the text of an item; empty if there is none."""

    is_right_aligned: bool = True


def shorten_type(hierarchy: Hierarchy, item: int) -> str:
    """Return the type of an item, without its namespace if it is long, and without its middle if it is longer."""
    text = safe(item_labels.format_kind(hierarchy, item))
    if cell_width(text) > TYPE_WIDTH:
        text = text.rpartition("::")[2] or text
    return shorten(text, TYPE_WIDTH)


def list_columns(hierarchy: Hierarchy, costs: RunCosts | None) -> tuple[Column, ...]:
    """Return the columns with content, the most useful first; this takes one pass over all nodes.

    Args:
        hierarchy: Hierarchy of the graph.
        costs: Costs of a run; None if not available.
    """
    parameters, columns = hierarchy.parameters, []
    if costs is not None and costs.total("time"):
        columns.append(Column("time", 7, lambda item: format_item_cost(costs, item, "time")))
    if parameters:
        width = PARAMETERS_WIDTH + bool(parameters.is_at_least.any())
        columns.append(Column("params", width, lambda item: parameters.text(item, width)))
    columns.append(Column("type", TYPE_WIDTH, lambda item: shorten_type(hierarchy, item), is_right_aligned=False))
    columns.append(
        Column("shape", 12, lambda item: item_labels.format_shapes(hierarchy.shapes(item)), is_right_aligned=False)
    )
    if costs is not None and costs.total("memory"):
        columns.append(Column("memory", 8, lambda item: format_item_cost(costs, item, "memory")))
    if any(hierarchy.graph.parsed.devices):
        columns.append(
            Column(
                "device", 8, lambda item: item_labels.format_devices(hierarchy.devices(item)), is_right_aligned=False
            )
        )
    return tuple(columns)


def select_columns(columns: Sequence[Column], width: int, preferred: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return as many columns as fit next to names, from left to right.

    Args:
        columns: All columns, the most useful first.
        width: Terminal columns of a row.
        preferred: Titles of columns that come before all others.
    """

    def rank(column: Column) -> int:
        return preferred.index(column.title) if column.title in preferred else len(preferred)

    fitting: list[Column] = []
    free_width = width - MIN_NAME_WIDTH
    for column in sorted(columns, key=rank):
        if column.width + 1 <= free_width:
            fitting.append(column)
            free_width -= column.width + 1
    return tuple(sorted(fitting, key=lambda column: ORDER.index(column.title)))


def pad_cell(column: Column, text: str) -> str:
    """Return a text padded to its column, with a blank before it."""
    padded = pad(text, column.width)
    blanks = len(padded) - len(padded.rstrip(" "))
    return f" {' ' * blanks}{padded[: len(padded) - blanks]}" if column.is_right_aligned else f" {padded}"


def title_at(columns: Sequence[Column], x: int, width: int) -> str:
    """Return the title of the column at a column of the terminal; `name` at the left of all columns.

    Args:
        columns: Columns from left to right.
        x: Terminal column of a row.
        width: Terminal columns of a row.
    """
    end = width
    for column in reversed(columns):
        end -= column.width + 1
        if x >= end:
            return column.title
    return NAME


class Header(NamedTuple):
    """The titles of a table."""

    left: tuple[Piece, ...]
    """Title of the names, and a remark about all rows."""

    right: tuple[Piece, ...]
    """Titles of the columns, aligned with them."""


def build_header(
    columns: Sequence[Column], sort: str, *, descending: bool, cursor: str, scope: str = "", qualifier: str = ""
) -> Header:
    """Return the titles of columns, with a sign at the sorted one.

    Args:
        columns: Columns from left to right.
        sort: Title of the sorted column; empty: none.
        descending: Direction of the order.
        cursor: Title of the column that the sort key acts on; empty: none.
        scope: Common scope that the names omit, with its last separator.
        qualifier: Word about all rows, such as `found`.
    """

    def title(column: str) -> str:
        return f"{SORT_SIGNS[descending]}{column}" if column == sort else column

    def ink(column: str) -> int:
        return Ink.ACCENT if column == cursor else Ink.DIM

    scope_text = " ".join(filter(None, (qualifier, scope and f"in {scope}")))
    about_rows: tuple[Piece, ...] = ((f" {scope_text}", Ink.DIM),) if scope_text else ()
    titles = tuple((pad_cell(column, title(column.title)), ink(column.title)) for column in columns)
    return Header(((title(NAME), ink(NAME)), *about_rows), titles)
