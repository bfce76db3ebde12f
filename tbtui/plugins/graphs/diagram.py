"""A diagram of boxes and links, and the same diagram with coordinates: where boxes lie and routes run, in cells."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt


INLET, OUTLET = -1, -2
"""Ends of links at the border of the enclosing box: its upper border (inlet) and its lower one (outlet)."""


Tensor: TypeAlias = tuple[int, int]
"""Node and output number; the output is `CONTROL_OUTPUT` of `scope_diagram` for control edges."""


class Link(NamedTuple):
    """An arrow from one box to another box of the same diagram, never to itself."""

    source: int
    """Index of a box, or `INLET`."""

    target: int
    """Index of a box, or `OUTLET`."""

    label: str = ""
    """Label such as `32×10` or `3 tensors`; omitted if there is no room."""

    control: bool = False
    """True if the target only waits: no data flows."""

    weight: float = 1.0
    """Number of elements that flow, at least 1; lines may be drawn thicker by it."""

    carries: tuple[Tensor, ...] = ()
    """Tensors of the link, which identify its continuation at the border of an open box.

    Empty if the tensors are unknown: then it may continue in any link.
    """


@frozen
class Box:
    """A box of a diagram."""

    item: int
    """Item of the hierarchy."""

    lines: tuple[str, ...]
    """Text, the name first; may hold control characters."""

    kind: str = "op"
    """`op`, `scope` and `series` (which can be opened), `function`, `input`, `output` or `layer`."""

    inside: Diagram | None = None
    """Diagram inside an open box, whose first line becomes the title of the frame."""

    aside: tuple[str, ...] = ()
    """Names of items that were set aside and belong to the box, such as an initialiser; drawn small, or counted."""


@frozen
class Diagram:
    """Boxes in the order as written, and links between them."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    aside: tuple[Box, ...] = ()
    """Boxes that are set aside from the flow; drawn beside or below it."""


class _BorderSide(NamedTuple):
    """One side of one border of a place."""

    place: int
    outward: bool
    """True if routes leave the place here, False if they enter it."""

    inside: bool

    def across(self) -> _BorderSide:
        """Return the other side of the same border."""
        return self._replace(inside=not self.inside)


class BorderCrossings:
    """Routes of a layout by the borders of open boxes where they begin or end, and by the tensors they carry."""

    def __init__(self, layout: PlacedDiagram) -> None:
        self._carries = [frozenset(route.carries) for route in layout.routes]
        self._border_sides = [_border_sides(layout, route) for route in layout.routes]
        self._known: dict[tuple[_BorderSide, frozenset[Tensor]], frozenset[int]] = {}
        self._all: dict[_BorderSide, list[int]] = {}
        self._carrying: dict[_BorderSide, dict[Tensor, list[int]]] = {}
        self._without_tensors: dict[_BorderSide, list[int]] = {}
        for index, route in enumerate(layout.routes):
            for side in self._border_sides[index]:
                self._all.setdefault(side, []).append(index)
                carrying = self._carrying.setdefault(side, {})
                for tensor in route.carries:
                    carrying.setdefault(tensor, []).append(index)
                if not route.carries:
                    self._without_tensors.setdefault(side, []).append(index)

    def with_continuations(self, routes: Iterable[int]) -> set[int]:
        """Return some routes and all their continuations, through any number of borders."""
        found: dict[tuple[int, _BorderSide | None], set[Tensor]] = {}
        ways: list[tuple[int, _BorderSide | None, frozenset[Tensor]]] = [
            (index, None, self._carries[index]) for index in routes
        ]
        while ways:
            index, entered_by, carries = ways.pop()
            if (before := found.get((index, entered_by))) is not None and before >= carries:
                continue
            found.setdefault((index, entered_by), set()).update(carries)
            for side in self._border_sides[index]:
                if side == entered_by:  # the search came from here
                    continue
                for other in self._beyond(side, carries):
                    own = self._carries[other]
                    ways.append((other, side.across(), carries & own if carries and own else carries or own))
        return {index for index, _ in found}

    def without_dead_ends(self, routes: Iterable[int]) -> set[int]:
        """Drop routes inside an open box that continue beyond its border in none of the given routes."""
        kept = set(routes)
        for index in sorted(kept, reverse=True):  # routes outside a box come after the routes inside it
            for side in self._border_sides[index]:
                beyond = self._beyond(side, self._carries[index]) if side.inside else frozenset[int]()
                if beyond and kept.isdisjoint(beyond):
                    kept.discard(index)
        return kept

    def _beyond(self, side: _BorderSide, carries: frozenset[Tensor]) -> frozenset[int]:
        """Return the continuations of a route beyond a border; all routes there if its tensors are unknown."""
        cached = self._known.get((side, carries))
        if cached is None:
            across = side.across()
            found = set(self._without_tensors.get(across, ()) if carries else self._all.get(across, ()))
            carrying = self._carrying.get(across, {})
            found.update(*(carrying.get(tensor, ()) for tensor in carries))
            cached = self._known[side, carries] = frozenset(found)
        return cached


