"""The widget of one sound in full size with the bar of its steps."""

from __future__ import annotations

from tbtui.plugins.audio.painter import OpenedSound
from tbtui.settings.zoom import cursor_stops
from tbtui.widgets.card_frames import PlottedChart
from tbtui.widgets.chart_view import ChartView
from tbtui.widgets.plot_view import Pointed


class SoundView(ChartView):
    """Show one sound in full size; a click on the bar, or a drag along it, selects a step."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for `stretch` too: no second sound is shown beside it."""
        return action != "stretch" and super().check_action(action, parameters)

    def pointed(self, column: int, row: int) -> Pointed | None:
        """Return the position under the mouse: on the bar of steps, or on the picture above it."""
        opened = self._opened
        bar = opened.bar if isinstance(opened, OpenedSound) else None
        if opened is None or bar is None or row != bar.top:
            return super().pointed(column, row)
        return Pointed(PlottedChart(opened.key, bar, cursor_stops(bar, opened.stops), slides=True), column, row)
