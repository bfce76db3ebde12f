"""The part of the app that follows: the loader's state and the user's choices, handed to the one screen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.filter import NoColor

from tbtui.app.alerts import Alerts, title_of, title_sequence, toasts
from tbtui.app.board import Board, SidebarChanged
from tbtui.app.bridge import Bridge, Source
from tbtui.app.damage_screen import DamageScreen
from tbtui.app.keeping import Keeping
from tbtui.app.outlook import Outlooks
from tbtui.app.steady_clock import steady_clock
from tbtui.app.themes import THEMES, default_theme, first_theme
from tbtui.charts.text import safe
from tbtui.viewstate.colours import RunColours
from tbtui.viewstate.saved import Kept
from tbtui.widgets.keys_in_order import KeysInOrder
from tbtui.widgets.timers import LateTimers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.driver import Driver
    from textual.filter import LineFilter
    from textual.notifications import Notify
    from textual.screen import Screen
    from textual.theme import Theme
    from textual.timer import Timer

    from tbtui.app.alerts import Alert
    from tbtui.app.outlook import Outlook
    from tbtui.loading.state import LoadState
    from tbtui.plugins.base import Plugin
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.saved import SavedChoices
    from tbtui.widgets.pane import Choose

SAVE_AFTER = 2.0
"""Seconds after the last change until choices are saved."""

LEAST_WAIT = 1.0
"""Seconds between two looks at the clock: ages are told a moment late rather than at any time."""


class Follower(LateTimers, KeysInOrder[int]):
    """Owns the choices; everything on the screen is drawn from them and from the loader's state."""

    TITLE = "tbtui"
    AUTO_FOCUS = None
    ALLOW_SELECT = False
    ENABLE_COMMAND_PALETTE = True

    CSS = """
    * { scrollbar-size-vertical: 1; }
    """

    def __init__(
        self,
        loader: Source,
        *,
        label: str,
        choices: Choices,
        theme: str | None = None,
        saved: SavedChoices | None = None,
        kept: Kept | None = None,
        alert: bool = False,
        plugins: Sequence[Plugin] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Nothing is shown yet.

        Args:
            loader: Read from, never started or stopped.
            label: The log directory as the user wrote it.
            choices: What is chosen at first. Where that differs from what was kept it is for this session, and is kept
                only once the user has changed it.
            theme: Name of a theme of `tbtui.app.themes` for this session; None: the one kept, or the default.
            saved: Where choices are kept; None: nowhere.
            kept: What the last session left.
            alert: Whether to ring and set the terminal's title when something happens to a run.
            plugins: The dashboards; None: all there are.
            clock: Seconds since the epoch; None: as they pass from now on.
        """
        super().__init__()
        self.animation_level = "none"
        for known in THEMES:
            self.register_theme(known)
        kept = kept or Kept()
        default = default_theme(self.no_color, self.console.color_system)
        self.theme = first_theme(theme, kept.theme, self.available_themes, default)
        self.choices = choices
        self._label = label
        self._plugins = _all_plugins() if plugins is None else tuple(plugins)
        self._clock = clock or steady_clock()
        self._loader = loader
        self._bridge = Bridge(loader, self, self._take_state)
        self._state = loader.state
        self._index_failure_told: str | None = None
        self._colours = RunColours(kept.inks)
        self._outlooks = Outlooks(self._plugins, self._colours)
        self._alerts = Alerts() if alert else None
        self._keeping = Keeping(saved, kept, choices, self.theme)
        self._save_timer: Timer | None = None
        self._tick_timer: Timer | None = None
        self._board = Board(label, kept.sidebar)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Under `NO_COLOR` the terminal's own colours are left alone.

        Textual chooses its filter before the theme is known, and the one for other themes would turn what has no
        colour black, background and all.
        """
        return (NoColor(),) if self.no_color and self.native_ansi_color else super().get_line_filters()

    def get_driver_class(self) -> type[Driver]:
        """That of the system; where it has terminals that answer, one that lets them be heard."""
        driver_class = super().get_driver_class()
        if driver_class.__name__ != "LinuxDriver":
            return driver_class
        from tbtui.widgets.listening_driver import ListeningDriver  # which other systems cannot import

        return ListeningDriver

    def get_default_screen(self) -> Screen[Any]:
        """The only screen that is no overlay."""
        return self._board

    def on_mount(self) -> None:
        """Begin to follow the loader."""
        self.theme_changed_signal.subscribe(self, self._take_theme)
        self._bridge.open()

    def on_unmount(self) -> None:
        """Keep what was chosen."""
        self._bridge.close()
        self._save()

    # News

    @property
    def outlook(self) -> Outlook:
        """What is loaded and chosen now."""
        return self._outlooks.of(self._state, self.choices, self._clock())

    def on_load_changed(self) -> None:
        """The loader has another state."""
        self._bridge.changed()

    def _take_state(self, state: LoadState) -> None:
        if state.index_failure not in (None, self._index_failure_told):
            self._index_failure_told = state.index_failure
            text = f"what is read is not kept for the next time: {state.index_failure}"
            self.notify(text, severity="warning")
        self._state = state
        self._outlooks.take(state, self._clock())
        self.refresh_board()
        if isinstance(self.screen, DamageScreen):
            self.screen.show_problems(state.problems)

    def refresh_board(self) -> None:
        """Show what is loaded and chosen now."""
        outlook = self.outlook
        self._board.show_outlook(outlook)
        if self._alerts is not None and (news := self._alerts.news(outlook)):
            self._tell(news)
        self._look_again_in(outlook.conditions.until - self._clock())

    def _look_again_in(self, seconds: float) -> None:
        """No clock ticks: the screen is refreshed when what it says of ages is no longer so."""
        if self._tick_timer is not None:
            self._tick_timer.stop()
        wait = max(seconds + 0.05, LEAST_WAIT)
        self._tick_timer = self.set_timer(wait, self.refresh_board) if math.isfinite(wait) else None

    def _tell(self, news: Sequence[Alert]) -> None:
        """Ring, say it in the terminal's title for whoever looks elsewhere, and here."""
        self.bell()
        if self._driver is not None:
            self._driver.write(title_sequence(title_of(news)))
        for text, severity in toasts(news):
            self.notify(text, severity=severity)

    # Choices

    def choose(self, **changes: Any) -> None:
        """Replace fields of `choices`, show the outcome at once and keep it a little later."""
        self._choose(replace(self.choices, **changes))

    def _choose(self, chosen: Choices) -> None:
        if chosen != self.choices:
            before, self.choices = self.choices, chosen
            self.refresh_board()
            if chosen.tab != before.tab:
                self.refresh_bindings()
            if self._keeping.chosen(before, chosen):
                self._save_later()

    def on_choose(self, event: Choose) -> None:
        """A widget asks for other choices."""
        event.stop()
        self._choose(event.of(self.choices))

    def on_sidebar_changed(self, event: SidebarChanged) -> None:
        """The sidebar's state is kept too."""
        event.stop()
        self._save_later()

    # Keeping choices

    def _save_later(self) -> None:
        if self._save_timer is None and self._keeping.keeps:
            self._save_timer = self.set_timer(SAVE_AFTER, self._save)

    def _save(self) -> None:
        self._save_timer = None
        if error := self._keeping.save(self.choices, self._board.sidebar_state, self._colours.inks):
            self.notify(f"what you choose cannot be kept: {error}", severity="warning")

    def _take_theme(self, theme: Theme) -> None:
        if self._keeping.themed(theme.name):
            self._save_later()

    # Words in a corner

    def notify(self, message: str, *, title: str = "", **how: Any) -> None:
        """Say something in a corner for a while. Whatever tab it comes from, it may quote data: it is no markup."""
        super().notify(safe(message), title=safe(title), **{**how, "markup": False})

    def on_notify(self, event: Notify) -> None:
        """What is said once more takes the place of what was said: a key pressed five times covered a small screen."""
        for said in tuple(self._notifications):
            if (said.message, said.title) == (event.notification.message, event.notification.title):
                del self._notifications[said]


def _all_plugins() -> tuple[Plugin, ...]:
    from tbtui.plugins.registry import PLUGINS

    return PLUGINS
