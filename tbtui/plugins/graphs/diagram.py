"""A layout as character cells: the part of it that a window shows."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.cells import Cells, Ink, background_ids
from tbtui.charts.text import cell_width, safe, shorten, visible_name, write
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

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


# What of a diagram lies beyond the edges of a window, said at these edges: nobody shall think that it ends there.


Side: TypeAlias = Literal["left", "right", "up", "down"]

_BLANK = ord(" ")
_FORMS: Mapping[Side, tuple[str, str]] = {
    "left": ("←", "← {} more"),
    "right": ("→", "{} more →"),
    "up": ("↑", "↑ {} more"),
    "down": ("↓", "↓ {} more"),
}
"""What is said where nothing but lines go on, and where boxes do."""


def beyond(layout: Layout, window: Window) -> dict[Side, int]:
    """How many closed boxes are not seen whole in each direction in which the diagram goes on; 0 where only lines do.

    Args:
        layout: Any.
        window: What of it is seen.
    """
    right, bottom = window.left + window.width, window.top + window.height
    closed = np.array([not place.opened for place in layout.places], np.bool_)
    first, top, last, low = layout.rectangles[closed].T
    goes_on: dict[Side, bool] = {
        "left": window.left > 0,
        "right": layout.width > right,
        "up": window.top > 0,
        "down": layout.height > bottom,
    }
    cut: dict[Side, npt.NDArray[np.bool_]] = {
        "left": first < window.left,
        "right": last >= right,
        "up": top < window.top,
        "down": low >= bottom,
    }
    return {side: int(np.count_nonzero(cut[side])) for side, more in goes_on.items() if more}


def draw_edges(cells: Cells, layout: Layout, window: Window) -> None:
    """Say at the edges of a picture of a window how much more there is: `12 more →`.

    Args:
        cells: From `draw_diagram`; changed in place, where nothing is drawn if there is such a place.
        layout: What they are of.
        window: What of it they show.
    """
    more = beyond(layout, window)
    taken = _taken(cells, layout, window) if more else cells.glyphs != _BLANK
    apart = _widened(taken)
    for side, count in more.items():
        texts = [f" {text} " for text in _texts(side, count) if cell_width(text) + 2 <= cells.width]
        found = [(text, *_place(free, side, cell_width(text))) for free in (apart, taken) for text in texts]
        if found:
            text, row, column, _ = next((one for one in found if not one[-1]), found[-1])
            write(cells, row, column, text, Ink.TEXT)


def _texts(side: Side, count: int) -> tuple[str, ...]:
    """What may be said, the longest first."""
    sign, words = _FORMS[side]
    long = words.format(f"{count:,}")
    return (long, long.replace(" more", "")) if count else (sign,)


def _taken(cells: Cells, layout: Layout, window: Window) -> npt.NDArray[np.bool_]:
    """bool[height, width]: where something is drawn, or inside of a closed box, of which it would seem to be said."""
    taken: npt.NDArray[np.bool_] = cells.glyphs != _BLANK
    for index in window.sees(layout.rectangles).tolist():
        place = layout.places[index]
        if not place.opened:
            left, top = place.left - window.left, place.top - window.top
            taken[max(top, 0) : max(top + place.height, 0), max(left, 0) : max(left + place.width, 0)] = True
    return taken


def _widened(taken: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """With two more columns on both sides of all that is taken: what stands closer is read with it."""
    wide: npt.NDArray[np.bool_] = taken.copy()
    for far in (1, 2):
        wide[:, far:] |= taken[:, :-far]
        wide[:, :-far] |= taken[:, far:]
    return wide


def _place(taken: npt.NDArray[np.bool_], side: Side, width: int) -> tuple[int, int, bool]:
    """Row and column as near the middle of an edge as nothing is covered, or in the middle; whether anything is."""
    last_row, last_column = taken.shape[0] - 1, taken.shape[1] - width
    if side in ("left", "right"):
        rows, columns = [*range(1, last_row)] or [0], [0 if side == "left" else last_column]
    else:
        rows, columns = [0 if side == "up" else last_row], [*range(last_column + 1)]
    covers = [[bool(taken[row, column : column + width].any()) for column in columns] for row in rows]
    far = np.abs(np.add.outer(np.array(rows) - rows[len(rows) // 2], np.array(columns) - columns[len(columns) // 2]))
    row, column = divmod(int(np.argmin(far + np.array(covers) * sum(taken.shape))), len(columns))
    return rows[row], columns[column], covers[row][column]


# Lines of box characters that join where they meet: frames of boxes and what runs between them.


UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
"""Arms of a cell: where lines go on from its middle."""

_GLYPHS = np.array([ord(char) for char in " ╵╷│╴╯╮┤╶╰╭├─┴┬┼"], np.uint32)
"""By the sum of the arms."""

_DASHED = _GLYPHS.copy()
_DASHED[[UP | DOWN, LEFT | RIGHT]] = ord("┊"), ord("┄")

_BRIDGE = ord("│")
"""Where lines of two nets cross: the one that runs down lies above the other, so that none seems to branch there."""

_HEAVY = str.maketrans("╭╮╰╯─│├┤┬┴┼┌┐└┘", "┏┓┗┛━┃┣┫┯┷┿┏┓┗┛")

NO_NET = -1
_BOX_FRAME = -2


class LineArt:
    """A window on lines: only what is inside it is kept."""

    def __init__(self, left: int, top: int, width: int, height: int) -> None:
        self._left, self._top, self._width, self._height = left, top, width, height
        self._arms = np.zeros((height, width), np.uint8)
        self._inks = np.full((height, width), Ink.NONE, np.int16)
        self._solid = np.zeros((height, width), bool)
        self._upright = np.full((height, width), NO_NET, np.int32)
        self._level = np.full((height, width), NO_NET, np.int32)

    def line(self, begin: tuple[int, int], end: tuple[int, int], ink: int, net: int, *, dashed: bool = False) -> None:
        """A straight line between two cells (column and row), both included; later ones colour what they share."""
        (x, y), (u, v) = begin, end
        upright = x == u
        low, high = (min(y, v), max(y, v)) if upright else (min(x, u), max(x, u))
        across, along = (x - self._left, self._top) if upright else (y - self._top, self._left)
        limits = (self._width, self._height) if upright else (self._height, self._width)
        first, last = max(low - along, 0), min(high - along, limits[1] - 1)
        if not 0 <= across < limits[0] or first > last:
            return
        part = (slice(first, last + 1), across) if upright else (across, slice(first, last + 1))
        backward, forward = (UP, DOWN) if upright else (LEFT, RIGHT)
        arms = self._arms[part]
        arms[int(first + along == low) :] |= backward
        arms[: len(arms) - int(last + along == high)] |= forward
        self._inks[part] = ink
        self._solid[part] |= not dashed
        (self._upright if upright else self._level)[part] = net

    def frame(self, left: int, top: int, right: int, bottom: int, ink: int) -> None:
        """A rectangle, at least two cells wide and high; lines that end in it join it."""
        left, right, top, bottom = left - self._left, right - self._left, top - self._top, bottom - self._top
        columns, rows = slice(max(left, 0), max(right + 1, 0)), slice(max(top, 0), max(bottom + 1, 0))
        for row, corner in ((top, DOWN), (bottom, UP)):
            if 0 <= row < self._height:
                self._arms[row, columns] |= LEFT | RIGHT
                self._inks[row, columns] = ink
                self._solid[row, columns] = True
                self._level[row, columns] = _BOX_FRAME
                if 0 <= left < self._width:
                    self._arms[row, left] = corner | RIGHT
                if 0 <= right < self._width:
                    self._arms[row, right] = corner | LEFT
        inner = slice(max(top + 1, 0), max(bottom, 0))
        for column in (left, right):
            if 0 <= column < self._width:
                self._arms[inner, column] |= UP | DOWN
                self._inks[rows, column] = ink
                self._solid[rows, column] = True
                self._upright[rows, column] = _BOX_FRAME

    def cells(self) -> Cells:
        """All lines as glyphs."""
        crossing = (self._arms == UP | DOWN | LEFT | RIGHT) & (self._upright != self._level)
        crossing &= (self._upright >= 0) & (self._level >= 0)
        glyphs = np.where(self._solid, _GLYPHS[self._arms], _DASHED[self._arms])
        glyphs[crossing] = _BRIDGE
        return Cells(glyphs, self._inks)


def heavy(glyphs: npt.NDArray[np.uint32]) -> None:
    """Make the lines of a part of a picture heavy, in place; what joins it stays light."""
    flat = glyphs.ravel()
    text = "".join(map(chr, flat.tolist())).translate(_HEAVY)
    glyphs[...] = np.array([ord(char) for char in text], np.uint32).reshape(glyphs.shape)


# One box of a diagram as cells: its text, its title, and what tells kinds apart.


_STACK = ("╖", "║", "╜")
"""Right border of a series: there are more behind it."""


_RULE = "─"
"""At both sides of a name without a frame: its box is broader, so that lines have room to end."""

_RULE_ENDS = "╴", "╶"
"""Of it before and behind the name, which no line seems to go through."""


class BoxLook(NamedTuple):
    """How a box is drawn."""

    ink: int
    """Of its frame."""

    tint: int | None = None
    """The item's own ink, if it has one: with a ground it colours the whole box."""

    chosen: bool = False
    leads: bool = False
    """Whether it stands out, by its frame too where its ground is coloured."""

    dim: bool = False
    """Whether its name leads no more than what else is said of it."""


