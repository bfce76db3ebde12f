"""Export of graphs as documents in five formats, and of run metadata as tables.

`dot` and `json` have every node, `pbtxt` is the written graph, and `mermaid` and `svg` have the graph with as many
open scopes as fit in a drawing.
"""

from __future__ import annotations

import math
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from tbtui.export.request import Document, DocumentText
from tbtui.export.table import Table, build_object_column
from tbtui.frozen import frozen
from tbtui.loading.payloads import Payloads
from tbtui.plugins.graphs.formats.documents import choose_open_scopes
from tbtui.plugins.graphs.formats.run_metadata import read_executions
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.read import GraphReader, list_graph_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    import numpy.typing as npt

    from tbtui.export.table import SkippedValues
    from tbtui.plugins.graphs.formats.run_metadata import Executions
    from tbtui.plugins.graphs.read import GraphSource
    from tbtui.store.snapshot import RunSnapshot


GraphFormat: TypeAlias = Literal["dot", "mermaid", "svg", "pbtxt", "json"]
SUFFIXES: dict[GraphFormat, tuple[str, ...]] = {
    "dot": (".dot", ".gv"),
    "mermaid": (".mmd", ".mermaid"),
    "svg": (".svg",),
    "pbtxt": (".pbtxt",),
    "json": (".json",),
}
"""Suffixes of file names in each format, the default first."""

GRAPH_FORMATS = tuple(SUFFIXES)

MAX_BOXES = 150
"""Maximum boxes of a drawing whose scopes are opened automatically."""


@frozen(eq=False)
class GraphDocument:
    """A graph to write."""

    source: GraphSource
    hierarchy: Hierarchy
    opened: AbstractSet[int]
    """Scopes that are open in a drawing."""

    inside: int | None = None
    """Scope that `svg` shows; None: the whole graph."""

    ungrouped: AbstractSet[int] = frozenset()
    """Series that `svg` replaces by their members."""

    across: bool = False
    """True if `svg` flows from left to right."""

    hubs_aside: bool = True
    """True if `svg` sets hub nodes aside."""

    fills: Mapping[int, str] = field(default_factory=dict)
    """CSS colours of items in `svg`."""

    losses: tuple[str, ...] = ()
    """Sentences about parts that could not be read."""

    @property
    def title(self) -> str:
        """Title; may hold any characters."""
        return f"{self.source.run.name} · {self.source.tag}"


def choose_graph_format(path: Path | None) -> GraphFormat:
    """Return the format of a file name; DOT if it has no known suffix, and for None (stdout)."""
    suffix = path.suffix.lower() if path is not None else ""
    return next((form for form, suffixes in SUFFIXES.items() if suffix in suffixes), "dot")


def select_graphs(runs: Iterable[RunSnapshot], tag_matches: Callable[[str], bool]) -> Iterator[GraphSource]:
    """Yield the graphs of runs, run by run, the most useful of each run first; superseded ones come last.

    Args:
        runs: Selected runs.
        tag_matches: Returns True for selected tags.
    """
    for run in runs:
        yield from (
            source for source in list_graph_sources(run) if source.kind != "profile" and tag_matches(source.tag)
        )


def list_graph_documents(
    runs: Iterable[RunSnapshot], tag_matches: Callable[[str], bool], skipped: SkippedValues, *, current: bool = False
) -> list[Document]:
    """Return the graphs of runs as documents, which are read when their text is requested.

    Args:
        runs: The selected runs.
        tag_matches: Returns True for a selected tag.
        skipped: Receives every graph that cannot be read.
        current: Leave out superseded graphs.
    """
    reader = GraphReader(Payloads(), max_bytes=0)

    def text(source: GraphSource, form: GraphFormat) -> DocumentText | None:
        try:
            document = read_graph_document(reader, source)
            pieces = encode_graph(document, form, reader)
        except GraphError as error:
            skipped.add(source.series, {source.point: str(error)}, requested=1)
            return None
        skipped.add(source.series, {}, requested=1)
        return DocumentText(pieces, document.losses)

    return [
        Document(source.run.name, source.tag, source.step, partial(text, source), source.is_superseded)
        for source in select_graphs(runs, tag_matches)
        if not (current and source.is_superseded)
    ]


