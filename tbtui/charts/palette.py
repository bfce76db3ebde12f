"""Colours of series: told apart by people with any colour vision, legible on dark and on light.

A series ink is a number from 0 on. Its colour repeats after `SIZE`; its dash pattern changes before, so that no two of
the first `SIZE * len(canvas.DASHES)` series look the same.
"""

from __future__ import annotations

DARK = (
    "#56b4e9",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#f0e442",
    "#d55e00",
    "#0072b2",
    "#8dd3c7",
    "#b39ddb",
    "#a6761d",
    "#f4b6c2",
    "#7f7f7f",
)
"""Series colours for dark backgrounds, Okabe and Ito's first."""

LIGHT = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#b58900",
    "#56b4e9",
    "#5e3c99",
    "#1b7837",
    "#8c2d04",
    "#636363",
    "#e7298a",
    "#4d4d00",
)
"""Likewise for light backgrounds, index by index the same hue as far as contrast allows."""

ANSI = (14, 11, 10, 13, 12, 9, 6, 3, 2, 5, 4, 1)
"""The nearest distinct colours of a 16-colour terminal, as their numbers 0 to 15."""

SIZE = len(DARK)


def series_colour(ink: int, *, dark: bool = True) -> str:
    """Colour of a series ink as `#rrggbb`."""
    return (DARK if dark else LIGHT)[ink % SIZE]


def ansi_colour(ink: int) -> int:
    """Colour of a series ink among the 16 of a plain terminal."""
    return ANSI[ink % SIZE]


def pattern(ink: int) -> int:
    """Dash pattern of a series ink: 0 (solid) until the colours are used up."""
    return ink // SIZE


def mix(colour: str, background: str, part: float) -> str:
    """`part` of a colour (0 to 1) over a background, both `#rrggbb`: a faint twin."""
    pairs = zip(_channels(colour), _channels(background), strict=True)
    return "#" + "".join(f"{round(over * part + under * (1 - part)):02x}" for over, under in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
