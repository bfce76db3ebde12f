"""Settings of how pictures are displayed: colours of their values, ground of transparent ones, plain margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.settings.declaration import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.settings.settings import Settings

ValueStyle: TypeAlias = Literal["stored", "stretched", "depth", "classes"]

VALUES: Setting[ValueStyle] = Setting(
    "images.values",
    "values: stored, range",
    "R",
    ("stored", "stretched", "depth", "classes"),
    value_labels=("as stored", "stretched", "depth colours", "class colours"),
    hint="stretched: from the smallest to the largest value; colours: of grey pictures",
)

Ground: TypeAlias = Literal["checker", "white", "black"]

GROUND: Setting[Ground] = Setting(
    "images.ground",
    "ground if transparent",
    "B",
    ("checker", "white", "black"),
    hint="behind transparent pictures; the squares are light behind dark ink",
)

MARGINS = Setting(
    "images.margins",
    "plain margins",
    "T",
    ("shown", "trimmed"),
    hint="margins of one colour around a picture",
)

DISPLAY_SETTINGS = (VALUES, GROUND, MARGINS)


def display_labels(settings: Settings) -> Iterator[str]:
    """Yield the display settings that are not the default ones."""
    values, ground, margins = (setting.value(settings) for setting in DISPLAY_SETTINGS)
    if values != "stored":
        yield f"values {VALUES.labels[values]}" if values == "stretched" else VALUES.labels[values]
    if ground != "checker":
        yield f"{ground} ground"
    if margins != "shown":
        yield "margins trimmed"
