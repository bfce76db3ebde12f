"""A sign for work that takes longer than users wait without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer
    from textual.widget import Widget


WORKING = " working …"


SPINNER_DELAY_SECONDS = 0.3
"""Delay until the sign appears: shorter work needs none."""


class Spinner:
    """Decides when a widget shows the sign. Belongs to the UI thread.

    Args:
        widget: The widget; its timer ends with it.
        show: Called once when work has taken `SPINNER_DELAY_SECONDS`.
        hide: Called when the work ends after that.
    """

    def __init__(self, widget: Widget, show: Callable[[], None], hide: Callable[[], None]) -> None:
        self._widget, self._show, self._hide = widget, show, hide
        self._timer: Timer | None = None
        self.is_shown = False

    def begin(self) -> None:
        """Start the delay unless work was going on already."""
        if self._timer is None and not self.is_shown:
            self._timer = start_timer(self._widget, SPINNER_DELAY_SECONDS, self._on_time)

    def end(self) -> None:
        """End the work."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.is_shown:
            self.is_shown = False
            self._hide()

    def _on_time(self) -> None:
        self._timer = None
        self.is_shown = True
        self._show()


def draw_spinner(width: int) -> Cells:
    """Return the sign in one row of at most `width` columns."""
    cells = Cells.blank(1, min(len(WORKING), max(width, 0)))
    write(cells, 0, 0, WORKING[: cells.width], Ink.DIM)
    return cells
