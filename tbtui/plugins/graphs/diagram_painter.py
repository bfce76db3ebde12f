"""Draw the part of a diagram in a window as character cells: frames, lines, arrows, text and overflow hints."""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.cells import Cells, Ink, number_backgrounds
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
"""Hints at an edge if only lines continue, and if boxes continue."""


def count_hidden_boxes(layout: PlacedDiagram, window: Window) -> dict[Side, int]:
    """Return the number of closed boxes that are cut off or hidden in each direction in which the diagram continues.

    The number is 0 if only lines continue.
    """
    right, bottom = window.left + window.width, window.top + window.height
    is_closed = np.array([not box.is_open for box in layout.boxes], np.bool_)
    lefts, tops, rights, bottoms = layout.rectangles[is_closed].T
    continues: dict[Side, bool] = {
        "left": window.left > 0,
        "right": layout.width > right,
        "up": window.top > 0,
        "down": layout.height > bottom,
    }
    is_hidden: dict[Side, npt.NDArray[np.bool_]] = {
        "left": lefts < window.left,
        "right": rights >= right,
        "up": tops < window.top,
        "down": bottoms >= bottom,
    }
    return {side: int(np.count_nonzero(is_hidden[side])) for side, is_continued in continues.items() if is_continued}


def draw_overflow_hints(cells: Cells, layout: PlacedDiagram, window: Window) -> None:
    """Write the number of hidden boxes at the edges of a drawn window: `12 more →`.

    Args:
        cells: Cells from `draw_diagram`; changed in place. Free cells are preferred.
        layout: The layout of the cells.
        window: The window of the cells.
    """
    hidden_counts = count_hidden_boxes(layout, window)
    occupied = _find_occupied_cells(cells, layout, window) if hidden_counts else cells.glyphs != _BLANK
    occupied_or_close = _widen(occupied)
    for side, count in hidden_counts.items():
        texts = [f" {text} " for text in _list_hint_texts(side, count) if cell_width(text) + 2 <= cells.width]
        candidates = [
            (text, _find_hint_position(avoided, side, cell_width(text)))
            for avoided in (occupied_or_close, occupied)
            for text in texts
        ]
        if candidates:
            text, position = next((hint for hint in candidates if not hint[1].covers), candidates[-1])
            write(cells, position.row, position.column, text, Ink.TEXT)


def _list_hint_texts(side: Side, count: int) -> tuple[str, ...]:
    """Return the possible hints, the longest first."""
    sign, template = _HINTS[side]
    long = template.format(f"{count:,}")
    return (long, long.replace(" more", "")) if count else (sign,)


def _find_occupied_cells(cells: Cells, layout: PlacedDiagram, window: Window) -> npt.NDArray[np.bool_]:
    """Return bool[height, width]: True for drawn cells and cells of closed boxes, in which a hint would be misread."""
    occupied: npt.NDArray[np.bool_] = cells.glyphs != _BLANK
    for index in window.find_visible(layout.rectangles).tolist():
        box = layout.boxes[index]
        if not box.is_open:
            left, top = box.left - window.left, box.top - window.top
            occupied[max(top, 0) : max(top + box.height, 0), max(left, 0) : max(left + box.width, 0)] = True
    return occupied


