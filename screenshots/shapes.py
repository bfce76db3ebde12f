"""Redraws the cells of an SVG screenshot that no two fonts agree on as shapes: braille dots, frames and blocks.

A README shows the pictures in whatever monospace font the reader has. Most lack braille, and lines of box characters
come apart when the font's cell is not exactly that of the picture.
"""

from __future__ import annotations

import html
import re
from typing import TypeAlias

CELL_WIDTH, CELL_HEIGHT, BASELINE = 12.2, 24.4, 20.0
"""Of the screenshots that rich makes, in their units."""

STROKE = 1.5
DOT = 3.0

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, width and height of a filled rectangle within the cell."""

ARMS = {
    "─": "lr",
    "│": "ud",
    "╭": "rd",
    "╮": "ld",
    "╰": "ru",
    "╯": "lu",
    "┤": "lud",
    "├": "rud",
    "┬": "lrd",
    "┴": "lru",
}
"""Box-drawing characters by the directions in which they leave the middle of the cell."""

TEXT = re.compile(
    r'<text class="(?P<ink>[^"]+)" x="(?P<x>[^"]+)" y="(?P<y>[^"]+)" textLength="[^"]+" clip-path="[^"]+">'
    r"(?P<text>[^<]*)</text>"
)
PIECES = re.compile(r"[^\xa0 ]+")


def boxes(char: str) -> tuple[Box, ...]:
    """The rectangles that a character is drawn with; none when it is left to the font."""
    code = ord(char)
    if 0x2800 <= code < 0x2900:
        return tuple(_dot(bit) for bit in range(8) if code >> bit & 1)
    if 0x2581 <= code <= 0x2588:
        height = CELL_HEIGHT * (code - 0x2580) / 8
        return ((0, CELL_HEIGHT - height, CELL_WIDTH, height),)
    if 0x2589 <= code <= 0x258F:
        return ((0, 0, CELL_WIDTH * (0x2590 - code) / 8, CELL_HEIGHT),)
    return tuple(_arm(direction) for direction in ARMS.get(char, ""))


def _dot(bit: int) -> Box:
    """One braille dot; bits 0 to 2 and 6 stand left, from top to bottom, 3 to 5 and 7 right."""
    column, row = (bit // 3, bit % 3) if bit < 6 else (bit - 6, 3)
    x, y = CELL_WIDTH * (2 * column + 1) / 4, CELL_HEIGHT * (2 * row + 1) / 8
    return (x - DOT / 2, y - DOT / 2, DOT, DOT)


def _arm(direction: str) -> Box:
    """From the middle of the cell to one edge."""
    x, y = (CELL_WIDTH - STROKE) / 2, (CELL_HEIGHT - STROKE) / 2
    return {
        "l": (0, y, x + STROKE, STROKE),
        "r": (x, y, CELL_WIDTH - x, STROKE),
        "u": (x, 0, STROKE, y + STROKE),
        "d": (x, y, STROKE, CELL_HEIGHT - y),
    }[direction]


def redraw(svg: str) -> str:
    """The same picture, its dots, frames and blocks drawn as shapes and every word at its exact column."""
    return TEXT.sub(_redraw_run, svg)


def _redraw_run(run: re.Match[str]) -> str:
    """One run of characters of the same ink in one row."""
    ink, left, top = run["ink"], float(run["x"]), float(run["y"]) - BASELINE
    chars = html.unescape(run["text"])
    shapes = "".join(
        f"M{left + column * CELL_WIDTH + x:.1f} {top + y:.1f}h{width:.1f}v{height:.1f}h{-width:.1f}z"
        for column, char in enumerate(chars)
        for x, y, width, height in boxes(char)
    )
    letters = "".join(" " if boxes(char) else char for char in chars)
    words = [_word(ink, left, run["y"], word) for word in PIECES.finditer(letters)]
    return "".join([*words, f'<path class="{ink}" d="{shapes}"/>' if shapes else ""])


def _word(ink: str, left: float, y: str, word: re.Match[str]) -> str:
    x, width = left + word.start() * CELL_WIDTH, len(word[0]) * CELL_WIDTH
    return f'<text class="{ink}" x="{x:.1f}" y="{y}" textLength="{width:.1f}">{html.escape(word[0])}</text>'
