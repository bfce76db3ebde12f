"""Reading of graphs for the pane: which graphs there are, the open one, and what a run of it cost."""

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
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.pane.rows import Column
    from tbtui.plugins.graphs.profile import Times
    from tbtui.plugins.graphs.read import GraphList, GraphSource
    from tbtui.view.view import View
    from tbtui.widgets.worker import Worker


class LoaderListener(Protocol):
    """The user of a loader. All methods are called on the UI thread."""

    def graph_opened(self) -> None:
        """Show another graph."""

    def graph_failed(self, reason: str) -> None:
        """Report that the chosen graph cannot be read."""

    def boxes_changed(self) -> None:
        """Show the same graph with other boxes, because costly constants get boxes of their own."""

    def times_changed(self) -> None:
        """Show the costs of another run, or none."""

    def times_failed(self, reason: str) -> None:
        """Report that the costs cannot be read."""


class GraphLoader:
    """Reads graphs off the UI thread. All attributes but `graphs` belong to the UI thread.

    Args:
        background: Thread of the pane.
        payloads: Reader of the event files.
        listener: Receiver of each result.
    """

    def __init__(self, background: Worker, payloads: Payloads, listener: LoaderListener) -> None:
        self.graphs = GraphCache(payloads)
        """Cache of read graphs, for the background thread alone."""

        self.listed: GraphList | None = None
        self.source: GraphSource | None = None
        """The graph that shows, or is being read."""

        self.graph: OpenGraph | None = None
        """The graph on the screen; None while a message is."""

        self.profile: GraphSource | None = None
        """Source of `times`."""

        self.times: Times | None = None
        self.columns: tuple[Column, ...] = ()
        """Columns that the tree and the table may show beside names."""

        self._background, self._listener = background, listener
        self._lister = GraphLister(self.graphs.reader)
        self._devices: frozenset[str] = frozenset()
        """Devices that `times` were requested for."""

        self._choice: GraphChoice | None = None
        self._has_failed = False

    # The list of graphs

    def list_graphs(self, view: View) -> GraphList:
        """List the graphs of a view, on the background thread."""
        return self._lister.list(view)

    def first_of(self, tag: str) -> GraphSource | None:
        """Return the first graph of a tag."""
        return next((source for source in self.sources if source.tag == tag), None)

    @property
    def sources(self) -> tuple[GraphSource, ...]:
        """All graphs that are listed."""
        return () if self.listed is None else self.listed.sources

    @property
    def index(self) -> int:
        """Position of the chosen graph in the list; 0 if it is not listed."""
        shown = self.source
        return next((at for at, one in enumerate(self.sources) if shown is not None and one.place == shown.place), 0)

    @property
    def chosen_source(self) -> GraphSource | None:
        """The graph that the settings ask for, or else the best one; None if there is no graph."""
        listed = self.listed
        if listed is None:
            return None
        chosen, choice = GRAPH.value(listed.view.settings), self._choice
        if choice is None or (chosen is not None and choice[:2] != chosen):
            choice = None if chosen is None else GraphChoice(*chosen)
        index = listed.index_of(choice)
        return None if index is None else listed.sources[index]

    def want(self, source: GraphSource) -> tuple[str, str]:
        """Prefer a graph from now on; returns its run and tag, which the settings keep."""
        self._choice = GraphChoice(source.run.name, source.tag, source.point)
        return self._choice[:2]

    # The open graph

    @property
    def is_open(self) -> bool:
        """Return True if the chosen graph is the one on the screen."""
        graph, source = self.graph, self.source
        return graph is not None and source is not None and graph.source.place == source.place

    def is_waiting_for(self, source: GraphSource) -> bool:
        """Return True while a graph is chosen and being read."""
        chosen = self.source is not None and self.source.place == source.place
        return chosen and not (self.is_open or self._has_failed)

    def close(self) -> None:
        """Show no graph."""
        self.source = self.graph = None

    def choose(self, source: GraphSource) -> bool:
        """Choose a graph and start to read it; returns False if it is the present one already."""
        former, self.source = self.source, source
        if (
            former is not None
            and former.place == source.place
            and not (self._has_failed and former.run is not source.run)
        ):
            return False

        def read() -> Iterator[OpenGraph]:
            yield self.graphs.open(source)

        self._has_failed = False
        self._background.ask("graph", read, partial(self._take, source), partial(self._refuse, source))
        return True

    def _take(self, source: GraphSource, graph: OpenGraph) -> None:
        if self.source is not None and self.source.place == source.place:
            self.graph, self.times, self.profile, self.columns = graph, None, None, graph.columns
            self._listener.graph_opened()

    def _refuse(self, source: GraphSource, error: Exception) -> None:
        if self.source is not None and self.source.place == source.place:
            self.graph, self._has_failed = None, True
            self._listener.graph_failed(_reason(error, GraphError))

    # What running it cost

    @property
    def profiles(self) -> tuple[GraphSource, ...]:
        """Timed runs of the graph on the screen; none while another graph is being read."""
        listed, source = self.listed, self.source
        return () if listed is None or source is None or not self.is_open else listed.profiles(source)

    def update_times(self, devices: frozenset[str]) -> None:
        """Read the costs of the newest run if none are known yet, or those of other devices.

        Args:
            devices: Names of the devices to count; empty for the usual ones.
        """
        profiles = self.profiles
        known = next((one for one in profiles if self.profile is not None and one.place == self.profile.place), None)
        if (known is None and profiles) or (known is not None and self._devices != devices):
            self.read_times(known or profiles[-1], devices)

    def next_profile(self, devices: frozenset[str]) -> None:
        """Read the costs of the next timed run."""
        profiles = self.profiles
        places = [profile.place for profile in profiles]
        here = places.index(self.profile.place) if self.profile is not None and self.profile.place in places else -1
        self.read_times(profiles[(here + 1) % len(profiles)], devices)

    def read_times(self, profile: GraphSource, devices: frozenset[str]) -> None:
        """Read what a run of the graph cost on some devices."""
        graph, self.profile, self._devices = self.graph, profile, devices
        if graph is None:
            self._forget_times()
            return

        def read() -> Iterator[tuple[OpenGraph, Times, tuple[Column, ...]]]:
            yield self.graphs.times(graph.source, profile, devices)

        self._background.ask("times", read, partial(self._take_times, graph), self._refuse_times)

    def _take_times(self, graph: OpenGraph, read: tuple[OpenGraph, Times, tuple[Column, ...]]) -> None:
        if self.graph is not graph:
            return
        timed, self.times, self.columns = read
        if graph.place != timed.place:
            self.graph = timed
            self._listener.boxes_changed()
        self._listener.times_changed()

    def _forget_times(self) -> None:
        self.times, self.columns = None, () if self.graph is None else self.graph.columns
        self._listener.times_changed()

    def _refuse_times(self, error: Exception) -> None:
        self._forget_times()
        self._listener.times_failed(_reason(error, ValueError))


def _reason(error: Exception, plain: type[Exception]) -> str:
    """Errors of a known class carry a sentence for the user; all others show their class."""
    return str(error) if isinstance(error, plain) else f"{type(error).__name__}: {error}"
