"""Writes the graph that is shown to a file. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.events.graph_errors import GraphError
from tbtui.export.graphs import GRAPH_FORMATS, GraphDocument, graph_format, graph_text
from tbtui.widgets.file_writing import FileWriting, file_fields

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.graphs.places import Layout
    from tbtui.loading.graphs import GraphReader, GraphSource
    from tbtui.widgets.form_fields import Field


def written_fields() -> tuple[Field, ...]:
    """What is asked for before anything is written."""
    return file_fields("graph.svg", formats=GRAPH_FORMATS)


class Writing(FileWriting):
    """Of one graph: as drawn in `svg`, with the same scopes open in `mermaid`, whole in all other formats.

    Args:
        reader: Reads the graph.
        source: Where it is.
        hierarchy: Of the graph.
        opened: Scopes that are open.
        layout: The diagram as it is drawn; None: with these scopes open, from the top of the graph.
    """

    nothing = GraphError, "format"

    def __init__(
        self,
        reader: GraphReader,
        source: GraphSource,
        hierarchy: Hierarchy,
        opened: AbstractSet[int],
        layout: Layout | None = None,
    ) -> None:
        super().__init__()
        self._reader = reader
        self._document = GraphDocument(source, hierarchy, opened, layout)

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        """The graph in the format that was chosen, or that the file is named by."""
        form = entered["format"] or graph_format(entered["path"])
        self._rows = self._document.hierarchy.nodes
        yield from graph_text(self._document, form, self._reader)