def draw_box(cells: Cells, origin: tuple[int, int], place: Place, gates: Sequence[int], look: BoxLook) -> None:
    """Write a box into cells that its frame has been drawn in.

    Args:
        cells: Changed in place.
        origin: Column and row of the layout that the first cell shows.
        place: Any; what of it lies outside is left out.
        gates: Columns of its upper border, if it is opened, where lines come in.
        look: How it is drawn.
    """
    left, top = place.left - origin[0], place.top - origin[1]
    if place.framed:
        _borders(cells, left, top, place, look)
    if place.opened:
        _title(cells, top, place, [gate - origin[0] for gate in (place.left, *gates, place.right)], look)
        return
    if look.tint is not None and int(background_ids(np.array([look.tint], np.int16))[0]):
        edge = int(look.leads and place.framed)
        rows = slice(max(top + edge, 0), max(top + place.height - edge, 0))
        columns = slice(max(left + edge, 0), max(left + place.width - edge, 0))
        _text(cells, left, top, place, look)
        grounded = cells.inks[rows, columns]
        grounded[grounded != Ink.CURSOR] = look.tint
    else:
        _text(cells, left, top, place, look)


def _borders(cells: Cells, left: int, top: int, place: Place, look: BoxLook) -> None:
    """Make the frame heavy when the box is chosen, double at the right of a series."""
    right, bottom = left + place.width - 1, top + place.height - 1
    rows, columns = slice(max(top, 0), max(bottom + 1, 0)), slice(max(left, 0), max(right + 1, 0))
    if look.chosen:
        for row in (top, bottom):
            if 0 <= row < cells.height:
                heavy(cells.glyphs[row, columns])
        for column in (left, right):
            if 0 <= column < cells.width:
                heavy(cells.glyphs[rows, column])
    elif place.kind == "series" and not place.opened and 0 <= right < cells.width:
        first, middle, last = map(ord, _STACK)
        cells.glyphs[rows, right] = middle
        for row, glyph in ((top, first), (bottom, last)):
            if 0 <= row < cells.height:
                cells.glyphs[row, right] = glyph


