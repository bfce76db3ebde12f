"""The pane of the PR curves tab."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.loading.payloads import Payloads
from tbtui.plugins.pr_curves import transitions
from tbtui.plugins.pr_curves.chart import CurveChartCache
from tbtui.plugins.pr_curves.chart_labels import LINEAR_ONLY, ZOOMED_ALONE, format_settings_label
from tbtui.plugins.pr_curves.painter import CurveRenderer, CurveSource, OpenedCurves
from tbtui.plugins.pr_curves.settings import SETTINGS, THRESHOLD
from tbtui.plugins.pr_curves.transitions import move_threshold
from tbtui.settings.chart_navigation import fit_chart, move_step, place_cursor
from tbtui.settings.settings import FULL_RANGE
from tbtui.view.card_painter import Painter
from tbtui.view.cards import RunCards
from tbtui.widgets.card_frames import PlottedChart
from tbtui.widgets.chart_keys import RUN_KEYS, TAG_CARD_KEYS, WRITE_KEYS
from tbtui.widgets.chart_view import ChartView
from tbtui.widgets.charts_pane import ChartsPane, PreparedView
from tbtui.widgets.pane import Choose
from tbtui.widgets.plot_view import Pointed

if TYPE_CHECKING:
    from textual import events

    from tbtui.plugins.pr_curves.read import Floats
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import CardForms


# One chart of precision-recall curves in full size: beside the step, a threshold is chosen in it.


class CurveView(ChartView):
    """Left and right move the threshold to the next visible change of the curves; with shift, to the next stored one.

    The slider below them chooses the step.
    """

    BINDING_GROUP_TITLE = "PR curves"
    GROUPED = "pr_curves"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "cursor(-1)", "threshold", id="curve.left", tooltip="threshold left"),
        Binding("right,l", "cursor(1)", "threshold", id="curve.right", tooltip="threshold right"),
        Binding("shift+left", "threshold(-1)", show=False, id="curve.before", tooltip="one threshold left"),
        Binding("shift+right", "threshold(1)", show=False, id="curve.after", tooltip="one threshold right"),
        Binding("home", "cursor_end(-1)", show=False, id="curve.first", tooltip="threshold first"),
        Binding("end", "cursor_end(1)", show=False, id="curve.last", tooltip="threshold last"),
        Binding("v", "stretch", "compare step", id="curve.beside", tooltip="compare with another step"),
    ]

    @property
    def _curves(self) -> OpenedCurves | None:
        opened = self._opened
        return opened if isinstance(opened, OpenedCurves) else None

    # The threshold

    def action_cursor(self, stops: int) -> None:
        """Move the threshold by this number of visible changes along the curves, to the right: down."""
        if (opened := self._curves) is not None:
            self._move_threshold(opened.visible_thresholds, stops, opened.default_threshold)

    def action_threshold(self, count: int) -> None:
        """Move the threshold by this number of stored thresholds."""
        if (opened := self._curves) is not None:
            self._move_threshold(opened.thresholds, count, opened.default_threshold)

    def _move_threshold(self, thresholds: Floats, count: int, default: float | None) -> None:
        self.post_message(Choose(partial(move_threshold, thresholds=thresholds, count=count, default=default)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for zooming into the selected steps: they are not an axis of the chart."""
        return action != "zoom_stretch" and super().check_action(action, parameters)

    def action_back(self) -> None:
        """Close the topmost layer, as in every chart; the threshold is reset before the step."""
        if not self.mouse.has_box and self._settings.mark is None and THRESHOLD.value(self._settings) is not None:
            self._settings = THRESHOLD.with_value(self._settings, None)
            self.post_message(Choose(partial(THRESHOLD.with_value, value=None)))
        else:
            super().action_back()

    # Mouse

    def put_cursor(self, pointed: Pointed) -> None:
        """Choose the threshold of the point nearest to where the mouse points."""
        source = self._painter.source if isinstance(self._painter, Painter) else None
        opened = self._opened
        if isinstance(source, CurveSource) and opened is not None:
            self._worker.ask(
                "threshold",
                lambda: iter([source.find_threshold(opened, pointed.column, pointed.row)]),
                self._take_threshold,
                self._fail,
            )

    def _take_threshold(self, threshold: float | None) -> None:
        if threshold is not None:
            self.post_message(Choose(partial(THRESHOLD.with_value, value=threshold)))

    def on_click(self, event: events.Click) -> None:
        """Choose the step nearest to a click on the slider."""
        opened, offset = self._curves, event.get_content_offset(self)
        slider = None if opened is None or offset is None else _on_slider(opened, offset.x, offset.y)
        if slider is None or self.mouse.ends_drag(event):
            return
        event.stop()
        event.prevent_default()
        chart = slider.chart
        self.post_message(Choose(partial(place_cursor, plot=chart.plot, stops=chart.stops, x=slider.x)))


