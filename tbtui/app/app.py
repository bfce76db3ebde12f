"""The dashboard: keys that mean the same in every tab, and what opens over the screen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType

from tbtui.app.clipboard import copy_directory
from tbtui.app.colour_chooser import ColourChooser
from tbtui.app.damage_screen import DamageScreen
from tbtui.app.follower import Follower
from tbtui.app.help_screen import HelpScreen
from tbtui.app.key_table import EVERYWHERE, key_groups, key_values
from tbtui.app.palette import Palette, commands
from tbtui.app.too_small import TooSmall
from tbtui.viewstate.changes import on_x_axis, on_y_scale
from tbtui.viewstate.options import SCALES, X_AXES, following, next_smoothing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual import events
    from textual.app import SystemCommand
    from textual.screen import Screen

    from tbtui.app.run_list import RunList
    from tbtui.app.status_line import StatusLine
    from tbtui.widgets.pane import CopyAsked


class Dashboard(Follower):
    """What its keys do, and what opens over the screen."""

    BINDING_GROUP_TITLE = EVERYWHERE
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "next_x_axis", "axis", id="app.x_axis", tooltip="x axis"),
        Binding("plus,equals_sign", "smooth(1)", "smoother", show=False, id="app.smoother", tooltip="smooth more"),
        Binding("minus", "smooth(-1)", "rougher", show=False, id="app.rougher", tooltip="smooth less"),
        Binding("Y", "next_y_scale", "y scale", show=False, id="app.y_scale", tooltip="y scale of all"),
        *(Binding(str(n), f"open_tab({n})", show=False, id=f"app.tab_{n}", tooltip="open a tab") for n in range(1, 10)),
        Binding("r", "look_again", "reload", show=False, id="app.reload", tooltip="look for new data now"),
        Binding("exclamation_mark", "show_damage", "damage", show=False, id="app.damage", tooltip="damaged files"),
        Binding("ctrl+p", "command_palette", "commands", show=False, id="app.palette", tooltip="find a command"),
        Binding("ctrl+z", "suspend_process", show=False, id="app.suspend", tooltip="suspend, back with fg"),
        Binding("q", "quit", "quit", id="app.quit"),
        Binding("ctrl+c", "quit", "quit", show=False, priority=True, id="app.interrupt", system=True),
        Binding("question_mark", "help", "help", id="app.help", tooltip="this help"),
    ]

    def on_resize(self, event: events.Resize) -> None:
        """Fit the screen to the terminal; cover it with a message while the terminal is too small for anything."""
        self._board.fit_to(event.size)
        covered = isinstance(self.screen, TooSmall)
        if covered == self._board.fits:
            if covered:
                self.pop_screen()
            else:
                self.push_screen(TooSmall())

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """A key that would change nothing on the screen is not offered."""
        return action not in self._unused_actions

    @property
    def _unused_actions(self) -> frozenset[str]:
        """Those of ours that mean nothing to the tab that shows."""
        pane = self._board.pane
        return frozenset() if pane is None else pane.UNUSED

    def action_next_x_axis(self) -> None:
        """Walk through the x axes."""
        self._choose(on_x_axis(self.choices, following(X_AXES, self.choices.x_axis)))

    def action_smooth(self, steps: int) -> None:
        """Smooth more or less."""
        self.choose(smoothing=next_smoothing(self.choices.smoothing, steps))

    def action_next_y_scale(self) -> None:
        """Walk through the y scales, on every chart."""
        self._choose(on_y_scale(self.choices, following(SCALES, self.choices.y_scale)))

    def action_open_tab(self, number: int) -> None:
        """Open a tab by the digit it shows."""
        plugins = self.outlook.plugins
        if number <= len(plugins):
            self.choose(tab=plugins[number - 1].name)

    def action_look_again(self) -> None:
        """Have the loader look for new data now."""
        self._loader.wake()

    # What is asked of a run

    def on_run_list_colour_asked(self, event: RunList.ColourAsked) -> None:
        """Let the user choose among the colours."""
        event.stop()
        worn = self.outlook.view.inks
        self.push_screen(ColourChooser(event.title, event.runs, worn), partial(self._wear, event.runs))

    def _wear(self, runs: tuple[str, ...], ink: int | None) -> None:
        if ink is not None:
            self._colours.wear(runs, ink)
            self.refresh_board()
            self._save_later()

    def on_copy_asked(self, event: CopyAsked) -> None:
        """Put the directory of a run on the clipboard."""
        event.stop()
        copy_directory(self, self._state.snapshot, event.run)

    # Overlays

    def action_help(self) -> None:
        """Show all keys."""
        values = key_values(self.choices, sidebar_shown=self._board.sidebar_shown)
        self.push_screen(HelpScreen(key_groups(self._board.key_owners, values, self._unused_actions)))

    def action_command_palette(self) -> None:
        """Find an action by its name."""
        self.push_screen(Palette(id="--command-palette"))

    def get_system_commands(self, _screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the palette lists: our own actions, none of Textual's."""
        return commands(self, self._board.key_owners, self.outlook.plugins)

    def action_show_damage(self) -> None:
        """List what is wrong with which files."""
        self.push_screen(DamageScreen(self._state.problems))

    def on_status_line_damage_asked(self, event: StatusLine.DamageAsked) -> None:
        """The notice was clicked."""
        event.stop()
        self.action_show_damage()
