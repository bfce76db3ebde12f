"""Loader of the graphs pane: lists the graphs, reads the chosen one, and reads the costs of its runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.open_graphs import GraphCache
from tbtui.plugins.graphs.read import GraphChoice, GraphLister
from tbtui.plugins.graphs.settings import GRAPH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.costs import RunCosts
    from tbtui.plugins.graphs.item_columns import Column
    from tbtui.plugins.graphs.open_graphs import CostsResult, OpenGraph
    from tbtui.plugins.graphs.read import GraphList, GraphSource
    from tbtui.view.view import View
    from tbtui.widgets.worker import Worker


class LoaderListener(Protocol):
    """Receiver of the results of a loader. All methods are called on the UI thread."""

    def graph_opened(self) -> None:
        """Show the graph that was read."""

    def graph_failed(self, reason: str) -> None:
        """Report that the chosen graph cannot be read."""

    def boxes_changed(self) -> None:
        """Show the same graph with other boxes, because costly constants get boxes of their own."""

    def costs_changed(self) -> None:
        """Show the costs of another run, or none."""

    def costs_failed(self, reason: str) -> None:
        """Report that the costs cannot be read."""


class GraphLoader:
    """Reads graphs off the UI thread. All attributes but `graphs` belong to the UI thread.

    Args:
        worker: Thread of the pane.
        payloads: Reader of the event files.
        listener: Receiver of each result.
    """

    def __init__(self, worker: Worker, payloads: Payloads, listener: LoaderListener) -> None:
        self.graphs = GraphCache(payloads)
        """Cache of read graphs, for the worker thread alone."""

        self.listed: GraphList | None = None
        self.source: GraphSource | None = None
        """The chosen graph, open or being read."""

        self.graph: OpenGraph | None = None
        """The graph on the screen; None while a message is shown."""

        self.timed_run: GraphSource | None = None
        """Source of `costs`."""

        self.costs: RunCosts | None = None
        self.columns: tuple[Column, ...] = ()
        """Columns that the tree and the table may show next to names."""

        self._worker, self._listener = worker, listener
        self._lister = GraphLister(self.graphs.reader)
        self._devices: frozenset[str] = frozenset()
        """Names of the devices that `costs` were requested for; empty for the default ones."""

        self._choice: GraphChoice | None = None
        self._has_failed = False

    # The list of graphs

    def list_graphs(self, view: View) -> GraphList:
        """List the graphs of a view, on the worker thread."""
        return self._lister.list(view)

    def find_first(self, tag: str) -> GraphSource | None:
        """Return the first graph of a tag."""
        return next((source for source in self.sources if source.tag == tag), None)

    @property
    def sources(self) -> tuple[GraphSource, ...]:
        """All graphs that are listed."""
        return () if self.listed is None else self.listed.sources

    @property
    def index(self) -> int:
        """Position of the chosen graph in the list; 0 if it is not listed."""
        key = None if self.source is None else self.source.key
        return next((index for index, source in enumerate(self.sources) if source.key == key), 0)

    @property
    def chosen_source(self) -> GraphSource | None:
        """The graph that the user or the settings chose, or else the best one; None if there is no graph."""
        listed = self.listed
        if listed is None:
            return None
        chosen, choice = GRAPH.value(listed.view.settings), self._choice
        if choice is None or (chosen is not None and choice[:2] != chosen):
            choice = None if chosen is None else GraphChoice(*chosen)
        index = listed.index_of(choice)
        return None if index is None else listed.sources[index]

    def prefer(self, source: GraphSource) -> tuple[str, str]:
        """Prefer a graph from now on; returns its run and tag for the settings."""
        self._choice = GraphChoice(source.run.name, source.tag, source.point)
        return self._choice[:2]

    # The open graph

    @property
    def is_open(self) -> bool:
        """True if the chosen graph is on the screen."""
        graph, source = self.graph, self.source
        return graph is not None and source is not None and graph.source.key == source.key

    def is_waiting_for(self, source: GraphSource) -> bool:
        """Return True while a graph is chosen and still being read."""
        chosen = self.source is not None and self.source.key == source.key
        return chosen and not (self.is_open or self._has_failed)

    def close(self) -> None:
        """Show no graph."""
        self.source = self.graph = None

    def choose(self, source: GraphSource) -> bool:
        """Choose a graph and start to read it; returns False if it is chosen already."""
        before, self.source = self.source, source
        if before is not None and before.key == source.key and not (self._has_failed and before.run is not source.run):
            return False

        def read() -> Iterator[OpenGraph]:
            yield self.graphs.open(source)

        self._has_failed = False
        self._worker.ask("graph", read, partial(self._set_graph, source), partial(self._report_graph_error, source))
        return True

    def _set_graph(self, source: GraphSource, graph: OpenGraph) -> None:
        if self.source is not None and self.source.key == source.key:
            self.graph, self.costs, self.timed_run, self.columns = graph, None, None, graph.columns
            self._listener.graph_opened()

    def _report_graph_error(self, source: GraphSource, error: Exception) -> None:
        if self.source is not None and self.source.key == source.key:
            self.graph, self._has_failed = None, True
            self._listener.graph_failed(_format_error(error, GraphError))

    # Costs of a run

    @property
    def timed_runs(self) -> tuple[GraphSource, ...]:
        """Timed runs of the graph on the screen; none while another graph is being read."""
        listed, source = self.listed, self.source
        return () if listed is None or source is None or not self.is_open else listed.timed_runs(source)

    def update_costs(self, devices: frozenset[str]) -> None:
        """Read the costs of the newest timed run if none are read yet; read them again for other devices.

        Args:
            devices: Names of the devices to count; empty for the default ones.
        """
        runs, index = self.timed_runs, self._timed_run_index
        if index is not None and self._devices != devices:
            self.read_costs(runs[index], devices)
        elif index is None and runs:
            self.read_costs(runs[-1], devices)

    def read_next_costs(self, devices: frozenset[str]) -> None:
        """Read the costs of the next timed run."""
        runs, index = self.timed_runs, self._timed_run_index
        self.read_costs(runs[0 if index is None else (index + 1) % len(runs)], devices)

    @property
    def _timed_run_index(self) -> int | None:
        """Index of the source of `costs` in `timed_runs`; None if it is not in there."""
        key = None if self.timed_run is None else self.timed_run.key
        return next((index for index, run in enumerate(self.timed_runs) if run.key == key), None)

    def read_costs(self, timed_run: GraphSource, devices: frozenset[str]) -> None:
        """Read the costs of a run of the graph on these devices."""
        graph, self.timed_run, self._devices = self.graph, timed_run, devices
        if graph is None:
            self._drop_costs()
            return

        def read() -> Iterator[CostsResult]:
            yield self.graphs.read_costs(graph.source, timed_run, devices)

        self._worker.ask("costs", read, partial(self._set_costs, graph), self._report_cost_error)

    def _set_costs(self, graph: OpenGraph, result: CostsResult) -> None:
        if self.graph is not graph:
            return
        self.costs, self.columns = result.costs, result.columns
        if graph.key != result.graph.key:
            self.graph = result.graph
            self._listener.boxes_changed()
        self._listener.costs_changed()

    def _drop_costs(self) -> None:
        self.costs, self.columns = None, () if self.graph is None else self.graph.columns
        self._listener.costs_changed()

    def _report_cost_error(self, error: Exception) -> None:
        self._drop_costs()
        self._listener.costs_failed(_format_error(error, ValueError))


def _format_error(error: Exception, expected: type[Exception]) -> str:
    """Return the text of an expected error, which is a sentence for the user; other errors with their class."""
    return str(error) if isinstance(error, expected) else f"{type(error).__name__}: {error}"
