"""Rows of the tree and of the table of operations: items with as many columns as fit next to their names.

Imports no Textual.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width
from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.graph import format_argument_title
from tbtui.plugins.graphs.item_columns import NAME, pad_cell
from tbtui.view.run_names import fit_names
from tbtui.view.run_tree import measure_common_label

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.graphs.costs import RunCosts
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

    def _list_compared_items(self, index: int) -> Sequence[int]:
        """Return the items whose names are shortened together with that of a row, itself included."""
        raise NotImplementedError

    def _name(self, item: int) -> str:
        """Return the full name of an item."""
        raise NotImplementedError

    def _label(self, index: int, item: int, prefix: str) -> str:
        """Return as much of a name as fits after a prefix; distinct from its neighbours."""
        if item not in self._labels:
            items = self._list_compared_items(index)
            names = tuple(map(self._name, items))
            row_width = self.width - cell_width(prefix)
            widths = tuple(max(row_width - self._measure_right(item), 0) for item in items)
            # Tools put prefixes before names of functions, so that their ends differ.
            by_ends = all(self.hierarchy.kind(item) == "function" for item in items)
            labels = fit_names(names, measure_longest(names), widths, by_ends=by_ends)
            self._labels |= zip(items, labels, strict=True)
        return self._labels[item]

    def _list_columns_from_first_text(self, item: int) -> Sequence[Column]:
        """Return the columns from the first with content on: a name may cover those before it."""
        return list(itertools.dropwhile(lambda column: not column.text(item), self.columns))

    def _measure_right(self, item: int) -> int:
        columns = self._list_columns_from_first_text(item)
        return sum(column.width + 1 for column in columns) + 1 if columns else 0

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self._get_row(row) for row in range(*index.indices(len(self)))]
        return self._get_row(range(len(self))[index])

    def _get_row(self, index: int) -> Row:
        row = self._rows.get(index)
        if row is None:
            row = self._rows[index] = self._row_at(index)
        return row

    def _build_row(self, item: int, prefix: str, label: str) -> Row:
        ink = Ink.TEXT
        if self._highlighted is not None:
            ink = Ink.ACCENT if self._highlighted[item] else Ink.DIM
        right = "".join(pad_cell(column, column.text(item)) for column in self._list_columns_from_first_text(item))
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

    def _list_compared_items(self, index: int) -> Sequence[int]:
        item = int(self.tree.items[index])
        siblings = self.hierarchy.children(int(self.hierarchy.parent[item]))
        matches = np.flatnonzero(siblings == item)
        return list_neighbours(siblings, int(matches[0])) if len(matches) else [item]

    def _name(self, item: int) -> str:
        return format_argument_title(self.hierarchy.leaf(item))


def list_neighbours(items: npt.NDArray[np.int32], index: int) -> list[int]:
    """Return the items whose names are shortened together with that of the item at an index."""
    start = index // MAX_COMPARED_NAMES * MAX_COMPARED_NAMES
    neighbours: list[int] = items[start : start + MAX_COMPARED_NAMES].tolist()
    return neighbours


def measure_longest(names: Sequence[str]) -> int:
    """Return a width that each name fits in, so that `fit_names` drops no common parts, which other rows may need."""
    return MAX_CHAR_COLUMNS * max(map(len, names), default=0)


class SortedOperations:
    """Nodes of a graph, sorted by a column of the table.

    Args:
        hierarchy: Hierarchy of the graph.
        costs: Costs of a run.
        nodes: Listed nodes, copies included, in tree order.
        sort: Title of the column to sort by; empty for tree order.
        descending: Sort in descending order; nodes without a value are last in any case.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        costs: RunCosts | None,
        nodes: npt.NDArray[np.int32],
        sort: str = "",
        *,
        descending: bool = False,
    ) -> None:
        self.hierarchy, self.sort, self.descending = hierarchy, sort, descending
        keys = _sort_keys(hierarchy, costs, nodes, sort)
        if keys is not None:
            order = np.argsort(-keys if descending else keys, kind="stable")
            nodes = nodes[order]
        self.items = nodes
        self.scope = _find_common_scope(hierarchy, nodes)
        """Name of the common scope of all nodes with its last separator; empty for the root."""

        self._row_indices = np.full(len(hierarchy), -1, np.int32)
        self._row_indices[nodes] = np.arange(len(nodes))

    def __len__(self) -> int:
        return len(self.items)

    def is_sorted_unlike(self, other: SortedOperations) -> bool:
        """Return True if the nodes are sorted by a column, and in another order than the other nodes."""
        return bool(self.sort) and (self.sort, self.descending) != (other.sort, other.descending)

    def row_index(self, item: int) -> int | None:
        """Return the index of the row of a node; None if it is not listed."""
        index = int(self._row_indices[item]) if 0 <= item < len(self._row_indices) else -1
        return None if index < 0 else index

    def nearest(self, item: int) -> int | None:
        """Return the item if it is listed, else the first listed node inside it, else the nearest listed ancestor."""
        indices = self._row_indices[self.hierarchy.list_all_nodes(item)]
        listed = indices[indices >= 0]
        if len(listed):
            return int(self.items[listed.min()])
        return next((above for above in self.hierarchy.path(item)[::-1] if self.row_index(above) is not None), None)


