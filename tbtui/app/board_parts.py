"""The parts of the one screen, laid out for the terminal's size: status, sidebar, tabs, pane and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.containers import Horizontal, Vertical

from tbtui.app.key_line import KeyLine
from tbtui.app.layout import WIDE_FROM, layout_for
from tbtui.app.legend import legend_pieces
from tbtui.app.pane_area import PaneArea, is_displayed
from tbtui.app.run_words import run_line
from tbtui.app.sidebar import Sidebar
from tbtui.app.status_line import StatusLine, status_pieces
from tbtui.charts.cells import Ink
from tbtui.viewstate.saved import SidebarState
from tbtui.widgets.lean_screen import LeanScreen
from tbtui.widgets.line import Line
from tbtui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from textual.app import App, ComposeResult
    from textual.geometry import Size
    from textual.screen import Screen
    from textual.widget import Widget

    from tbtui.app.outlook import Outlook
    from tbtui.widgets.line import Piece
    from tbtui.widgets.pane import Pane


class BoardParts(LeanScreen):
    """Shows one outlook. What its keys do is for a subclass to say."""

    DEFAULT_CSS = """
    BoardParts { layout: vertical; }
    BoardParts #body, BoardParts #main, BoardParts #panes { height: 1fr; width: 1fr; }
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
        self._keys = KeyLine(self.key_word, id="keys")
        self._main = Vertical(self._tabs, self._panes, id="main")
        self._outlook: Outlook | None = None
        self._layout_now = layout_for(WIDE_FROM, 24, 0)
        self._beside, self._sidebar_width = sidebar.open, sidebar.width
        self._over = False
        self._areas_told = 0

    def compose(self) -> ComposeResult:
        """One column of lines around sidebar and pane."""
        yield self._status
        yield self._legend
        yield Horizontal(self._sidebar, self._main, id="body")
        yield self._keys

    def on_mount(self) -> None:
        """A pane may have something to say, or to give the keys to; a resumed terminal has forgotten everything."""
        self.bindings_updated_signal.subscribe(self, self._look_again)
        self.app.app_resume_signal.subscribe(self, self._repaint)

    def _look_again(self, _screen: Screen[Any]) -> None:
        self._mend_focus()
        self._say_status()

    def _repaint(self, app: App[Any]) -> None:
        app.refresh(layout=True)

    def key_word(self, action: str) -> str | None:
        """What a key does now, where that changes."""
        raise NotImplementedError

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

    # Lines around the pane

    def _refresh_lines(self, width: int) -> None:
        """Write anew what stands around the pane, as far as it shows."""
        if self._outlook is None:
            return
        self._status.show(status_pieces(self._outlook, self._label, width, self._layout_now.keys))
        if self._legend.display:
            self._legend.show(legend_pieces(self._outlook, width))
        if self._sidebar.display:
            self._sidebar.show_outlook(self._outlook)
        self._say_status()

    def _say_status(self) -> None:
        """Say in the line of keys what the part that has them shows."""
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
        run = outlook.state.snapshot.runs.get(name)
        # A sidebar that is being hidden still lists runs that are gone.
        return () if run is None else run_line(run, outlook.facts[name], outlook.conditions.of[name])

    # The areas: runs, tags, pane

    @property
    def _areas(self) -> list[Widget]:
        """What can take the keys now, in the order of the tab key."""
        trees: list[Widget] = [self._sidebar.runs, self._sidebar.tags] if self._sidebar.display else []
        target = self._panes.target if self._main.display else None
        return [*trees, target] if target is not None else trees

    def _mend_focus(self) -> None:
        """The keys go to the charts where nobody has them, or where what had them is hidden."""
        if self.focused is None or not is_displayed(self.focused):
            target = self._panes.target if self._main.display else self._sidebar.runs
            self.set_focus(target, scroll_visible=False)
