"""How many boxes a picture of a graph may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from tbtui.graphs.hierarchy import Hierarchy

MOST_BOXES = 50_000
"""Of one diagram: they take some four seconds and 200 MB, and nobody sees the flow in more."""


def too_many_boxes(hierarchy: Hierarchy, of: int, opened: AbstractSet[int], apart: AbstractSet[int]) -> int | None:
    """How many boxes a diagram would have, at least; None while it may have them.

    Args:
        hierarchy: Of the graph.
        of: The item that it would be a diagram of.
        opened: Items whose boxes would have diagrams inside.
        apart: Series whose members would stand in their place.
    """
    open_boxes = np.array(sorted(opened), np.int64)
    inside, boxes = [of], 0
    while inside:
        items = hierarchy.children(inside.pop(), apart=apart)
        inside += np.intersect1d(items, open_boxes).tolist()
        boxes += len(items)
        if boxes > MOST_BOXES:
            return boxes
    return None
