"""Diagram of one scope: boxes of the items in it, nested diagrams of open items, and links between boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.graphs.diagram import INLET, OUTLET, Box, Diagram, Link
from tbtui.plugins.graphs.functions import argument_tensors, returned_tensors
from tbtui.plugins.graphs.graph import element_count, tensors_text
from tbtui.plugins.graphs.hub_nodes import HubSelection, select_hub_nodes
from tbtui.plugins.graphs.item_labels import item_lines, shorten_names

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
    Places: TypeAlias = npt.NDArray[np.integer[Any]]


MAX_BOXES = 50_000
"""Maximum number of boxes of a diagram: they take about 4 s and 200 MB, and more cannot be read."""


def excess_boxes(hierarchy: Hierarchy, of: int, opened: AbstractSet[int], apart: AbstractSet[int]) -> int | None:
    """Return a lower bound of the number of boxes of a diagram if it has too many; None if it may be drawn.

    Args:
        hierarchy: Hierarchy of the graph.
        of: Item whose content is drawn.
        opened: Items whose boxes have diagrams inside.
        apart: Series that are replaced by their members.
    """
    open_boxes = np.array(sorted(opened), np.int64)
    inside, boxes = [of], 0
    while inside:
        items = hierarchy.children(inside.pop(), apart=apart)
        inside += np.intersect1d(items, open_boxes).tolist()
        boxes += len(items)
        if boxes > MAX_BOXES:
            return boxes
    return None


MAX_MEASURED_TENSORS = 16
"""Maximum number of tensors of a link whose shapes are read; others count as the average of these."""


CONTROL_OUTPUT = int(np.iinfo(np.int32).min)
"""Output number of a control edge."""


@frozen(eq=False)
class LinkTable:
    """Links, sorted by source box, then by target box."""

    source: Boxes
    target: Boxes
    control: npt.NDArray[np.bool_]
    """True for links without data."""

    first: Indices
    """Index into `tensors` of the first tensor of each link; it ends where the next link begins."""

    waits: Indices
    """Number of control entries of each link; they come first."""

    tensors: list[Tensor]
    """Node and output as in `Edges`, or `CONTROL_OUTPUT`; each once in a link."""

    def carries(self, link: int) -> tuple[Tensor, ...]:
        """Return all tensors of a link."""
        return tuple(self.tensors[self.first[link] : self._end(link)])

    def _end(self, link: int) -> int:
        return int(self.first[link + 1]) if link + 1 < len(self.first) else len(self.tensors)

    def label_and_weight(self, link: int, graph: Graph | None) -> tuple[str, float]:
        """Return `32×10` or `3 tensors` (empty if unknown), and the number of elements, at least 1.

        Without a graph, which has the shapes, each tensor counts as one element.
        """
        begin, end = int(self.first[link] + self.waits[link]), self._end(link)
        if begin == end:
            return "", 1.0
        if graph is None:
            return "", float(end - begin)
        shapes = [graph.tensor(*tensor) for tensor in self.tensors[begin : min(end, begin + MAX_MEASURED_TENSORS)]]
        size = sum(map(element_count, shapes)) * (end - begin) / len(shapes)
        return tensors_text(end - begin, shapes[0]), max(1.0, size)


def collect_links(graph: Graph, edges: Indices, source: Boxes, target: Boxes) -> LinkTable:
    """Merge edges of `graph.flow` to links between boxes.

    Args:
        graph: The graph.
        edges: Rows of its `flow`.
        source: Source box of each edge; any numbers.
        target: Target box of each edge.
    """
    flow = graph.flow
    node, control = flow.source[edges], flow.control[edges]
    output = np.where(control, CONTROL_OUTPUT, flow.output[edges])
    order = np.lexsort((output, node, ~control, target, source))
    source, target, node, output, control = source[order], target[order], node[order], output[order], control[order]
    new_link = _changes(source, target)
    # Control edges come first in a link; edges from the same output are one tensor.
    new_tensor = new_link | _changes(node, output)
    starts = np.flatnonzero(new_link)
    first: Indices = (np.cumsum(new_tensor) - new_tensor)[starts]
    tensors = list(zip(node[new_tensor].tolist(), output[new_tensor].tolist(), strict=True))
    flows = np.append(0, np.cumsum(~control[new_tensor]))
    ends = np.append(first[1:], len(tensors))
    counts = flows[ends] - flows[first]
    return LinkTable(source[starts], target[starts], counts == 0, first, ends - first - counts, tensors)


def links_carrying(links: Sequence[tuple[int, int, Sequence[Tensor]]]) -> LinkTable:
    """Return links whose tensors are known; links without tensors have no label."""
    ends = np.array([(source, target) for source, target, _ in links], np.intp).reshape(-1, 2)
    counts = np.array([len(tensors) for _, _, tensors in links], np.intp)
    none = np.zeros(len(links), np.intp)
    tensors = [tensor for _, _, some in links for tensor in some]
    return LinkTable(ends[:, 0], ends[:, 1], none != 0, np.cumsum(counts) - counts, none, tensors)


def _changes(*columns: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Return True for rows that differ from the row before, and for the first row."""
    changed = np.zeros(len(columns[0]), np.bool_)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed


