"""Python API of the graphs of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from tbtui.api.errors import PayloadError
from tbtui.api.points import check_index
from tbtui.plugins.graphs.formats.salvage import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.api.errors import UnknownTagError
    from tbtui.plugins.graphs.export import GraphFormat
    from tbtui.plugins.graphs.formats.graph_def import OpGraph
    from tbtui.plugins.graphs.formats.keras import LayerGraph
    from tbtui.plugins.graphs.read import GraphReader, GraphSource
    from tbtui.store.snapshot import RunSnapshot


class Graph:
    """A graph of operations or of layers, read from its file on demand.

    `data`, `parsed`, `parameters` and `document` raise `PayloadError` if it cannot be read.
    """

    def __init__(self, source: GraphSource, reader: GraphReader) -> None:
        self._source, self._reader = source, reader

    @property
    def run(self) -> str:
        """Name of the run."""
        return self._source.run.name

    @property
    def tag(self) -> str:
        """Name of the tag; the run graph has the tag `__run_graph__`."""
        return self._source.tag

    @property
    def kind(self) -> str:
        """`ops` (operations), `layers` (a Keras model) or `profile` (times and memory of another graph)."""
        return self._source.kind

    @property
    def step(self) -> int:
        """Step at which it was logged."""
        return self._source.step

    @property
    def wall_time(self) -> float:
        """Time at which it was logged, in seconds since the epoch."""
        return self._source.wall_time

    def data(self) -> bytes:
        """Return the value as written: a `GraphDef`, `MetaGraphDef`, `RunMetadata`, or the JSON of a model."""
        try:
            return self._reader.data(self._source)
        except GraphError as error:
            raise self._payload_error(error) from error

    def parsed(self) -> OpGraph | LayerGraph:
        """Return its nodes, edges, shapes, attributes and functions; a profile has none."""
        try:
            return self._reader.read(self._source)
        except GraphError as error:
            raise self._payload_error(error) from error

    @property
    def superseded(self) -> bool:
        """True if a later graph of the tag, at the same step or an earlier one, superseded it."""
        return self._source.is_superseded

    @property
    def parameters(self) -> int:
        """Number of trained parameters, shared ones counted once; see `parameters_at_least`."""
        return sum(parameter.elements for parameter in self.parsed().all_parameters)

    @property
    def parameters_at_least(self) -> bool:
        """True if `parameters` is a lower bound: the graph lacks the shapes of some, or is damaged."""
        parsed = self.parsed()
        return bool(parsed.losses) or any(parameter.is_at_least for parameter in parsed.all_parameters)

    def document(self, form: GraphFormat = "dot") -> str:
        """Return the graph in a file format, as `tbtui export --plugin graphs` writes it.

        Args:
            form: `dot`, `mermaid`, `svg`, `json` or `pbtxt`.
        """
        from tbtui.plugins.graphs.export import GRAPH_FORMATS, encode_graph, read_graph_document

        if form not in GRAPH_FORMATS:
            raise ValueError(f"{form!r} is no format of graphs; there are {', '.join(GRAPH_FORMATS)}")
        try:
            return "".join(encode_graph(read_graph_document(self._reader, self._source), form, self._reader))
        except GraphError as error:
            raise self._payload_error(error) from error

    def __repr__(self) -> str:
        return f"<Graph {self.tag!r} of {self.run!r}: {self.kind} at step {self.step:,}>"

    def _payload_error(self, error: GraphError) -> PayloadError:
        source, series = self._source, self._source.series
        path = source.run.files[int(series.files[source.point])].path
        return PayloadError(str(error), self.run, self.tag, self.step, path, int(series.offsets[source.point]))


class Graphs(Sequence[Graph]):
    """Graphs and profiles of a run, the most useful first; superseded ones come last.

    An index returns one graph, a slice several, a tag the first graph that was logged under it.
    """

    def __init__(self, run: RunSnapshot, missing: Callable[[Sequence[str], str], UnknownTagError]) -> None:
        """Args: run: the run; missing: returns the error for a tag that has no graph."""
        from tbtui.loading.payloads import Payloads
        from tbtui.plugins.graphs.read import GraphReader, list_graph_sources

        reader = GraphReader(Payloads())
        self._run, self._missing = run.name, missing
        self._graphs = tuple(Graph(source, reader) for source in list_graph_sources(run))

    @overload
    def __getitem__(self, index: int | str) -> Graph: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Graph, ...]: ...

    def __getitem__(self, index: int | str | slice) -> Graph | tuple[Graph, ...]:
        if isinstance(index, str):
            first = next((graph for graph in self._graphs if graph.tag == index), None)
            if first is None:
                raise self._missing([graph.tag for graph in self._graphs], index)
            return first
        if isinstance(index, slice):
            return self._graphs[index]
        return self._graphs[check_index(index, len(self), "graph", repr(self._run))]

    def __contains__(self, item: object) -> bool:
        return item in self._graphs or any(graph.tag == item for graph in self._graphs)

    def __len__(self) -> int:
        return len(self._graphs)

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self._graphs))})"