def _border_sides(layout: PlacedDiagram, route: Route) -> list[_BorderSide]:
    """Return the borders of open places where a route begins or ends."""
    sides = []
    for end, other, leads in ((route.source, route.target, False), (route.target, route.source, True)):
        if end >= 0 and layout.places[end].opened:
            inside = other >= 0 and layout.places[other].inside == end
            sides.append(_BorderSide(end, leads == inside, inside))
    return sides


OUTSIDE = -1
"""Stands for the border of the whole layout, as an end of a route."""


Point = tuple[int, int]
"""Column and row of a cell."""


class BoxFace(NamedTuple):
    """Text and size of a box or a label."""

    lines: tuple[str, ...]
    """Text of each row; the first line of an open box is the title in its frame."""

    width: int
    """Columns with the frame; the minimum for an open box."""

    height: int = 1
    """Rows with the frame; the height of an open box follows from its content."""

    framed: bool = False
    """True if a frame is drawn around the text; an open box always has one."""


class ZoomLevel(NamedTuple):
    """One zoom level: the appearance of boxes and labels. `diagram_zoom` has those of the terminal."""

    box: Callable[[Box], BoxFace]
    label: Callable[[str], BoxFace]
    """Appearance of the label of a link; its width is 0 if labels are omitted."""


class PlacedBox(NamedTuple):
    """A box with coordinates."""

    item: int
    kind: str
    lines: tuple[str, ...]
    """Lines of its face."""

    left: int
    top: int
    width: int
    height: int
    """Rectangle in cells, with the frame: first column and row, number of columns and rows."""

    framed: bool
    opened: bool
    """True if other places lie inside."""

    inside: int
    """Index of the enclosing place, or `OUTSIDE`."""

    aside: bool = False
    """True if the box is set aside from the flow."""

    @property
    def right(self) -> int:
        """Last column."""
        return self.left + self.width - 1

    @property
    def bottom(self) -> int:
        """Last row."""
        return self.top + self.height - 1


class Route(NamedTuple):
    """A link with coordinates."""

    source: int
    target: int
    """Indices of places. An inlet begins at the enclosing place, an outlet ends there; `OUTSIDE` for the layout."""

    points: tuple[Point, ...]
    """Corners from the border of the source to the border of the target, both included; at least two.

    Each point is in the same row or the same column as the one before.
    """

    net: int
    """Routes of one net come from the same output or lead to the same input, and share lines; others only cross."""

    label: str = ""
    label_at: Point | None = None
    """Cell where the label begins; None if it has no room, or another route of the net shows it."""

    control: bool = False
    weight: float = 1.0

    passes: bool = False
    """True if the route ends at the border of the box it is in, so that it has no arrow."""

    carries: tuple[Tensor, ...] = ()
    """Tensors of the link."""


