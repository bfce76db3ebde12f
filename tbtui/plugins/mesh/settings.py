"""Settings of the Mesh tab: mode, colours, comparison, one camera for all cards, steps of single cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.settings.declaration import Setting
from tbtui.settings.kinds import MappingOf, Number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tbtui.settings.settings import Settings

MODE: Setting[str] = Setting(
    "mesh.mode",
    "mesh drawn as",
    "m",
    ("shaded", "wireframe", "points", "depth", "normals"),
    hint="clouds of points have no faces: they are drawn as points",
)

COLOURS: Setting[str] = Setting(
    "mesh.colours",
    "colours of a mesh",
    "D",
    ("logged", "none", "height", "part", "moved"),
    value_labels=("as logged", "none", "by height", "by part", "by how far moved"),
    hint="as logged: with the lights and the material of the log; moved: since the step before",
)

COMPARISON: Setting[str] = Setting(
    "mesh.comparison",
    "compare meshes",
    "",
    ("off", "beside", "moved"),
    value_labels=("no", "side by side", "what moved"),
    hint="with the marked step, the baseline, the next run, or the step before",
)

SHARED: Setting[bool] = Setting(
    "mesh.shared",
    "one camera for all meshes",
    "S",
    (False, True),
    hint="all cards are seen from the same side",
)

OWN_STEPS: Setting[Mapping[str, float]] = Setting(
    "mesh.steps", default={}, kind=MappingOf(Number()), is_kept=False, has_x_units=True
)
"""Position on the present x axis of a step that a card shows independently of the cursor, by card key."""

DISPLAY_SETTINGS = (MODE, COLOURS, COMPARISON, SHARED)
SETTINGS = (*DISPLAY_SETTINGS, OWN_STEPS)


def display_labels(settings: Settings) -> Iterator[str]:
    """Yield the display settings that are not the default ones."""
    for setting in (MODE, COLOURS):
        value = setting.value(settings)
        if value != setting.initial:
            yield setting.labels[value] if setting is MODE else f"colours {setting.labels[value]}"
    if SHARED.value(settings):
        yield "one camera"
