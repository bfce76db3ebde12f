"""The widgets of the graphs pane, and their areas in a pane of a given size."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.card import BACK_HINT
from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import spread_pieces
from tbtui.charts.text import shorten
from tbtui.frozen import frozen
from tbtui.plugins.graphs.pane.details import Details, build_rows
from tbtui.plugins.graphs.pane.diagram_view import DiagramView
from tbtui.plugins.graphs.pane.widgets import DetailList, OperationList, TableHeader, TimelineChart, TreeList
from tbtui.plugins.graphs.search import PLACEHOLDER
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line
from tbtui.widgets.row_list import EDGE_WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.geometry import Size
    from textual.widget import Widget

    from tbtui.plugins.graphs.item_columns import Header
    from tbtui.plugins.graphs.settings import GraphView


NO_DETAILS = Details(-1, "")

MIN_WIDTH_FOR_TREE = 72
"""Minimum columns of a pane that shows the tree next to the view; a narrower one shows only one of them."""

MIN_TREE_WIDTH, MAX_TREE_WIDTH = 28, 48
TREE_SHARE = 1 / 3
"""Share of the columns that the tree takes."""

MIN_HEIGHT_FOR_DETAILS = 16
"""Minimum lines of a pane that shows details."""

NARROW_DETAILS_SHARE, MIN_NARROW_DETAILS, MAX_NARROW_DETAILS = 1 / 6, 3, 8
"""Share of the lines that details take in a narrow pane, and the bounds of their number."""

DETAILS_SHARE, MAX_DETAILS = 1 / 3, 14
"""Share of the lines that details take below the tree, where they take none from the diagram, and their maximum."""

MIN_HEIGHT_FOR_HEADER = 8
"""Minimum lines of a tree whose columns have titles."""


class Area(NamedTuple):
    """A rectangle of cells of the pane."""

    x: int
    y: int
    width: int
    height: int


NO_AREA = Area(0, 0, 0, 0)


@frozen
class PaneLayout:
    """The area of each part; a part without cells is hidden."""

    title: Area
    view: Area
    tree_header: Area
    """Titles of the columns of the tree."""

    tree: Area
    details_title: Area
    details: Area
    bar: Area


def arrange_parts(width: int, height: int, view: GraphView, *, has_bar: bool) -> PaneLayout:
    """Return the areas of all parts.

    Args:
        width: Columns of the pane.
        height: Lines of the pane.
        view: The view that has the focus.
        has_bar: True if the search bar is open.
    """
    bar = Area(0, height - 1, width, 1) if has_bar else NO_AREA
    title, view_height = Area(0, 0, width, 1), max(height - 1 - has_bar, 1)
    has_details = height >= MIN_HEIGHT_FOR_DETAILS
    if width >= MIN_WIDTH_FOR_TREE:
        tree_width = max(MIN_TREE_WIDTH, min(int(width * TREE_SHARE), MAX_TREE_WIDTH))
        details = min(int(view_height * DETAILS_SHARE), MAX_DETAILS) if has_details else 0
        tree, details_title, details_area = _split_details(Area(0, 1, tree_width, view_height), details)
        view_area = Area(tree_width + 1, 1, width - tree_width - 1, view_height)
        return PaneLayout(title, view_area, *_split_header(tree), details_title, details_area, bar)
    details = 0
    if has_details:
        details = max(MIN_NARROW_DETAILS, min(int(view_height * NARROW_DETAILS_SHARE), MAX_NARROW_DETAILS))
    main, details_title, details_area = _split_details(Area(0, 1, width, view_height), details)
    if view == "tree":
        return PaneLayout(title, NO_AREA, *_split_header(main), details_title, details_area, bar)
    return PaneLayout(title, main, NO_AREA, NO_AREA, details_title, details_area, bar)


def _split_details(column: Area, details: int) -> tuple[Area, Area, Area]:
    """Split a column of the pane into a list, the title of the details, and that many lines of details."""
    if not details:
        return column, NO_AREA, NO_AREA
    x, y, width, height = column
    list_height = height - details - 1
    title_y = y + list_height
    # The title does not cover the column of the scroll bar.
    return Area(x, y, width, list_height), Area(x, title_y, width - 1, 1), Area(x, title_y + 1, width, details)


def _split_header(tree: Area) -> tuple[Area, Area]:
    """Split the area of the tree into column titles and rows."""
    x, y, width, height = tree
    if height < MIN_HEIGHT_FOR_HEADER:
        return NO_AREA, tree
    return Area(x, y, width, 1), Area(x, y + 1, width, height - 1)


class GraphParts:
    """The widgets of the pane: sets their areas, and shows lines of text in them. Independent of any graph."""

    def __init__(self) -> None:
        self.diagram, self.scopes, self.operations = DiagramView(), TreeList(), OperationList()
        self.timeline, self.details = TimelineChart(), DetailList()
        self.operations.display = self.timeline.display = False  # nothing is computed for hidden views
        self.bar = FilterBar(PLACEHOLDER)
        self.title, self.tree_header, self.table_header, self.details_title = Line(), Line(), TableHeader(), Line()
        self.details_title.add_class("details-title")
        self.areas = arrange_parts(0, 0, "diagram", has_bar=False)
        self.targets: Mapping[str, int] = {}
        """Targets of the links in the details, by the keys of their rows."""

        self._details = NO_DETAILS
        self.has_message = True
        """True while a message replaces all views."""

    def list_widgets(self) -> Iterator[Widget]:
        """Yield all parts; the diagram before the tree, so that it gets the focus first."""
        yield from (self.title, self.diagram, self.table_header, self.operations, self.timeline)
        yield from (self.tree_header, self.scopes, self.details_title, self.details, self.bar)

    def show_message(self, headline: str, hint: str) -> None:
        """Show a message in the diagram, which covers the pane after `lay_out`."""
        self.has_message = True
        self.diagram.show_message(headline, hint)

    def end_message(self) -> None:
        """Show the views again after `lay_out`."""
        self.has_message = False

    def focus(self, view: GraphView) -> None:
        """Focus a view, or the message that replaces it."""
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

    def lay_out(self, size: Size, view: GraphView, *, has_bar: bool) -> bool:
        """Set the areas of the widgets in a pane of a size; returns True if an area changed."""
        if not size.width:
            return False
        before, areas = self.areas, arrange_parts(size.width, size.height, view, has_bar=has_bar)
        self.areas = areas
        main_view = "diagram" if view == "tree" else view
        table_header = areas.view._replace(height=1)
        table = areas.view._replace(y=areas.view.y + 1, height=max(areas.view.height - 1, 0))
        _set_area(self.title, areas.title, is_visible=True)
        _set_area(self.bar, areas.bar, is_visible=True)
        parts = (
            (self.diagram, areas.view, main_view == "diagram"),
            (self.table_header, table_header, main_view == "operations"),
            (self.operations, table, main_view == "operations"),
            (self.timeline, areas.view, main_view == "timeline"),
            (self.tree_header, areas.tree_header, True),
            (self.scopes, areas.tree, True),
            (self.details_title, areas.details_title, True),
            (self.details, areas.details, True),
        )
        for part, area, is_visible in parts:
            _set_area(part, area, is_visible=is_visible and not self.has_message)
        if self.has_message:
            _set_area(self.diagram, Area(0, 1, size.width, size.height - 1), is_visible=True)
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

    def show_tree_header(self, header: Header) -> None:
        """Show the column titles of the tree."""
        self.tree_header.show(spread_pieces(header.left, header.right, self.tree_width))

    def show_table_header(self, header: Header) -> None:
        """Show the column titles of the table."""
        self.table_header.show(spread_pieces(header.left, header.right, self.table_width))

    def show_details(self, details: Details) -> None:
        """Show the details of an item, with the cursor on the first link."""
        width = self.areas.details.width - EDGE_WIDTH
        if width < 1:
            return
        is_new_item, self._details = details.item != self._details.item, details
        self.show_details_title()
        rows, self.targets = build_rows(details, width)
        first = next((index for index, row in enumerate(rows) if row.key in self.targets), 0)
        self.details.show_details(rows, first, self.targets, is_new_item=is_new_item)

    def show_details_title(self) -> None:
        """Show the name of the item, and the key that leaves the details if they have the focus."""
        has_focus, width = self.details.has_focus, self.areas.details.width - 1
        back = ((BACK_HINT, Ink.DIM),) if has_focus else ()
        name = shorten(self._details.name, width - (len(BACK_HINT) + 1 if has_focus else 0))
        self.details_title.show(spread_pieces(((name, Ink.ACCENT if has_focus else Ink.BOLD),), back, width))


def _set_area(part: Widget, area: Area, *, is_visible: bool) -> None:
    part.display = is_visible and area.width > 0 and area.height > 0
    if part.display:
        part.styles.offset = (area.x, area.y)
        part.styles.width, part.styles.height = area.width, area.height
