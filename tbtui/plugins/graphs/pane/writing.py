"""The form that writes the graph to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.numbers import counted
from tbtui.charts.text import safe, visible_name
from tbtui.plugins.graphs.export import GRAPH_FORMATS, GraphDocument, graph_format, graph_text
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.item_colours import MEASURES, highest_top_cost
from tbtui.plugins.graphs.read import source_title
from tbtui.plugins.graphs.settings import ACROSS, COLOUR, HUBS_ASIDE
from tbtui.widgets.save_dialog import FileSaver, file_fields, proposed_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.output import SavedFile
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.profile import Measure, Times
    from tbtui.plugins.graphs.read import GraphReader, GraphSource
    from tbtui.settings.settings import Settings
    from tbtui.widgets.form_fields import Field


def written_fields(name: str = "graph.svg") -> tuple[Field, ...]:
    """Return the fields of the form, with a proposed file name."""
    return file_fields(name, formats=GRAPH_FORMATS)


class GraphWriting(FileSaver):
    """Writes one graph: as drawn for `svg`, with the same scopes open for `mermaid`, all of it for other formats.

    Args:
        reader: Reader of the graph.
        shown: The graph as it is drawn.
    """

    nothing = GraphError, "format"

    def __init__(self, reader: GraphReader, shown: GraphDocument) -> None:
        super().__init__()
        self._reader, self._shown = reader, shown

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        """Yield the text in the chosen format, or in the one that the file name asks for."""
        form = entered["format"] or graph_format(entered["path"])
        self._rows = self._shown.hierarchy.nodes
        yield from graph_text(self._shown, form, self._reader)


def graph_document(
    source: GraphSource,
    hierarchy: Hierarchy,
    navigation: Navigation,
    settings: Settings,
    times: Times | None,
    measure: Measure | None,
) -> GraphDocument:
    """Return what a file shows of a graph: the scopes, the direction and the colours of the screen.

    Args:
        source: Source of the graph.
        hierarchy: Hierarchy of the graph.
        navigation: Open scopes and the position in the graph.
        settings: Settings.
        times: Costs of a run; None if not available.
        measure: Cost that boxes are coloured by; None for no cost.
    """
    return GraphDocument(
        source,
        hierarchy,
        navigation.opened,
        navigation.inside,
        apart=navigation.apart,
        across=ACROSS.value(settings),
        aside=HUBS_ASIDE.value(settings),
        fills={} if times is None or measure is None else fills(times, measure),
    )


def fills(times: Times, measure: Measure) -> dict[int, str]:
    """Return the colour of each item that has a cost; the higher the cost, the less transparent."""
    top = highest_top_cost(times, measure)
    if not top:
        return {}
    costs = times.of(measure)[times.hierarchy.original]
    some = np.flatnonzero(costs)
    parts = np.minimum(costs[some] / top, 1.0)
    return {item: f"#fb6a4a{round(255 * part):02x}" for item, part in zip(some.tolist(), parts.tolist(), strict=True)}


def written_word(written: SavedFile) -> str:
    """Return the message that is shown after writing; it may hold any characters."""
    return f"graph of {counted(written.rows, 'node')} in {written.path}"


def open_write_form(pane: GraphsPane) -> None:
    """Open the form that writes the graph; pictures have the same scopes open as the screen."""
    from tbtui.widgets.form import FormScreen

    scene = pane.scene
    if scene is None:
        return
    measure = MEASURES.get(COLOUR.value(scene.settings))
    source = scene.graph.source
    document = graph_document(source, scene.hierarchy, scene.navigation, scene.settings, scene.times, measure)
    writing = GraphWriting(pane.loader.graphs.reader, document)
    name = source.run.name
    title = safe(f"write {source_title(source)}" + (f" of {visible_name(name)}" if name != "." else ""))

    def show(written: SavedFile | None) -> None:
        if written is not None:
            pane.notify(safe(written_word(written)), title="written", markup=False)

    fields = written_fields(proposed_name("graph.svg", name, source_title(source)))
    pane.app.push_screen(FormScreen(title, fields, writing, slow=True, cancel=writing.stop), show)
