"""One level of a hierarchy as a diagram: boxes of what is in a scope, and what flows between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set

    from tbtui.graphs.diagram import Diagram
    from tbtui.graphs.hierarchy import Hierarchy


def level(
    hierarchy: Hierarchy,
    of: int,
    opened: Set[int] = frozenset(),
    *,
    apart: Set[int] = frozenset(),
    aside: bool = True,
) -> Diagram:
    """What is in `of`, with diagrams inside of those boxes that are opened.

    Links are collected between the boxes of one diagram: what flows from somewhere in one to somewhere in another. What
    crosses the border of an opened box is linked inside of it with `INLET` or `OUTLET`; the outermost diagram has no
    border, so what comes from outside of `of` is not drawn.

    Args:
        hierarchy: Of the graph.
        of: An item that can be opened; any other gives a diagram of nothing.
        opened: Items whose boxes have diagrams inside, wherever they occur; others are ignored.
        apart: Series whose members are shown in their place.
        aside: Whether what TensorBoard sets aside is: what waits for others only, and what nearly everything leads to
            or comes from. Never in graphs of layers.
    """
    raise NotImplementedError
