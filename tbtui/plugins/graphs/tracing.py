"""Inputs and outputs of an item, traces along edges, and the next box in a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.plugins.graphs.diagram import OUTSIDE
from tbtui.plugins.graphs.edges import NO_NODE, RowIndex
from tbtui.plugins.graphs.functions import match_arguments
from tbtui.plugins.graphs.graph import format_tensors
from tbtui.plugins.graphs.model_operations import find_model_nodes, find_summary_nodes
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

MAX_CANDIDATE_OUTPUTS = 16
"""Maximum number of candidate outputs, the last ones in file order, whose ancestors are counted."""


class Neighbour(NamedTuple):
    """An item at the other end of a link."""

    item: int
    label: str
    """Label such as `32×10`, `scalar` or `3 tensors`, empty if the shape is unknown.

    The label of an input of a call begins with the name of the argument.
    """

    is_control: bool
    """True if the target only waits: no data flows."""


def list_inputs(hierarchy: Hierarchy, item: int) -> tuple[Neighbour, ...]:
    """Return the inputs of an item as written, embedded constants included.

    For a scope or series these are the boxes outside with links to it, as drawn.
    """
    return _list_neighbours(hierarchy, item, is_input=True)


def list_outputs(hierarchy: Hierarchy, item: int) -> tuple[Neighbour, ...]:
    """Return the readers of an item, embedded summaries included; for a scope or series the boxes outside."""
    return _list_neighbours(hierarchy, item, is_input=False)


def _list_neighbours(hierarchy: Hierarchy, item: int, *, is_input: bool) -> tuple[Neighbour, ...]:
    node = hierarchy.node(item)
    if node >= 0:
        return _list_node_neighbours(hierarchy, item, node, is_input)
    return _list_scope_neighbours(hierarchy, item, is_input)


def _list_node_neighbours(hierarchy: Hierarchy, item: int, node: int, is_input: bool) -> tuple[Neighbour, ...]:
    graph = hierarchy.graph
    adjacency = hierarchy.adjacency
    edges = graph.edges.select(adjacency.find_edges_into(node) if is_input else adjacency.find_edges_out_of(node))
    others = hierarchy.find_copies(item, edges.source if is_input else edges.target).tolist()
    arguments = _list_argument_names(hierarchy, node) if is_input and node in graph.calls else {}
    rows = zip(others, edges.source.tolist(), edges.output.tolist(), edges.is_control.tolist(), strict=True)
    return tuple(
        Neighbour(other, "" if control else _format_tensor(graph, (source, output), arguments), control)
        for other, source, output, control in rows
    )


def _format_tensor(graph: Graph, tensor: Tensor, arguments: Mapping[Tensor, str]) -> str:
    """Return `32×10`, or `x: 32×10` for a tensor that a call passes for the argument x."""
    return ": ".join(filter(None, (arguments.get(tensor, ""), format_tensors(1, graph.tensor(*tensor)))))


def _list_argument_names(hierarchy: Hierarchy, call: int) -> dict[Tensor, str]:
    """Return the names of the arguments of each tensor that a call passes."""
    names: dict[Tensor, list[str]] = {}
    for argument, tensor in match_arguments(hierarchy, call).items():
        names.setdefault(tensor, []).append(hierarchy.leaf(argument))
    return {tensor: ", ".join(argument_names) for tensor, argument_names in names.items()}


def _list_scope_neighbours(hierarchy: Hierarchy, item: int, is_input: bool) -> tuple[Neighbour, ...]:
    graph, order = hierarchy.graph, hierarchy.order
    original = hierarchy.original[item]
    start, end = order.positions[original], order.ends[original]
    near, far = (graph.flow.target, graph.flow.source) if is_input else (graph.flow.source, graph.flow.target)
    is_near_inside = _is_within(order.positions[near], start, end)
    crossing = np.flatnonzero(is_near_inside & ~_is_within(order.positions[far], start, end))
    boxes = far[crossing].copy()
    while True:  # from the nodes up to the outermost boxes that do not contain the item
        parents = hierarchy.parent[boxes]
        has_outer_box = (parents >= 0) & ~_is_within(start, order.positions[parents], order.ends[parents])
        if not has_outer_box.any():
            break
        boxes[has_outer_box] = parents[has_outer_box]
    links = collect_links(graph, crossing, boxes, np.zeros(len(boxes), np.intp))
    others = hierarchy.find_copies(item, links.source.astype(np.int32)).tolist()
    neighbours = [
        Neighbour(other, links.label_and_weight(link, graph)[0], bool(links.is_control[link]))
        for link, other in enumerate(others)
    ]
    return tuple(sorted(neighbours, key=lambda neighbour: int(order.positions[hierarchy.original[neighbour.item]])))


def list_missing_inputs(hierarchy: Hierarchy, item: int) -> tuple[str, ...]:
    """Return inputs of a node that name no node of the graph, as written."""
    return tuple(hierarchy.graph.missing.get(hierarchy.node(item), ()))


def trace_inputs(hierarchy: Hierarchy, item: int) -> Flags:
    """Return bool[items]: True for the item, for its inputs at any distance, and for items that contain such items.

    From inside a call the trace continues with the inputs of the call.
    """
    is_traced = np.zeros(len(hierarchy), np.bool_)
    edges = hierarchy.graph.edges
    backwards = _Traversal(edges.target, edges.source, hierarchy.nodes)
    start: int | None = item
    while start is not None:
        predecessors = backwards.find_predecessors(_list_nodes(hierarchy, start))
        is_traced[hierarchy.find_copies(start, np.flatnonzero(predecessors >= 0).astype(np.int32))] = True
        is_traced[start] = True
        start = hierarchy.find_enclosing_call(start)
    ancestors = np.flatnonzero(is_traced)
    while ancestors.size:
        ancestors = np.unique(hierarchy.parent[ancestors])
        ancestors = ancestors[ancestors >= 0]
        is_traced[ancestors] = True
    return is_traced


def _list_nodes(hierarchy: Hierarchy, item: int) -> list[int]:
    """Return the node of an item without its embedded nodes; for a scope all nodes in it."""
    node = hierarchy.node(item)
    return [node] if node >= 0 else hierarchy.original[hierarchy.list_all_nodes(item)].tolist()


def find_path_to_output(hierarchy: Hierarchy, item: int) -> tuple[int, ...]:
    """Return the shortest path, node by node, from an item to an output of the graph; both ends are included.

    The target is a marked output. If none can be reached, it is a node of the model (`model_operations`) that no other
    node of the model reads, such as a loss; for auxiliary nodes, a node that only summaries read. Of several targets,
    the one with most ancestors is chosen. Control edges are followed only if no value of the item is read. Empty if the
    item contains no node.
    """
    graph = hierarchy.graph
    nodes = _list_nodes(hierarchy, item)
    values = graph.edges.select(~graph.edges.is_control)
    is_read = bool(np.any(np.isin(values.source, nodes) & ~np.isin(values.target, nodes)))
    edges = values if is_read else graph.edges
    path = _Paths(hierarchy, edges).from_any(nodes, only_marked=True)
    if not path and is_read:
        path = _Paths(hierarchy, edges, find_model_nodes(graph, values)).from_any(nodes)
    if not path:
        path = _Paths(hierarchy, edges, ~find_summary_nodes(graph)).from_any(nodes)
    path = path or _Paths(hierarchy, edges).from_any(nodes)
    return tuple(hierarchy.find_copies(item, np.array(path, np.int32)).tolist())


class _Paths:
    """Shortest paths along some edges of a graph.

    Args:
        hierarchy: Hierarchy of the graph.
        edges: Edges that a path may use.
        allowed: bool[nodes]: nodes that a path may use; None: all.
    """

    def __init__(self, hierarchy: Hierarchy, edges: Edges, allowed: Flags | None = None) -> None:
        self._graph, self._count, self._allowed = hierarchy.graph, hierarchy.nodes, allowed
        self._edges = edges if allowed is None else edges.select(allowed[edges.source] & allowed[edges.target])

    def from_any(self, nodes: Sequence[int], *, only_marked: bool = False) -> list[int]:
        """Return the path from one of these nodes to the output with most ancestors; empty if there is none.

        Args:
            nodes: Possible starts.
            only_marked: True if only nodes that are marked as outputs are targets.
        """
        if self._allowed is not None:
            nodes = [node for node in nodes if self._allowed[node]]
        predecessors = _Traversal(self._edges.source, self._edges.target, self._count).find_predecessors(nodes)
        reached = np.flatnonzero(predecessors >= 0)
        ends = self._find_marked_outputs(reached) if only_marked else self._find_unread_nodes(reached)
        if not len(ends):
            return []
        path = [self._with_most_ancestors(ends)]
        while predecessors[path[-1]] != path[-1]:
            path.append(int(predecessors[path[-1]]))
        return path[::-1]

    def _find_marked_outputs(self, reached: Nodes) -> Nodes:
        kinds = self._graph.kinds
        return reached[[kinds[node] == "output" for node in reached.tolist()]]

    def _find_unread_nodes(self, reached: Nodes) -> Nodes:
        """Return reached nodes that no node reads; all of them if each is read, as in a cycle."""
        not_embedded = reached[~self._graph.embedded[reached]]
        reached = not_embedded if not_embedded.size else reached
        is_read = np.zeros(self._count, np.bool_)
        is_read[self._edges.source] = True
        unread = reached[~is_read[reached]]
        return unread if unread.size else reached

    def _with_most_ancestors(self, ends: Nodes) -> int:
        """Return the node with most ancestors; of equal ones the last in file order."""
        ends = ends[np.argsort(self._graph.rank[ends])][-MAX_CANDIDATE_OUTPUTS:]
        if len(ends) == 1:
            return int(ends[0])
        backwards = _Traversal(self._edges.target, self._edges.source, self._count)
        counts = [np.count_nonzero(backwards.find_predecessors([end]) >= 0) for end in ends.tolist()]
        return int(ends[len(ends) - 1 - int(np.argmax(counts[::-1]))])


class _Traversal:
    """Breadth-first search along edges from `near` to `far` ends."""

    def __init__(self, near: Ints, far: Ints, count: int) -> None:
        rows = RowIndex(near, count)
        self._bounds, self._others = rows.bounds.tolist(), far[rows.rows].tolist()
        self._count = count

    def find_predecessors(self, nodes: Sequence[int]) -> Ints:
        """Return the predecessor of each node on a shortest path from a start node; -1 if it was not reached.

        Start nodes are their own predecessors.
        """
        bounds, others = self._bounds, self._others
        predecessors = [NO_NODE] * self._count
        for node in nodes:
            predecessors[node] = node
        reached = list(nodes)
        for node in reached:  # grows in the loop
            for other in others[bounds[node] : bounds[node + 1]]:
                if predecessors[other] < 0:
                    predecessors[other] = node
                    reached.append(other)
        return np.array(predecessors, np.int32)


def _is_within(positions: Ints, starts: Ints, ends: Ints) -> Flags:
    return (positions >= starts) & (positions < ends)


Direction = Literal["up", "down", "left", "right"]

_AXES: dict[Direction, tuple[int, int]] = {"left": (0, -1), "right": (0, 1), "up": (1, -1), "down": (1, 1)}
"""Axis (0: columns) and sign of each direction."""

ROW_ASPECT = 2
"""Width of a row in columns: a cell is about twice as high as wide."""

SIDEWAYS_COST = 3
"""Weight of a distance across the direction, relative to one along it."""


def find_box_in_direction(layout: PlacedDiagram, item: int, direction: Direction) -> int | None:
    """Return the next item in a direction; None at the edge, or if the item is not in the layout.

    Along the flow, linked boxes are preferred. An open box counts as its title, so that its content is below it.
    """
    index = layout.index_of.get(item)
    if index is None:
        return None
    axis, sign = _AXES[direction]
    low, high = _find_corners(layout)
    distance_along = low[:, axis] - high[index, axis] if sign > 0 else low[index, axis] - high[:, axis]
    ahead = np.flatnonzero(distance_along > 0)
    linked = [other for other in _find_linked_boxes(layout, index, axis) if distance_along[other] > 0]
    candidates = np.array(linked, np.intp) if linked else ahead
    if not len(candidates):
        return None
    across = 1 - axis
    gap = np.maximum(low[candidates, across] - high[index, across], low[index, across] - high[candidates, across])
    middle = (low[:, across] + high[:, across]) / 2
    offset = np.abs(middle[candidates] - middle[index])
    unit = np.array([1, ROW_ASPECT])
    cost = (
        distance_along[candidates] * unit[axis]
        + np.maximum(gap, 0) * unit[across] * SIDEWAYS_COST
        + offset * unit[across] / 1000
    )
    return layout.boxes[int(candidates[int(np.argmin(cost))])].item


def _find_corners(layout: PlacedDiagram) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the first and last cell (column, row) of each box; for an open one those of its upper border."""
    low, high = layout.rectangles[:, :2], layout.rectangles[:, 2:].copy()
    opened = np.array([box.is_open for box in layout.boxes], bool)
    high[opened, 1] = low[opened, 1]
    return low, high


def _find_linked_boxes(layout: PlacedDiagram, index: int, axis: int) -> set[int]:
    """Return boxes that a route along an axis connects with a box, except open boxes that it is outside of."""
    linked = set()
    for route in layout.routes_of.get(index, ()):
        *_, before_last, last = layout.routes[route].points
        if before_last[axis] != last[axis]:
            linked |= {layout.routes[route].source, layout.routes[route].target}
    enclosing = layout.boxes[index].parent
    return {box for box in linked - {index, OUTSIDE} if not layout.boxes[box].is_open or box == enclosing}
