"""A modal list of all graphs, to choose one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tbtui.charts import colours as palette
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import step
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width, fit, safe, visible_name
from tbtui.plugins.graphs.item_labels import memory_text
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.read import source_kind, source_title
from tbtui.widgets.line import Heading, Line
from tbtui.widgets.row_list import RowList
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.read import GraphList

WIDTH = 76
MAX_ROWS = 30
FRAME_ROWS = 4
"""Rows of the dialog around the list: the heading, a blank row and both borders."""

BORDER_COLUMNS = 2
NOTHING = "holds no graph"
BETWEEN = " · "
EDGES = 6
"""Columns of a row that hold the marker and the gaps."""


def graph_rows(listed: GraphList, width: int = WIDTH) -> tuple[Row, ...]:
    """Return a row for each graph: its run, its title, and how many bytes it takes in the file.

    Args:
        listed: All graphs.
        width: Columns of a row. Runs get half of them; details except the title give way.
    """
    longest = max((cell_width(safe(source.run.name)) for source in listed.sources), default=0)
    room = max(width - EDGES - longest, (width - EDGES) // 2)
    rows = []
    for number, source in enumerate(listed.sources):
        ink = listed.view.inks.get(source.run.name, 0)
        length = int(source.series.lengths[source.point])
        kind = NOTHING if source.place in listed.hollow else source_kind(source)
        parts = [source_title(source), kind, f"step {step(source.step)}", memory_text(length)]
        while len(parts) > 1 and cell_width(safe(BETWEEN.join(parts))) > room:
            parts.pop()
        right = fit(BETWEEN.join(parts), room)
        lead = ((f" {palette.marker(ink)} ", ink),)
        rows.append(Row(str(number), lead, visible_name(source.run.name), Ink.TEXT, right=((right, Ink.DIM),)))
    return tuple(rows)


class GraphChooser(ModalScreen["int | None"], DismissOnceScreen["int | None"]):
    """Returns the index of the chosen graph, or None.

    Args:
        listed: All graphs.
        index: Index of the shown graph.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "apply", "show", system=True),
        Binding("escape,q,c", "dismiss(None)", "cancel", system=True),
    ]

    DEFAULT_CSS = f"""
    GraphChooser {{ align: right bottom; background: transparent; }}
    GraphChooser > Vertical {{
        width: {WIDTH}; max-width: 100%; max-height: 100%;
        background: $background; border: round $foreground 50%;
    }}
    """

    def __init__(self, listed: GraphList, index: int) -> None:
        super().__init__()
        self._listed, self._index = listed, index
        self._rows = RowList()
        self._box = Vertical(Heading("choose a graph", ("⏎", "show"), ("esc", "cancel")), Line(), self._rows)

    def compose(self) -> ComposeResult:
        """Yield a title, and the graphs below it."""
        yield self._box

    def on_mount(self) -> None:
        """Focus the list, with the cursor on the graph that is open."""
        self._box.styles.height = min(len(self._listed.sources), MAX_ROWS) + FRAME_ROWS
        self._list()
        self._rows.move_to_key(str(self._index))
        self._rows.focus()

    def on_resize(self) -> None:
        """Show as many words of each graph as fit."""
        self._list()

    def _list(self) -> None:
        self._rows.show_rows(graph_rows(self._listed, min(self.app.size.width, WIDTH) - BORDER_COLUMNS))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Choose the graph that was clicked."""
        event.stop()
        self.action_apply()

    def action_apply(self) -> None:
        """Choose the graph under the cursor."""
        key = self._rows.cursor_key
        self.dismiss(None if key is None else int(key))


def open_chooser(pane: GraphsPane) -> None:
    """Open the list of all graphs, and show the one that is chosen."""
    listed = pane.loader.listed
    if listed is not None and len(listed.sources) == 1:
        pane.tell(strings.NO_OTHER_GRAPH)
    elif listed is not None and listed.sources:

        def show(number: int | None) -> None:
            if number is not None:
                pane.choose_graph(listed.sources[number])

        pane.app.push_screen(GraphChooser(listed, pane.loader.index), show)
