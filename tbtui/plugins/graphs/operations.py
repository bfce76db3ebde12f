"""The table of operations: nodes of a graph, of a scope, or those that were found, in the order of any column."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.columns import NAME, cell
from tbtui.plugins.graphs.rows import ItemRows, together
from tbtui.viewstate.run_tree import common_start

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.columns import Column
    from tbtui.plugins.graphs.times import Times
    from tbtui.widgets.line import Piece
    from tbtui.widgets.row_list import Row

FALLS_FIRST = frozenset({"shape", "params", "time", "memory"})
"""Columns of figures, which are asked for because of the largest."""

SORT_SIGNS = {True: "▼", False: "▲"}


class Operations:
    """Nodes in an order.

    Args:
        hierarchy: That they are of.
        times: What a run cost.
        nodes: Those that are listed, copies too, in the order of the tree.
        sort: Title of a column; empty for the order of the tree.
        descending: Whether the largest stand first; those of which nothing is known stand last in any case.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        times: Times | None,
        nodes: npt.NDArray[np.int32],
        sort: str = "",
        *,
        descending: bool = False,
    ) -> None:
        self.hierarchy, self.sort, self.descending = hierarchy, sort, descending
        keys = _keys(hierarchy, times, nodes, sort)
        if keys is not None:
            order = np.argsort(-keys if descending else keys, kind="stable")
            nodes = nodes[order]
        self.items = nodes
        self.scope = _common_scope(hierarchy, nodes)
        """Name of the scope that all of them are in, with its last separator; empty where that is the graph."""

        self._places = np.full(len(hierarchy), -1, np.int32)
        self._places[nodes] = np.arange(len(nodes))

    def __len__(self) -> int:
        return len(self.items)

    def is_sorted_unlike(self, other: Operations) -> bool:
        """Whether these are sorted by a column, and others are not by the same in the same direction."""
        return bool(self.sort) and (self.sort, self.descending) != (other.sort, other.descending)

    def place_of(self, item: int) -> int | None:
        """Number of a node's row; None when it is not listed."""
        place = int(self._places[item]) if 0 <= item < len(self._places) else -1
        return None if place < 0 else place

    def nearest(self, item: int) -> int | None:
        """The first row that is of an item or in it, else of what it is in; None where there is none."""
        places = self._places[self.hierarchy.under(item)]
        listed = places[places >= 0]
        if len(listed):
            return int(self.items[listed.min()])
        return next((around for around in self.hierarchy.path(item)[::-1] if self.place_of(around) is not None), None)


def _common_scope(hierarchy: Hierarchy, nodes: npt.NDArray[np.int32]) -> str:
    names = [item_labels.full_name(hierarchy, node) for node in nodes.tolist()]
    start = max(common_start(names), 0)  # no name is a name, too
    return names[0][: names[0].rfind("/", 0, start) + 1] if start else ""


def _keys(
    hierarchy: Hierarchy, times: Times | None, nodes: npt.NDArray[np.int32], sort: str
) -> npt.NDArray[np.float64] | None:
    """Numbers by which nodes are sorted; NaN, which is last in any order, of those whose cells are empty."""
    nodes = hierarchy.original[nodes]
    if sort == "params":
        return _or_nan(hierarchy.parameters[nodes])
    if sort in ("time", "memory") and times is not None:
        return _or_nan(times.of("time" if sort == "time" else "memory")[nodes])
    if sort == "shape":
        return np.array([_elements(hierarchy, node) for node in nodes.tolist()], np.float64)
    graph = hierarchy.graph
    texts = {NAME: hierarchy.name, "type": hierarchy.op, "device": graph.device}.get(sort)
    if texts is None:
        return None
    held = [texts(node) for node in nodes.tolist()]
    ranks = {text: rank if text else math.nan for rank, text in enumerate(sorted(set(held)))}
    return np.array([ranks[text] for text in held], np.float64)


def _or_nan(figures: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Figures without those that are 0, of which cells say nothing."""
    known = figures.astype(np.float64)
    return np.where(known > 0, known, np.nan)


def _elements(hierarchy: Hierarchy, node: int) -> float:
    """How many numbers flow out of a node; lengths that are not known count as one."""
    shapes = [shape for shape in hierarchy.shapes(node) if shape is not None]
    return (
        float(sum(math.prod(map(float, (max(side, 1) for side in shape))) for shape in shapes)) if shapes else math.nan
    )


class OperationRows(ItemRows):
    """The rows of the table.

    Args:
        operations: What is listed.
        columns: What stands beside names.
        width: Terminal columns of a row.
        marked: Which items stand out.
    """

    def __init__(
        self, operations: Operations, columns: Sequence[Column], width: int, marked: npt.NDArray[np.bool_] | None = None
    ) -> None:
        super().__init__(operations.hierarchy, columns, width, marked)
        self.operations = operations

    def __len__(self) -> int:
        return len(self.operations)

    def place_of(self, item: int) -> int | None:
        """Number of a node's row; None when it is not listed."""
        return self.operations.place_of(item)

    def _make(self, place: int) -> Row:
        item = int(self.operations.items[place])
        return self._of(item, "", self._label(place, item, ""))

    def _beside(self, place: int) -> Sequence[int]:
        return together(self.operations.items, place)

    def _name(self, item: int) -> str:
        return item_labels.full_name(self.hierarchy, item).removeprefix(self.operations.scope)


def titles(
    columns: Sequence[Column], sort: str, *, descending: bool, cursor: str, scope: str = "", of: str = ""
) -> tuple[tuple[Piece, ...], ...]:
    """What stands above the rows, left and right: names of columns, the one that is sorted by with a sign.

    Args:
        columns: Beside the names.
        sort: The one that is sorted by; empty: none.
        descending: How.
        cursor: The one that a key would sort by; empty where no key does.
        scope: What is left out before all names, with its last separator.
        of: What all rows are: `found`.
    """

    def title(column: str) -> str:
        return f"{SORT_SIGNS[descending]}{column}" if column == sort else column

    def ink(column: str) -> int:
        return Ink.ACCENT if column == cursor else Ink.DIM

    told = " ".join(filter(None, (of, scope and f"in {scope}")))
    inside: tuple[Piece, ...] = ((f" {told}", Ink.DIM),) if told else ()
    return ((title(NAME), ink(NAME)), *inside), tuple((cell(one, title(one.title)), ink(one.title)) for one in columns)