def _title(cells: Cells, top: int, place: Place, gates: Sequence[int], look: BoxLook) -> None:
    """The title of an opened box, in the first part of its upper border that has room for it."""
    if not 0 <= top < cells.height or not place.lines:
        return
    free = [(one + 2, other - 2 - one) for one, other in pairwise(gates)]
    wanted = cell_width(place.lines[0]) + 1
    begin, room = next((part for part in free if part[1] > wanted), max(free, key=lambda part: part[1]))
    if room > 3:
        text = shorten(place.lines[0], room - 2)
        ink = Ink.CURSOR if look.chosen else look.ink if look.leads else Ink.DIM if look.dim else Ink.BOLD
        write(cells, top, begin, f" {text} ", ink)


def _text(cells: Cells, left: int, top: int, place: Place, look: BoxLook) -> None:
    """Its lines in the middle: the name leads."""
    if not place.framed and (place.height > 1 or place.width > cell_width(place.lines[0])):
        for row in range(max(top, 0), min(top + place.height, cells.height)):
            write(cells, row, left, _ruled(place), look.ink)
    first = top + (place.height - len(place.lines)) // 2
    for index, line in enumerate(place.lines):
        if 0 <= first + index < cells.height and line:
            if look.chosen and not index and place.framed:
                write(cells, first, left + 1, " " * (place.width - 2), Ink.CURSOR)
            write(
                cells, first + index, left + (place.width - cell_width(line)) // 2, line, _text_ink(place, look, index)
            )


