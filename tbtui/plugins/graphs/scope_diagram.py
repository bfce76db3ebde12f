"""Diagram of one scope: boxes of the items in it, nested diagrams of open items, and links between boxes.

Hub nodes are set aside so that the rest of a diagram is readable. The rules are TensorBoard's
(`tf_graph_common/render.ts`), with one difference: TensorBoard extracts boxes with many links anywhere. Here only boxes
at which the flow begins or ends are extracted, such as a step counter or the node that saves all variables:
a concatenation, or a model with many weights, belongs into the diagram.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.graphs.diagram import INLET, OUTLET, Box, Diagram, Link
from tbtui.plugins.graphs.functions import match_arguments, match_outputs
from tbtui.plugins.graphs.graph import count_elements, format_tensors
from tbtui.plugins.graphs.item_labels import list_item_lines, shorten_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.plugins.graphs.diagram import Tensor
    from tbtui.plugins.graphs.graph import Graph
    from tbtui.plugins.graphs.hierarchy import Hierarchy

    Flags: TypeAlias = npt.NDArray[np.bool_]
    Boxes: TypeAlias = npt.NDArray[np.integer[Any]]
    Indices: TypeAlias = npt.NDArray[np.intp]
    Ints: TypeAlias = npt.NDArray[np.int32]
    Positions: TypeAlias = npt.NDArray[np.integer[Any]]


MAX_BOXES = 50_000
"""Maximum number of boxes of a diagram, which take about 4 s and 200 MB; larger diagrams are not legible."""


def count_excess_boxes(
    hierarchy: Hierarchy, scope: int, opened: AbstractSet[int], ungrouped: AbstractSet[int]
) -> int | None:
    """Return a lower bound of the number of boxes of a diagram if it has too many; None if it may be drawn.

    Args:
        hierarchy: Hierarchy of the graph.
        scope: Item whose content is drawn.
        opened: Items whose boxes have diagrams inside.
        ungrouped: Series that are replaced by their members.
    """
    open_boxes = np.array(sorted(opened), np.int64)
    pending, boxes = [scope], 0
    while pending:
        items = hierarchy.children(pending.pop(), ungrouped=ungrouped)
        pending += np.intersect1d(items, open_boxes).tolist()
        boxes += len(items)
        if boxes > MAX_BOXES:
            return boxes
    return None


MAX_MEASURED_TENSORS = 16
"""Maximum number of tensors of a link whose shapes are read; further tensors count as the average of these."""


CONTROL_OUTPUT = int(np.iinfo(np.int32).min)
"""Output number of a control edge."""


@frozen(eq=False)
class LinkTable:
    """Links, sorted by source box, then by target box."""

    source: Boxes
    target: Boxes
    is_control: npt.NDArray[np.bool_]
    """True for links without data."""

    first: Indices
    """Index into `tensors` of the first tensor of each link; its tensors end at the first one of the next link."""

    control_counts: Indices
    """Number of control entries of each link; they come first."""

    tensors: list[Tensor]
    """Node and output as in `Edges`, or `CONTROL_OUTPUT`; each once in a link."""

    def list_tensors(self, link: int) -> tuple[Tensor, ...]:
        """Return all tensors of a link."""
        return tuple(self.tensors[self.first[link] : self._end(link)])

    def _end(self, link: int) -> int:
        return int(self.first[link + 1]) if link + 1 < len(self.first) else len(self.tensors)

    def label_and_weight(self, link: int, graph: Graph | None) -> tuple[str, float]:
        """Return `32×10` or `3 tensors` (empty if unknown), and the number of elements, at least 1.

        Without a graph, which has the shapes, each tensor counts as one element.
        """
        start, end = int(self.first[link] + self.control_counts[link]), self._end(link)
        if start == end:
            return "", 1.0
        if graph is None:
            return "", float(end - start)
        shapes = [graph.tensor(*tensor) for tensor in self.tensors[start : min(end, start + MAX_MEASURED_TENSORS)]]
        size = sum(map(count_elements, shapes)) * (end - start) / len(shapes)
        return format_tensors(end - start, shapes[0]), max(1.0, size)


def collect_links(graph: Graph, edges: Indices, source: Boxes, target: Boxes) -> LinkTable:
    """Merge edges of `graph.flow` to links between boxes.

    Args:
        graph: The graph.
        edges: Rows of its `flow`.
        source: Source box of each edge; any numbers.
        target: Target box of each edge.
    """
    flow = graph.flow
    node, control = flow.source[edges], flow.is_control[edges]
    output = np.where(control, CONTROL_OUTPUT, flow.output[edges])
    order = np.lexsort((output, node, ~control, target, source))
    source, target, node, output, control = source[order], target[order], node[order], output[order], control[order]
    is_new_link = _find_row_changes(source, target)
    # Control edges come first in a link; edges from the same output are one tensor.
    is_new_tensor = is_new_link | _find_row_changes(node, output)
    starts = np.flatnonzero(is_new_link)
    first: Indices = (np.cumsum(is_new_tensor) - is_new_tensor)[starts]
    tensors = list(zip(node[is_new_tensor].tolist(), output[is_new_tensor].tolist(), strict=True))
    data_counts = np.append(0, np.cumsum(~control[is_new_tensor]))
    ends = np.append(first[1:], len(tensors))
    counts = data_counts[ends] - data_counts[first]
    return LinkTable(source[starts], target[starts], counts == 0, first, ends - first - counts, tensors)


def build_links(links: Sequence[tuple[int, int, Sequence[Tensor]]]) -> LinkTable:
    """Return a table of links, given as source, target and tensors; links without tensors have no label."""
    ends = np.array([(source, target) for source, target, _ in links], np.intp).reshape(-1, 2)
    counts = np.array([len(tensors) for _, _, tensors in links], np.intp)
    control_counts = np.zeros(len(links), np.intp)
    tensors = [tensor for _, _, link_tensors in links for tensor in link_tensors]
    first = np.cumsum(counts) - counts
    return LinkTable(ends[:, 0], ends[:, 1], control_counts != 0, first, control_counts, tensors)


def _find_row_changes(*columns: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Return True for rows that differ from the row before, and for the first row."""
    changed = np.zeros(len(columns[0]), np.bool_)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed


