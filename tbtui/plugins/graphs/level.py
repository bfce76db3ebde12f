"""One level of a hierarchy as a diagram: boxes of what is in a scope, and what flows between them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.graphs.diagram import INLET, OUTLET, Box, Diagram, Link
from tbtui.plugins.graphs.functions import handed_back, passed
from tbtui.plugins.graphs.graph import argument_title, counted, elements, function_title, shape_text, tensors_text

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

# What is set aside so that the rest of a diagram can be read.
#
# The rules are TensorBoard's (`tf_graph_common/render.ts`), but that it takes boxes with many links away wherever
# they
# are. Here only those go at which the flow begins or ends, such as a step counter or what saves all variables: what
# is
# in between, a concatenation or a whole model with its many weights, is what the diagram is there to show.


FEWEST_BOXES = 15
"""Of fewer none is set aside for its many links."""

FEWEST_LINKS = 4
"""Up to this many are never too many, whatever the others have."""

MOST_CONTROL = 4
"""Links of one box that are only waited for; with more it loses them."""


@frozen(eq=False)
class Aside:
    """What is left of a diagram."""

    boxes: Flags
    """Which boxes are set aside."""

    links: Flags
    """Which links are not drawn: those of such boxes, and those of boxes that wait for too many."""


def set_aside(
    source: Boxes, target: Boxes, control: Flags, idle: Flags, from_outside: Flags, to_outside: Flags
) -> Aside:
    """Choose what is set aside: what does nothing, then what nearly everything leads to or comes from.

    Args:
        source: Box that each link comes from; links between two boxes only, each pair once.
        target: Box that it leads to.
        control: Whether nothing flows along it.
        idle: For each box whether it computes nothing, such as `NoOp`.
        from_outside: For each box whether something flows to it from outside of the diagram.
        to_outside: For each box whether something flows from it to outside of the diagram.
    """
    count = len(idle)
    boxes = idle.copy()
    if count - int(boxes.sum()) >= FEWEST_BOXES:
        # Quartiles are those of what is left; links to what is set aside already do not count.
        left = ~boxes[source] & ~boxes[target]
        into = _degrees(target[left], control[left], count)
        out_of = _degrees(source[left], control[left], count)
        flows = left & ~control
        begins, ends = ~from_outside, ~to_outside
        begins[target[flows]] = ends[source[flows]] = False
        kept = ~boxes
        boxes |= kept & ends & (into > _limit(into[kept], 1))
        boxes |= kept & begins & (out_of > _limit(out_of[kept], 4))
    gone = boxes[source] | boxes[target]

    waits = control & ~gone
    degree = np.bincount(source[waits], minlength=count) + np.bincount(target[waits], minlength=count)
    gone |= waits & ((degree[source] > MOST_CONTROL) | (degree[target] > MOST_CONTROL))

    drawn = from_outside | to_outside
    drawn[source[~gone]] = drawn[target[~gone]] = True
    leads, is_led_to = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    leads[source[gone]] = is_led_to[target[gone]] = True
    boxes |= ~drawn & (leads != is_led_to)
    return Aside(boxes, gone)


def _degrees(ends: Boxes, control: Flags, count: int) -> npt.NDArray[np.int64]:
    """How many links each box has; those that are only waited for count where it has no others."""
    flowing = np.bincount(ends[~control], minlength=count)
    waiting = np.bincount(ends[control], minlength=count)
    return np.where(flowing > 0, flowing, waiting)


def _limit(degrees: npt.NDArray[np.int64], factor: int) -> float:
    """What is far above the upper quartile."""
    ordered = np.sort(degrees)
    lower, upper = (ordered[min(int(len(ordered) * part + 0.5), len(ordered) - 1)] for part in (0.25, 0.75))
    return float(max(upper + factor * (upper - lower), FEWEST_LINKS))


# How many boxes a picture of a graph may have.


MOST_BOXES = 50_000
"""Of one diagram: they take some four seconds and 200 MB, and nobody sees the flow in more."""


def too_many_boxes(hierarchy: Hierarchy, of: int, opened: AbstractSet[int], apart: AbstractSet[int]) -> int | None:
    """How many boxes a diagram would have, at least; None while it may have them.

    Args:
        hierarchy: Of the graph.
        of: The item that it would be a diagram of.
        opened: Items whose boxes would have diagrams inside.
        apart: Series whose members would stand in their place.
    """
    open_boxes = np.array(sorted(opened), np.int64)
    inside, boxes = [of], 0
    while inside:
        items = hierarchy.children(inside.pop(), apart=apart)
        inside += np.intersect1d(items, open_boxes).tolist()
        boxes += len(items)
        if boxes > MOST_BOXES:
            return boxes
    return None


# What is written in the box of an item.


SMALL = 8
"""Nodes in a scope that is told by the operation in it, if there is only one beside inputs and outputs."""

_MOVES = frozenset({"Identity", "NoOp", "prim::GetAttr", "VariableV2", "VarHandleOp", "ReadVariableOp"})
"""Operations that compute nothing."""

_MEASURES = frozenset({"Shape", "ShapeN", "StridedSlice", "Pack", "Rank", "Size", "BroadcastGradientArgs"})
"""Operations on shapes, beside which others tell more."""

LAYER = 32
"""Nodes in a scope that may be one layer, with what makes and checks its variables."""

_LEADS = re.compile(
    r"(?:batch_?)?matmul(?:v[0-9]+)?|addmm|bmm|linear|einsum|gemm|\w*conv(?:olution|[0-9]d\w*)?"
    r"|\w*(?:max|avg|average)_?pool\w*|\w*(?:lstm|gru|rnn)(?:v[0-9]+|block\w*|cell)?"
    r"|\w*(?:batch|layer|group|instance)_?norm(?:alization)?(?:v[0-9]+)?|resourcegather|embedding\w*"
    r"|\w*attention\w*",
    re.ASCII | re.IGNORECASE,
)
"""Operations of which a layer has one, and is called by it."""

_ACTIVATIONS = re.compile(
    r"(?:leaky_?|p)?relu6?_?|[sc]?elu|gelu|silu|swish|sigmoid|tanh|(?:log_?)?softmax|softplus|softsign",
    re.ASCII | re.IGNORECASE,
)

_BACKWARD = re.compile(r"\w*(?:Grad(?:V[0-9]+)?|Backprop\w*|_backward\w*)", re.ASCII)
"""Operations of which none belongs to a layer: they are what trains it."""

MOST_ASIDE = 5
"""Names beside one box; then how many more."""


def lines_of(hierarchy: Hierarchy, item: int) -> tuple[str, ...]:
    """The name, then what it is and holds, each in a line of its own; not made safe for a terminal."""
    lines = [argument_title(hierarchy.leaf(item)), *_nature(hierarchy, item)]
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
    """What a scope is there for: one operation, one layer, or the function that it calls; of others nothing."""
    if hierarchy.inside[item] > LAYER:
        return []
    graph = hierarchy.graph
    nodes = [node for node in hierarchy.nodes_in(item) if graph.kinds[node] not in {"input", "output"}]
    called = {graph.bodies[graph.calls[node]].name for node in nodes if node in graph.calls}
    counts = Counter(graph.ops[node] for node in nodes)
    computing = called or counts.keys() - _MOVES
    telling = computing - _MEASURES or computing
    is_one = len(telling) == 1 and hierarchy.inside[item] <= SMALL
    gist = function_title("".join(telling)) if is_one else _layer(counts)
    return [gist] if gist and gist != hierarchy.leaf(item) else []


def _layer(counts: Counter[str]) -> str:
    """`Conv2D · Relu` of a scope that is one layer: its operation, and the activation behind it."""
    kinds = {op: op.rpartition("::")[2] for op in counts}
    leads = [op for op, kind in kinds.items() if _LEADS.fullmatch(kind)]
    if sum(counts[op] for op in leads) != 1 or any(map(_BACKWARD.fullmatch, kinds.values())):
        return ""
    activations = [op for op, kind in kinds.items() if _ACTIVATIONS.fullmatch(kind)]
    return " · ".join(leads + activations if len(activations) == 1 else leads)


# Edges collected to links: what flows between two boxes, in one.


MEASURED = 16
"""Tensors of one link whose shapes are asked for; the others are taken to be as large as these on average."""


WAITED = int(np.iinfo(np.int32).min)
"""In place of the output of a node that is only waited for."""


@frozen(eq=False)
class Collected:
    """Links, sorted by the box that they come from, then by the box that they lead to."""

    source: Boxes
    target: Boxes
    control: npt.NDArray[np.bool_]
    """Nothing flows along it."""

    first: Indices
    """Index into `tensors` of the first of each link; those of the next one begin where its own end."""

    waits: Indices
    """How many of them are only waited for; these come first."""

    tensors: list[Tensor]
    """Node and output, as in `Edges`, or `WAITED`; each once in a link."""

    def carries(self, link: int) -> tuple[Tensor, ...]:
        """All that a link stands for."""
        return tuple(self.tensors[self.first[link] : self._end(link)])

    def _end(self, link: int) -> int:
        return int(self.first[link + 1]) if link + 1 < len(self.first) else len(self.tensors)

    def told(self, link: int, graph: Graph | None) -> tuple[str, float]:
        """`32×10` or `3 tensors`, and how many numbers flow, at least 1; no words where nothing is known of them.

        Without a graph, which knows the shapes, each tensor counts as one number.
        """
        begin, end = int(self.first[link] + self.waits[link]), self._end(link)
        if begin == end:
            return "", 1.0
        if graph is None:
            return "", float(end - begin)
        shapes = [graph.tensor(*tensor) for tensor in self.tensors[begin : min(end, begin + MEASURED)]]
        size = sum(map(elements, shapes)) * (end - begin) / len(shapes)
        return tensors_text(end - begin, shapes[0]), max(1.0, size)


def collect(graph: Graph, edges: Indices, source: Boxes, target: Boxes) -> Collected:
    """Collect edges of `graph.flow` between boxes.

    Args:
        graph: The graph.
        edges: Rows of its `flow`.
        source: Box that each comes from; any numbers.
        target: Box that each leads to.
    """
    flow = graph.flow
    node, control = flow.source[edges], flow.control[edges]
    output = np.where(control, WAITED, flow.output[edges])
    order = np.lexsort((output, node, ~control, target, source))
    source, target, node, output, control = source[order], target[order], node[order], output[order], control[order]
    new_link = _changes(source, target)
    # Edges that wait come first in a link; of edges from the same output one is a tensor.
    new_tensor = new_link | _changes(node, output)
    starts = np.flatnonzero(new_link)
    first: Indices = (np.cumsum(new_tensor) - new_tensor)[starts]
    tensors = list(zip(node[new_tensor].tolist(), output[new_tensor].tolist(), strict=True))
    flows = np.append(0, np.cumsum(~control[new_tensor]))
    ends = np.append(first[1:], len(tensors))
    counts = flows[ends] - flows[first]
    return Collected(source[starts], target[starts], counts == 0, first, ends - first - counts, tensors)


def carrying(links: Sequence[tuple[int, int, Sequence[Tensor]]]) -> Collected:
    """Links of which it is known what flows along them: nothing more is told of those that carry nothing."""
    ends = np.array([(source, target) for source, target, _ in links], np.intp).reshape(-1, 2)
    counts = np.array([len(tensors) for _, _, tensors in links], np.intp)
    none = np.zeros(len(links), np.intp)
    tensors = [tensor for _, _, some in links for tensor in some]
    return Collected(ends[:, 0], ends[:, 1], none != 0, np.cumsum(counts) - counts, none, tensors)


def _changes(*columns: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Rows that differ from the row before, and the first."""
    changed = np.zeros(len(columns[0]), np.bool_)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed


