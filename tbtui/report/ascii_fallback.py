"""Replace signs that an encoding lacks by the most similar ASCII characters."""

from __future__ import annotations

import codecs

from tbtui.charts.glyphs import ASCII
from tbtui.charts.text import cell_width


def is_unicode(encoding: str) -> bool:
    """Return True if an encoding has every sign that charts use."""
    try:
        return codecs.lookup(encoding).name.startswith(("utf-8", "utf-16", "utf-32"))
    except LookupError:
        return False


def in_encoding(text: str, encoding: str) -> str:
    """Return safe text in the characters of an encoding, of the same width; `?` replaces unknown characters."""
    if text.isascii() or is_unicode(encoding):
        return text
    text = text.translate(ASCII)
    return text if text.isascii() else "".join(_known(char, encoding) for char in text)


def _known(char: str, encoding: str) -> str:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return "?" * cell_width(char)
    return char