def _on_slider(opened: OpenedCurves, column: int, row: int) -> Pointed | None:
    """Return the position on the slider's track in a cell of the picture."""
    if opened.slider is None or opened.stops is None:
        return None
    pointed = Pointed(PlottedChart(opened.key, opened.slider, opened.stops), column, row)
    return pointed if pointed.in_plot else None


class PrCurvesPane(ChartsPane[RunCards]):
    """Shows one card for each tag, with the curves of all drawn runs.

    Both axes show values that no other tab has, so that each chart zooms alone.
    """

    MOVED = staticmethod(move_step)
    VIEW = CurveView
    UNUSED = frozenset({"next_y_scale", "smooth"})
    WITHOUT_CURSOR = staticmethod(transitions.forget_cursor)
    BINDING_GROUP_TITLE = "PR curves"
    SETTINGS = SETTINGS

    BINDINGS: ClassVar[list[BindingType]] = [
        *TAG_CARD_KEYS,
        *WRITE_KEYS,
        *RUN_KEYS,
        Binding("X,Y", "say_scale", show=False, id="curves.scale", tooltip="both axes are linear"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        payloads = payloads or Payloads()
        super().__init__(payloads)
        self._data = CurveChartCache(payloads)
        self._renderer = CurveRenderer()

    def prepare_cards(self, view: View) -> PreparedView[RunCards]:
        cards = self._data.cards(view)
        return PreparedView(view, cards, Painter(CurveSource(self._data, self._renderer, view), cards))

    def card_forms(self) -> CardForms[RunCards]:
        from tbtui.plugins.pr_curves.pane.forms import CurveForms

        return CurveForms(self._data)

    def is_overview(self, settings: Settings) -> bool:
        return settings.overview

    def status(self) -> str:
        view = self.view
        return "" if view is None else format_settings_label(view.settings, self.opened.key)

    def key_word(self, action: str) -> str | None:
        """Return no name for left and right in an opened chart: there they move the threshold, not the step."""
        return None if action.startswith("cursor(") else super().key_word(action)

    @property
    def zoomed(self) -> bool:
        """True if the axes of the card were set by hand."""
        if self.chart_key is None or self.view is None:
            return False
        chart_settings = self.view.settings.chart(self.chart_key)
        return (chart_settings.across_range, chart_settings.y_range) != (FULL_RANGE, FULL_RANGE)

    # Keys

    def action_fit(self) -> None:
        """Show the whole extent of the chart."""
        if self.chart_key is not None:
            self.change(partial(fit_chart, key=self.chart_key, plane=True))

    def action_fit_all(self) -> None:
        """Show all charts of this tab whole."""
        self.change(partial(transitions.fit_charts, keys=self.grid.keys))

    def action_link(self) -> None:
        """Say that charts cannot be zoomed together."""
        self.notify(ZOOMED_ALONE, markup=False)

    def action_say_scale(self) -> None:
        """Say that both axes are linear."""
        self.notify(LINEAR_ONLY, markup=False)
