"""A level of a graph laid out, as large as there is room for."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.diagram_faces import WIDEST_NAME, measures
from tbtui.charts.text import ELLIPSIS
from tbtui.frozen import frozen
from tbtui.graphs.bounds import too_many_boxes
from tbtui.graphs.layout import lay_out
from tbtui.graphs.level import level
from tbtui.graphs.places import Measure

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.graphs.places import Layout


def zooms(widest: int = WIDEST_NAME) -> tuple[Measure, ...]:
    """From the largest to the smallest; in the third there are no frames, and it is still said what flows."""
    full, names, tiny = measures(widest)
    return full, names, Measure(tiny.box, names.label), tiny


ZOOMS = zooms()
LONG_NAMES = 60, 30
"""Columns that names have where a diagram that cuts any has room for that and gets no higher."""

MOST_KEPT = 12
"""Layouts that are kept, so that going back to one takes no time."""

USUAL_ZOOM, USUAL_ACROSS = 2, 1
"""Where no zoom level makes all of a diagram fit. What leads across ends at the sides of boxes, which need a frame."""

MANY = 400
"""Places; a diagram of more of them is not tried at several zoom levels."""


class TooManyBoxesError(Exception):
    """A diagram is not laid out; the text is one plain sentence on what shows the same."""


class DiagramKey(NamedTuple):
    """What makes a layout: equal keys give equal layouts."""

    graph: Hashable
    inside: int
    across: bool
    """Whether it leads from left to right."""

    opened: frozenset[int]
    apart: frozenset[int]
    aside: bool
    zoom: int | None
    """Index into `ZOOMS`; None: the largest at which all is seen, or the usual one."""

    width: int
    height: int
    """Cells of the screen that there are; 0 along the flow where that makes no difference."""

    @property
    def view(self) -> Hashable:
        """What stays when something in it is opened: then nothing jumps."""
        return self[:3]


@frozen(eq=False)
class Drawn:
    """A layout, and how it came about."""

    key: DiagramKey
    layout: Layout
    zoom: int


class Drawer:
    """Lays out levels. One thread asks it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[DiagramKey, Drawn] = OrderedDict()

    def drawn(self, hierarchy: Hierarchy, key: DiagramKey) -> Drawn:
        """The layout of a level; that of before where it would be the same.

        Raises:
            TooManyBoxesError: It has more than one may have.
        """
        drawn = self._kept.get(key)
        if drawn is None:
            if boxes := too_many_boxes(hierarchy, key.inside, key.opened, key.apart):
                raise TooManyBoxesError(f"it has {boxes:,} boxes: s and o list them, f finds one of them")
            drawn = self._kept[key] = self._draw(hierarchy, key)
            drawn.layout.crossings  # noqa: B018 - worked out here, where nobody waits for a key
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return drawn

    def _draw(self, hierarchy: Hierarchy, key: DiagramKey) -> Drawn:
        diagram = level(hierarchy, key.inside, key.opened, apart=key.apart, aside=key.aside)
        breadth = max(key.height if key.across else key.width, 1)

        def at(zoom: int) -> Drawn:
            layout = lay_out(diagram, ZOOMS[zoom], across=key.across, breadth=breadth)
            for widest in LONG_NAMES if not key.across and layout.width < key.width and _cuts_names(layout) else ():
                longer = lay_out(diagram, zooms(widest)[zoom], breadth=breadth)
                if longer.width <= key.width and longer.height <= layout.height:
                    return Drawn(key, longer, zoom)
            return Drawn(key, layout, zoom)

        if key.zoom is not None:
            return at(key.zoom)
        start, least = (USUAL_ACROSS, USUAL_ACROSS + 1) if key.across else (USUAL_ZOOM, len(ZOOMS))
        usual = at(start)
        if len(usual.layout.places) > MANY:
            return usual
        # The larger ones are tried only where the usual one leaves room for them, the smaller ones where it does not.
        others = range(start) if _fits(usual, key) else range(start + 1, least)
        return next((drawn for drawn in map(at, others) if _fits(drawn, key)), usual)


def _cuts_names(layout: Layout) -> bool:
    """Whether any name is cut, of as many as a screen or two can show."""
    return len(layout.places) <= MANY and any(ELLIPSIS in place.lines[0] for place in layout.places)


def _fits(drawn: Drawn, key: DiagramKey) -> bool:
    return drawn.layout.width <= key.width and drawn.layout.height <= key.height
