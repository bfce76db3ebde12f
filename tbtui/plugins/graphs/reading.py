"""The part of the Graphs tab that reads: which graphs there are, the chosen one, and what running it cost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts.text import safe
from tbtui.events.graph_errors import GraphError
from tbtui.loading.payloads import Payloads
from tbtui.plugins.graphs import words
from tbtui.plugins.graphs.data import Graphs
from tbtui.plugins.graphs.screen import GraphScreen
from tbtui.plugins.graphs.sources import GraphLister, Wanted
from tbtui.viewstate.choices import Choices
from tbtui.widgets.pane import FOLDED, Choose
from tbtui.widgets.textual_patches.timers import start_timer

READING_AFTER = 0.15
"""Seconds that the graph before stays on the screen: a blank between two graphs would flicker."""

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.graphs import GraphSource
    from tbtui.plugins.graphs.columns import Column
    from tbtui.plugins.graphs.data import OpenGraph
    from tbtui.plugins.graphs.sources import GraphList
    from tbtui.plugins.graphs.times import Times
    from tbtui.viewstate.view import View


class GraphReading(GraphScreen):
    """Subclasses show a graph that was read, and what running it cost."""

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.graphs = Graphs(payloads or Payloads())
        """For the background thread alone."""

        self.listed: GraphList | None = None
        """The graphs to choose from."""

        self.source: GraphSource | None = None
        """The one that is shown, or about to be."""

        self.graph: OpenGraph | None = None
        """What is on the screen; None while words are."""

        self.profile: GraphSource | None = None
        """Where it is told what running it cost."""

        self.times: Times | None = None
        self._devices: frozenset[str] = frozenset()
        """Those that were asked for when `times` were."""

        self.columns: tuple[Column, ...] = ()
        """What lists tell beside names."""

        self._lister = GraphLister(self.graphs.reader)
        self._wanted: Wanted | None = None
        self._refused = False

    @property
    def choices(self) -> Choices:
        """What is chosen."""
        return Choices() if self.view is None else self.view.choices

    # What subclasses do

    def show_graph(self) -> None:
        """Show the graph that was read, from its beginning or as it was left."""
        raise NotImplementedError

    def show_times(self) -> None:
        """Show what running it cost, or no longer."""
        raise NotImplementedError

    def choices_changed(self, before: View | None) -> None:
        """Show the same graph as it is chosen now."""
        raise NotImplementedError

    def say_title(self) -> None:
        """Say which graph is shown."""
        raise NotImplementedError

    # Which graph

    def reveal(self, tag: str) -> None:
        """Show the first graph of `tag`."""
        sources = () if self.listed is None else self.listed.sources
        source = next((source for source in sources if source.tag == tag), None)
        if source is not None:
            self.choose_graph(source)

    def prepare(self, view: View) -> Iterator[GraphList]:
        """The graphs of a view."""
        yield self._lister.list(view)

    def present(self, prepared: GraphList) -> None:
        """Show the chosen graph, unless it shows already."""
        before, self.listed = self.listed, prepared
        self._show(self._chosen_source(prepared), None if before is None else before.view)

    def _show(self, source: GraphSource | None, before: View | None) -> None:
        if source is None:
            self.source = self.graph = None
            self.say(*FOLDED)
            self.refresh_bindings()
            return
        held, self.source = self.source, source
        if held is None or held.place != source.place or (self._refused and held.run is not source.run):
            self._open(source)
        elif self.graph is not None:
            self._read_times()
            self.choices_changed(before)
        self.say_title()

    def _chosen_source(self, listed: GraphList) -> GraphSource | None:
        chosen = listed.view.choices.graph
        wanted = self._wanted
        if wanted is None or (chosen is not None and wanted[:2] != chosen):
            wanted = None if chosen is None else Wanted(*chosen)
        index = listed.index_of(wanted)
        return None if index is None else listed.sources[index]

    def choose_graph(self, source: GraphSource) -> None:
        """Show another graph."""
        self._wanted = Wanted(source.run.name, source.tag, source.point)
        self.post_message(Choose(graph=self._wanted[:2]))
        self._show(source, self.view)

    @property
    def index(self) -> int:
        """Number of the graph that is shown among those that are listed."""
        sources = () if self.listed is None else self.listed.sources
        shown = self.source
        return next((at for at, one in enumerate(sources) if shown is not None and one.place == shown.place), 0)

    # Reading it

    def _open(self, source: GraphSource) -> None:
        """Have a graph read; what was seen before stays until it is there, or long enough."""

        def read() -> Iterator[OpenGraph]:
            yield self.graphs.open(source)

        self._refused = False
        self.background.ask("graph", read, partial(self._take, source), partial(self._refuse, source))
        if not self._is_there:
            start_timer(self, READING_AFTER, partial(self._say_reading, source))

    @property
    def _is_there(self) -> bool:
        """Whether the chosen graph is the one on the screen, and not still being read."""
        graph, source = self.graph, self.source
        return graph is not None and source is not None and graph.source.place == source.place

    def _say_reading(self, source: GraphSource) -> None:
        if self.source is not None and self.source.place == source.place and not (self._is_there or self._refused):
            self.say(words.READING)

    def _take(self, source: GraphSource, graph: OpenGraph) -> None:
        if self.source is None or self.source.place != source.place:
            return
        self.say_no_more()  # as long as what is looked at is of the graph before
        self.graph, self.times, self.profile, self.columns = graph, None, None, graph.columns
        self.show_graph()
        self._read_times()
        self.refresh_bindings()  # whoever shows the status looks again

    def _refuse(self, source: GraphSource, error: Exception) -> None:
        if self.source is None or self.source.place != source.place:
            return
        self.graph, self._refused = None, True
        told = str(error) if isinstance(error, GraphError) else f"{type(error).__name__}: {error}"
        self.say(words.UNREADABLE, "; ".join(filter(None, (told, self._others))))
        self.say_title()
        self.refresh_bindings()

    @property
    def _others(self) -> str:
        """What to press where there are other graphs."""
        return words.OTHER_GRAPHS if self.listed is not None and len(self.listed.sources) > 1 else ""

    # What running it cost

    @property
    def profiles(self) -> tuple[GraphSource, ...]:
        """Where it is told what running the graph cost; nowhere as long as another graph is read."""
        listed, source = self.listed, self.source
        return () if listed is None or source is None or not self._is_there else listed.profiles(source)

    def _read_times(self) -> None:
        """Read what running the graph cost, the newest there is unless another one was chosen."""
        profiles = self.profiles
        known = next((one for one in profiles if self.profile is not None and one.place == self.profile.place), None)
        if (known is None and profiles) or (known is not None and self._devices != self.choices.graph_devices):
            self.choose_profile(known or profiles[-1])

    def choose_profile(self, profile: GraphSource | None) -> None:
        """Show what another run of the graph cost on the chosen devices, or none."""
        graph, self.profile = self.graph, profile
        devices = self._devices = self.choices.graph_devices
        if graph is None or profile is None:
            self._forget_times()
            return

        def read() -> Iterator[tuple[OpenGraph, Times, tuple[Column, ...]]]:
            yield self.graphs.times(graph.source, profile, devices)

        self.background.ask("times", read, partial(self._take_times, graph), self._refuse_times)

    def _take_times(self, graph: OpenGraph, read: tuple[OpenGraph, Times, tuple[Column, ...]]) -> None:
        if self.graph is graph:
            timed, self.times, self.columns = read
            self._change_boxes(timed)
            self.show_times()

    def _change_boxes(self, graph: OpenGraph) -> None:
        """Show the same graph with more or fewer boxes, where it has others now."""
        if self.graph is not None and self.graph.place != graph.place:
            self.graph = graph
            self.show_graph()

    def _forget_times(self) -> None:
        self.times, self.columns = None, () if self.graph is None else self.graph.columns
        self.show_times()

    def _refuse_times(self, error: Exception) -> None:
        self._forget_times()
        told = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        self.notify(safe(f"times of this graph cannot be read: {told}"), severity="warning", markup=False)
