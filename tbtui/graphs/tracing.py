"""Where the inputs of an item come from and where its outputs go."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.graphs.edges import Rows
from tbtui.graphs.labels import tensors_text
from tbtui.graphs.links import collect

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.graphs.edges import Edges
    from tbtui.graphs.hierarchy import Hierarchy

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]

NOWHERE = -1


class Neighbour(NamedTuple):
    """An item from which or to which something flows."""

    item: int
    label: str
    """Such as `32×10`, `scalar` or `3 tensors`; empty where no shape was written."""

    control: bool
    """Only waited for: nothing flows."""


def inputs(hierarchy: Hierarchy, item: int) -> tuple[Neighbour, ...]:
    """What flows into an item, in the order as written, embedded constants too.

    Of a node: each of its inputs. Of a scope or series: the boxes that lead to it, or to a scope around it, as drawn.
    """
    return _neighbours(hierarchy, item, into=True)


def outputs(hierarchy: Hierarchy, item: int) -> tuple[Neighbour, ...]:
    """What an item flows into, likewise; embedded summaries too."""
    return _neighbours(hierarchy, item, into=False)


def _neighbours(hierarchy: Hierarchy, item: int, *, into: bool) -> tuple[Neighbour, ...]:
    node = hierarchy.node(item)
    return _of_node(hierarchy, item, node, into) if node >= 0 else _of_scope(hierarchy, item, into)


def _of_node(hierarchy: Hierarchy, item: int, node: int, into: bool) -> tuple[Neighbour, ...]:
    graph = hierarchy.graph
    edges = graph.edges.at(hierarchy.adjacency.edges_into(node) if into else hierarchy.adjacency.edges_out_of(node))
    others = hierarchy.beside(item, edges.source if into else edges.target).tolist()
    rows = zip(others, edges.source.tolist(), edges.output.tolist(), edges.control.tolist(), strict=True)
    return tuple(
        Neighbour(other, "" if control else tensors_text(1, graph.tensor(source, output)), control)
        for other, source, output, control in rows
    )


def _of_scope(hierarchy: Hierarchy, item: int, into: bool) -> tuple[Neighbour, ...]:
    graph, order = hierarchy.graph, hierarchy.order
    original = hierarchy.original[item]
    begin, end = order.places[original], order.ends[original]
    near, far = (graph.flow.target, graph.flow.source) if into else (graph.flow.source, graph.flow.target)
    crossing = np.flatnonzero(_within(order.places[near], begin, end) & ~_within(order.places[far], begin, end))
    boxes = far[crossing].copy()
    while True:  # from the nodes out to the boxes that do not hold the item
        above = hierarchy.parent[boxes]
        climbs = (above >= 0) & ~_within(begin, order.places[above], order.ends[above])
        if not climbs.any():
            break
        boxes[climbs] = above[climbs]
    links = collect(graph, crossing, boxes, np.zeros(len(boxes), np.intp))
    others = hierarchy.beside(item, links.source.astype(np.int32)).tolist()
    found = [
        Neighbour(other, links.told(link, graph)[0], bool(links.control[link])) for link, other in enumerate(others)
    ]
    return tuple(sorted(found, key=lambda one: int(order.places[hierarchy.original[one.item]])))


def missing_inputs(hierarchy: Hierarchy, item: int) -> tuple[str, ...]:
    """Inputs of a node that no node of the graph is called, as written."""
    return tuple(hierarchy.graph.missing.get(hierarchy.node(item), ()))


def traced_inputs(hierarchy: Hierarchy, item: int) -> Flags:
    """For each item, whether it or something in it leads to `item` through any number of nodes; `item` is in it too.

    From inside of a call the trace goes on to what leads to the call.
    """
    marked = np.zeros(len(hierarchy), np.bool_)
    start: int | None = item
    while start is not None:
        nodes = hierarchy.original[hierarchy.under(start)].tolist()
        came_from = _followed(nodes, hierarchy.nodes, hierarchy.graph.edges, back=True)
        marked[hierarchy.beside(start, np.flatnonzero(came_from >= 0).astype(np.int32))] = True
        marked[start] = True
        start = hierarchy.call_around(start)
    around = np.flatnonzero(marked)
    while around.size:
        around = np.unique(hierarchy.parent[around])
        around = around[around >= 0]
        marked[around] = True
    return marked


def way_to_output(hierarchy: Hierarchy, item: int) -> tuple[int, ...]:
    """The shortest way, node by node, from an item to an output of the graph, both ends included.

    An output is what is marked as one; where none can be reached, the last one written of which nothing reads the
    value. Only where no value of the item is read is waiting followed too. Empty where the item holds no node.
    """
    graph = hierarchy.graph
    nodes = hierarchy.original[hierarchy.under(item)].tolist()
    if not nodes:
        return ()
    edges = graph.edges.at(~graph.edges.control)
    came_from = _followed(nodes, hierarchy.nodes, edges, back=False)
    if np.count_nonzero(came_from >= 0) == len(nodes):
        edges = graph.edges
        came_from = _followed(nodes, hierarchy.nodes, edges, back=False)
    way = [_end(hierarchy, np.flatnonzero(came_from >= 0), edges)]
    while came_from[way[-1]] != way[-1]:
        way.append(int(came_from[way[-1]]))
    return tuple(hierarchy.beside(item, np.array(way[::-1], np.int32)).tolist())


def _end(hierarchy: Hierarchy, reached: npt.NDArray[np.intp], edges: Edges) -> int:
    """The output among nodes that were reached; the nearest would be some detail that is computed on the way."""
    graph = hierarchy.graph
    drawn = reached[~graph.embedded[reached]]
    reached = drawn if drawn.size else reached
    outputs = [node for node in reached.tolist() if graph.kinds[node] == "output"]
    if not outputs:
        read = np.zeros(hierarchy.nodes, np.bool_)
        read[edges.source] = True
        outputs = reached[~read[reached]].tolist() or reached.tolist()
    last: int = max(outputs, key=lambda node: int(graph.rank[node]))
    return last


def _followed(nodes: Sequence[int], count: int, edges: Edges, *, back: bool) -> Ints:
    """For each of `count` nodes from which one a search along the edges came to it; -1 where it did not.

    Those that it starts at came from themselves. The search is breadth first, so ways are the shortest.
    """
    near, far = (edges.target, edges.source) if back else (edges.source, edges.target)
    rows = Rows(near, count)
    bounds, others = rows.bounds.tolist(), far[rows.rows].tolist()
    came_from = [NOWHERE] * count
    for node in nodes:
        came_from[node] = node
    reached = list(nodes)
    for node in reached:  # grows meanwhile
        for other in others[bounds[node] : bounds[node + 1]]:
            if came_from[other] < 0:
                came_from[other] = node
                reached.append(other)
    return np.array(came_from, np.int32)


def _within(places: Ints, begins: Ints, ends: Ints) -> Flags:
    return (places >= begins) & (places < ends)
