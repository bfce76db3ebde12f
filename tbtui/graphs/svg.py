"""A layout as an SVG picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.graphs.places import Layout


def svg(layout: Layout, *, title: str = "", fills: Mapping[int, str] | None = None) -> str:
    """A whole document, which needs nothing but itself; light or dark as its reader prefers.

    Args:
        layout: Any.
        title: What the picture is called, for screen readers and tooltips.
        fills: Colours of items as CSS has them (`#ffcc00`), such as of heat.
    """
    raise NotImplementedError
