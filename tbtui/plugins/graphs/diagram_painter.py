"""Draw the part of a diagram that a window shows as character cells: frames, lines, arrows, text and overflow hints."""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.cells import Cells, Ink, background_ids
from tbtui.charts.text import cell_width, shorten, write
from tbtui.plugins.graphs.diagram import Window, merge_segments

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.diagram import PlacedBox, PlacedDiagram


Side: TypeAlias = Literal["left", "right", "up", "down"]


_BLANK = ord(" ")


_HINTS: Mapping[Side, tuple[str, str]] = {
    "left": ("←", "← {} more"),
    "right": ("→", "{} more →"),
    "up": ("↑", "↑ {} more"),
    "down": ("↓", "↓ {} more"),
}
"""Hints at an edge where only lines continue, and where boxes do."""


def count_hidden_boxes(layout: PlacedDiagram, window: Window) -> dict[Side, int]:
    """Return the number of closed boxes that are cut off or hidden in each direction in which the diagram continues.

    The number is 0 if only lines continue.
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


def draw_overflow_hints(cells: Cells, layout: PlacedDiagram, window: Window) -> None:
    """Write at the edges of a drawn window how many boxes lie beyond: `12 more →`.

    Args:
        cells: Cells from `draw_diagram`; changed in place. Free cells are preferred.
        layout: The layout of the cells.
        window: The window that the cells show.
    """
    more = count_hidden_boxes(layout, window)
    occupied = _occupied(cells, layout, window) if more else cells.glyphs != _BLANK
    apart = _widened(occupied)
    for side, count in more.items():
        texts = [f" {text} " for text in _hint_texts(side, count) if cell_width(text) + 2 <= cells.width]
        found = [(text, *_hint_position(free, side, cell_width(text))) for free in (apart, occupied) for text in texts]
        if found:
            text, row, column, _ = next((one for one in found if not one[-1]), found[-1])
            write(cells, row, column, text, Ink.TEXT)


def _hint_texts(side: Side, count: int) -> tuple[str, ...]:
    """Return the possible hints, the longest first."""
    sign, words = _HINTS[side]
    long = words.format(f"{count:,}")
    return (long, long.replace(" more", "")) if count else (sign,)


def _occupied(cells: Cells, layout: PlacedDiagram, window: Window) -> npt.NDArray[np.bool_]:
    """Return bool[height, width]: True for drawn cells and cells of closed boxes, where a hint would be misread."""
    occupied: npt.NDArray[np.bool_] = cells.glyphs != _BLANK
    for index in window.sees(layout.rectangles).tolist():
        place = layout.places[index]
        if not place.opened:
            left, top = place.left - window.left, place.top - window.top
            occupied[max(top, 0) : max(top + place.height, 0), max(left, 0) : max(left + place.width, 0)] = True
    return occupied


def _widened(occupied: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the flags with two more columns at both sides; a hint that is closer would be read with its neighbour."""
    wide: npt.NDArray[np.bool_] = occupied.copy()
    for far in (1, 2):
        wide[:, far:] |= occupied[:, :-far]
        wide[:, :-far] |= occupied[:, far:]
    return wide


