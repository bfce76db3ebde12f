"""Redraws the cells of an SVG screenshot that no two fonts agree on as shapes: braille, frames, blocks and bullets.

A README shows the pictures in whatever monospace font the reader has. Most lack braille, lines of box characters come
apart when the font's cell is not exactly that of the picture, and bullets that come from another font are too wide.
"""

from __future__ import annotations

import html
import re
import unicodedata
from itertools import accumulate, chain, pairwise
from math import cos, sin, tau
from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Iterator

CELL_WIDTH, CELL_HEIGHT, BASELINE = 12.2, 24.4, 20.0
"""Measures of the screenshots that rich writes, in SVG units."""

MIDDLE_X, MIDDLE_Y = CELL_WIDTH / 2, CELL_HEIGHT / 2
STROKE = 1.5
DOT = 3.0

Polygon: TypeAlias = "tuple[tuple[float, float], ...]"
"""Corners of a filled shape within the cell."""

DIRECTIONS = {"UP": "u", "DOWN": "d", "LEFT": "l", "RIGHT": "r", "VERTICAL": "ud", "HORIZONTAL": "lr"}
"""Words in the names of box-drawing characters, and where they leave the middle of the cell."""

OTHER_LINES = {"DASH", "DOUBLE", "DIAGONAL"}


def _dashes(count: int) -> tuple[tuple[float, float, float, float], ...]:
    step = CELL_WIDTH / count
    return tuple(((part + 0.15) * step, MIDDLE_Y - STROKE, 0.7 * step, 2 * STROKE) for part in range(count))


BOXES = {
    "▀": ((0.0, 0.0, CELL_WIDTH, MIDDLE_Y),),
    "━": ((0.0, MIDDLE_Y - STROKE, CELL_WIDTH, 2 * STROKE),),
    "╎": tuple((MIDDLE_X - STROKE / 2, part * CELL_HEIGHT, STROKE, CELL_HEIGHT / 4) for part in (0.125, 0.625)),
    "▕": ((CELL_WIDTH * 7 / 8, 0.0, CELL_WIDTH / 8, CELL_HEIGHT),),
    "╍": _dashes(2),
    "┅": _dashes(3),
    "┉": _dashes(4),
}
"""Glyphs that are drawn as boxes: left, top, width and height of each box."""

BULLETS = {"●○◐": (24, 4.6, 0.0), "◆◇⬖": (4, 5.6, 0.0), "■□◧": (4, 5.8, 0.125), "▲△◭": (3, 5.8, -0.25)}
"""Full, hollow and half bullets: corners, distance from the middle, and angle of the first corner in turns."""

TRIANGLES = {"▴": -0.25, "▾": 0.25}
HOLLOW = 0.75
"""Size of the hole of a bullet, as a part of the bullet."""

TEXT = re.compile(
    r'<text class="(?P<ink>[^"]+)" x="(?P<x>[^"]+)" y="(?P<y>[^"]+)" textLength="[^"]+" clip-path="[^"]+">'
    r"(?P<text>[^<]*)</text>"
)
PIECES = re.compile(r"[^\xa0 ]+")


def shapes(char: str) -> tuple[Polygon, ...]:
    """Return the shapes that draw a character; empty if the font draws it."""
    code = ord(char)
    if 0x2800 <= code < 0x2900:
        return tuple(_dot(bit) for bit in range(8) if code >> bit & 1)
    if 0x2581 <= code <= 0x2588:
        height = CELL_HEIGHT * (code - 0x2580) / 8
        return (_box(0, CELL_HEIGHT - height, CELL_WIDTH, height),)
    if 0x2589 <= code <= 0x2590:
        width = CELL_WIDTH * (0x2590 - code or 4) / 8
        return (_box(CELL_WIDTH - width if char == "▐" else 0, 0, width, CELL_HEIGHT),)
    if char in BOXES:
        return tuple(_box(*box) for box in BOXES[char])
    if char in TRIANGLES:
        return (_regular(3, 3.6, TRIANGLES[char]),)
    for signs, bullet in BULLETS.items():
        if char in signs:
            return _filled(_regular(*bullet), signs.index(char))
    return tuple(_arm(direction, stroke) for direction, stroke in _arms(char))


def _arms(char: str) -> Iterator[tuple[str, float]]:
    """The lines of a box-drawing character and how broad they are, by its name: `DOWN LIGHT AND RIGHT HEAVY`."""
    if not 0x2500 <= ord(char) < 0x2580:
        return
    parts = [part.split() for part in unicodedata.name(char).split(" AND ")]
    if OTHER_LINES.intersection(chain.from_iterable(parts)):
        return
    for part in parts:
        weight = "HEAVY" in part if {"HEAVY", "LIGHT"}.intersection(part) else "HEAVY" in parts[0]
        for word in part:
            for direction in DIRECTIONS.get(word, ""):
                yield direction, STROKE * (1 + weight)


def _box(left: float, top: float, width: float, height: float) -> Polygon:
    return (left, top), (left + width, top), (left + width, top + height), (left, top + height)