MAX_DEPTH = 100
"""Maximum nesting of boxes; items further inside stay closed. Each level takes two cells or more."""


MAX_LABELLED_LINKS = 4000
"""Maximum number of links of a diagram with labels: more do not fit, and reading shapes takes time."""


_IDLE = "NoOp"


_VARIABLE = "resource"
"""Type of an argument that is a variable; a training function has one per weight and moment."""


def build_diagram(
    hierarchy: Hierarchy,
    scope: int,
    opened: AbstractSet[int] = frozenset(),
    *,
    ungrouped: AbstractSet[int] = frozenset(),
    hubs_aside: bool = True,
) -> Diagram:
    """Build the diagram of an item, with nested diagrams in open boxes.

    Links connect the boxes of one diagram. A link that crosses the border of an open box continues inside it from
    `INLET` or to `OUTLET`. The outermost diagram has no border: links from outside of it are not drawn.

    Args:
        hierarchy: Hierarchy of the graph.
        scope: Item whose content is drawn; an item that cannot be opened gives an empty diagram.
        opened: Items whose boxes have diagrams inside, at any depth; others are ignored.
        ungrouped: Series that are replaced by their members.
        hubs_aside: Set hub nodes aside: idle nodes, arguments that are variables, nodes linked to nearly all others.
            Ignored for graphs of layers. Embedded nodes without a host are always set aside.
    """
    hubs_aside = hubs_aside and not hierarchy.graph.parsed.layers
    return _DiagramBuilder(hierarchy, opened, ungrouped, hubs_aside).build(scope, None, border=False, depth=0)


@frozen(eq=False)
class _EdgeEnds:
    """Edges of `Graph.flow`: their rows, and their ends as positions in `Preorder` or as indices of boxes."""

    edges: Indices
    source: Positions
    target: Positions

    def select(self, rows: Flags) -> _EdgeEnds:
        """Return the edges of these rows."""
        return _EdgeEnds(self.edges[rows], self.source[rows], self.target[rows])


