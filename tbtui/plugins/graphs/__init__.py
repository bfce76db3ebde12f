"""Graphs dashboard: a model as a tree of scopes, a diagram, a table of operations and a timeline of its execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, DocumentExport, InspectFacts, Plugin, PrintedText, TableExport
from tbtui.plugins.graphs.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.request import Document, ExportRequest, Rows
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.graphs.pane.pane import GraphsPane

    return GraphsPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.graphs.print_blocks import print_graphs

    return print_graphs(view, options)


def _export_documents(request: ExportRequest) -> Sequence[Document]:
    from tbtui.plugins.graphs.export import list_graph_documents

    return list_graph_documents(
        request.runs_without_scalars, request.tag_matches, request.skipped, current=request.current
    )


def _export_executions(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.graphs.export import RUN_METADATA, run_metadata_tables

    return Rows(RUN_METADATA, run_metadata_tables(request.runs_without_scalars, request.tag_matches, request.skipped))


def _inspect_newest(run: RunSnapshot, series: Series, _extremes: ScalarExtremes | None) -> tuple[str, ...]:
    from tbtui.plugins.graphs.print_blocks import describe_newest
    from tbtui.store.snapshot import ReferenceSeries

    return (describe_newest(run, series),) if isinstance(series, ReferenceSeries) and len(series) else ()


PRINTED = frozenset({"graphs", "graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model"})
"""Plugin names of series whose values hold a graph."""

READS = PRINTED | {"graph_tagged_run_metadata"}
"""All plugin names of the dashboard; the last one holds execution times alone."""

FORMATS = {
    "dot": ("dot", "gv"),
    "mermaid": ("mmd", "mermaid"),
    "svg": ("svg",),
    "pbtxt": ("pbtxt",),
    "json": ("json",),
}
"""Formats of exported graphs with their file suffixes, the default first."""

_COLUMNS = "device, name, label, thread, start_ns, duration_ns and memory: a row an execution of an operation"

PLUGIN = Plugin(
    "graphs",
    "Graphs",
    "graphs",
    READS,
    _load_pane,
    text=PrintedText(_print_blocks, reads=PRINTED, takes_step=True),
    exports=(
        DocumentExport("graphs", "graphs", FORMATS, _export_documents),
        TableExport("run_metadata", "run metadata", _export_executions, columns_help=_COLUMNS, is_secondary=True),
    ),
    facts=dict.fromkeys(PRINTED, InspectFacts(("newest",), _inspect_newest, is_text=True)),
    accessors=dict.fromkeys(READS, Accessor("graphs")),
    settings=SETTINGS,
)