def _widen(occupied: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the flags with two more columns at both sides; a closer hint would be read together with its neighbour."""
    wide: npt.NDArray[np.bool_] = occupied.copy()
    for distance in (1, 2):
        wide[:, distance:] |= occupied[:, :-distance]
        wide[:, :-distance] |= occupied[:, distance:]
    return wide


class _HintPosition(NamedTuple):
    """First cell of a hint."""

    row: int
    column: int
    covers: bool
    """True if the hint covers an occupied cell."""


def _find_hint_position(occupied: npt.NDArray[np.bool_], side: Side, width: int) -> _HintPosition:
    """Return the position nearest to the middle of an edge at which the hint covers no cell, if there is one."""
    last_row, last_column = occupied.shape[0] - 1, occupied.shape[1] - width
    if side in ("left", "right"):
        rows, columns = [*range(1, last_row)] or [0], [0 if side == "left" else last_column]
    else:
        rows, columns = [0 if side == "up" else last_row], [*range(last_column + 1)]
    covers = [[bool(occupied[row, column : column + width].any()) for column in columns] for row in rows]
    row_distances = np.array(rows) - rows[len(rows) // 2]
    column_distances = np.array(columns) - columns[len(columns) // 2]
    distances = np.abs(np.add.outer(row_distances, column_distances))
    row, column = divmod(int(np.argmin(distances + np.array(covers) * sum(occupied.shape))), len(columns))
    return _HintPosition(rows[row], columns[column], covers[row][column])


UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
"""Arms of a cell: directions in which a line continues from its middle."""


_GLYPHS = np.array([ord(char) for char in " ╵╷│╴╯╮┤╶╰╭├─┴┬┼"], np.uint32)
"""Glyphs by the sum of the arms."""


_DASHED = _GLYPHS.copy()


_DASHED[[UP | DOWN, LEFT | RIGHT]] = ord("┊"), ord("┄")


_BRIDGE = ord("│")
"""Glyph at a crossing of two nets: the vertical line is on top, so that neither seems to branch."""


_HEAVY = str.maketrans("╭╮╰╯─│├┤┬┴┼┌┐└┘", "┏┓┗┛━┃┣┫┯┷┿┏┓┗┛")


NO_NET = -1


_BOX_FRAME = -2


class LineArt:
    """Window on lines of box-drawing characters that join in shared cells."""

    def __init__(self, left: int, top: int, width: int, height: int) -> None:
        self._left, self._top, self._width, self._height = left, top, width, height
        self._arms = np.zeros((height, width), np.uint8)
        self._inks = np.full((height, width), Ink.NONE, np.int16)
        self._solid = np.zeros((height, width), bool)
        self._vertical = np.full((height, width), NO_NET, np.int32)
        self._horizontal = np.full((height, width), NO_NET, np.int32)

    def draw_line(
        self, start: tuple[int, int], end: tuple[int, int], ink: int, net: int, *, dashed: bool = False
    ) -> None:
        """Draw a straight line between two cells (column, row), both included; later lines colour shared cells."""
        (x, y), (end_x, end_y) = start, end
        is_vertical = x == end_x
        low, high = (min(y, end_y), max(y, end_y)) if is_vertical else (min(x, end_x), max(x, end_x))
        across, origin = (x - self._left, self._top) if is_vertical else (y - self._top, self._left)
        limits = (self._width, self._height) if is_vertical else (self._height, self._width)
        first, last = max(low - origin, 0), min(high - origin, limits[1] - 1)
        if not 0 <= across < limits[0] or first > last:
            return
        part = (slice(first, last + 1), across) if is_vertical else (across, slice(first, last + 1))
        backward, forward = (UP, DOWN) if is_vertical else (LEFT, RIGHT)
        arms = self._arms[part]
        arms[int(first + origin == low) :] |= backward
        arms[: len(arms) - int(last + origin == high)] |= forward
        self._inks[part] = ink
        self._solid[part] |= not dashed
        (self._vertical if is_vertical else self._horizontal)[part] = net

    def draw_frame(self, left: int, top: int, right: int, bottom: int, ink: int) -> None:
        """Draw a rectangle of at least 2×2 cells; lines that end in it join it."""
        left, right, top, bottom = left - self._left, right - self._left, top - self._top, bottom - self._top
        columns, rows = slice(max(left, 0), max(right + 1, 0)), slice(max(top, 0), max(bottom + 1, 0))
        for row, corner in ((top, DOWN), (bottom, UP)):
            if 0 <= row < self._height:
                self._arms[row, columns] |= LEFT | RIGHT
                self._inks[row, columns] = ink
                self._solid[row, columns] = True
                self._horizontal[row, columns] = _BOX_FRAME
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
                self._vertical[rows, column] = _BOX_FRAME

    def to_cells(self) -> Cells:
        """Return the lines as glyphs."""
        crossing = (self._arms == UP | DOWN | LEFT | RIGHT) & (self._vertical != self._horizontal)
        crossing &= (self._vertical >= 0) & (self._horizontal >= 0)
        glyphs = np.where(self._solid, _GLYPHS[self._arms], _DASHED[self._arms])
        glyphs[crossing] = _BRIDGE
        return Cells(glyphs, self._inks)


def make_heavy(glyphs: npt.NDArray[np.uint32]) -> None:
    """Make lines heavy, in place; lines that join them stay light."""
    flat = glyphs.ravel()
    text = "".join(map(chr, flat.tolist())).translate(_HEAVY)
    glyphs[...] = np.array([ord(char) for char in text], np.uint32).reshape(glyphs.shape)


_STACK = ("╖", "║", "╜")
"""Right border of a series, which looks like a stack."""


_RULE = "─"
"""Line at both sides of a name without a frame, whose box is wider so that routes can end at it."""


_RULE_ENDS = "╴", "╶"
"""Ends of the rule before and after the name, so that no line seems to cross the name."""


class BoxStyle(NamedTuple):
    """Appearance of a box."""

    ink: int
    """Ink of its frame."""

    tint: int | None = None
    """Ink of the item, if it has one; an ink with a background colours the whole box."""

    chosen: bool = False
    highlighted: bool = False
    """True if the box is highlighted; then its frame is highlighted even if the box is coloured."""

    dim: bool = False
    """True if the name is as dim as the other lines."""


def draw_box(
    cells: Cells, origin: tuple[int, int], box: PlacedBox, border_columns: Sequence[int], style: BoxStyle
) -> None:
    """Write the text of a box into cells that contain its frame already.

    Args:
        cells: Changed in place.
        origin: Column and row of the first cell in the layout.
        box: The box; parts outside the cells are skipped.
        border_columns: Columns of the upper border of an open box at which routes enter.
        style: Appearance of the box.
    """
    left, top = box.left - origin[0], box.top - origin[1]
    if box.is_framed:
        _emphasize_frame(cells, left, top, box, style)
    if box.is_open:
        columns_around_title = [column - origin[0] for column in (box.left, *border_columns, box.right)]
        _write_title(cells, top, box, columns_around_title, style)
        return
    if style.tint is not None and int(number_backgrounds(np.array([style.tint], np.int16))[0]):
        edge = int(style.highlighted and box.is_framed)
        rows = slice(max(top + edge, 0), max(top + box.height - edge, 0))
        columns = slice(max(left + edge, 0), max(left + box.width - edge, 0))
        _write_lines(cells, left, top, box, style)
        inks = cells.inks[rows, columns]
        inks[inks != Ink.CURSOR] = style.tint
    else:
        _write_lines(cells, left, top, box, style)


def _emphasize_frame(cells: Cells, left: int, top: int, box: PlacedBox, style: BoxStyle) -> None:
    """Make the frame of a selected box heavy, and the right border of a series double."""
    right, bottom = left + box.width - 1, top + box.height - 1
    rows, columns = slice(max(top, 0), max(bottom + 1, 0)), slice(max(left, 0), max(right + 1, 0))
    if style.chosen:
        for row in (top, bottom):
            if 0 <= row < cells.height:
                make_heavy(cells.glyphs[row, columns])
        for column in (left, right):
            if 0 <= column < cells.width:
                make_heavy(cells.glyphs[rows, column])
    elif box.kind == "series" and not box.is_open and 0 <= right < cells.width:
        first, middle, last = map(ord, _STACK)
        cells.glyphs[rows, right] = middle
        for row, glyph in ((top, first), (bottom, last)):
            if 0 <= row < cells.height:
                cells.glyphs[row, right] = glyph


def _write_title(cells: Cells, top: int, box: PlacedBox, border_columns: Sequence[int], style: BoxStyle) -> None:
    """Write the title of an open box into the first gap of its upper border that is wide enough, or the widest."""
    if not 0 <= top < cells.height or not box.lines:
        return
    gaps = [(left + 2, right - 2 - left) for left, right in pairwise(border_columns)]
    title_width = cell_width(box.lines[0]) + 1
    start, width = next((gap for gap in gaps if gap[1] > title_width), max(gaps, key=lambda gap: gap[1]))
    if width > 3:
        text = shorten(box.lines[0], width - 2)
        ink = Ink.CURSOR if style.chosen else style.ink if style.highlighted else Ink.DIM if style.dim else Ink.BOLD
        write(cells, top, start, f" {text} ", ink)


def _write_lines(cells: Cells, left: int, top: int, box: PlacedBox, style: BoxStyle) -> None:
    """Write the lines, centred."""
    if not box.is_framed and (box.height > 1 or box.width > cell_width(box.lines[0])):
        for row in range(max(top, 0), min(top + box.height, cells.height)):
            write(cells, row, left, _draw_rules(box), style.ink)
    first = top + (box.height - len(box.lines)) // 2
    for index, line in enumerate(box.lines):
        if 0 <= first + index < cells.height and line:
            if style.chosen and not index and box.is_framed:
                write(cells, first, left + 1, " " * (box.width - 2), Ink.CURSOR)
            column = left + (box.width - cell_width(line)) // 2
            write(cells, first + index, column, line, _choose_text_ink(box, style, index))


def _draw_rules(box: PlacedBox) -> str:
    """Return rules at both sides of blanks for the first line."""
    name_width = cell_width(box.lines[0])
    left_width = (box.width - name_width) // 2
    right_width = box.width - left_width - name_width
    left_end, right_end = (
        end if width else "" for end, width in zip(_RULE_ENDS, (left_width, right_width), strict=True)
    )
    return f"{_RULE * (left_width - 1)}{left_end}{' ' * name_width}{right_end}{_RULE * (right_width - 1)}"


def _choose_text_ink(box: PlacedBox, style: BoxStyle, index: int) -> int:
    """Return the ink of a line; without a frame the name has the ink of the frame."""
    if index:
        return Ink.DIM
    if style.chosen:
        return Ink.CURSOR
    if style.highlighted:
        return style.ink
    if style.dim:
        return Ink.DIM
    return Ink.TEXT if box.is_framed or style.ink == Ink.DIM else style.ink


_ARROWS = np.array([ord(char) for char in "▶◀▼▲"], np.uint32)


_LINE_INKS = (Ink.DIM, Ink.ACCENT, Ink.ACCENT)
"""Inks of routes by level: others, between highlighted items, at the selected item."""


_LINE_INKS_WITH_HIGHLIGHTS = (Ink.FAINT, Ink.ACCENT, Ink.TEXT)
"""Inks by level if items are highlighted: routes of the selected item then have another ink."""


def draw_diagram(
    layout: PlacedDiagram,
    window: Window,
    *,
    chosen: int | None = None,
    highlighted: Collection[int] = (),
    tints: Mapping[int, int] = MappingProxyType({}),
) -> Cells:
    """Draw a window of a layout; the result has exactly the size of the window.

    Args:
        layout: The placed diagram.
        window: Part of the layout to draw.
        chosen: Selected item. Its name has a background; its frame and its routes are highlighted, also beyond the
            borders of open boxes.
        highlighted: Highlighted items, such as matches or traced items; all others are dim. Routes between two of them
            are highlighted, except routes in an open box whose continuations are not.
        tints: Inks of items. With a background (`cells.to_heat_inks`) they colour the complete box, else its frame.
            Ignored for all but highlighted items, if there are any.
    """
    if min(window.width, window.height) < 1:
        return Cells.blank(max(window.height, 0), max(window.width, 0))
    art = LineArt(*window)
    levels = _find_route_levels(layout, chosen, highlighted)
    inks = np.array(_LINE_INKS_WITH_HIGHLIGHTS if highlighted else _LINE_INKS, np.int16)
    _draw_lines(art, layout, window, levels, inks)
    visible = window.find_visible(layout.rectangles).tolist()
    styles = {index: _choose_box_style(layout.boxes[index], chosen, highlighted, tints) for index in visible}
    for index, style in styles.items():
        box = layout.boxes[index]
        if box.is_framed:
            art.draw_frame(box.left, box.top, box.right, box.bottom, style.ink)
    cells = art.to_cells()
    for index, style in styles.items():
        draw_box(cells, window[:2], layout.boxes[index], layout.border_columns.get(index, ()), style)
    _draw_arrows(cells, layout, window, levels, inks)
    for index, x, y in _list_visible_labels(layout, window):
        write(cells, y - window.top, x - window.left, layout.routes[index].label, int(inks[levels[index]]))
    return cells


def _choose_box_style(
    box: PlacedBox, chosen: int | None, highlighted: Collection[int], tints: Mapping[int, int]
) -> BoxStyle:
    item = box.item
    if item in highlighted or item == chosen:
        return BoxStyle(Ink.ACCENT, tints.get(item), chosen=item == chosen, highlighted=True)
    if highlighted:
        return BoxStyle(Ink.FAINT, dim=True)
    default = Ink.FAINT if box.is_open or box.is_aside else Ink.DIM
    return BoxStyle(tints.get(item, default), tints.get(item), dim=box.is_aside)


def _find_route_levels(layout: PlacedDiagram, chosen: int | None, highlighted: Collection[int]) -> npt.NDArray[np.int8]:
    """Return the level of each route: an index into `_LINE_INKS`."""
    levels = np.zeros(len(layout.routes), np.int8)
    if highlighted:
        between = np.flatnonzero(np.isin(layout.ends, list(highlighted)).all(axis=1))
        levels[list(layout.crossings.drop_dead_ends(between.tolist()))] = 1
    if chosen is not None:
        at_item = np.flatnonzero((layout.ends == chosen).any(axis=1))
        routes = list(layout.crossings.with_continuations(at_item.tolist()))
        levels[routes] = np.where(levels[routes] == 1, 1, 2)
    return levels


def _draw_lines(
    art: LineArt, layout: PlacedDiagram, window: Window, levels: npt.NDArray[np.int8], inks: npt.NDArray[np.int16]
) -> None:
    """Draw the routes in a window, highlighted ones on top."""
    segments_by_level = [layout.merged_segments[window.find_visible(layout.merged_segments)].tolist()]
    for level in range(1, len(inks)):
        segments = layout.route_segments
        segments = segments[levels[segments[:, 6]] == level] if (levels == level).any() else segments[:0]
        segments_by_level.append(merge_segments(segments[window.find_visible(segments), :6].tolist()))
    for level_segments, ink in zip(segments_by_level, inks.tolist(), strict=True):
        for x, y, end_x, end_y, net, control in level_segments:
            art.draw_line((x, y), (end_x, end_y), ink, net, dashed=bool(control))


def _draw_arrows(
    cells: Cells, layout: PlacedDiagram, window: Window, levels: npt.NDArray[np.int8], inks: npt.NDArray[np.int16]
) -> None:
    """Draw the arrows of routes, highlighted ones on top; an arrow in a coloured box keeps the background."""
    x, y = layout.arrows[:, 1] - window.left, layout.arrows[:, 2] - window.top
    arrows = layout.arrows[(x >= 0) & (x < cells.width) & (y >= 0) & (y < cells.height)]
    route, x, y, direction = arrows[np.argsort(levels[arrows[:, 0]], kind="stable")].T
    positions = y - window.top, x - window.left
    cells.glyphs[positions] = _ARROWS[direction]
    inks_below = cells.inks[positions]
    cells.inks[positions] = np.where(
        (inks_below != Ink.CURSOR) & (number_backgrounds(inks_below) != 0), inks_below, inks[levels[route]]
    )


def _list_visible_labels(layout: PlacedDiagram, window: Window) -> list[tuple[int, int, int]]:
    """Return route, column and row of each label in the rows of a window."""
    labels = layout.labels
    rows = (labels[:, 2] >= window.top) & (labels[:, 2] < window.top + window.height)
    return [(index, x, y) for index, x, y in labels[rows].tolist()]


def reveal_item(layout: PlacedDiagram, window: Window, item: int) -> Window:
    """Move the window as little as possible to show an item and its surroundings; centre a layout that fits."""
    left = top = right = bottom = 0
    if (box := layout.find_box(item)) is not None:
        left, top, right, bottom = box.left, box.top, box.right, box.bottom
        if box.is_open:
            bottom = min(bottom, top + 2)
    return window._replace(
        left=_reveal_along(window.left, window.width, layout.width, left, right, _REVEAL_MARGIN[0]),
        top=_reveal_along(window.top, window.height, layout.height, top, bottom, _REVEAL_MARGIN[1]),
    )


_REVEAL_MARGIN = (6, 3)
"""Columns and rows around a box that are visible with it."""


def _reveal_along(start: int, size: int, layout_size: int, low: int, high: int, margin: int) -> int:
    """Return the start of the window along one axis, at which cells from `low` to `high` are visible.

    The margin shrinks where the window is too small for it. A window smaller than the item begins where the item does.
    """
    if layout_size <= size:
        return -((size - layout_size) // 2)
    margin = max(0, min(margin, (size - (high - low + 1)) // 2))
    start = min(max(start, high + margin + 1 - size), low - margin)
    return min(max(start, 0), layout_size - size)