class _DiagramBuilder:
    """Builds nested diagrams."""

    def __init__(
        self, hierarchy: Hierarchy, opened: AbstractSet[int], ungrouped: AbstractSet[int], hubs_aside: bool
    ) -> None:
        self._hierarchy, self._opened, self._ungrouped, self._hubs_aside = hierarchy, opened, ungrouped, hubs_aside

    def build(self, scope: int, position_edges: _EdgeEnds | None, *, border: bool, depth: int) -> Diagram:
        """Build the diagram of an item.

        Args:
            scope: The item.
            position_edges: All edges with an end in it, with positions as ends; None if they are unknown.
            border: True if links cross the border of the diagram.
            depth: Number of boxes around it.
        """
        items = self._hierarchy.children(scope, ungrouped=self._ungrouped)
        if not items.size:
            return Diagram((), (), self._build_unread_boxes(scope))
        edges = self._list_all_edges() if position_edges is None else position_edges
        box_edges = _EdgeEnds(edges.edges, self._find_boxes(items, edges.source), self._find_boxes(items, edges.target))
        is_inner = (box_edges.source >= 0) & (box_edges.target >= 0) & (box_edges.source != box_edges.target)
        links = self._collect_links(box_edges.select(is_inner))
        border_links = self._build_border_links(scope, items, box_edges)
        set_aside = self._select_hubs(items, links, border_links)
        box_numbers = np.cumsum(~set_aside.boxes) - 1
        opened = np.array([depth < MAX_DEPTH and self._is_opened(item) for item in items.tolist()], np.bool_)
        diagram_links = self._build_diagram_links(links, ~set_aside.links, box_numbers, opened)
        if border:
            inner_ends = np.where(border_links.source < 0, border_links.target, border_links.source)
            diagram_links += self._build_diagram_links(border_links, ~set_aside.boxes[inner_ends], box_numbers, opened)
        # Links that are not drawn here do not continue inside a box either.
        is_drawn = ~_select_edges(box_edges, links, set_aside.links)
        edges, box_edges = edges.select(is_drawn), box_edges.select(is_drawn)
        names = self._collect_aside_names(items, links, set_aside)
        boxes = []
        for index, item in enumerate(items.tolist()):
            inside = None
            if opened[index]:
                item_edges = edges.select((box_edges.source == index) | (box_edges.target == index))
                is_call = self._hierarchy.body(item) >= 0
                inside = self.build(item, None if is_call else item_edges, border=True, depth=depth + 1)
            boxes.append(self._build_box(item, inside, names.get(index, ())))
        flow = tuple(box for box, is_aside in zip(boxes, set_aside.boxes.tolist(), strict=True) if not is_aside)
        aside_boxes = tuple(box for box, is_aside in zip(boxes, set_aside.boxes.tolist(), strict=True) if is_aside)
        return Diagram(flow, tuple(diagram_links), aside_boxes + self._build_unread_boxes(scope))

    def _list_all_edges(self) -> _EdgeEnds:
        flow, positions = self._hierarchy.graph.flow, self._hierarchy.order.positions
        return _EdgeEnds(np.arange(len(flow)), positions[flow.source], positions[flow.target])

    def _find_boxes(self, items: Ints, positions: Positions) -> Indices:
        """Return the index of the item that contains each position, -1 for none; copies use their originals."""
        hierarchy = self._hierarchy
        originals = hierarchy.original[items]
        starts = hierarchy.order.positions[originals]
        order = np.argsort(starts)
        candidates = order[np.maximum(np.searchsorted(starts[order], positions, "right") - 1, 0)]
        is_inside = (positions >= starts[candidates]) & (positions < hierarchy.order.ends[originals][candidates])
        return np.where(is_inside, candidates, -1)

    def _collect_links(self, edges: _EdgeEnds) -> LinkTable:
        return collect_links(self._hierarchy.graph, edges.edges, edges.source, edges.target)

    def _build_border_links(self, scope: int, items: Ints, edges: _EdgeEnds) -> LinkTable:
        """Return links from `INLET` and to `OUTLET`; for a call, to its arguments and from its returned values."""
        hierarchy = self._hierarchy
        if (body := hierarchy.body(scope)) < 0:
            crossing = edges.select((edges.source >= 0) != (edges.target >= 0))
            return self._collect_links(
                _EdgeEnds(
                    crossing.edges,
                    np.where(crossing.source < 0, INLET, crossing.source),
                    np.where(crossing.target < 0, OUTLET, crossing.target),
                )
            )
        call = hierarchy.node(scope)
        arguments = {node: [tensor] for node, tensor in match_arguments(hierarchy, call).items()}
        inlets = self._iter_function_ends(items, body, "input", arguments)
        outlets = self._iter_function_ends(items, body, "output", match_outputs(hierarchy, call))
        return build_links(
            [(INLET, box, tensors) for box, tensors in inlets] + [(box, OUTLET, tensors) for box, tensors in outlets]
        )

    def _iter_function_ends(
        self, items: Ints, body: int, kind: str, tensors: Mapping[int, Sequence[Tensor]]
    ) -> Iterator[tuple[int, Sequence[Tensor]]]:
        """Yield boxes that contain inputs or outputs of a function, with their tensors if those are known for all."""
        hierarchy = self._hierarchy
        nodes = [node for node in hierarchy.list_all_nodes(body).tolist() if hierarchy.kind(node) == kind]
        boxes = self._find_boxes(items, hierarchy.order.positions[np.array(nodes, np.int32)])
        for box in np.unique(boxes[boxes >= 0]).tolist():
            box_nodes = [node for node, node_box in zip(nodes, boxes.tolist(), strict=True) if node_box == box]
            if all(tensors.get(node) for node in box_nodes):
                yield box, sorted({tensor for node in box_nodes for tensor in tensors[node]})
            else:
                yield box, ()

    def _select_hubs(self, items: Ints, links: LinkTable, border_links: LinkTable) -> HubSelection:
        """Select the boxes and links that are set aside."""
        if not self._hubs_aside:
            return HubSelection(np.zeros(len(items), np.bool_), np.zeros(len(links.source), np.bool_))
        idle = np.array([self._is_idle(item) for item in items.tolist()], np.bool_)
        from_outside, to_outside = np.zeros(len(items), np.bool_), np.zeros(len(items), np.bool_)
        flows = ~border_links.is_control
        from_outside[border_links.target[flows & (border_links.source == INLET)]] = True
        to_outside[border_links.source[flows & (border_links.target == OUTLET)]] = True
        return select_hub_nodes(links.source, links.target, links.is_control, idle, from_outside, to_outside)

    def _is_idle(self, item: int) -> bool:
        """Return True if an item computes nothing, or is an argument that is a variable."""
        hierarchy = self._hierarchy
        if hierarchy.kind(item) != "input":
            return hierarchy.op(item) == _IDLE
        attributes = hierarchy.graph.attributes(hierarchy.node(item))
        return any(attribute.text == _VARIABLE for attribute in attributes if attribute.name == "T")

    def _is_opened(self, item: int) -> bool:
        return item in self._opened and self._hierarchy.has_children(item)

    def _build_diagram_links(
        self, links: LinkTable, is_drawn: Flags, box_numbers: Indices, opened: Flags
    ) -> list[Link]:
        """Return the drawn links of a table, with the numbers of boxes in the diagram."""
        graph = self._hierarchy.graph if len(is_drawn) <= MAX_LABELLED_LINKS else None
        diagram_links = []
        for link in np.flatnonzero(is_drawn).tolist():
            source, target = int(links.source[link]), int(links.target[link])
            label, weight = links.label_and_weight(link, graph)
            crosses_border = min(source, target) < 0 or opened[source] or opened[target]
            diagram_links.append(
                Link(
                    int(box_numbers[source]) if source >= 0 else source,
                    int(box_numbers[target]) if target >= 0 else target,
                    label,
                    bool(links.is_control[link]),
                    weight,
                    links.list_tensors(link) if crosses_border else (),
                )
            )
        return diagram_links

    def _collect_aside_names(self, items: Ints, links: LinkTable, set_aside: HubSelection) -> dict[int, list[str]]:
        """Return, for each drawn box, the names of its neighbours that are set aside."""
        names: dict[int, list[str]] = {}
        leaf = self._hierarchy.leaf
        for link in np.flatnonzero(set_aside.links).tolist():
            ends = int(links.source[link]), int(links.target[link])
            for box, other in (ends, ends[::-1]):
                if not set_aside.boxes[box]:
                    names.setdefault(box, []).append(leaf(int(items[other])))
        return names

    def _build_box(self, item: int, inside: Diagram | None, aside_names: Sequence[str]) -> Box:
        hierarchy = self._hierarchy
        embedded = [hierarchy.leaf(node) for node in hierarchy.find_attached_nodes(item).tolist()]
        names = shorten_names((*embedded, *aside_names))
        return Box(item, list_item_lines(hierarchy, item), hierarchy.kind(item), inside, names)

    def _build_unread_boxes(self, scope: int) -> tuple[Box, ...]:
        """Return boxes of embedded nodes in a scope, or in the body of a call, that no node reads."""
        hierarchy = self._hierarchy
        nodes = hierarchy.embedded(scope).tolist()
        if hierarchy.node(scope) >= 0:
            nodes = [node for node in nodes if hierarchy.find_enclosing_call(node) == scope]
        return tuple(self._build_box(node, None, ()) for node in nodes)


