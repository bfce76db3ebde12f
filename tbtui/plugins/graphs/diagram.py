"""A layout as character cells: the part of it that a window shows."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt


# A diagram before it has places: boxes, some of which hold diagrams themselves, and what leads from one to another.


INLET, OUTLET = -1, -2
"""In place of a box in a link: the upper and the lower border of the box that the diagram is inside of."""


Tensor: TypeAlias = tuple[int, int]
"""A node and which of its outputs; `links.WAITED` for what only waits for it."""


class Link(NamedTuple):
    """An arrow from one box to another of the same diagram; from a box to itself there is none."""

    source: int
    """Index of a box, or `INLET`."""

    target: int
    """Index of a box, or `OUTLET`."""

    label: str = ""
    """Such as `32×10` or `3 tensors`; left out where there is no room."""

    control: bool = False
    """Only waited for: nothing flows."""

    weight: float = 1.0
    """At least 1: how much flows, by which lines may be drawn heavier."""

    carries: tuple[Tensor, ...] = ()
    """Of a link from or to the border of an opened box, inside or outside: by what the link on the other side of the
    border is known that goes on with it. Empty where that is not told: then it may be any."""


@frozen
class Box:
    """One box."""

    item: int
    """What it stands for: an item of the hierarchy."""

    lines: tuple[str, ...]
    """Its text: the name first. Not made safe for a terminal yet."""

    kind: str = "op"
    """`op`, `scope` (can be opened), `series` (likewise), `function`, `input`, `output`, `layer`."""

    inside: Diagram | None = None
    """What is drawn in it, of an opened scope; its first line becomes the title of the frame."""

    aside: tuple[str, ...] = ()
    """Names of what was set aside and belongs to it, such as an initialiser; drawn small, or counted."""


@frozen
class Diagram:
    """Boxes in the order as written, and links between them."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    aside: tuple[Box, ...] = ()
    """Boxes set aside from the flow, such as those that everything leads to; drawn beside or below it."""


# Which routes go on in which beyond the border of an opened box.


class _Gate(NamedTuple):
    """One side of one border of a place."""

    place: int
    outward: bool
    """Where routes go out of the place, or come in."""

    inside: bool

    def across(self) -> _Gate:
        """Its other side."""
        return self._replace(inside=not self.inside)


class Crossings:
    """The routes of a layout by the borders that they begin or end at and by what they carry."""

    def __init__(self, layout: Layout) -> None:
        self._carries = [frozenset(route.carries) for route in layout.routes]
        self._gates = [_gates(layout, route) for route in layout.routes]
        self._known: dict[tuple[_Gate, frozenset[Tensor]], frozenset[int]] = {}
        self._all: dict[_Gate, list[int]] = {}
        self._carrying: dict[_Gate, dict[Tensor, list[int]]] = {}
        self._untold: dict[_Gate, list[int]] = {}
        for index, route in enumerate(layout.routes):
            for gate in self._gates[index]:
                self._all.setdefault(gate, []).append(index)
                carrying = self._carrying.setdefault(gate, {})
                for tensor in route.carries:
                    carrying.setdefault(tensor, []).append(index)
                if not route.carries:
                    self._untold.setdefault(gate, []).append(index)

    def followed(self, routes: Iterable[int]) -> set[int]:
        """These routes, and all that what they carry goes on along, through any number of borders."""
        found: dict[tuple[int, _Gate | None], set[Tensor]] = {}
        ways: list[tuple[int, _Gate | None, frozenset[Tensor]]] = [
            (index, None, self._carries[index]) for index in routes
        ]
        while ways:
            index, came, carries = ways.pop()
            if (before := found.get((index, came))) is not None and before >= carries:
                continue
            found.setdefault((index, came), set()).update(carries)
            for gate in self._gates[index]:
                if gate == came:  # other routes go on there, but this one came from it
                    continue
                for other in self._beyond(gate, carries):
                    own = self._carries[other]
                    ways.append((other, gate.across(), carries & own if carries and own else carries or own))
        return {index for index, _ in found}

    def led_on(self, routes: Iterable[int]) -> set[int]:
        """Those of some routes that inside of no opened box begin or end at its border with none of them beyond it."""
        led = set(routes)
        for index in sorted(led, reverse=True):  # those outside come after those inside
            for gate in self._gates[index]:
                beyond = self._beyond(gate, self._carries[index]) if gate.inside else frozenset[int]()
                if beyond and led.isdisjoint(beyond):
                    led.discard(index)
        return led

    def _beyond(self, gate: _Gate, carries: frozenset[Tensor]) -> frozenset[int]:
        """Routes beyond a border that carry some of it; all of them where it is not told what."""
        known = self._known.get((gate, carries))
        if known is None:
            across = gate.across()
            found = set(self._untold.get(across, ()) if carries else self._all.get(across, ()))
            carrying = self._carrying.get(across, {})
            found.update(*(carrying.get(tensor, ()) for tensor in carries))
            known = self._known[gate, carries] = frozenset(found)
        return known


