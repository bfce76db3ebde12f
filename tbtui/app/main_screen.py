"""The main screen: composes status lines, sidebar, tabs, panes and footer, and moves the focus between them.

User requests leave the screen as messages; the app answers with a new `AppState`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.app.footer import EVERYWHERE, Footer
from tbtui.app.layout import MIN_HEIGHT, MIN_WIDE_COLUMNS, MIN_WIDTH, SIDEBAR_STEP, SidebarPlacement, choose_layout
from tbtui.app.pane_area import PaneArea, is_displayed
from tbtui.app.run_status import format_run_line
from tbtui.app.sidebar import Sidebar
from tbtui.app.sidebar_rows import build_legend
from tbtui.app.status_line import StatusLine, build_status_line, explain_empty_pane
from tbtui.charts.cells import Ink
from tbtui.settings.persistence import SidebarState
from tbtui.settings.settings import Settings
from tbtui.widgets.line import Line
from tbtui.widgets.pane import Choose
from tbtui.widgets.tab_strip import TabStrip
from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen

if TYPE_CHECKING:
    from textual.app import App, ComposeResult
    from textual.dom import DOMNode
    from textual.geometry import Size
    from textual.screen import Screen
    from textual.widget import Widget

    from tbtui.app.run_list import RunList
    from tbtui.app.state import AppState
    from tbtui.app.tag_list import TagList
    from tbtui.charts.styled_text import Piece
    from tbtui.loading.payloads import Payloads
    from tbtui.widgets.filter_bar import FilterBar
    from tbtui.widgets.pane import Pane


class SidebarChanged(Message):
    """The sidebar was shown, hidden or resized, or one of its folders was folded or unfolded."""


class TooSmallScreen(ModalScreen[None]):
    """Covers everything, other dialogs too, until the terminal is large enough for a chart."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "app.quit", "quit", system=True)]

    DEFAULT_CSS = """
    TooSmallScreen { align: center middle; background: $background; }
    TooSmallScreen > Static { width: 100%; height: 100%; content-align: center middle; text-align: center; }
    """

    def compose(self) -> ComposeResult:
        """Compose the message."""
        yield Static(f"tbtui needs at least {MIN_WIDTH}x{MIN_HEIGHT}", markup=False)


