"""Where the columns of a table stand: one that stays at the left, and beside it as many others as fit whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

GAP = 2
"""Blank columns between columns of the table."""

HEADER_HEIGHT = 2
"""A line of groups above a line of titles."""

EDGE_WIDTH = 2
"""A blank column and the right edge, which tells how far the rows are scrolled."""

LEAST_NAMES, MOST_NAMES = 8, 40

USUAL_WIDTH = 10
"""Of a column of numbers. What is left over beside so many of them as fit goes to the first column."""


@frozen
class ColumnPlace:
    """A column in sight."""

    index: int
    x: int
    """Its first terminal column."""

    width: int

    @property
    def end(self) -> int:
        """The terminal column behind its last."""
        return self.x + self.width


def names_width(wanted: int, width: int) -> int:
    """Terminal columns for the first column of a table `width` wide: what it wants, but at most about a third.

    There is always room for another column of the usual width, however little that leaves for names.
    """
    usual, most = GAP + USUAL_WIDTH, max(min(width // 3, MOST_NAMES), LEAST_NAMES)
    left_over = (width - EDGE_WIDTH - most) % usual
    return max(min(wanted, most + left_over, width - EDGE_WIDTH - usual), 0)


def columns_from(
    first: int, count: int, width_of: Callable[[int], int], left: int, right: int
) -> tuple[ColumnPlace, ...]:
    """The columns in sight when `first` is the first of them.

    Only whole ones, but always at least one: where not even that fits it is cut.

    Args:
        first: Index of a column.
        count: How many columns there are.
        width_of: Width of a column by its index, at least 1; asked for those in sight and the next.
        left: First terminal column that they may take.
        right: The one behind the last.
    """
    places: list[ColumnPlace] = []
    for index in range(first, count):
        width = width_of(index) if places else min(width_of(index), right - left)
        if width <= 0 or left + width > right:
            break
        places.append(ColumnPlace(index, left, width))
        left += width + GAP
    return tuple(places)


def first_showing(index: int, first: int, width_of: Callable[[int], int], room: int) -> int:
    """The first column in sight, nearest to `first`, with which column `index` is in sight among `room` columns."""
    if index <= first:
        return index
    shown, used = index, width_of(index)
    while shown > first:
        used += GAP + width_of(shown - 1)
        if used > room:
            break
        shown -= 1
    return shown
