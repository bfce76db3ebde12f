"""From box to box by direction, as arrow keys go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from tbtui.graphs.places import OUTSIDE

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.graphs.places import Layout

Direction = Literal["up", "down", "left", "right"]

_AXES: dict[Direction, tuple[int, int]] = {"left": (0, -1), "right": (0, 1), "up": (1, -1), "down": (1, 1)}
"""Along which axis (0: columns), and which way."""

ROW = 2
"""A row is as high as so many columns are wide."""

ASIDE = 3
"""How much farther away it feels to go aside than to go straight on."""


def neighbour(layout: Layout, item: int, direction: Direction) -> int | None:
    """The item that lies next in a direction; None at the edge, or when there is no such item in the layout.

    Along the flow, a box that a link leads to (or comes from) is preferred to others. An opened box is where its title
    is: down from there is inside.
    """
    index = layout.index_of.get(item)
    if index is None:
        return None
    axis, sign = _AXES[direction]
    low, high = _ends(layout)
    on = low[:, axis] - high[index, axis] if sign > 0 else low[index, axis] - high[:, axis]
    beyond = np.flatnonzero(on > 0)
    linked = [other for other in _linked(layout, index, axis) if on[other] > 0]
    candidates = np.array(linked, np.intp) if linked else beyond
    if not len(candidates):
        return None
    across = 1 - axis
    gap = np.maximum(low[candidates, across] - high[index, across], low[index, across] - high[candidates, across])
    middle = (low[:, across] + high[:, across]) / 2
    off = np.abs(middle[candidates] - middle[index])
    unit = np.array([1, ROW])
    cost = on[candidates] * unit[axis] + np.maximum(gap, 0) * unit[across] * ASIDE + off * unit[across] / 1000
    return layout.places[int(candidates[int(np.argmin(cost))])].item


def _ends(layout: Layout) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """First and last cell (column, row) of each place, of an opened one those of its upper border."""
    low, high = layout.rectangles[:, :2], layout.rectangles[:, 2:].copy()
    opened = np.array([place.opened for place in layout.places], bool)
    high[opened, 1] = low[opened, 1]
    return low, high


def _linked(layout: Layout, index: int, axis: int) -> set[int]:
    """Places that a route along an axis joins with one, but opened ones that it is not inside of."""
    found = set()
    for route in layout.routes_of.get(index, ()):
        *_, one, other = layout.routes[route].points
        if one[axis] != other[axis]:
            found |= {layout.routes[route].source, layout.routes[route].target}
    around = layout.places[index].inside
    return {place for place in found - {index, OUTSIDE} if not layout.places[place].opened or place == around}
