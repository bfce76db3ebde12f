"""Convert a diagram to a graph for layout, with boxes and ends of links at the border as nodes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.diagram import INLET, OUTLET
from tbtui.plugins.graphs.layout.flow import FlowLink
from tbtui.plugins.graphs.layout.nets import MAX_SEPARATE_LINES

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from tbtui.plugins.graphs.diagram import BoxFace, Diagram, Link, ZoomLevel


class Component(NamedTuple):
    """A connected component."""

    nodes: list[int]
    """Nodes, ascending."""

    links: list[int]
    """Indices of links."""


class FlowGraph(NamedTuple):
    """Nodes are boxes, and ends of links at the border. `links`, `labels` and `flow_links` have one entry per link."""

    links: list[Link]
    """Links that are drawn: no self-loops, and none from the lower border or to the upper one."""

    labels: list[BoxFace]
    flow_links: list[FlowLink]

    entry_nodes: frozenset[int]
    """Nodes at the border from which links enter, one for each set of tensors."""

    exit_nodes: frozenset[int]
    """Nodes at the border to which links leave."""

    components: list[Component]
    """All nodes linked to the border as one component, then connected boxes, then single boxes."""


def build_flow_graph(diagram: Diagram, zoom: ZoomLevel) -> FlowGraph:
    """Return the graph of a diagram; its boxes are the first nodes."""
    links = [link for link in diagram.links if link.source not in (link.target, OUTLET) and link.target != INLET]
    faces = {text: zoom.label(text) for text in {link.label for link in links}}
    count = len(diagram.boxes)
    sources = _add_end_nodes([link if link.source == INLET else None for link in links], count)
    targets = _add_end_nodes(
        [link if link.target == OUTLET else None for link in links], count + len(set(sources) - {None})
    )
    separate = _find_separated_boxes(diagram, links)
    flow_links = [
        FlowLink(
            source=link.source if source is None else source,
            target=link.target if target is None else target,
            group=(link.label, link.carries if link.source in separate else (), link.control),
            is_control=link.control,
            label_columns=faces[link.label].width if link.label else 0,
            carries=link.carries,
        )
        for link, source, target in zip(links, sources, targets, strict=True)
    ]
    entry_nodes = frozenset(node for node in sources if node is not None)
    exit_nodes = frozenset(node for node in targets if node is not None)
    nodes = count + len(entry_nodes) + len(exit_nodes)
    components = _find_components(nodes, flow_links, sorted(entry_nodes | exit_nodes))
    return FlowGraph(links, [faces[link.label] for link in links], flow_links, entry_nodes, exit_nodes, components)


def _add_end_nodes(links: Sequence[Link | None], start: int) -> list[int | None]:
    """Return a node for the border end of each distinct link, None for links without one.

    If there are too many, links with equal labels share a node, or all links do.
    """
    get_key = _choose_border_key([link for link in links if link is not None])
    nodes: dict[Hashable, int] = {}
    return [None if link is None else nodes.setdefault(get_key(link), start + len(nodes)) for link in links]


def _choose_border_key(links: Sequence[Link]) -> Callable[[Link], Hashable]:
    """Return the function for the finest key of border links that leaves at most `MAX_SEPARATE_LINES` lines."""
    candidates: tuple[Callable[[Link], Hashable], ...] = (
        lambda link: (link.source, link.label, link.control, link.carries),
        lambda link: (link.source, link.label, link.control),
    )
    return next((key for key in candidates if len(set(map(key, links))) <= MAX_SEPARATE_LINES), lambda _: "")


def _find_separated_boxes(diagram: Diagram, links: Sequence[Link]) -> set[int]:
    """Return open boxes whose links are separated by their tensors, because they continue inside."""
    link_counts = Counter(link.source for link in {link._replace(target=0) for link in links if link.carries})
    return {
        box
        for box, count in link_counts.items()
        if box >= 0 and count <= MAX_SEPARATE_LINES and diagram.boxes[box].inside is not None
    }


def _find_components(count: int, links: Sequence[FlowLink], border: Sequence[int]) -> list[Component]:
    parents = list(range(count))

    def root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    pairs = [(link.source, link.target) for link in links]
    pairs += [(border[0], node) for node in border[1:]]
    for source, target in pairs:
        low, high = sorted((root(source), root(target)))
        parents[high] = low
    components: dict[int, Component] = {}
    for node in range(count):
        components.setdefault(root(node), Component([], [])).nodes.append(node)
    for index, link in enumerate(links):
        components[root(link.source)].links.append(index)
    border_root = root(border[0]) if border else -1
    order = sorted(components, key=lambda node: (node != border_root, len(components[node].nodes) == 1, node))
    return [components[node] for node in order]
