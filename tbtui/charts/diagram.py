"""A layout as character cells: the part of it that a window shows."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tbtui.charts.cells import Cells
    from tbtui.graphs.places import Layout


class Window(NamedTuple):
    """A rectangle of a layout; it may reach beyond its edges."""

    left: int
    top: int
    width: int
    height: int


def draw_diagram(
    layout: Layout,
    window: Window,
    *,
    chosen: int | None = None,
    marked: Collection[int] = (),
    tints: Mapping[int, int] = MappingProxyType({}),
) -> Cells:
    """Cells of exactly the size of the window.

    Args:
        layout: Any.
        window: What of it is seen.
        chosen: Item under the cursor: its frame and its links lead.
        marked: Items that stand out, such as those found or traced; links between two of them do, too.
        tints: Ink of an item: one with a ground (`cells.heat`) colours its whole box, a series colour its frame.
    """
    raise NotImplementedError


def reveal(layout: Layout, window: Window, item: int) -> Window:
    """The window moved as little as shows an item with what is around it; a layout that fits is centred."""
    raise NotImplementedError
