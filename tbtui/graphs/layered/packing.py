"""Rectangles side by side and below one another, where nothing joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Spot = tuple[int, int]
"""First cell, across and along."""

Extent = tuple[int, int]
"""How many cells across and along."""


class Packed(NamedTuple):
    """Rectangles in their places."""

    spots: list[Spot]
    breadths: list[int]
    """Cells across that each may take."""

    extent: Extent
    """Of all together."""


def shelves(extents: Sequence[Extent], room: int, gaps: tuple[int, int]) -> Packed:
    """Put rectangles into rows from the first to the last, one after another.

    Args:
        extents: Of each.
        room: Cells across that a row may take; one that is broader has a row of its own.
        gaps: Blank cells between two, across and along.
    """
    spots: list[Spot] = []
    across = along = deepest = widest = 0
    for breadth, depth in extents:
        if across and across + breadth > room:
            along, across, deepest = along + deepest + gaps[1], 0, 0
        spots.append((across, along))
        widest, deepest = max(widest, across + breadth), max(deepest, depth)
        across += breadth + gaps[0]
    return Packed(spots, [breadth for breadth, _ in extents], (widest, along + deepest))


def table(extents: Sequence[Extent], room: int, gaps: tuple[int, int]) -> Packed:
    """Put rectangles into rows and columns, as many columns as there is room for; all of one are equally broad."""
    breadths = [breadth for breadth, _ in extents]
    count = min(len(extents), max((room + gaps[0]) // (min(breadths) + gaps[0]), 1))
    while count > 1 and sum(_columns(breadths, count)) + (count - 1) * gaps[0] > room:
        count -= 1
    columns = _columns(breadths, count)
    begins = [sum(columns[:index]) + index * gaps[0] for index in range(count)]
    spots: list[Spot] = []
    along = 0
    for first in range(0, len(extents), count):
        spots += [(begin, along) for begin in begins[: len(extents) - first]]
        along += max(depth for _, depth in extents[first : first + count]) + gaps[1]
    broad = [columns[index % count] for index in range(len(extents))]
    return Packed(spots, broad, (begins[-1] + columns[-1], along - gaps[1]))


def _columns(breadths: Sequence[int], count: int) -> list[int]:
    return [max(breadths[index::count]) for index in range(count)]


def tower(extents: Sequence[Extent], room: int, depth: int, gaps: tuple[int, int]) -> Packed:
    """The narrowest table that is no deeper than something beside it, as far as there is room."""
    narrow = max(breadth for breadth, _ in extents)
    packed = table(extents, narrow, gaps)
    while packed.extent[1] > depth and narrow < room:
        narrow = min(narrow + max(narrow // 2, 1), room)
        packed = table(extents, narrow, gaps)
    return packed
