"""The style of every ink in a theme, and cells and pieces as strips of styled text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

from tbtui.charts.cells import (
    BLANK,
    BUNDLE_INKS,
    HEAT_FROM,
    NUMBERED,
    SHADE_FROM,
    WARM_FROM,
    Cells,
    Ink,
    join_glyphs,
    number_backgrounds,
    pair_background_ids,
    split_pair,
    split_placeholders,
)
from tbtui.charts.ink_colours import (
    ANSI_BUNDLE_DARK,
    ANSI_BUNDLE_LIGHT,
    InkTheme,
    ThemeColours,
    get_ansi_ink_style,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from textual.app import App

from tbtui.charts.styled_text import Piece, cut_pieces, pieces_width

_THEME_COLOURS = {Ink.ACCENT: "accent", Ink.GOOD: "success", Ink.WARN: "warning", Ink.BAD: "error"}
_GREY = RichColor.from_ansi(8)

_ALL = 1 << 15
"""Greater than every ink."""

MAX_CACHED_BASES = 64
"""Base styles with cached ink styles; a theme has a handful."""

MAX_CACHED_COLOURS = 16384
"""True colours, and pairs of them, whose styles are cached: more than a screen full of images has."""

NO_STYLE = Style.null()


class InkStyles:
    """The style of every ink in one theme.

    Args:
        foreground: Colour of plain text.
        background: Colour that dim and faint colours are mixed with.
        roles: Theme colour of each role that has its own.
        dark: True if the background is dark.
        ansi: True if the terminal's own 16 colours are used. Nothing can be mixed with their unknown background: dim
            and faint are attributes, and areas in shades of a series are glyphs of different density.
        colourless: True if colours are removed later: all of them if `ansi`, otherwise greys stay.
        depth: Rich's name of the terminal's colour system. With "256", areas use the fixed colours that look most like
            the right ones. With "standard" (16 colours) faint is grey: the nearest colour may be the background.
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
        self._dark = dark
        self._on: dict[Style, _StylesOnBase] = {}
        self._glyph_inks = _find_glyph_inks(ansi=ansi, colourless=colourless)
        self._styles: dict[int, Style] = {}
        self._colours: InkTheme | None = None
        """The colours of the theme; None for the terminal's own 16 colours."""

        if ansi:
            text, accent = Style(color=foreground.rich_color), roles[Ink.ACCENT].rich_color
            self._styles |= {ink: Style(color=colour.rich_color) for ink, colour in roles.items()}
            self._styles |= {Ink.NONE: text, Ink.TEXT: text, Ink.BOLD: text + Style(bold=True)}
            self._styles |= {Ink.DIM: Style(dim=True), Ink.FAINT: Style(color=_GREY)}
            self._styles[Ink.CURSOR] = Style(color=accent, bold=True, reverse=True)
        else:
            named = (foreground, background, *(roles[ink] for ink in (Ink.ACCENT, Ink.GOOD, Ink.WARN, Ink.BAD)))
            plain, ground, accented, good, warn, bad = (colour.hex6 for colour in named)
            theme = ThemeColours(plain, ground, accented, good, warn, bad, dark=dark)
            self._colours = InkTheme(theme, is_256=depth == "256")
            if depth == "standard":
                self._styles[Ink.FAINT] = Style(color=_GREY)
        if ansi or depth == "standard":
            few, many = map(RichColor.from_ansi, ANSI_BUNDLE_DARK if dark else ANSI_BUNDLE_LIGHT)
            sparse, dense = Style(color=few, dim=True), Style(color=many, dim=True if dark else None)
            self._styles |= dict(zip(BUNDLE_INKS, (sparse, sparse, dense, dense), strict=True))

    def of(self, ink: int) -> Style:
        """Return the style of an ink."""
        style = self._styles.get(ink)
        if style is None:
            style = self._styles[ink] = self._create_style(ink)
        return style

    def _create_style(self, ink: int) -> Style:
        if self._colours is None:
            numbers = get_ansi_ink_style(ink, dark=self._dark)
            ground = None if numbers.ground is None else RichColor.from_ansi(numbers.ground)
            return Style(color=RichColor.from_ansi(numbers.colour), bgcolor=ground, dim=numbers.is_dim or None)
        colours = self._colours.of(ink)
        return Style(color=colours.colour, bgcolor=colours.ground, bold=colours.bold or None)

    def on(self, base: Style) -> _StylesOnBase:
        """Return the style of each ink on a base; the same object each time: a heat map has hundreds of styles."""
        styles = self._on.get(base)
        if styles is None:
            if len(self._on) >= MAX_CACHED_BASES:
                self._on.clear()
            styles = self._on[base] = _StylesOnBase(self, base)
        return styles

    def shown(self, cells: Cells) -> Cells:
        """Return the cells with glyphs of different density in place of colours that this theme cannot show."""
        first, end = self._glyph_inks
        if first >= end:
            return cells
        from tbtui.charts.monochrome import shade_monochrome

        return shade_monochrome(cells, first, end)


class _StylesOnBase(dict[int, Style]):
    def __init__(self, styles: InkStyles, base: Style) -> None:
        super().__init__()
        self._styles = styles
        self._base = base

    def __missing__(self, ink: int) -> Style:
        style = self[ink] = self._base + self._styles.of(ink)
        return style


def _find_glyph_inks(*, ansi: bool, colourless: bool) -> tuple[int, int]:
    """Return the first ink, and the one after the last, whose colours could not be distinguished."""
    if not ansi:
        return WARM_FROM, SHADE_FROM if colourless else WARM_FROM
    return HEAT_FROM if colourless else WARM_FROM, _ALL


