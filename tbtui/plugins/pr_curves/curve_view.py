"""One chart of precision-recall curves in full size: beside the step, a threshold is chosen in it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.plugins.pr_curves.changes import threshold_moved
from tbtui.plugins.pr_curves.painter import OpenedCurves, PrCurvesPainter
from tbtui.viewstate.cursor import cursor_near
from tbtui.widgets.chart_view import ChartView
from tbtui.widgets.frames import Plotted
from tbtui.widgets.pane import Choose
from tbtui.widgets.plot_picture import Pointed

if TYPE_CHECKING:
    from textual import events


class CurveView(ChartView):
    """Left and right move the threshold along the curves; the slider below them chooses the step."""

    BINDING_GROUP_TITLE = "PR curves"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "cursor(-1)", "threshold", id="curve.left", tooltip="threshold left"),
        Binding("right,l", "cursor(1)", "threshold", id="curve.right", tooltip="threshold right"),
        Binding("home", "cursor_end(-1)", show=False, id="curve.first", tooltip="threshold first"),
        Binding("end", "cursor_end(1)", show=False, id="curve.last", tooltip="threshold last"),
        Binding("v", "stretch", "beside", id="curve.beside", tooltip="another step beside it"),
    ]

    @property
    def _curves(self) -> OpenedCurves | None:
        opened = self._opened
        return opened if isinstance(opened, OpenedCurves) else None

    # The threshold

    def action_cursor(self, stops: int) -> None:
        """Move the threshold so many further along the curves, to the right: down."""
        if (opened := self._curves) is not None:
            move = partial(threshold_moved, thresholds=opened.thresholds, count=stops, start=opened.start)
            self.post_message(Choose(move))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A stretch of steps is no part of the chart that could be zoomed into."""
        return action != "zoom_stretch" and super().check_action(action, parameters)

    def action_back(self) -> None:
        """Take the topmost layer away, as in every chart; the threshold goes before the step."""
        if not self.mouse.has_box and self._choices.mark is None and self._choices.threshold is not None:
            self._choices = replace(self._choices, threshold=None)
            self.post_message(Choose(threshold=None))
        else:
            super().action_back()

    # Mouse

    def put_cursor(self, pointed: Pointed) -> None:
        """Choose the threshold of the point nearest to where the mouse points."""
        painter, opened = self._painter, self._opened
        if isinstance(painter, PrCurvesPainter) and opened is not None:
            self._background.ask(
                "threshold",
                lambda: iter([painter.threshold_at(opened, pointed.column, pointed.row)]),
                self._take_threshold,
                self._fail,
            )

    def _take_threshold(self, threshold: float | None) -> None:
        if threshold is not None:
            self.post_message(Choose(threshold=threshold))

    def on_click(self, event: events.Click) -> None:
        """On the slider, choose the step nearest to where it was clicked."""
        opened, offset = self._curves, event.get_content_offset(self)
        slider = None if opened is None or offset is None else _on_slider(opened, offset.x, offset.y)
        if slider is None or self.mouse.ends_drag(event):
            return
        event.stop()
        event.prevent_default()
        chart = slider.chart
        self.post_message(Choose(partial(cursor_near, plot=chart.plot, stops=chart.stops, at=slider.x)))


def _on_slider(opened: OpenedCurves, column: int, row: int) -> Pointed | None:
    """The place on the slider's track in a cell of the picture."""
    if opened.slider is None or opened.stops is None:
        return None
    pointed = Pointed(Plotted(opened.key, opened.slider, opened.stops), column, row)
    return pointed if pointed.in_plot else None
