"""Rows of items with as many columns as fit next to their names, and the rows of the tree. Imports no Textual."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width
from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.graph import argument_title
from tbtui.plugins.graphs.item_columns import pad_cell
from tbtui.view.run_names import fit_names

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.item_columns import Column
    from tbtui.plugins.graphs.tree import Tree

INDENT = 2
MAX_INDENT_SHARE = 1 / 3
"""Rows are indented by at most this share of their width, so that deep names stay visible."""

MAX_COMPARED_NAMES = 64
"""Maximum number of names that are shortened together so that they stay distinct: about a screen of lines."""


MAX_CHAR_COLUMNS = 2
"""Maximum terminal columns of a character."""


class ItemRows(Sequence["Row"]):
    """Rows of items, created on demand; their keys are the items.

    Args:
        hierarchy: Hierarchy of the graph.
        columns: Columns from left to right.
        width: Terminal columns of a row.
        highlighted: bool[items]: highlighted items; None if nothing is highlighted.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        columns: Sequence[Column],
        width: int,
        highlighted: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        self.hierarchy = hierarchy
        self.columns = columns
        self.width = width
        self._labels: dict[int, str] = {}
        self._highlighted = highlighted
        self._rows: dict[int, Row] = {}

    def row_index(self, item: int) -> int | None:
        """Return the index of the row of an item; None if it has none."""
        raise NotImplementedError

    def _row_at(self, index: int) -> Row:
        """Build a row."""
        raise NotImplementedError

    def _compared_items(self, index: int) -> Sequence[int]:
        """Return the items whose names are shortened together with that of a row, itself included."""
        raise NotImplementedError

    def _name(self, item: int) -> str:
        """Return the full name of an item."""
        raise NotImplementedError

    def _label(self, index: int, item: int, prefix: str) -> str:
        """Return as much of a name as fits after a prefix; distinct from its neighbours."""
        if item not in self._labels:
            items = self._compared_items(index)
            names = tuple(map(self._name, items))
            row_width = self.width - cell_width(prefix)
            widths = tuple(max(row_width - self._right_width(item), 0) for item in items)
            # Tools put prefixes before names of functions, so that their ends differ.
            by_ends = all(self.hierarchy.kind(item) == "function" for item in items)
            labels = fit_names(names, measure_longest(names), widths, by_ends=by_ends)
            self._labels |= zip(items, labels, strict=True)
        return self._labels[item]

    def _columns_from_first_text(self, item: int) -> Sequence[Column]:
        """Return the columns from the first with content on: a name may cover those before it."""
        return list(itertools.dropwhile(lambda column: not column.text(item), self.columns))

    def _right_width(self, item: int) -> int:
        columns = self._columns_from_first_text(item)
        return sum(column.width + 1 for column in columns) + 1 if columns else 0

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self._cached_row(row) for row in range(*index.indices(len(self)))]
        return self._cached_row(range(len(self))[index])

    def _cached_row(self, index: int) -> Row:
        row = self._rows.get(index)
        if row is None:
            row = self._rows[index] = self._row_at(index)
        return row

    def _build_row(self, item: int, prefix: str, label: str) -> Row:
        ink = Ink.TEXT
        if self._highlighted is not None:
            ink = Ink.ACCENT if self._highlighted[item] else Ink.DIM
        right = "".join(pad_cell(column, column.text(item)) for column in self._columns_from_first_text(item))
        return Row(str(item), ((prefix, Ink.DIM),), label, ink, right=((right, Ink.DIM),))


class TreeRows(ItemRows):
    """Rows of a tree.

    Args:
        tree: Listed items.
        columns: Columns from left to right.
        width: Terminal columns of a row.
        highlighted: bool[items]: highlighted items; None if nothing is highlighted.
    """

    def __init__(
        self, tree: Tree, columns: Sequence[Column], width: int, highlighted: npt.NDArray[np.bool_] | None = None
    ) -> None:
        super().__init__(tree.hierarchy, columns, width, highlighted)
        self.tree = tree

    def __len__(self) -> int:
        return len(self.tree)

    def row_index(self, item: int) -> int | None:
        return self.tree.row_index(item)

    def _row_at(self, index: int) -> Row:
        item, depth = int(self.tree.items[index]), int(self.tree.depths[index])
        sign = (
            item_labels.FOLD_SIGNS[item in self.tree.opened]
            if self.hierarchy.has_children(item)
            else item_labels.LEAF_SIGN
        )
        prefix = " " * min(INDENT * depth, int(MAX_INDENT_SHARE * self.width)) + sign
        return self._build_row(item, prefix, self._label(index, item, prefix))

    def _compared_items(self, index: int) -> Sequence[int]:
        item = int(self.tree.items[index])
        siblings = self.hierarchy.children(int(self.hierarchy.parent[item]))
        matches = np.flatnonzero(siblings == item)
        return list_neighbours(siblings, int(matches[0])) if len(matches) else [item]

    def _name(self, item: int) -> str:
        return argument_title(self.hierarchy.leaf(item))


def list_neighbours(items: npt.NDArray[np.int32], index: int) -> list[int]:
    """Return the items whose names are shortened together with that of the item at an index."""
    start = index // MAX_COMPARED_NAMES * MAX_COMPARED_NAMES
    neighbours: list[int] = items[start : start + MAX_COMPARED_NAMES].tolist()
    return neighbours


def measure_longest(names: Sequence[str]) -> int:
    """Return a width that each name fits in, so that `fit_names` drops no common parts, which other rows may need."""
    return MAX_CHAR_COLUMNS * max(map(len, names), default=0)
