"""Names from files in documents that other programs draw pictures from."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from tbtui.charts.text import UNKNOWN_MARK

_UNSEEN = frozenset(("Cc", "Cn", "Co", "Cs", "Zl", "Zp"))
"""Categories of what has no look of its own, and of what ends a line."""


def printable(text: str) -> str:
    """Text on one line that can be encoded; what has no look of its own is `·`."""
    if text.isascii() and text.isprintable():
        return text
    return _letter_by_letter(text)


@lru_cache(maxsize=1024)  # shapes of tensors, such as ?×64, come again and again
def _letter_by_letter(text: str) -> str:
    return "".join(UNKNOWN_MARK if unicodedata.category(letter) in _UNSEEN else letter for letter in text)
