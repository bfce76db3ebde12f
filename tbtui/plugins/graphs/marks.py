"""Highlighted items: the matches of a search, the inputs of an item, or its way to an output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.charts.numbers import counted
from tbtui.frozen import frozen
from tbtui.graphs.counting import leading_words
from tbtui.graphs.tracing import traced_inputs, way_to_output

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy

TraceKind: TypeAlias = Literal["inputs", "output"]

NO_WAY = "nothing leads from here to an output"


@frozen(eq=False)
class Highlights:
    """Which items are highlighted, and why."""

    flags: npt.NDArray[np.bool_]
    """bool[items]; a scope is highlighted if something in it is."""

    words: str = ""

    def among(self, items: Iterable[int]) -> frozenset[int]:
        """Return the highlighted ones of some items."""
        return frozenset(item for item in items if self.flags[item])


def highlights_of(hierarchy: Hierarchy, items: npt.NDArray[np.int32], words: str = "") -> Highlights:
    """Highlight items and everything around them."""
    flags = np.zeros(len(hierarchy), np.bool_)
    while len(items):
        flags[items] = True
        above = np.unique(hierarchy.parent[items])
        items = above[(above >= 0) & ~flags[above]]
    for end in (hierarchy.root, hierarchy.library):
        if end >= 0:
            flags[end] = False
    return Highlights(flags, words)


def trace_highlights(hierarchy: Hierarchy, item: int, kind: TraceKind) -> Highlights:
    """Highlight what leads to an item, or its way to an output of the graph."""
    if kind == "inputs":
        flags = traced_inputs(hierarchy, item)
        return Highlights(flags, leading_words(hierarchy, item, flags))
    way = way_to_output(hierarchy, item)
    if not way:
        return highlights_of(hierarchy, np.array([item], np.int32), NO_WAY)
    steps = counted(len(way) - 1, "step")
    words = f"{steps} from {hierarchy.leaf(item)} to {_seen_from(hierarchy, item, way[-1])}"
    return highlights_of(hierarchy, np.array(way, np.int32), words)


def _seen_from(hierarchy: Hierarchy, item: int, other: int) -> str:
    """Return the name of another item, with its scope unless that is also around the first item."""
    scope = int(hierarchy.parent[other])
    around = hierarchy.path(item)
    told = hierarchy.leaf(other)
    return told if scope < 0 or scope in around else f"{hierarchy.leaf(scope)}/{told}"
