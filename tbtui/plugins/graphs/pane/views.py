"""The parts of the graphs pane, and where they stand on a screen of some size."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.card import BACK_HINT
from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import spread_pieces
from tbtui.charts.text import shorten
from tbtui.frozen import frozen
from tbtui.plugins.graphs.pane.details import Details, detail_rows
from tbtui.plugins.graphs.pane.diagram_view import DiagramView
from tbtui.plugins.graphs.pane.widgets import DetailList, OperationList, TableHeads, TimelineChart, TreeList
from tbtui.plugins.graphs.search import PLACEHOLDER
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.geometry import Size
    from textual.widget import Widget

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.settings import GraphView

EDGE_WIDTH = 2
"""Columns of a list that belong to no row: its scroll bar and the gap before it."""

NO_DETAILS = Details(-1, "")

BESIDE_FROM_WIDTH = 72
"""Columns. In a narrower pane only one of tree and diagram shows."""

MIN_TREE_WIDTH, MAX_TREE_WIDTH = 28, 48
TREE_PART = 3
"""The tree takes a third of the columns."""

DETAILS_FROM_HEIGHT = 16
"""Lines. In a lower pane no details show."""

DETAILS_BELOW_PART, MIN_DETAILS_BELOW, MAX_DETAILS_BELOW = 6, 3, 8
"""In a narrow pane details take a sixth of the lines, and between 3 and 8 of them."""

DETAILS_BESIDE_PART, MAX_DETAILS_BESIDE = 3, 14
"""Below the tree they take a third, at most 14: they cost the diagram nothing, and models are long, not wide."""

HEADS_FROM_HEIGHT = 8
"""Lines. The columns of a lower tree have no titles."""


class Area(NamedTuple):
    """A rectangle of cells of the pane."""

    x: int
    y: int
    width: int
    height: int


NOWHERE = Area(0, 0, 0, 0)


@frozen
class PaneLayout:
    """The area of each part; a part without cells does not show."""

    title: Area
    view: Area
    heads: Area
    """Titles of the columns of the tree."""

    tree: Area
    details_title: Area
    details: Area
    bar: Area


def arrange(width: int, height: int, view: GraphView, *, has_bar: bool) -> PaneLayout:
    """Return the areas of all parts.

    Args:
        width: Columns of the pane.
        height: Its lines.
        view: The view that has the keys.
        has_bar: The search bar takes a line.
    """
    bar = Area(0, height - 1, width, 1) if has_bar else NOWHERE
    title, room = Area(0, 0, width, 1), max(height - 1 - has_bar, 1)
    has_details = height >= DETAILS_FROM_HEIGHT
    if width >= BESIDE_FROM_WIDTH:
        left = max(MIN_TREE_WIDTH, min(width // TREE_PART, MAX_TREE_WIDTH))
        details = min(room // DETAILS_BESIDE_PART, MAX_DETAILS_BESIDE) if has_details else 0
        tree, heads, below = _with_details(Area(0, 1, left, room), details)
        return PaneLayout(title, Area(left + 1, 1, width - left - 1, room), *_with_heads(tree), heads, below, bar)
    details = max(MIN_DETAILS_BELOW, min(room // DETAILS_BELOW_PART, MAX_DETAILS_BELOW)) if has_details else 0
    shown, heads, below = _with_details(Area(0, 1, width, room), details)
    if view == "tree":
        return PaneLayout(title, NOWHERE, *_with_heads(shown), heads, below, bar)
    return PaneLayout(title, shown, NOWHERE, NOWHERE, heads, below, bar)


def _with_details(column: Area, details: int) -> tuple[Area, Area, Area]:
    """Split a column of the pane into a list, the title of the details, and the details."""
    if not details:
        return column, NOWHERE, NOWHERE
    x, y, width, height = column
    left = height - details - 1
    # The title leaves the scroll bar of the list free.
    return Area(x, y, width, left), Area(x, y + left, width - 1, 1), Area(x, y + left + 1, width, details)


def _with_heads(tree: Area) -> tuple[Area, Area]:
    """Split the area of the tree into column titles and rows."""
    x, y, width, height = tree
    if height < HEADS_FROM_HEIGHT:
        return NOWHERE, tree
    return Area(x, y, width, 1), Area(x, y + 1, width, height - 1)


class GraphParts:
    """The widgets of the pane. It places them, and shows lines of text in them; it knows no graph.

    The view that has the keys is `view`; beside the tree it is the one that shows.
    """

    def __init__(self) -> None:
        self.diagram, self.scopes, self.operations = DiagramView(), TreeList(), OperationList()
        self.timeline, self.details = TimelineChart(), DetailList()
        self.operations.display = self.timeline.display = False  # so that nothing is computed for hidden views
        self.bar = FilterBar(PLACEHOLDER)
        self.title, self.tree_heads, self.table_heads, self.details_title = Line(), Line(), TableHeads(), Line()
        self.details_title.add_class("details-title")
        self.areas = arrange(0, 0, "diagram", has_bar=False)
        self.targets: Mapping[str, int] = {}
        """Items that rows of the details lead to, by the keys of the rows."""

        self._details = NO_DETAILS
        self.has_message = True
        """A message stands in the place of all views."""

    def widgets(self) -> Iterator[Widget]:
        """Yield all parts; the diagram before the tree, so that it gets the focus first."""
        yield from (self.title, self.diagram, self.table_heads, self.operations, self.timeline)
        yield from (self.tree_heads, self.scopes, self.details_title, self.details, self.bar)

    def show_message(self, headline: str, hint: str) -> None:
        """Show a message in the diagram, which takes the whole pane once the parts are placed."""
        self.has_message = True
        self.diagram.say(headline, hint)

    def end_message(self) -> None:
        """Show the views, once the parts are placed."""
        self.has_message = False

    def focus(self, view: GraphView) -> None:
        """Give the keys to a view, or to the message that stands in its place."""
        (self.diagram if self.has_message else self.view_widget(view)).focus(scroll_visible=False)

    def view_widget(self, view: GraphView) -> Widget:
        """Return the widget of a view."""
        widgets: dict[GraphView, Widget] = {
            "tree": self.scopes,
            "diagram": self.diagram,
            "operations": self.operations,
            "timeline": self.timeline,
        }
        return widgets[view]

    def place(self, size: Size, view: GraphView, *, has_bar: bool) -> bool:
        """Place the parts in a pane of some size; returns True if their areas changed."""
        if not size.width:
            return False
        before, areas = self.areas, arrange(size.width, size.height, view, has_bar=has_bar)
        self.areas = areas
        shown = "diagram" if view == "tree" else view
        heads, table = areas.view._replace(height=1), areas.view
        table = table._replace(y=table.y + 1, height=max(table.height - 1, 0))
        _put(self.title, areas.title, shows=True)
        _put(self.bar, areas.bar, shows=True)
        parts = (
            (self.diagram, areas.view, shown == "diagram"),
            (self.table_heads, heads, shown == "operations"),
            (self.operations, table, shown == "operations"),
            (self.timeline, areas.view, shown == "timeline"),
            (self.tree_heads, areas.heads, True),
            (self.scopes, areas.tree, True),
            (self.details_title, areas.details_title, True),
            (self.details, areas.details, True),
        )
        for part, area, shows in parts:
            _put(part, area, shows=shows and not self.has_message)
        if self.has_message:
            _put(self.diagram, Area(0, 1, size.width, size.height - 1), shows=True)
        return areas != before

    @property
    def tree_width(self) -> int:
        """Columns of a row of the tree."""
        return max(self.areas.tree.width - EDGE_WIDTH, 1)

    @property
    def table_width(self) -> int:
        """Columns of a row of the table."""
        return max(self.areas.view.width - EDGE_WIDTH, 1)

    # Lines

    def show_tree_heads(self, heads: tuple[tuple[Piece, ...], ...]) -> None:
        """Show the column titles of the tree: those at the left, and those at the right."""
        self.tree_heads.show(spread_pieces(heads[0], heads[1], self.tree_width))

    def show_table_heads(self, heads: tuple[tuple[Piece, ...], ...]) -> None:
        """Show the column titles of the table: those at the left, and those at the right."""
        self.table_heads.show(spread_pieces(heads[0], heads[1], self.table_width))

    def show_details(self, details: Details) -> None:
        """Show what is known of an item; the cursor begins on the first row that leads to another item."""
        width = self.areas.details.width - EDGE_WIDTH
        if width < 1:
            return
        is_new, self._details = details.item != self._details.item, details
        self.show_details_title()
        rows, self.targets = detail_rows(details, width)
        first = next((at for at, row in enumerate(rows) if row.key in self.targets), 0)
        self.details.show_details(rows, first, self.targets, anew=is_new)

    def show_details_title(self) -> None:
        """Show the name of the item; where the details have the keys, also the way back."""
        has_keys, width = self.details.has_focus, self.areas.details.width - 1
        back = ((BACK_HINT, Ink.DIM),) if has_keys else ()
        name = shorten(self._details.name, width - (len(BACK_HINT) + 1 if has_keys else 0))
        self.details_title.show(spread_pieces(((name, Ink.ACCENT if has_keys else Ink.BOLD),), back, width))


def _put(part: Widget, area: Area, *, shows: bool) -> None:
    part.display = shows and area.width > 0 and area.height > 0
    if part.display:
        part.styles.offset = (area.x, area.y)
        part.styles.width, part.styles.height = area.width, area.height
