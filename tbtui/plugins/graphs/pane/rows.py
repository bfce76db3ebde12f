"""Rows of the tree and of the table of operations, with as many columns beside the names as fit. Imports no Textual."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width, pad
from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.graph import argument_title
from tbtui.plugins.graphs.profile import item_cost_text
from tbtui.view.run_names import fit_names
from tbtui.view.run_tree import common_label_length

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.profile import Times
    from tbtui.plugins.graphs.tree import Tree


MIN_NAME_WIDTH = 20
"""Minimum terminal columns of a name."""

PARAMETERS_WIDTH = 7
"""Width of the number of parameters: that of `999,999`; a lower bound has a sign more."""

NAME = "name"
"""Title of the column of names."""

ORDER = ("type", "shape", "device", "params", "time", "memory")
"""Titles of columns from left to right."""


class Column(NamedTuple):
    """A column beside the names."""

    title: str
    width: int
    text: Callable[[int], str]
    at_right: bool = True


def known_columns(hierarchy: Hierarchy, times: Times | None) -> tuple[Column, ...]:
    """Return the columns with content, the most useful first; the cost is one pass over all nodes.

    Args:
        hierarchy: Hierarchy of the graph.
        times: Costs of a run; None if not available.
    """
    parameters, columns = hierarchy.parameters, []
    if times is not None and times.whole("time"):
        columns.append(Column("time", 7, lambda item: item_cost_text(times, item, "time")))
    if parameters:
        width = PARAMETERS_WIDTH + bool(parameters.is_at_least.any())
        columns.append(Column("params", width, lambda item: parameters.text(item, width)))
    columns.append(Column("type", 13, lambda item: item_labels.kind_text(hierarchy, item), at_right=False))
    columns.append(Column("shape", 12, lambda item: item_labels.shapes_text(hierarchy.shapes(item)), at_right=False))
    if times is not None and times.whole("memory"):
        columns.append(Column("memory", 8, lambda item: item_cost_text(times, item, "memory")))
    if any(hierarchy.graph.parsed.devices):
        columns.append(
            Column("device", 8, lambda item: item_labels.devices_text(hierarchy.devices(item)), at_right=False)
        )
    return tuple(columns)


def fitting_columns(known: Sequence[Column], width: int, first: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return as many columns as fit beside names, in order.

    Args:
        known: From `known_columns`.
        width: Terminal columns of a row.
        first: Titles of columns that are preferred.
    """

    def weight(column: Column) -> int:
        return first.index(column.title) if column.title in first else len(first)

    chosen: list[Column] = []
    room = width - MIN_NAME_WIDTH
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


INDENT = 2
MAX_INDENT_PART = 3
"""Rows are indented by at most this fraction (1/3) of their width, so that deep names stay visible."""

COMPARED_NAMES = 64
"""Names that are shortened together so that they stay distinct: about a screen of lines."""


class ItemRows(Sequence["Row"]):
    """Rows of items, created on demand; their keys are the items.

    Args:
        hierarchy: Hierarchy of the graph.
        columns: Columns beside names.
        width: Terminal columns of a row.
        marked: bool[items]: highlighted items; None if there are none.
    """

    def __init__(
        self, hierarchy: Hierarchy, columns: Sequence[Column], width: int, marked: npt.NDArray[np.bool_] | None = None
    ) -> None:
        self.hierarchy = hierarchy
        self.columns = columns
        self.width = width
        self._labels: dict[int, str] = {}
        self._marked = marked
        self._rows: dict[int, Row] = {}

    def place_of(self, item: int) -> int | None:
        """Return the row of an item; None if it has none."""
        raise NotImplementedError

    def _make(self, place: int) -> Row:
        raise NotImplementedError

    def _beside(self, place: int) -> Sequence[int]:
        """Return the items whose names are shortened together with that of a row, itself included; few."""
        raise NotImplementedError

    def _name(self, item: int) -> str:
        """Return the full name of an item."""
        raise NotImplementedError

    def _label(self, place: int, item: int, lead: str) -> str:
        """Return as much of a name as fits behind `lead`; distinct from its neighbours."""
        if item not in self._labels:
            items = self._beside(place)
            names = tuple(map(self._name, items))
            room = self.width - cell_width(lead)
            rooms = tuple(max(room - self._right_width(item), 0) for item in items)
            longest = max(map(len, names))  # keeps common parts of names: rows come and go
            # Tools put prefixes before names of functions: the end is what differs.
            by_ends = all(self.hierarchy.kind(each) == "function" for each in items)
            self._labels |= zip(items, fit_names(names, 2 * longest, rooms, by_ends=by_ends), strict=True)
        return self._labels[item]

    def _columns_from_first_text(self, item: int) -> Sequence[Column]:
        """Return the columns from the first with content on: a name may reach up to there."""
        silent = itertools.takewhile(lambda column: not column.text(item), self.columns)
        return self.columns[sum(1 for _ in silent) :]

    def _right_width(self, item: int) -> int:
        columns = self._columns_from_first_text(item)
        return sum(column.width + 1 for column in columns) + 1 if columns else 0

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self._row(place) for place in range(*index.indices(len(self)))]
        return self._row(range(len(self))[index])

    def _row(self, place: int) -> Row:
        row = self._rows.get(place)
        if row is None:
            row = self._rows[place] = self._make(place)
        return row

    def _of(self, item: int, lead: str, label: str) -> Row:
        ink = Ink.TEXT
        if self._marked is not None:
            ink = Ink.ACCENT if self._marked[item] else Ink.DIM
        right = "".join(cell(column, column.text(item)) for column in self._columns_from_first_text(item))
        return Row(str(item), ((lead, Ink.DIM),), label, ink, right=((right, Ink.DIM),))