DEEPEST = 100
"""Boxes within each other; what is opened further inside stays closed. Each takes two cells of a terminal or more."""

MOST_LABELS = 4000
"""Links of one diagram; there is no room for labels on more, and shapes are not asked for."""

_IDLE = "NoOp"

_VARIABLE = "resource"
"""Type of an argument that is a variable; a function that trains has one for each weight and each of its moments."""


def level(
    hierarchy: Hierarchy,
    of: int,
    opened: AbstractSet[int] = frozenset(),
    *,
    apart: AbstractSet[int] = frozenset(),
    aside: bool = True,
) -> Diagram:
    """What is in `of`, with diagrams inside of those boxes that are opened.

    Links are collected between the boxes of one diagram: what flows from somewhere in one to somewhere in another. What
    crosses the border of an opened box is linked inside of it with `INLET` or `OUTLET`; the outermost diagram has no
    border, so what comes from outside of `of` is not drawn.

    Args:
        hierarchy: Of the graph.
        of: An item that can be opened; any other gives a diagram of nothing.
        opened: Items whose boxes have diagrams inside, wherever they occur; others are ignored.
        apart: Series whose members are shown in their place.
        aside: Whether what hides the flow is set aside: what does nothing but wait, arguments that are variables, and
            where it begins or ends what nearly everything comes from or leads to. Never in graphs of layers. What is
            embedded in no node is always set aside.
    """
    aside = aside and not hierarchy.graph.written.layers
    return _Levels(hierarchy, opened, apart, aside).diagram(of, None, border=False, depth=0)