def read_graph_document(reader: GraphReader, source: GraphSource) -> GraphDocument:
    """Read a graph.

    Raises:
        GraphError: It cannot be read.
    """
    graph = reader.read(source)
    hierarchy = Hierarchy(build_graph(graph))
    return GraphDocument(source, hierarchy, choose_open_scopes(hierarchy, MAX_BOXES), losses=graph.losses)


def encode_graph(document: GraphDocument, form: GraphFormat, reader: GraphReader) -> Iterator[str]:
    """Yield a graph in a format, piece by piece.

    Raises:
        GraphError: It cannot be read any more, or has too many boxes for a drawing.
    """
    # Imported here, so that a format does not load the modules of another.
    if form == "dot":
        from tbtui.plugins.graphs.formats.documents import iter_dot_lines

        return iter_dot_lines(document.hierarchy, document.title)
    if form == "mermaid":
        from tbtui.plugins.graphs.formats.documents import iter_mermaid_lines

        return iter_mermaid_lines(document.hierarchy, document.title, document.opened)
    if form == "json":
        from tbtui.plugins.graphs.formats.documents import iter_json_lines

        return iter_json_lines(document.hierarchy.graph, _list_source_fields(document.source))
    if form == "svg":
        return iter([_encode_svg(document)])
    from tbtui.plugins.graphs.formats.documents import encode_text_proto

    return iter([encode_text_proto(reader.read(document.source))])


def _encode_svg(document: GraphDocument) -> str:
    from tbtui.plugins.graphs.diagram_layout import FULL
    from tbtui.plugins.graphs.layout.layout import lay_out
    from tbtui.plugins.graphs.scope_diagram import build_diagram, count_excess_boxes
    from tbtui.plugins.graphs.svg import encode_svg

    hierarchy, inside = document.hierarchy, document.inside
    scope = hierarchy.root if inside is None else inside
    if boxes := count_excess_boxes(hierarchy, scope, document.opened, document.ungrouped):
        raise GraphError(f"it has {boxes:,} boxes, too many for a picture: dot and json hold them all")
    diagram = build_diagram(
        hierarchy, scope, document.opened, ungrouped=document.ungrouped, hubs_aside=document.hubs_aside
    )
    return encode_svg(lay_out(diagram, FULL, across=document.across), title=document.title, fills=document.fills)


def _list_source_fields(source: GraphSource) -> dict[str, str | int | float | None]:
    """Return the header of the JSON document; `wall_time` is null if it is not finite."""
    wall_time = source.wall_time if math.isfinite(source.wall_time) else None
    return {"run": source.run.name, "tag": source.tag, "kind": source.kind, "step": source.step, "wall_time": wall_time}


RUN_METADATA = ("step", "wall_time", "device", "name", "label", "thread", "start_ns", "duration_ns", "memory")
"""Columns of each table of run metadata: `start_ns` in nanoseconds since the epoch, `memory` in bytes."""


def run_metadata_tables(
    runs: Iterable[RunSnapshot], tag_matches: Callable[[str], bool], skipped: SkippedValues
) -> Iterator[Table]:
    """Yield the executions in all run metadata of runs, without superseded ones.

    Args:
        runs: Selected runs.
        tag_matches: Returns True for selected tags.
        skipped: Collects values that cannot be read.
    """
    reader = GraphReader(Payloads(), max_bytes=0)
    for run in runs:
        for source in list_graph_sources(run):
            if source.has_metadata and not source.is_superseded and tag_matches(source.tag):
                yield from _iter_tables(source, reader, skipped)


def _iter_tables(source: GraphSource, reader: GraphReader, skipped: SkippedValues) -> Iterator[Table]:
    try:
        executions = read_executions(reader.metadata(source))
    except GraphError as error:
        skipped.add(source.series, {source.point: str(error)}, requested=1)
        return
    skipped.add(source.series, {}, requested=1)
    if len(executions):
        yield Table(source.run.name, source.tag, _build_columns(source, executions))


def _build_columns(source: GraphSource, executions: Executions) -> dict[str, npt.NDArray[Any]]:
    count = len(executions)
    columns = (
        np.full(count, source.step, np.int64),
        np.full(count, source.wall_time, np.float64),
        build_object_column([executions.devices[index] for index in executions.device.tolist()]),
        build_object_column(executions.names),
        build_object_column(executions.labels),
        executions.threads,
        executions.starts,
        executions.durations,
        executions.memory,
    )
    return dict(zip(RUN_METADATA, columns, strict=True))
