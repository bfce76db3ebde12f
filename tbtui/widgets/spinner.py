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
"""Seconds until it is said: what takes less is not worth a word."""


class Spinner:
    """Tells a widget when to say so, and when no longer. Belongs to the UI thread.

    Args:
        widget: The one that says it.
        say: Called once when work has taken long.
        unsay: Called when it ends after that.
    """

    def __init__(self, widget: Widget, say: Callable[[], None], unsay: Callable[[], None]) -> None:
        self._widget, self._say, self._unsay = widget, say, unsay
        self._timer: Timer | None = None
        self.is_said = False

    def begin(self) -> None:
        """Work goes on from now, unless it did already."""
        if self._timer is None and not self.is_said:
            self._timer = start_timer(self._widget, SPINNER_DELAY_SECONDS, self._on_time)

    def end(self) -> None:
        """Nothing is being made any more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.is_said:
            self.is_said = False
            self._unsay()

    def _on_time(self) -> None:
        self._timer = None
        self.is_said = True
        self._say()


def draw_spinner(width: int) -> Cells:
    """The word in one row, in `width` columns at most."""
    cells = Cells.blank(1, min(len(WORKING), max(width, 0)))
    write(cells, 0, 0, WORKING[: cells.width], Ink.DIM)
    return cells
