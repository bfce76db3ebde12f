"""Cache of graphs with their hierarchies, for the background thread alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.navigation import initial_navigation
from tbtui.plugins.graphs.pane.rows import known_columns
from tbtui.plugins.graphs.profile import build_times, costly_embedded
from tbtui.plugins.graphs.read import GraphReader

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.pane.rows import Column
    from tbtui.plugins.graphs.parsed_graph import ParsedGraph
    from tbtui.plugins.graphs.profile import Times
    from tbtui.plugins.graphs.read import GraphSource

MAX_CACHE_BYTES = 192 << 20
"""Bytes of graphs that are kept in memory."""

NODE_BYTES = 2_000
"""Estimated bytes of a node in memory, with the scopes around it."""


@frozen(eq=False)
class OpenGraph:
    """A graph that is ready to be shown. Immutable: any thread may use it."""

    source: GraphSource
    hierarchy: Hierarchy
    columns: tuple[Column, ...]
    """Columns that lists may show beside names."""

    start: Navigation
    """The navigation that the graph is first shown with."""

    boxed: frozenset[int] = frozenset()
    """Constants and summaries that get boxes of their own because they take much time or memory."""

    @property
    def place(self) -> Hashable:
        """The identity of the graph."""
        return self.source.place, self.boxed

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences with counts about what could not be read or was skipped."""
        graph = self.hierarchy.graph
        return tuple(dict.fromkeys((*graph.parsed.notes, *graph.notes)))


class GraphCache:
    """Reads graphs and the costs of their runs.

    Args:
        payloads: Reader of the event files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self.reader = GraphReader(payloads)
        self._cache: ByteCache[OpenGraph | None] = ByteCache(MAX_CACHE_BYTES)

    def open(self, source: GraphSource) -> OpenGraph:
        """Return a graph; the same object as long as it is kept.

        Raises:
            GraphError: There is none, or it cannot be read.
        """
        return self._open(source, frozenset())

    def times(
        self, source: GraphSource, profile: GraphSource, devices: frozenset[str] = frozenset()
    ) -> tuple[OpenGraph, Times, tuple[Column, ...]]:
        """Return the graph with boxes for all that is costly, the costs of a run, and the columns of lists.

        Args:
            source: The graph.
            profile: Run metadata with the costs.
            devices: Names of the devices that are counted; the default ones if the run has none of them.

        Raises:
            GraphError: The graph or the run metadata cannot be read.
        """
        from tbtui.plugins.graphs.formats.run_metadata import read_executions

        executions = read_executions(self.reader.metadata(profile))
        counted = devices.intersection(executions.devices) or None
        graph = self.open(source)
        times = build_times(graph.hierarchy, executions, counted)
        if boxed := costly_embedded(times):
            graph = self._open(source, boxed)
            times = build_times(graph.hierarchy, executions, counted)
        return graph, times, known_columns(graph.hierarchy, times)

    def _open(self, source: GraphSource, boxed: frozenset[int]) -> OpenGraph:
        place = source.place, boxed
        cached = self._cache.get(place, _nothing)
        if cached is None:
            written: ParsedGraph = self.reader.read(source)
            hierarchy = Hierarchy(build_graph(written, boxed))
            cached = OpenGraph(source, hierarchy, known_columns(hierarchy, None), initial_navigation(hierarchy), boxed)
            self._cache.put(place, cached, NODE_BYTES * cached.hierarchy.nodes)
        return cached


def _nothing() -> None:
    return None
