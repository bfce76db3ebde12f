"""A graph as JSON: its nodes and its edges, as lists of objects, in plain ASCII."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tbtui.graphs.graph import Graph


def graph_json(graph: Graph, about: Mapping[str, Any]) -> Iterator[str]:
    """The whole graph, an object a line.

    A node has `name`, which no other has and by which edges know it; `op`; `device`; `shapes` of its outputs, with -1
    for a length and null for a shape that is not known; `parameters`; and `attributes` in words. An edge has `source`
    and `target`; `output`, the number of the source's output, null where it cannot be told; and `control`, whether the
    target only waits.

    Args:
        graph: Any.
        about: What is told of it before: values that JSON has.
    """
    head = json.dumps({**about, "notes": list(graph.notes)}).removesuffix("}")
    yield head + ', "nodes": [\n'
    yield from _joined((_node(graph, node) for node in range(len(graph.names))), len(graph.names))
    yield '], "edges": [\n'
    edges = graph.edges
    columns = (edges.source.tolist(), edges.target.tolist(), edges.output.tolist(), edges.control.tolist())
    yield from _joined((_edge(graph, *row) for row in zip(*columns, strict=True)), len(edges))
    yield "]}\n"


def _joined(lines: Iterable[str], count: int) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        yield f"{line},\n" if number < count else f"{line}\n"


def _node(graph: Graph, node: int) -> str:
    shapes = [None if shape is None else list(shape) for shape in graph.shapes(node)]
    return json.dumps(
        {
            "name": graph.names[node],
            "op": graph.ops[node],
            "device": graph.device(node),
            "shapes": shapes,
            "parameters": graph.parameters(node),
            "attributes": {attribute.name: attribute.text for attribute in graph.attributes(node)},
        }
    )


def _edge(graph: Graph, source: int, target: int, output: int, control: bool) -> str:
    names = {"source": graph.names[source], "target": graph.names[target]}
    return json.dumps({**names, "output": None if output < 0 else output, "control": control})
