"""A layout as character cells: the part of it that a window shows."""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.cells import Cells, Ink, background_ids
from tbtui.charts.text import cell_width, shorten, write
from tbtui.plugins.graphs.diagram import Window, merged

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.diagram import Layout, Place

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
