"""Zoom levels of a diagram in a terminal: the text and the size of boxes and labels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts.text import cell_width, safe, shorten, visible_name
from tbtui.plugins.graphs.diagram import Face, Measure

if TYPE_CHECKING:
    from tbtui.plugins.graphs.diagram import Box


WIDEST_TEXT = 32
"""Maximum columns of a line in a box; longer lines are cut in the middle."""


SIDE_BY_SIDE = 32
"""Maximum columns of short lines that share a row."""


WIDEST_NAME = 20
"""Maximum columns of a name in boxes that show only names."""


_MARKS = {"scope": "▸ ", "series": "▸ ", "function": "ƒ "}


_FRAME = 4
"""Columns of a frame with a blank at each side; boxes have an odd width, so that they have a middle column."""


def _face(lines: tuple[str, ...], box: Box, widest: int) -> Face:
    # Tools put prefixes before names of functions: the end is what differs.
    name = shorten(visible_name("".join(lines[:1])), widest, widest - 1 if box.kind == "function" else None)
    shown = [_mark(box) + name, *(shorten(line, widest) for line in lines[1:])]
    width = max(map(cell_width, shown)) + _FRAME
    return Face(tuple(shown), width | 1, len(shown) + 2, framed=True)


def _mark(box: Box) -> str:
    return "▾ " if box.inside is not None else _MARKS.get(box.kind, "")


def _full(box: Box, widest: int) -> Face:
    """Return all lines."""
    count = len(box.aside)
    aside = (f"+ {box.aside[0]}",) if count == 1 else (f"+ {count} aside",) if count else ()
    return _face((*box.lines[:1], *_gathered((*box.lines[1:], *aside))), box, max(widest, WIDEST_TEXT))


def _gathered(lines: tuple[str, ...]) -> list[str]:
    """Return the lines in as few rows as possible, short ones side by side."""
    rows: list[str] = []
    for line in filter(None, lines):
        if rows and cell_width(safe(rows[-1] + line)) + 3 <= SIDE_BY_SIDE:
            rows[-1] += f" · {line}"
        else:
            rows.append(line)
    return rows


def _name(box: Box, widest: int) -> Face:
    """Return the name."""
    return _face(box.lines[:1], box, widest)


def _tiny(box: Box, widest: int) -> Face:
    """Return the name without a frame."""
    face = _name(box, widest)
    return face if box.inside is not None else Face(face.lines, cell_width(face.lines[0]))


def _label(text: str) -> Face:
    shown = shorten(text, WIDEST_NAME)
    return Face((shown,), cell_width(shown))


def _no_label(_text: str) -> Face:
    return Face(("",), 0)


def measures(widest: int = WIDEST_NAME) -> tuple[Measure, Measure, Measure]:
    """Return the zoom levels, from the largest boxes to the smallest.

    Args:
        widest: Maximum columns of a name; at least `WIDEST_TEXT` is used for boxes that show more than names.
    """
    full, name, tiny = (partial(face, widest=widest) for face in (_full, _name, _tiny))
    return Measure(full, _label), Measure(name, _label), Measure(tiny, _no_label)


FULL, NAMES, TINY = ZOOMS = measures()
"""Zoom levels: all lines and labels; names and labels; names without frames."""
