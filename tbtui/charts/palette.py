"""Colours of series: told apart by people with any colour vision, legible on dark and on light.

A series ink is a number from 0 on. Its colour repeats after `SIZE`; its dash pattern changes before, so that no two of
the first `SIZE * len(canvas.DASHES)` series look the same.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DARK = (
    "#56b4e9",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#f0e442",
    "#d55e00",
    "#0072b2",
    "#78ffff",
    "#a54bff",
    "#96d296",
    "#c30f96",
    "#965a4b",
)
"""Series colours for dark backgrounds: Okabe and Ito's seven (without black), then five as far from all before as the
twelve allow, to normal eyes and under each of the three kinds of colour blindness."""

LIGHT = (
    "#0082f0",
    "#be6e00",
    "#00826e",
    "#f00abe",
    "#646400",
    "#783228",
    "#003278",
    "#005a64",
    "#6400b4",
    "#003200",
    "#3c0a3c",
    "#c84650",
)
"""Likewise for light backgrounds: index by index about the same hue, as dark as thin lines on white need."""

ANSI = (14, 3, 2, 13, 11, 9, 12, 6, 5, 10, 1, 4)
"""The nearest distinct colours of a 16-colour terminal, as their numbers 0 to 15."""

SIZE = len(DARK)

MARKERS, HOLLOW_MARKERS = "●◆■▲", "○◇□△"
"""Signs for a run, by how often the colours have been through: filled, and hollow for one that is not drawn."""


def series_colour(ink: int, *, dark: bool = True) -> str:
    """Colour of a series ink as `#rrggbb`."""
    return (DARK if dark else LIGHT)[ink % SIZE]


def ansi_colour(ink: int) -> int:
    """Colour of a series ink among the 16 of a plain terminal."""
    return ANSI[ink % SIZE]


def marker(ink: int, *, hollow: bool = False) -> str:
    """The sign of a series ink beside its name; runs of one colour have different ones, as their lines have dashes."""
    return (HOLLOW_MARKERS if hollow else MARKERS)[ink // SIZE % len(MARKERS)]


def patterns(inks: Iterable[int]) -> dict[int, int]:
    """Dash pattern of each ink in one picture; inks below 0 are no series and share no colour with any.

    Only where colours repeat are lines dashed: one that is the only one of its colour is solid (0), whatever its ink,
    since pauses in a line could be taken for gaps in the data.
    """
    distinct = set(inks)
    sharing = Counter(ink % SIZE for ink in distinct if ink >= 0)
    return {ink: ink // SIZE if sharing[ink % SIZE] > 1 else 0 for ink in distinct}


def mix(colour: str, background: str, part: float) -> str:
    """`part` of a colour (0 to 1) over a background, both `#rrggbb`: a faint twin."""
    pairs = zip(_channels(colour), _channels(background), strict=True)
    return "#" + "".join(f"{round(over * part + under * (1 - part)):02x}" for over, under in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