class TreeRows(ItemRows):
    """Rows of a tree.

    Args:
        tree: Listed items.
        columns: Columns beside names.
        width: Terminal columns of a row.
        marked: bool[items]: highlighted items.
    """

    def __init__(
        self, tree: Tree, columns: Sequence[Column], width: int, marked: npt.NDArray[np.bool_] | None = None
    ) -> None:
        super().__init__(tree.hierarchy, columns, width, marked)
        self.tree = tree

    def __len__(self) -> int:
        return len(self.tree)

    def place_of(self, item: int) -> int | None:
        return self.tree.place_of(item)

    def _make(self, place: int) -> Row:
        item, depth = int(self.tree.items[place]), int(self.tree.depths[place])
        sign = item_labels.FOLD_SIGNS[item in self.tree.opened] if self.hierarchy.opens(item) else item_labels.LEAF_SIGN
        lead = " " * min(INDENT * depth, self.width // MAX_INDENT_PART) + sign
        return self._of(item, lead, self._label(place, item, lead))

    def _beside(self, place: int) -> Sequence[int]:
        item = int(self.tree.items[place])
        siblings = self.hierarchy.children(int(self.hierarchy.parent[item]))
        found = np.flatnonzero(siblings == item)
        return neighbouring_items(siblings, int(found[0])) if len(found) else [item]

    def _name(self, item: int) -> str:
        return argument_title(self.hierarchy.leaf(item))


def neighbouring_items(items: npt.NDArray[np.int32], place: int) -> list[int]:
    """Return the items whose names are shortened together with that of a row."""
    start = place // COMPARED_NAMES * COMPARED_NAMES
    found: list[int] = items[start : start + COMPARED_NAMES].tolist()
    return found


FALLS_FIRST = frozenset({"shape", "params", "time", "memory"})
"""Columns that are sorted in descending order first."""

SORT_SIGNS = {True: "▼", False: "▲"}


class Operations:
    """Sorted nodes.

    Args:
        hierarchy: Hierarchy of the graph.
        times: Costs of a run.
        nodes: Listed nodes, copies included, in tree order.
        sort: Title of the column to sort by; empty for tree order.
        descending: Sort in descending order; nodes without a value are last in any case.
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
        """Name of the common scope of all nodes with its last separator; empty for the root."""

        self._places = np.full(len(hierarchy), -1, np.int32)
        self._places[nodes] = np.arange(len(nodes))

    def __len__(self) -> int:
        return len(self.items)

    def is_sorted_unlike(self, other: Operations) -> bool:
        """Return True if the nodes are sorted by a column, and not in the order of the others."""
        return bool(self.sort) and (self.sort, self.descending) != (other.sort, other.descending)

    def place_of(self, item: int) -> int | None:
        """Return the row of a node; None if it is not listed."""
        place = int(self._places[item]) if 0 <= item < len(self._places) else -1
        return None if place < 0 else place

    def nearest(self, item: int) -> int | None:
        """Return the first listed node that is an item or inside it, else the nearest listed item around it."""
        places = self._places[self.hierarchy.under(item)]
        listed = places[places >= 0]
        if len(listed):
            return int(self.items[listed.min()])
        return next((around for around in self.hierarchy.path(item)[::-1] if self.place_of(around) is not None), None)


def _common_scope(hierarchy: Hierarchy, nodes: npt.NDArray[np.int32]) -> str:
    names = [item_labels.full_name(hierarchy, node) for node in nodes.tolist()]
    start = max(common_label_length(names), 0)  # -1 for no names
    return names[0][: names[0].rfind("/", 0, start) + 1] if start else ""


def _keys(
    hierarchy: Hierarchy, times: Times | None, nodes: npt.NDArray[np.int32], sort: str
) -> npt.NDArray[np.float64] | None:
    """Return sort keys; NaN, which sorts last in any order, for nodes without a value."""
    nodes = hierarchy.original[nodes]
    if sort == "params":
        return _or_nan(hierarchy.parameters.counts[nodes])
    if sort in ("time", "memory") and times is not None:
        return _or_nan(times.of("time" if sort == "time" else "memory")[nodes])
    if sort == "shape":
        return np.array([_elements(hierarchy, node) for node in nodes.tolist()], np.float64)
    graph = hierarchy.graph
    texts = {NAME: hierarchy.name, "type": hierarchy.op, "device": graph.device}.get(sort)
    if texts is None:
        return None
    node_texts = [texts(node) for node in nodes.tolist()]
    ranks = {text: rank if text else math.nan for rank, text in enumerate(sorted(set(node_texts)))}
    return np.array([ranks[text] for text in node_texts], np.float64)


def _or_nan(figures: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Replace zeros by NaN: their cells are empty."""
    known = figures.astype(np.float64)
    return np.where(known > 0, known, np.nan)


def _elements(hierarchy: Hierarchy, node: int) -> float:
    """Return the number of output elements of a node; unknown lengths count as one."""
    shapes = [shape for shape in hierarchy.shapes(node) if shape is not None]
    return (
        float(sum(math.prod(map(float, (max(side, 1) for side in shape))) for shape in shapes)) if shapes else math.nan
    )


class OperationRows(ItemRows):
    """Rows of the table of operations.

    Args:
        operations: Listed nodes.
        columns: Columns beside names.
        width: Terminal columns of a row.
        marked: bool[items]: highlighted items.
    """

    def __init__(
        self, operations: Operations, columns: Sequence[Column], width: int, marked: npt.NDArray[np.bool_] | None = None
    ) -> None:
        super().__init__(operations.hierarchy, columns, width, marked)
        self.operations = operations

    def __len__(self) -> int:
        return len(self.operations)

    def place_of(self, item: int) -> int | None:
        return self.operations.place_of(item)

    def _make(self, place: int) -> Row:
        item = int(self.operations.items[place])
        return self._of(item, "", self._label(place, item, ""))

    def _beside(self, place: int) -> Sequence[int]:
        return neighbouring_items(self.operations.items, place)

    def _name(self, item: int) -> str:
        return item_labels.label_path(self.hierarchy, item).removeprefix(self.operations.scope)


def table_header(
    columns: Sequence[Column], sort: str, *, descending: bool, cursor: str, scope: str = "", of: str = ""
) -> tuple[tuple[Piece, ...], ...]:
    """Return the header, left and right: titles of columns, with a sign at the sorted one.

    Args:
        columns: Columns beside names.
        sort: Title of the sorted column; empty: none.
        descending: Direction of the order.
        cursor: Title of the column that the sort key acts on; empty: none.
        scope: Common scope that the names omit, with its last separator.
        of: Word about all rows: `found`.
    """

    def title(column: str) -> str:
        return f"{SORT_SIGNS[descending]}{column}" if column == sort else column

    def ink(column: str) -> int:
        return Ink.ACCENT if column == cursor else Ink.DIM

    scope_text = " ".join(filter(None, (of, scope and f"in {scope}")))
    inside: tuple[Piece, ...] = ((f" {scope_text}", Ink.DIM),) if scope_text else ()
    return ((title(NAME), ink(NAME)), *inside), tuple((cell(one, title(one.title)), ink(one.title)) for one in columns)