def _gates(layout: Layout, route: Route) -> list[_Gate]:
    """Borders of opened places that a route begins or ends at."""
    gates = []
    for end, other, leads in ((route.source, route.target, False), (route.target, route.source, True)):
        if end >= 0 and layout.places[end].opened:
            inside = other >= 0 and layout.places[other].inside == end
            gates.append(_Gate(end, leads == inside, inside))
    return gates


# A diagram that has places: where its boxes lie and its links run, in cells of a grid.


OUTSIDE = -1
"""In place of a box where a route begins or ends at the border of the whole layout."""


Point = tuple[int, int]
"""Column and row of a cell."""


class Face(NamedTuple):
    """What is seen of a box, or of a label."""

    lines: tuple[str, ...]
    """Text of each row; of an opened box the first is the title in its frame."""

    width: int
    """Columns with the frame; of an opened box: at least so many."""

    height: int = 1
    """Rows with the frame; that of an opened box follows from what is inside."""

    framed: bool = False
    """Whether a frame is drawn around the text; an opened box always has one."""


class Measure(NamedTuple):
    """How large things are drawn: one zoom level. `charts.diagram_faces` has those of the terminal."""

    box: Callable[[Box], Face]
    label: Callable[[str], Face]
    """Of a link; without width where labels are left out."""


class Place(NamedTuple):
    """A box in its place."""

    item: int
    kind: str
    lines: tuple[str, ...]
    """As its face has them."""

    left: int
    top: int
    width: int
    height: int
    """Rectangle in cells, frame and all: the first column and row, and how many there are of each."""

    framed: bool
    opened: bool
    """Whether others lie inside."""

    inside: int
    """Index of the place it lies in, or `OUTSIDE`."""

    aside: bool = False
    """Set aside from the flow."""

    @property
    def right(self) -> int:
        """Its last column."""
        return self.left + self.width - 1

    @property
    def bottom(self) -> int:
        """Its last row."""
        return self.top + self.height - 1


class Route(NamedTuple):
    """A link in its place."""

    source: int
    target: int
    """Indices of places. An inlet begins at the place that the link lies in, an outlet ends there; `OUTSIDE` for those
    of the whole layout."""

    points: tuple[Point, ...]
    """Its corners from the border of the source to that of the target, both included; each is in the same row or the
    same column as the one before. Never shorter than two points."""

    net: int
    """Routes of one net come from the same output, or lead to the same input, and share lines; others only cross."""

    label: str = ""
    label_at: Point | None = None
    """Where its label begins; None where it has no room, or another route of the net shows it."""

    control: bool = False
    weight: float = 1.0

    passes: bool = False
    """Whether it ends at the border that it comes from the inside of, so that there is no arrow."""

    carries: tuple[Tensor, ...] = ()
    """As its link has it."""


