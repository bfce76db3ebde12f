"""Rows of the tree: each item's name, and beside it as much of what it is as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from tbtui.charts.cells import Ink
from tbtui.plugins.graphs import signs
from tbtui.plugins.graphs.columns import cell
from tbtui.widgets.row_list import Row

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tbtui.plugins.graphs.columns import Column
    from tbtui.plugins.graphs.tree import Tree

INDENT = 2
MOST_INDENT_PART = 3
"""Rows are indented by one part in so many of their columns at most: names deep inside must be seen."""


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
