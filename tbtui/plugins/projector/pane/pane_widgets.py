"""The widgets of the pane: their areas, and the messages and headings that they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, safe
from tbtui.plugins.projector.pane.areas import NOWHERE, arrange
from tbtui.plugins.projector.pane.map_view import MapView
from tbtui.plugins.projector.pane.point_details import DetailsView, PointRows
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.geometry import Size
    from textual.widget import Widget

    from tbtui.plugins.projector.pane.areas import Area
    from tbtui.widgets.worker import Worker


class PaneWidgets:
    """The widgets of the pane, independent of the embedding.

    Args:
        worker: Computes the cells of the table.
    """

    def __init__(self, worker: Worker) -> None:
        self.title, self.layout, self.legend = Line(), Line(), Line()
        self.heading, self.summary = Line(), Line()
        self.map, self.details, self.rows = MapView(), DetailsView(), PointRows()
        self.table = DataGrid(worker, names=True)
        self.is_table = False
        self.bar = FilterBar("regular expression in the labels")
        self.bar.display = False
        self.has_points = False
        self.areas = arrange(0, 0, has_bar=False, has_points=False)

    def all(self) -> Iterator[Widget]:
        """Yield all widgets in the order of the focus."""
        yield from (self.title, self.layout, self.legend, self.map, self.table)
        yield from (self.details, self.heading, self.summary, self.rows, self.bar)

    @property
    def points(self) -> Widget:
        """The widget that shows all points: the map or the table."""
        return self.table if self.is_table else self.map

    def show_points(self, *, is_table: bool) -> None:
        """Show the points as a table, or as a map."""
        had_focus, self.is_table = self.points.has_focus, is_table
        if had_focus:
            self.points.display = True
            self.points.focus(scroll_visible=False)

    def lay_out(self, size: Size) -> None:
        """Move all widgets to their areas in a pane of some size."""
        self.areas = areas = arrange(size.width, size.height, has_bar=self.bar.display, has_points=self.has_points)
        areas_by_widget = (
            (self.title, areas.title),
            (self.layout, areas.layout),
            (self.legend, areas.legend),
            (self.map, NOWHERE if self.is_table else areas.map),
            (self.table, areas.map if self.is_table else NOWHERE),
            (self.details, areas.details),
            (self.heading, areas.heading),
            (self.summary, areas.summary),
            (self.rows, areas.rows),
        )
        for widget, area in areas_by_widget:
            widget.display = bool(area.width and area.height)
            _set_area(widget, area)
        _set_area(self.bar, areas.bar)

    def show_message(self, headline: str, hint: str) -> None:
        """Show a message instead of points."""
        self.has_points = False
        self.show_points(is_table=False)
        self.legend.show(())
        self.layout.show(())
        self.map.show_message(headline, hint)

    def show_heading(self, heading: str, summary: str, keys: str) -> None:
        """Show heading, summary and keys of the list, as far as they fit."""
        width = self.areas.heading.width
        has_line = bool(self.areas.summary.height)
        parts = summary.split(" · ")
        while len(parts) > 1 and cell_width(safe(" · ".join(parts))) > self.areas.summary.width:
            parts.pop()
        self.summary.show(((" · ".join(parts), Ink.DIM),))
        rest = f"  {summary}" if summary and not has_line and len(heading) + len(summary) + 4 <= width else ""
        key = f"  {keys}" if keys and len(heading) + len(rest) + len(keys) + 4 <= width else ""
        self.heading.show(((heading, Ink.BOLD), (rest, Ink.DIM), (key, Ink.FAINT)))


def _set_area(widget: Widget, area: Area) -> None:
    widget.styles.offset = (area.x, area.y)
    widget.styles.width, widget.styles.height = area.width, area.height
