"""The first expansion of a graph: a screen with hardly a box on it shows too little."""

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
"""Scopes are opened while at most this many boxes show, and their contents have room."""

LEAST_INSIDE = 2
"""A scope is opened only if it holds at least this many boxes."""


class Room(NamedTuple):
    """The size and the settings of a diagram."""

    width: int
    height: int
    """Cells."""

    across: bool = False
    aside: bool = True


def expand_initially(hierarchy: Hierarchy, look: Navigation, room: Room) -> Navigation:
    """Open scopes level by level, as long as few boxes show and all of them fit with frames.

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
    """Yield the items that show in a scope and have nothing open inside."""
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
