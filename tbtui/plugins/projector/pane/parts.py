"""The parts of the pane, and where they stand in a size."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, safe
from tbtui.frozen import frozen
from tbtui.plugins.projector.pane.map_view import MapView
from tbtui.plugins.projector.pane.side import DetailsView, PointRows
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.geometry import Size
    from textual.widget import Widget

    from tbtui.widgets.worker import Worker

BESIDE_FROM_WIDTH = 64
"""Columns from which on the list is always beside the map."""

MIN_BESIDE_WIDTH = 52
"""Columns from which on the list is beside the map if that makes the map larger, as in a low pane with a sidebar."""

MIN_SIDE_WIDTH, MAX_SIDE_WIDTH = 26, 44
SIDE_PART = 3
ONE_LINE_FROM_WIDTH = 80
"""Columns from which on a title and the layout share a line."""

LEGEND_FROM_HEIGHT = 14
BELOW_FROM_HEIGHT = 20
"""Lines from which on a narrow pane has a list below the map."""

DETAILS_PART = 3
SUMMARY_FROM_HEIGHT = 24
MAX_DETAILS_ROWS = 10
MAX_BELOW_ROWS = 14


class Area(NamedTuple):
    """A rectangle of cells of the pane."""

    x: int
    y: int
    width: int
    height: int


NOWHERE = Area(0, 0, 0, 0)


@frozen
class PaneAreas:
    """The area of each part; a part without cells does not show."""

    title: Area
    layout: Area
    """A line for the layout in a narrow pane, where it does not fit beside the title."""

    legend: Area
    map: Area
    details: Area
    heading: Area
    summary: Area
    """A line below the heading of the list."""

    rows: Area
    bar: Area


def arrange(width: int, height: int, *, has_bar: bool, has_side: bool) -> PaneAreas:
    """Return the areas of all parts.

    Args:
        width: Columns of the pane.
        height: Lines of the pane.
        has_bar: The search bar takes a line.
        has_side: There are points, whose facts and lists are shown.
    """
    bar = Area(0, height - 1, width, 1) if has_bar else NOWHERE
    title = Area(0, 0, width, 1)
    layout = Area(0, 1, width, 1) if height >= LEGEND_FROM_HEIGHT and width < ONE_LINE_FROM_WIDTH else NOWHERE
    top = 1 + layout.height
    legend = Area(0, top, width, 1) if height >= LEGEND_FROM_HEIGHT else NOWHERE
    top += legend.height
    room = max(height - top - has_bar, 1)
    if not has_side:
        return PaneAreas(title, layout, legend, Area(0, top, width, room), NOWHERE, NOWHERE, NOWHERE, NOWHERE, bar)
    if width >= BESIDE_FROM_WIDTH or (width >= MIN_BESIDE_WIDTH and _is_larger_beside(width, room)):
        side = max(MIN_SIDE_WIDTH, min(width // SIDE_PART, MAX_SIDE_WIDTH))
        details = max(1, min(room // DETAILS_PART, MAX_DETAILS_ROWS))
        left = width - side
        lines = 3 if room >= SUMMARY_FROM_HEIGHT else 2
        return PaneAreas(
            title,
            layout,
            legend,
            Area(0, top, left - 1, room),
            Area(left, top, side, details),
            Area(left, top + details + 1, side, 1),
            Area(left, top + details + 2, side, 1) if lines == 3 else NOWHERE,
            Area(left, top + details + lines, side, max(room - details - lines, 1)),
            bar,
        )
    if height < BELOW_FROM_HEIGHT:
        below = 1 if room > 4 else 0
        return PaneAreas(
            title,
            layout,
            legend,
            Area(0, top, width, room - below),
            Area(0, top + room - below, width, below) if below else NOWHERE,
            NOWHERE,
            NOWHERE,
            NOWHERE,
            bar,
        )
    rows = _rows_below(room)
    return PaneAreas(
        title,
        layout,
        legend,
        Area(0, top, width, room - rows - 2),
        Area(0, top + room - rows - 2, width, 1),
        Area(0, top + room - rows - 1, width, 1),
        NOWHERE,
        Area(0, top + room - rows, width, rows),
        bar,
    )


def _rows_below(room: int) -> int:
    """Return the rows of the list below the map in some lines."""
    return min(MAX_BELOW_ROWS, room // 3)


def _is_larger_beside(width: int, room: int) -> bool:
    """Return True if a square map is larger with the list beside it than with the list below it."""
    beside = min((width - MIN_SIDE_WIDTH) * DOTS_ACROSS, room * DOTS_DOWN)
    return beside > min(width * DOTS_ACROSS, (room - _rows_below(room) - 2) * DOTS_DOWN)


class ProjectorParts:
    """The widgets of the pane; they know no embedding.

    Args:
        background: Computes the cells of the table.
    """

    def __init__(self, background: Worker) -> None:
        self.title, self.layout, self.legend = Line(), Line(), Line()
        self.heading, self.summary = Line(), Line()
        self.map, self.details, self.rows = MapView(), DetailsView(), PointRows()
        self.table = DataGrid(background, names=True)
        self.is_table = False
        self.bar = FilterBar("regular expression in the labels")
        self.bar.display = False
        self.has_side = False
        self.areas = arrange(0, 0, has_bar=False, has_side=False)

    def widgets(self) -> Iterator[Widget]:
        """Yield all parts in the order of the focus."""
        yield from (self.title, self.layout, self.legend, self.map, self.table)
        yield from (self.details, self.heading, self.summary, self.rows, self.bar)

    @property
    def points(self) -> Widget:
        """The part that shows all points: the map or the table."""
        return self.table if self.is_table else self.map

    def show_points(self, *, is_table: bool) -> None:
        """Show the points as a table, or as a map."""
        had_focus, self.is_table = self.points.has_focus, is_table
        if had_focus:
            self.points.display = True
            self.points.focus(scroll_visible=False)

    def place(self, size: Size) -> None:
        """Put the parts where they belong in a pane of some size."""
        self.areas = areas = arrange(size.width, size.height, has_bar=self.bar.display, has_side=self.has_side)
        placed = (
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
        for widget, area in placed:
            widget.display = bool(area.width and area.height)
            _put(widget, area)
        _put(self.bar, areas.bar)

    def say(self, headline: str, hint: str) -> None:
        """Show a message instead of points."""
        self.has_side = False
        self.show_points(is_table=False)
        self.legend.show(())
        self.layout.show(())
        self.map.say(headline, hint)

    def show_heading(self, heading: str, summary: str, keys: str) -> None:
        """Show what the list is."""
        width = self.areas.heading.width
        has_line = bool(self.areas.summary.height)
        parts = summary.split(" · ")
        while len(parts) > 1 and cell_width(safe(" · ".join(parts))) > self.areas.summary.width:
            parts.pop()
        self.summary.show(((" · ".join(parts), Ink.DIM),))
        rest = f"  {summary}" if summary and not has_line and len(heading) + len(summary) + 4 <= width else ""
        key = f"  {keys}" if keys and len(heading) + len(rest) + len(keys) + 4 <= width else ""
        self.heading.show(((heading, Ink.BOLD), (rest, Ink.DIM), (key, Ink.FAINT)))


def _put(widget: Widget, area: Area) -> None:
    widget.styles.offset = (area.x, area.y)
    widget.styles.width, widget.styles.height = area.width, area.height
