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


def _build_face(lines: tuple[str, ...], box: Box, max_width: int) -> BoxFace:
    # Tools put prefixes before names of functions, so that their ends differ.
    name = shorten(visible_name("".join(lines[:1])), max_width, max_width - 1 if box.kind == "function" else None)
    texts = [_get_mark(box) + name, *(shorten(line, max_width) for line in lines[1:])]
    width = max(map(cell_width, texts)) + _FRAME
    return BoxFace(tuple(texts), width | 1, len(texts) + 2, framed=True)


def _get_mark(box: Box) -> str:
    return "▾ " if box.inside is not None else _MARKS.get(box.kind, "")


def _build_full_face(box: Box, max_width: int) -> BoxFace:
    """Return a box with all lines."""
    count = len(box.aside_names)
    aside_texts = (f"+ {box.aside_names[0]}",) if count == 1 else (f"+ {count} aside",) if count else ()
    return _build_face(
        (*box.lines[:1], *_join_lines((*box.lines[1:], *aside_texts))), box, max(max_width, MAX_TEXT_WIDTH)
    )


def _join_lines(lines: tuple[str, ...]) -> list[str]:
    """Return the lines in as few rows as possible, short ones side by side."""
    rows: list[str] = []
    for line in filter(None, lines):
        if rows and cell_width(safe(rows[-1] + line)) + 3 <= MAX_JOINED_WIDTH:
            rows[-1] += f" · {line}"
        else:
            rows.append(line)
    return rows


def _build_name_face(box: Box, max_width: int) -> BoxFace:
    """Return a box with the name only."""
    return _build_face(box.lines[:1], box, max_width)


def _build_tiny_face(box: Box, max_width: int) -> BoxFace:
    """Return the name without a frame; an open box keeps its frame."""
    face = _build_name_face(box, max_width)
    return face if box.inside is not None else BoxFace(face.lines, cell_width(face.lines[0]))


def _build_label_face(text: str) -> BoxFace:
    label = shorten(text, MAX_NAME_WIDTH)
    return BoxFace((label,), cell_width(label))


def _build_blank_face(_text: str) -> BoxFace:
    return BoxFace(("",), 0)


def build_zoom_levels(max_name_width: int = MAX_NAME_WIDTH) -> tuple[ZoomLevel, ZoomLevel, ZoomLevel]:
    """Return the zoom levels, from the largest boxes to the smallest.

    Args:
        max_name_width: Maximum columns of a name; boxes that show more than names get at least `MAX_TEXT_WIDTH`.
    """
    full, name, tiny = (
        partial(face, max_width=max_name_width) for face in (_build_full_face, _build_name_face, _build_tiny_face)
    )
    return ZoomLevel(full, _build_label_face), ZoomLevel(name, _build_label_face), ZoomLevel(tiny, _build_blank_face)


FULL, NAMES, TINY = ZOOMS = build_zoom_levels()
"""Zoom levels: all lines and labels; names and labels; names without frames."""
