"""The characters that an output can take: where it is no UTF-8, signs become the ASCII that looks most like them."""

from __future__ import annotations

import codecs

from tbtui.charts.text import cell_width

_SAME = {
    "│┃╎": "|",
    "─━╌–—": "-",
    "┌┐└┘├┤┬┴┼╭╮╰╯": "+",
    "█▉▊▋▌▓": "#",
    "▍▎▏▒": ":",
    "░": ".",
    "▀": '"',
    "▄": "_",
    "…⋯": "~",
    "·•": "-",
    "★": "*",
    "✗": "!",
    "↻": "@",
    "▲▴": "^",
    "▼▾": "v",
    "●◆■▲": "*",
    "×": "x",
    "␣": "_",
    "µ": "u",
    "±": "+",
    "≤": "<",
    "≥": ">",
    "→": ">",
    "←": "<",
    "Δ": "d",
    "‘’": "'",
    "“”": '"',
}
ASCII = {ord(sign): plain for signs, plain in _SAME.items() for sign in signs}
"""One character for one, so that whatever stands in line stays there."""


def is_unicode(encoding: str) -> bool:
    """Whether an encoding has every sign that charts are drawn with."""
    try:
        return codecs.lookup(encoding).name.startswith(("utf-8", "utf-16", "utf-32"))
    except LookupError:
        return False


def spelled(text: str, encoding: str) -> str:
    """Safe text as an encoding has it, in as many columns; `?` for what it has not."""
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
