"""Graphs of a run: the values that hold one, and reading them from their files on demand.

Source: TensorBoard `plugins/graph/graphs_plugin.py`. As there, the meta graph of a run is listed only if the run
graph was not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tbtui.charts.text import format_run_name
from tbtui.events.compat import META_GRAPH_TAG, RUN_GRAPH_TAG
from tbtui.events.values import EventTime, StaleValueError, read_stored_value
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.plugins.graphs.formats.graph_def import read_graph_bytes
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.store.snapshot import ReferenceSeries
from tbtui.view.tag_tree import get_group

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.formats.graph_def import OpGraph
    from tbtui.plugins.graphs.formats.keras import LayerGraph
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View

    StoredGraph: TypeAlias = OpGraph | LayerGraph

GRAPHS, KERAS = "graphs", "graph_keras_model"
RUN_METADATA, RUN_METADATA_GRAPH = "graph_run_metadata", "graph_run_metadata_graph"
TAGGED_RUN_METADATA = "graph_tagged_run_metadata"

_KINDS = {
    KERAS: "layers", GRAPHS: "ops", RUN_METADATA: "ops", RUN_METADATA_GRAPH: "ops", TAGGED_RUN_METADATA: "profile"
}  # fmt: skip
"""Content of the values of each plugin, the most useful first."""

_RANKS = {plugin: rank for rank, plugin in enumerate(_KINDS)}

MAX_CACHE_BYTES = 256 << 20
"""Maximum bytes of cached graphs: about sixty graphs of half a megabyte each in the file."""

MAX_GRAPH_BYTES = 128 << 20
"""Maximum bytes of a graph that is read."""

_MEMORY_FACTOR = 9
"""Bytes in memory per byte in the file, measured with small nodes; large constants need less."""

_REASON_BYTES = 200
"""Estimated bytes of a cached error."""


@frozen(eq=False)
class GraphSource:
    """One graph, or one profile of a graph, in a run."""

    run: RunSnapshot
    tag: str
    plugin: str
    step: int
    wall_time: float
    """Seconds since the epoch."""

    point: int
    """Index into the series of the tag."""

    kind: str
    """`ops` (operations), `layers` (a Keras model) or `profile` (run metadata without a graph)."""

    is_superseded: bool = False
    """True if a later graph of the tag, at the same step or an earlier one, superseded it."""

    @property
    def series(self) -> ReferenceSeries:
        """Series of the tag."""
        series = self.run.series[self.tag]
        assert isinstance(series, ReferenceSeries)  # noqa: S101 - `list_graph_sources` has checked it
        return series

    @property
    def has_metadata(self) -> bool:
        """True if the value may hold times and memory."""
        return self.plugin in {RUN_METADATA, TAGGED_RUN_METADATA}

    @property
    def key(self) -> Hashable:
        """Identity of the graph; it changes if the file is replaced."""
        series, point = self.series, self.point
        columns = (series.files, series.offsets, series.lengths, series.indices)
        return (self.run.name, self.run.reading, self.tag, self.step, *(int(column[point]) for column in columns))


def list_graph_sources(run: RunSnapshot) -> tuple[GraphSource, ...]:
    """Return all graphs and profiles of a run, the most useful first; superseded ones come last."""
    sources = [source for series in run.series.values() for source in _iter_series_sources(run, series)]
    if any(source.tag == RUN_GRAPH_TAG for source in sources):
        sources = [source for source in sources if source.tag != META_GRAPH_TAG or source.plugin != GRAPHS]
    return tuple(sorted(sources, key=lambda source: (source.is_superseded, _RANKS[source.plugin])))


class GraphReader:
    """Reads graphs and caches the latest ones. Thread-safe.

    Args:
        payloads: Reader of the event files.
        max_bytes: Maximum bytes of cached graphs.
    """

    def __init__(self, payloads: Payloads, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._payloads = payloads
        self._cache: ByteCache[StoredGraph | str] = ByteCache(max_bytes)

    @property
    def nbytes(self) -> int:
        """Estimated bytes of all cached graphs."""
        return self._cache.nbytes

    def read(self, source: GraphSource) -> StoredGraph:
        """Return a graph; the same object as long as it is cached.

        Raises:
            GraphError: The source holds no graph, or it cannot be read.
        """
        key = source.key
        cached = self._cache.get(key)
        if isinstance(cached, str):
            raise GraphError(cached)
        if cached is not None:
            return cached
        try:
            data = self.data(source)
            graph = _parse_graph(data, source)
        except GraphError as error:
            if not error.is_retryable:
                self._cache.put(key, str(error), _REASON_BYTES)
            raise
        self._cache.put(key, graph, _MEMORY_FACTOR * len(data))
        return graph

    def metadata(self, source: GraphSource) -> bytes:
        """Return the serialized `RunMetadata` of a source.

        Raises:
            GraphError: The source has none, or it cannot be read.
        """
        if source.plugin not in {RUN_METADATA, RUN_METADATA_GRAPH, TAGGED_RUN_METADATA}:
            raise GraphError("this graph was written without run metadata")
        return self.data(source)

    def data(self, source: GraphSource) -> bytes:
        """Return the value as written: a `GraphDef`, a `MetaGraphDef`, `RunMetadata` or the JSON of a model.

        Raises:
            GraphError: The value cannot be read.
        """
        series, point = source.series, source.point
        length = int(series.lengths[point])
        if length > MAX_GRAPH_BYTES:
            raise GraphError(f"the graph has {length:,} bytes, too many to show")
        block = self._payloads.read(source.run, series, [point])
        if reason := block.errors.get(point):
            raise GraphError(reason, is_retryable=block.is_retryable)
        try:
            value = read_stored_value(
                block.payload(0), int(series.indices[point]), EventTime(int(series.steps[point]), source.wall_time)
            )
        except StaleValueError as error:
            raise GraphError(str(error)) from error
        return read_graph_bytes(value, series.metadata.content)


def _iter_series_sources(run: RunSnapshot, series: object) -> Iterator[GraphSource]:
    if not isinstance(series, ReferenceSeries) or series.metadata.plugin_name not in _KINDS:
        return
    plugin = series.metadata.plugin_name
    is_current = [True] * len(series) if series.kept is None else series.kept.tolist()
    for point, current in enumerate(is_current):
        step, wall_time = int(series.steps[point]), float(series.wall_times[point])
        yield GraphSource(run, series.tag, plugin, step, wall_time, point, _KINDS[plugin], not current)


def _parse_graph(data: bytes, source: GraphSource) -> StoredGraph:
    if source.kind == "layers":
        from tbtui.plugins.graphs.formats.keras import read_keras_model

        return read_keras_model(data)
    from tbtui.plugins.graphs.formats.graph_def import read_graph, read_meta_graph, read_run_metadata

    if source.kind == "profile":
        raise GraphError("only times were written here, without their graph")
    if source.plugin != GRAPHS:
        return read_run_metadata(data)
    return read_meta_graph(data) if source.tag == META_GRAPH_TAG else read_graph(data)


_TAGS = {RUN_GRAPH_TAG: "run graph", META_GRAPH_TAG: "run graph"}
_SOURCE_KINDS = {"layers": "layers", "ops": "operations", "profile": "times"}

MAX_CHECKED_BYTES = 512
"""Maximum bytes of run metadata that are checked for holding a graph; those of a traced step are larger."""


class GraphChoice(NamedTuple):
    """The graph that the user selected."""

    run: str
    tag: str
    point: int | None = None
    """Index into the series; None for the newest."""


def _rank_source(source: GraphSource) -> int:
    """Return the rank of a graph: the layers of a model come before operations."""
    return 0 if source.kind == "layers" else 1 if source.plugin == GRAPHS else 2


@frozen(eq=False)
class GraphList:
    """The graphs of the visible runs, run by run, the best first; then superseded graphs, then empty ones."""

    view: View
    sources: tuple[GraphSource, ...]
    empty_keys: frozenset[Hashable] = frozenset()
    """Keys of the graphs at the end that hold nothing to show."""

    def index_of(self, choice: GraphChoice | None) -> int | None:
        """Return the index of the chosen graph, or of the best; None if there is no graph."""
        same_tag = None
        for index, source in enumerate(self.sources):
            if choice is not None and (source.run.name, source.tag) == choice[:2]:
                if source.point == choice.point:
                    return index
                if same_tag is None or not source.is_superseded:
                    same_tag = index
        if same_tag is not None:
            return same_tag
        candidates = range(len(self.sources) - len(self.empty_keys) or len(self.sources))
        return min(candidates, key=lambda index: _rank_source(self.sources[index]), default=None)

    def timed_runs(self, source: GraphSource) -> tuple[GraphSource, ...]:
        """Return the sources with costs of a graph: its own value, and the profiles of its run."""
        if source.kind == "layers":
            return ()
        own = (source,) if source.has_metadata else ()
        sources = (other for other in list_graph_sources(source.run) if not other.is_superseded)
        return (*own, *(other for other in sources if other.kind == "profile"))


class GraphLister:
    """Lists graphs; caches the list of each run until the run changes. For one thread.

    Args:
        reader: Reader that checks whether small graphs are empty.
    """

    def __init__(self, reader: GraphReader) -> None:
        self._reader = reader
        self._listed: dict[str, tuple[RunSnapshot, tuple[GraphSource, ...]]] = {}

    def list(self, view: View) -> GraphList:
        """List the graphs of the visible runs whose tags pass the filter; profiles only of runs without a graph."""
        self._listed = {run.name: self._list_run(run) for run in view.runs}
        hidden = view.settings.hidden_groups
        passing = [
            source
            for _, sources in self._listed.values()
            for source in sources
            if get_group(source.tag) not in hidden and view.tag_matches(source.tag)
        ]
        empty_keys = frozenset(source.key for source in passing if self._is_empty(source))
        passing.sort(key=lambda source: (source.key in empty_keys, source.is_superseded))
        return GraphList(view, tuple(passing), empty_keys)

    def _is_empty(self, source: GraphSource) -> bool:
        """Return True if run metadata holds no graph, as Keras writes it for a batch that was not traced."""
        if not source.has_metadata and source.plugin != RUN_METADATA_GRAPH:
            return False
        if source.kind == "profile" or int(source.series.lengths[source.point]) > MAX_CHECKED_BYTES:
            return False
        try:
            self._reader.read(source)
        except GraphError as error:
            return not error.is_retryable
        return False

    def _list_run(self, run: RunSnapshot) -> tuple[RunSnapshot, tuple[GraphSource, ...]]:
        cached = self._listed.get(run.name)
        if cached is not None and cached[0] is run:
            return cached
        sources = list_graph_sources(run)
        graphs = tuple(source for source in sources if source.kind != "profile")
        return run, graphs or sources


def format_source_title(source: GraphSource) -> str:
    """Return the title of a graph: its tag, or "run graph"."""
    return _TAGS.get(source.tag) or format_run_name(source.tag)


def format_source_kind(source: GraphSource) -> str:
    """Return the content of a graph: layers, operations or times."""
    return f"{_SOURCE_KINDS[source.kind]}, superseded" if source.is_superseded else _SOURCE_KINDS[source.kind]
