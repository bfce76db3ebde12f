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

    from tbtui.export.drawing.shapes import Drawing, Floats, Shape

FONT = "ui-monospace, Menlo, 'DejaVu Sans Mono', 'Liberation Mono', Consolas, monospace"
FONT_SIZE = 13.3
"""Font size in units at which the characters of most of these fonts are as wide as a cell."""

BASELINE = 13.5
"""Units from the top of a cell to the baseline of its text."""

PARTS_PER_UNIT = 10
"""Path coordinates are integers in this fraction of a unit."""


def encode_svg(drawing: Drawing) -> Iterator[str]:
    """Yield the lines of a complete document."""
    size = f'viewBox="0 0 {drawing.width} {drawing.height}" width="{drawing.width}" height="{drawing.height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}" font-size="{FONT_SIZE}">\n'
    if drawing.title:
        yield f"<title>{_escape(drawing.title)}</title>\n"
    if drawing.ground is not None:
        yield f'<rect width="{drawing.width}" height="{drawing.height}" fill="{drawing.ground}"/>\n'
    yield f'<g transform="scale({1 / PARTS_PER_UNIT:g})" stroke-linecap="round" stroke-linejoin="round">\n'
    for shape in drawing.shapes:
        if not isinstance(shape, TextLine):
            yield f"{_path(shape)}\n"
    yield "</g>\n"
    lines = sorted((shape for shape in drawing.shapes if isinstance(shape, TextLine)), key=_text_style)
    for (colour, bold), lines_of_style in groupby(lines, key=_text_style):
        yield f'<g fill="{colour}"{" font-weight=" + chr(34) + "bold" + chr(34) if bold else ""}>\n'
        yield from (f"{_text(line)}\n" for line in lines_of_style)
        yield "</g>\n"
    yield "</svg>\n"


def _escape(text: str) -> str:
    """Return a text as the content of an element; the function of the standard library would import a web client."""
    return safe(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _text_style(line: TextLine) -> tuple[str, bool]:
    return line.colour, line.bold


def _text(line: TextLine) -> str:
    text = safe(line.text)
    length = f' textLength="{line.columns * CELL_WIDTH}"' if len(text) > 1 else ""
    return f'<text x="{line.left:g}" y="{line.top + BASELINE:g}"{length}>{_escape(text)}</text>'


def _path(shape: Shape) -> str:
    if isinstance(shape, Boxes):
        return f'<path fill="{shape.colour}" shape-rendering="crispEdges" d="{"".join(_boxes(shape.rows))}"/>'
    if isinstance(shape, Fill):
        opacity = f' fill-opacity="{shape.opacity:g}"' if shape.opacity < 1 else ""
        return f'<path fill="{shape.colour}"{opacity} d="{"".join(_lines(shape.points, closed=True))}"/>'
    if isinstance(shape, Stroke):
        dashes = " ".join(f"{length * PARTS_PER_UNIT:g}" for length in shape.dashes)
        dashes = f' stroke-dasharray="{dashes}"' if dashes else ""
        look = f'fill="none" stroke="{shape.colour}" stroke-width="{shape.width * PARTS_PER_UNIT:g}"{dashes}'
        return f'<path {look} d="{"".join(_lines(shape.points))}"/>'
    return ""


def _parts(values: Floats) -> npt.NDArray[np.int64]:
    return np.rint(values * PARTS_PER_UNIT).astype(np.int64)


def _boxes(rows: Floats) -> Iterator[str]:
    """Edges are rounded and not sizes, so that boxes that touch go on to do so."""
    begins, ends = _parts(rows[:, :2]), _parts(rows[:, :2] + rows[:, 2:])
    for (left, top), (width, height) in zip(begins.tolist(), (ends - begins).tolist(), strict=True):
        yield f"M{left} {top}h{width}v{height}h{-width}z"


def _lines(points: Floats, *, closed: bool = False) -> Iterator[str]:
    """Return lines as path data: each begins at a position and continues by distances."""
    gaps = np.flatnonzero(np.isnan(points[:, 0]))
    for part in np.split(points, gaps):
        line = _parts(part[~np.isnan(part[:, 0])])
        if not len(line):
            continue
        yield f"M{line[0, 0]} {line[0, 1]}"
        ways = np.diff(line, axis=0)
        yield from _ways(ways[ways.any(axis=1)].tolist())
        if closed:
            yield "z"


def _ways(ways: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Yield the path commands from point to point; a distance of zero is written too, since it draws a dot."""
    before = ""
    for across, down in ways:
        if not down:
            distance, letter = str(across), "h"
        elif not across:
            distance, letter = str(down), "v"
        else:
            distance, letter = f"{across}{'' if down < 0 else ' '}{down}", "l"
        yield (letter if letter != before else "" if distance[0] == "-" else " ") + distance
        before = letter
    if not before:
        yield "h0"
