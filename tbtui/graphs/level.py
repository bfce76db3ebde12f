"""One level of a hierarchy as a diagram: boxes of what is in a scope, and what flows between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.graphs.aside import Aside, set_aside
from tbtui.graphs.boxes import lines_of, names_aside
from tbtui.graphs.diagram import INLET, OUTLET, Box, Diagram, Link
from tbtui.graphs.links import carrying, collect
from tbtui.graphs.passing import handed_back, passed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.graphs.diagram import Tensor
    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.graphs.links import Collected

    Ints: TypeAlias = npt.NDArray[np.int32]
    Indices: TypeAlias = npt.NDArray[np.intp]
    Places: TypeAlias = npt.NDArray[np.integer[Any]]
    Flags: TypeAlias = npt.NDArray[np.bool_]

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
