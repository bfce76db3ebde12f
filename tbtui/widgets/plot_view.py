"""Mouse control of charts: drag a box to zoom into it, turn the wheel to zoom about the pointer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.frozen import frozen
from tbtui.settings.chart_navigation import pan_x, place_cursor, zoom_to_box, zoom_x
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from textual import events

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.maths.domain import Limits
    from tbtui.widgets.card_frames import PlottedChart
    from tbtui.widgets.cells_view import CellsView

WHEEL_ZOOM = 1.25
"""Magnification per notch of the wheel; its inverse in the other direction."""

WHEEL_PAN = 0.1
"""Part of the axis that one notch moves a chart by."""

MIN_DRAG_CELLS = 2
"""Columns or rows that a drag must cover to zoom in that direction; shorter drags are shaking hands."""


@frozen
class Pointed:
    """A cell of a chart under the mouse."""

    chart: PlottedChart
    column: int
    row: int
    """Column and row of the cell in the coordinates of the chart's plot."""

    left: int = 0
    top: int = 0
    """Column and row of the chart within the widget."""

    @property
    def plot(self) -> PlotArea:
        """Return the plot area of the chart."""
        return self.chart.plot

    @property
    def in_plot(self) -> bool:
        """True if the cell lies in the plot area."""
        plot = self.plot
        return plot.left <= self.column < plot.left + plot.width and plot.top <= self.row < plot.top + plot.height

    @property
    def x(self) -> float:
        """Return the x value of the cell."""
        return self.plot.get_x(self.column)

    @property
    def along(self) -> float:
        """Return the value of the cell on the axis of steps."""
        return self.plot.get_y(self.row) if self.plot.turned else self.x


@frozen
class Box:
    """A box that the user drags from one cell of a plot to another."""

    start: Pointed
    column: int
    row: int

    @property
    def columns(self) -> tuple[int, int] | None:
        """Return the first and last column; None if the box does not zoom along x."""
        return _find_ends(self.start.column, self.column, self.start.plot.left, self.start.plot.width)

    @property
    def rows(self) -> tuple[int, int] | None:
        """Return the first and last row; None if the box does not zoom along y."""
        return _find_ends(self.start.row, self.row, self.start.plot.top, self.start.plot.height)

    @property
    def limits(self) -> tuple[Limits | None, Limits | None]:
        """Return the limits of x and of y that the box encloses."""
        plot, columns, rows = self.start.plot, self.columns, self.rows
        x = None if columns is None else (plot.get_x(columns[0]), plot.get_x(columns[1]))
        y = None if rows is None else (plot.get_y(rows[1]), plot.get_y(rows[0]))
        return x, y if y is None or not plot.is_inverted else y[::-1]

    def draw(self, cells: Cells) -> Cells:
        """Return a copy of the cells with the edges of the box on top; it spans a direction that is not zoomed."""
        framed, start, plot = cells.copy(), self.start, self.start.plot
        first, last = self.columns or (plot.left, plot.left + plot.width - 1)
        top, bottom = self.rows or (plot.top, plot.top + plot.height - 1)
        line = "─" * (last - first - 1)
        write(framed, start.top + top, start.left + first, f"┌{line}┐", Ink.ACCENT)
        write(framed, start.top + bottom, start.left + first, f"└{line}┘", Ink.ACCENT)
        for row in range(top + 1, bottom):
            write(framed, start.top + row, start.left + first, "│", Ink.ACCENT)
            write(framed, start.top + row, start.left + last, "│", Ink.ACCENT)
        return framed


def _find_ends(anchor: int, dragged: int, minimum: int, count: int) -> tuple[int, int] | None:
    first, last = sorted((anchor, max(minimum, min(dragged, minimum + count - 1))))
    return (first, last) if last - first >= MIN_DRAG_CELLS else None


class PlotHost(Protocol):
    """The part of a widget that knows its charts."""

    def pointed(self, column: int, row: int) -> Pointed | None:
        """Return the cell of a chart at a cell of the widget; None where there is no chart."""

    def put_cursor(self, pointed: Pointed) -> None:
        """Move the cursor to a cell of a chart."""

    def wheel_zooms(self, event: events.MouseEvent) -> bool:
        """Return True if the wheel zooms the chart under the mouse; otherwise it scrolls."""

    def scroll_by_wheel(self, notches: int) -> None:
        """Scroll down by this number of notches; up if negative."""


