"""Names of runs in tight places: what all of them share is left out, what is cut leaves them different."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING

from tbtui.charts.text import ELLIPSIS, cell_width, fit, nameable, safe, shorten
from tbtui.viewstate.run_tree import common_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_PART = re.compile(r"[/_, ]?[^/_, ]*")
"""A part of a name, with the separator before it."""


def common_words(names: Sequence[str]) -> int:
    """How many leading characters all names share that say nothing of any: of `seed0`, `seed1` the word stays."""
    start = max(common_start(names), 0)  # no name is a name, too
    while start and names[0][start - 1].isalnum():
        start -= 1
    return start


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names without the words that all of them begin with: `a/b/seed0`, `a/b/seed1` become `seed0`, `seed1`."""
    start = common_words(names)
    return tuple(nameable(name[start:]) for name in names)


@lru_cache(maxsize=256)
def told_apart(names: tuple[str, ...], width: int, rooms: tuple[int, ...] = ()) -> tuple[str, ...]:
    """Names, safe for a terminal, in at most `width` columns; names that differ never read alike.

    Where they are too long, what all begin with goes first, then whole parts that all have in common
    (`adam_b64/seed0`, `sgd_b64/seed1` become `adam/seed0`, `sgd/seed1`), then of each what tells least of them apart,
    marked by `…`. Names that one such cut cannot tell apart end in a number: `a_lon~7`, as far as that has room.

    Args:
        names: Of runs, or whatever stands below one another.
        width: Columns for which it is decided what all of them do without.
        rooms: Columns that each of them has, where these differ; what is cut is cut for its own.
    """
    widths = rooms or (width,) * len(names)
    shown = tuple(safe(nameable(name)) for name in names)
    for leave_out in (tuple, distinct_names, _without_common_parts):
        shorter = tuple(safe(name) for name in leave_out(shown))
        if _count(shorter) < len(set(names)):
            break
        shown = shorter
        if max(map(cell_width, shown), default=0) <= width:
            break
    return _numbered(names, _cut(shown, widths), widths)


def _count(shown: Sequence[str]) -> int:
    return len(set(shown))


def _without_common_parts(names: Sequence[str]) -> tuple[str, ...]:
    """Names without parts that are the same in all of them; as they are where they have not equally many."""
    columns = [_PART.findall(name)[:-1] for name in names]
    if len(set(map(len, columns))) != 1:
        return tuple(names)
    differing = [parts for parts in zip(*columns, strict=True) if _count(parts) > 1]
    return tuple("".join(parts).lstrip("/_, ") for parts in zip(*differing, strict=True)) or tuple(names)


def _cut(names: Sequence[str], widths: Sequence[int]) -> tuple[str, ...]:
    """Names that lose the same stretch if they are too long, the one nearest to the middle that tells least apart.

    It would tell least apart, too, if all had as little room as the one that has least: what that one loses must not be
    what others, which have room, differ from it by.
    """
    tightest, middle = min(widths, default=0), (min(widths, default=0) - 1) // 2
    best: tuple[str, ...] = ()
    most = 0, 0
    for end in sorted(range(max(widths, default=0) or 1), key=lambda end: abs(end - middle)):
        cut = tuple(_without_stretch(names, widths, end))
        told = _count(cut), _count(tuple(_without_stretch(names, repeat(tightest), end)))
        if told > most:
            best, most = cut, told
        if min(most) == _count(names):
            break
    return best


def _without_stretch(names: Sequence[str], widths: Iterable[int], end: int) -> Iterator[str]:
    """Names that keep so many columns of their end, or as many as there are."""
    return (shorten(name, width, min(end, width - 1)) for name, width in zip(names, widths, strict=False))


def _numbered(names: Sequence[str], shown: Sequence[str], widths: Sequence[int]) -> tuple[str, ...]:
    """The same, but each name that reads like one before it ends in a number."""
    found: dict[str, str] = {}
    taken, number = set(shown), 1
    first = dict(zip(reversed(shown), reversed(names), strict=True))
    for name, text, width in zip(names, shown, widths, strict=True):
        if name in found:
            continue
        found[name] = text
        while first.setdefault(found[name], name) != name:
            number += 1
            end = f"~{number}"[:width]
            numbered = fit(text, width - len(end)).rstrip(ELLIPSIS) + end
            if len(end) == width:
                found[name] = numbered
                break
            if numbered not in taken:
                found[name] = numbered
    return tuple(found[name] for name in names)
