"""The Graphs dashboard: what a model is made of, as a tree of scopes, as a diagram and as a table of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin

if TYPE_CHECKING:
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.graphs.pane import GraphsPane  # Textual is imported when the tab is opened

    return GraphsPane


READS = frozenset(
    {
        "graphs",
        "graph_run_metadata",
        "graph_run_metadata_graph",
        "graph_keras_model",
        "graph_tagged_run_metadata",
    }
)

PLUGIN = Plugin("graphs", "Graphs", "graphs", READS, _load_pane)
