"""How much of a graph is open at first: a screen with hardly a box on it tells hardly anything."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.diagram_faces import NAMES
from tbtui.graphs.layout import lay_out
from tbtui.graphs.level import level
from tbtui.plugins.graphs.navigation import MOST_BOXES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation

FEW = 4
"""Boxes up to which those that are scopes are opened, where all of that has room."""

LEAST_INSIDE = 2
"""Boxes in a scope that is worth opening."""


class Room(NamedTuple):
    """Where a diagram is to be drawn, and how."""

    width: int
    height: int
    """Cells."""

    across: bool = False
    aside: bool = True


def expand_initially(hierarchy: Hierarchy, look: Navigation, room: Room) -> Navigation:
    """A look with scopes opened, level by level, as long as there are few boxes and all of them fit in with frames.

    What leads through more boxes than that stays as it is: modules say more than the operations in them.
    """
    while True:
        boxes = list(islice(_closed(hierarchy, look, look.inside), FEW + 1))
        if len(boxes) > FEW:
            return look
        scopes = [box for box in boxes if hierarchy.kind(box) == "scope"]
        opening = frozenset(box for box in scopes if len(hierarchy.children(box)) >= LEAST_INSIDE)
        if not 0 < sum(len(hierarchy.children(box)) for box in opening) <= MOST_BOXES:
            return look
        opened = replace(look, opened=look.opened | opening)
        if not _fits(hierarchy, opened, room):
            return look
        look = opened


def _closed(hierarchy: Hierarchy, look: Navigation, scope: int) -> Iterator[int]:
    """What is seen of a scope and has nothing open inside."""
    for item in hierarchy.children(scope).tolist():
        if item in look.opened:
            yield from _closed(hierarchy, look, item)
        else:
            yield item


def _fits(hierarchy: Hierarchy, look: Navigation, room: Room) -> bool:
    diagram = level(hierarchy, look.inside, look.opened, apart=look.apart, aside=room.aside)
    breadth = max(room.height if room.across else room.width, 1)
    layout = lay_out(diagram, NAMES, across=room.across, breadth=breadth)
    return layout.width <= room.width and layout.height <= room.height
