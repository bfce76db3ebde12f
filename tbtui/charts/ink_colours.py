"""Styles of every ink: in the colours of a theme, and in the sixteen colours of a terminal.

The colours of both themes of tbtui are defined here, so that a chart in a file has the colours of the screen.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from tbtui.charts.cells import (
    BUNDLE_INKS,
    FAINT_FROM,
    HEAT_FROM,
    HEAT_LEVELS,
    NUMBERED,
    SHADE_FROM,
    SHADES,
    WARM_FROM,
    Ink,
    split_pair,
)
from tbtui.charts.colours import colour_gradient, contrast, ensure_contrast, mix
from tbtui.charts.heat_colours import compute_heat_colours, compute_warm_colours, get_ansi_heat
from tbtui.charts.series_colours import get_ansi_colour, get_series_colour
from tbtui.charts.xterm_colours import choose_fixed_shades, find_nearest_colours, find_nearest_of_hue
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence


DIM_OPACITY, FAINT_OPACITY, TWIN_OPACITY = 0.62, 0.26, 0.4
"""Opacity of dim and of faint text, and of the faint twin of a series, over the background."""

MIN_TEXT_CONTRAST, MIN_DIM_CONTRAST, MIN_FAINT_CONTRAST, MIN_LINE_CONTRAST = 4.5, 3.5, 1.5, 2.8
"""Minimum contrast to the background; colours of a theme with less contrast are made lighter or darker."""

MIN_FIXED_LINE_CONTRAST, MIN_FIXED_TWIN_CONTRAST = 3.2, 1.4
"""Minimum contrast of a line, and of its faint twin, in 256 colours. That of a line is higher than in true colours, to
avoid the deep blues."""

BUNDLE_OPACITIES = 0.32, 0.4, 0.5, 0.62
"""Opacities of the levels of a bundle: all are visible, none is as bright as a line in its own colour."""

ANSI_BUNDLE_DARK, ANSI_BUNDLE_LIGHT = (8, 7), (8, 8)
"""Numbers of the greys of a 16-colour terminal for cells with few lines and with many.

