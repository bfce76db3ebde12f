"""A diagram of boxes and links, and the same diagram with the coordinates of boxes and routes, in cells."""

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
    """Label such as `32×10` or `3 tensors`; omitted if it does not fit."""

    is_control: bool = False
    """True if the target only waits: no data flows."""

    weight: float = 1.0
    """Number of elements of its tensors, at least 1; a file may draw heavy links as thick lines."""

    tensors: tuple[Tensor, ...] = ()
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

    content: Diagram | None = None
    """Diagram inside an open box, whose first line becomes the title of the frame."""

    aside_names: tuple[str, ...] = ()
    """Names of items that were set aside and belong to the box, such as an initialiser; shown or counted in it."""


@frozen
class Diagram:
    """Boxes in file order, and links between them."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    aside_boxes: tuple[Box, ...] = ()
    """Boxes that are set aside from the flow, drawn at its right or below it."""


class _BorderSide(NamedTuple):
    """One side of the upper or lower border of a box."""

    box: int
    """Index into `PlacedDiagram.boxes`."""

    is_exit: bool
    """True if routes leave the box here, False if they enter it."""

    is_inside: bool

    def get_opposite(self) -> _BorderSide:
        """Return the other side of the same border."""
        return self._replace(is_inside=not self.is_inside)


class BorderCrossings:
    """Routes of a layout, by the borders of open boxes at their ends and by the tensors they carry."""

    def __init__(self, layout: PlacedDiagram) -> None:
        self._tensors = [frozenset(route.tensors) for route in layout.routes]
        self._border_sides = [_list_border_sides(layout, route) for route in layout.routes]
        self._continuations: dict[tuple[_BorderSide, frozenset[Tensor]], frozenset[int]] = {}
        self._all: dict[_BorderSide, list[int]] = {}
        self._carrying: dict[_BorderSide, dict[Tensor, list[int]]] = {}
        self._without_tensors: dict[_BorderSide, list[int]] = {}
        for index, route in enumerate(layout.routes):
            for side in self._border_sides[index]:
                self._all.setdefault(side, []).append(index)
                carrying = self._carrying.setdefault(side, {})
                for tensor in route.tensors:
                    carrying.setdefault(tensor, []).append(index)
                if not route.tensors:
                    self._without_tensors.setdefault(side, []).append(index)

    def with_continuations(self, routes: Iterable[int]) -> set[int]:
        """Return these routes and all their continuations, through any number of borders."""
        visited: dict[tuple[int, _BorderSide | None], set[Tensor]] = {}
        pending: list[tuple[int, _BorderSide | None, frozenset[Tensor]]] = [
            (index, None, self._tensors[index]) for index in routes
        ]
        while pending:
            index, entered_by, tensors = pending.pop()
            if (before := visited.get((index, entered_by))) is not None and before >= tensors:
                continue
            visited.setdefault((index, entered_by), set()).update(tensors)
            for side in self._border_sides[index]:
                if side == entered_by:  # the search came from here
                    continue
                for other in self._continue_route(side, tensors):
                    others = self._tensors[other]
                    shared = tensors & others if tensors and others else tensors or others
                    pending.append((other, side.get_opposite(), shared))
        return {index for index, _ in visited}

    def drop_dead_ends(self, routes: Iterable[int]) -> set[int]:
        """Return these routes without those inside an open box none of whose continuations are among them."""
        remaining = set(routes)
        for index in sorted(remaining, reverse=True):  # routes outside a box come after the routes inside it
            for side in self._border_sides[index]:
                continuations = self._continue_route(side, self._tensors[index]) if side.is_inside else frozenset[int]()
                if continuations and remaining.isdisjoint(continuations):
                    remaining.discard(index)
        return remaining

    def _continue_route(self, side: _BorderSide, tensors: frozenset[Tensor]) -> frozenset[int]:
        """Return the continuations of a route beyond a border; all routes there if its tensors are unknown."""
        cached = self._continuations.get((side, tensors))
        if cached is None:
            opposite = side.get_opposite()
            routes = set(self._without_tensors.get(opposite, ()) if tensors else self._all.get(opposite, ()))
            carrying = self._carrying.get(opposite, {})
            routes.update(*(carrying.get(tensor, ()) for tensor in tensors))
            cached = self._continuations[side, tensors] = frozenset(routes)
        return cached


def _list_border_sides(layout: PlacedDiagram, route: Route) -> list[_BorderSide]:
    """Return the borders of open boxes at which a route begins or ends."""
    sides = []
    for end, other, is_target in ((route.source, route.target, False), (route.target, route.source, True)):
        if end >= 0 and layout.boxes[end].is_open:
            is_inside = other >= 0 and layout.boxes[other].parent == end
            sides.append(_BorderSide(end, is_target == is_inside, is_inside))
    return sides


OUTSIDE = -1
"""Border of the complete layout, as an end of a route."""


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

    is_framed: bool = False
    """True if a frame is drawn around the text; an open box always has one."""


class ZoomLevel(NamedTuple):
    """One zoom level: the appearance of boxes and labels. `diagram_layout` has those of the terminal."""

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

    is_framed: bool
    is_open: bool
    """True if it contains other boxes."""

    parent: int
    """Index of the enclosing box, or `OUTSIDE`."""

    is_aside: bool = False
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
    """Indices of boxes. An inlet begins at the enclosing box, an outlet ends there; `OUTSIDE` for the layout."""

    points: tuple[Point, ...]
    """Corners from the border of the source to the border of the target, both included; at least two.

    Each point is in the same row or the same column as the one before.
    """

    net: int
    """Routes of one net have the same output or the same input, and share lines; routes of two nets only cross."""

    label: str = ""
    label_cell: Point | None = None
    """First cell of the label; None if it does not fit, or another route of the net shows it."""

    is_control: bool = False
    weight: float = 1.0

    is_outlet: bool = False
    """True if the route ends at the border of the box around it, so that it has no arrow."""

    tensors: tuple[Tensor, ...] = ()
    """Tensors of the link."""


@frozen(slots=False)
class PlacedDiagram:
    """Boxes and routes; coordinates begin at column 0 and row 0."""

    width: int
    height: int
    boxes: tuple[PlacedBox, ...]
    """Each box comes after the box around it."""

    routes: tuple[Route, ...]
    notes: tuple[str, ...] = ()
    """Sentences with counts of parts that are left out or simplified, because the diagram is too large."""

    @cached_property
    def rectangles(self) -> npt.NDArray[np.int32]:
        """int32[boxes, 4]: first column, first row, last column and last row of each box."""
        rows = [(box.left, box.top, box.right, box.bottom) for box in self.boxes]
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
            (*min(start, end), *max(start, end), route.net, route.is_control, index)
            for index, route in enumerate(self.routes)
            for start, end in pairwise(route.points)
        ]
        return np.array(rows, np.int32).reshape(-1, 7)

    @cached_property
    def ends(self) -> npt.NDArray[np.int32]:
        """int32[routes, 2]: items where each route begins and ends; `OUTSIDE` for none."""
        items = [box.item for box in self.boxes]
        rows = [[OUTSIDE if end == OUTSIDE else items[end] for end in route[:2]] for route in self.routes]
        return np.array(rows, np.int32).reshape(-1, 2)

    @cached_property
    def arrows(self) -> npt.NDArray[np.int32]:
        """int32[arrows, 4]: route, column and row of each arrow, and its direction (0 right, 1 left, 2 down, 3 up).

        An arrow is in the border at which the route ends. At a box without a frame only routes that run backwards have
        an arrow; all other routes enter from above or from the left, and there are few cells.
        """
        rows = []
        for index, route in enumerate(self.routes):
            (x, y), (end_x, end_y) = route.points[-2:]
            across, along = _sign(end_x - x), _sign(end_y - y)
            is_framed = route.target == OUTSIDE or self.boxes[route.target].is_framed
            if not route.is_outlet and (is_framed or across + along < 0):
                setback = 0 if is_framed else 1
                direction = 2 * abs(along) + (across + along < 0)
                rows.append((index, end_x - across * setback, end_y - along * setback, direction))
        return np.array(rows, np.int32).reshape(-1, 4)

    @cached_property
    def labels(self) -> npt.NDArray[np.int32]:
        """int32[labels, 3]: route, column and row of each visible label."""
        rows = [(index, *route.label_cell) for index, route in enumerate(self.routes) if route.label_cell is not None]
        return np.array(rows, np.int32).reshape(-1, 3)

    @cached_property
    def border_columns(self) -> dict[int, list[int]]:
        """Columns in the upper border of open boxes at which routes begin or end, ascending, by index of the box."""
        columns_of: dict[int, set[int]] = {}
        for route in self.routes:
            for index, (x, y) in ((route.source, route.points[0]), (route.target, route.points[-1])):
                if index != OUTSIDE and self.boxes[index].is_open and self.boxes[index].top == y:
                    columns_of.setdefault(index, set()).add(x)
        return {index: sorted(columns) for index, columns in columns_of.items()}

    @cached_property
    def routes_of(self) -> dict[int, list[int]]:
        """Indices of the routes that begin or end at each box."""
        routes: dict[int, list[int]] = {}
        for index, route in enumerate(self.routes):
            for box in {route.source, route.target}:
                routes.setdefault(box, []).append(index)
        return routes

    @cached_property
    def crossings(self) -> BorderCrossings:
        """Continuations of routes beyond the borders of open boxes."""
        return BorderCrossings(self)

    @cached_property
    def index_of(self) -> dict[int, int]:
        """Index of the box of each item."""
        return {box.item: index for index, box in enumerate(self.boxes)}

    def find_box(self, item: int) -> PlacedBox | None:
        """Return the box of an item; None if the layout does not have it."""
        index = self.index_of.get(item)
        return None if index is None else self.boxes[index]

    def find_item_at(self, x: int, y: int) -> int | None:
        """Return the innermost item whose box covers a cell; None if there is none."""
        left, top, right, bottom = self.rectangles.T
        hits = np.flatnonzero((left <= x) & (x <= right) & (top <= y) & (y <= bottom))
        return self.boxes[int(hits[-1])].item if len(hits) else None


def merge_segments(segments: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Merge overlapping segments of one net; segments are as in `PlacedDiagram.merged_segments`."""
    lines: dict[tuple[int, int, bool, int], list[tuple[int, int]]] = {}
    for x, y, end_x, end_y, net, control in segments:
        key, span = ((net, control, True, x), (y, end_y)) if x == end_x else ((net, control, False, y), (x, end_x))
        lines.setdefault(key, []).append(span)
    merged: list[tuple[int, ...]] = []
    for (net, control, is_vertical, position), spans in lines.items():
        for low, high in _merge_spans(sorted(spans)):
            ends = (position, low, position, high) if is_vertical else (low, position, high, position)
            merged.append((*ends, net, control))
    return merged


def _merge_spans(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Merge spans, given in ascending order, that share a cell."""
    start, end = spans[0]
    for low, high in spans:
        if low > end:
            yield start, end
            start = low
        end = max(end, high)
    yield start, end


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


class Window(NamedTuple):
    """A rectangle of a layout; it may reach beyond its edges."""

    left: int
    top: int
    width: int
    height: int

    def find_visible(self, rectangles: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
        """Return indices of rectangles (first column, first row, last column, last row) that overlap the window."""
        left, top, right, bottom = rectangles.T[:4]
        overlaps_columns = (left < self.left + self.width) & (right >= self.left)
        return np.flatnonzero(overlaps_columns & (top < self.top + self.height) & (bottom >= self.top))
