"""Inks to colours: what the roles and the series of a picture look like in the current theme."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

from tbtui.charts import palette
from tbtui.charts.cells import FAINT_FROM, Cells, Ink

if TYPE_CHECKING:
    import numpy.typing as npt
    from textual.app import App

DIM_PART, FAINT_PART, TWIN_PART = 0.62, 0.26, 0.4
"""How much of the foreground is in dim and in faint text, and of a series colour in its faint twin."""

_THEME_COLOURS = {Ink.ACCENT: "accent", Ink.GOOD: "success", Ink.WARN: "warning", Ink.BAD: "error"}
_GREY = RichColor.from_ansi(8)

NO_STYLE = Style.null()
BLANK = 32


class InkStyles:
    """The style of every ink in one theme.

    Args:
        foreground: Colour of plain text.
        background: What dim and faint colours are mixed towards.
        roles: Theme colour of each role that has its own.
        dark: Whether the background is dark.
        ansi: Whether the terminal's own 16 colours are used; there dim and faint are attributes, since nothing can be
            mixed with a background that is not known.
    """

    def __init__(
        self, foreground: Color, background: Color, roles: dict[Ink, Color], *, dark: bool, ansi: bool
    ) -> None:
        self._background = background
        self._dark = dark
        self._ansi = ansi
        text = Style(color=foreground.rich_color)
        self._styles: dict[int, Style] = {ink: Style(color=colour.rich_color) for ink, colour in roles.items()}
        self._styles |= {Ink.NONE: text, Ink.TEXT: text, Ink.BOLD: text + Style(bold=True)}
        if ansi:
            self._styles |= {Ink.DIM: Style(dim=True), Ink.FAINT: Style(color=_GREY)}
        else:
            self._styles[Ink.DIM] = Style(color=background.blend(foreground, DIM_PART).rich_color)
            self._styles[Ink.FAINT] = Style(color=background.blend(foreground, FAINT_PART).rich_color)

    def of(self, ink: int) -> Style:
        """Style of an ink."""
        style = self._styles.get(ink)
        if style is None:
            style = self._styles[ink] = self._series_style(ink)
        return style

    def _series_style(self, ink: int) -> Style:
        faint = ink >= FAINT_FROM
        series = ink - FAINT_FROM if faint else ink
        if self._ansi:
            return Style(color=RichColor.from_ansi(palette.ansi_colour(series)), dim=faint)
        colour = palette.series_colour(series, dark=self._dark)
        return Style(color=palette.mix(colour, self._background.hex6, TWIN_PART) if faint else colour)


def styles(app: App[Any]) -> InkStyles:
    """The styles of the app's current theme; the same object as long as the theme stays."""
    names = ("foreground", "background", *_THEME_COLOURS.values())
    colours = tuple(app.theme_variables[name] for name in names)
    return _styles(colours, app.current_theme.dark, app.native_ansi_color)


@lru_cache(maxsize=8)
def _styles(colours: tuple[str, ...], dark: bool, ansi: bool) -> InkStyles:
    foreground, background, *roles = (Color.parse(colour) for colour in colours)
    return InkStyles(foreground, background, dict(zip(_THEME_COLOURS, roles, strict=True)), dark=dark, ansi=ansi)


def strip(cells: Cells, y: int, ink_styles: InkStyles, base: Style = NO_STYLE) -> Strip:
    """Row `y` of a picture on the style `base`; runs of equal ink become one segment each.

    Blanks look the same in every ink and go with what stands before them: fewer segments, fewer bytes to the terminal.
    """
    glyphs = cells.glyphs[y]
    drawn = np.where(glyphs != BLANK, np.arange(len(glyphs)), 0)
    inks = cells.inks[y, np.maximum.accumulate(drawn)] if len(drawn) else cells.inks[y]
    cuts = (np.flatnonzero(inks[1:] != inks[:-1]) + 1).tolist()
    runs = zip([0, *cuts], [*cuts, len(inks)], strict=True)
    of = ink_styles.of
    segments = [Segment(_text(glyphs[start:end]), base + of(int(inks[start]))) for start, end in runs if end > start]
    return Strip(segments, len(inks))


def _text(glyphs: npt.NDArray[np.uint32]) -> str:
    """Code points as text; the right halves of wide glyphs are no characters of their own."""
    return str(glyphs[glyphs != 0].astype("<u4").tobytes().decode("utf-32-le"))