On black both are dim, or white would outshine the lines in colour. On white the first is dim: light grey (7) cannot be
seen there. In Solarized, dark grey (8) is the background on black.
"""


@frozen
class ThemeColours:
    """The colours of a theme that charts need, each `#rrggbb`."""

    foreground: str
    background: str
    accent: str
    good: str
    warn: str
    bad: str
    dark: bool


DARK_THEME_COLOURS = ThemeColours("#d8dce2", "#14171c", "#b4a5ff", "#7fb77e", "#e0a458", "#e0625f", dark=True)
LIGHT_THEME_COLOURS = ThemeColours("#22262b", "#fbfaf7", "#6a5acd", "#2f7d32", "#a05a00", "#b3261e", dark=False)
PAPER_THEME_COLOURS = replace(LIGHT_THEME_COLOURS, background="#ffffff")
"""The light theme on white."""


@frozen
class InkStyle:
    """Style of a cell in the colours of a theme."""

    colour: str
    """Colour of the glyph, `#rrggbb`."""

    ground: str | None = None
    """Colour behind the glyph; None: the background of the picture."""

    bold: bool = False


class InkTheme:
    """Style of every ink in one theme.

    Args:
        theme_colours: Colours of the theme.
        is_256: True if the output has 256 colours. All colours are then fixed ones of the same hue, and levels of heat
            the nearest fixed ones.
    """

    def __init__(self, theme_colours: ThemeColours, *, is_256: bool = False) -> None:
        self._is_256 = is_256
        background = theme_colours.background
        text = ensure_contrast(theme_colours.foreground, background, MIN_TEXT_CONTRAST)
        roles = (theme_colours.accent, theme_colours.good, theme_colours.warn, theme_colours.bad)
        accent, good, warn, bad = (ensure_contrast(role, background, MIN_TEXT_CONTRAST) for role in roles)
        self.theme_colours = replace(theme_colours, foreground=text, accent=accent, good=good, warn=warn, bad=bad)
        self._styles: dict[int, InkStyle] = {
            Ink.NONE: InkStyle(text),
            Ink.TEXT: InkStyle(text),
            Ink.BOLD: InkStyle(text, bold=True),
            Ink.DIM: InkStyle(ensure_contrast(mix(text, background, DIM_OPACITY), background, MIN_DIM_CONTRAST)),
            Ink.FAINT: InkStyle(ensure_contrast(mix(text, background, FAINT_OPACITY), background, MIN_FAINT_CONTRAST)),
            Ink.ACCENT: InkStyle(accent),
            Ink.GOOD: InkStyle(good),
            Ink.WARN: InkStyle(warn),
            Ink.BAD: InkStyle(bad),
            Ink.CURSOR: InkStyle(background, accent, bold=True),
        }
        for ink, opacity in zip(BUNDLE_INKS, BUNDLE_OPACITIES, strict=True):
            self._styles[ink] = InkStyle(mix(text, background, opacity))
        if is_256:
            self._styles = {ink: self._to_fixed_colours(style) for ink, style in self._styles.items()}

    def _to_fixed_colours(self, style: InkStyle) -> InkStyle:
        """Return a style in fixed colours of the same hue, with enough contrast to be read if the style has it."""
        background = self.theme_colours.background
        min_contrast = min(contrast(style.colour, background), MIN_TEXT_CONTRAST)
        (colour,) = find_nearest_of_hue((style.colour,), style.colour, background, min_contrast)
        ground = None if style.ground is None else find_nearest_of_hue((style.ground,), style.ground)[0]
        return replace(style, colour=colour, ground=ground)

    def of(self, ink: int, pair: int = 0) -> InkStyle:
        """Return the style of an ink, or of a pair of true colours (see `cells.colour_pairs`) unless it is 0."""
        if pair:
            over, under = split_pair(pair)
            return InkStyle(_to_hex(over) or self.theme_colours.foreground, _to_hex(under))
        style = self._styles.get(ink)
        if style is None:
            style = self._styles[ink] = (
                self._get_area_style(ink) if ink >= HEAT_FROM else InkStyle(self._get_series_colour(ink))
            )
        return style

    def _get_series_colour(self, ink: int) -> str:
        is_faint = ink >= FAINT_FROM
        full = self._get_full_colour(ink - FAINT_FROM if is_faint else ink)
        colour = mix(full, self.theme_colours.background, TWIN_OPACITY) if is_faint else full
        min_contrast = MIN_FIXED_TWIN_CONTRAST if is_faint else MIN_FIXED_LINE_CONTRAST
        if not self._is_256:
            return colour
        return find_nearest_of_hue((colour,), full, self.theme_colours.background, min_contrast, is_quiet=is_faint)[0]

    def _get_full_colour(self, series: int) -> str:
        colour = get_series_colour(series, dark=self.theme_colours.dark)
        return ensure_contrast(colour, self.theme_colours.background, MIN_LINE_CONTRAST)

    def _get_area_style(self, ink: int) -> InkStyle:
        scale, over, under = split_area_ink(ink)
        if scale == HEAT_SCALE:
            colours = self._heat
        elif scale == WARM_SCALE:
            colours = self._warm
        else:
            colour = self._get_full_colour(scale)
            colours = colour_gradient(self.theme_colours.background, colour, SHADES)
            if self._is_256:
                colours = (colours[0], *choose_fixed_shades(colours[1:], self._get_series_colour(scale), colours[0]))
        return InkStyle(colours[over], colours[under] if under else None)

    @cached_property
    def _heat(self) -> Sequence[str]:
        return self._get_level_colours(
            compute_heat_colours(self.theme_colours.background, dark=self.theme_colours.dark)
        )

    @cached_property
    def _warm(self) -> Sequence[str]:
        return self._get_level_colours(
            compute_warm_colours(self.theme_colours.background, dark=self.theme_colours.dark)
        )

    def _get_level_colours(self, colours: Sequence[str]) -> Sequence[str]:
        """Return the colours of levels; level 0 is the background and does not change."""
        return (colours[0], *find_nearest_colours(colours[1:])) if self._is_256 else colours


@frozen
class AnsiInkStyle:
    """Style of a cell in the sixteen colours of a terminal, by their numbers."""

    colour: int
    ground: int | None = None
    """Number of the colour behind the glyph; None: the background of the terminal."""

    is_dim: bool = False


_BLACK, _BLUE, _WHITE = 0, 4, 15


def get_ansi_ink_style(ink: int, *, dark: bool) -> AnsiInkStyle:
    """Return the style of a series or an area in sixteen colours; roles of the theme have none.

    Colours cannot be mixed with an unknown background: a faint series is dim, and all shades share a colour.
    """
    if ink < HEAT_FROM:
        is_faint = ink >= FAINT_FROM
        return AnsiInkStyle(get_ansi_colour(ink - FAINT_FROM if is_faint else ink, dark=dark), is_dim=is_faint)
    scale, over, under = split_area_ink(ink)
    colour, ground = (_choose_ansi_level_colour(scale, level, dark=dark) for level in (over, under))
    if not over and under and ground in (_BLUE, _BLACK):
        colour = _WHITE  # blue is dark in every palette: black cannot be read on it
    return AnsiInkStyle(colour, ground if under else None)


def _choose_ansi_level_colour(scale: int, level: int, *, dark: bool) -> int:
    if not level:
        return _BLACK  # the background is unknown
    return get_ansi_colour(scale, dark=dark) if scale >= 0 else get_ansi_heat(level, dark=dark)


HEAT_SCALE, WARM_SCALE = -1, -2


def split_area_ink(ink: int) -> tuple[int, int, int]:
    """Return the scale of an ink with two colours, and the levels of its glyph and of its background.

    The scale is `HEAT_SCALE`, `WARM_SCALE`, or the number of a series for its shades. Level 0 is the background of the
    picture.
    """
    if ink >= SHADE_FROM:
        series, pair = divmod(ink - SHADE_FROM, SHADES**2)
        return series, *divmod(pair, SHADES)
    return WARM_SCALE if ink >= WARM_FROM else HEAT_SCALE, *divmod((ink - HEAT_FROM) % HEAT_LEVELS**2, HEAT_LEVELS)


def _to_hex(colour: int | None) -> str | None:
    """Return a colour of a pair; None for a numbered colour of the terminal, whose RGB value is not known."""
    return None if colour is None or colour >= NUMBERED else f"#{colour:06x}"
