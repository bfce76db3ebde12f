"""A picture with charts in it that the mouse can zoom: a box is dragged, the wheel zooms about the pointer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.frozen import frozen
from tbtui.viewstate.cursor import cursor_near
from tbtui.viewstate.looking import boxed, panned_x, zoomed_x
from tbtui.widgets.pane import Choose
from tbtui.widgets.picture import Picture, changed_spans

if TYPE_CHECKING:
    from textual import events

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.series.domain import Limits
    from tbtui.widgets.frames import Plotted

WHEEL_ZOOM = 0.8
"""What a notch of the wheel multiplies the length of the axis by, and the inverse in the other direction."""

WHEEL_PAN = 0.1

LEAST_DRAG = 2
"""Columns or rows that a drag must cover to zoom in that direction; less is how a hand shakes."""


@frozen
class Pointed:
    """A cell of a chart, and where the chart stands."""

    chart: Plotted
    column: int
    row: int
    """Of the cell, counted as the chart's plot counts."""

    left: int = 0
    top: int = 0
    """What is added to columns and rows of the chart to have those of the picture it is in."""

    @property
    def plot(self) -> PlotArea:
        """Of the chart."""
        return self.chart.plot

    @property
    def in_plot(self) -> bool:
        """Whether there may be data in the cell."""
        plot = self.plot
        return plot.left <= self.column < plot.left + plot.width and plot.top <= self.row < plot.top + plot.height

    @property
    def x(self) -> float:
        """The x value of the cell."""
        return self.plot.x_at(self.column)

    @property
    def along(self) -> float:
        """Its place on the axis of steps, where the picture has one."""
        return self.plot.y_at(self.row) if self.plot.turned else self.x


@frozen
class Box:
    """A box dragged from one cell of a plot to another."""

    start: Pointed
    column: int
    row: int

    @property
    def columns(self) -> tuple[int, int] | None:
        """First and last column; None when it is not zoomed along x."""
        return _ends(self.start.column, self.column, self.start.plot.left, self.start.plot.width)

    @property
    def rows(self) -> tuple[int, int] | None:
        """First and last row; None when it is not zoomed along y."""
        return _ends(self.start.row, self.row, self.start.plot.top, self.start.plot.height)

    @property
    def limits(self) -> tuple[Limits | None, Limits | None]:
        """What is to be seen of x and of y."""
        plot, columns, rows = self.start.plot, self.columns, self.rows
        x = None if columns is None else (plot.x_at(columns[0]), plot.x_at(columns[1]))
        y = None if rows is None else (plot.y_at(rows[1]), plot.y_at(rows[0]))
        return x, y if y is None or not plot.falls else y[::-1]

    def draw(self, cells: Cells) -> Cells:
        """A picture with the edges of the box over it; a direction that is not zoomed is seen whole."""
        drawn, start, plot = cells.copy(), self.start, self.start.plot
        first, last = self.columns or (plot.left, plot.left + plot.width - 1)
        top, bottom = self.rows or (plot.top, plot.top + plot.height - 1)
        line = "─" * (last - first - 1)
        write(drawn, start.top + top, start.left + first, f"┌{line}┐", Ink.ACCENT)
        write(drawn, start.top + bottom, start.left + first, f"└{line}┘", Ink.ACCENT)
        for row in range(top + 1, bottom):
            write(drawn, start.top + row, start.left + first, "│", Ink.ACCENT)
            write(drawn, start.top + row, start.left + last, "│", Ink.ACCENT)
        return drawn


def _ends(one: int, other: int, least: int, count: int) -> tuple[int, int] | None:
    first, last = sorted((one, max(least, min(other, least + count - 1))))
    return (first, last) if last - first >= LEAST_DRAG else None


