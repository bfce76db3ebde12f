"""From box to box by direction, as arrow keys go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tbtui.graphs.places import Layout

Direction = Literal["up", "down", "left", "right"]


def neighbour(layout: Layout, item: int, direction: Direction) -> int | None:
    """The item that lies next in a direction; None at the edge, or when there is no such item in the layout.

    Along the flow, a box that a link leads to (or comes from) is preferred to others.
    """
    raise NotImplementedError