def get_ink_styles(app: App[Any]) -> InkStyles:
    """Return the styles of the app's current theme; the same object as long as the theme stays."""
    names = ("foreground", "background", *_THEME_COLOURS.values())
    colours = tuple(app.theme_variables[name] for name in names)
    depth = app.console.color_system
    return _get_styles(colours, app.current_theme.dark, app.native_ansi_color, app.no_color, depth)


@lru_cache(maxsize=8)
def _get_styles(colours: tuple[str, ...], dark: bool, ansi: bool, colourless: bool, depth: str | None) -> InkStyles:
    foreground, background, *roles = (Color.parse(colour) for colour in colours)
    by_ink = dict(zip(_THEME_COLOURS, roles, strict=True))
    return InkStyles(foreground, background, by_ink, dark=dark, ansi=ansi, colourless=colourless, depth=depth)


def render_cells(cells: Cells, y: int, ink_styles: InkStyles, base: Style = NO_STYLE) -> Strip:
    """Return row `y` of the cells on the style `base`; runs of equal ink become one segment each.

    Blanks on one ground look the same in every ink and join the glyph before them: fewer segments, fewer bytes to the
    terminal.
    """
    row_slice = slice(y, y + 1)
    row = Cells(
        cells.glyphs[row_slice], cells.inks[row_slice], None if cells.colours is None else cells.colours[row_slice]
    )
    row = ink_styles.shown(row)
    if row.colours is not None and row.colours.any():
        return _render_coloured(row, ink_styles, base)
    glyphs, inks = row.glyphs[0], _join_inks(row.glyphs[0], row.inks[0])
    cuts = (np.flatnonzero(inks[1:] != inks[:-1]) + 1).tolist()
    runs = zip([0, *cuts], [*cuts, len(inks)], strict=True)
    style_of = ink_styles.on(base)
    segments = [
        Segment(_decode_text(glyphs[start:end]), style_of[int(inks[start])]) for start, end in runs if end > start
    ]
    return Strip(segments, len(inks))


def _render_coloured(row: Cells, ink_styles: InkStyles, base: Style) -> Strip:
    """Return a row in which some cells have colours of their own."""
    glyphs, inks, colours = row.glyphs[0], row.inks[0], row.colours[0] if row.colours is not None else row.inks[0]
    style_keys = np.where(colours, colours, inks)
    style_keys = style_keys[
        _find_leaders(glyphs, np.where(colours, pair_background_ids(colours), number_backgrounds(inks)))
    ]
    begins = np.flatnonzero(style_keys[1:] != style_keys[:-1]) + 1
    cuts = np.union1d(begins, split_placeholders(glyphs)).tolist()
    style_of = ink_styles.on(base)
    segments = []
    for start, end in zip([0, *cuts], [*cuts, len(style_keys)], strict=True):
        style_key = int(style_keys[start])
        segments.append(
            Segment(
                join_glyphs(glyphs[start:end]),
                style_of[style_key] if style_key < _ALL else _convert_style(style_key, base),
            )
        )
    return Strip(segments, len(style_keys))


def _join_inks(glyphs: npt.NDArray[np.uint32], inks: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return the inks of a row; a blank takes the ink of the glyph before it if that has the same ground."""
    if not len(glyphs):
        return inks
    has_grounds = int(inks.max()) >= HEAT_FROM or int(inks.min()) == Ink.CURSOR
    return inks[_find_leaders(glyphs, number_backgrounds(inks) if has_grounds else None)]


def _find_leaders(glyphs: npt.NDArray[np.uint32], ground: npt.NDArray[np.integer[Any]] | None) -> npt.NDArray[np.intp]:
    """Return for each cell the index of the cell whose look it takes: a blank takes that of the glyph before it."""
    begins = glyphs != BLANK
    if ground is not None:
        begins[1:] |= ground[1:] != ground[:-1]
    return np.maximum.accumulate(np.where(begins, np.arange(len(glyphs)), 0))


def _decode_text(glyphs: npt.NDArray[np.uint32]) -> str:
    """Return code points as text; the right half of a wide glyph (0) is no character of its own."""
    return str(glyphs[glyphs != 0].astype("<u4").tobytes().decode("utf-32-le"))


@lru_cache(maxsize=MAX_CACHED_COLOURS)
def _convert_style(pair: int, base: Style) -> Style:
    over, under = split_pair(pair)
    return base + Style.from_color(_convert_colour(over), _convert_colour(under))


@lru_cache(maxsize=MAX_CACHED_COLOURS)
def _convert_colour(colour: int | None) -> RichColor | None:
    if colour is None:
        return None
    if colour >= NUMBERED:
        number = colour - NUMBERED
        # Textual derives the colour from the number if there is none.
        named = RichColor.from_ansi(number)
        return RichColor(named.name, named.type, number, named.get_truecolor())
    return RichColor.from_rgb(colour >> 16, colour >> 8 & 0xFF, colour & 0xFF)


def render_pieces(pieces: Sequence[Piece], width: int, styles: InkStyles, base: Style) -> Strip:
    """Return the pieces as a strip of exactly `width` columns on the style `base`.

    Blanks look the same in every ink and join the piece before them: fewer segments, fewer bytes to the terminal.
    """
    visible = cut_pieces(pieces, width)
    joined: list[tuple[str, Style]] = []
    for text, ink in (*visible, (" " * (width - pieces_width(visible)), 0)):
        style = base + styles.of(ink) if text.strip(" ") else base
        if joined and (style is base or style == joined[-1][1]):
            joined[-1] = joined[-1][0] + text, joined[-1][1]
        elif text:
            joined.append((text, style))
    return Strip([Segment(text, style) for text, style in joined], width)
