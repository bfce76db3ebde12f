"""The items that the tree lists: the content of the open scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.plugins.graphs.graph import ARGUMENT_OP

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from tbtui.plugins.graphs.hierarchy import Hierarchy


class Tree:
    """The listed items from top to bottom, and their depths.

    Args:
        hierarchy: Hierarchy of the graph.
        opened: Items that are open.
        ungrouped: Series whose members are listed instead of them.
    """

    def __init__(self, hierarchy: Hierarchy, opened: Collection[int], ungrouped: frozenset[int] = frozenset()) -> None:
        self.hierarchy = hierarchy
        self.opened, self.ungrouped = frozenset(opened), ungrouped
        items, depths = _list_items(hierarchy, opened, ungrouped)
        self.items: npt.NDArray[np.int32] = items
        self.depths: npt.NDArray[np.int32] = depths
        self._row_indices = np.full(len(hierarchy.parent), -1, np.int32)
        self._row_indices[items] = np.arange(len(items))

    def __len__(self) -> int:
        return len(self.items)

    def row_index(self, item: int) -> int | None:
        """Return the index of the row of an item; None if it is not listed."""
        index = int(self._row_indices[item]) if 0 <= item < len(self._row_indices) else -1
        return None if index < 0 else index


def list_children(hierarchy: Hierarchy, item: int, ungrouped: frozenset[int] = frozenset()) -> npt.NDArray[np.int32]:
    """Return the items that the tree lists below an item; the arguments of a function come last."""
    children = hierarchy.children(item, ungrouped=ungrouped)
    if hierarchy.kind(item) != "function":
        return children
    is_argument = [hierarchy.op(child) == ARGUMENT_OP for child in children.tolist()]
    return children[np.argsort(is_argument, kind="stable")]


def _list_items(
    hierarchy: Hierarchy, opened: Collection[int], ungrouped: frozenset[int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the items in order and their depths: children of the root, those of open items, and the library."""
    is_open = np.zeros(len(hierarchy.parent), np.bool_)
    is_open[[item for item in opened if 0 <= item < len(is_open)]] = True
    outermost = hierarchy.children(hierarchy.root, ungrouped=ungrouped)
    if hierarchy.library >= 0 and hierarchy.library not in outermost:
        outermost = np.append(outermost, np.int32(hierarchy.library))
    parts: list[tuple[npt.NDArray[np.int32], int]] = []
    pending = [(outermost, 0)]
    while pending:
        items, depth = pending.pop()
        open_indices = np.flatnonzero(is_open[items])
        if not len(open_indices):
            parts.append((items, depth))
            continue
        index = int(open_indices[0])
        parts.append((items[: index + 1], depth))
        pending += [(items[index + 1 :], depth), (list_children(hierarchy, int(items[index]), ungrouped), depth + 1)]
    if not parts:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    depths = np.repeat([depth for _, depth in parts], [len(items) for items, _ in parts])
    return np.concatenate([items for items, _ in parts]).astype(np.int32), depths.astype(np.int32)
