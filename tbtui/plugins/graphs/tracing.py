"""Inputs and outputs of an item, traces along edges, and the box next to another one in a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.plugins.graphs.diagram import OUTSIDE
from tbtui.plugins.graphs.edges import RowIndex
from tbtui.plugins.graphs.functions import argument_tensors
from tbtui.plugins.graphs.graph import tensors_text
from tbtui.plugins.graphs.model_operations import model_nodes, summary_nodes
from tbtui.plugins.graphs.scope_diagram import collect_links

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.diagram import PlacedDiagram, Tensor
    from tbtui.plugins.graphs.edges import Edges
    from tbtui.plugins.graphs.graph import Graph
    from tbtui.plugins.graphs.hierarchy import Hierarchy

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]
    Nodes: TypeAlias = npt.NDArray[np.intp]

NOWHERE = -1

MAX_CANDIDATE_OUTPUTS = 16
"""Maximum number of candidate outputs, the last ones written, whose ancestors are counted."""


class Neighbour(NamedTuple):
    """An item that another one reads from or is read by."""

    item: int
    label: str
    """Label such as `32×10`, `scalar` or `3 tensors`, empty if the shape is unknown.

    The label of an input of a call begins with the name of the argument.
    """

    control: bool
    """True if the target only waits: no data flows."""


def inputs(hierarchy: Hierarchy, item: int) -> tuple[Neighbour, ...]:
    """Return the inputs of an item as written, embedded constants included.

    For a node these are its inputs. For a scope or series these are the boxes outside that lead to it, as drawn.
    """
    return _neighbours(hierarchy, item, into=True)


def outputs(hierarchy: Hierarchy, item: int) -> tuple[Neighbour, ...]:
    """Return the readers of an item, embedded summaries included; for a scope or series the boxes outside."""
    return _neighbours(hierarchy, item, into=False)


def _neighbours(hierarchy: Hierarchy, item: int, *, into: bool) -> tuple[Neighbour, ...]:
    node = hierarchy.node(item)
    return _of_node(hierarchy, item, node, into) if node >= 0 else _of_scope(hierarchy, item, into)


def _of_node(hierarchy: Hierarchy, item: int, node: int, into: bool) -> tuple[Neighbour, ...]:
    graph = hierarchy.graph
    edges = graph.edges.at(hierarchy.adjacency.edges_into(node) if into else hierarchy.adjacency.edges_out_of(node))
    others = hierarchy.beside(item, edges.source if into else edges.target).tolist()
    arguments = _arguments(hierarchy, node) if into and node in graph.calls else {}
    rows = zip(others, edges.source.tolist(), edges.output.tolist(), edges.control.tolist(), strict=True)
    return tuple(
        Neighbour(other, "" if control else _tensor_text(graph, (source, output), arguments), control)
        for other, source, output, control in rows
    )


def _tensor_text(graph: Graph, tensor: Tensor, arguments: Mapping[Tensor, str]) -> str:
    """Return `32×10`, or `x: 32×10` for a tensor that a call passes for the argument x."""
    return ": ".join(filter(None, (arguments.get(tensor, ""), tensors_text(1, graph.tensor(*tensor)))))


def _arguments(hierarchy: Hierarchy, call: int) -> dict[Tensor, str]:
    """Return the names of the arguments that each tensor is passed for."""
    names: dict[Tensor, list[str]] = {}
    for argument, tensor in argument_tensors(hierarchy, call).items():
        names.setdefault(tensor, []).append(hierarchy.leaf(argument))
    return {tensor: ", ".join(some) for tensor, some in names.items()}


def _of_scope(hierarchy: Hierarchy, item: int, into: bool) -> tuple[Neighbour, ...]:
    graph, order = hierarchy.graph, hierarchy.order
    original = hierarchy.original[item]
    begin, end = order.places[original], order.ends[original]
    near, far = (graph.flow.target, graph.flow.source) if into else (graph.flow.source, graph.flow.target)
    crossing = np.flatnonzero(_within(order.places[near], begin, end) & ~_within(order.places[far], begin, end))
    boxes = far[crossing].copy()
    while True:  # from the nodes up to the outermost boxes that do not hold the item
        above = hierarchy.parent[boxes]
        climbs = (above >= 0) & ~_within(begin, order.places[above], order.ends[above])
        if not climbs.any():
            break
        boxes[climbs] = above[climbs]
    links = collect_links(graph, crossing, boxes, np.zeros(len(boxes), np.intp))
    others = hierarchy.beside(item, links.source.astype(np.int32)).tolist()
    neighbours = [
        Neighbour(other, links.label_and_weight(link, graph)[0], bool(links.control[link]))
        for link, other in enumerate(others)
    ]
    return tuple(sorted(neighbours, key=lambda one: int(order.places[hierarchy.original[one.item]])))


def missing_inputs(hierarchy: Hierarchy, item: int) -> tuple[str, ...]:
    """Return inputs of a node that name no node of the graph, as written."""
    return tuple(hierarchy.graph.missing.get(hierarchy.node(item), ()))


def traced_inputs(hierarchy: Hierarchy, item: int) -> Flags:
    """Return bool[items]: True for items that lead to `item`, or hold such items, and for the item itself.

    From inside a call the trace continues with what leads to the call.
    """
    marked = np.zeros(len(hierarchy), np.bool_)
    edges = hierarchy.graph.edges
    back = _Traversal(edges.target, edges.source, hierarchy.nodes)
    start: int | None = item
    while start is not None:
        nodes = _nodes_of(hierarchy, start)
        came_from = back.predecessors(nodes)
        marked[hierarchy.beside(start, np.flatnonzero(came_from >= 0).astype(np.int32))] = True
        marked[start] = True
        start = hierarchy.call_around(start)
    around = np.flatnonzero(marked)
    while around.size:
        around = np.unique(hierarchy.parent[around])
        around = around[around >= 0]
        marked[around] = True
    return marked


def _nodes_of(hierarchy: Hierarchy, item: int) -> list[int]:
    """Return the node of an item without its embedded nodes; for a scope all nodes in it."""
    node = hierarchy.node(item)
    return [node] if node >= 0 else hierarchy.original[hierarchy.under(item)].tolist()


def path_to_output(hierarchy: Hierarchy, item: int) -> tuple[int, ...]:
    """Return the shortest path, node by node, from an item to an output of the graph; both ends are included.

    The target is a marked output. If none can be reached, it is a node of the model (`model_operations`) that no other
    node of the model reads, such as a loss; from nodes beside the model, a node that only summaries read. Among several
    the target is the one that most nodes lead to. Control edges are followed only if no value of the item is read.
    Empty if the item holds no node.
    """
    graph = hierarchy.graph
    nodes = _nodes_of(hierarchy, item)
    values = graph.edges.at(~graph.edges.control)
    is_read = bool(np.any(np.isin(values.source, nodes) & ~np.isin(values.target, nodes)))
    edges = values if is_read else graph.edges
    way = _Paths(hierarchy, edges).from_any(nodes, marked=True)
    if not way and is_read:
        way = _Paths(hierarchy, edges, model_nodes(graph, values)).from_any(nodes)
    if not way:
        way = _Paths(hierarchy, edges, ~summary_nodes(graph)).from_any(nodes)
    way = way or _Paths(hierarchy, edges).from_any(nodes)
    return tuple(hierarchy.beside(item, np.array(way, np.int32)).tolist())


class _Paths:
    """Shortest paths along some edges of a graph.

    Args:
        hierarchy: Hierarchy of the graph.
        edges: Edges that a path may use.
        through: Nodes that a path may use; None: all.
    """

    def __init__(self, hierarchy: Hierarchy, edges: Edges, through: Flags | None = None) -> None:
        self._graph, self._count, self._through = hierarchy.graph, hierarchy.nodes, through
        self._edges = edges if through is None else edges.at(through[edges.source] & through[edges.target])

    def from_any(self, nodes: Sequence[int], *, marked: bool = False) -> list[int]:
        """Return the path from one of some nodes to the output that most nodes lead to; empty if there is none.

        Args:
            nodes: Possible starts.
            marked: Only nodes marked as outputs are targets.
        """
        if self._through is not None:
            nodes = [node for node in nodes if self._through[node]]
        came_from = _Traversal(self._edges.source, self._edges.target, self._count).predecessors(nodes)
        reached = np.flatnonzero(came_from >= 0)
        ends = self._marked(reached) if marked else self._ends(reached)
        if not len(ends):
            return []
        way = [self._most_led_to(ends)]
        while came_from[way[-1]] != way[-1]:
            way.append(int(came_from[way[-1]]))
        return way[::-1]

    def _marked(self, reached: Nodes) -> Nodes:
        kinds = self._graph.kinds
        return reached[[kinds[node] == "output" for node in reached.tolist()]]

    def _ends(self, reached: Nodes) -> Nodes:
        """Return reached nodes that no node reads; in a cycle any node."""
        drawn = reached[~self._graph.embedded[reached]]
        reached = drawn if drawn.size else reached
        read = np.zeros(self._count, np.bool_)
        read[self._edges.source] = True
        last = reached[~read[reached]]
        return last if last.size else reached

    def _most_led_to(self, ends: Nodes) -> int:
        """Return the candidate with most ancestors; the last written one among equals."""
        ends = ends[np.argsort(self._graph.rank[ends])][-MAX_CANDIDATE_OUTPUTS:]
        if len(ends) == 1:
            return int(ends[0])
        back = _Traversal(self._edges.target, self._edges.source, self._count)
        counts = [np.count_nonzero(back.predecessors([end]) >= 0) for end in ends.tolist()]
        return int(ends[len(ends) - 1 - int(np.argmax(counts[::-1]))])


class _Traversal:
    """Breadth-first search along edges from `near` to `far` ends."""

    def __init__(self, near: Ints, far: Ints, count: int) -> None:
        rows = RowIndex(near, count)
        self._bounds, self._others = rows.bounds.tolist(), far[rows.rows].tolist()
        self._count = count

    def predecessors(self, nodes: Sequence[int]) -> Ints:
        """Return the predecessor of each node in the search; -1 if it was not reached.

        Start nodes are their own predecessors. The search is breadth first, so paths are the shortest.
        """
        bounds, others = self._bounds, self._others
        came_from = [NOWHERE] * self._count
        for node in nodes:
            came_from[node] = node
        reached = list(nodes)
        for node in reached:  # grows in the loop
            for other in others[bounds[node] : bounds[node + 1]]:
                if came_from[other] < 0:
                    came_from[other] = node
                    reached.append(other)
        return np.array(came_from, np.int32)


def _within(places: Ints, begins: Ints, ends: Ints) -> Flags:
    return (places >= begins) & (places < ends)


Direction = Literal["up", "down", "left", "right"]

_AXES: dict[Direction, tuple[int, int]] = {"left": (0, -1), "right": (0, 1), "up": (1, -1), "down": (1, 1)}
"""Axis (0: columns) and sign of each direction."""

ROW_ASPECT = 2
"""Width of a row in columns: a cell is about twice as high as wide."""

SIDEWAYS_COST = 3
"""Weight of a distance across the direction, relative to one along it."""


def box_in_direction(layout: PlacedDiagram, item: int, direction: Direction) -> int | None:
    """Return the next item in a direction; None at the edge, or if the item is not in the layout.

    Along the flow, linked boxes are preferred. An open box is at its title: down from there is inside.
    """
    index = layout.index_of.get(item)
    if index is None:
        return None
    axis, sign = _AXES[direction]
    low, high = _ends(layout)
    distance_along = low[:, axis] - high[index, axis] if sign > 0 else low[index, axis] - high[:, axis]
    beyond = np.flatnonzero(distance_along > 0)
    linked = [other for other in _linked(layout, index, axis) if distance_along[other] > 0]
    candidates = np.array(linked, np.intp) if linked else beyond
    if not len(candidates):
        return None
    across = 1 - axis
    gap = np.maximum(low[candidates, across] - high[index, across], low[index, across] - high[candidates, across])
    middle = (low[:, across] + high[:, across]) / 2
    off = np.abs(middle[candidates] - middle[index])
    unit = np.array([1, ROW_ASPECT])
    cost = (
        distance_along[candidates] * unit[axis]
        + np.maximum(gap, 0) * unit[across] * SIDEWAYS_COST
        + off * unit[across] / 1000
    )
    return layout.places[int(candidates[int(np.argmin(cost))])].item


def _ends(layout: PlacedDiagram) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the first and last cell (column, row) of each box; for an open one those of its upper border."""
    low, high = layout.rectangles[:, :2], layout.rectangles[:, 2:].copy()
    opened = np.array([place.opened for place in layout.places], bool)
    high[opened, 1] = low[opened, 1]
    return low, high


def _linked(layout: PlacedDiagram, index: int, axis: int) -> set[int]:
    """Return boxes that a route along an axis connects with one, except open boxes that it is not inside of."""
    linked = set()
    for route in layout.routes_of.get(index, ()):
        *_, one, other = layout.routes[route].points
        if one[axis] != other[axis]:
            linked |= {layout.routes[route].source, layout.routes[route].target}
    around = layout.places[index].inside
    return {place for place in linked - {index, OUTSIDE} if not layout.places[place].opened or place == around}
