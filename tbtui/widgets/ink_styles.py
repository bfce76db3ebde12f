"""The style of every ink in a theme, and cells and pieces as strips of styled text."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

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
    background_ids,
    glyph_text,
    pair_background_ids,
    placeholder_splits,
    split_pair,
)
from tbtui.charts.colours import ansi_heat, colour_gradient, heat_colours, nearest_fixed_colours, warm_colours
from tbtui.charts.ink_colours import DIM_PART, FAINT_PART, TWIN_PART, shade_monochrome

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from textual.app import App

from tbtui.charts.pieces import Piece, cut_pieces, pieces_width

_THEME_COLOURS = {Ink.ACCENT: "accent", Ink.GOOD: "success", Ink.WARN: "warning", Ink.BAD: "error"}


_GREY = RichColor.from_ansi(8)


_BLACK = RichColor.from_ansi(0)
"""What stands for a background that is not known, where a glyph has its colour."""


_WHITE = RichColor.from_ansi(15)


_BLUE = RichColor.from_ansi(4)
"""The one colour of areas that black is not read on: it is dark in every palette."""


_ALL = 1 << 15
"""No ink is as large."""


MAX_CACHED_BASES = 64
"""Styles that pictures lie on that are remembered; a theme has a handful."""


MAX_CACHED_COLOURS = 16384
"""True colours, and pairs of them, that are remembered: more than a screen full of pictures has."""


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
            mixed with a background that is not known, and areas in shades of a series are glyphs of different density.
        colourless: Whether colours are taken away later: all of them where `ansi` is set, otherwise greys stay.
        depth: What rich found the terminal to have. Of 256 colours those of areas are the ones that look most like
            what is meant; of sixteen (`standard`) what is faint is grey, as the nearest one may be that of the ground.
    """

    def __init__(
        self,
        foreground: Color,
        background: Color,
        roles: dict[Ink, Color],
        *,
        dark: bool,
        ansi: bool,
        colourless: bool = False,
        depth: str | None = None,
    ) -> None:
        self._background = background
        self._dark = dark
        self._ansi = ansi
        self._few = depth == "256"
        self._on: dict[Style, _OnBase] = {}
        self._in_glyphs = _told_in_glyphs(ansi=ansi, colourless=colourless)
        text = Style(color=foreground.rich_color)
        self._styles: dict[int, Style] = {ink: Style(color=colour.rich_color) for ink, colour in roles.items()}
        self._styles |= {Ink.NONE: text, Ink.TEXT: text, Ink.BOLD: text + Style(bold=True)}
        accent = roles[Ink.ACCENT].rich_color
        if ansi:
            self._styles[Ink.CURSOR] = Style(color=accent, bold=True, reverse=True)
            self._styles |= {Ink.DIM: Style(dim=True), Ink.FAINT: Style(color=_GREY)}
        else:
            self._styles[Ink.CURSOR] = Style(color=background.rich_color, bgcolor=accent, bold=True)
            self._styles[Ink.DIM] = Style(color=background.blend(foreground, DIM_PART).rich_color)
            faint = background.blend(foreground, FAINT_PART).rich_color
            self._styles[Ink.FAINT] = Style(color=_GREY if depth == "standard" else faint)

    def of(self, ink: int) -> Style:
        """Style of an ink."""
        style = self._styles.get(ink)
        if style is None:
            style = self._styles[ink] = self._pair_style(ink) if ink >= HEAT_FROM else self._series_style(ink)
        return style

    def on(self, base: Style) -> _OnBase:
        """The style of each ink on a base; the same object each time, since a heat map has hundreds of them."""
        styles = self._on.get(base)
        if styles is None:
            if len(self._on) >= MAX_CACHED_BASES:
                self._on.clear()
            styles = self._on[base] = _OnBase(self, base)
        return styles

    def shown(self, cells: Cells) -> Cells:
        """A picture as it can be told in this theme: areas whose colours would say nothing as glyphs."""
        first, end = self._in_glyphs
        return shade_monochrome(cells, first, end) if first < end else cells

    def _series_style(self, ink: int) -> Style:
        faint = ink >= FAINT_FROM
        series = ink - FAINT_FROM if faint else ink
        if self._ansi:
            return Style(color=RichColor.from_ansi(palette.ansi_colour(series)), dim=faint)
        colour = palette.series_colour(series, dark=self._dark)
        return Style(color=palette.mix(colour, self._background.hex6, TWIN_PART) if faint else colour)

    def _pair_style(self, ink: int) -> Style:
        """Glyph and ground in two levels of one scale; a ground of level 0 is whatever the picture lies on."""
        if ink >= SHADE_FROM:
            series, pair = divmod(ink - SHADE_FROM, SHADES**2)
            over, under = divmod(pair, SHADES)
            colours = self._shades(series)
        else:
            colours = self._warm if ink >= WARM_FROM else self._heat
            over, under = divmod((ink - HEAT_FROM) % HEAT_LEVELS**2, HEAT_LEVELS)
        colour, ground = colours[over], colours[under] if under else None
        return Style(color=_WHITE if colour == _BLACK and ground == _BLUE else colour, bgcolor=ground)

    @cached_property
    def _heat(self) -> Sequence[RichColor]:
        if self._ansi:
            levels = range(1, HEAT_LEVELS)
            return _BLACK, *(RichColor.from_ansi(ansi_heat(level, dark=self._dark)) for level in levels)
        return self._of_areas(heat_colours(self._background.hex6, dark=self._dark))

    @cached_property
    def _warm(self) -> Sequence[RichColor]:
        return self._heat if self._ansi else self._of_areas(warm_colours(self._background.hex6, dark=self._dark))

    def _shades(self, series: int) -> Sequence[RichColor]:
        if self._ansi:
            return _BLACK, *[RichColor.from_ansi(palette.ansi_colour(series))] * (SHADES - 1)
        colour = palette.series_colour(series, dark=self._dark)
        return self._of_areas(colour_gradient(self._background.hex6, colour, SHADES))

    def _of_areas(self, colours: Sequence[str]) -> list[RichColor]:
        """Of several levels; the least is the background, and stays whatever that is shown as."""
        shown = (colours[0], *nearest_fixed_colours(colours[1:])) if self._few else colours
        return [RichColor.parse(colour) for colour in shown]


