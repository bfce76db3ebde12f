"""Settings of the Images tab."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.frozen import frozen
from tbtui.settings.declaration import Setting
from tbtui.settings.kinds import Number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tbtui.settings.settings import Settings

MAX_BRIGHTNESS, MAX_CONTRAST = 2.0, 5.0
"""TensorBoard's upper bounds. The lower bound of both is 0; 1 leaves an image unchanged."""

BRIGHTNESS: Setting[float] = Setting(
    "image_brightness",
    "brightness",
    default=1.0,
    kind=Number(0, MAX_BRIGHTNESS),
    hint=f"0 to {MAX_BRIGHTNESS:g}; 1 is as stored",
    action="brightness",
)
"""Factor of all pixels, applied after the contrast."""

CONTRAST: Setting[float] = Setting(
    "image_contrast",
    "contrast",
    default=1.0,
    kind=Number(0, MAX_CONTRAST),
    hint=f"0 to {MAX_CONTRAST:g}; 1 is as stored",
    action="contrast",
)

ImageComparison: TypeAlias = Literal["off", "beside", "difference"]

COMPARISON: Setting[ImageComparison] = Setting(
    "image_comparison",
    "compare",
    values=("off", "beside", "difference"),
    value_labels=("alone", "side by side", "difference"),
    hint="an opened image with the marked step, else the baseline, the selected or the next run",
    action="next_comparison",
)


@frozen
class ImageViewport:
    """The visible part of a large image."""

    scale: float
    """Columns of the screen per pixel of the image, greater than 0."""

    x: float
    """Centre of the viewport as a fraction of the image's width; 0 is the left edge, 1 the right."""

    y: float
    """Centre of the viewport as a fraction of the image's height; 0 is the top."""


OWN_STEPS: Setting[Mapping[str, float]] = Setting(
    "image_steps", default=MappingProxyType({}), is_kept=False, has_x_units=True
)
"""Position on the present x axis of a step that a card shows independently of the cursor, by card key."""

VIEWPORTS: Setting[Mapping[str, ImageViewport]] = Setting("image_sights", default=MappingProxyType({}), is_kept=False)
"""Viewports by card key; a card without one shows its whole image."""

ValueStyle: TypeAlias = Literal["stored", "stretched", "depth", "classes"]

VALUES: Setting[ValueStyle] = Setting(
    "images.values",
    "range of values",
    "D",
    ("stored", "stretched", "depth", "classes"),
    value_labels=("as stored", "stretched", "depth colours", "class colours"),
    hint="stretched: from the smallest to the largest value; colours: of grey images",
)

Ground: TypeAlias = Literal["checker", "white", "black"]

GROUND: Setting[Ground] = Setting(
    "images.ground",
    "transparent ground",
    values=("checker", "white", "black"),
    hint="behind transparent images; the squares are light behind dark ink",
)

MARGINS = Setting(
    "images.margins",
    "plain margins",
    values=("shown", "trimmed"),
    hint="margins of one colour around an image",
)

FILMS: Setting[str] = Setting(
    "images.films",
    "animations in cards",
    values=("frame", "strip"),
    value_labels=("first frame", "film strip"),
    hint="cards of animations; the frames of a strip are those between which most changes",
)

DISPLAY_SETTINGS = (VALUES, GROUND, MARGINS, FILMS)
"""Settings of colours, ground, margins and animations; the first has a key, the others are in the form."""

SETTINGS = (BRIGHTNESS, CONTRAST, COMPARISON, *DISPLAY_SETTINGS, OWN_STEPS, VIEWPORTS)


def display_labels(settings: Settings) -> Iterator[str]:
    """Yield the display settings that are not the default ones."""
    values, ground, margins = (setting.value(settings) for setting in (VALUES, GROUND, MARGINS))
    if values != "stored":
        yield f"values {VALUES.labels[values]}" if values == "stretched" else VALUES.labels[values]
    if ground != "checker":
        yield f"{ground} ground"
    if margins != "shown":
        yield "margins trimmed"
