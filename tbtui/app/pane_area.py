"""The area of the main screen that holds the panes of the opened tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from tbtui.app.status_line import explain_empty_pane
from tbtui.widgets.empty_state import EmptyState
from tbtui.widgets.pane import Outline

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from tbtui.app.state import AppState
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import Plugin
    from tbtui.widgets.pane import Pane

NO_OUTLINE = Outline((), (), ())
"""Outline of a pane that has not shown anything yet."""


class PaneArea(Container):
    """Holds the panes of the opened tabs, or an empty state. Only the visible pane receives new views.

    A pane is created when its tab is opened for the first time, and kept.

    Args:
        label: The log directory as the user wrote it.
        id: The widget's id.
    """

    DEFAULT_CSS = """
    PaneArea > EmptyState { display: none; }
    """

    class Ready(Message):
        """A new pane was mounted and shows the view."""

    def __init__(self, label: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.label = label
        self._empty_state = EmptyState(id="notice")
        self._panes: dict[str, Pane] = {}
        self._state: AppState | None = None
        self._payloads: Payloads | None = None

    def compose(self) -> ComposeResult:
        """Compose the empty state; panes are mounted later."""
        yield self._empty_state

    @property
    def pane(self) -> Pane | None:
        """The pane that is shown; None while the empty state is shown instead."""
        plugin = None if self._state is None else self._state.plugin
        pane = None if plugin is None else self._panes.get(plugin.name)
        return pane if pane is not None and pane.display and pane.is_mounted else None

    @property
    def outline(self) -> Outline | None:
        """Items that the sidebar lists instead of tags; None: the tags."""
        plugin = None if self._state is None else self._state.plugin
        if plugin is None or not plugin.has_outline:
            return None
        pane = self._panes.get(plugin.name)
        return NO_OUTLINE if pane is None or pane.outline is None else pane.outline

    @property
    def focus_target(self) -> Widget | None:
        """The widget that receives the focus for the pane."""
        pane = self.pane
        if pane is None:
            return None
        return next(
            (widget for widget in pane.walk_children(Widget) if widget.focusable and is_displayed(widget)), None
        )

    def show_state(self, state: AppState) -> None:
        """Pass the new view to the open pane, or show why there is nothing to draw."""
        self._state = state
        reason = explain_empty_pane(state, self.label)
        self._empty_state.display = reason is not None
        if reason is not None:
            self._empty_state.show_message(*reason)
        plugin = None if reason else state.plugin
        for name, pane in self._panes.items():
            pane.display = plugin is not None and name == plugin.name
        if plugin is None:
            return
        if plugin.name not in self._panes:
            if plugin.load_pane is None:
                raise ValueError(f"{plugin.name} has no tab")
            self._panes[plugin.name] = plugin.load_pane()(self.payloads)
            self.call_next(self._mount_pane, plugin)
        elif (opened := self.pane) is not None:
            is_reading = not state.load.complete
            is_due = not is_reading or not opened.waits_for(state.view)
            was_partial = opened.shows_less_while_reading and opened.is_reading and not is_reading
            if is_due and (opened.view is not state.view or was_partial):
                opened.is_reading = is_reading
                opened.show(state.view)

    @property
    def payloads(self) -> Payloads:
        """The payload cache of all panes; its module is imported with the first pane."""
        if self._payloads is None:
            from tbtui.loading.payloads import Payloads

            self._payloads = Payloads()
        return self._payloads

    async def _mount_pane(self, plugin: Plugin) -> None:
        """Mount a new pane and show the latest view, which may belong to another tab by now."""
        if not self.is_attached:
            return  # the app is quitting during its start: that must not look like a crash
        await self.mount(self._panes[plugin.name])
        if self._state is not None:
            self.show_state(self._state)
        self.post_message(self.Ready())


def is_displayed(widget: Widget) -> bool:
    """Return True if the widget is attached and neither it nor one of its ancestors is hidden."""
    return widget.is_attached and all(node.display for node in widget.ancestors_with_self)
