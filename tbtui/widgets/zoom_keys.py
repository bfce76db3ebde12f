"""The keys that zoom charts and move the cursor, the same wherever a pane shows charts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.viewstate.cursor import cursor_moved, no_cursor
from tbtui.viewstate.looking import all_fitted, fitted, linked_to, panned_x, panned_y, zoomed_x
from tbtui.widgets.pane import Choose, Pane

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.viewstate.choices import Choices
    from tbtui.widgets.frames import Plotted

STEP = 0.25
"""What a key moves a chart by, as a part of what is seen."""


class ZoomKeys(Pane):
    """A pane of charts. Subclasses say which of them the keys are about."""

    BINDING_GROUP_TITLE = "Zoom and cursor"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "zoom(.5)", "zoom", id="zoom.in", tooltip="zoom in"),
        Binding("Z", "zoom(2)", "zoom out", show=False, id="zoom.out", tooltip="zoom out"),
        Binding("H,shift+left", f"pan({-STEP})", show=False, id="zoom.left", tooltip="move left"),
        Binding("L,shift+right", f"pan({STEP})", show=False, id="zoom.right", tooltip="move right"),
        Binding("shift+up", f"pan_y({STEP})", show=False, id="zoom.up", tooltip="move up"),
        Binding("shift+down", f"pan_y({-STEP})", show=False, id="zoom.down", tooltip="move down"),
        Binding("f", "fit", "whole", id="zoom.fit", tooltip="whole chart"),
        Binding("F", "fit_all", show=False, id="zoom.fit_all", tooltip="all charts whole"),
        Binding("S", "link", show=False, id="zoom.link", tooltip="zoom all together"),
        Binding("comma", "move_cursor(-1)", show=False, id="cursor.before", tooltip="cursor before"),
        Binding("full_stop", "move_cursor(1)", show=False, id="cursor.after", tooltip="cursor after"),
        Binding("c", "forget_cursor", show=False, id="cursor.forget", tooltip="no cursor"),
    ]

    MOVED: ClassVar[Callable[..., Choices]] = staticmethod(cursor_moved)
    """How the cursor is moved along stops: from one end, or where the newest step is seen without it from there."""

    def key_word(self, action: str) -> str | None:
        """Where the cursor chooses the step that is seen, its keys are offered, and a second step stands beside it."""
        if self.MOVED is cursor_moved:
            return super().key_word(action)
        if action.startswith(("cursor(", "move_cursor(")):
            return "step"
        return "beside" if action == "stretch" else super().key_word(action)

    @property
    def chart_key(self) -> str | None:
        """The card that the keys are about: the one that is open, or focused; None when there is none."""
        raise NotImplementedError

    @property
    def zoomed(self) -> bool:
        """Whether that card shows less, or more, than its data needs."""
        raise NotImplementedError

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """The way back from a zoom is offered where there is one."""
        return action != "fit" or self.zoomed

    def aim(self) -> Plotted | None:
        """Bring that card into sight; its chart, as far as it has one."""
        raise NotImplementedError

    def change(self, change: Callable[[Choices], Choices]) -> None:
        """Ask for other choices."""
        self.post_message(Choose(change))

    def _change_chart(self, change: Callable[..., Choices]) -> None:
        """Ask for a change that depends on where the chart stands; without a chart nothing can be asked."""
        if (chart := self.aim()) is not None:
            self.change(partial(change, key=chart.key, plot=chart.plot))

    def action_zoom(self, factor: float) -> None:
        """Zoom along x."""
        self._change_chart(partial(zoomed_x, factor=factor))

    def action_pan(self, part: float) -> None:
        """Move along x."""
        self._change_chart(partial(panned_x, part=part))

    def action_pan_y(self, part: float) -> None:
        """Move along y."""
        self._change_chart(partial(panned_y, part=part))

    def action_fit(self) -> None:
        """Show the whole chart."""
        if self.chart_key is not None:
            self.change(partial(fitted, key=self.chart_key))

    def action_fit_all(self) -> None:
        """Show all charts whole."""
        self.change(all_fitted)

    def action_link(self) -> None:
        """Zoom all charts together, or each alone."""
        self.change(partial(linked_to, key=self.chart_key))

    def action_move_cursor(self, stops: int) -> None:
        """Move the cursor, which all charts share, so many stops on."""
        if (chart := self.aim()) is not None:
            self.change(partial(self.MOVED, stops=chart.stops, count=stops))

    def action_forget_cursor(self) -> None:
        """Take cursor and stretch away."""
        self.change(no_cursor)
