"""The one screen: status, sidebar, tabs, pane and keys, laid out for the terminal's size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message

from tbtui.app.key_line import KeyLine
from tbtui.app.key_table import EVERYWHERE
from tbtui.app.layout import WIDE_FROM, layout_for, sidebar_width
from tbtui.app.legend import legend_pieces
from tbtui.app.pane_area import PaneArea
from tbtui.app.run_words import run_line
from tbtui.app.sidebar import Sidebar
from tbtui.app.status_line import StatusLine, status_pieces
from tbtui.charts.cells import Ink
from tbtui.viewstate.choices import Choices
from tbtui.viewstate.saved import SidebarState
from tbtui.widgets.lean_screen import LeanScreen
from tbtui.widgets.line import Line
from tbtui.widgets.pane import Choose
from tbtui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from textual.app import App, ComposeResult
    from textual.dom import DOMNode
    from textual.geometry import Size
    from textual.screen import Screen
    from textual.widget import Widget

    from tbtui.app.outlook import Outlook
    from tbtui.app.run_list import RunList
    from tbtui.app.tag_list import TagList
    from tbtui.widgets.filter_bar import FilterBar
    from tbtui.widgets.line import Piece
    from tbtui.widgets.pane import Pane


SIDEBAR_STEP = 4
"""Columns that a key widens the sidebar by."""


class SidebarChanged(Message):
    """The sidebar was shown, hidden or widened, or folders in it folded."""


class Board(LeanScreen):
    """Shows one outlook; what the user asks for goes up as messages."""

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

    DEFAULT_CSS = """
    Board { layout: vertical; }
    Board #body, Board #main, Board #panes { height: 1fr; width: 1fr; }
    """

    def __init__(self, label: str, sidebar: SidebarState) -> None:
        """Begin empty.

        Args:
            label: The log directory as the user wrote it.
            sidebar: How the sidebar was left.
        """
        super().__init__(id="board")
        self._label = label
        self._status = StatusLine([(f" {label}", Ink.BOLD)], id="status")
        self._legend = Line(id="legend")
        self._sidebar = Sidebar(sidebar.folded_folders, id="sidebar")
        self._tabs = TabStrip(id="tabs")
        self._panes = PaneArea(label, id="panes")
        self._keys = KeyLine(self._words, id="keys")
        self._main = Vertical(self._tabs, self._panes, id="main")
        self._outlook: Outlook | None = None
        self._layout_now = layout_for(WIDE_FROM, 24, 0)
        self._beside, self._sidebar_width = sidebar.open, sidebar.width
        self._over = False
        self._before_filter: Widget | None = None
        self._opened_by_filter = False
        self._areas_told = 0

    def compose(self) -> ComposeResult:
        """One column of lines around sidebar and pane."""
        yield self._status
        yield self._legend
        yield Horizontal(self._sidebar, self._main, id="body")
        yield self._keys

    def on_mount(self) -> None:
        """A pane may say something else once the focus has moved in it; a resumed terminal has forgotten everything."""
        self.bindings_updated_signal.subscribe(self, self._say_status)
        self.app.app_resume_signal.subscribe(self, self._repaint)

    def _repaint(self, app: App[Any]) -> None:
        app.refresh(layout=True)

    def _say_status(self, _screen: Screen[Any]) -> None:
        if error := self._sidebar.filter_error:
            self._keys.say(((f"filter not applied: {error}", Ink.DIM),))
        elif line := self._run_line:
            self._keys.say(line)
        else:
            self._keys.say(((self._panes.pane.status() if self._panes.pane else "", Ink.DIM),))

    @property
    def _run_line(self) -> tuple[Piece, ...]:
        """What is known of the run under the cursor of the run tree, while that has the keys."""
        name, outlook = self._sidebar.runs.current_run, self._outlook
        if name is None or outlook is None:
            return ()
        return run_line(outlook.state.snapshot.runs[name], outlook.facts[name], outlook.conditions.of[name])

    def on_row_list_moved(self) -> None:
        """Another run is under the cursor."""
        self._say_status(self)

    # What is shown

    @property
    def sidebar_state(self) -> SidebarState:
        """How the sidebar is left."""
        return SidebarState(self._beside, self._sidebar.runs.folded, self._sidebar_width)

    @property
    def fits(self) -> bool:
        """Whether the terminal is large enough for anything."""
        return self._layout_now.fits

    @property
    def sidebar_shown(self) -> bool:
        """Whether runs and tags are on the screen."""
        return bool(self._sidebar.display)

    @property
    def key_owners(self) -> list[DOMNode]:
        """Everything that has keys now, the most general first; panes of other tabs have theirs when they are open."""
        pane = self._panes.pane
        shown = () if pane is None else (pane, *pane.walk_children())
        return [self.app, self, *self._sidebar.walk_children(), *shown]

    @property
    def pane(self) -> Pane | None:
        """The pane that shows."""
        return self._panes.pane

    def show_outlook(self, outlook: Outlook) -> None:
        """Show what is loaded and chosen."""
        self._outlook = outlook
        self._tabs.show_tabs(
            [(p.name, p.title) for p in outlook.plugins], outlook.plugin.name if outlook.plugin else ""
        )
        self._panes.show_outlook(outlook)
        self.fit_to(self.app.size)

    def fit_to(self, size: Size) -> None:
        """Lay everything out for a terminal of this size."""
        tabs = len(self._outlook.plugins) if self._outlook else 0
        layout = self._layout_now = layout_for(size.width, size.height, tabs, self._sidebar_width)
        beside, over = layout.wide and self._beside, not layout.wide and self._over
        self._sidebar.styles.width = layout.sidebar_width if layout.wide else "1fr"
        self._sidebar.display = beside or over
        self._main.display = not over
        self._tabs.display = layout.tabs
        self._legend.display = layout.legend and not over
        self._keys.display = layout.keys
        self._refresh_lines(size.width)
        self._mend_focus()
        if (areas := len(self._areas)) != self._areas_told:
            self._areas_told = areas
            self.refresh_bindings()

    def _refresh_lines(self, width: int) -> None:
        """Write anew what stands around the pane, as far as it shows."""
        if self._outlook is None:
            return
        self._status.show(status_pieces(self._outlook, self._label, width))
        if self._legend.display:
            self._legend.show(legend_pieces(self._outlook, width))
        if self._sidebar.display:
            self._sidebar.show_outlook(self._outlook)
        self._say_status(self)

    # The areas: runs, tags, pane

    @property
    def _areas(self) -> list[Widget]:
        """What can take the keys now, in the order of the tab key."""
        trees: list[Widget] = [self._sidebar.runs, self._sidebar.tags] if self._sidebar.display else []
        target = self._panes.target if self._main.display else None
        return [*trees, target] if target is not None else trees

    def _mend_focus(self) -> None:
        """The keys go to the charts where nobody has them, or where what had them is hidden."""
        if self.focused is None or not _displayed(self.focused):
            target = self._panes.target if self._main.display else self._sidebar.runs
            self.set_focus(target, scroll_visible=False)

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

    def _words(self, action: str) -> str | None:
        """What a key does now, where that changes."""
        if action == "next_area(1)":
            after = self._area_after(1)
            return "runs" if after is self._sidebar.runs else "tags" if after is self._sidebar.tags else "charts"
        if action == "edit_filter":
            return "filter runs" if self.focused is self._sidebar.runs else "filter tags"
        return "charts" if action == "toggle_sidebar" and not self._main.display else None

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
        self._say_status(self)

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


def _displayed(widget: Widget) -> bool:
    return widget.is_attached and all(node.display for node in widget.ancestors_with_self)
