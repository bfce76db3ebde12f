"""Transitions of the settings by the keys of the Images tab: pure functions from settings to settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tbtui.plugins.images import viewport
from tbtui.plugins.images.settings import (
    BRIGHTNESS,
    CONTRAST,
    MAX_BRIGHTNESS,
    MAX_CONTRAST,
    OWN_STEPS,
    VIEWPORTS,
)
from tbtui.plugins.step_settings import OwnSteps
from tbtui.settings.settings import IMAGE_MODES, next_in_cycle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.plugins.images.settings import ImageViewport
    from tbtui.plugins.images.viewport import Size
    from tbtui.settings.settings import Settings

Value = TypeVar("Value")

STEP = 0.1
"""Amount by which a key changes brightness and contrast."""


def change_brightness(settings: Settings, steps: int) -> Settings:
    """Return settings with brighter or darker pictures."""
    return BRIGHTNESS.with_value(settings, _add_steps(BRIGHTNESS.value(settings), steps, MAX_BRIGHTNESS))


def change_contrast(settings: Settings, steps: int) -> Settings:
    """Return settings with more or less contrast."""
    return CONTRAST.with_value(settings, _add_steps(CONTRAST.value(settings), steps, MAX_CONTRAST))


def reset_colours(settings: Settings) -> Settings:
    """Return settings with the brightness and contrast that pictures are stored with."""
    return CONTRAST.with_value(BRIGHTNESS.with_value(settings, 1.0), 1.0)


def take_back(settings: Settings) -> Settings:
    """Return settings without cursor and steps of single cards; if there are none, with the stored colours."""
    is_newest = settings.cursor is None and settings.mark is None and not CARD_STEPS.count(settings)
    return reset_colours(settings) if is_newest else CARD_STEPS.forget_all(settings)


def _add_steps(value: float, steps: int, maximum: float) -> float:
    return round(max(0.0, min(value + steps * STEP, maximum)), 6)


def cycle_protocol(settings: Settings) -> Settings:
    """Return settings with the next image protocol: automatic, a named one, or off."""
    return replace(settings, images=next_in_cycle(IMAGE_MODES, settings.images))


CARD_STEPS = OwnSteps(OWN_STEPS)
"""Steps of single cards."""


# The visible part of a picture


def zoom(
    settings: Settings,
    key: str,
    size: Size,
    area: Size,
    factor: float,
    centre: tuple[float, float] = (0.5, 0.5),
    dots_per_column: int = 1,
) -> Settings:
    """Enlarge the visible part of a picture about the point `centre`."""
    return _with_viewport(
        settings, key, viewport.zoom(VIEWPORTS.value(settings).get(key), size, area, factor, centre, dots_per_column)
    )


def pan(
    settings: Settings, key: str, size: Size, area: Size, across: float, down: float, dots_per_column: int = 1
) -> Settings:
    """Move the visible part of a picture."""
    return _with_viewport(
        settings, key, viewport.pan(VIEWPORTS.value(settings).get(key), size, area, across, down, dots_per_column)
    )


def toggle_actual_size(settings: Settings, key: str, size: Size, area: Size, dots_per_column: int = 1) -> Settings:
    """Switch a picture between one dot for each pixel and the whole picture."""
    return _with_viewport(
        settings, key, viewport.toggle_actual_size(VIEWPORTS.value(settings).get(key), size, area, dots_per_column)
    )


def fit(settings: Settings, key: str) -> Settings:
    """Show all of a picture."""
    return _with_viewport(settings, key, None)


def fit_all(settings: Settings) -> Settings:
    """Show all of every picture."""
    return VIEWPORTS.with_value(settings, {})


def _with_viewport(settings: Settings, key: str, visible: ImageViewport | None) -> Settings:
    others = _remove(VIEWPORTS.value(settings), key)
    return VIEWPORTS.with_value(settings, others if visible is None else {**others, key: visible})


def _remove(values: Mapping[str, Value], key: str) -> dict[str, Value]:
    return {known: value for known, value in values.items() if known != key}
