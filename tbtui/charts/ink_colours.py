"""Inks to colours, for whatever is no terminal: the same picture as a file.

The colours of both themes of tbtui stand here, so that a picture of a chart and the chart on the screen agree.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import colours as palette
from tbtui.charts.cells import (
    FAINT_FROM,
    HEAT_FROM,
    HEAT_LEVELS,
    NUMBERED,
    SHADE_FROM,
    SHADES,
    WARM_FROM,
    Cells,
    Ink,
    split_pair,
)
from tbtui.charts.colours import colour_gradient, heat_colours, warm_colours
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


DIM_PART, FAINT_PART, TWIN_PART = 0.62, 0.26, 0.4
"""How much of the foreground is in dim and in faint text, and of a series colour in its faint twin."""


@frozen
class ThemeColours:
    """The colours of a theme that pictures need, each `#rrggbb`."""

    foreground: str
    background: str
    accent: str
    good: str
    warn: str
    bad: str
    dark: bool


DARK_THEME_COLOURS = ThemeColours("#d8dce2", "#14171c", "#e8b04b", "#7fb77e", "#e0a458", "#e0625f", dark=True)
LIGHT_THEME_COLOURS = ThemeColours("#22262b", "#fbfaf7", "#9a5b00", "#2f7d32", "#a05a00", "#b3261e", dark=False)
PAPER_THEME_COLOURS = replace(LIGHT_THEME_COLOURS, background="#ffffff")
"""Those of the light theme on white."""


@frozen
class InkStyle:
    """What a cell looks like."""

    colour: str
    """Of its glyph, `#rrggbb`."""

    ground: str | None = None
    """Behind it; None: whatever the picture lies on."""

    bold: bool = False


class InkTheme:
    """The look of every ink in one theme.

    Args:
        tones: Of the theme.
    """

    def __init__(self, tones: ThemeColours) -> None:
        self.tones = tones
        text, ground = tones.foreground, tones.background
        self._looks: dict[int, InkStyle] = {
            Ink.NONE: InkStyle(text),
            Ink.TEXT: InkStyle(text),
            Ink.BOLD: InkStyle(text, bold=True),
            Ink.DIM: InkStyle(palette.mix(text, ground, DIM_PART)),
            Ink.FAINT: InkStyle(palette.mix(text, ground, FAINT_PART)),
            Ink.ACCENT: InkStyle(tones.accent),
            Ink.GOOD: InkStyle(tones.good),
            Ink.WARN: InkStyle(tones.warn),
            Ink.BAD: InkStyle(tones.bad),
            Ink.CURSOR: InkStyle(ground, tones.accent, bold=True),
        }

    def of(self, ink: int, pair: int = 0) -> InkStyle:
        """The look of an ink, or of two true colours as `cells.colour_pairs` gives them where there are any."""
        if pair:
            over, under = split_pair(pair)
            return InkStyle(_true(over) or self.tones.foreground, _true(under))
        look = self._looks.get(ink)
        if look is None:
            look = self._looks[ink] = self._of_areas(ink) if ink >= HEAT_FROM else InkStyle(self._series(ink))
        return look

    def _series(self, ink: int) -> str:
        is_faint = ink >= FAINT_FROM
        colour = palette.series_colour(ink - FAINT_FROM if is_faint else ink, dark=self.tones.dark)
        return palette.mix(colour, self.tones.background, TWIN_PART) if is_faint else colour

    def _of_areas(self, ink: int) -> InkStyle:
        """Glyph and ground in two levels of one scale; a ground of level 0 is whatever the picture lies on."""
        if ink >= SHADE_FROM:
            series, pair = divmod(ink - SHADE_FROM, SHADES**2)
            over, under = divmod(pair, SHADES)
            colour = palette.series_colour(series, dark=self.tones.dark)
            colours: Sequence[str] = colour_gradient(self.tones.background, colour, SHADES)
        else:
            colours = self._warm if ink >= WARM_FROM else self._heat
            over, under = divmod((ink - HEAT_FROM) % HEAT_LEVELS**2, HEAT_LEVELS)
        return InkStyle(colours[over], colours[under] if under else None)

    @cached_property
    def _heat(self) -> Sequence[str]:
        return heat_colours(self.tones.background, dark=self.tones.dark)

    @cached_property
    def _warm(self) -> Sequence[str]:
        return warm_colours(self.tones.background, dark=self.tones.dark)


def _true(colour: int | None) -> str | None:
    """A colour of a pair; one that a terminal has by its number is not known here, and is left to the theme."""
    return None if colour is None or colour >= NUMBERED else f"#{colour:06x}"


# Areas of colour where there are no colours to be had: how much is told by how dense a glyph is.


DENSITY_GLYPHS = " ·░▒▓█"
"""Nothing, anything, and so on in even steps."""

CURSOR_LINE = "│"
"""What is under a cursor."""

_DENSITIES = np.array([ord(glyph) for glyph in DENSITY_GLYPHS], np.uint32)
_BLANK, _BLOCKS = 32, range(0x2580, 0x25A0)
_THIN = np.array([ord(glyph) for glyph in "▁▔"], np.uint32)
"""What lines are drawn with where they run flat; in the full colour of a series they are no area."""

_COVERED = np.array([0.5, *(eighths / 8 for eighths in range(1, 9)), *[0.5] * 23])
"""How much of its cell each block element covers: exactly for those that grow from below, about for the others."""


def shade_monochrome(cells: Cells, first: int = HEAT_FROM, end: int = 1 << 15) -> Cells:
    """A picture without inks of two colours from `first` to before `end`; the same one where there are none.

    Blanks and block elements become a glyph as dense as they are coloured, one for both halves of a cell. Other glyphs
    stay, thin lines in the full colour of a series among them. Shades keep the ink of their series, heat has none, and
    what is warm becomes a line in the accent's.
    """
    inks = cells.inks
    pairs = (inks >= first) & (inks < end)
    if not pairs.any():
        return cells
    found = inks[pairs].astype(np.intp)
    shaded, warm = found >= SHADE_FROM, (found >= WARM_FROM) & (found < SHADE_FROM)
    drawn = cells.copy()
    drawn.glyphs[pairs] = np.where(warm, ord(CURSOR_LINE), _glyphs(cells.glyphs[pairs], found, shaded))
    series = (found - SHADE_FROM) // SHADES**2
    drawn.inks[pairs] = np.select([shaded, warm], [series, int(Ink.ACCENT)], int(Ink.TEXT))
    return drawn


def _glyphs(
    glyphs: npt.NDArray[np.uint32], inks: npt.NDArray[np.intp], shaded: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint32]:
    steps = np.where(shaded, SHADES, HEAT_LEVELS)
    over, under = np.divmod((inks - np.where(shaded, SHADE_FROM, HEAT_FROM)) % steps**2, steps)
    blocks = (glyphs >= _BLOCKS.start) & (glyphs < _BLOCKS.stop)
    covered = np.where(blocks, _COVERED[np.where(blocks, glyphs - _BLOCKS.start, 0)], 0.0)
    amount = (over * covered + under * (1 - covered)) / (steps - 1)
    blocks &= ~(shaded & (over == SHADES - 1) & np.isin(glyphs, _THIN))
    dense = np.minimum(1 + amount * (len(DENSITY_GLYPHS) - 1), len(DENSITY_GLYPHS) - 1).astype(np.intp)
    return np.where(blocks | (glyphs == _BLANK), _DENSITIES[np.where(amount > 0, dense, 0)], glyphs)
