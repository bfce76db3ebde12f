"""The form that writes the graph to a file, and the list of all graphs; imported when one of them is opened."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.card import SEPARATOR
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count, format_step
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width, fit, format_run_name, safe
from tbtui.plugins.graphs.export import GRAPH_FORMATS, GraphDocument, choose_graph_format, encode_graph
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.item_colours import COLOUR_MEASURES, find_highest_cost
from tbtui.plugins.graphs.item_labels import format_memory
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.read import format_source_kind, format_source_title
from tbtui.plugins.graphs.settings import ACROSS, COLOUR, HUBS_ASIDE
from tbtui.widgets.file_saver import FileSaver, create_file_fields, propose_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.output import SavedFile
    from tbtui.plugins.graphs.costs import Measure, RunCosts
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.read import GraphList, GraphReader, GraphSource
    from tbtui.settings.settings import Settings
    from tbtui.widgets.form_fields import Field


def list_save_fields(name: str = "graph.svg") -> tuple[Field, ...]:
    """Return the fields of the form, with a proposed file name."""
    return create_file_fields(name, formats=GRAPH_FORMATS)


class GraphSaver(FileSaver):
    """Writes one graph: `svg` as it is drawn, `mermaid` with the same open scopes, other formats with all nodes.

    Args:
        reader: Reader of the graph.
        document: The graph as it is drawn.
    """

    no_data_error = GraphError
    no_data_field = "format"

    def __init__(self, reader: GraphReader, document: GraphDocument) -> None:
        super().__init__()
        self._reader, self._document = reader, document

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        """Yield the text in the chosen format, or in that of the file name."""
        form = entered["format"] or choose_graph_format(entered["path"])
        self._rows = self._document.hierarchy.nodes
        yield from encode_graph(self._document, form, self._reader)


def build_document(
    source: GraphSource,
    hierarchy: Hierarchy,
    navigation: Navigation,
    settings: Settings,
    costs: RunCosts | None,
    measure: Measure | None,
) -> GraphDocument:
    """Return the graph with the open scopes, the direction and the colours of the screen.

    Args:
        source: Source of the graph.
        hierarchy: Hierarchy of the graph.
        navigation: Open scopes and the position in the graph.
        settings: Settings.
        costs: Costs of a run; None if not available.
        measure: Cost that boxes are coloured by; None for no cost.
    """
    return GraphDocument(
        source,
        hierarchy,
        navigation.opened,
        navigation.inside,
        ungrouped=navigation.ungrouped,
        across=ACROSS.value(settings),
        hubs_aside=HUBS_ASIDE.value(settings),
        fills={} if costs is None or measure is None else choose_fills(costs, measure),
    )


def choose_fills(costs: RunCosts, measure: Measure) -> dict[int, str]:
    """Return the colour of each item that has a cost; the higher the cost, the less transparent."""
    top = find_highest_cost(costs, measure)
    if not top:
        return {}
    item_costs = costs.list_by_item(measure)[costs.hierarchy.original]
    items = np.flatnonzero(item_costs)
    shares = np.minimum(item_costs[items] / top, 1.0)
    return {
        item: f"#fb6a4a{round(255 * share):02x}" for item, share in zip(items.tolist(), shares.tolist(), strict=True)
    }


def format_saved(saved: SavedFile) -> str:
    """Return the message after writing; it may hold any characters."""
    return f"graph of {format_count(saved.rows, 'node')} in {saved.path}"


def open_save_form(pane: GraphsPane) -> None:
    """Open the form that writes the graph; pictures have the same scopes open as the screen."""
    from tbtui.widgets.form import FormScreen

    scene = pane.scene
    if scene is None:
        return
    measure = COLOUR_MEASURES.get(COLOUR.value(scene.settings))
    source = scene.graph.source
    document = build_document(source, scene.hierarchy, scene.navigation, scene.settings, scene.costs, measure)
    saver = GraphSaver(pane.loader.graphs.reader, document)
    name = source.run.name
    title = safe(f"write {format_source_title(source)}" + (f" of {format_run_name(name)}" if name != "." else ""))

    def show(saved: SavedFile | None) -> None:
        if saved is not None:
            pane.notify(safe(format_saved(saved)), title="written", markup=False)

    fields = list_save_fields(propose_name("graph.svg", name, format_source_title(source)))
    pane.app.push_screen(FormScreen(title, fields, saver, slow=True, cancel=saver.stop), show)


EMPTY_TEXT = "holds no graph"
MARKER_COLUMNS = 6
"""Columns of a row for the marker and the gaps."""


def build_graph_rows(listed: GraphList, width: int) -> tuple[Row, ...]:
    """Return a row for each graph: its run, its title, and its bytes in the file.

    Args:
        listed: All graphs.
        width: Columns of a row. Runs get half of them; details except the title are dropped if they do not fit.
    """
    longest = max((cell_width(safe(source.run.name)) for source in listed.sources), default=0)
    details_width = max(width - MARKER_COLUMNS - longest, (width - MARKER_COLUMNS) // 2)
    rows = []
    for number, source in enumerate(listed.sources):
        ink = listed.view.inks.get(source.run.name, 0)
        length = int(source.series.lengths[source.point])
        kind = EMPTY_TEXT if source.key in listed.empty_keys else format_source_kind(source)
        parts = [format_source_title(source), kind, f"step {format_step(source.step)}", format_memory(length)]
        while len(parts) > 1 and cell_width(safe(SEPARATOR.join(parts))) > details_width:
            parts.pop()
        right = fit(SEPARATOR.join(parts), details_width)
        prefix = ((f" {get_series_marker(ink)} ", ink),)
        rows.append(Row(str(number), prefix, format_run_name(source.run.name), Ink.TEXT, right=((right, Ink.DIM),)))
    return tuple(rows)


def open_graph_list(pane: GraphsPane) -> None:
    """Open the list of all graphs, and show the one that is chosen."""
    from tbtui.widgets.chooser import open_chooser

    listed = pane.loader.listed
    if listed is None or not listed.sources:
        return
    if len(listed.sources) == 1:
        pane.toast(strings.NO_OTHER_GRAPH)
        return

    def show(number: str) -> None:
        pane.choose_graph(listed.sources[int(number)])

    open_chooser(pane.app, strings.CHOOSE, partial(build_graph_rows, listed), str(pane.loader.index), "I", show)