def _select_edges(edges: _EdgeEnds, links: LinkTable, selected: Flags) -> Flags:
    """Return True for edges, with boxes as ends, that belong to the selected links."""
    span = int(max(edges.source.max(initial=0), edges.target.max(initial=0))) + 1
    link_keys = links.source[selected] * span + links.target[selected]
    is_in_links = np.isin(edges.source * span + edges.target, link_keys)
    return is_in_links & (edges.source >= 0) & (edges.target >= 0)


MIN_BOXES = 15
"""Diagrams with fewer boxes keep their hubs."""


MAX_USUAL_LINKS = 4
"""A box with at most this many links is never a hub."""


MAX_CONTROL_LINKS = 4
"""A box with more control links than this loses them."""


@frozen(eq=False)
class HubSelection:
    """Boxes and links that are not drawn in the flow."""

    boxes: Flags
    """bool[boxes]: True for boxes that are set aside."""

    links: Flags
    """bool[links]: True for links that are not drawn: those of such boxes, and of boxes with many control links."""


def select_hub_nodes(
    source: Boxes, target: Boxes, control: Flags, idle: Flags, from_outside: Flags, to_outside: Flags
) -> HubSelection:
    """Select boxes that are set aside: idle boxes, and boxes linked to nearly all others.

    Args:
        source: Source box of each link; each pair of boxes occurs once.
        target: Target box of each link.
        control: True for links without data.
        idle: bool[boxes]: True if a box computes nothing, such as `NoOp`.
        from_outside: bool[boxes]: True if data flows to the box from outside the diagram.
        to_outside: bool[boxes]: True if data flows from the box to outside the diagram.
    """
    count = len(idle)
    boxes = idle.copy()
    if count - int(boxes.sum()) >= MIN_BOXES:
        # Quartiles of the remaining boxes, without links to boxes that are set aside already.
        remaining_links = ~boxes[source] & ~boxes[target]
        in_degrees = _count_links(target[remaining_links], control[remaining_links], count)
        out_degrees = _count_links(source[remaining_links], control[remaining_links], count)
        flows = remaining_links & ~control
        is_start, is_end = ~from_outside, ~to_outside
        is_start[target[flows]] = is_end[source[flows]] = False
        remaining = ~boxes
        boxes |= remaining & is_end & (in_degrees > _find_outlier_limit(in_degrees[remaining], 1))
        boxes |= remaining & is_start & (out_degrees > _find_outlier_limit(out_degrees[remaining], 4))
    removed = boxes[source] | boxes[target]

    control_links = control & ~removed
    degree = np.bincount(source[control_links], minlength=count) + np.bincount(target[control_links], minlength=count)
    removed |= control_links & ((degree[source] > MAX_CONTROL_LINKS) | (degree[target] > MAX_CONTROL_LINKS))

    has_links = from_outside | to_outside
    has_links[source[~removed]] = has_links[target[~removed]] = True
    lost_outputs, lost_inputs = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    lost_outputs[source[removed]] = lost_inputs[target[removed]] = True
    boxes |= ~has_links & (lost_outputs != lost_inputs)
    return HubSelection(boxes, removed)


def _count_links(ends: Boxes, control: Flags, count: int) -> npt.NDArray[np.int64]:
    """Return the number of links of each box; control links count only for boxes without others."""
    data_links = np.bincount(ends[~control], minlength=count)
    control_links = np.bincount(ends[control], minlength=count)
    return np.where(data_links > 0, data_links, control_links)


def _find_outlier_limit(degrees: npt.NDArray[np.int64], factor: int) -> float:
    """Return the number of links far above the upper quartile."""
    ordered = np.sort(degrees)
    lower, upper = (ordered[min(int(len(ordered) * share + 0.5), len(ordered) - 1)] for share in (0.25, 0.75))
    return float(max(upper + factor * (upper - lower), MAX_USUAL_LINKS))
