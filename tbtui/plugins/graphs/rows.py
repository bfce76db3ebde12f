"""Rows of the tree: each item's name, and beside it as much of what it is as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from tbtui.charts.cells import Ink
from tbtui.charts.text import pad
from tbtui.plugins.graphs import signs
from tbtui.plugins.graphs.times import cell_word
from tbtui.widgets.row_list import Row

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.times import Times
    from tbtui.plugins.graphs.tree import Tree

INDENT = 2
MOST_INDENT_PART = 3
"""Rows are indented by one part in so many of their columns at most: names deep inside must be seen."""

NAMES_FIRST = 20
"""Columns that a name has before anything stands beside it."""

ORDER = ("type", "shape", "device", "params", "time", "memory")
"""Of columns, from left to right."""


class Column(NamedTuple):
    """What stands beside the name."""

    title: str
    width: int
    text: Callable[[int], str]
    at_right: bool = True


def known_columns(hierarchy: Hierarchy, times: Times | None) -> tuple[Column, ...]:
    """Columns that tell something of a graph, the most telling first; it looks at all nodes.

    Args:
        hierarchy: What the rows are of.
        times: What a run of it cost; None where that is not known.
    """
    parameters, columns = hierarchy.parameters, []
    if times is not None and times.whole("time"):
        columns.append(Column("time", 7, lambda item: cell_word(times, item, "time")))
    if len(parameters) and int(parameters.max()):
        columns.append(Column("params", 7, lambda item: signs.figure(int(parameters[item]))))
    columns.append(Column("type", 13, lambda item: signs.what(hierarchy, item), at_right=False))
    columns.append(Column("shape", 12, lambda item: signs.shape_words(hierarchy.shapes(item)), at_right=False))
    if times is not None and times.whole("memory"):
        columns.append(Column("memory", 8, lambda item: cell_word(times, item, "memory")))
    if any(hierarchy.graph.written.devices):
        columns.append(Column("device", 8, lambda item: signs.devices_word(hierarchy.devices(item)), at_right=False))
    return tuple(columns)


def fitting(known: Sequence[Column], width: int, first: Sequence[str] = ()) -> tuple[Column, ...]:
    """As many columns as fit beside names, in order.

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
    """A text in its column, a blank before it."""
    filled = pad(text, column.width)
    blanks = len(filled) - len(filled.rstrip(" "))
    return f" {' ' * blanks}{filled[: len(filled) - blanks]}" if column.at_right else f" {filled}"


class ItemRows(Sequence["Row"]):
    """Rows of items, made when they are asked for; their keys are the items.

    Args:
        columns: What stands beside names.
        marked: bool[items]: which stand out; None where none do.
    """

    def __init__(self, columns: Sequence[Column], marked: npt.NDArray[np.bool_] | None = None) -> None:
        self.columns = columns
        self._marked = marked
        self._made: dict[int, Row] = {}

    def place_of(self, item: int) -> int | None:
        """Number of an item's row; None when there is none."""
        raise NotImplementedError

    def _make(self, place: int) -> Row:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self._row(place) for place in range(*index.indices(len(self)))]
        return self._row(range(len(self))[index])

    def _row(self, place: int) -> Row:
        row = self._made.get(place)
        if row is None:
            row = self._made[place] = self._make(place)
        return row

    def _of(self, item: int, lead: str, label: str) -> Row:
        ink = Ink.TEXT
        if self._marked is not None:
            ink = Ink.ACCENT if self._marked[item] else Ink.DIM
        right = "".join(cell(column, column.text(item)) for column in self.columns)
        return Row(str(item), ((lead, Ink.DIM),), label, ink, right=((right, Ink.DIM),))


class TreeRows(ItemRows):
    """The rows of a tree.

    Args:
        tree: What is listed.
        columns: What stands beside names.
        width: Terminal columns of a row.
        marked: Which items stand out.
    """

    def __init__(
        self, tree: Tree, columns: Sequence[Column], width: int, marked: npt.NDArray[np.bool_] | None = None
    ) -> None:
        super().__init__(columns, marked)
        self.tree = tree
        self._width = width

    def __len__(self) -> int:
        return len(self.tree)

    def place_of(self, item: int) -> int | None:
        """Number of an item's row; None when it is not listed."""
        return self.tree.place_of(item)

    def _make(self, place: int) -> Row:
        item, depth, hierarchy = int(self.tree.items[place]), int(self.tree.depths[place]), self.tree.hierarchy
        sign = signs.SIGNS[item in self.tree.opened] if hierarchy.opens(item) else signs.LEAF
        indent = " " * min(INDENT * depth, self._width // MOST_INDENT_PART)
        return self._of(item, indent + sign, hierarchy.leaf(item))