def _ruled(place: Place) -> str:
    """Rules with room for the first line between them."""
    name = cell_width(place.lines[0])
    before = (place.width - name) // 2
    behind = place.width - before - name
    ends = (end if room else "" for end, room in zip(_RULE_ENDS, (before, behind), strict=True))
    return f"{_RULE * (before - 1)}{next(ends)}{' ' * name}{next(ends)}{_RULE * (behind - 1)}"


def _text_ink(place: Place, look: BoxLook, index: int) -> int:
    """The ink of a line: the name leads, and tells alone what a frame would."""
    if index:
        return Ink.DIM
    if look.chosen:
        return Ink.CURSOR
    if look.leads:
        return look.ink
    if look.dim:
        return Ink.DIM
    return Ink.TEXT if place.framed or look.ink == Ink.DIM else look.ink


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


_HEADS = np.array([ord(char) for char in "▶◀▼▲"], np.uint32)

_LINE_INKS = (Ink.DIM, Ink.ACCENT, Ink.ACCENT)
"""Of links by how much they stand out: those between marked items, and those of the chosen one."""

_BESIDE_MARKED = (Ink.FAINT, Ink.ACCENT, Ink.TEXT)
"""Likewise where some items are marked: a link of the chosen one is none between them."""


def draw_diagram(
    layout: Layout,
    window: Window,
    *,
    chosen: int | None = None,
    marked: Collection[int] = (),
    tints: Mapping[int, int] = MappingProxyType({}),
) -> Cells:
    """Cells of exactly the size of the window.

    Args:
        layout: Any.
        window: What of it is seen.
        chosen: Item under the cursor: its name is on a ground, its frame and its links lead, these beyond the borders
            of opened boxes, too.
        marked: Items that stand out, such as those found or traced, while all others are dim; links between two of
            them do, too, but not those inside an opened box that leave it for none of them.
        tints: Ink of an item: one with a ground (`cells.heat`) colours its whole box, a series colour its frame. Where
            items are marked no others have one.
    """
    if min(window.width, window.height) < 1:
        return Cells.blank(max(window.height, 0), max(window.width, 0))
    art = LineArt(*window)
    levels = _levels(layout, chosen, marked)
    inks = np.array(_BESIDE_MARKED if marked else _LINE_INKS, np.int16)
    _lines(art, layout, window, levels, inks)
    seen = window.sees(layout.rectangles).tolist()
    looks = {index: _look(layout.places[index], chosen, marked, tints) for index in seen}
    for index, look in looks.items():
        place = layout.places[index]
        if place.framed:
            art.frame(place.left, place.top, place.right, place.bottom, look.ink)
    cells = art.cells()
    for index, look in looks.items():
        draw_box(cells, window[:2], layout.places[index], layout.gates.get(index, ()), look)
    _heads(cells, layout, window, levels, inks)
    for index, x, y in _labels(layout, window):
        write(cells, y - window.top, x - window.left, layout.routes[index].label, int(inks[levels[index]]))
    return cells


