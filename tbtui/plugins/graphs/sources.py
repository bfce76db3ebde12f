"""Which graphs there are to choose from, and the one that is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.text import nameable
from tbtui.events.compat import META_GRAPH_TAG, RUN_GRAPH_TAG
from tbtui.loading.graphs import GRAPHS, graph_sources
from tbtui.viewstate.tag_tree import group_of

if TYPE_CHECKING:
    from tbtui.loading.graphs import GraphSource
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.viewstate.view import View

_TAGS = {RUN_GRAPH_TAG: "graph of the run", META_GRAPH_TAG: "graph of the run"}
_KINDS = {"layers": "layers", "ops": "operations", "profile": "times"}


class Wanted(NamedTuple):
    """Which graph was asked for."""

    run: str
    tag: str
    point: int | None = None
    """Index into the series; None for the newest."""


def _worth(source: GraphSource) -> int:
    """How late a graph is the first to be looked at: a model's layers tell more than any operations."""
    return 0 if source.kind == "layers" else 1 if source.plugin == GRAPHS else 2


@dataclass(frozen=True, slots=True, eq=False)
class GraphList:
    """The graphs of the drawn runs, run by run, of each run the best first."""

    view: View
    sources: tuple[GraphSource, ...]

    def index_of(self, wanted: Wanted | None) -> int | None:
        """The one that was asked for, or the best; None where there is none at all."""
        found = None
        for index, source in enumerate(self.sources):
            if wanted is not None and (source.run.name, source.tag) == wanted[:2]:
                if source.point == wanted.point:
                    return index
                found = index
        best = min(range(len(self.sources)), key=lambda index: _worth(self.sources[index]), default=None)
        return best if found is None else found

    def profiles(self, source: GraphSource) -> tuple[GraphSource, ...]:
        """Where it is told what running a graph cost: its own value, and those of its run that hold nothing else."""
        if source.kind == "layers":
            return ()
        own = (source,) if source.has_metadata else ()
        return (
            *own,
            *(other for other in graph_sources(source.run) if other.kind == "profile" and other is not source),
        )


class GraphLister:
    """Lists graphs; runs that did not change are not looked at again. One thread asks it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[RunSnapshot, tuple[GraphSource, ...]]] = {}

    def list(self, view: View) -> GraphList:
        """Those of the drawn runs whose tags pass the filter; profiles only of runs that hold no graph."""
        self._known = {run.name: self._of(run) for run in view.runs}
        hidden = view.choices.hidden_groups
        passing = [
            source
            for _, held in self._known.values()
            for source in held
            if group_of(source.tag) not in hidden and view.tag_matches(source.tag)
        ]
        return GraphList(view, tuple(passing))

    def _of(self, run: RunSnapshot) -> tuple[RunSnapshot, tuple[GraphSource, ...]]:
        known = self._known.get(run.name)
        if known is not None and known[0] is run:
            return known
        found = graph_sources(run)
        graphs = tuple(source for source in found if source.kind != "profile")
        return run, graphs or found


def source_title(source: GraphSource) -> str:
    """What a graph is called: its tag, or whose it is."""
    return _TAGS.get(source.tag) or nameable(source.tag)


def source_kind(source: GraphSource) -> str:
    """Of what it is a graph."""
    return _KINDS[source.kind]
