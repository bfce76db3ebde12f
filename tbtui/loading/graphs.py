"""Which graphs a run holds, and each of them read from its file when it is to be seen.

Source of what is a graph: TensorBoard `plugins/graph/graphs_plugin.py`. As there, a run's meta graph stands in only for
a run graph that was not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.events.compat import META_GRAPH_TAG, RUN_GRAPH_TAG
from tbtui.events.graph_errors import GraphError
from tbtui.events.graph_values import graph_bytes
from tbtui.events.values import Moment, ValueGone, stored_value
from tbtui.frozen import frozen
from tbtui.loading.byte_cache import ByteCache
from tbtui.store.snapshot import ReferenceSeries

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from tbtui.events.graphs import OpGraph
    from tbtui.events.keras_models import LayerGraph
    from tbtui.loading.payloads import Payloads
    from tbtui.store.snapshot import RunSnapshot

    StoredGraph: TypeAlias = OpGraph | LayerGraph

GRAPHS, KERAS = "graphs", "graph_keras_model"
RUN_METADATA, RUN_METADATA_GRAPH = "graph_run_metadata", "graph_run_metadata_graph"
TAGGED_RUN_METADATA = "graph_tagged_run_metadata"

_KINDS = {
    KERAS: "layers", GRAPHS: "ops", RUN_METADATA: "ops", RUN_METADATA_GRAPH: "ops", TAGGED_RUN_METADATA: "profile"
}  # fmt: skip
"""What each plugin's values are, the best to look at first."""

_RANKS = {plugin: rank for rank, plugin in enumerate(_KINDS)}

MOST_BYTES = 256 << 20
"""Of graphs that are kept: some sixty of half a megabyte as they are written."""

LARGEST = 128 << 20
"""Bytes of a graph that is read."""

_FACTOR = 9
"""Bytes in memory for each byte of a graph as it is written, measured on small nodes; large constants take less."""

_OF_A_REASON = 200


@frozen(eq=False)
class GraphSource:
    """One graph, or the times of one, that a run holds."""

    run: RunSnapshot
    tag: str
    plugin: str
    step: int
    wall_time: float
    """Seconds since the epoch."""

    point: int
    """Index into the series of the tag."""

    kind: str
    """`ops` (a graph of operations), `layers` (a model's) or `profile` (run metadata without a graph)."""

    @property
    def series(self) -> ReferenceSeries:
        """Where it lies."""
        series = self.run.series[self.tag]
        assert isinstance(series, ReferenceSeries)  # noqa: S101 - as `graph_sources` has found it
        return series

    @property
    def has_metadata(self) -> bool:
        """Whether it may tell times and memory."""
        return self.plugin in {RUN_METADATA, TAGGED_RUN_METADATA}

    @property
    def place(self) -> Hashable:
        """What tells it from all others, also from the one that takes its place in a file that is replaced."""
        series, point = self.series, self.point
        columns = (series.files, series.offsets, series.lengths, series.indices)
        return (self.run.name, self.run.reading, self.tag, self.step, *(int(column[point]) for column in columns))


def graph_sources(run: RunSnapshot) -> tuple[GraphSource, ...]:
    """All graphs and profiles of a run, the best to look at first; superseded ones are left out."""
    found = [source for series in run.series.values() for source in _sources_in(run, series)]
    if any(source.tag == RUN_GRAPH_TAG for source in found):
        found = [source for source in found if source.tag != META_GRAPH_TAG or source.plugin != GRAPHS]
    return tuple(sorted(found, key=lambda source: _RANKS[source.plugin]))


class GraphReader:
    """Reads graphs, and keeps those that were asked for last. Any thread may ask it.

    Args:
        payloads: Reads the files.
        most_bytes: Of graphs that are kept.
    """

    def __init__(self, payloads: Payloads, most_bytes: int = MOST_BYTES) -> None:
        self._payloads = payloads
        self._kept: ByteCache[StoredGraph | str | None] = ByteCache(most_bytes)

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept, about."""
        return self._kept.nbytes

    def read(self, source: GraphSource) -> StoredGraph:
        """One graph; the same object as long as it is kept.

        Raises:
            GraphError: There is none, or it cannot be read.
        """
        place = source.place
        known = self._kept.get(place, _nothing)
        if isinstance(known, str):
            raise GraphError(known)
        if known is not None:
            return known
        try:
            data = self.data(source)
            graph = _graph_of(data, source)
        except GraphError as error:
            if not error.may_pass:
                self._kept.put(place, str(error), _OF_A_REASON)
            raise
        self._kept.put(place, graph, _FACTOR * len(data))
        return graph

    def metadata(self, source: GraphSource) -> bytes:
        """The serialized `RunMetadata` of a source that has some.

        Raises:
            GraphError: It has none, or they cannot be read.
        """
        if source.plugin not in {RUN_METADATA, RUN_METADATA_GRAPH, TAGGED_RUN_METADATA}:
            raise GraphError("this graph was written without run metadata")
        return self.data(source)

    def data(self, source: GraphSource) -> bytes:
        """What was written: a `GraphDef`, a `MetaGraphDef`, `RunMetadata` or a model's JSON, read from its file.

        Raises:
            GraphError: It cannot be read.
        """
        series, point = source.series, source.point
        length = int(series.lengths[point])
        if length > LARGEST:
            raise GraphError(f"the graph has {length:,} bytes, too many to show")
        block = self._payloads.read(source.run, series, [point])
        if reason := block.refused.get(point):
            raise GraphError(reason, may_pass=block.may_pass)
        try:
            value = stored_value(
                block.payload(0), int(series.indices[point]), Moment(int(series.steps[point]), source.wall_time)
            )
        except ValueGone as error:
            raise GraphError(str(error)) from error
        return graph_bytes(value, series.metadata.content)


def _sources_in(run: RunSnapshot, series: object) -> Iterator[GraphSource]:
    if not isinstance(series, ReferenceSeries) or series.metadata.plugin_name not in _KINDS:
        return
    plugin = series.metadata.plugin_name
    points = range(len(series)) if series.kept is None else np.flatnonzero(series.kept).tolist()
    for point in points:
        step, wall_time = int(series.steps[point]), float(series.wall_times[point])
        yield GraphSource(run, series.tag, plugin, step, wall_time, point, _KINDS[plugin])


def _graph_of(data: bytes, source: GraphSource) -> StoredGraph:
    if source.kind == "layers":
        from tbtui.events.keras_models import read_keras_model

        return read_keras_model(data)
    from tbtui.events.graphs import read_graph, read_meta_graph, read_run_metadata

    if source.kind == "profile":
        raise GraphError("only times were written here, without the graph that they are of")
    if source.plugin != GRAPHS:
        return read_run_metadata(data)
    return read_meta_graph(data) if source.tag == META_GRAPH_TAG else read_graph(data)


def _nothing() -> None:
    return None
