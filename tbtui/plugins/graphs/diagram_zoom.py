"""Zoom levels of a diagram in a terminal: the text and the size of boxes and labels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts.text import cell_width, safe, shorten, visible_name
from tbtui.plugins.graphs.diagram import BoxFace, ZoomLevel

if TYPE_CHECKING:
    from tbtui.plugins.graphs.diagram import Box


MAX_TEXT_WIDTH = 32
"""Maximum columns of a line in a box; longer lines are cut in the middle."""


MAX_JOINED_WIDTH = 32
"""Maximum columns of short lines that share a row."""


MAX_NAME_WIDTH = 20
"""Maximum columns of a name in boxes that show only names."""


_MARKS = {"scope": "▸ ", "series": "▸ ", "function": "ƒ "}


_FRAME = 4
"""Columns of a frame with a blank at each side; boxes have an odd width, so that they have a middle column."""


def _face(lines: tuple[str, ...], box: Box, widest: int) -> BoxFace:
    # Tools put prefixes before names of functions: the end is what differs.
    name = shorten(visible_name("".join(lines[:1])), widest, widest - 1 if box.kind == "function" else None)
    shown = [_mark(box) + name, *(shorten(line, widest) for line in lines[1:])]
    width = max(map(cell_width, shown)) + _FRAME
    return BoxFace(tuple(shown), width | 1, len(shown) + 2, framed=True)


def _mark(box: Box) -> str:
    return "▾ " if box.inside is not None else _MARKS.get(box.kind, "")


def _full(box: Box, widest: int) -> BoxFace:
    """Return all lines."""
    count = len(box.aside)
    aside = (f"+ {box.aside[0]}",) if count == 1 else (f"+ {count} aside",) if count else ()
    return _face((*box.lines[:1], *_gathered((*box.lines[1:], *aside))), box, max(widest, MAX_TEXT_WIDTH))


def _gathered(lines: tuple[str, ...]) -> list[str]:
    """Return the lines in as few rows as possible, short ones side by side."""
    rows: list[str] = []
    for line in filter(None, lines):
        if rows and cell_width(safe(rows[-1] + line)) + 3 <= MAX_JOINED_WIDTH:
            rows[-1] += f" · {line}"
        else:
            rows.append(line)
    return rows


def _name(box: Box, widest: int) -> BoxFace:
    """Return the name."""
    return _face(box.lines[:1], box, widest)


def _tiny(box: Box, widest: int) -> BoxFace:
    """Return the name without a frame."""
    face = _name(box, widest)
    return face if box.inside is not None else BoxFace(face.lines, cell_width(face.lines[0]))


def _label(text: str) -> BoxFace:
    shown = shorten(text, MAX_NAME_WIDTH)
    return BoxFace((shown,), cell_width(shown))


def _no_label(_text: str) -> BoxFace:
    return BoxFace(("",), 0)


def zoom_levels(widest: int = MAX_NAME_WIDTH) -> tuple[ZoomLevel, ZoomLevel, ZoomLevel]:
    """Return the zoom levels, from the largest boxes to the smallest.

    Args:
        widest: Maximum columns of a name; at least `MAX_TEXT_WIDTH` is used for boxes that show more than names.
    """
    full, name, tiny = (partial(face, widest=widest) for face in (_full, _name, _tiny))
    return ZoomLevel(full, _label), ZoomLevel(name, _label), ZoomLevel(tiny, _no_label)


FULL, NAMES, TINY = ZOOMS = zoom_levels()
"""Zoom levels: all lines and labels; names and labels; names without frames."""
