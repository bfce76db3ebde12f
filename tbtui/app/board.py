"""The one screen: its keys lead from area to area, fold the sidebar out and away, and edit filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.app.board_parts import BoardParts
from tbtui.app.key_table import EVERYWHERE
from tbtui.app.layout import sidebar_width
from tbtui.viewstate.choices import Choices
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.widget import Widget

    from tbtui.app.pane_area import PaneArea
    from tbtui.app.run_list import RunList
    from tbtui.app.sidebar import Sidebar
    from tbtui.app.tag_list import TagList
    from tbtui.viewstate.saved import SidebarState
    from tbtui.widgets.filter_bar import FilterBar
    from tbtui.widgets.tab_strip import TabStrip


SIDEBAR_STEP = 4
"""Columns that a key widens the sidebar by."""


class SidebarChanged(Message):
    """The sidebar was shown, hidden or widened, or folders in it folded."""


class Board(BoardParts):
    """What its keys and the mouse do; what the user asks for goes up as messages."""

    BINDING_GROUP_TITLE = EVERYWHERE
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "toggle_sidebar", "sidebar", id="board.sidebar", tooltip="sidebar"),
        Binding("left_curly_bracket", "widen_sidebar(-1)", show=False, id="board.narrower", tooltip="sidebar narrower"),
        Binding("right_curly_bracket", "widen_sidebar(1)", show=False, id="board.wider", tooltip="sidebar wider"),
        Binding("slash", "edit_filter", "filter", id="board.filter", tooltip="filter runs or tags"),
        Binding("tab", "next_area(1)", "next", id="board.next", tooltip="runs, tags, charts"),
        Binding("shift+tab", "next_area(-1)", show=False, id="board.before"),
        Binding("escape", "back", show=False, id="board.back", tooltip="one layer back"),
    ]

    def __init__(self, label: str, sidebar: SidebarState) -> None:
        """Begin empty.

        Args:
            label: The log directory as the user wrote it.
            sidebar: How the sidebar was left.
        """
        super().__init__(label, sidebar)
        self._before_filter: Widget | None = None
        self._opened_by_filter = False

    @property
    def key_owners(self) -> list[DOMNode]:
        """Everything that has keys now, the most general first; panes of other tabs have theirs when they are open."""
        pane = self._panes.pane
        shown = () if pane is None else (pane, *pane.walk_children())
        return [self.app, self, *self._sidebar.walk_children(), *shown]

    def on_row_list_moved(self) -> None:
        """Another run is under the cursor."""
        self._say_status()

    # The areas: runs, tags, pane

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not offered."""
        if action == "widen_sidebar":
            return self._layout_now.wide and self._beside
        return action != "next_area" or len(self._areas) > 1

    def _area_after(self, step: int) -> Widget | None:
        """The area so many further on; the filters belong to the trees below them."""
        areas, tree = self._areas, self._sidebar.tree_in_focus
        here = areas.index(tree) if tree is not None else -1
        return areas[(here + step) % len(areas)] if areas else None

    def action_next_area(self, step: int) -> None:
        """Give the keys to the next area."""
        self.set_focus(self._area_after(step), scroll_visible=False)

    def key_word(self, action: str) -> str | None:
        """What a key does now, where that changes."""
        if action == "next_area(1)":
            after = self._area_after(1)
            return "runs" if after is self._sidebar.runs else "tags" if after is self._sidebar.tags else "charts"
        if action == "edit_filter":
            return "filter runs" if self.focused is self._sidebar.runs else "filter tags"
        if action == "toggle_sidebar" and not self._main.display:
            return "charts"
        return self._panes.pane.key_word(action) if self._panes.pane is not None else None

    def action_toggle_sidebar(self) -> None:
        """Show or hide runs and tags; in a narrow terminal they stand in the place of the pane."""
        if self._layout_now.wide:
            self._beside = not self._beside
        else:
            self._over = not self._over
        self.fit_to(self.app.size)
        self.post_message(SidebarChanged())

    def action_widen_sidebar(self, steps: int) -> None:
        """Give the sidebar more room, or less."""
        self._widen_sidebar(self._layout_now.sidebar_width + steps * SIDEBAR_STEP)

    def on_sidebar_dragged(self, event: Sidebar.Dragged) -> None:
        """The mouse has taken the edge of the sidebar elsewhere."""
        event.stop()
        if self._layout_now.wide:
            self._widen_sidebar(event.width)

    def _widen_sidebar(self, columns: int) -> None:
        width = sidebar_width(self.app.size.width, columns)
        if width != self._layout_now.sidebar_width:
            self._sidebar_width = width
            self.fit_to(self.app.size)
            self.post_message(SidebarChanged())

    # Filters

    def action_edit_filter(self) -> None:
        """Type into the filter of the area that has the keys: runs from the run tree, tags from everywhere else."""
        self._before_filter = self.focused
        self._opened_by_filter = not self._sidebar.display
        if self._opened_by_filter:
            self.action_toggle_sidebar()
        self._sidebar.edit_filter(of_runs=self._before_filter is self._sidebar.runs)

    def on_filter_bar_drafted(self) -> None:
        """The sidebar has tried the draft: tell where there is room why it does not apply."""
        self._say_status()

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Give the keys back to whoever had them."""
        event.stop()
        if self._opened_by_filter:
            self._opened_by_filter = False
            self.action_toggle_sidebar()
        self.set_focus(self._before_filter, scroll_visible=False)
        self._mend_focus()

    def action_back(self) -> None:
        """Take the topmost layer away: the folded-out sidebar, solo, the filter of this area, the other filter."""
        choices = self._outlook.choices if self._outlook else Choices()
        first, second = ("run_filter", "tag_filter")
        if self.focused is not self._sidebar.runs:
            first, second = second, first
        if self._sidebar.display and not self._layout_now.wide:
            self.action_toggle_sidebar()
        elif choices.solo is not None:
            self.post_message(Choose(solo=None))
        elif getattr(choices, first):
            self.post_message(Choose(**{first: ""}))
        elif getattr(choices, second):
            self.post_message(Choose(**{second: ""}))

    # Requests of the parts

    def on_tag_list_revealed(self, event: TagList.Revealed) -> None:
        """Bring a tag's card into sight and give it the keys."""
        event.stop()
        if self._sidebar.display and not self._layout_now.wide:
            self.action_toggle_sidebar()
        if self._panes.pane is not None:
            self._panes.pane.reveal(event.tag)
            self.set_focus(self._panes.target, scroll_visible=False)

    def on_tab_strip_chosen(self, event: TabStrip.Chosen) -> None:
        """Open a tab."""
        event.stop()
        self.post_message(Choose(tab=event.name))

    def on_run_list_folded(self, event: RunList.Folded) -> None:
        """Folded folders are part of the sidebar's state."""
        event.stop()
        self.post_message(SidebarChanged())

    def on_pane_area_ready(self, event: PaneArea.Ready) -> None:
        """A pane that was just made takes the keys and has something to say."""
        event.stop()
        self.fit_to(self.app.size)
        self.refresh_bindings()