class _OnBase(dict[int, Style]):
    """Styles of inks on one base, made when they are first asked for."""

    def __init__(self, styles: InkStyles, base: Style) -> None:
        super().__init__()
        self._styles = styles
        self._base = base

    def __missing__(self, ink: int) -> Style:
        style = self[ink] = self._base + self._styles.of(ink)
        return style


def _told_in_glyphs(*, ansi: bool, colourless: bool) -> tuple[int, int]:
    """The first ink, and the one behind the last, of those whose colours would not be told apart."""
    if not ansi:
        return WARM_FROM, SHADE_FROM if colourless else WARM_FROM
    return HEAT_FROM if colourless else WARM_FROM, _ALL


def ink_styles(app: App[Any]) -> InkStyles:
    """The styles of the app's current theme; the same object as long as the theme stays."""
    names = ("foreground", "background", *_THEME_COLOURS.values())
    colours = tuple(app.theme_variables[name] for name in names)
    depth = app.console.color_system
    return _styles(colours, app.current_theme.dark, app.native_ansi_color, app.no_color, depth)


@lru_cache(maxsize=8)
def _styles(colours: tuple[str, ...], dark: bool, ansi: bool, colourless: bool, depth: str | None) -> InkStyles:
    foreground, background, *roles = (Color.parse(colour) for colour in colours)
    of_roles = dict(zip(_THEME_COLOURS, roles, strict=True))
    return InkStyles(foreground, background, of_roles, dark=dark, ansi=ansi, colourless=colourless, depth=depth)


