"""Rows of the tree: each item's name, and beside it as much of what it is as there is room for."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width
from tbtui.graphs.naming import argument_title
from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.columns import cell
from tbtui.viewstate.run_names import told_apart
from tbtui.widgets.row_list import Row

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.columns import Column
    from tbtui.plugins.graphs.tree import Tree

INDENT = 2
MOST_INDENT_PART = 3
"""Rows are indented by one part in so many of their columns at most: names deep inside must be seen."""

TOGETHER = 64
"""Names that are told apart at once: as many as a screen has lines, which is what a user compares."""


class ItemRows(Sequence["Row"]):
    """Rows of items, made when they are asked for; their keys are the items.

    Args:
        hierarchy: That the items are of.
        columns: What stands beside names.
        width: Terminal columns of a row.
        marked: bool[items]: which stand out; None where none do.
    """

    def __init__(
        self, hierarchy: Hierarchy, columns: Sequence[Column], width: int, marked: npt.NDArray[np.bool_] | None = None
    ) -> None:
        self.hierarchy = hierarchy
        self.columns = columns
        self.width = width
        self._labels: dict[int, str] = {}
        self._marked = marked
        self._made: dict[int, Row] = {}

    def place_of(self, item: int) -> int | None:
        """Number of an item's row; None when there is none."""
        raise NotImplementedError

    def _make(self, place: int) -> Row:
        raise NotImplementedError

    def _beside(self, place: int) -> Sequence[int]:
        """Items whose names are compared with that of a row, itself among them; few."""
        raise NotImplementedError

    def _name(self, item: int) -> str:
        """The name of an item in full."""
        raise NotImplementedError

    def _label(self, place: int, item: int, lead: str) -> str:
        """As much of a name as has room behind `lead`, never the same as that of another one beside it."""
        if item not in self._labels:
            items = self._beside(place)
            names = tuple(map(self._name, items))
            room = self.width - cell_width(lead)
            rooms = tuple(max(room - self._right_width(item), 0) for item in items)
            longest = max(map(len, names))  # for which nothing is left out that all have in common: rows come and go
            # What a function does stands at the end, behind prefixes that tools put before it.
            by_ends = all(self.hierarchy.kind(each) == "function" for each in items)
            self._labels |= zip(items, told_apart(names, 2 * longest, rooms, by_ends=by_ends), strict=True)
        return self._labels[item]

    def _told(self, item: int) -> Sequence[Column]:
        """The columns from the first on that says something of an item: a name may reach to there."""
        silent = itertools.takewhile(lambda column: not column.text(item), self.columns)
        return self.columns[sum(1 for _ in silent) :]

    def _right_width(self, item: int) -> int:
        told = self._told(item)
        return sum(column.width + 1 for column in told) + 1 if told else 0

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
        right = "".join(cell(column, column.text(item)) for column in self._told(item))
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
        super().__init__(tree.hierarchy, columns, width, marked)
        self.tree = tree

    def __len__(self) -> int:
        return len(self.tree)

    def place_of(self, item: int) -> int | None:
        """Number of an item's row; None when it is not listed."""
        return self.tree.place_of(item)

    def _make(self, place: int) -> Row:
        item, depth = int(self.tree.items[place]), int(self.tree.depths[place])
        sign = item_labels.SIGNS[item in self.tree.opened] if self.hierarchy.opens(item) else item_labels.LEAF
        lead = " " * min(INDENT * depth, self.width // MOST_INDENT_PART) + sign
        return self._of(item, lead, self._label(place, item, lead))

    def _beside(self, place: int) -> Sequence[int]:
        item = int(self.tree.items[place])
        siblings = self.hierarchy.children(int(self.hierarchy.parent[item]))
        found = np.flatnonzero(siblings == item)
        return together(siblings, int(found[0])) if len(found) else [item]

    def _name(self, item: int) -> str:
        return argument_title(self.hierarchy.leaf(item))


def together(items: npt.NDArray[np.int32], place: int) -> list[int]:
    """The items whose names are told apart together with that of the one at a place."""
    start = place // TOGETHER * TOGETHER
    found: list[int] = items[start : start + TOGETHER].tolist()
    return found
