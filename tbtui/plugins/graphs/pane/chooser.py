"""The list of all graphs, to choose one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts import colours as palette
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import step
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width, fit, safe, visible_name
from tbtui.plugins.graphs.item_labels import memory_text
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.read import source_kind, source_title

if TYPE_CHECKING:
    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.read import GraphList

EMPTY = "holds no graph"
SEPARATOR = " · "
EDGES = 6
"""Columns of a row for the marker and the gaps."""


def graph_rows(listed: GraphList, width: int) -> tuple[Row, ...]:
    """Return a row for each graph: its run, its title, and its bytes in the file.

    Args:
        listed: All graphs.
        width: Columns of a row. Runs get half of them; details except the title are dropped if they do not fit.
    """
    longest = max((cell_width(safe(source.run.name)) for source in listed.sources), default=0)
    details_width = max(width - EDGES - longest, (width - EDGES) // 2)
    rows = []
    for number, source in enumerate(listed.sources):
        ink = listed.view.inks.get(source.run.name, 0)
        length = int(source.series.lengths[source.point])
        kind = EMPTY if source.key in listed.empty_keys else source_kind(source)
        parts = [source_title(source), kind, f"step {step(source.step)}", memory_text(length)]
        while len(parts) > 1 and cell_width(safe(SEPARATOR.join(parts))) > details_width:
            parts.pop()
        right = fit(SEPARATOR.join(parts), details_width)
        prefix = ((f" {palette.marker(ink)} ", ink),)
        rows.append(Row(str(number), prefix, visible_name(source.run.name), Ink.TEXT, right=((right, Ink.DIM),)))
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

    open_chooser(pane.app, strings.CHOOSE, partial(graph_rows, listed), str(pane.loader.index), "I", show)
