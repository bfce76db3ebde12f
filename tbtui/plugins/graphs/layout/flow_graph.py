"""One connected flow in its places: ranks below one another, and lines that run between them.

Nothing here knows which way a flow runs on a screen: cells are counted across it and along it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.diagram import INLET, OUTLET
from tbtui.plugins.graphs.layout.flow import Thread
from tbtui.plugins.graphs.layout.hyperedges import MANY

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from tbtui.plugins.graphs.diagram import Diagram, Face, Link, Measure


# A diagram as nodes and threads: what is joined with what, and where lines come in and go out at its border.


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
    """Nodes where lines come in at the border: each for what carries the same."""

    last: frozenset[int]
    """Nodes where lines go out."""

    components: list[Component]
    """Everything that touches the border first, as one; then what is joined, then single boxes."""


def joined(diagram: Diagram, measure: Measure) -> Joined:
    """The links of a diagram as nodes and threads; its boxes are the first nodes."""
    links = [link for link in diagram.links if link.source not in (link.target, OUTLET) and link.target != INLET]
    faces = {text: measure.label(text) for text in {link.label for link in links}}
    count = len(diagram.boxes)
    sources = _ends([link if link.source == INLET else None for link in links], count)
    targets = _ends([link if link.target == OUTLET else None for link in links], count + len(set(sources) - {None}))
    apart = _apart(diagram, links)
    threads = [
        Thread(
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
    return Joined(links, [faces[link.label] for link in links], threads, first, last, components)


def _ends(links: Sequence[Link | None], start: int) -> list[int | None]:
    """A node for the border's end of each different line, None where there is none.

    Where they are too many, one for each that looks different, or one for all of them.
    """
    keys = _told_apart([link for link in links if link is not None])
    nodes: dict[Hashable, int] = {}
    return [None if link is None else nodes.setdefault(keys(link), start + len(nodes)) for link in links]


def _told_apart(links: Sequence[Link]) -> Callable[[Link], Hashable]:
    """What tells lines at a border apart: as much as leaves no more than many of them."""
    ways: tuple[Callable[[Link], Hashable], ...] = (
        lambda link: (link.source, link.label, link.control, link.carries),
        lambda link: (link.source, link.label, link.control),
    )
    return next((way for way in ways if len(set(map(way, links))) <= MANY), lambda _: "")


def _apart(diagram: Diagram, links: Sequence[Link]) -> set[int]:
    """Opened boxes of whose lines each carries what is told, since they go on inside; none that has too many."""
    different = Counter(link.source for link in {link._replace(target=0) for link in links if link.carries})
    return {
        box for box, count in different.items() if box >= 0 and count <= MANY and diagram.boxes[box].inside is not None
    }


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
