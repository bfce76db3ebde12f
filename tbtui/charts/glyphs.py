"""Replacements of glyphs for fonts without braille, or with only ASCII, and for encodings that lack signs.

A table maps each character to a similar one of the same width, so that columns stay aligned. It is applied to finished
text; drawings do not depend on the glyphs of the terminal. No terminal reports the glyphs of its font. Two are known to
lack some: the console of Linux has 256 or 512 glyphs, and mlterm uses no fallback font for braille.
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

GlyphSetting: TypeAlias = Literal["auto", "braille", "blocks", "ascii"]
GlyphSet: TypeAlias = Literal["braille", "blocks", "ascii"]

GLYPH_SETTINGS: tuple[GlyphSetting, ...] = ("auto", "braille", "blocks", "ascii")

_BRAILLE = 0x2800
_DOT_ROWS, _DOT_COLUMNS = 4, 2
BRAILLE_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Braille bit of each dot [row][column] of a cell (Unicode 15, chapter 21.1)."""

_QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""Glyphs by the sum of their lit quarters: upper left 1, upper right 2, lower left 4, lower right 8."""

_FLAT_BLOCKS, _FLAT_ASCII = "▔──▁", "'--_"
"""Glyphs of dots in one row of a cell, from the top."""

MIN_FULL_DOTS = 6
"""Minimum dots of a cell that is drawn full in ASCII."""

MIN_SLOPE_ROWS = 1.5
"""Minimum rows between the left and the right dots of a cell that is drawn as a slash."""

_LOOKALIKES = {
    "│┃╎║┆┊▏▎▍▕▐▌╵╷": "|",
    "─━╌╍–—−┄┅┈┉▔": "-",
    "┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┣┫┯┷┿╖╜": "+",
    "╴╶": "-",
    "█▉▊▋▇▆": "#",
    "▓": "#",
    "▒": ":",
    "▅▃": "=",
    "░": ".",
    "▀▘▝": '"',
    "▄▂▁▖▗": "_",
    "▞▟▙": "/",
    "▚▜▛": "\\",
    "…⋯": "~",
    "·•": "-",
    "★": "*",
    "✗": "!",
    "✓": "v",
    "⚠": "!",
    "↻": "@",
    "⇅": "x",
    "▲▴△↑": "^",
    "▼▾↓": "v",
    "▶▸▹›→↳⇢⇥": ">",
    "◀◂‹←↝⇠": "<",
    "⇧": "^",
    "⏎": "<",
    "↗": "/",
    "●◆■◉◈": "*",
    "○◇□◎": "o",
    "◐◧◭⬖": "%",
    "×": "x",
    "␣": "_",
    "µ": "u",
    "±": "+",
    "°": "o",
    "ƒ": "f",
    "∞": "8",
    "‖": "|",
    "≤": "<",
    "≥": ">",
    "Δ": "d",
    "‘’": "'",
    "“”": '"',
}
ASCII = {ord(sign): plain[0] for signs, plain in _LOOKALIKES.items() for sign in signs}
"""The ASCII character for each sign of charts and screens, except braille."""


def choose_glyphs(setting: GlyphSetting, environ: Mapping[str, str]) -> GlyphSet:
    """Return the glyphs to draw with; `auto` draws braille unless the terminal is known to lack it."""
    if setting != "auto":
        return setting
    if environ.get("TERM", "").startswith("linux"):
        return "ascii"
    return "blocks" if "MLTERM" in environ else "braille"


@cache
def build_glyph_table(glyphs: GlyphSet) -> Mapping[int, str]:
    """Return a table for `str.translate`; empty if no glyph is replaced."""
    if glyphs == "braille":
        return {}
    glyph_of_dots = _choose_block if glyphs == "blocks" else _choose_ascii
    table = {_BRAILLE + bits: glyph_of_dots(_dot_rows(bits)) for bits in range(256)}
    return table if glyphs == "blocks" else {**ASCII, **table}


def _dot_rows(bits: int) -> list[list[bool]]:
    return [[bool(bits & bit) for bit in row] for row in BRAILLE_BITS]


def _choose_block(rows: list[list[bool]]) -> str:
    lit = [row for row in range(_DOT_ROWS) if any(rows[row])]
    if len(lit) == 1 and all(rows[lit[0]]):
        return _FLAT_BLOCKS[lit[0]]
    quarters = [any(rows[half + row][column] for row in range(2)) for half in (0, 2) for column in range(_DOT_COLUMNS)]
    return _QUADRANTS[sum(1 << index for index, is_lit in enumerate(quarters) if is_lit)]


def _choose_ascii(rows: list[list[bool]]) -> str:
    sides = [[row for row in range(_DOT_ROWS) if rows[row][column]] for column in range(_DOT_COLUMNS)]
    dots = [row for side in sides for row in side]
    if not dots:
        return " "
    if len(dots) >= MIN_FULL_DOTS:
        return "#"
    left, right = (sum(side) / len(side) if side else None for side in sides)
    if left is None or right is None:
        return "|" if len(dots) > 2 else "." if sum(dots) / len(dots) >= 2 else "'"
    if abs(right - left) >= MIN_SLOPE_ROWS:
        return "\\" if right > left else "/"
    return _FLAT_ASCII[round(sum(dots) / len(dots))]


def is_unicode_encoding(encoding: str) -> bool:
    """Return True if an encoding has every sign that charts use."""
    try:
        return codecs.lookup(encoding).name.startswith(("utf-8", "utf-16", "utf-32"))
    except LookupError:
        return False


def replace_unencodable(text: str, encoding: str) -> str:
    """Return safe text in the characters of an encoding, of the same width; `?` replaces unknown characters."""
    if text.isascii() or is_unicode_encoding(encoding):
        return text
    text = text.translate(ASCII)
    return text if text.isascii() else "".join(_replace_unknown(char, encoding) for char in text)


def _replace_unknown(char: str, encoding: str) -> str:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        from tbtui.charts.text import cell_width  # imports rich; the settings need only the names above

        return "?" * cell_width(char)
    return char
