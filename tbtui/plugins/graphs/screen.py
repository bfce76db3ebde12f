"""The parts of the Graphs tab and where they stand: tree, diagram, table, timeline, details, search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Container, Vertical

from tbtui.charts.cells import Ink
from tbtui.charts.text import safe
from tbtui.plugins.graphs.arrangement import arranged
from tbtui.plugins.graphs.finding import PLACEHOLDER
from tbtui.plugins.graphs.items import DetailList, OperationList, TreeList
from tbtui.plugins.graphs.timeline_chart import TimelineChart
from tbtui.plugins.graphs.view import DiagramView
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line, apart
from tbtui.widgets.notice import Notice
from tbtui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.details import Details
    from tbtui.viewstate.graph_looks import GraphView
    from tbtui.widgets.line import Piece

EDGE_WIDTH = 2
"""Columns of a list that are no row's."""


class GraphScreen(Pane):
    """Places the parts. The view that has the keys is chosen; beside the tree it is the one that shows."""

    DEFAULT_CSS = """
    GraphScreen { layout: vertical; padding-left: 1; }
    GraphScreen > #body { layout: horizontal; height: 1fr; }
    GraphScreen #tree-part { dock: left; height: 1fr; }
    GraphScreen #view-part { width: 1fr; height: 1fr; }
    GraphScreen #details { height: auto; }
    GraphScreen #details > Line { background: $panel; }
    GraphScreen:ansi #details > Line { background: ansi_default; }
    GraphScreen > FilterBar, GraphScreen > Notice { display: none; }
    GraphScreen > FilterBar.shown { display: block; }
    GraphScreen.empty > Notice { display: block; }
    GraphScreen.empty > #body, GraphScreen.empty > #details { display: none; }
    """

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.diagram, self.scopes, self.operations = DiagramView(), TreeList(), OperationList()
        self.timeline, self.details = TimelineChart(), DetailList()
        self.bar = FilterBar(PLACEHOLDER)
        self.graph_view: GraphView = "diagram"
        self._title, self._tree_heads, self._table_heads, self._details_title = Line(), Line(), Line(), Line()
        self._view_part = Vertical(self.diagram, self._table_heads, self.operations, self.timeline, id="view-part")
        self._tree_part = Vertical(self._tree_heads, self.scopes, id="tree-part")
        self._details_part = Vertical(self._details_title, self.details, id="details")
        self._notice = Notice()

    def compose(self) -> ComposeResult:
        """From top to bottom; the diagram before the tree, so that it gets the keys first."""
        yield self._title
        yield Container(self._view_part, self._tree_part, id="body")
        yield self._details_part
        yield self.bar
        yield self._notice

    def say(self, headline: str, hint: str = "") -> None:
        """Show these words instead of a graph."""
        self.add_class("empty")
        self._notice.say(headline, hint)

    # Where everything stands

    def place(self) -> None:
        """Place the parts as the size of the pane asks for."""
        size, view = self.size, self.graph_view
        if not size.width:
            return
        found = arranged(size.width, size.height - 1, view)
        shown = "diagram" if view == "tree" else view
        self._tree_part.styles.width = "100%" if found.tree_width is None else found.tree_width
        self._tree_part.display = self.scopes.display = found.tree
        self._tree_heads.display = found.heads and found.tree
        self._view_part.display = found.view
        self.diagram.display = found.view and shown == "diagram"
        self.operations.display = self._table_heads.display = found.view and shown == "operations"
        self.timeline.display = found.view and shown == "timeline"
        self._details_part.display = self.details.display = found.details_height > 0
        self.details.styles.height = found.details_height

    @property
    def view_widget(self) -> Widget:
        """What takes the keys of the chosen view."""
        widgets: dict[GraphView, Widget] = {
            "tree": self.scopes,
            "diagram": self.diagram,
            "operations": self.operations,
            "timeline": self.timeline,
        }
        return widgets[self.graph_view]

    @property
    def tree_width(self) -> int:
        """Columns of a row of the tree."""
        return max(self.scopes.size.width - EDGE_WIDTH, 1)

    @property
    def table_width(self) -> int:
        """Columns of a row of the table."""
        return max(self.operations.size.width - EDGE_WIDTH, 1)

    # Lines

    def show_title(self, pieces: tuple[Piece, ...]) -> None:
        """Say which graph is shown."""
        self._title.show(pieces)

    def show_heads(self, heads: tuple[tuple[Piece, ...], ...], *, of_tree: bool) -> None:
        """Say what stands in the columns of the tree or the table: at the left, and at the right."""
        line, width = (self._tree_heads, self.tree_width) if of_tree else (self._table_heads, self.table_width)
        line.show(apart(heads[0], heads[1], width))

    def show_details(self, details: Details, *, anew: bool) -> None:
        """Tell what is known of an item."""
        name, words = safe(details.name), ((details.words, Ink.DIM),)
        ink = Ink.ACCENT if self.details.has_focus else Ink.BOLD
        self._details_title.show((((name, ink)), ("  ", Ink.NONE), *words))
        self.details.show_details(details.rows, anew=anew)