def _hint_position(occupied: npt.NDArray[np.bool_], side: Side, width: int) -> tuple[int, int, bool]:
    """Return row and column nearest to the middle of an edge where no cell is covered, and True if one has to be."""
    last_row, last_column = occupied.shape[0] - 1, occupied.shape[1] - width
    if side in ("left", "right"):
        rows, columns = [*range(1, last_row)] or [0], [0 if side == "left" else last_column]
    else:
        rows, columns = [0 if side == "up" else last_row], [*range(last_column + 1)]
    covers = [[bool(occupied[row, column : column + width].any()) for column in columns] for row in rows]
    far = np.abs(np.add.outer(np.array(rows) - rows[len(rows) // 2], np.array(columns) - columns[len(columns) // 2]))
    row, column = divmod(int(np.argmin(far + np.array(covers) * sum(occupied.shape))), len(columns))
    return rows[row], columns[column], covers[row][column]


UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
"""Arms of a cell: directions in which a line continues from its middle."""


_GLYPHS = np.array([ord(char) for char in " ╵╷│╴╯╮┤╶╰╭├─┴┬┼"], np.uint32)
"""Glyphs by the sum of the arms."""


_DASHED = _GLYPHS.copy()


_DASHED[[UP | DOWN, LEFT | RIGHT]] = ord("┊"), ord("┄")


_BRIDGE = ord("│")
"""Glyph where lines of two nets cross: the vertical line lies above, so that neither seems to branch."""


_HEAVY = str.maketrans("╭╮╰╯─│├┤┬┴┼┌┐└┘", "┏┓┗┛━┃┣┫┯┷┿┏┓┗┛")


NO_NET = -1


_BOX_FRAME = -2


class LineArt:
    """Window on lines of box-drawing characters that join where they meet."""

    def __init__(self, left: int, top: int, width: int, height: int) -> None:
        self._left, self._top, self._width, self._height = left, top, width, height
        self._arms = np.zeros((height, width), np.uint8)
        self._inks = np.full((height, width), Ink.NONE, np.int16)
        self._solid = np.zeros((height, width), bool)
        self._upright = np.full((height, width), NO_NET, np.int32)
        self._level = np.full((height, width), NO_NET, np.int32)

    def line(self, begin: tuple[int, int], end: tuple[int, int], ink: int, net: int, *, dashed: bool = False) -> None:
        """Draw a straight line between two cells (column, row), both included; later lines colour shared cells."""
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
        """Draw a rectangle of at least two by two cells; lines that end in it join it."""
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
        """Return the lines as glyphs."""
        crossing = (self._arms == UP | DOWN | LEFT | RIGHT) & (self._upright != self._level)
        crossing &= (self._upright >= 0) & (self._level >= 0)
        glyphs = np.where(self._solid, _GLYPHS[self._arms], _DASHED[self._arms])
        glyphs[crossing] = _BRIDGE
        return Cells(glyphs, self._inks)


def heavy(glyphs: npt.NDArray[np.uint32]) -> None:
    """Make lines heavy, in place; lines that join them stay light."""
    flat = glyphs.ravel()
    text = "".join(map(chr, flat.tolist())).translate(_HEAVY)
    glyphs[...] = np.array([ord(char) for char in text], np.uint32).reshape(glyphs.shape)


_STACK = ("╖", "║", "╜")
"""Right border of a series, which looks like a stack."""


_RULE = "─"
"""Line at both sides of a name without a frame: its box is wider, so that routes have room to end."""


_RULE_ENDS = "╴", "╶"
"""Ends of the rule before and after the name, so that no line seems to cross the name."""


class BoxStyle(NamedTuple):
    """Appearance of a box."""

    ink: int
    """Ink of its frame."""

    tint: int | None = None
    """Ink of the item, if it has one; an ink with a background colours the whole box."""

    chosen: bool = False
    leads: bool = False
    """True if the box is highlighted; its frame is, too, even if the box is coloured."""

    dim: bool = False
    """True if the name is as dim as the other lines."""


def draw_box(
    cells: Cells, origin: tuple[int, int], place: PlacedBox, border_columns: Sequence[int], style: BoxStyle
) -> None:
    """Write a box into cells in which its frame is drawn already.

    Args:
        cells: Changed in place.
        origin: Column and row of the layout that the first cell shows.
        place: Any; parts outside the cells are skipped.
        border_columns: Columns of its upper border where routes enter, if it is open.
        style: Appearance of the box.
    """
    left, top = place.left - origin[0], place.top - origin[1]
    if place.framed:
        _borders(cells, left, top, place, style)
    if place.opened:
        _title(cells, top, place, [column - origin[0] for column in (place.left, *border_columns, place.right)], style)
        return
    if style.tint is not None and int(background_ids(np.array([style.tint], np.int16))[0]):
        edge = int(style.leads and place.framed)
        rows = slice(max(top + edge, 0), max(top + place.height - edge, 0))
        columns = slice(max(left + edge, 0), max(left + place.width - edge, 0))
        _text(cells, left, top, place, style)
        grounded = cells.inks[rows, columns]
        grounded[grounded != Ink.CURSOR] = style.tint
    else:
        _text(cells, left, top, place, style)


def _borders(cells: Cells, left: int, top: int, place: PlacedBox, style: BoxStyle) -> None:
    """Make the frame of a selected box heavy, and the right border of a series double."""
    right, bottom = left + place.width - 1, top + place.height - 1
    rows, columns = slice(max(top, 0), max(bottom + 1, 0)), slice(max(left, 0), max(right + 1, 0))
    if style.chosen:
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


def _title(cells: Cells, top: int, place: PlacedBox, border_columns: Sequence[int], style: BoxStyle) -> None:
    """Write the title of an open box in the first part of its upper border that has room."""
    if not 0 <= top < cells.height or not place.lines:
        return
    free = [(one + 2, other - 2 - one) for one, other in pairwise(border_columns)]
    title_width = cell_width(place.lines[0]) + 1
    begin, room = next((part for part in free if part[1] > title_width), max(free, key=lambda part: part[1]))
    if room > 3:
        text = shorten(place.lines[0], room - 2)
        ink = Ink.CURSOR if style.chosen else style.ink if style.leads else Ink.DIM if style.dim else Ink.BOLD
        write(cells, top, begin, f" {text} ", ink)


def _text(cells: Cells, left: int, top: int, place: PlacedBox, style: BoxStyle) -> None:
    """Write the lines, centred."""
    if not place.framed and (place.height > 1 or place.width > cell_width(place.lines[0])):
        for row in range(max(top, 0), min(top + place.height, cells.height)):
            write(cells, row, left, _ruled(place), style.ink)
    first = top + (place.height - len(place.lines)) // 2
    for index, line in enumerate(place.lines):
        if 0 <= first + index < cells.height and line:
            if style.chosen and not index and place.framed:
                write(cells, first, left + 1, " " * (place.width - 2), Ink.CURSOR)
            write(
                cells, first + index, left + (place.width - cell_width(line)) // 2, line, _text_ink(place, style, index)
            )


def _ruled(place: PlacedBox) -> str:
    """Return rules with room for the first line between them."""
    name = cell_width(place.lines[0])
    before = (place.width - name) // 2
    behind = place.width - before - name
    ends = (end if room else "" for end, room in zip(_RULE_ENDS, (before, behind), strict=True))
    return f"{_RULE * (before - 1)}{next(ends)}{' ' * name}{next(ends)}{_RULE * (behind - 1)}"


def _text_ink(place: PlacedBox, style: BoxStyle, index: int) -> int:
    """Return the ink of a line; without a frame the name has the ink of the frame."""
    if index:
        return Ink.DIM
    if style.chosen:
        return Ink.CURSOR
    if style.leads:
        return style.ink
    if style.dim:
        return Ink.DIM
    return Ink.TEXT if place.framed or style.ink == Ink.DIM else style.ink


_HEADS = np.array([ord(char) for char in "▶◀▼▲"], np.uint32)


_LINE_INKS = (Ink.DIM, Ink.ACCENT, Ink.ACCENT)
"""Inks of routes by level: others, between highlighted items, at the selected item."""


_LINE_INKS_WITH_HIGHLIGHTS = (Ink.FAINT, Ink.ACCENT, Ink.TEXT)
"""Inks by level if items are highlighted: routes of the selected item then have another ink."""


def draw_diagram(
    layout: PlacedDiagram,
    window: Window,
    *,
    chosen: int | None = None,
    marked: Collection[int] = (),
    tints: Mapping[int, int] = MappingProxyType({}),
) -> Cells:
    """Draw a window of a layout; the result has exactly the size of the window.

    Args:
        layout: The placed diagram.
        window: Part of the layout to draw.
        chosen: Selected item: its name has a background, its frame and its routes are highlighted, also beyond the
            borders of open boxes.
        marked: Highlighted items, such as matches or traced items; all others are dim. Routes between two of them are
            highlighted, except routes in an open box whose continuation is not.
        tints: Ink of items: an ink with a background (`cells.heat`) colours the whole box, a series colour its frame.
            If items are highlighted, only those have one.
    """
    if min(window.width, window.height) < 1:
        return Cells.blank(max(window.height, 0), max(window.width, 0))
    art = LineArt(*window)
    levels = _route_levels(layout, chosen, marked)
    inks = np.array(_LINE_INKS_WITH_HIGHLIGHTS if marked else _LINE_INKS, np.int16)
    _lines(art, layout, window, levels, inks)
    seen = window.sees(layout.rectangles).tolist()
    styles = {index: _style(layout.places[index], chosen, marked, tints) for index in seen}
    for index, style in styles.items():
        place = layout.places[index]
        if place.framed:
            art.frame(place.left, place.top, place.right, place.bottom, style.ink)
    cells = art.cells()
    for index, style in styles.items():
        draw_box(cells, window[:2], layout.places[index], layout.border_columns.get(index, ()), style)
    _heads(cells, layout, window, levels, inks)
    for index, x, y in _labels(layout, window):
        write(cells, y - window.top, x - window.left, layout.routes[index].label, int(inks[levels[index]]))
    return cells


def _style(place: PlacedBox, chosen: int | None, marked: Collection[int], tints: Mapping[int, int]) -> BoxStyle:
    item = place.item
    if item in marked or item == chosen:
        return BoxStyle(Ink.ACCENT, tints.get(item), chosen=item == chosen, leads=True)
    if marked:
        return BoxStyle(Ink.FAINT, dim=True)
    usual = Ink.FAINT if place.opened or place.aside else Ink.DIM
    return BoxStyle(tints.get(item, usual), tints.get(item), dim=place.aside)


def _route_levels(layout: PlacedDiagram, chosen: int | None, marked: Collection[int]) -> npt.NDArray[np.int8]:
    """Return the level of each route: an index into `_LINE_INKS`."""
    levels = np.zeros(len(layout.routes), np.int8)
    if marked:
        between = np.flatnonzero(np.isin(layout.ends, list(marked)).all(axis=1))
        levels[list(layout.crossings.without_dead_ends(between.tolist()))] = 1
    if chosen is not None:
        own = np.flatnonzero((layout.ends == chosen).any(axis=1))
        followed = list(layout.crossings.with_continuations(own.tolist()))
        levels[followed] = np.where(levels[followed] == 1, 1, 2)
    return levels


def _lines(
    art: LineArt, layout: PlacedDiagram, window: Window, levels: npt.NDArray[np.int8], inks: npt.NDArray[np.int16]
) -> None:
    """Draw the routes that a window shows, highlighted ones on top."""
    shown = [layout.merged_segments[window.sees(layout.merged_segments)].tolist()]
    for level in range(1, len(inks)):
        segments = layout.route_segments
        runs = segments[levels[segments[:, 6]] == level] if (levels == level).any() else segments[:0]
        shown.append(merge_segments(runs[window.sees(runs), :6].tolist()))
    for pieces, ink in zip(shown, inks.tolist(), strict=True):
        for x, y, u, v, net, control in pieces:
            art.line((x, y), (u, v), ink, net, dashed=bool(control))


def _heads(
    cells: Cells, layout: PlacedDiagram, window: Window, levels: npt.NDArray[np.int8], inks: npt.NDArray[np.int16]
) -> None:
    """Draw the arrows of routes, highlighted ones on top; an arrow in a coloured box keeps the background."""
    x, y = layout.heads[:, 1] - window.left, layout.heads[:, 2] - window.top
    heads = layout.heads[(x >= 0) & (x < cells.width) & (y >= 0) & (y < cells.height)]
    route, x, y, direction = heads[np.argsort(levels[heads[:, 0]], kind="stable")].T
    at = y - window.top, x - window.left
    cells.glyphs[at] = _HEADS[direction]
    inks_below = cells.inks[at]
    cells.inks[at] = np.where(
        (inks_below != Ink.CURSOR) & (background_ids(inks_below) != 0), inks_below, inks[levels[route]]
    )


def _labels(layout: PlacedDiagram, window: Window) -> list[tuple[int, int, int]]:
    """Return route, column and row of each label in the rows of a window."""
    labels = layout.labels
    rows = (labels[:, 2] >= window.top) & (labels[:, 2] < window.top + window.height)
    return [(index, x, y) for index, x, y in labels[rows].tolist()]


def reveal_item(layout: PlacedDiagram, window: Window, item: int) -> Window:
    """Move the window as little as possible to show an item and its surroundings; centre a layout that fits."""
    place = layout.placed_box(item)
    begin, end = ((place.left, place.top), (place.right, place.bottom)) if place is not None else ((0, 0), (0, 0))
    if place is not None and place.opened:
        end = (place.right, min(place.bottom, place.top + 2))
    left, top = (
        _shown(at, size, whole, low, high, margin)
        for at, size, whole, low, high, margin in zip(
            window[:2], window[2:], (layout.width, layout.height), begin, end, _REVEAL_MARGIN, strict=True
        )
    )
    return Window(left, top, window.width, window.height)


_REVEAL_MARGIN = (6, 3)
"""Columns and rows around a box that are shown with it."""


def _shown(at: int, size: int, whole: int, low: int, high: int, margin: int) -> int:
    """Return the start of a window along one axis."""
    if whole <= size:
        return -((size - whole) // 2)
    at = min(max(at, high + margin + 1 - size), low - margin)
    return min(max(at, 0), whole - size)
