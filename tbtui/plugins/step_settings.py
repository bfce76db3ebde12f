"""Transitions of the settings by keys that dashboards share which show one value at a time: pure functions.

A card shows the step at the cursor of all charts, or the newest one without a cursor. A card with a step of its own
stays there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.plugins.shown_steps import has_marked_step
from tbtui.settings.chart_navigation import move_step

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tbtui.settings.chart_navigation import Floats
    from tbtui.settings.declaration import Setting
    from tbtui.settings.settings import Settings


@frozen(eq=False)
class OwnSteps:
    """The steps of single cards that do not follow the cursor, as a setting holds them."""

    setting: Setting[Mapping[str, float]]
    """Position on the x axis by card key."""

    def position(self, settings: Settings, key: str) -> float | None:
        """Return the position of a card on the x axis: its own step, the cursor, or None for the newest step."""
        return self.setting.value(settings).get(key, settings.cursor)

    def has(self, settings: Settings, key: str) -> bool:
        """Return True if a card has a step of its own."""
        return key in self.setting.value(settings)

    def count(self, settings: Settings) -> int:
        """Return the number of cards with a step of their own."""
        return len(self.setting.value(settings))

    def move(self, settings: Settings, key: str, stops: Floats, count: int) -> Settings:
        """Move the step of one card, which then does not follow the cursor any more.

        Without a cursor, a card that comes to the newest step follows new steps again.

        Args:
            settings: The present settings.
            key: The card.
            stops: Positions of its steps, float64[k] ascending.
            count: Number of stops; negative moves back.
        """
        moved = move_step(replace(settings, cursor=self.position(settings, key)), stops, count).cursor
        if moved is None:
            return settings
        if settings.cursor is None and moved == stops[-1]:
            return self.forget(settings, key)
        return self._with_step(settings, key, moved)

    def show_next(self, settings: Settings, key: str, stops: Floats) -> Settings:
        """Show the next step, after the last one the first: of one card if it has its own step, otherwise of all.

        Args:
            settings: The present settings.
            key: The card whose steps are played.
            stops: Positions of its steps, float64[k] ascending.
        """
        if not len(stops):
            return settings
        position = self.position(settings, key)
        index = len(stops) - 1 if position is None else int(abs(stops - position).argmin())
        following = float(stops[(index + 1) % len(stops)])
        return (
            self._with_step(settings, key, following)
            if self.has(settings, key)
            else replace(settings, cursor=following)
        )

    def forget(self, settings: Settings, key: str) -> Settings:
        """Let a card follow the cursor again."""
        remaining = {card: step for card, step in self.setting.value(settings).items() if card != key}
        return self.setting.with_value(settings, remaining)

    def forget_all(self, settings: Settings) -> Settings:
        """Show the newest step of every card: without cursor, mark and steps of single cards."""
        return replace(self.setting.with_value(settings, {}), cursor=None, mark=None)

    def _with_step(self, settings: Settings, key: str, position: float) -> Settings:
        return self.setting.with_value(settings, {**self.setting.value(settings), key: position})


def cycle_comparison(settings: Settings, comparison: Setting[Any]) -> Settings:
    """Select the next comparison; side by side is skipped where a marked step is shown side by side anyway.

    Args:
        settings: The present settings.
        comparison: Setting with the values `off`, `beside` and others.
    """
    settings = comparison.next(settings)
    is_shown_anyway = comparison.value(settings) == "beside" and has_marked_step(settings)
    return comparison.next(settings) if is_shown_anyway else settings


def is_compared(settings: Settings, comparison: Setting[Any]) -> bool:
    """Return True if an opened value is shown with another one."""
    return has_marked_step(settings) or comparison.value(settings) != "off"
