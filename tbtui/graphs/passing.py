"""What the call of a function hands to it, argument by argument, and what it hands back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.graphs.diagram import Tensor
    from tbtui.graphs.graph import Graph
    from tbtui.graphs.hierarchy import Hierarchy

_HAND_ON = frozenset({"PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile"})
"""Operations that call what an attribute names with their inputs as they are."""


def passed(hierarchy: Hierarchy, call: int) -> dict[int, Tensor]:
    """What each argument of a function is given by a node that calls it, by the nodes that stand for the arguments.

    Empty where it cannot be told: some operations, as those of data sets, call functions with something else.
    """
    graph = hierarchy.graph
    arguments = graph.bodies[graph.calls[call]].arguments
    inputs = [text for text in graph.written.inputs[call] if not text.startswith("^")]
    if not _hands_on(graph, call) or len(inputs) != len(arguments):
        return {}
    edges = graph.edges.at(hierarchy.adjacency.edges_into(call))
    flows = zip(edges.source.tolist(), edges.output.tolist(), edges.control.tolist(), strict=True)
    tensors = [(source, output) for source, output, control in flows if not control]
    missing = graph.missing.get(call, ())
    given: dict[int, Tensor] = {}
    used = 0
    before = ""
    for argument, text in zip(arguments, inputs, strict=True):
        if text in missing:
            before = ""
            continue
        used += _whole(text) != before  # of two alike, one after the other, there is one edge
        before = _whole(text)
        if used > len(tensors):
            return {}
        given[argument] = tensors[used - 1]
    return given if used == len(tensors) else {}


def handed_back(hierarchy: Hierarchy, call: int) -> dict[int, list[Tensor]]:
    """By the nodes of a function whose values it returns, as what the node that calls it hands them on."""
    graph = hierarchy.graph
    if not _hands_on(graph, call):
        return {}
    body = graph.bodies[graph.calls[call]]
    function = graph.written.functions[graph.calls[call]]
    edges = graph.edges.at(hierarchy.adjacency.edges_out_of(call))
    found: dict[int, list[Tensor]] = {}
    for output in sorted(set(edges.output[~edges.control].tolist())):
        index = output
        if output < 0:
            name, _, number = edges.keys[-1 - output].rpartition(":")
            index = function.outputs.index(name) if name in function.outputs else int(number)
        if index < len(body.returned):
            found.setdefault(body.returned[index], []).append((call, output))
    return found


def _hands_on(graph: Graph, call: int) -> bool:
    return graph.ops[call] in _HAND_ON or graph.ops[call] == graph.bodies[graph.calls[call]].name


def _whole(text: str) -> str:
    """An input with the output that it means where it names none."""
    return text if ":" in text else f"{text}:0"
