"""Natural order of run names and tags.

`layer2` is before `layer10`, and the content of a folder before its neighbours with longer names.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import TypeAlias

# An exponent needs digits: `step2eval` is the number 2 and the word `eval`. TensorBoard reads `2e` there, which breaks
# its order; otherwise the rule is that of its `compareTagNames`.
_PIECES = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|([^0-9]+)")


NameToken: TypeAlias = tuple[int, float, str]

NameKey: TypeAlias = tuple[tuple[tuple[NameToken, ...], str], ...]


@lru_cache(maxsize=1 << 16)
def make_natural_key(name: str) -> NameKey:
    """Return the sort key of a run name or tag: parts between `/`, with numbers by value and before letters."""
    return tuple((_split_numbers(part), part) for part in name.split("/"))


_DIGITS = "0123456789"

_find_digit = re.compile("[0-9]").search


@lru_cache(maxsize=1 << 14)  # parts such as `weight` are in most tags
def _split_numbers(part: str) -> tuple[NameToken, ...]:
    word = part.rstrip(_DIGITS)
    if word.isalpha() or not _find_digit(word):  # most parts, in half of the time: `weight`, `layer12`
        number = part[len(word) :]
        if not number:
            return ((1, 0.0, word),) if word else ()
        return ((1, 0.0, word), (0, float(number), "")) if word else ((0, float(number), ""),)
    return tuple((0, float(number), "") if number else (1, 0.0, text) for number, text in _PIECES.findall(part))


_sort_lock = threading.Lock()


def sort_naturally(tags: frozenset[str]) -> tuple[str, ...]:
    """Return tags in natural order; the sidebar and the cards share the result for the same tags."""
    with _sort_lock:
        return _sort_naturally(tags)


@lru_cache(maxsize=4)
def _sort_naturally(tags: frozenset[str]) -> tuple[str, ...]:
    # Natural keys are slow to compare; sorting by characters first leaves few comparisons.
    return tuple(sorted(sorted(tags), key=make_natural_key))