def _look(place: Place, chosen: int | None, marked: Collection[int], tints: Mapping[int, int]) -> BoxLook:
    item = place.item
    if item in marked or item == chosen:
        return BoxLook(Ink.ACCENT, tints.get(item), chosen=item == chosen, leads=True)
    if marked:
        return BoxLook(Ink.FAINT, dim=True)
    usual = Ink.FAINT if place.opened or place.aside else Ink.DIM
    return BoxLook(tints.get(item, usual), tints.get(item), dim=place.aside)


def _levels(layout: Layout, chosen: int | None, marked: Collection[int]) -> npt.NDArray[np.int8]:
    """How much each route stands out: an index into `_LINE_INKS`."""
    levels = np.zeros(len(layout.routes), np.int8)
    if marked:
        between = np.flatnonzero(np.isin(layout.ends, list(marked)).all(axis=1))
        levels[list(layout.crossings.led_on(between.tolist()))] = 1
    if chosen is not None:
        own = np.flatnonzero((layout.ends == chosen).any(axis=1))
        followed = list(layout.crossings.followed(own.tolist()))
        levels[followed] = np.where(levels[followed] == 1, 1, 2)
    return levels


def _lines(
    art: LineArt, layout: Layout, window: Window, levels: npt.NDArray[np.int8], inks: npt.NDArray[np.int16]
) -> None:
    """Draw the routes that a window shows, those that stand out above the others."""
    shown = [layout.pieces[window.sees(layout.pieces)].tolist()]
    for level in range(1, len(inks)):
        runs = layout.runs[levels[layout.runs[:, 6]] == level] if (levels == level).any() else layout.runs[:0]
        shown.append(merged(runs[window.sees(runs), :6].tolist()))
    for pieces, ink in zip(shown, inks.tolist(), strict=True):
        for x, y, u, v, net, control in pieces:
            art.line((x, y), (u, v), ink, net, dashed=bool(control))


def _heads(
    cells: Cells, layout: Layout, window: Window, levels: npt.NDArray[np.int8], inks: npt.NDArray[np.int16]
) -> None:
    """Draw the arrows of routes, those that stand out above the others; in a coloured box on its ground."""
    x, y = layout.heads[:, 1] - window.left, layout.heads[:, 2] - window.top
    heads = layout.heads[(x >= 0) & (x < cells.width) & (y >= 0) & (y < cells.height)]
    route, x, y, direction = heads[np.argsort(levels[heads[:, 0]], kind="stable")].T
    at = y - window.top, x - window.left
    cells.glyphs[at] = _HEADS[direction]
    held = cells.inks[at]
    cells.inks[at] = np.where((held != Ink.CURSOR) & (background_ids(held) != 0), held, inks[levels[route]])


def _labels(layout: Layout, window: Window) -> list[tuple[int, int, int]]:
    """Route, column and row of each label in the rows of a window."""
    labels = layout.labels
    rows = (labels[:, 2] >= window.top) & (labels[:, 2] < window.top + window.height)
    return [(index, x, y) for index, x, y in labels[rows].tolist()]