MAX_DEPTH = 100
"""Maximum nesting of boxes; items further inside stay closed. Each level takes two cells or more."""


MAX_LABELLED_LINKS = 4000
"""Maximum number of links with labels in a diagram; there is no room for more, and shapes cost time."""


_IDLE = "NoOp"


_VARIABLE = "resource"
"""Type of an argument that is a variable; a training function has one for each weight and each moment."""


def build_diagram(
    hierarchy: Hierarchy,
    of: int,
    opened: AbstractSet[int] = frozenset(),
    *,
    apart: AbstractSet[int] = frozenset(),
    aside: bool = True,
) -> Diagram:
    """Build the diagram of an item, with nested diagrams in open boxes.

    Links connect the boxes of one diagram. A link that crosses the border of an open box continues inside it from
    `INLET` or to `OUTLET`. The outermost diagram has no border: links from outside `of` are not drawn.

    Args:
        hierarchy: Hierarchy of the graph.
        of: Item whose content is drawn; an item that cannot be opened gives an empty diagram.
        opened: Items whose boxes have diagrams inside, at any depth; others are ignored.
        apart: Series that are replaced by their members.
        aside: Set hub nodes aside: idle nodes, arguments that are variables, and nodes that nearly everything leads to
            or comes from. Ignored for graphs of layers. Embedded nodes without a host are always set aside.
    """
    aside = aside and not hierarchy.graph.parsed.layers
    return _DiagramBuilder(hierarchy, opened, apart, aside).diagram(of, None, border=False, depth=0)


@frozen(eq=False)
class _EdgeEnds:
    """Edges of `Graph.flow`: their rows, and their ends as positions or as boxes."""

    edges: Indices
    source: Places
    target: Places

    def at(self, rows: Flags) -> _EdgeEnds:
        """Return some of the edges."""
        return _EdgeEnds(self.edges[rows], self.source[rows], self.target[rows])


