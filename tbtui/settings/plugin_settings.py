"""Settings that a single dashboard declares, kept in `Settings.plugin_settings`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from tbtui.settings.settings import Settings


@frozen
class Setting:
    """A choice among a few values, declared once: pane, keys, help and the settings file read it from here."""

    name: str
    """Unique among all dashboards: `toy.marker`."""

    label: str
    """What it sets, in the help of its key."""

    key: str
    """Key that selects the next value."""

    values: tuple[str, ...]
    """All values, the default first."""

    def value(self, choices: Settings) -> str:
        """Return the chosen value; the default if none was chosen, or one that no longer exists."""
        chosen = choices.plugin_settings.get(self.name)
        return chosen if chosen in self.values else self.values[0]

    def next(self, choices: Settings) -> Settings:
        """Return the choices with the next value; after the last comes the first."""
        value = self.values[(self.values.index(self.value(choices)) + 1) % len(self.values)]
        return replace(choices, plugin_settings={**choices.plugin_settings, self.name: value})
