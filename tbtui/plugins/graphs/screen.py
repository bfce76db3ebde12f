"""The parts of the Graphs tab and where they stand: tree, diagram, table, timeline, details, search."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.cells import Ink
from tbtui.charts.headline import BACK
from tbtui.charts.text import shorten
from tbtui.plugins.graphs.arrangement import Area, arranged
from tbtui.plugins.graphs.details import Details, rows_of
from tbtui.plugins.graphs.finding import PLACEHOLDER
from tbtui.plugins.graphs.items import DetailList, OperationList, TableHeads, TreeList
from tbtui.plugins.graphs.timeline_chart import TimelineChart
from tbtui.plugins.graphs.view import DiagramView
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line, apart
from tbtui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.widget import Widget

    from tbtui.loading.payloads import Payloads
    from tbtui.viewstate.graph_looks import GraphView
    from tbtui.widgets.line import Piece

EDGE_WIDTH = 2
"""Columns of a list that are no row's."""

NOTHING = Details(-1, "")


class GraphScreen(Pane):
    """Places the parts. The view that has the keys is chosen; beside the tree it is the one that shows."""

    DEFAULT_CSS = """
    GraphScreen { padding-left: 1; }
    GraphScreen > * { position: absolute; }
    GraphScreen > .details-title { background: $panel; }
    GraphScreen:ansi > .details-title { background: ansi_default; }
    """

    BINDING_GROUP_TITLE = "What is looked at"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "open", "open", id="graphs.open", tooltip="open or close; details"),
        Binding("d", "view('diagram')", "diagram", id="graphs.diagram", tooltip="diagram"),
        Binding("s", "view('tree')", "tree", id="graphs.tree", tooltip="tree"),
        Binding("o", "view('operations')", "table", id="graphs.operations", tooltip="table"),
        Binding("T", "view('timeline')", "timeline", show=False, id="graphs.timeline", tooltip="times"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.diagram, self.scopes, self.operations = DiagramView(), TreeList(), OperationList()
        self.timeline, self.details = TimelineChart(), DetailList()
        self.operations.display = self.timeline.display = False  # nothing is listed for them before they are placed
        self.bar = FilterBar(PLACEHOLDER)
        self.graph_view: GraphView = "diagram"
        self._title, self._tree_heads, self._table_heads = Line(), Line(), TableHeads()
        self._details_title = Line()
        self._details_title.add_class("details-title")
        self.areas = arranged(0, 0, "diagram", searched=False)
        """Where the parts stand."""

        self.targets: Mapping[str, int] = {}
        """By the keys of rows of the details: the items that they lead to."""

        self._told = NOTHING
        self._speaks = True
        """Whether words stand in the place of a graph."""

    def compose(self) -> ComposeResult:
        """All parts; the diagram before the tree, so that it gets the keys first."""
        yield self._title
        yield from (self.diagram, self._table_heads, self.operations, self.timeline)
        yield from (self._tree_heads, self.scopes, self._details_title, self.details)
        yield self.bar

    def say(self, headline: str, hint: str = "") -> None:
        """Show these words instead of a graph, where the diagram stands, which then has the keys."""
        self._speaks = True
        self.diagram.say(headline, hint)
        self.place()

    def say_no_more(self) -> None:
        """Show the parts again."""
        had_keys, self._speaks = self.diagram.has_focus, False
        self.place()
        if had_keys:
            self.focus_view()

    def focus_view(self) -> None:
        """Give the keys to the chosen view; as long as words stand in its place, to these."""
        (self.diagram if self._speaks else self.view_widget).focus(scroll_visible=False)

    # Where everything stands

    def place(self) -> None:
        """Place the parts as the size of the pane asks for."""
        size, view = self.content_size, self.graph_view
        if not size.width:
            return
        found = self.areas = arranged(size.width, size.height, view, searched=self.searched)
        shown = "diagram" if view == "tree" else view
        heads, table = found.view._replace(height=1), found.view
        table = table._replace(y=table.y + 1, height=max(table.height - 1, 0))
        _put(self._title, found.title, shows=True)
        _put(self.bar, found.bar, shows=True)
        parts = (
            (self.diagram, found.view, shown == "diagram"),
            (self._table_heads, heads, shown == "operations"),
            (self.operations, table, shown == "operations"),
            (self.timeline, found.view, shown == "timeline"),
            (self._tree_heads, found.heads, True),
            (self.scopes, found.tree, True),
            (self._details_title, found.details_title, True),
            (self.details, found.details, True),
        )
        for part, area, shows in parts:
            _put(part, area, shows=shows and not self._speaks)
        if self._speaks:
            _put(self.diagram, Area(0, 1, size.width, size.height - 1), shows=True)

    @property
    def searched(self) -> bool:
        """Whether a line is needed for what is searched for."""
        return False

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
        return max(self.areas.tree.width - EDGE_WIDTH, 1)

    @property
    def table_width(self) -> int:
        """Columns of a row of the table."""
        return max(self.areas.view.width - EDGE_WIDTH, 1)

    # Lines

    def show_title(self, pieces: tuple[Piece, ...]) -> None:
        """Say which graph is shown."""
        self._title.show(pieces)

    def show_heads(self, heads: tuple[tuple[Piece, ...], ...], *, of_tree: bool) -> None:
        """Say what stands in the columns of the tree or the table: at the left, and at the right."""
        line, width = (self._tree_heads, self.tree_width) if of_tree else (self._table_heads, self.table_width)
        line.show(apart(heads[0], heads[1], width))

    def show_details(self, details: Details) -> None:
        """Tell what is known of an item."""
        width = self.areas.details.width - EDGE_WIDTH
        if width < 1:
            return
        anew, self._told = details.item != self._told.item, details
        self.say_whose_details()
        rows, self.targets = rows_of(details, width)
        first = next((at for at, row in enumerate(rows) if row.key in self.targets), 0)
        self.details.show_details(rows, first, self.targets, anew=anew)

    def say_whose_details(self) -> None:
        """Name the item that details are told of; where they have the keys the name leads, and the way back is told."""
        led, width = self.details.has_focus, self.areas.details.width - 1
        back = ((BACK, Ink.DIM),) if led else ()
        name = shorten(self._told.name, width - (len(BACK) + 1 if led else 0))
        self._details_title.show(apart(((name, Ink.ACCENT if led else Ink.BOLD),), back, width))


def _put(part: Widget, area: Area, *, shows: bool) -> None:
    """Give a part its cells, or hide it."""
    part.display = shows and area.width > 0 and area.height > 0
    if part.display:
        part.styles.offset = (area.x, area.y)
        part.styles.width, part.styles.height = area.width, area.height