class PlotPicture(Picture):
    """Subclasses say what is under the mouse, and what a click means."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._start: Pointed | None = None
        self._box: Box | None = None
        self._boxed: Cells | None = None
        self._dragged = False
        self._slid: Pointed | None = None
        """Where the mouse is on a bar of steps, while it drags the cursor."""

    def pointed(self, column: int, row: int) -> Pointed | None:
        """The cell of a chart in a cell of the picture; None where there is no chart to point at."""
        raise NotImplementedError

    def pointed_by(self, event: events.MouseEvent) -> Pointed | None:
        """The cell of a plot under the mouse."""
        offset = event.get_content_offset(self)
        found = None if offset is None else self.pointed(offset.x, offset.y)
        return found if found is not None and found.in_plot else None

    # The box

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a box; on a bar of steps, take the cursor along."""
        self._dragged = False
        self._start = self.pointed_by(event) if event.button == 1 else None
        if self._start is None:
            return
        self.capture_mouse()
        if self._start.chart.slides:
            self._slid, self._start = self._start, None
            self.put_cursor(self._slid)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Draw the box up to the mouse, or take the cursor there."""
        if self._slid is not None:
            event.stop()
            self._slide(event.get_content_offset_capture(self).x - self._slid.left)
            return
        start = self._start
        if start is None:
            return
        event.stop()
        offset = event.get_content_offset_capture(self)
        box = Box(start, offset.x - start.left, offset.y - start.top)
        self._show_box(box if box.columns or box.rows else None)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Zoom into the box, or let go of the cursor."""
        box = self._box
        self._dragged = self._slid is not None
        self.drop_box()
        if box is not None:
            event.stop()
            self._dragged = True
            chart, (x_limits, y_limits) = box.start.chart, box.limits
            self.post_message(
                Choose(partial(boxed, key=chart.key, plot=chart.plot, x_limits=x_limits, y_limits=y_limits))
            )

    def _slide(self, column: int) -> None:
        """Take the cursor along a bar; beyond its ends it stays at them."""
        slid = self._slid
        if slid is not None:
            column = max(slid.plot.left, min(column, slid.plot.left + slid.plot.width - 1))
            if column != slid.column:
                self._slid = replace(slid, column=column)
                self.put_cursor(self._slid)

    def drop_box(self) -> bool:
        """Forget a box that is being dragged; whether there was one."""
        if self._start is not None or self._slid is not None:
            self.release_mouse()
        self._start, self._slid, had_box = None, None, self._box is not None
        self._show_box(None)
        return had_box

    def ends_drag(self, event: events.Click) -> bool:
        """Whether a click is but the end of a drag, and nothing else is meant by it."""
        if self._dragged:
            event.stop()
        return self._dragged

    def _show_box(self, box: Box | None) -> None:
        before, self._box = self._on_screen, box
        self._boxed = None if box is None else box.draw(self._cells)
        if before is not self._on_screen:
            self._repaint(changed_spans(before, self._on_screen))

    @property
    def _on_screen(self) -> Cells:
        return self._boxed or self._cells

    def put(self, y: int, x: int, cells: Cells) -> None:
        """As every picture; the box stays on top."""
        super().put(y, x, cells)
        if self._box is not None:
            self._boxed = self._box.draw(self._cells)

    def clear(self, height: int, width: int) -> None:
        """As every picture; the box goes."""
        self.drop_box()
        super().clear(height, width)

    # Clicks and the wheel

    def put_cursor(self, pointed: Pointed) -> None:
        """Have the cursor stand where the mouse points."""
        chart = pointed.chart
        self.post_message(Choose(partial(cursor_near, plot=chart.plot, stops=chart.stops, at=pointed.along)))

    def wheel_zooms(self, _event: events.MouseEvent) -> bool:
        """Whether the wheel zooms the chart under the mouse; otherwise it scrolls."""
        return True

    def scroll_by_wheel(self, notches: int) -> None:
        """Scroll down, up where negative."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out over a chart, or scroll."""
        self._on_wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom in over a chart, or scroll."""
        self._on_wheel(event, -1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Move the chart under the mouse."""
        self._pan(event, 1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Move the chart under the mouse."""
        self._pan(event, -1)

    def _on_wheel(self, event: events.MouseEvent, down: int) -> None:
        pointed = self.pointed_by(event) if self.wheel_zooms(event) else None
        if pointed is None or pointed.chart.slides:
            _take(event)
            self.scroll_by_wheel(down)
        elif event.shift:
            self._pan(event, down)
        else:
            _take(event)
            chart, factor, y = pointed.chart, WHEEL_ZOOM**-down, pointed.plot.y_at(pointed.row)
            zoom = partial(zoomed_x, key=chart.key, plot=chart.plot, factor=factor, at=pointed.x, at_y=y)
            self.post_message(Choose(zoom))

    def _pan(self, event: events.MouseEvent, notches: int) -> None:
        _take(event)
        if (pointed := self.pointed_by(event)) is not None and not pointed.chart.slides:
            chart, part = pointed.chart, WHEEL_PAN * notches
            self.post_message(Choose(partial(panned_x, key=chart.key, plot=chart.plot, part=part)))


def _take(event: events.MouseEvent) -> None:
    """Let nobody else act on an event, Textual's own scrolling included."""
    event.stop()
    event.prevent_default()
