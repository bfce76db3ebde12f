"""The order people expect: `layer2` before `layer10`, a folder's content before its longer-named neighbours."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

# An exponent counts only when digits follow it: `step2eval` holds the number 2 and then the word `eval`. (TensorBoard
# reads `2e` there and its order falls apart; the rule is that of its `compareTagNames` otherwise.)
_PIECES = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|([^0-9]+)")

Piece: TypeAlias = tuple[int, float, str]
NameKey: TypeAlias = tuple[tuple[tuple[Piece, ...], str], ...]


@lru_cache(maxsize=1 << 16)
def natural_key(name: str) -> NameKey:
    """Sort key of a run name or tag: parts between `/` in turn, numbers in them by value and before letters."""
    return tuple((_pieces(part), part) for part in name.split("/"))


def _pieces(part: str) -> tuple[Piece, ...]:
    return tuple((0, float(number), "") if number else (1, 0.0, text) for number, text in _PIECES.findall(part))