def cells_strip(cells: Cells, y: int, ink_styles: InkStyles, base: Style = NO_STYLE) -> Strip:
    """Row `y` of a picture on the style `base`; runs of equal ink become one segment each.

    Blanks on one ground look the same in every ink and go with what stands before them: fewer segments, fewer bytes to
    the terminal.
    """
    here = slice(y, y + 1)
    row = Cells(cells.glyphs[here], cells.inks[here], None if cells.colours is None else cells.colours[here])
    row = ink_styles.shown(row)
    if row.colours is not None and row.colours.any():
        return _coloured_strip(row, ink_styles, base)
    glyphs, inks = row.glyphs[0], _joined(row.glyphs[0], row.inks[0])
    cuts = (np.flatnonzero(inks[1:] != inks[:-1]) + 1).tolist()
    runs = zip([0, *cuts], [*cuts, len(inks)], strict=True)
    of = ink_styles.on(base)
    segments = [Segment(_text(glyphs[start:end]), of[int(inks[start])]) for start, end in runs if end > start]
    return Strip(segments, len(inks))


def _coloured_strip(row: Cells, ink_styles: InkStyles, base: Style) -> Strip:
    """A row some of whose cells have colours of their own."""
    glyphs, inks, colours = row.glyphs[0], row.inks[0], row.colours[0] if row.colours is not None else row.inks[0]
    looks = np.where(colours, colours, inks)
    looks = looks[_leaders(glyphs, np.where(colours, pair_background_ids(colours), background_ids(inks)))]
    begins = np.flatnonzero(looks[1:] != looks[:-1]) + 1
    cuts = np.union1d(begins, placeholder_splits(glyphs)).tolist()
    of = ink_styles.on(base)
    segments = []
    for start, end in zip([0, *cuts], [*cuts, len(looks)], strict=True):
        look = int(looks[start])
        segments.append(Segment(glyph_text(glyphs[start:end]), of[look] if look < _ALL else _true_style(look, base)))
    return Strip(segments, len(looks))


def _joined(glyphs: npt.NDArray[np.uint32], inks: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """The inks of a row, those of blanks replaced by that of the glyph before them where it has the same ground."""
    if not len(glyphs):
        return inks
    has_grounds = int(inks.max()) >= HEAT_FROM or int(inks.min()) == Ink.CURSOR
    return inks[_leaders(glyphs, background_ids(inks) if has_grounds else None)]


def _leaders(glyphs: npt.NDArray[np.uint32], ground: npt.NDArray[np.integer[Any]] | None) -> npt.NDArray[np.intp]:
    """For each cell of a row the one whose look it takes: a blank that of the glyph before it, on the same ground."""
    begins = glyphs != BLANK
    if ground is not None:
        begins[1:] |= ground[1:] != ground[:-1]
    return np.maximum.accumulate(np.where(begins, np.arange(len(glyphs)), 0))


def _text(glyphs: npt.NDArray[np.uint32]) -> str:
    """Code points as text; the right halves of wide glyphs are no characters of their own."""
    return str(glyphs[glyphs != 0].astype("<u4").tobytes().decode("utf-32-le"))


@lru_cache(maxsize=MAX_CACHED_COLOURS)
def _true_style(pair: int, base: Style) -> Style:
    over, under = split_pair(pair)
    return base + Style.from_color(_true_colour(over), _true_colour(under))


@lru_cache(maxsize=MAX_CACHED_COLOURS)
def _true_colour(colour: int | None) -> RichColor | None:
    if colour is None:
        return None
    if colour >= NUMBERED:
        number = colour - NUMBERED
        # Textual turns a number into the colour that it thinks it is, where it has none.
        known = RichColor.from_ansi(number)
        return RichColor(known.name, known.type, number, known.get_truecolor())
    return RichColor.from_rgb(colour >> 16, colour >> 8 & 0xFF, colour & 0xFF)


def pieces_strip(pieces: Sequence[Piece], width: int, styles: InkStyles, base: Style) -> Strip:
    """Return the pieces as a strip of exactly `width` columns on the style `base`.

    Blanks look the same in every ink and join the piece before them: fewer segments, fewer bytes to the terminal.
    """
    kept = cut_pieces(pieces, width)
    joined: list[tuple[str, Style]] = []
    for text, ink in (*kept, (" " * (width - pieces_width(kept)), 0)):
        style = base + styles.of(ink) if text.strip(" ") else base
        if joined and (style is base or style == joined[-1][1]):
            joined[-1] = joined[-1][0] + text, joined[-1][1]
        elif text:
            joined.append((text, style))
    return Strip([Segment(text, style) for text, style in joined], width)
