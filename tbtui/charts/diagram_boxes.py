"""One box of a diagram as cells: its text, its title, and what tells kinds apart."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Ink, grounds
from tbtui.charts.line_art import heavy
from tbtui.charts.text import cell_width, shorten, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells
    from tbtui.graphs.places import Place

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
    if look.tint is not None and int(grounds(np.array([look.tint], np.int16))[0]):
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
