"""A graph as it is handed to other programs: boxes within scopes, and links between boxes.

A scope that is open is there with what is in it; one that is not is a box like a node, and all links of what is in it
are its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.graphs.labels import shape_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy

NO_BOX = -1


class Opens(NamedTuple):
    """A scope begins: what follows is inside of it, until it closes."""

    item: int


class Holds(NamedTuple):
    """A box."""

    item: int


class Closes(NamedTuple):
    """The scope that was opened last ends."""

    item: int


Part: TypeAlias = "Opens | Holds | Closes"


class Link(NamedTuple):
    """From one box to another; between two there is one with what flows, and one for what only waits."""

    source: int
    target: int
    """Items."""

    label: str
    """`32×10`, `scalar`, `3 tensors`; empty where nothing is known, or nothing flows."""

    control: bool


@frozen(slots=False, eq=False)
class Outline:
    """What is there to be written of a hierarchy.

    Args:
        hierarchy: Of the graph.
        opened: Scopes, series and functions that are open; None: all, and constants and summaries are boxes of
            their own.
    """

    hierarchy: Hierarchy
    opened: AbstractSet[int] | None = None

    def parts(self) -> Iterator[Part]:
        """Every scope and box, as written, the library last. Deep ones take no more of Python's stack than others."""
        hierarchy = self.hierarchy
        tops = [top for top in (hierarchy.root, hierarchy.library) if top >= 0]
        waiting: list[Part] = []
        for top in reversed(tops):
            if top == hierarchy.library:
                waiting.append(self._part(top))
            else:
                waiting += reversed(self._inside(top))
        while waiting:
            part = waiting.pop()
            yield part
            if isinstance(part, Opens):
                waiting.append(Closes(part.item))
                waiting += reversed(self._inside(part.item))

    def links(self) -> Iterator[Link]:
        """In the order of what they lead to."""
        graph = self.hierarchy.graph
        edges = graph.edges if self.opened is None else graph.flow
        boxes = self._boxes()
        sources, targets = boxes[edges.source], boxes[edges.target]
        drawn = (sources != targets) & (sources != NO_BOX) & (targets != NO_BOX)
        rows = np.flatnonzero(drawn)
        keys = np.stack([targets[rows], sources[rows], edges.control[rows]], axis=1)
        _, firsts, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        tensors = _tensors(edges.source[rows], edges.output[rows], which.reshape(-1), len(firsts))
        for place in np.argsort(firsts, kind="stable").tolist():
            row = int(rows[firsts[place]])
            control = bool(edges.control[row])
            label = "" if control else self._label(int(edges.source[row]), int(edges.output[row]), tensors[place])
            yield Link(int(sources[row]), int(targets[row]), label, control)

    def _inside(self, item: int) -> list[Part]:
        hierarchy, found = self.hierarchy, list[Part]()
        if self.opened is not None:
            return [self._part(child) for child in hierarchy.children(item).tolist()]
        for child in hierarchy.children(item, apart=True).tolist():
            found.append(self._part(child))
            if child < hierarchy.nodes:
                found += map(Holds, self._embedded(child))
        return found + [Holds(node) for node in self._embedded(item)]

    def _embedded(self, item: int) -> list[int]:
        """What is embedded in an item, without copies, which the call of a function has in it."""
        if item not in self._hosts:
            return []
        return [node for node in self.hierarchy.embedded(item).tolist() if node < self.hierarchy.nodes]

    @cached_property
    def _hosts(self) -> frozenset[int]:
        """All items that nodes are embedded in."""
        hierarchy = self.hierarchy
        return frozenset(hierarchy.parent[: hierarchy.nodes][hierarchy.graph.embedded].tolist())

    def _part(self, item: int) -> Part:
        """Calls of functions are not opened: what is inside of them is a copy, which nothing leads to."""
        is_open = item >= self.hierarchy.nodes and (self.opened is None or item in self.opened)
        return Opens(item) if is_open else Holds(item)

    def _boxes(self) -> npt.NDArray[np.int64]:
        """int64[nodes]: the box that each node is in."""
        if self.opened is None:
            return np.arange(self.hierarchy.nodes)
        boxes = np.full(self.hierarchy.nodes, NO_BOX, np.int64)
        for part in self.parts():
            if isinstance(part, Holds):
                boxes[part.item if part.item < len(boxes) else self.hierarchy.under(part.item)] = part.item
        return boxes

    def _label(self, source: int, output: int, tensors: int) -> str:
        if tensors > 1:
            return f"{tensors:,} tensors"
        shapes = self.hierarchy.graph.shapes(source)
        return shape_text(shapes[output]) if 0 <= output < len(shapes) else ""


def _tensors(
    sources: npt.NDArray[np.int32], outputs: npt.NDArray[np.int32], links: npt.NDArray[np.int64], count: int
) -> list[int]:
    """How many different tensors go along each of `count` links."""
    different = np.unique(np.stack([links, sources, outputs], axis=1), axis=0)
    counts: list[int] = np.bincount(different[:, 0], minlength=count).tolist()
    return counts


def opened_within(hierarchy: Hierarchy, most: int) -> frozenset[int]:
    """Scopes to open so that about `most` boxes are there: those further out first, of one depth the small ones.

    A scope that is all there is to see is opened however much is in it.
    """
    boxes: list[int] = hierarchy.children(hierarchy.root).tolist()
    count, opened = len(boxes), set[int]()
    while scopes := [item for item in boxes if hierarchy.kind(item) == "scope"]:
        is_all = count == 1
        boxes = []
        for scope in sorted(scopes, key=lambda item: len(hierarchy.children(item))):
            children = hierarchy.children(scope).tolist()
            if is_all or count + len(children) - 1 <= most:
                count += len(children) - 1
                opened.add(scope)
                boxes += children
    return frozenset(opened)
