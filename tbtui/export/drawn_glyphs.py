"""What glyphs look like that are drawn and not written: blocks, frames, signs; all within one cell."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.drawn import CELL_HEIGHT, CELL_WIDTH, MIDDLE_X, MIDDLE_Y, Fill, Stroke
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.drawn import Floats

THIN, HEAVY = 1.0, 2.0
"""Widths of the lines of frames."""

CORNER = 4.0
"""Radius of a round corner."""

LEFT, RIGHT, UP, DOWN = (0.0, MIDDLE_Y), (float(CELL_WIDTH), MIDDLE_Y), (MIDDLE_X, 0.0), (MIDDLE_X, float(CELL_HEIGHT))
CENTRE = (MIDDLE_X, MIDDLE_Y)

_ARMS = {
    "─": (LEFT, RIGHT), "━": (LEFT, RIGHT), "│": (UP, DOWN), "┃": (UP, DOWN), "┌": (DOWN, RIGHT), "┐": (DOWN, LEFT),
    "└": (UP, RIGHT), "┘": (UP, LEFT), "├": (UP, DOWN, RIGHT), "┤": (UP, DOWN, LEFT), "┬": (LEFT, RIGHT, DOWN),
    "┴": (LEFT, RIGHT, UP), "┼": (LEFT, RIGHT, UP, DOWN), "╴": (LEFT,), "╶": (RIGHT,), "╵": (UP,), "╷": (DOWN,),
}  # fmt: skip
_HEAVY = frozenset("━┃")
_CORNERS = {"╭": (DOWN, RIGHT), "╮": (DOWN, LEFT), "╰": (UP, RIGHT), "╯": (UP, LEFT)}
_BROKEN = {"╌": 2, "┄": 3, "┈": 4, "╎": 2, "┆": 3, "┊": 4}
"""Dashes in a cell; down where the glyph stands upright."""

_UPRIGHT = frozenset("╎┆┊")

BLOCKS: dict[str, tuple[float, float, float, float]] = {
    "▀": (0, 0, 1, 1 / 2),
    "▐": (1 / 2, 0, 1, 1),
    "▔": (0, 0, 1, 1 / 8),
    "▕": (7 / 8, 0, 1, 1),
    **{chr(0x2580 + eighths): (0, 1 - eighths / 8, 1, 1) for eighths in range(1, 9)},
    **{chr(0x2590 - eighths): (0, 0, eighths / 8, 1) for eighths in range(1, 8)},
}
"""Left, top, right and bottom of each block element as parts of the cell (Unicode 15, Block Elements)."""

DENSITIES = {"░": 0.25, "▒": 0.5, "▓": 0.75}
"""How much of its cell is covered by what is a pattern in terminals."""


@frozen
class Arms:
    """Straight lines of a cell of a frame, each from one point to another: they go on in its neighbours."""

    lines: tuple[tuple[tuple[float, float], tuple[float, float]], ...]
    width: float = THIN


@lru_cache(maxsize=256)
def arms_of(glyph: str) -> Arms | None:
    """The straight lines of a glyph; None where it is none of a frame's."""
    if glyph in _ARMS:
        return Arms(tuple((CENTRE, end) for end in _ARMS[glyph]), HEAVY if glyph in _HEAVY else THIN)
    if glyph in _CORNERS:
        return Arms(tuple((_beside(end), end) for end in _CORNERS[glyph]))
    if glyph in _BROKEN:
        return Arms(tuple(_broken(_BROKEN[glyph], upright=glyph in _UPRIGHT)))
    return None


def _beside(end: tuple[float, float]) -> tuple[float, float]:
    """Where the line to `end` leaves a round corner."""
    across, down = end[0] - MIDDLE_X, end[1] - MIDDLE_Y
    length = abs(across) + abs(down)
    part = min(CORNER, length) / length
    return MIDDLE_X + across * part, MIDDLE_Y + down * part


