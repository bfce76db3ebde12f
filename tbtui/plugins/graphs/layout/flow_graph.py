"""Convert a diagram to a graph for layout: boxes and border ends as nodes, links as threads, connected components."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.diagram import INLET, OUTLET
from tbtui.plugins.graphs.layout.flow import FlowLink
from tbtui.plugins.graphs.layout.hyperedges import MAX_SEPARATE_LINES

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from tbtui.plugins.graphs.diagram import BoxFace, Diagram, Link, ZoomLevel


class Component(NamedTuple):
    """A connected component."""

    nodes: list[int]
    """Nodes, ascending."""

    threads: list[int]
    """Indices of threads."""


class FlowGraph(NamedTuple):
    """Boxes and ends of links at the border as nodes, links as threads between them."""

    links: list[Link]
    """Links that are drawn: no self-loops, and none from the lower border or to the upper one."""

    labels: list[BoxFace]
    threads: list[FlowLink]
    """Threads; `links`, `labels` and `threads` have one entry per link."""

    first: frozenset[int]
    """Nodes where links enter at the border, one for each set of tensors."""

    last: frozenset[int]
    """Nodes where links leave at the border."""

    components: list[Component]
    """Components: everything that touches the border as one, then connected boxes, then single boxes."""


def build_flow_graph(diagram: Diagram, measure: ZoomLevel) -> FlowGraph:
    """Return the graph of a diagram; its boxes are the first nodes."""
    links = [link for link in diagram.links if link.source not in (link.target, OUTLET) and link.target != INLET]
    faces = {text: measure.label(text) for text in {link.label for link in links}}
    count = len(diagram.boxes)
    sources = _ends([link if link.source == INLET else None for link in links], count)
    targets = _ends([link if link.target == OUTLET else None for link in links], count + len(set(sources) - {None}))
    apart = _separate_boxes(diagram, links)
    threads = [
        FlowLink(
            link.source if source is None else source,
            link.target if target is None else target,
            (link.label, link.carries if link.source in apart else (), link.control),
            faces[link.label].width if link.label else 0,
            link.carries,
        )
        for link, source, target in zip(links, sources, targets, strict=True)
    ]
    first = frozenset(node for node in sources if node is not None)
    last = frozenset(node for node in targets if node is not None)
    nodes = count + len(first) + len(last)
    components = _components(nodes, threads, sorted(first | last))
    return FlowGraph(links, [faces[link.label] for link in links], threads, first, last, components)


def _ends(links: Sequence[Link | None], start: int) -> list[int | None]:
    """Return a node for the border end of each distinct link, None for links without one.

    If there are too many, links that look alike share a node, or all do.
    """
    keys = _border_key([link for link in links if link is not None])
    nodes: dict[Hashable, int] = {}
    return [None if link is None else nodes.setdefault(keys(link), start + len(nodes)) for link in links]


def _border_key(links: Sequence[Link]) -> Callable[[Link], Hashable]:
    """Return the finest key of border links that leaves at most `MAX_SEPARATE_LINES` lines."""
    ways: tuple[Callable[[Link], Hashable], ...] = (
        lambda link: (link.source, link.label, link.control, link.carries),
        lambda link: (link.source, link.label, link.control),
    )
    return next((way for way in ways if len(set(map(way, links))) <= MAX_SEPARATE_LINES), lambda _: "")


def _separate_boxes(diagram: Diagram, links: Sequence[Link]) -> set[int]:
    """Return open boxes whose links stay separate by their tensors, because they continue inside."""
    different = Counter(link.source for link in {link._replace(target=0) for link in links if link.carries})
    return {
        box
        for box, count in different.items()
        if box >= 0 and count <= MAX_SEPARATE_LINES and diagram.boxes[box].inside is not None
    }


def _components(count: int, threads: Sequence[FlowLink], border: Sequence[int]) -> list[Component]:
    of = list(range(count))

    def root(node: int) -> int:
        while of[node] != node:
            of[node] = of[of[node]]
            node = of[node]
        return node

    pairs = [(thread.source, thread.target) for thread in threads]
    pairs += [(border[0], node) for node in border[1:]]
    for one, other in pairs:
        low, high = sorted((root(one), root(other)))
        of[high] = low
    found: dict[int, Component] = {}
    for node in range(count):
        found.setdefault(root(node), Component([], [])).nodes.append(node)
    for index, thread in enumerate(threads):
        found[root(thread.source)].threads.append(index)
    bordering = root(border[0]) if border else -1
    return [
        component
        for _, component in sorted(found.items(), key=lambda one: (one[0] != bordering, len(one[1].nodes) == 1, one[0]))
    ]