@frozen(slots=False)
class Layout:
    """Places and routes, from column 0 and row 0 on."""

    width: int
    height: int
    places: tuple[Place, ...]
    """Each after the one that it lies in."""

    routes: tuple[Route, ...]
    notes: tuple[str, ...] = ()
    """What was left out or made simpler because there is too much of it, in plain words with counts."""

    @cached_property
    def rectangles(self) -> npt.NDArray[np.int32]:
        """First column, first row, last column, last row of each place [places, 4]."""
        rows = [(place.left, place.top, place.right, place.bottom) for place in self.places]
        return np.array(rows, np.int32).reshape(-1, 4)

    @cached_property
    def pieces(self) -> npt.NDArray[np.int32]:
        """Straight pieces of routes: first column and row, last column and row, net, whether for control [pieces, 6].

        What routes of one net share is there once; `runs` has all of each route.
        """
        return np.array(merged(self.runs[:, :6].tolist()), np.int32).reshape(-1, 6)

    @cached_property
    def runs(self) -> npt.NDArray[np.int32]:
        """Straight pieces of every route, as `pieces` has them, and of which route [runs, 7]."""
        rows = [
            (*min(one, other), *max(one, other), route.net, route.control, index)
            for index, route in enumerate(self.routes)
            for one, other in pairwise(route.points)
        ]
        return np.array(rows, np.int32).reshape(-1, 7)

    @cached_property
    def ends(self) -> npt.NDArray[np.int32]:
        """Items that each route begins and ends at, `OUTSIDE` for none [routes, 2]."""
        items = [place.item for place in self.places]
        rows = [[OUTSIDE if end == OUTSIDE else items[end] for end in route[:2]] for route in self.routes]
        return np.array(rows, np.int32).reshape(-1, 2)

    @cached_property
    def heads(self) -> npt.NDArray[np.int32]:
        """Route, column and row of each arrow, and its direction: 0 right, 1 left, 2 down, 3 up [arrows, 4].

        It lies in the border where the route ends. Before a box without a frame only what runs back has one: that all
        else leads on, from above or from the left, needs no telling where there is so little room.
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
        """Route, column and row of each label that has a place [labels, 3]."""
        rows = [(index, *route.label_at) for index, route in enumerate(self.routes) if route.label_at is not None]
        return np.array(rows, np.int32).reshape(-1, 3)

    @cached_property
    def gates(self) -> dict[int, list[int]]:
        """Columns in the upper border of opened places where routes begin or end, ascending, by index of the place."""
        found: dict[int, set[int]] = {}
        for route in self.routes:
            for index, (x, y) in ((route.source, route.points[0]), (route.target, route.points[-1])):
                if index != OUTSIDE and self.places[index].opened and self.places[index].top == y:
                    found.setdefault(index, set()).add(x)
        return {index: sorted(columns) for index, columns in found.items()}

    @cached_property
    def routes_of(self) -> dict[int, list[int]]:
        """Indices of the routes that begin or end at each place, by its index."""
        found: dict[int, list[int]] = {}
        for index, route in enumerate(self.routes):
            for place in {route.source, route.target}:
                found.setdefault(place, []).append(index)
        return found

    @cached_property
    def crossings(self) -> Crossings:
        """What goes on where beyond the borders of opened places."""
        return Crossings(self)

    @cached_property
    def index_of(self) -> dict[int, int]:
        """Index of the place of each item."""
        return {place.item: index for index, place in enumerate(self.places)}

    def place(self, item: int) -> Place | None:
        """Where an item lies; None when it is not in this diagram."""
        index = self.index_of.get(item)
        return None if index is None else self.places[index]

    def item_at(self, x: int, y: int) -> int | None:
        """The innermost item of which there is a box at a cell, such as under the mouse."""
        left, top, right, bottom = self.rectangles.T
        found = np.flatnonzero((left <= x) & (x <= right) & (top <= y) & (y <= bottom))
        return self.places[int(found[-1])].item if len(found) else None


def merged(pieces: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Pieces of lines, as `Layout.pieces` has them; those of one net that lie on one another become one."""
    lines: dict[tuple[int, int, bool, int], list[tuple[int, int]]] = {}
    for x, y, u, v, net, control in pieces:
        key, span = ((net, control, True, x), (y, v)) if x == u else ((net, control, False, y), (x, u))
        lines.setdefault(key, []).append(span)
    found: list[tuple[int, ...]] = []
    for (net, control, upright, at), spans in lines.items():
        for low, high in _joined(sorted(spans)):
            found.append((at, low, at, high, net, control) if upright else (low, at, high, at, net, control))
    return found


def _joined(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans in ascending order; those that have a cell in common become one."""
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
