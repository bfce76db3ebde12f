"""Which parts of the tab stand on a screen of some size, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from tbtui.viewstate.graph_looks import GraphView

BESIDE_FROM_WIDTH = 72
"""Columns from which on the tree stands beside the diagram; in fewer one of the two shows."""

LEAST_TREE, MOST_TREE = 28, 48
TREE_PART = 3
"""The tree takes one part in so many of the columns."""

DETAILS_FROM_HEIGHT = 16
"""Lines from which on it is told what is under the cursor."""

BELOW_PART, LEAST_BELOW, MOST_BELOW = 6, 3, 8
"""Below a view that has all columns, details take one part in so many of the lines."""

BESIDE_PART, MOST_BESIDE = 3, 14
"""Likewise below the tree, where they take nothing from the diagram: what models are made of is long, not wide."""

HEADS_FROM_HEIGHT = 8
"""Lines of a tree from which on its columns have titles."""


class Area(NamedTuple):
    """Cells of the pane."""

    x: int
    y: int
    width: int
    height: int


NOWHERE = Area(0, 0, 0, 0)


@frozen
class Arrangement:
    """Where each part stands; those without cells do not show."""

    title: Area
    view: Area
    heads: Area
    """Of the tree."""

    tree: Area
    details_title: Area
    details: Area
    bar: Area


def arranged(width: int, height: int, view: GraphView, *, searched: bool) -> Arrangement:
    """Decide where everything stands.

    Args:
        width: Columns of the pane.
        height: Its lines.
        view: The one that has the keys.
        searched: Whether a line is needed for what is searched for.
    """
    bar = Area(0, height - 1, width, 1) if searched else NOWHERE
    title, room = Area(0, 0, width, 1), max(height - 1 - searched, 1)
    told = height >= DETAILS_FROM_HEIGHT
    if width >= BESIDE_FROM_WIDTH:
        left = max(LEAST_TREE, min(width // TREE_PART, MOST_TREE))
        details = min(room // BESIDE_PART, MOST_BESIDE) if told else 0
        tree, heads, below = _with_details(Area(0, 1, left, room), details)
        return Arrangement(title, Area(left + 1, 1, width - left - 1, room), *_with_heads(tree), heads, below, bar)
    details = max(LEAST_BELOW, min(room // BELOW_PART, MOST_BELOW)) if told else 0
    shown, heads, below = _with_details(Area(0, 1, width, room), details)
    if view == "tree":
        return Arrangement(title, NOWHERE, *_with_heads(shown), heads, below, bar)
    return Arrangement(title, shown, NOWHERE, NOWHERE, heads, below, bar)


def _with_details(column: Area, details: int) -> tuple[Area, Area, Area]:
    """A column of the pane with details below it: what is left, the title, the details."""
    if not details:
        return column, NOWHERE, NOWHERE
    x, y, width, height = column
    left = height - details - 1
    # Lists end in an edge, which the title leaves free.
    return Area(x, y, width, left), Area(x, y + left, width - 1, 1), Area(x, y + left + 1, width, details)


def _with_heads(tree: Area) -> tuple[Area, Area]:
    """The titles of the tree's columns, and the tree."""
    x, y, width, height = tree
    if height < HEADS_FROM_HEIGHT:
        return NOWHERE, tree
    return Area(x, y, width, 1), Area(x, y + 1, width, height - 1)