def reveal(layout: Layout, window: Window, item: int) -> Window:
    """The window moved as little as shows an item with what is around it; a layout that fits is centred."""
    place = layout.place(item)
    begin, end = ((place.left, place.top), (place.right, place.bottom)) if place is not None else ((0, 0), (0, 0))
    if place is not None and place.opened:
        end = (place.right, min(place.bottom, place.top + 2))
    left, top = (
        _shown(at, size, whole, low, high, margin)
        for at, size, whole, low, high, margin in zip(
            window[:2], window[2:], (layout.width, layout.height), begin, end, _AROUND, strict=True
        )
    )
    return Window(left, top, window.width, window.height)


_AROUND = (6, 3)
"""Columns and rows around a box that are seen with it."""


def _shown(at: int, size: int, whole: int, low: int, high: int, margin: int) -> int:
    """Where a window along one axis begins."""
    if whole <= size:
        return -((size - whole) // 2)
    at = min(max(at, high + margin + 1 - size), low - margin)
    return min(max(at, 0), whole - size)


# How large the boxes of a diagram are in a terminal: its zoom levels.


WIDEST_TEXT = 32
"""Columns of a line in a box; the middle of longer ones is left out."""

SIDE_BY_SIDE = 32
"""Columns that what is said of a box may take before it goes on in the next row."""

WIDEST_NAME = 20
"""Columns of a name where boxes have nothing else."""

_MARKS = {"scope": "▸ ", "series": "▸ ", "function": "ƒ "}
_FRAME = 4
"""Columns of a frame, with a blank on either side of the text; boxes are an odd number wide and so have a middle."""


def _face(lines: tuple[str, ...], box: Box, widest: int) -> Face:
    # What a function does stands at the end of its name, behind prefixes that tools put before it.
    name = shorten(visible_name("".join(lines[:1])), widest, widest - 1 if box.kind == "function" else None)
    shown = [_mark(box) + name, *(shorten(line, widest) for line in lines[1:])]
    width = max(map(cell_width, shown)) + _FRAME
    return Face(tuple(shown), width | 1, len(shown) + 2, framed=True)


def _mark(box: Box) -> str:
    return "▾ " if box.inside is not None else _MARKS.get(box.kind, "")


def _full(box: Box, widest: int) -> Face:
    """All its lines."""
    count = len(box.aside)
    aside = (f"+ {box.aside[0]}",) if count == 1 else (f"+ {count} aside",) if count else ()
    return _face((*box.lines[:1], *_gathered((*box.lines[1:], *aside))), box, max(widest, WIDEST_TEXT))


def _gathered(lines: tuple[str, ...]) -> list[str]:
    """As few rows as short lines have room in, side by side."""
    rows: list[str] = []
    for line in filter(None, lines):
        if rows and cell_width(safe(rows[-1] + line)) + 3 <= SIDE_BY_SIDE:
            rows[-1] += f" · {line}"
        else:
            rows.append(line)
    return rows


def _name(box: Box, widest: int) -> Face:
    """Its name."""
    return _face(box.lines[:1], box, widest)


def _tiny(box: Box, widest: int) -> Face:
    """Its name without a frame."""
    face = _name(box, widest)
    return face if box.inside is not None else Face(face.lines, cell_width(face.lines[0]))


def _label(text: str) -> Face:
    shown = shorten(text, WIDEST_NAME)
    return Face((shown,), cell_width(shown))


def _no_label(_text: str) -> Face:
    return Face(("",), 0)


def measures(widest: int = WIDEST_NAME) -> tuple[Measure, Measure, Measure]:
    """The zoom levels, from the largest to the smallest.

    Args:
        widest: Columns of a name; as many as `WIDEST_TEXT` at least where there is more than names.
    """
    full, name, tiny = (partial(face, widest=widest) for face in (_full, _name, _tiny))
    return Measure(full, _label), Measure(name, _label), Measure(tiny, _no_label)


FULL, NAMES, TINY = ZOOMS = measures()
"""Everything that is said of a box, and what flows; names, and what flows; names without frames."""
