"""Saves what the user chose by hand, for the next session of the same log directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.settings.persistence import SavedState, SessionOverrides

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.message_pump import MessagePump
    from textual.timer import Timer

    from tbtui.settings.persistence import SettingsFile, SidebarState
    from tbtui.settings.settings import Settings

SAVE_DELAY_SECONDS = 2.0
"""Time from the first unsaved change to the write: one write for a burst of keys."""


class SettingsSaver:
    """Saves settings a moment after they change. Values given for this session alone are never saved.

    Args:
        pump: Runs the timer.
        storage: Where settings are saved; None: nowhere.
        saved_state: What the last session saved.
        settings: The settings that this session starts with.
        theme: The theme that this session starts with.
        collect: Returns the settings, the sidebar state and the inks of the runs to save.
        report_failure: Called with the reason if saving fails; saving is not tried again.
    """

    def __init__(
        self,
        pump: MessagePump,
        storage: SettingsFile | None,
        saved_state: SavedState,
        settings: Settings,
        theme: str,
        *,
        collect: Callable[[], tuple[Settings, SidebarState, Mapping[str, int]]],
        report_failure: Callable[[str], None],
    ) -> None:
        self._pump = pump
        self._storage = storage
        self._overrides = SessionOverrides(saved_state.settings, settings)
        self._saved_theme = saved_state.theme
        self._seen_theme = theme
        self._collect = collect
        self._report_failure = report_failure
        self.timer: Timer | None = None
        """The pending save; None while nothing waits to be saved."""

    def change_settings(self, before: Settings, after: Settings) -> None:
        """Note that the user changed `before` into `after`; schedule a save if a saved field differs."""
        if self._overrides.changed(before, after):
            self.schedule()

    def change_theme(self, theme: str) -> None:
        """Note the theme of the app; schedule a save if the user chose another one."""
        if theme != self._seen_theme:
            self._saved_theme = self._seen_theme = theme
            self.schedule()

    def adopt_theme(self, theme: str) -> None:
        """Note a theme that the app chose to fit the terminal; it is not saved."""
        self._seen_theme = theme

    def schedule(self) -> None:
        """Save after `SAVE_DELAY_SECONDS`, together with all changes until then."""
        if self.timer is None and self._storage is not None:
            self.timer = self._pump.set_timer(SAVE_DELAY_SECONDS, self.save)

    def save(self) -> None:
        """Save now."""
        self.timer = None
        if self._storage is None:
            return
        settings, sidebar, inks = self._collect()
        try:
            self._storage.save(SavedState(self._overrides.to_keep(settings), sidebar, inks, self._saved_theme))
        except OSError as error:
            self._storage = None
            self._report_failure(str(error))