@frozen(slots=False)
class PlacedDiagram:
    """Places and routes; coordinates begin at column 0 and row 0."""

    width: int
    height: int
    places: tuple[PlacedBox, ...]
    """Boxes; each follows the one that it lies in."""

    routes: tuple[Route, ...]
    notes: tuple[str, ...] = ()
    """Sentences with counts about what was left out or simplified because there is too much of it."""

    @cached_property
    def rectangles(self) -> npt.NDArray[np.int32]:
        """int32[places, 4]: first column, first row, last column and last row of each place."""
        rows = [(place.left, place.top, place.right, place.bottom) for place in self.places]
        return np.array(rows, np.int32).reshape(-1, 4)

    @cached_property
    def merged_segments(self) -> npt.NDArray[np.int32]:
        """int32[segments, 6]: first column and row, last column and row, net, and 1 for control.

        Straight segments of routes. Segments that routes of one net share occur once; `route_segments` has all
        segments of each route.
        """
        return np.array(merge_segments(self.route_segments[:, :6].tolist()), np.int32).reshape(-1, 6)

    @cached_property
    def route_segments(self) -> npt.NDArray[np.int32]:
        """int32[segments, 7]: straight segments of every route as in `merged_segments`, and the index of the route."""
        rows = [
            (*min(one, other), *max(one, other), route.net, route.control, index)
            for index, route in enumerate(self.routes)
            for one, other in pairwise(route.points)
        ]
        return np.array(rows, np.int32).reshape(-1, 7)

    @cached_property
    def ends(self) -> npt.NDArray[np.int32]:
        """int32[routes, 2]: items where each route begins and ends; `OUTSIDE` for none."""
        items = [place.item for place in self.places]
        rows = [[OUTSIDE if end == OUTSIDE else items[end] for end in route[:2]] for route in self.routes]
        return np.array(rows, np.int32).reshape(-1, 2)

    @cached_property
    def heads(self) -> npt.NDArray[np.int32]:
        """int32[arrows, 4]: route, column and row of each arrow, and its direction (0 right, 1 left, 2 down, 3 up).

        An arrow lies in the border where the route ends. At a box without a frame only routes that run back have an
        arrow: there is little room, and all other routes enter from above or from the left.
        """
        rows = []
        for index, route in enumerate(self.routes):
            (x, y), (u, v) = route.points[-2:]
            across, along = _sign(u - x), _sign(v - y)
            framed = route.target == OUTSIDE or self.places[route.target].framed
            if not route.passes and (framed or across + along < 0):
                back = 0 if framed else 1
                rows.append((index, u - across * back, v - along * back, 2 * abs(along) + (across + along < 0)))
        return np.array(rows, np.int32).reshape(-1, 4)

    @cached_property
    def labels(self) -> npt.NDArray[np.int32]:
        """int32[labels, 3]: route, column and row of each label that has a place."""
        rows = [(index, *route.label_at) for index, route in enumerate(self.routes) if route.label_at is not None]
        return np.array(rows, np.int32).reshape(-1, 3)

    @cached_property
    def border_columns(self) -> dict[int, list[int]]:
        """Columns in the upper border of open places where routes begin or end, ascending, by index of the place."""
        found: dict[int, set[int]] = {}
        for route in self.routes:
            for index, (x, y) in ((route.source, route.points[0]), (route.target, route.points[-1])):
                if index != OUTSIDE and self.places[index].opened and self.places[index].top == y:
                    found.setdefault(index, set()).add(x)
        return {index: sorted(columns) for index, columns in found.items()}

    @cached_property
    def routes_of(self) -> dict[int, list[int]]:
        """Indices of the routes that begin or end at each place."""
        routes: dict[int, list[int]] = {}
        for index, route in enumerate(self.routes):
            for place in {route.source, route.target}:
                routes.setdefault(place, []).append(index)
        return routes

    @cached_property
    def crossings(self) -> BorderCrossings:
        """Continuations of routes beyond the borders of open places."""
        return BorderCrossings(self)

    @cached_property
    def index_of(self) -> dict[int, int]:
        """Index of the place of each item."""
        return {place.item: index for index, place in enumerate(self.places)}

    def placed_box(self, item: int) -> PlacedBox | None:
        """Return the place of an item; None if the layout does not have it."""
        index = self.index_of.get(item)
        return None if index is None else self.places[index]

    def item_at(self, x: int, y: int) -> int | None:
        """Return the innermost item whose box covers a cell; None if there is none."""
        left, top, right, bottom = self.rectangles.T
        hits = np.flatnonzero((left <= x) & (x <= right) & (top <= y) & (y <= bottom))
        return self.places[int(hits[-1])].item if len(hits) else None


def merge_segments(segments: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Merge overlapping segments of one net; segments are as in `PlacedDiagram.merged_segments`."""
    lines: dict[tuple[int, int, bool, int], list[tuple[int, int]]] = {}
    for x, y, u, v, net, control in segments:
        key, span = ((net, control, True, x), (y, v)) if x == u else ((net, control, False, y), (x, u))
        lines.setdefault(key, []).append(span)
    merged: list[tuple[int, ...]] = []
    for (net, control, upright, at), spans in lines.items():
        for low, high in _joined(sorted(spans)):
            merged.append((at, low, at, high, net, control) if upright else (low, at, high, at, net, control))
    return merged


def _joined(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Merge spans, given in ascending order, that share a cell."""
    begin, end = spans[0]
    for low, high in spans:
        if low > end:
            yield begin, end
            begin = low
        end = max(end, high)
    yield begin, end


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


class Window(NamedTuple):
    """A rectangle of a layout; it may reach beyond its edges."""

    left: int
    top: int
    width: int
    height: int

    def sees(self, rectangles: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
        """Indices of rectangles (first column, first row, last column, last row) of which it shows a part."""
        left, top, right, bottom = rectangles.T[:4]
        across = (left < self.left + self.width) & (right >= self.left)
        return np.flatnonzero(across & (top < self.top + self.height) & (bottom >= self.top))
