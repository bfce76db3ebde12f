"""Which parts of the tab stand on a screen of some size, and how large each is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.viewstate.graph_looks import GraphView

BESIDE_FROM_WIDTH = 72
"""Columns from which on the tree stands beside the diagram; in fewer one of the two shows."""

LEAST_TREE, MOST_TREE = 24, 44
TREE_PART = 3
"""The tree takes one part in so many of the columns."""

DETAILS_FROM_HEIGHT = 15
"""Lines from which on it is told below what is under the cursor."""

DETAILS_PART = 4
LEAST_DETAILS, MOST_DETAILS = 4, 11

HEADS_FROM_HEIGHT = 13
"""Lines from which on the columns of the tree have titles."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What shows."""

    tree_width: int | None
    """Columns of the tree beside the view; None: it has all of them."""

    tree: bool
    view: bool
    details_height: int
    """Lines of the details, without the one that sets them off; 0: they do not show."""

    heads: bool


def arranged(width: int, height: int, view: GraphView) -> Arrangement:
    """Decide what shows.

    Args:
        width: Columns of the pane.
        height: Its lines, without the title.
        view: The one that has the keys.
    """
    details = max(LEAST_DETAILS, min(height // DETAILS_PART, MOST_DETAILS)) if height >= DETAILS_FROM_HEIGHT else 0
    beside = width >= BESIDE_FROM_WIDTH
    tree_width = max(LEAST_TREE, min(width // TREE_PART, MOST_TREE)) if beside else None
    return Arrangement(
        tree_width,
        tree=beside or view == "tree",
        view=beside or view != "tree",
        details_height=details,
        heads=height >= HEADS_FROM_HEIGHT,
    )
