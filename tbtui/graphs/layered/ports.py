"""Where along the border of a box its lines begin and end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SPREAD = 4
"""Cells from one port to the next where there is room."""

ENOUGH = 24
"""So many ports get a cell each, for which a box is made larger; more may share one."""


def breadth_for(ports: int, pitch: int) -> int:
    """Cells that a box must have for its ports, which lie `pitch` cells apart."""
    return pitch * (min(ports, ENOUGH) - 1) + 3 if ports > 1 else 1


def spread(count: int, width: int, main: int | None = None) -> list[int]:
    """Cells of ports, from the first to the last, counted from the first cell of the box.

    Args:
        count: How many there are.
        width: Cells of the box; its corners bear no ports unless it has nothing else.
        main: The one that stands in the middle as far as there is room for the others at both sides; None: all are
            spread about the middle.
    """
    low, high = (1, width - 2) if width > 2 else (0, width - 1)
    middle = width // 2
    if main is None:
        return _between(count, low, high, middle)
    before, after = main, count - 1 - main
    if low + before <= high - after:
        middle = min(max(middle, low + before), high - after)
    sides = ((before, middle - low), (after, high - middle))
    step = min([SPREAD, *(room // ports for ports, room in sides if ports)])
    left = [2 * middle - cell for cell in reversed(_beside(before, middle, 2 * middle - low, step))]
    return [*left, middle, *_beside(after, middle, high, step)]


def _between(count: int, low: int, high: int, middle: int) -> list[int]:
    if count < 2:
        return [middle] * count
    step = min(SPREAD, (high - low) // (count - 1))
    if step < 1:
        return [low + index * (high - low) // (count - 1) for index in range(count)]
    if step % 2 and count % 2 == 0 and step > 1:
        step -= 1  # so that as many cells lie on either side of the middle
    first = max(min(middle - (count - 1) * step // 2, high - (count - 1) * step), low)
    return [first + index * step for index in range(count)]


def _beside(count: int, middle: int, high: int, step: int) -> list[int]:
    """Ports after the middle."""
    if step < 1:
        return [min(middle + 1 + index * max(high - middle, 1) // count, high) for index in range(count)]
    return [middle + (index + 1) * step for index in range(count)]


def given(count: int, cells: Sequence[int], width: int) -> list[int]:
    """Ports at cells that go on inside the box; where there are more of one than of the other, as evenly as can be."""
    if not cells:
        return spread(count, width)
    if count <= len(cells):
        return [cells[index * len(cells) // count] for index in range(count)]
    others = [cell for cell in range(1, width - 1, 2) if all(abs(cell - one) > 1 for one in cells)]
    missing = count - len(cells)
    if len(others) < missing:
        return spread(count, width)
    near = sorted(others, key=lambda cell: min(abs(cell - one) for one in cells))[:missing]
    return sorted([*cells, *near])
