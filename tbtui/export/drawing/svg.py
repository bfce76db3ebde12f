"""Drawings as SVG: lines are paths, text stays text, and no external resource is needed.

Styles are presentation attributes only, which every SVG reader supports.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.text import safe
from tbtui.export.drawing.shapes import CELL_WIDTH, Boxes, Fill, Stroke, TextLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from tbtui.export.drawing.shapes import Drawing, Floats

FONT = "ui-monospace, Menlo, 'DejaVu Sans Mono', 'Liberation Mono', Consolas, monospace"
FONT_SIZE = 13.3
"""Font size in units at which the characters of most of these fonts are as wide as a cell."""

BASELINE = 13.5
"""Units from the top of a cell to the baseline of its text."""

STEPS_PER_UNIT = 10
"""Path coordinates are integers: multiples of this fraction of a unit."""


def encode_svg(drawing: Drawing) -> Iterator[str]:
    """Yield the lines of a complete document."""
    size = f'viewBox="0 0 {drawing.width} {drawing.height}" width="{drawing.width}" height="{drawing.height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}" font-size="{FONT_SIZE}">\n'
    if drawing.title:
        yield f"<title>{_escape(drawing.title)}</title>\n"
    if drawing.ground is not None:
        yield f'<rect width="{drawing.width}" height="{drawing.height}" fill="{drawing.ground}"/>\n'
    yield f'<g transform="scale({1 / STEPS_PER_UNIT:g})" stroke-linecap="round" stroke-linejoin="round">\n'
    for shape in drawing.shapes:
        if not isinstance(shape, TextLine):
            yield f"{_encode_path(shape)}\n"
    yield "</g>\n"
    lines = sorted((shape for shape in drawing.shapes if isinstance(shape, TextLine)), key=_build_text_style)
    for (colour, is_bold), lines_of_style in groupby(lines, key=_build_text_style):
        weight = ' font-weight="bold"' if is_bold else ""
        yield f'<g fill="{colour}"{weight}>\n'
        yield from (f"{_encode_text(line)}\n" for line in lines_of_style)
        yield "</g>\n"
    yield "</svg>\n"


def _escape(text: str) -> str:
    """Return a text as the content of an element; the function of the standard library would import a web client."""
    return safe(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _build_text_style(line: TextLine) -> tuple[str, bool]:
    return line.colour, line.bold


def _encode_text(line: TextLine) -> str:
    text = safe(line.text)
    length = f' textLength="{line.columns * CELL_WIDTH}"' if len(text) > 1 else ""
    return f'<text x="{line.left:g}" y="{line.top + BASELINE:g}"{length}>{_escape(text)}</text>'


def _encode_path(shape: Boxes | Stroke | Fill) -> str:
    if isinstance(shape, Boxes):
        return (
            f'<path fill="{shape.colour}" shape-rendering="crispEdges" d="{"".join(_iter_box_commands(shape.rows))}"/>'
        )
    if isinstance(shape, Fill):
        opacity = f' fill-opacity="{shape.opacity:g}"' if shape.opacity < 1 else ""
        return (
            f'<path fill="{shape.colour}"{opacity} d="{"".join(_iter_line_commands(shape.points, is_closed=True))}"/>'
        )
    lengths = " ".join(f"{length * STEPS_PER_UNIT:g}" for length in shape.dashes)
    dashes = f' stroke-dasharray="{lengths}"' if lengths else ""
    style = f'fill="none" stroke="{shape.colour}" stroke-width="{shape.width * STEPS_PER_UNIT:g}"{dashes}'
    return f'<path {style} d="{"".join(_iter_line_commands(shape.points))}"/>'


def _to_steps(units: Floats) -> npt.NDArray[np.int64]:
    """Return coordinates in units as integers of a path."""
    return np.rint(units * STEPS_PER_UNIT).astype(np.int64)


def _iter_box_commands(rows: Floats) -> Iterator[str]:
    """Yield the path commands of rectangles. Edges are rounded, not sizes, so that no gap opens between boxes."""
    corners, opposite_corners = _to_steps(rows[:, :2]), _to_steps(rows[:, :2] + rows[:, 2:])
    sizes = opposite_corners - corners
    for (left, top), (width, height) in zip(corners.tolist(), sizes.tolist(), strict=True):
        yield f"M{left} {top}h{width}v{height}h{-width}z"


def _iter_line_commands(points: Floats, *, is_closed: bool = False) -> Iterator[str]:
    """Yield the path commands of lines: each starts with a position, which distances follow."""
    gaps = np.flatnonzero(np.isnan(points[:, 0]))
    for section in np.split(points, gaps):
        line = _to_steps(section[~np.isnan(section[:, 0])])
        if not len(line):
            continue
        yield f"M{line[0, 0]} {line[0, 1]}"
        vectors = np.diff(line, axis=0)
        yield from _iter_vector_commands(vectors[vectors.any(axis=1)].tolist())
        if is_closed:
            yield "z"


def _iter_vector_commands(vectors: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Yield the shortest commands from point to point; without vectors, one of length zero, which draws a dot."""
    previous_letter = ""
    for dx, dy in vectors:
        if not dy:
            letter, numbers = "h", str(dx)
        elif not dx:
            letter, numbers = "v", str(dy)
        else:
            letter, numbers = "l", f"{dx}{'' if dy < 0 else ' '}{dy}"
        if letter != previous_letter:
            yield letter + numbers
        else:
            yield numbers if numbers[0] == "-" else " " + numbers
        previous_letter = letter
    if not previous_letter:
        yield "h0"
