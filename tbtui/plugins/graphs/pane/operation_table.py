"""The table of operations: its nodes in the chosen order, and their rows. Imports no Textual."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.item_columns import NAME
from tbtui.plugins.graphs.pane.rows import ItemRows, list_neighbours
from tbtui.view.run_tree import measure_common_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.styled_text import Row
    from tbtui.plugins.graphs.costs import RunCosts
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.item_columns import Column


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
        indices = self._row_indices[self.hierarchy.all_nodes_in(item)]
        listed = indices[indices >= 0]
        if len(listed):
            return int(self.items[listed.min()])
        return next((above for above in self.hierarchy.path(item)[::-1] if self.row_index(above) is not None), None)


def _find_common_scope(hierarchy: Hierarchy, nodes: npt.NDArray[np.int32]) -> str:
    names = [item_labels.full_name(hierarchy, node) for node in nodes.tolist()]
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
        return _replace_zeros(costs.by_item("time" if sort == "time" else "memory")[nodes])
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

    def _compared_items(self, index: int) -> Sequence[int]:
        return list_neighbours(self.operations.items, index)

    def _name(self, item: int) -> str:
        return item_labels.label_path(self.hierarchy, item).removeprefix(self.operations.scope)
