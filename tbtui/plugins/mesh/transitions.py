"""Transitions of the settings by the keys of the Mesh tab: pure functions from settings to settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.plugins.mesh.display import COMPARISON, STEPS
from tbtui.settings.zoom import move_step

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tbtui.settings.settings import Settings


def shown_at(settings: Settings, key: str) -> float | None:
    """Return the position of card `key` on the x axis: its own step, the cursor, or None for the newest."""
    return STEPS.value(settings).get(key, settings.cursor)


def next_comparison(settings: Settings) -> Settings:
    """Return settings with the next comparison; side by side is skipped where a marked step is shown beside."""
    settings = COMPARISON.next(settings)
    has_mark = settings.mark is not None and settings.cursor is not None
    return COMPARISON.next(settings) if has_mark and COMPARISON.value(settings) == "beside" else settings


def own_step_moved(settings: Settings, key: str, stops: npt.NDArray[np.float64], count: int) -> Settings:
    """Move the step of one card, which then does not follow the cursor any more.

    Without a cursor, a card that comes to the newest step follows what comes again.
    """
    own = STEPS.value(settings)
    moved = move_step(replace(settings, cursor=own.get(key, settings.cursor)), stops, count).cursor
    if moved is None:
        return settings
    if settings.cursor is None and moved == stops[-1]:
        return own_step_forgotten(settings, key)
    return STEPS.with_value(settings, {**own, key: moved})


def own_step_forgotten(settings: Settings, key: str) -> Settings:
    """Return settings in which a card follows the cursor again."""
    return STEPS.with_value(settings, {card: step for card, step in STEPS.value(settings).items() if card != key})


def own_steps_forgotten(settings: Settings) -> Settings:
    """Return settings in which all cards follow the cursor, or show their newest step without one."""
    return replace(STEPS.with_value(settings, {}), cursor=None, mark=None)