class PlotMouse:
    """Turns mouse events of a widget into requests to zoom its charts. Belongs to the UI thread.

    Args:
        view: The widget. It shows the box and sends the requests.
        host: Knows the charts; usually the same widget.
    """

    def __init__(self, view: CellsView, host: PlotHost) -> None:
        self._view = view
        self._host = host
        self._start: Pointed | None = None
        self._box: Box | None = None
        self._dragged = False
        self._slid: Pointed | None = None
        """The cell of a bar of steps under the mouse while it drags the cursor."""

    @property
    def has_box(self) -> bool:
        """True while a box is visible."""
        return self._box is not None

    def find_pointed_cell(self, event: events.MouseEvent) -> Pointed | None:
        """Return the cell of a plot area under the mouse."""
        offset = event.get_content_offset(self._view)
        pointed = None if offset is None else self._host.pointed(offset.x, offset.y)
        return pointed if pointed is not None and pointed.in_plot else None

    def post_cursor(self, pointed: Pointed) -> None:
        """Ask for the cursor at the stop nearest to a cell."""
        chart = pointed.chart
        self._view.post_message(Choose(partial(place_cursor, plot=chart.plot, stops=chart.stops, x=pointed.along)))

    # The box

    def press(self, event: events.MouseDown) -> None:
        """Begin a box; on a bar of steps, move the cursor to the mouse."""
        self._dragged = False
        self._start = self.find_pointed_cell(event) if event.button == 1 else None
        if self._start is None:
            return
        self._view.capture_mouse()
        if self._start.chart.slides:
            self._slid, self._start = self._start, None
            self._host.put_cursor(self._slid)

    def move(self, event: events.MouseMove) -> None:
        """Extend the box to the mouse, or move the cursor there."""
        if self._slid is not None:
            event.stop()
            self._slide(event.get_content_offset_capture(self._view).x - self._slid.left)
            return
        start = self._start
        if start is None:
            return
        event.stop()
        offset = event.get_content_offset_capture(self._view)
        box = Box(start, offset.x - start.left, offset.y - start.top)
        self._show_box(box if box.columns or box.rows else None)

    def release(self, event: events.MouseUp) -> None:
        """Zoom into the box, or release the cursor."""
        box = self._box
        self._dragged = self._slid is not None
        self.drop_box()
        if box is not None:
            event.stop()
            self._dragged = True
            chart, (x_limits, y_limits) = box.start.chart, box.limits
            self._view.post_message(
                Choose(partial(zoom_to_box, key=chart.key, plot=chart.plot, x_limits=x_limits, y_limits=y_limits))
            )

    def _slide(self, column: int) -> None:
        """Move the cursor along a bar; beyond its ends it stays at them."""
        slid = self._slid
        if slid is not None:
            column = max(slid.plot.left, min(column, slid.plot.left + slid.plot.width - 1))
            if column != slid.column:
                self._slid = replace(slid, column=column)
                self._host.put_cursor(self._slid)

    def drop_box(self) -> bool:
        """Cancel a drag; return True if a box was visible."""
        if self._start is not None or self._slid is not None:
            self._view.release_mouse()
        self._start, self._slid, had_box = None, None, self._box is not None
        self._show_box(None)
        return had_box

    def ends_drag(self, event: events.Click) -> bool:
        """Return True, and stop the event, if a click only ends a drag."""
        if self._dragged:
            event.stop()
        return self._dragged

    def _show_box(self, box: Box | None) -> None:
        if box is not None or self._box is not None:
            self._box = box
            self._view.lay_over(None if box is None else box.draw)

    # The wheel

    def turn_wheel(self, event: events.MouseEvent, down: int) -> None:
        """Zoom the chart under the mouse, move it with shift, or scroll."""
        pointed = self.find_pointed_cell(event) if self._host.wheel_zooms(event) else None
        if pointed is None or pointed.chart.slides:
            _consume(event)
            self._host.scroll_by_wheel(down)
        elif event.shift:
            self.pan(event, down)
        else:
            _consume(event)
            chart, factor, y = pointed.chart, WHEEL_ZOOM**down, pointed.plot.get_y(pointed.row)
            zoom = partial(zoom_x, key=chart.key, plot=chart.plot, factor=factor, at=pointed.x, at_y=y)
            self._view.post_message(Choose(zoom))

    def pan(self, event: events.MouseEvent, notches: int) -> None:
        """Move the chart under the mouse along x."""
        _consume(event)
        if (pointed := self.find_pointed_cell(event)) is not None and not pointed.chart.slides:
            chart, part = pointed.chart, WHEEL_PAN * notches
            self._view.post_message(Choose(partial(pan_x, key=chart.key, plot=chart.plot, part=part)))


def _consume(event: events.MouseEvent) -> None:
    """Stop an event, so that Textual does not scroll, either."""
    event.stop()
    event.prevent_default()
