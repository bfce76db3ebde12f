"""A layout as character cells: the part of it that a window shows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts.text import cell_width, safe, shorten, visible_name
from tbtui.plugins.graphs.diagram import Face, Measure

if TYPE_CHECKING:
    from tbtui.plugins.graphs.diagram import Box

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
