"""The rows of the tree: the items that the open scopes show."""

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
        apart: Series whose members are listed in their place.
    """

    def __init__(self, hierarchy: Hierarchy, opened: Collection[int], apart: frozenset[int] = frozenset()) -> None:
        self.hierarchy = hierarchy
        self.opened, self.apart = frozenset(opened), apart
        items, depths = _listed(hierarchy, opened, apart)
        self.items: npt.NDArray[np.int32] = items
        self.depths: npt.NDArray[np.int32] = depths
        self._places = np.full(len(hierarchy.parent), -1, np.int32)
        self._places[items] = np.arange(len(items))

    def __len__(self) -> int:
        return len(self.items)

    def place_of(self, item: int) -> int | None:
        """Return the row of an item; None if it is not listed."""
        place = int(self._places[item]) if 0 <= item < len(self._places) else -1
        return None if place < 0 else place


def listed_children(hierarchy: Hierarchy, item: int, apart: frozenset[int] = frozenset()) -> npt.NDArray[np.int32]:
    """Return the items that the tree lists below an item; the arguments of a function come last."""
    children = hierarchy.children(item, apart=apart)
    if hierarchy.kind(item) != "function":
        return children
    is_argument = [hierarchy.op(child) == ARGUMENT_OP for child in children.tolist()]
    return children[np.argsort(is_argument, kind="stable")]


def _listed(
    hierarchy: Hierarchy, opened: Collection[int], apart: frozenset[int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the items in order and their depths: children of the root, those of open items, and the library."""
    is_open = np.zeros(len(hierarchy.parent), np.bool_)
    is_open[[item for item in opened if 0 <= item < len(is_open)]] = True
    first = hierarchy.children(hierarchy.root, apart=apart)
    if hierarchy.library >= 0 and hierarchy.library not in first:
        first = np.append(first, np.int32(hierarchy.library))
    parts: list[tuple[npt.NDArray[np.int32], int]] = []
    waiting = [(first, 0)]
    while waiting:
        items, depth = waiting.pop()
        places = np.flatnonzero(is_open[items])
        if not len(places):
            parts.append((items, depth))
            continue
        index = int(places[0])
        parts.append((items[: index + 1], depth))
        waiting += [(items[index + 1 :], depth), (listed_children(hierarchy, int(items[index]), apart), depth + 1)]
    if not parts:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    depths = np.repeat([depth for _, depth in parts], [len(items) for items, _ in parts])
    return np.concatenate([items for items, _ in parts]).astype(np.int32), depths.astype(np.int32)
