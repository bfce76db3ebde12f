"""Cache of graphs with their hierarchies, for the worker thread alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.plugins.graphs.costs import build_run_costs, find_costly_embedded
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.item_columns import list_columns
from tbtui.plugins.graphs.navigation import start_navigation
from tbtui.plugins.graphs.read import GraphReader

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.costs import RunCosts
    from tbtui.plugins.graphs.item_columns import Column
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.parsed_graph import ParsedGraph
    from tbtui.plugins.graphs.read import GraphSource

MAX_CACHE_BYTES = 192 << 20
"""Maximum bytes of cached graphs."""

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
    def key(self) -> Hashable:
        """Identity of the graph and of its boxes."""
        return self.source.key, self.boxed

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences with counts about what could not be read or was skipped."""
        graph = self.hierarchy.graph
        return tuple(dict.fromkeys((*graph.parsed.notes, *graph.notes)))


class CostsResult(NamedTuple):
    """The costs of a run, and the graph that they belong to."""

    graph: OpenGraph
    """The graph with boxes for costly constants and summaries."""

    costs: RunCosts
    columns: tuple[Column, ...]
    """Columns that lists may show beside names."""


class GraphCache:
    """Reads graphs and the costs of their runs.

    Args:
        payloads: Reader of the event files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self.reader = GraphReader(payloads)
        self._cache: ByteCache[OpenGraph] = ByteCache(MAX_CACHE_BYTES)

    def open(self, source: GraphSource) -> OpenGraph:
        """Return a graph; the same object as long as it is cached.

        Raises:
            GraphError: The source holds no graph, or it cannot be read.
        """
        return self._open(source, frozenset())

    def read_costs(
        self, source: GraphSource, timed_run: GraphSource, devices: frozenset[str] = frozenset()
    ) -> CostsResult:
        """Read the costs of a run.

        Args:
            source: The graph.
            timed_run: Run metadata with the costs.
            devices: Names of the devices that are counted; the default ones if the run has none of them.

        Raises:
            GraphError: The graph or the run metadata cannot be read.
        """
        from tbtui.plugins.graphs.formats.run_metadata import read_executions

        executions = read_executions(self.reader.metadata(timed_run))
        device_names = devices.intersection(executions.devices) or None
        graph = self.open(source)
        costs = build_run_costs(graph.hierarchy, executions, device_names)
        if boxed := find_costly_embedded(costs):
            graph = self._open(source, boxed)
            costs = build_run_costs(graph.hierarchy, executions, device_names)
        return CostsResult(graph, costs, list_columns(graph.hierarchy, costs))

    def _open(self, source: GraphSource, boxed: frozenset[int]) -> OpenGraph:
        key = source.key, boxed
        cached = self._cache.get(key)
        if cached is None:
            parsed: ParsedGraph = self.reader.read(source)
            hierarchy = Hierarchy(build_graph(parsed, boxed))
            cached = OpenGraph(source, hierarchy, list_columns(hierarchy, None), start_navigation(hierarchy), boxed)
            self._cache.put(key, cached, NODE_BYTES * cached.hierarchy.nodes)
        return cached