class MainScreen(MinimalRepaintScreen):
    """The screen below all overlays.

    Args:
        label: The log directory as the user wrote it.
        sidebar: The saved state of the sidebar.
    """

    DEFAULT_CSS = """
    MainScreen { layout: vertical; }
    MainScreen #body, MainScreen #main, MainScreen #panes { height: 1fr; width: 1fr; }
    """

    BINDING_GROUP_TITLE = EVERYWHERE
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "toggle_sidebar", "sidebar", id="board.sidebar", tooltip="sidebar"),
        Binding(
            "left_curly_bracket",
            "widen_sidebar(-1)",
            "width",
            show=False,
            id="board.narrower",
            tooltip="sidebar narrower",
        ),
        Binding(
            "right_curly_bracket", "widen_sidebar(1)", "width", show=False, id="board.wider", tooltip="sidebar wider"
        ),
        Binding("slash", "edit_filter", "filter", id="board.filter", tooltip="filter runs or tags"),
        Binding("tab", "next_area(1)", "next", id="board.next", tooltip="runs, tags, charts"),
        Binding("shift+tab", "next_area(-1)", show=False, id="board.before"),
        Binding("escape", "back", show=False, id="board.back", tooltip="back"),
    ]

    def __init__(self, label: str, sidebar: SidebarState) -> None:
        super().__init__(id="main-screen")
        self._label = label
        self._status = StatusLine([(f" {label}", Ink.BOLD)], id="status")
        self._legend = Line(id="legend")
        self._sidebar = Sidebar(sidebar.folded_folders, id="sidebar")
        self._tabs = TabStrip(id="tabs")
        self._panes = PaneArea(label, id="panes")
        self._footer = Footer(self.describe_key, id="keys")
        self._main = Vertical(self._panes, id="main")
        self._state: AppState | None = None
        self._size_layout = choose_layout(MIN_WIDE_COLUMNS, 24, 0)
        self._placement = SidebarPlacement(sidebar.open, width=sidebar.width)
        self._last_area_count = 0
        self._focus_before_filter: Widget | None = None
        self._filter_opened_sidebar = False
        self._revealed = ""
        """Tag whose cards are shown once its pane is ready."""

    def compose(self) -> ComposeResult:
        """Compose the lines around sidebar and pane."""
        yield self._status
        yield self._legend
        yield self._tabs
        yield Horizontal(self._sidebar, self._main, id="body")
        yield self._footer

    def on_mount(self) -> None:
        """Follow changes of the key bindings, and repaint a resumed terminal, which has lost its content."""
        self.bindings_updated_signal.subscribe(self, self._on_bindings_update)
        self.app.app_resume_signal.subscribe(self, self._repaint)

    def _on_bindings_update(self, _screen: Screen[Any]) -> None:
        self._ensure_focus()
        self._update_footer()

    def _repaint(self, app: App[Any]) -> None:
        app.refresh(layout=True)

    def rename(self, label: str) -> None:
        """Show another label for the log directories."""
        self._label = label
        self._panes.label = label

    # State

    @property
    def sidebar_state(self) -> SidebarState:
        """The state of the sidebar to save."""
        return SidebarState(self._placement.is_shown_wide, self._sidebar.runs.folded, self._placement.width)

    @property
    def fits(self) -> bool:
        """True if the terminal is large enough for a chart."""
        return self._size_layout.is_usable

    @property
    def is_sidebar_shown(self) -> bool:
        """True if runs and tags are on the screen."""
        return bool(self._sidebar.display)

    @property
    def pane(self) -> Pane | None:
        """The pane that is shown."""
        return self._panes.pane

    @property
    def has_drawn(self) -> bool:
        """True once the open pane shows its latest view, or if there is none to show."""
        if self._state is None:
            return False
        if explain_empty_pane(self._state, self._label) is not None:
            return True
        pane = self._panes.pane
        return pane is not None and pane.view is not None and pane.worker.is_idle

    @property
    def payloads(self) -> Payloads:
        """The payload cache of all panes."""
        return self._panes.payloads

    @property
    def key_owners(self) -> list[DOMNode]:
        """All nodes with key bindings, the most general first; of the panes only the open one."""
        pane = self._panes.pane
        shown = () if pane is None else (pane, *pane.walk_children())
        return [self.app, self, *self._sidebar.walk_children(), *shown]

    @property
    def focused_key_owners(self) -> list[DOMNode]:
        """The nodes whose keys work at the present focus, the focused widget first."""
        focused = (
            [] if self.focused is None else [node for node in self.focused.ancestors_with_self if node is not self]
        )
        return [*(node for node in focused if node is not self.app), self, self.app]

    @property
    def other_key_owners(self) -> list[DOMNode]:
        """The nodes whose keys do not work at the present focus."""
        focused_nodes = set() if self.focused is None else set(self.focused.ancestors_with_self)
        return [node for node in self.key_owners if node not in focused_nodes and node not in (self, self.app)]

    def introduce_keys(self) -> None:
        """Show the keys that matter in the footer for a while."""
        self._footer.introduce()

    def end_introduction(self) -> None:
        """Show the usual footer."""
        self._footer.end_introduction()

    @property
    def focus_title(self) -> str:
        """Name of the part that has the focus: a list of the sidebar, or the open tab."""
        if self.focused is self._sidebar.runs:
            return "Runs"
        if self.focused is self._sidebar.tags:
            return "Tags"
        plugin = None if self._state is None else self._state.plugin
        return "tbtui" if plugin is None else plugin.title

    def show_state(self, state: AppState) -> None:
        """Show another app state."""
        self._state = state
        self._tabs.show_tabs([(p.name, p.title) for p in state.plugins], state.plugin.name if state.plugin else "")
        self._panes.show_state(state)
        self.fit_to(self.app.size)

    def find_tab(self, number: int, read_at: float) -> str | None:
        """Return the name of the tab that had a number, from 1, when a key was read; None if none had.

        Args:
            number: The number that the tab line shows.
            read_at: Time of the key, as `time.monotonic`.
        """
        return self._tabs.find_tab(number, read_at)

    # Layout

    def fit_to(self, size: Size) -> None:
        """Lay all parts out for a terminal of this size."""
        tabs = len(self._state.plugins) if self._state else 0
        placement = self._placement
        layout = self._size_layout = choose_layout(size.width, size.height, tabs, placement.width)
        is_pane_covered = not layout.is_wide and placement.is_shown_narrow
        self._sidebar.styles.width = layout.sidebar_width if layout.is_wide else "1fr"
        self._sidebar.display = placement.is_shown(wide=layout.is_wide)
        self._main.display = not is_pane_covered
        self._tabs.display = layout.has_tabs and not is_pane_covered
        self._legend.display = layout.has_legend and not is_pane_covered
        self._footer.display = layout.has_footer
        self._update_lines(size.width)
        self._ensure_focus()
        if (areas := len(self._areas)) != self._last_area_count:
            self._last_area_count = areas
            self.refresh_bindings()

    def _update_lines(self, width: int) -> None:
        """Update the parts around the pane that are displayed."""
        if self._state is None:
            return
        self._status.show(build_status_line(self._state, self._label, width, self._size_layout.has_footer))
        if self._legend.display:
            self._legend.show(build_legend(self._state, width))
        if self._sidebar.display:
            self._sidebar.show_state(self._state, self._panes.outline)
        self._update_footer()

    def _update_footer(self) -> None:
        """Show the status of the focused part in the footer."""
        if error := self._sidebar.filter_error:
            self._footer.show_status(((f"filter not applied: {error}", Ink.DIM),))
        elif line := self._focused_run_line:
            self._footer.show_status(line)
        else:
            self._footer.show_status(((self._panes.pane.status() if self._panes.pane else "", Ink.DIM),))

    @property
    def _focused_run_line(self) -> tuple[Piece, ...]:
        """Details of the run under the cursor of the run list, while the list has the focus."""
        name, state = self._sidebar.runs.current_run, self._state
        if name is None or state is None:
            return ()
        run = state.load.snapshot.runs.get(name)
        # A sidebar that is being hidden still lists runs that are gone.
        return (
            () if run is None else format_run_line(run, state.summaries[name], state.conditions.of[name], state.passing)
        )

    # Focus areas: runs, tags, pane

    @property
    def _areas(self) -> list[Widget]:
        """The widgets that can take the focus now, in the order of the tab key."""
        lists: list[Widget] = [self._sidebar.runs, self._sidebar.tags] if self._sidebar.display else []
        target = self._panes.focus_target if self._main.display else None
        return [*lists, target] if target is not None else lists

    def _find_area(self, step: int) -> Widget | None:
        """Return the area `step` places further on; a filter counts as the list below it."""
        areas, tree = self._areas, self._sidebar.focused_tree
        current = areas.index(tree) if tree is not None else -1
        return areas[(current + step) % len(areas)] if areas else None

    def _ensure_focus(self) -> None:
        """Focus the charts if nothing has the focus, or if the focused widget is hidden."""
        if self.focused is None or not is_displayed(self.focused):
            target = self._panes.focus_target if self._main.display else self._sidebar.runs
            self.set_focus(target, scroll_visible=False)

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that would have no effect."""
        if action == "widen_sidebar":
            return self._size_layout.is_wide and self._placement.is_shown_wide
        return action != "next_area" or len(self._areas) > 1

    def describe_key(self, action: str) -> str | None:
        """Return the label of an action whose meaning depends on the state; None: the label of its binding."""
        if action == "next_area(1)":
            after = self._find_area(1)
            return "runs" if after is self._sidebar.runs else "tags" if after is self._sidebar.tags else "charts"
        if action == "edit_filter":
            return "filter runs" if self._filters_runs else "filter tags"
        if action == "toggle_sidebar" and not self._main.display:
            return "charts"
        if action == "close" and self._panes.pane is not None and self._panes.pane.has_opened:
            return "close"
        return self._panes.pane.key_word(action) if self._panes.pane is not None else None

    @property
    def _is_sidebar_over(self) -> bool:
        """True if the sidebar covers the pane, as in a narrow terminal."""
        return bool(self._sidebar.display) and not self._size_layout.is_wide

    def close_opened(self) -> bool:
        """Close the sidebar over the pane, or what the pane has opened; return False if there is neither."""
        pane = self._panes.pane
        if self._is_sidebar_over:
            self.action_toggle_sidebar()
        elif pane is not None and pane.has_opened:
            pane.close_opened()
        else:
            return False
        return True

    def action_next_area(self, step: int) -> None:
        """Focus the next area."""
        self.set_focus(self._find_area(step), scroll_visible=False)

    def action_toggle_sidebar(self) -> None:
        """Show or hide the sidebar; in a narrow terminal it replaces the pane."""
        self._place_sidebar(self._placement.toggle(wide=self._size_layout.is_wide))

    def action_widen_sidebar(self, steps: int) -> None:
        """Widen the sidebar by `steps` times `SIDEBAR_STEP` columns."""
        self._widen_sidebar(self._size_layout.sidebar_width + steps * SIDEBAR_STEP)

    def _widen_sidebar(self, columns: int) -> None:
        placement = self._placement.widen(columns, self._size_layout, self.app.size.width)
        if placement is not self._placement:
            self._place_sidebar(placement)

    def _place_sidebar(self, placement: SidebarPlacement) -> None:
        self._placement = placement
        self.fit_to(self.app.size)
        self.post_message(SidebarChanged())

    @property
    def _filters_runs(self) -> bool:
        """True if the focused part lists runs rather than tags."""
        if self.focused is self._sidebar.tags:
            return False
        pane = self._panes.pane
        return self.focused is self._sidebar.runs or (pane is not None and pane.lists_runs)

    def action_edit_filter(self) -> None:
        """Edit a filter: that of runs where runs are listed, else that of tags."""
        self._focus_before_filter, of_runs = self.focused, self._filters_runs
        self._filter_opened_sidebar = not self._sidebar.display
        if self._filter_opened_sidebar:
            self.action_toggle_sidebar()
        self._sidebar.edit_filter(of_runs=of_runs)

    def action_back(self) -> None:
        """Undo one layer: the sidebar over the pane, solo, the filter of the focused area, the other filter."""
        settings = self._state.settings if self._state else Settings()
        first, second = ("run_filter", "tag_filter")
        if not self._filters_runs:
            first, second = second, first
        if self._is_sidebar_over:
            self.action_toggle_sidebar()
        elif settings.solo is not None:
            self.post_message(Choose(solo=None))
        elif getattr(settings, first):
            self.post_message(Choose(**{first: ""}))
        elif getattr(settings, second):
            self.post_message(Choose(**{second: ""}))

    def go_to(self, *, run: str, tag: str) -> None:
        """Move the cursor to a run in its list, or show the cards of a tag."""
        if run:
            if not self._sidebar.display:
                self.action_toggle_sidebar()
            self._sidebar.runs.reveal(run)
            self.set_focus(self._sidebar.runs, scroll_visible=False)
        elif tag:
            self._revealed = tag
            self._reveal()

    def _reveal(self) -> None:
        """Show the cards of the tag that was chosen, as soon as its pane is there."""
        pane, tag = self._panes.pane, self._revealed
        if pane is not None and tag:
            self._revealed = ""
            if self._is_sidebar_over:
                self.action_toggle_sidebar()
            pane.reveal(tag)
            self.set_focus(self._panes.focus_target, scroll_visible=False)

    # Messages of the parts

    def on_row_list_moved(self) -> None:
        """Show the run under the cursor in the footer."""
        self._update_footer()

    def on_sidebar_dragged(self, event: Sidebar.Dragged) -> None:
        """Resize the sidebar to the mouse."""
        event.stop()
        if self._size_layout.is_wide:
            self._widen_sidebar(event.width)

    def on_filter_bar_drafted(self) -> None:
        """Show in the footer why the draft does not apply; the sidebar has tried it by now."""
        self._update_footer()

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Return the focus to the widget that had it before the filter."""
        event.stop()
        if self._filter_opened_sidebar:
            self._filter_opened_sidebar = False
            self.action_toggle_sidebar()
        self.set_focus(self._focus_before_filter, scroll_visible=False)
        self._ensure_focus()

    def on_tag_list_revealed(self, event: TagList.Revealed) -> None:
        """Scroll to the card of a tag and focus it."""
        event.stop()
        if self._sidebar.display and not self._size_layout.is_wide:
            self.action_toggle_sidebar()
        if self._panes.pane is not None:
            self._panes.pane.reveal(event.tag)
            self.set_focus(self._panes.focus_target, scroll_visible=False)

    def on_tag_list_group_folded(self, event: TagList.GroupFolded) -> None:
        """Fold or unfold a group of the open pane."""
        event.stop()
        pane = self._panes.pane
        if pane is not None:
            # In the pane's own context: Textual ends the way of a message at the pump that it was posted from.
            pane.call_next(pane.fold_group, event.key)

    def on_pane_outline_changed(self, event: Pane.OutlineChanged) -> None:
        """List what the open pane shows."""
        event.stop()
        if event.pane is self._panes.pane and self._sidebar.display:
            self._update_lines(self.app.size.width)

    def on_tab_strip_chosen(self, event: TabStrip.Chosen) -> None:
        """Open a tab."""
        event.stop()
        self.post_message(Choose(tab=event.name))

    def on_run_list_folded(self, event: RunList.Folded) -> None:
        """Report the folders as part of the sidebar's state."""
        event.stop()
        self.post_message(SidebarChanged())

    def on_pane_area_ready(self, event: PaneArea.Ready) -> None:
        """Focus a new pane and show its status and keys."""
        event.stop()
        self.fit_to(self.app.size)
        self.refresh_bindings()
        self._reveal()
