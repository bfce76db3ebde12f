"""What is written in the box of an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.graphs.labels import counted, shape_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.graphs.hierarchy import Hierarchy

MOST_ASIDE = 5
"""Names beside one box; then how many more."""


def lines_of(hierarchy: Hierarchy, item: int) -> tuple[str, ...]:
    """The name, then what it is and holds, each in a line of its own; not made safe for a terminal."""
    leaf = hierarchy.leaf(item)
    lines = [leaf, *_nature(hierarchy, item)]
    if parameters := int(hierarchy.parameters[item]):
        lines.append(counted(parameters, "parameter"))
    return tuple(lines)


def names_aside(names: Sequence[str]) -> tuple[str, ...]:
    """As many as there is room for."""
    if len(names) <= MOST_ASIDE:
        return tuple(names)
    return (*names[:MOST_ASIDE], f"… {len(names) - MOST_ASIDE:,} more")


def _nature(hierarchy: Hierarchy, item: int) -> list[str]:
    """The operation of a node that is not called so, how many of it a series has, how many are in a scope."""
    op = hierarchy.op(item)
    layers = hierarchy.graph.written.layers
    unit = "layer" if layers else "op"
    count = int(hierarchy.inside[item])
    if hierarchy.kind(item) == "series":
        return [f"{count:,} × {op}"]
    if not op:
        return [counted(count, unit)]
    lines = [op] if op != hierarchy.leaf(item) else []
    if layers and (shapes := hierarchy.shapes(item)) and (text := shape_text(shapes[0])):
        lines.append(text)
    return lines
