"""Layouts of the diagram at the largest zoom level that has room, and the first expansion of a graph."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.text import ELLIPSIS
from tbtui.frozen import frozen
from tbtui.plugins.graphs.diagram import ZoomLevel
from tbtui.plugins.graphs.diagram_zoom import MAX_NAME_WIDTH, NAMES, zoom_levels
from tbtui.plugins.graphs.layout.layout import lay_out
from tbtui.plugins.graphs.navigation import MAX_DOMINANT_BOXES
from tbtui.plugins.graphs.scope_diagram import build_diagram, excess_boxes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from tbtui.plugins.graphs.diagram import PlacedDiagram
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation


def all_zoom_levels(widest: int = MAX_NAME_WIDTH) -> tuple[ZoomLevel, ...]:
    """Return the zoom levels, from the largest boxes to the smallest; the third has labels of edges but no frames."""
    full, names, tiny = zoom_levels(widest)
    return full, names, ZoomLevel(tiny.box, names.label), tiny


ZOOMS = all_zoom_levels()
LONGER_NAME_WIDTHS = 60, 30
"""Widths of names, in columns, that are tried if names are cut and the diagram would get no higher."""

MAX_LAYOUTS = 12
"""Number of layouts that are kept, so that going back to one takes no time."""

USUAL_ZOOM, USUAL_ACROSS = 2, 1
"""Zoom levels (down, across) if none makes the diagram fit. Edges that lead across need frames to end at."""

MAX_BOXES_FOR_ZOOM_TRIALS = 400
"""A diagram of more boxes is not tried at several zoom levels."""


class TooManyBoxesError(Exception):
    """The diagram is not laid out; the text is a sentence on which views show the same."""


class DiagramKey(NamedTuple):
    """Everything that a layout depends on: equal keys give equal layouts."""

    graph: Hashable
    inside: int
    across: bool
    """The diagram leads from left to right."""

    opened: frozenset[int]
    apart: frozenset[int]
    aside: bool
    zoom: int | None
    """Index into `ZOOMS`; None: the largest level at which everything fits, or the usual one."""

    width: int
    height: int
    """Cells of the screen; 0 in the direction that does not matter."""

    @property
    def view(self) -> Hashable:
        """Point of the diagram that stays in place when a scope opens."""
        return self[:3]


@frozen(eq=False)
class LaidOutDiagram:
    """A layout with its key and its zoom level."""

    key: DiagramKey
    layout: PlacedDiagram
    zoom: int


class LayoutCache:
    """Lays out diagrams and keeps the latest ones. For one thread."""

    def __init__(self) -> None:
        self._cache: OrderedDict[DiagramKey, LaidOutDiagram] = OrderedDict()

    def drawn(self, hierarchy: Hierarchy, key: DiagramKey) -> LaidOutDiagram:
        """Return the layout of a key, from the cache if it is there.

        Raises:
            TooManyBoxesError: It has more than one may have.
        """
        drawn = self._cache.get(key)
        if drawn is None:
            if boxes := excess_boxes(hierarchy, key.inside, key.opened, key.apart):
                raise TooManyBoxesError(f"it has {boxes:,} boxes: s and o list them, f finds one of them")
            drawn = self._cache[key] = self._draw(hierarchy, key)
            drawn.layout.crossings  # noqa: B018 - computed here, off the UI thread
            if len(self._cache) > MAX_LAYOUTS:
                self._cache.popitem(last=False)
        self._cache.move_to_end(key)
        return drawn

    def _draw(self, hierarchy: Hierarchy, key: DiagramKey) -> LaidOutDiagram:
        diagram = build_diagram(hierarchy, key.inside, key.opened, apart=key.apart, aside=key.aside)
        breadth = max(key.height if key.across else key.width, 1)

        def at(zoom: int) -> LaidOutDiagram:
            layout = lay_out(diagram, ZOOMS[zoom], across=key.across, breadth=breadth)
            for widest in (
                LONGER_NAME_WIDTHS if not key.across and layout.width < key.width and _cuts_names(layout) else ()
            ):
                longer = lay_out(diagram, all_zoom_levels(widest)[zoom], breadth=breadth)
                if longer.width <= key.width and longer.height <= layout.height:
                    return LaidOutDiagram(key, longer, zoom)
            return LaidOutDiagram(key, layout, zoom)

        if key.zoom is not None:
            return at(key.zoom)
        start, least = (USUAL_ACROSS, USUAL_ACROSS + 1) if key.across else (USUAL_ZOOM, len(ZOOMS))
        usual = at(start)
        if len(usual.layout.places) > MAX_BOXES_FOR_ZOOM_TRIALS:
            return usual
        # Larger levels can fit only if the usual one does, smaller ones help only if it does not.
        others = range(start) if _fits(usual, key) else range(start + 1, least)
        return next((drawn for drawn in map(at, others) if _fits(drawn, key)), usual)


def _cuts_names(layout: PlacedDiagram) -> bool:
    """Return True if a name is cut; large diagrams are not checked."""
    return len(layout.places) <= MAX_BOXES_FOR_ZOOM_TRIALS and any(
        ELLIPSIS in place.lines[0] for place in layout.places
    )


def _fits(drawn: LaidOutDiagram, key: DiagramKey) -> bool:
    return drawn.layout.width <= key.width and drawn.layout.height <= key.height


MAX_INITIAL_BOXES = 4
"""Scopes are opened while at most this many boxes show, and their contents have room."""

MIN_SCOPE_BOXES = 2
"""A scope is opened only if it holds at least this many boxes."""


class DiagramSize(NamedTuple):
    """The size and the settings of a diagram."""

    width: int
    height: int
    """Cells."""

    across: bool = False
    aside: bool = True


def expand_initially(hierarchy: Hierarchy, navigation: Navigation, room: DiagramSize) -> Navigation:
    """Open scopes level by level, as long as few boxes show and all of them fit with frames.

    A longer flow stays as it is: modules say more than the operations in them.
    """
    while True:
        boxes = list(islice(_closed_items(hierarchy, navigation, navigation.inside), MAX_INITIAL_BOXES + 1))
        if len(boxes) > MAX_INITIAL_BOXES:
            return navigation
        scopes = [box for box in boxes if hierarchy.kind(box) == "scope"]
        opening = frozenset(box for box in scopes if len(hierarchy.children(box)) >= MIN_SCOPE_BOXES)
        if not 0 < sum(len(hierarchy.children(box)) for box in opening) <= MAX_DOMINANT_BOXES:
            return navigation
        opened = replace(navigation, opened=navigation.opened | opening)
        if not _fits_room(hierarchy, opened, room):
            return navigation
        navigation = opened


def _closed_items(hierarchy: Hierarchy, navigation: Navigation, scope: int) -> Iterator[int]:
    """Yield the items that show in a scope and have nothing open inside."""
    for item in hierarchy.children(scope).tolist():
        if item in navigation.opened:
            yield from _closed_items(hierarchy, navigation, item)
        else:
            yield item


def _fits_room(hierarchy: Hierarchy, navigation: Navigation, room: DiagramSize) -> bool:
    diagram = build_diagram(hierarchy, navigation.inside, navigation.opened, apart=navigation.apart, aside=room.aside)
    breadth = max(room.height if room.across else room.width, 1)
    layout = lay_out(diagram, NAMES, across=room.across, breadth=breadth)
    return layout.width <= room.width and layout.height <= room.height
