"""Rectangles side by side and below one another, where nothing joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Spot = tuple[int, int]
"""First cell, across and along."""


def shelves(sizes: Sequence[tuple[int, int]], room: int, gaps: tuple[int, int]) -> tuple[list[Spot], tuple[int, int]]:
    """Put rectangles into rows from the first to the last.

    Args:
        sizes: Cells across and along of each.
        room: Cells across that a row may take; one that is broader has a row of its own.
        gaps: Blank cells between two, across and along.

    Returns:
        Where each begins, and cells across and along of all together.
    """
    spots: list[Spot] = []
    across = along = deepest = widest = 0
    for breadth, depth in sizes:
        if across and across + breadth > room:
            along, across, deepest = along + deepest + gaps[1], 0, 0
        spots.append((across, along))
        widest, deepest = max(widest, across + breadth), max(deepest, depth)
        across += breadth + gaps[0]
    return spots, (widest, along + deepest)


def tower(
    sizes: Sequence[tuple[int, int]], room: int, depth: int, gaps: tuple[int, int]
) -> tuple[list[Spot], tuple[int, int]]:
    """The narrowest of rows that are no deeper than something beside them, as far as there is room."""
    narrow = max(breadth for breadth, _ in sizes)
    packed = shelves(sizes, narrow, gaps)
    while packed[1][1] > depth and narrow < room:
        narrow = min(narrow + max(narrow // 2, 1), room)
        packed = shelves(sizes, narrow, gaps)
    return packed