def _find_common_scope(hierarchy: Hierarchy, nodes: npt.NDArray[np.int32]) -> str:
    names = [item_labels.format_full_name(hierarchy, node) for node in nodes.tolist()]
    start = max(measure_common_label(names), 0)  # -1 for no names
    return names[0][: names[0].rfind("/", 0, start) + 1] if start else ""


def _sort_keys(
    hierarchy: Hierarchy, costs: RunCosts | None, nodes: npt.NDArray[np.int32], sort: str
) -> npt.NDArray[np.float64] | None:
    """Return sort keys; NaN, which sorts last in any order, for nodes without a value."""
    nodes = hierarchy.original[nodes]
    if sort == "params":
        return _replace_zeros(hierarchy.parameters.counts[nodes])
    if sort in ("time", "memory") and costs is not None:
        return _replace_zeros(costs.list_by_item("time" if sort == "time" else "memory")[nodes])
    if sort == "shape":
        return np.array([_count_elements(hierarchy, node) for node in nodes.tolist()], np.float64)
    graph = hierarchy.graph
    texts = {NAME: hierarchy.name, "type": hierarchy.op, "device": graph.device}.get(sort)
    if texts is None:
        return None
    node_texts = [texts(node) for node in nodes.tolist()]
    ranks = {text: rank if text else math.nan for rank, text in enumerate(sorted(set(node_texts)))}
    return np.array([ranks[text] for text in node_texts], np.float64)


def _replace_zeros(numbers: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Replace zeros by NaN, because their cells are empty."""
    floats = numbers.astype(np.float64)
    return np.where(floats > 0, floats, np.nan)


def _count_elements(hierarchy: Hierarchy, node: int) -> float:
    """Return the number of output elements of a node; unknown lengths count as one. NaN if no shape is known."""
    shapes = [shape for shape in hierarchy.shapes(node) if shape is not None]
    if not shapes:
        return math.nan
    return float(sum(math.prod(float(max(length, 1)) for length in shape) for shape in shapes))


class OperationRows(ItemRows):
    """Rows of the table of operations.

    Args:
        operations: Listed nodes.
        columns: Columns from left to right.
        width: Terminal columns of a row.
        highlighted: bool[items]: highlighted items; None if nothing is highlighted.
    """

    def __init__(
        self,
        operations: SortedOperations,
        columns: Sequence[Column],
        width: int,
        highlighted: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        super().__init__(operations.hierarchy, columns, width, highlighted)
        self.operations = operations

    def __len__(self) -> int:
        return len(self.operations)

    def row_index(self, item: int) -> int | None:
        return self.operations.row_index(item)

    def _row_at(self, index: int) -> Row:
        item = int(self.operations.items[index])
        return self._build_row(item, "", self._label(index, item, ""))

    def _list_compared_items(self, index: int) -> Sequence[int]:
        return list_neighbours(self.operations.items, index)

    def _name(self, item: int) -> str:
        return item_labels.label_path(self.hierarchy, item).removeprefix(self.operations.scope)