def _broken(count: int, *, upright: bool) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    length = (CELL_HEIGHT if upright else CELL_WIDTH) / count
    for nth in range(count):
        begin, end = (nth + 0.25) * length, (nth + 0.75) * length
        yield ((MIDDLE_X, begin), (MIDDLE_X, end)) if upright else ((begin, MIDDLE_Y), (end, MIDDLE_Y))


def _round(centre: tuple[float, float], radius: float, first: float, last: float, count: int) -> Floats:
    """Points on an arc, angles in degrees clockwise from the right."""
    angles = np.radians(np.linspace(first, last, count))
    return np.stack((centre[0] + radius * np.cos(angles), centre[1] + radius * np.sin(angles)), axis=1)


def _star() -> Floats:
    outer, inner = _round((4, 9), 4.6, -90, 198, 5), _round((4, 9), 1.9, -54, 234, 5)
    return np.stack((outer, inner), axis=1).reshape(-1, 2)


def _corner(glyph: str) -> Floats:
    """The quarter of a circle between both ends of a round corner."""
    (a, b), (c, d) = (_beside(end) for end in _CORNERS[glyph])
    parts = np.linspace(0, 1, 9)[:, None]
    return (1 - parts) ** 2 * (a, b) + 2 * parts * (1 - parts) * CENTRE + parts**2 * (c, d)


_GAP = (math.nan, math.nan)

_TURN = _round((4, 9), 3.3, -10, 285, 19)
_HEAD = np.array([(2.6, 3.3), (5.4, 6.0), (2.3, 8.0)])
"""Where the circle of an arrow ends, pointing clockwise."""

_FILLED: dict[str, Floats] = {
    "▲": np.array([(4, 5), (7.8, 12), (0.2, 12)]),
    "▼": np.array([(4, 13), (7.8, 6), (0.2, 6)]),
    "▴": np.array([(4, 6.5), (6.8, 11.5), (1.2, 11.5)]),
    "▾": np.array([(4, 11.5), (6.8, 6.5), (1.2, 6.5)]),
    "◆": np.array([(4, 5), (7.6, 9), (4, 13), (0.4, 9)]),
    "■": np.array([(1, 6), (7, 6), (7, 12), (1, 12)]),
    "★": _star(),
}
_OUTLINED: dict[str, tuple[Floats, float]] = {
    "●": (np.array([(4, 9)]), 6.6),
    "○": (_round((4, 9), 2.9, 0, 360, 25), 1.1),
    "◇": (np.array([(4, 5.4), (7.2, 9), (4, 12.6), (0.8, 9), (4, 5.4)]), 1.1),
    "□": (np.array([(1.4, 6.4), (6.6, 6.4), (6.6, 11.6), (1.4, 11.6), (1.4, 6.4)]), 1.1),
    "△": (np.array([(4, 5.6), (7.4, 12), (0.6, 12), (4, 5.6)]), 1.1),
    "✗": (np.array([(1.2, 6.2), (6.8, 11.8), _GAP, (6.8, 6.2), (1.2, 11.8)]), 1.8),
    "↻": (np.concatenate((_TURN, [_GAP], _HEAD)), 1.3),
    **{glyph: (_corner(glyph), THIN) for glyph in _CORNERS},
}

SIGNS = frozenset((*_FILLED, *_OUTLINED))
"""Glyphs that `sign` draws, whole or (round corners) but for the lines that `arms_of` gives."""


def sign(glyph: str, left: float, top: float, colour: str, size: float = 1.0) -> Stroke | Fill:
    """A glyph of `SIGNS` in the cell at `left`, `top`, or about its middle so many times as large."""
    middle = np.array((CELL_WIDTH, CELL_HEIGHT)) / 2
    moved = np.array((left, top)) + middle
    if glyph in _FILLED:
        return Fill((_FILLED[glyph] - middle) * size + moved, colour)
    points, width = _OUTLINED[glyph]
    return Stroke((points - middle) * size + moved, colour, width * size)