@frozen(eq=False)
class _Ends:
    """Edges of a graph's `flow`: their rows, and where their ends are, as places or as boxes."""

    edges: Indices
    source: Places
    target: Places

    def at(self, rows: Flags) -> _Ends:
        """Some of them."""
        return _Ends(self.edges[rows], self.source[rows], self.target[rows])


class _Levels:
    """Makes diagrams inside each other."""

    def __init__(self, hierarchy: Hierarchy, opened: AbstractSet[int], apart: AbstractSet[int], aside: bool) -> None:
        self._hierarchy, self._opened, self._apart, self._aside = hierarchy, opened, apart, aside

    def diagram(self, of: int, places: _Ends | None, *, border: bool, depth: int) -> Diagram:
        """Of what is in `of`; `places` are those of all edges that have an end in it, None if that is not known."""
        items = self._hierarchy.children(of, apart=self._apart)
        if not items.size:
            return Diagram((), (), self._embedded(of))
        if places is None:
            places = self._all_places()
        boxes = _Ends(places.edges, self._boxes_at(items, places.source), self._boxes_at(items, places.target))
        between = (boxes.source >= 0) & (boxes.target >= 0) & (boxes.source != boxes.target)
        links = self._collected(boxes.at(between))
        through = self._border(of, items, boxes)
        chosen = self._chosen(items, links, through)
        number = np.cumsum(~chosen.boxes) - 1
        opened = np.array([depth < DEEPEST and self._is_opened(item) for item in items.tolist()], np.bool_)
        drawn = self._links(links, ~chosen.links, number, opened)
        if border:
            kept = ~chosen.boxes[np.where(through.source < 0, through.target, through.source)]
            drawn += self._links(through, kept, number, opened)
        # What is not drawn here does not come to the border inside of a box either.
        carried = ~_among(boxes, links, chosen.links)
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

    def _all_places(self) -> _Ends:
        """Of every edge."""
        flow, places = self._hierarchy.graph.flow, self._hierarchy.order.places
        return _Ends(np.arange(len(flow)), places[flow.source], places[flow.target])

    def _boxes_at(self, items: Ints, places: Places) -> Indices:
        """In which of the items each place is, -1 in none. Copies are where their originals are."""
        hierarchy = self._hierarchy
        originals = hierarchy.original[items]
        begins = hierarchy.order.places[originals]
        order = np.argsort(begins)
        found = order[np.maximum(np.searchsorted(begins[order], places, "right") - 1, 0)]
        within = (places >= begins[found]) & (places < hierarchy.order.ends[originals][found])
        return np.where(within, found, -1)

    def _collected(self, boxes: _Ends) -> Collected:
        return collect(self._hierarchy.graph, boxes.edges, boxes.source, boxes.target)

    def _border(self, of: int, items: Ints, boxes: _Ends) -> Collected:
        """Links from `INLET` and to `OUTLET`; of a call to its arguments and from what the function returns."""
        hierarchy = self._hierarchy
        if (body := hierarchy.body(of)) < 0:
            crossing = boxes.at((boxes.source >= 0) != (boxes.target >= 0))
            return self._collected(
                _Ends(
                    crossing.edges,
                    np.where(crossing.source < 0, INLET, crossing.source),
                    np.where(crossing.target < 0, OUTLET, crossing.target),
                )
            )
        call = hierarchy.node(of)
        into = self._ends(items, body, "input", {node: [one] for node, one in passed(hierarchy, call).items()})
        out_of = self._ends(items, body, "output", handed_back(hierarchy, call))
        return carrying([(INLET, box, told) for box, told in into] + [(box, OUTLET, told) for box, told in out_of])

    def _ends(
        self, items: Ints, body: int, kind: str, tensors: Mapping[int, Sequence[Tensor]]
    ) -> Iterator[tuple[int, Sequence[Tensor]]]:
        """Boxes in which there are inputs or outputs of a function, and what these carry, where that is told of all."""
        hierarchy = self._hierarchy
        nodes = [node for node in hierarchy.under(body).tolist() if hierarchy.kind(node) == kind]
        boxes = self._boxes_at(items, hierarchy.order.places[np.array(nodes, np.int32)])
        for box in np.unique(boxes[boxes >= 0]).tolist():
            held = [tensors.get(node) for node, its_box in zip(nodes, boxes.tolist(), strict=True) if its_box == box]
            yield box, sorted({one for some in held for one in some or ()}) if all(held) else ()

    def _chosen(self, items: Ints, links: Collected, through: Collected) -> Aside:
        """What is set aside."""
        if not self._aside:
            return Aside(np.zeros(len(items), np.bool_), np.zeros(len(links.source), np.bool_))
        idle = np.array([self._is_idle(item) for item in items.tolist()], np.bool_)
        from_outside, to_outside = np.zeros(len(items), np.bool_), np.zeros(len(items), np.bool_)
        flows = ~through.control
        from_outside[through.target[flows & (through.source == INLET)]] = True
        to_outside[through.source[flows & (through.target == OUTLET)]] = True
        return set_aside(links.source, links.target, links.control, idle, from_outside, to_outside)

    def _is_idle(self, item: int) -> bool:
        """Whether an item only waits, or hands on a variable that a function is called with."""
        hierarchy = self._hierarchy
        if hierarchy.kind(item) != "input":
            return hierarchy.op(item) == _IDLE
        return any(one.text == _VARIABLE for one in hierarchy.graph.attributes(hierarchy.node(item)) if one.name == "T")

    def _is_opened(self, item: int) -> bool:
        return item in self._opened and self._hierarchy.opens(item)

    def _links(self, links: Collected, kept: Flags, number: Indices, opened: Flags) -> list[Link]:
        """Of a diagram, whose boxes have new numbers because some are set aside."""
        graph = self._hierarchy.graph if len(kept) <= MOST_LABELS else None
        drawn = []
        for link in np.flatnonzero(kept).tolist():
            source, target = int(links.source[link]), int(links.target[link])
            label, weight = links.told(link, graph)
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

    def _names_aside(self, items: Ints, links: Collected, chosen: Aside) -> dict[int, list[str]]:
        """For each box the names of what it is linked to by links that are not drawn, set aside boxes' excepted."""
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
        names = names_aside((*embedded, *aside))
        return Box(item, lines_of(hierarchy, item), hierarchy.kind(item), inside, names)

    def _embedded(self, of: int) -> tuple[Box, ...]:
        """Constants in a scope, or in the body of a call, that nothing reads."""
        hierarchy = self._hierarchy
        nodes = hierarchy.embedded(of).tolist()
        if hierarchy.node(of) >= 0:
            nodes = [node for node in nodes if hierarchy.call_around(node) == of]
        return tuple(self._box(node, None, ()) for node in nodes)


def _among(boxes: _Ends, links: Collected, some: Flags) -> Flags:
    """Whether each edge is one of those that are collected in some of the links."""
    span = int(max(boxes.source.max(initial=0), boxes.target.max(initial=0))) + 1
    wanted = np.isin(boxes.source * span + boxes.target, links.source[some] * span + links.target[some])
    return wanted & (boxes.source >= 0) & (boxes.target >= 0)