class _DiagramBuilder:
    """Builds diagrams inside each other."""

    def __init__(self, hierarchy: Hierarchy, opened: AbstractSet[int], apart: AbstractSet[int], aside: bool) -> None:
        self._hierarchy, self._opened, self._apart, self._aside = hierarchy, opened, apart, aside

    def diagram(self, of: int, places: _EdgeEnds | None, *, border: bool, depth: int) -> Diagram:
        """Build the diagram of an item; `places` are all edges with an end in it, None if they are unknown."""
        items = self._hierarchy.children(of, apart=self._apart)
        if not items.size:
            return Diagram((), (), self._embedded(of))
        if places is None:
            places = self._all_places()
        boxes = _EdgeEnds(places.edges, self._boxes_at(items, places.source), self._boxes_at(items, places.target))
        between = (boxes.source >= 0) & (boxes.target >= 0) & (boxes.source != boxes.target)
        links = self._collected(boxes.at(between))
        through = self._border(of, items, boxes)
        chosen = self._chosen(items, links, through)
        number = np.cumsum(~chosen.boxes) - 1
        opened = np.array([depth < MAX_DEPTH and self._is_opened(item) for item in items.tolist()], np.bool_)
        drawn = self._links(links, ~chosen.links, number, opened)
        if border:
            is_kept = ~chosen.boxes[np.where(through.source < 0, through.target, through.source)]
            drawn += self._links(through, is_kept, number, opened)
        # Links that are not drawn here do not reach the border inside a box either.
        carried = ~_edges_in_links(boxes, links, chosen.links)
        places, boxes = places.at(carried), boxes.at(carried)
        names = self._names_aside(items, links, chosen)
        every = []
        for index, item in enumerate(items.tolist()):
            inside = None
            if opened[index]:
                known = places.at((boxes.source == index) | (boxes.target == index))
                call = self._hierarchy.body(item) >= 0
                inside = self.diagram(item, None if call else known, border=True, depth=depth + 1)
            every.append(self._box(item, inside, names.get(index, ())))
        flow = tuple(box for box, aside in zip(every, chosen.boxes.tolist(), strict=True) if not aside)
        beside = tuple(box for box, aside in zip(every, chosen.boxes.tolist(), strict=True) if aside)
        return Diagram(flow, tuple(drawn), beside + self._embedded(of))

    def _all_places(self) -> _EdgeEnds:
        flow, places = self._hierarchy.graph.flow, self._hierarchy.order.places
        return _EdgeEnds(np.arange(len(flow)), places[flow.source], places[flow.target])

    def _boxes_at(self, items: Ints, places: Places) -> Indices:
        """Return the index of the item that holds each position, -1 for none; copies use their originals."""
        hierarchy = self._hierarchy
        originals = hierarchy.original[items]
        begins = hierarchy.order.places[originals]
        order = np.argsort(begins)
        found = order[np.maximum(np.searchsorted(begins[order], places, "right") - 1, 0)]
        within = (places >= begins[found]) & (places < hierarchy.order.ends[originals][found])
        return np.where(within, found, -1)

    def _collected(self, boxes: _EdgeEnds) -> LinkTable:
        return collect_links(self._hierarchy.graph, boxes.edges, boxes.source, boxes.target)

    def _border(self, of: int, items: Ints, boxes: _EdgeEnds) -> LinkTable:
        """Return links from `INLET` and to `OUTLET`; for a call, to its arguments and from its returned values."""
        hierarchy = self._hierarchy
        if (body := hierarchy.body(of)) < 0:
            crossing = boxes.at((boxes.source >= 0) != (boxes.target >= 0))
            return self._collected(
                _EdgeEnds(
                    crossing.edges,
                    np.where(crossing.source < 0, INLET, crossing.source),
                    np.where(crossing.target < 0, OUTLET, crossing.target),
                )
            )
        call = hierarchy.node(of)
        into = self._ends(
            items, body, "input", {node: [one] for node, one in argument_tensors(hierarchy, call).items()}
        )
        out_of = self._ends(items, body, "output", returned_tensors(hierarchy, call))
        return links_carrying(
            [(INLET, box, label) for box, label in into] + [(box, OUTLET, label) for box, label in out_of]
        )

    def _ends(
        self, items: Ints, body: int, kind: str, tensors: Mapping[int, Sequence[Tensor]]
    ) -> Iterator[tuple[int, Sequence[Tensor]]]:
        """Yield boxes that hold inputs or outputs of a function, with their tensors if those are known for all."""
        hierarchy = self._hierarchy
        nodes = [node for node in hierarchy.under(body).tolist() if hierarchy.kind(node) == kind]
        boxes = self._boxes_at(items, hierarchy.order.places[np.array(nodes, np.int32)])
        for box in np.unique(boxes[boxes >= 0]).tolist():
            box_tensors = [
                tensors.get(node) for node, its_box in zip(nodes, boxes.tolist(), strict=True) if its_box == box
            ]
            yield box, sorted({one for some in box_tensors for one in some or ()}) if all(box_tensors) else ()

    def _chosen(self, items: Ints, links: LinkTable, through: LinkTable) -> HubSelection:
        """Select the boxes and links that are set aside."""
        if not self._aside:
            return HubSelection(np.zeros(len(items), np.bool_), np.zeros(len(links.source), np.bool_))
        idle = np.array([self._is_idle(item) for item in items.tolist()], np.bool_)
        from_outside, to_outside = np.zeros(len(items), np.bool_), np.zeros(len(items), np.bool_)
        flows = ~through.control
        from_outside[through.target[flows & (through.source == INLET)]] = True
        to_outside[through.source[flows & (through.target == OUTLET)]] = True
        return select_hub_nodes(links.source, links.target, links.control, idle, from_outside, to_outside)

    def _is_idle(self, item: int) -> bool:
        """Return True if an item computes nothing, or is an argument that is a variable."""
        hierarchy = self._hierarchy
        if hierarchy.kind(item) != "input":
            return hierarchy.op(item) == _IDLE
        return any(one.text == _VARIABLE for one in hierarchy.graph.attributes(hierarchy.node(item)) if one.name == "T")

    def _is_opened(self, item: int) -> bool:
        return item in self._opened and self._hierarchy.opens(item)

    def _links(self, links: LinkTable, is_kept: Flags, number: Indices, opened: Flags) -> list[Link]:
        """Return the links of a diagram; boxes are renumbered, because some are set aside."""
        graph = self._hierarchy.graph if len(is_kept) <= MAX_LABELLED_LINKS else None
        drawn = []
        for link in np.flatnonzero(is_kept).tolist():
            source, target = int(links.source[link]), int(links.target[link])
            label, weight = links.label_and_weight(link, graph)
            crosses = min(source, target) < 0 or opened[source] or opened[target]
            drawn.append(
                Link(
                    int(number[source]) if source >= 0 else source,
                    int(number[target]) if target >= 0 else target,
                    label,
                    bool(links.control[link]),
                    weight,
                    links.carries(link) if crosses else (),
                )
            )
        return drawn

    def _names_aside(self, items: Ints, links: LinkTable, chosen: HubSelection) -> dict[int, list[str]]:
        """Return, for each box that is drawn, the names of boxes set aside that it is linked to."""
        names: dict[int, list[str]] = {}
        leaf = self._hierarchy.leaf
        for link in np.flatnonzero(chosen.links).tolist():
            ends = int(links.source[link]), int(links.target[link])
            for box, other in (ends, ends[::-1]):
                if not chosen.boxes[box]:
                    names.setdefault(box, []).append(leaf(int(items[other])))
        return names

    def _box(self, item: int, inside: Diagram | None, aside: Sequence[str]) -> Box:
        hierarchy = self._hierarchy
        embedded = [hierarchy.leaf(node) for node in hierarchy.embedded_beside(item).tolist()]
        names = shorten_names((*embedded, *aside))
        return Box(item, item_lines(hierarchy, item), hierarchy.kind(item), inside, names)

    def _embedded(self, of: int) -> tuple[Box, ...]:
        """Return boxes of embedded nodes in a scope, or in the body of a call, that no node reads."""
        hierarchy = self._hierarchy
        nodes = hierarchy.embedded(of).tolist()
        if hierarchy.node(of) >= 0:
            nodes = [node for node in nodes if hierarchy.call_around(node) == of]
        return tuple(self._box(node, None, ()) for node in nodes)


def _edges_in_links(boxes: _EdgeEnds, links: LinkTable, some: Flags) -> Flags:
    """Return True for edges that belong to some of the links."""
    span = int(max(boxes.source.max(initial=0), boxes.target.max(initial=0))) + 1
    is_in_links = np.isin(boxes.source * span + boxes.target, links.source[some] * span + links.target[some])
    return is_in_links & (boxes.source >= 0) & (boxes.target >= 0)
