"""Where the open tab's pane stands, or the words that say why there is nothing to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from tbtui.app.words import why_empty
from tbtui.widgets.notice import Notice

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from tbtui.app.outlook import Outlook
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import Plugin
    from tbtui.widgets.pane import Pane


class PaneArea(Container):
    """Panes are made when their tab is first opened, and kept; only the open one is handed views."""

    DEFAULT_CSS = """
    PaneArea > Notice { display: none; }
    """

    class Ready(Message):
        """A pane was made and shows the view."""

    def __init__(self, label: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Begin with nothing to show.

        Args:
            label: The log directory as the user wrote it.
            id: As every widget's.
        """
        super().__init__(id=id)
        self._label = label
        self._notice = Notice(id="notice")
        self._panes: dict[str, Pane] = {}
        self._outlook: Outlook | None = None
        self._payloads: Payloads | None = None

    def compose(self) -> ComposeResult:
        """No pane yet."""
        yield self._notice

    @property
    def pane(self) -> Pane | None:
        """The pane that shows; None while words stand in its place."""
        plugin = None if self._outlook is None else self._outlook.plugin
        pane = None if plugin is None else self._panes.get(plugin.name)
        return pane if pane is not None and pane.display and pane.is_mounted else None

    @property
    def target(self) -> Widget | None:
        """What takes the keys of the pane."""
        pane = self.pane
        if pane is None:
            return None
        return next(
            (widget for widget in pane.walk_children(Widget) if widget.focusable and is_displayed(widget)), None
        )

    def show_outlook(self, outlook: Outlook) -> None:
        """Hand the open pane the new view, or say why there is nothing to see."""
        self._outlook = outlook
        words = why_empty(outlook, self._label)
        self._notice.display = words is not None
        if words is not None:
            self._notice.say(*words)
        plugin = None if words else outlook.plugin
        for name, pane in self._panes.items():
            pane.display = plugin is not None and name == plugin.name
        if plugin is None:
            return
        if plugin.name not in self._panes:
            self._panes[plugin.name] = plugin.load_pane()(self._shared_payloads())
            self.call_next(self._mount_pane, plugin)
        elif self.pane is not None:
            self.pane.show(outlook.view)

    def _shared_payloads(self) -> Payloads:
        """One cache for all panes; what reads files again is imported with the first of them."""
        if self._payloads is None:
            from tbtui.loading.payloads import Payloads

            self._payloads = Payloads()
        return self._payloads

    async def _mount_pane(self, plugin: Plugin) -> None:
        """Put a new pane on the screen and show it the latest view, unless another tab was opened meanwhile."""
        if not self.is_attached:
            return  # the app is being left: who quits while it starts must not see it fail
        await self.mount(self._panes[plugin.name])
        if self._outlook is not None:
            self.show_outlook(self._outlook)
        self.post_message(self.Ready())


def is_displayed(widget: Widget) -> bool:
    """Whether neither a widget nor anything around it is hidden."""
    return widget.is_attached and all(node.display for node in widget.ancestors_with_self)
