"""Which nodes call which functions of a graph's library."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.graphs.written import Written

_FIRST = ("f", "body")
"""Attributes that tell what a node does, before any others: `If` has two branches and is shown closed."""


def calls_of(written: Written) -> dict[int, int]:
    """For each node that calls a function, its index in `written.functions`; of two that have one name the first.

    A node calls what its operation is called after, or what an attribute names: `f` of `PartitionedCall` and of
    `MapDataset`, `body` of `While`. TensorBoard opens only the former.
    """
    functions = {function.name: index for index, function in reversed(list(enumerate(written.functions)))}
    if not functions:
        return {}
    calls = {}
    naming: dict[str, str | None] = {}
    for node, op in enumerate(written.ops):
        if op in functions:
            calls[node] = functions[op]
            continue
        if op not in naming:  # what one node of an operation has, all have
            naming[op] = _naming(written, node, functions)
        if (attribute := naming[op]) is not None:
            named = next((one.text for one in written.attributes(node) if one.name == attribute), None)
            if named in functions:
                calls[node] = functions[named]
    return calls


def _naming(written: Written, node: int, functions: Mapping[str, int]) -> str | None:
    """The attribute of a node that names what it calls."""
    names = [attribute.name for attribute in written.attributes(node) if attribute.text in functions]
    return next((name for name in _FIRST if name in names), names[0] if len(names) == 1 else None)
