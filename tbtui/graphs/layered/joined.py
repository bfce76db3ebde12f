"""A diagram as nodes and threads: what is joined with what, and where lines come in and go out at its border."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tbtui.graphs.diagram import INLET, OUTLET
from tbtui.graphs.layered.flow import Thread
from tbtui.graphs.layered.nets import MANY

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.graphs.diagram import Diagram, Link
    from tbtui.graphs.places import Face, Measure


class Component(NamedTuple):
    """What is joined with one another."""

    nodes: list[int]
    """Ascending."""

    threads: list[int]
    """Indices of threads."""


class Joined(NamedTuple):
    """Boxes and the ends of lines at the border as nodes, links as threads between them."""

    links: list[Link]
    """Those that are drawn: none from a box to itself, none that comes in where lines go out."""

    labels: list[Face]
    threads: list[Thread]
    """Both of each link."""

    first: frozenset[int]
    """Nodes where lines come in at the border: each for what is one output outside."""

    last: frozenset[int]
    """Nodes where lines go out."""

    components: list[Component]
    """Everything that touches the border first, as one; then what is joined, then single boxes."""


def joined(diagram: Diagram, measure: Measure) -> Joined:
    """The links of a diagram as nodes and threads; its boxes are the first nodes."""
    links = [link for link in diagram.links if link.source not in (link.target, OUTLET) and link.target != INLET]
    faces = {text: measure.label(text) for text in {link.label for link in links}}
    count = len(diagram.boxes)
    coming = [(link.label, link.control) if link.source == INLET else None for link in links]
    going = [(link.source, link.label, link.control) if link.target == OUTLET else None for link in links]
    sources = _ends(coming, count)
    targets = _ends(going, count + len(set(sources) - {None}))
    threads = [
        Thread(
            link.source if source is None else source,
            link.target if target is None else target,
            (link.label, link.control),
            faces[link.label].width if link.label else 0,
        )
        for link, source, target in zip(links, sources, targets, strict=True)
    ]
    first = frozenset(node for node in sources if node is not None)
    last = frozenset(node for node in targets if node is not None)
    nodes = count + len(first) + len(last)
    components = _components(nodes, threads, sorted(first | last))
    return Joined(links, [faces[link.label] for link in links], threads, first, last, components)


def _ends(keys: Sequence[Hashable | None], start: int) -> list[int | None]:
    """A node for each different key, one for all of them where there are too many to tell; None for none."""
    different = len(Counter(key for key in keys if key is not None))
    nodes: dict[Hashable, int] = {}
    return [
        None if key is None else nodes.setdefault(key if different <= MANY else "", start + len(nodes)) for key in keys
    ]


def _components(count: int, threads: Sequence[Thread], border: Sequence[int]) -> list[Component]:
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