def _dot(bit: int) -> Polygon:
    """One braille dot; bits 0 to 2 and 6 stand left, from top to bottom, 3 to 5 and 7 right."""
    column, row = (bit // 3, bit % 3) if bit < 6 else (bit - 6, 3)
    x, y = CELL_WIDTH * (2 * column + 1) / 4, CELL_HEIGHT * (2 * row + 1) / 8
    return _box(x - DOT / 2, y - DOT / 2, DOT, DOT)


def _arm(direction: str, stroke: float) -> Polygon:
    """From the middle of the cell to one edge."""
    x, y = MIDDLE_X - stroke / 2, MIDDLE_Y - stroke / 2
    return {
        "l": _box(0, y, x + stroke, stroke),
        "r": _box(x, y, CELL_WIDTH - x, stroke),
        "u": _box(x, 0, stroke, y + stroke),
        "d": _box(x, y, stroke, CELL_HEIGHT - y),
    }[direction]


def _regular(corners: int, radius: float, turn: float) -> Polygon:
    """A regular polygon in the middle of the cell."""
    angles = [tau * (turn + corner / corners) for corner in range(corners)]
    return tuple((MIDDLE_X + radius * cos(angle), MIDDLE_Y + radius * sin(angle)) for angle in angles)


def _filled(bullet: Polygon, fill: int) -> tuple[Polygon, ...]:
    """A bullet: full (0), hollow (1) or with a full left half (2). Corners in the other direction make a hole."""
    hole = tuple((MIDDLE_X + HOLLOW * (x - MIDDLE_X), MIDDLE_Y + HOLLOW * (y - MIDDLE_Y)) for x, y in bullet[::-1])
    half = tuple((min(x, MIDDLE_X), y) for x, y in bullet)
    return ((bullet,), (bullet, hole), (bullet, hole, half))[fill]


def outline(polygons: list[Polygon]) -> str:
    """SVG path data of polygons. Each begins where the one before did, so that few digits are needed."""
    pieces, begin = [], (0, 0)
    for polygon in polygons:
        corners = [(round(10 * x), round(10 * y)) for x, y in polygon]
        pieces.append(f"m{_tenths(corners[0][0] - begin[0])} {_tenths(corners[0][1] - begin[1])}")
        for at, to in pairwise(corners):
            pieces.append(_line(to[0] - at[0], to[1] - at[1]))
        pieces.append("z")
        begin = corners[0]
    return "".join(pieces)


def _line(right: int, down: int) -> str:
    """A side of a polygon, in tenths."""
    if down == 0:
        return f"h{_tenths(right)}"
    return f"v{_tenths(down)}" if right == 0 else f"l{_tenths(right)} {_tenths(down)}"


def _tenths(number: int) -> str:
    """A number of tenths in as few characters as SVG needs."""
    return f"{number / 10:.1f}".removesuffix(".0")


def redraw(svg: str) -> str:
    """The same picture, its dots, frames, blocks and bullets drawn as shapes and every word at its exact column."""
    return TEXT.sub(_redraw_run, svg)


def _redraw_run(run: re.Match[str]) -> str:
    """One run of characters of the same ink in one row."""
    ink, left, top = run["ink"], float(run["x"]), float(run["y"]) - BASELINE
    chars = html.unescape(run["text"])
    columns = [0, *accumulate(map(cell_len, chars))]
    drawn = [shapes(char) for char in chars]
    moved = [
        tuple((left + column * CELL_WIDTH + x, top + y) for x, y in polygon)
        for column, polygons in zip(columns[:-1], drawn, strict=True)
        for polygon in polygons
    ]
    letters = "".join(" " if polygons else char for char, polygons in zip(chars, drawn, strict=True))
    words = [
        _word(ink, left + columns[word.start()] * CELL_WIDTH, run["y"], word[0]) for word in PIECES.finditer(letters)
    ]
    return "".join([*words, f'<path class="{ink}" d="{outline(_joined(moved))}"/>' if moved else ""])


def _joined(polygons: list[Polygon]) -> list[Polygon]:
    """The same with boxes made one that touch side by side, as blocks do: browsers leave a seam between two."""
    kept: list[Polygon] = []
    for polygon in polygons:
        before = kept[-1] if kept else ()
        if len(polygon) == len(before) == 4 and _right_side(before) == _left_side(polygon):
            kept[-1] = before[0], polygon[1], polygon[2], before[3]
        else:
            kept.append(polygon)
    return kept


def _right_side(box: Polygon) -> Polygon:
    """Its upper and lower right corner, in tenths as they are written."""
    return tuple((round(10 * x), round(10 * y)) for x, y in box[1:3])


def _left_side(box: Polygon) -> Polygon:
    return tuple((round(10 * x), round(10 * y)) for x, y in (box[0], box[3]))


def _word(ink: str, x: float, y: str, word: str) -> str:
    width = cell_len(word) * CELL_WIDTH
    return f'<text class="{ink}" x="{x:.1f}" y="{y}" textLength="{width:.1f}">{html.escape(word)}</text>'
