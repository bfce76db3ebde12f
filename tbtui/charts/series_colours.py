"""Colours, markers and dash patterns of series.

A series ink is a number from 0. Its colour repeats after `PALETTE_SIZE` inks, each time with another dash pattern, so
that the first `PALETTE_SIZE * len(canvas.DASH_PATTERNS)` series all look different.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.canvas import DASH_PATTERNS

if TYPE_CHECKING:
    from collections.abc import Iterable


DARK_PALETTE = (
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
"""Series colours for dark backgrounds: the seven of Okabe and Ito (without black), then five with the largest possible
distance from all others, for normal vision and the three kinds of colour blindness."""

LIGHT_PALETTE = (
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
"""Series colours for light backgrounds: about the same hue by index, and dark enough for thin lines on white."""

ANSI_PALETTE = (14, 3, 2, 13, 15, 9, 12, 6, 5, 10, 1, 11)
"""The nearest distinct colours of a 16-colour terminal, as numbers 0 to 15. Dark blue (4) is left out, because it
cannot be read on black. Bright yellow (11), the accent of such a terminal, comes last."""

ANSI_LIGHT_PALETTE = (4, 1, 5, 0, 9, 12, 8, 13, 2, 1, 9, 12)
"""The same on a light background, where yellow and cyan cannot be read: nine colours, three of them twice. Runs use the
first nine only (`count_distinct_colours`). Green comes last of them: in xterm it is as light as cyan."""

PALETTE_SIZE = len(DARK_PALETTE)
PATTERNS = len(DASH_PATTERNS)

MARKERS, HOLLOW_MARKERS = "●◆■▲", "○◇□△"
"""Signs of a run, by the number of times that the colours have repeated: filled, and hollow for a hidden run."""


def get_series_colour(ink: int, *, dark: bool = True) -> str:
    """Return the colour of a series ink as `#rrggbb`."""
    return (DARK_PALETTE if dark else LIGHT_PALETTE)[ink % PALETTE_SIZE]


def get_ansi_colour(ink: int, *, dark: bool = True) -> int:
    """Return the number of the colour of a series ink in a 16-colour terminal."""
    return (ANSI_PALETTE if dark else ANSI_LIGHT_PALETTE)[ink % PALETTE_SIZE]


def count_distinct_colours(*, is_ansi: bool, dark: bool) -> int:
    """Return the number of different colours at the beginning of the palette.

    Args:
        is_ansi: True if the terminal's own 16 colours are used.
        dark: True if its background is dark.
    """
    return len(set(ANSI_LIGHT_PALETTE)) if is_ansi and not dark else PALETTE_SIZE


def get_ink(number: int, colours: int) -> int:
    """Return the ink of a number from 0: first each of `colours` colours, then the same with the next marker."""
    shape, colour = divmod(number, colours)
    return shape * PALETTE_SIZE + colour


def number_of_ink(ink: int, colours: int) -> int:
    """Return the number whose ink this is, the inverse of `get_ink`."""
    shape, colour = divmod(ink, PALETTE_SIZE)
    return shape * colours + colour % colours


def get_series_marker(ink: int, *, hollow: bool = False) -> str:
    """Return the sign of a series ink; runs of one colour have different signs."""
    return (HOLLOW_MARKERS if hollow else MARKERS)[ink // PALETTE_SIZE % len(MARKERS)]


def dash_patterns(inks: Iterable[int]) -> dict[int, int]:
    """Return the dash pattern of each ink in one picture; inks below 0 are not series and share no colour.

    Only repeated colours are dashed. A line with a unique colour is solid (0), because pauses look like gaps in the
    data. Among hundreds of runs the pattern of an ink repeats, too; the next free one then replaces it.
    """
    sharing: dict[int, list[int]] = {}
    for ink in sorted(set(inks)):
        sharing.setdefault(ink % PALETTE_SIZE if ink >= 0 else ink, []).append(ink)
    patterns: dict[int, int] = {}
    for same_colour in sharing.values():
        free = list(range(PATTERNS)) if len(same_colour) > 1 else [0]
        for ink in same_colour:
            usual = ink // PALETTE_SIZE % PATTERNS
            patterns[ink] = usual if usual in free else free[0]
            free = [pattern for pattern in free if pattern != patterns[ink]] or list(range(PATTERNS))
    return patterns
