"""Graphs read and worked out, kept while they may be looked at again. For the background thread alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.graphs.graph import graph_of
from tbtui.graphs.hierarchy import Hierarchy
from tbtui.loading.byte_cache import ByteCache
from tbtui.loading.graphs import GraphReader
from tbtui.plugins.graphs.columns import known_columns
from tbtui.plugins.graphs.navigation import initial_navigation
from tbtui.plugins.graphs.times import costly_aside, times_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.graphs.written import Written
    from tbtui.loading.graphs import GraphSource
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.columns import Column
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.times import Times

MOST_BYTES = 192 << 20
"""Of graphs that are kept."""

NODE_BYTES = 2_000
"""What a node takes in memory, with the scopes around it, about."""


@frozen(eq=False)
class OpenGraph:
    """One graph, ready to be looked at. Immutable: any thread may ask."""

    source: GraphSource
    hierarchy: Hierarchy
    columns: tuple[Column, ...]
    """What lists tell beside names."""

    start: Navigation
    """What is looked at of it at first."""

    boxed: frozenset[int] = frozenset()
    """Constants and summaries that have boxes of their own, as what they cost is to be seen."""

    @property
    def place(self) -> Hashable:
        """What tells it from all others."""
        return self.source.place, self.boxed

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be read or had to be skipped, in plain words with counts."""
        graph = self.hierarchy.graph
        return tuple(dict.fromkeys((*graph.written.notes, *graph.notes)))


class Graphs:
    """Reads graphs and what running them cost.

    Args:
        payloads: Reads files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self.reader = GraphReader(payloads)
        self._kept: ByteCache[OpenGraph | None] = ByteCache(MOST_BYTES)

    def open(self, source: GraphSource) -> OpenGraph:
        """A graph; the same object as long as it is kept.

        Raises:
            GraphError: There is none, or it cannot be read.
        """
        return self._open(source, frozenset())

    def times(
        self, source: GraphSource, profile: GraphSource, devices: frozenset[str] = frozenset()
    ) -> tuple[OpenGraph, Times, tuple[Column, ...]]:
        """What running a graph cost, what lists tell beside names then, and the graph with boxes for all that costs.

        Args:
            source: Which graph.
            profile: Where it is told.
            devices: Names of those that are counted; the usual ones where the run has none of them.

        Raises:
            GraphError: The graph or the run metadata cannot be read.
        """
        from tbtui.events.run_metadata import read_executions

        executions = read_executions(self.reader.metadata(profile))
        counted = devices.intersection(executions.devices) or None
        graph = self.open(source)
        times = times_of(graph.hierarchy, executions, counted)
        if boxed := costly_aside(times):
            graph = self._open(source, boxed)
            times = times_of(graph.hierarchy, executions, counted)
        return graph, times, known_columns(graph.hierarchy, times)

    def _open(self, source: GraphSource, boxed: frozenset[int]) -> OpenGraph:
        place = source.place, boxed
        known = self._kept.get(place, _nothing)
        if known is None:
            written: Written = self.reader.read(source)
            hierarchy = Hierarchy(graph_of(written, boxed))
            known = OpenGraph(source, hierarchy, known_columns(hierarchy, None), initial_navigation(hierarchy), boxed)
            self._kept.put(place, known, NODE_BYTES * known.hierarchy.nodes)
        return known


def _nothing() -> None:
    return None
