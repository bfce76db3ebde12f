"""What is written in the box of an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.graphs.labels import counted, shape_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.graphs.hierarchy import Hierarchy

SMALL = 8
"""Nodes in a scope that is told by the operation in it, if there is only one beside inputs and outputs."""

_MOVES = frozenset({"Identity", "NoOp", "prim::GetAttr", "VariableV2", "VarHandleOp", "ReadVariableOp"})
"""Operations that compute nothing."""

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
        return [", ".join((*_gist(hierarchy, item), counted(count, unit)))]
    lines = [op] if op != hierarchy.leaf(item) else []
    if layers and (shapes := hierarchy.shapes(item)) and (text := shape_text(shapes[0])):
        lines.append(text)
    return lines


def _gist(hierarchy: Hierarchy, item: int) -> list[str]:
    """The one operation that a small scope is there for, or the function that it calls; of others nothing."""
    if hierarchy.inside[item] > SMALL:
        return []
    graph = hierarchy.graph
    nodes = [node for node in hierarchy.nodes_in(item) if graph.kinds[node] not in {"input", "output"}]
    called = {graph.bodies[graph.calls[node]].name for node in nodes if node in graph.calls}
    ops = called or {graph.ops[node] for node in nodes} - _MOVES
    return list(ops) if len(ops) == 1 and ops != {hierarchy.leaf(item)} else []
