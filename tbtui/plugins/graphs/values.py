"""Graphs of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from tbtui.api.errors import PayloadError
from tbtui.api.scalars import check_index
from tbtui.plugins.graphs.formats.salvage import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.api.errors import UnknownTagError
    from tbtui.plugins.graphs.formats.graph_def import OpGraph
    from tbtui.plugins.graphs.formats.keras import LayerGraph
    from tbtui.plugins.graphs.read import GraphReader, GraphSource
    from tbtui.plugins.graphs.table import GraphFormat
    from tbtui.store.snapshot import RunSnapshot


class Graph:
    """A graph of operations or of layers, read from its file when asked for.

    `data`, `parsed` and `document` raise `PayloadError` where it cannot be read.
    """

    def __init__(self, source: GraphSource, reader: GraphReader) -> None:
        self._source, self._reader = source, reader

    @property
    def run(self) -> str:
        """Name of the run."""
        return self._source.run.name

    @property
    def tag(self) -> str:
        """Name of the tag; `__run_graph__` is the one that belongs to the run itself."""
        return self._source.tag

    @property
    def kind(self) -> str:
        """`ops`: of operations, `layers`: of a Keras model, `profile`: times and memory of another graph's nodes."""
        return self._source.kind

    @property
    def step(self) -> int:
        """At which it was logged."""
        return self._source.step

    @property
    def wall_time(self) -> float:
        """When it was logged, in seconds since the epoch."""
        return self._source.wall_time

    def data(self) -> bytes:
        """What was written: a serialized `GraphDef`, `MetaGraphDef` or `RunMetadata`, or the JSON of a Keras model."""
        try:
            return self._reader.data(self._source)
        except GraphError as error:
            raise self._refused(error) from error

    def parsed(self) -> OpGraph | LayerGraph:
        """Its nodes, edges, shapes, attributes and functions; of a profile there are none."""
        try:
            return self._reader.read(self._source)
        except GraphError as error:
            raise self._refused(error) from error

    def document(self, form: GraphFormat = "dot") -> str:
        """The graph for other programs, as `tbtui export --plugin graphs` writes it.

        Args:
            form: `dot`, `mermaid`, `svg`, `json` or `pbtxt`.
        """
        from tbtui.plugins.graphs.table import GRAPH_FORMATS, graph_document, graph_text

        if form not in GRAPH_FORMATS:
            raise ValueError(f"{form!r} is no format of graphs; there are {', '.join(GRAPH_FORMATS)}")
        try:
            return "".join(graph_text(graph_document(self._reader, self._source), form, self._reader))
        except GraphError as error:
            raise self._refused(error) from error

    def __repr__(self) -> str:
        return f"<Graph {self.tag!r} of {self.run!r}: {self.kind} at step {self.step:,}>"

    def _refused(self, error: GraphError) -> PayloadError:
        source, series = self._source, self._source.series
        path = source.run.files[int(series.files[source.point])].path
        return PayloadError(str(error), self.run, self.tag, self.step, path, int(series.offsets[source.point]))


class Graphs(Sequence[Graph]):
    """The graphs and profiles of a run, the best to look at first; superseded ones are left out.

    An index gives one of them, a slice several, a tag the first that was logged under it.
    """

    def __init__(self, run: RunSnapshot, missing: Callable[[Sequence[str], str], UnknownTagError]) -> None:
        """Args: run: which; missing: what is raised for a tag that is not among its tags of graphs."""
        from tbtui.loading.payloads import Payloads
        from tbtui.plugins.graphs.read import GraphReader, graph_sources

        reader = GraphReader(Payloads())
        self._run, self._missing = run.name, missing
        self._held = tuple(Graph(source, reader) for source in graph_sources(run))

    @overload
    def __getitem__(self, index: int | str) -> Graph: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Graph, ...]: ...

    def __getitem__(self, index: int | str | slice) -> Graph | tuple[Graph, ...]:
        if isinstance(index, str):
            found = next((graph for graph in self._held if graph.tag == index), None)
            if found is None:
                raise self._missing([graph.tag for graph in self._held], index)
            return found
        if isinstance(index, slice):
            return self._held[index]
        return self._held[check_index(index, len(self), "graph", repr(self._run))]

    def __contains__(self, item: object) -> bool:
        return item in self._held or any(graph.tag == item for graph in self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self._held))})"
