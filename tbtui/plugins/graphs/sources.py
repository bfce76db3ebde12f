"""The list of graphs, and which of them is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.text import nameable
from tbtui.events.compat import META_GRAPH_TAG, RUN_GRAPH_TAG
from tbtui.events.graph_errors import GraphError
from tbtui.frozen import frozen
from tbtui.loading.graphs import GRAPHS, RUN_METADATA_GRAPH, graph_sources
from tbtui.viewstate.tag_tree import group_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.loading.graphs import GraphReader, GraphSource
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.viewstate.view import View

_TAGS = {RUN_GRAPH_TAG: "graph of the run", META_GRAPH_TAG: "graph of the run"}
_KINDS = {"layers": "layers", "ops": "operations", "profile": "times"}

SMALL = 512
"""Values of at most this many bytes are read to check that they hold a graph: a traced step takes more."""


class Wanted(NamedTuple):
    """The graph that the user asked for."""

    run: str
    tag: str
    point: int | None = None
    """Index into the series; None for the newest."""


def _worth(source: GraphSource) -> int:
    """Return the rank of a graph: the layers of a model come before operations."""
    return 0 if source.kind == "layers" else 1 if source.plugin == GRAPHS else 2


@frozen(eq=False)
class GraphList:
    """The graphs of the drawn runs, run by run, the best first; those that hold nothing come last."""

    view: View
    sources: tuple[GraphSource, ...]
    hollow: frozenset[Hashable] = frozenset()
    """Places of the graphs at the end that hold nothing to show."""

    def index_of(self, wanted: Wanted | None) -> int | None:
        """Return the index of the wanted graph, or of the best; None if there is no graph."""
        found = None
        for index, source in enumerate(self.sources):
            if wanted is not None and (source.run.name, source.tag) == wanted[:2]:
                if source.point == wanted.point:
                    return index
                found = index
        solid = len(self.sources) - len(self.hollow) or len(self.sources)
        best = min(range(solid), key=lambda index: _worth(self.sources[index]), default=None)
        return best if found is None else found

    def profiles(self, source: GraphSource) -> tuple[GraphSource, ...]:
        """Return the sources that tell what a graph cost: its own value, and the profiles of its run."""
        if source.kind == "layers":
            return ()
        own = (source,) if source.has_metadata else ()
        return (*own, *(other for other in graph_sources(source.run) if other.kind == "profile"))


class GraphLister:
    """Lists graphs; runs that did not change are not searched again. For one thread.

    Args:
        reader: Reads those that are so small that they may hold nothing.
    """

    def __init__(self, reader: GraphReader) -> None:
        self._reader = reader
        self._known: dict[str, tuple[RunSnapshot, tuple[GraphSource, ...]]] = {}

    def list(self, view: View) -> GraphList:
        """List the graphs of the drawn runs whose tags pass the filter; profiles only of runs without a graph."""
        self._known = {run.name: self._of(run) for run in view.runs}
        hidden = view.choices.hidden_groups
        passing = [
            source
            for _, held in self._known.values()
            for source in held
            if group_of(source.tag) not in hidden and view.tag_matches(source.tag)
        ]
        hollow = frozenset(source.place for source in passing if self._is_hollow(source))
        return GraphList(view, tuple(sorted(passing, key=lambda source: source.place in hollow)), hollow)

    def _is_hollow(self, source: GraphSource) -> bool:
        """Return True if run metadata holds no graph, as Keras writes it for a batch that was not traced."""
        if not source.has_metadata and source.plugin != RUN_METADATA_GRAPH:
            return False
        if source.kind == "profile" or int(source.series.lengths[source.point]) > SMALL:
            return False
        try:
            self._reader.read(source)
        except GraphError as error:
            return not error.may_pass
        return False

    def _of(self, run: RunSnapshot) -> tuple[RunSnapshot, tuple[GraphSource, ...]]:
        known = self._known.get(run.name)
        if known is not None and known[0] is run:
            return known
        found = graph_sources(run)
        graphs = tuple(source for source in found if source.kind != "profile")
        return run, graphs or found


def source_title(source: GraphSource) -> str:
    """Return the title of a graph: its tag, or "graph of the run"."""
    return _TAGS.get(source.tag) or nameable(source.tag)


def source_kind(source: GraphSource) -> str:
    """Return what a graph consists of."""
    return _KINDS[source.kind]
