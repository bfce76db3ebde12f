"""Inks to colours: what the roles and the series of a picture look like in the current theme."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

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
    glyph_text,
    grounds,
    placeholder_cuts,
    split_pair,
    under_of,
)
from tbtui.charts.colours import ansi_heat, between, heat_colours, nearest, warm_colours
from tbtui.charts.ink_colours import DIM_PART, FAINT_PART, TWIN_PART, in_glyphs
from tbtui.charts.text import cell_width, fit, safe
from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen, MinimalRepaintWidget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt
    from textual import events
    from textual.app import App
    from textual.theme import Theme

    from tbtui.widgets.plot_view import PlotMouse


_THEME_COLOURS = {Ink.ACCENT: "accent", Ink.GOOD: "success", Ink.WARN: "warning", Ink.BAD: "error"}
_GREY = RichColor.from_ansi(8)
_BLACK = RichColor.from_ansi(0)
"""What stands for a background that is not known, where a glyph has its colour."""

_WHITE = RichColor.from_ansi(15)
_BLUE = RichColor.from_ansi(4)
"""The one colour of areas that black is not read on: it is dark in every palette."""

_ALL = 1 << 15
"""No ink is as large."""

MOST_BASES = 64
"""Styles that pictures lie on that are remembered; a theme has a handful."""

MOST_COLOURS = 16384
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
            if len(self._on) >= MOST_BASES:
                self._on.clear()
            styles = self._on[base] = _OnBase(self, base)
        return styles

    def shown(self, cells: Cells) -> Cells:
        """A picture as it can be told in this theme: areas whose colours would say nothing as glyphs."""
        first, end = self._in_glyphs
        return in_glyphs(cells, first, end) if first < end else cells

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
        return self._of_areas(between(self._background.hex6, colour, SHADES))

    def _of_areas(self, colours: Sequence[str]) -> list[RichColor]:
        """Of several levels; the least is the background, and stays whatever that is shown as."""
        shown = (colours[0], *nearest(colours[1:])) if self._few else colours
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


def styles(app: App[Any]) -> InkStyles:
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


def strip(cells: Cells, y: int, ink_styles: InkStyles, base: Style = NO_STYLE) -> Strip:
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
    looks = looks[_leaders(glyphs, np.where(colours, under_of(colours), grounds(inks)))]
    begins = np.flatnonzero(looks[1:] != looks[:-1]) + 1
    cuts = np.union1d(begins, placeholder_cuts(glyphs)).tolist()
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
    return inks[_leaders(glyphs, grounds(inks) if has_grounds else None)]


def _leaders(glyphs: npt.NDArray[np.uint32], ground: npt.NDArray[np.integer[Any]] | None) -> npt.NDArray[np.intp]:
    """For each cell of a row the one whose look it takes: a blank that of the glyph before it, on the same ground."""
    begins = glyphs != BLANK
    if ground is not None:
        begins[1:] |= ground[1:] != ground[:-1]
    return np.maximum.accumulate(np.where(begins, np.arange(len(glyphs)), 0))


def _text(glyphs: npt.NDArray[np.uint32]) -> str:
    """Code points as text; the right halves of wide glyphs are no characters of their own."""
    return str(glyphs[glyphs != 0].astype("<u4").tobytes().decode("utf-32-le"))


@lru_cache(maxsize=MOST_COLOURS)
def _true_style(pair: int, base: Style) -> Style:
    over, under = split_pair(pair)
    return base + Style.from_color(_true_colour(over), _true_colour(under))


@lru_cache(maxsize=MOST_COLOURS)
def _true_colour(colour: int | None) -> RichColor | None:
    if colour is None:
        return None
    if colour >= NUMBERED:
        number = colour - NUMBERED
        # Textual turns a number into the colour that it thinks it is, where it has none.
        known = RichColor.from_ansi(number)
        return RichColor(known.name, known.type, number, known.get_truecolor())
    return RichColor.from_rgb(colour >> 16, colour >> 8 & 0xFF, colour & 0xFF)


# One line of text in inks, used by status line, footer, tab strip, filter bars and list rows.


Piece: TypeAlias = tuple[str, int]
"""A text and its ink. The text may come from a file: it is made safe when it is drawn."""

MIN_TITLE = 14
"""Columns of the title of a heading that have priority over its keys, except the last key."""


def pieces_width(pieces: Iterable[Piece]) -> int:
    """Return the terminal columns of the pieces."""
    return sum(cell_width(safe(text)) for text, _ in pieces)


def apart(left: Sequence[Piece], right: Sequence[Piece], width: int) -> tuple[Piece, ...]:
    """Return a line with pieces at both ends; the left ones are cut if there is no room."""
    right_width = pieces_width(right)
    kept = cut(left, width - right_width - 1 if right else width)
    gap = max(width - right_width - pieces_width(kept), 0)
    return (*kept, (" " * gap, 0), *right)


def cut(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Return the pieces that fit into `width` columns; the first that does not fit ends in `…`."""
    kept: list[Piece] = []
    for text, ink in pieces:
        part = fit(text, width)
        kept.append((part, ink))
        width -= cell_width(part)
        if part != safe(text):
            break
    return kept


def strip_of(pieces: Sequence[Piece], width: int, styles: InkStyles, base: Style) -> Strip:
    """Return the pieces as a strip of exactly `width` columns on the style `base`.

    Blanks look the same in every ink and join the piece before them: fewer segments, fewer bytes to the terminal.
    """
    kept = cut(pieces, width)
    joined: list[tuple[str, Style]] = []
    for text, ink in (*kept, (" " * (width - pieces_width(kept)), 0)):
        style = base + styles.of(ink) if text.strip(" ") else base
        if joined and (style is base or style == joined[-1][1]):
            joined[-1] = joined[-1][0] + text, joined[-1][1]
        elif text:
            joined.append((text, style))
    return Strip([Segment(text, style) for text, style in joined], width)


class Line(Widget):
    """A widget of one row that shows pieces and repaints only when they change."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    Line { height: 1; width: 1fr; }
    """

    def __init__(self, pieces: Sequence[Piece] = (), *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._pieces = tuple(pieces)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces that are shown."""
        return self._pieces

    def show(self, pieces: Sequence[Piece]) -> None:
        """Show other pieces; pieces that do not fit are cut."""
        if tuple(pieces) != self._pieces:
            self._pieces = tuple(pieces)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the only row."""
        return strip_of(self._pieces if y == 0 else (), self.size.width, styles(self.app), self.rich_style)


class Heading(Line):
    """The title of an overlay, with its keys at the right end as far as there is room.

    Args:
        title: Any text; its end is cut if there is no room.
        keys: Symbol and description of each key; the last one, which closes the overlay, is always shown.
        id: The widget's id.
    """

    def __init__(self, title: str, *keys: tuple[str, str], id: str | None = None) -> None:  # noqa: A002 - Textual's
        super().__init__(id=id)
        self._title = title
        self._keys = [(("  ", Ink.NONE), (sign, Ink.ACCENT), (f" {does}", Ink.DIM)) for sign, does in keys]

    def entitle(self, title: str) -> None:
        """Show another title."""
        self._title = title
        self._fit()

    def on_resize(self) -> None:
        """Fit title and keys to the new width."""
        self._fit()

    def _fit(self) -> None:
        keys, title = self._keys, f" {self._title}"
        least = min(cell_width(safe(title)), MIN_TITLE)
        while len(keys) > 1 and self.size.width - pieces_width(chain(*keys)) - 2 < least:
            keys = keys[1:]
        self.show(apart(((title, Ink.BOLD),), (*chain(*keys), (" ", Ink.NONE)), self.size.width))


# A widget that shows cells, and repaints only the cells that changed.


MIN_GAP = 8
"""Equal cells between two changes that are worth a jump of the terminal's cursor."""


def changed_spans(old: Cells, new: Cells, min_gap: int = MIN_GAP) -> Iterator[tuple[int, int, int]]:
    """Yield where cells of one size differ: (row, first column, column after the last), row by row.

    Up to `min_gap` equal cells between two changes belong to the span. A span neither begins nor ends within a wide
    glyph of either.
    """
    differ = (old.glyphs != new.glyphs) | (old.inks != new.inks)
    if old.colours is not None or new.colours is not None:
        differ |= (0 if old.colours is None else old.colours) != (0 if new.colours is None else new.colours)
    for y in np.flatnonzero(differ.any(axis=1)).tolist():
        columns = np.flatnonzero(differ[y])
        for part in np.split(columns, np.flatnonzero(np.diff(columns) > min_gap) + 1):
            first, end = int(part[0]), int(part[-1]) + 1
            while first > 0 and (new.glyphs[y, first] == 0 or old.glyphs[y, first] == 0):
                first -= 1
            while end < new.width and (new.glyphs[y, end] == 0 or old.glyphs[y, end] == 0):
                end += 1
            yield y, first, end


class CellsView(MinimalRepaintWidget, ScrollView):
    """Shows cells in its content area.

    Subclasses decide what the cells are, also where these depend on the focus. `put` replaces a part of them, and cuts
    off what lies outside.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"cells-view--marked"}

    DEFAULT_CSS = """
    CellsView > .cells-view--marked { background: $block-cursor-blurred-background; text-style: bold; }
    CellsView:ansi > .cells-view--marked { text-style: reverse; }
    CellsView:nocolor > .cells-view--marked { text-style: reverse; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._cells = Cells.blank(0, 0)
        self._strips: dict[int, Strip] = {}
        self._marked_rows: frozenset[int] = frozenset()
        self._look: tuple[InkStyles, Style] | None = None
        self._overlay: Callable[[Cells], Cells] | None = None
        self._overlaid: Cells | None = None
        """The cells with the overlay on top; None without an overlay."""

        self.mouse: PlotMouse | None = None
        """Zooms the charts among the cells; None where there are no charts."""

    def on_mount(self) -> None:
        """Repaint when the theme, and so the colours of inks, change."""
        self.app.theme_changed_signal.subscribe(self, self._forget_strips)

    def clear(self, height: int, width: int) -> None:
        """Replace all cells by `height` x `width` blank ones, and repaint everything."""
        if self.mouse is not None:
            self.mouse.drop_box()
        self._cells = Cells.blank(height, width)
        self._strips.clear()
        self.refresh()

    def put(self, y: int, x: int, cells: Cells) -> None:
        """Draw `cells` with their upper left corner at row `y`, column `x`, and repaint what changed."""
        height = min(cells.height, self._cells.height - y)
        width = min(cells.width, self._cells.width - x)
        if height <= 0 or width <= 0:
            return
        if cells.colours is not None and self._cells.colours is None:
            self._cells = replace(self._cells, colours=np.zeros(self._cells.inks.shape, np.int64))
        new = cells.part(slice(height), slice(width))
        old = self._cells.part(slice(y, y + height), slice(x, x + width))
        # Any other screen sends everything left of a span with it, so that one span per row is best.
        spans = list(changed_spans(old, new, MIN_GAP if isinstance(self.screen, MinimalRepaintScreen) else width))
        self._cells.put(y, x, new)
        self._repaint((y + row, x + first, x + end) for row, first, end in spans)
        if self._overlay is not None:
            self._overlaid = self._overlay(self._cells)

    def lay_over(self, overlay: Callable[[Cells], Cells] | None) -> None:
        """Draw something on top of the cells from now on; None removes it.

        Args:
            overlay: Returns the cells with the overlay on top. It is called now and after each `put`.
        """
        before, self._overlay = self._on_screen, overlay
        self._overlaid = None if overlay is None else overlay(self._cells)
        if before is not self._on_screen:
            self._repaint(changed_spans(before, self._on_screen))

    def _repaint(self, spans: Iterable[tuple[int, int, int]]) -> None:
        """Repaint spans (row, first column, column after the last)."""
        for row, first, end in spans:
            self._strips.pop(row, None)
            self.refresh(Region(first, row, end - first, 1))

    def mark_rows(self, rows: Iterable[int]) -> None:
        """Mark these rows, such as the row under a cursor, and unmark all others."""
        marked = frozenset(rows)
        self._repaint((y, 0, self.size.width) for y in marked ^ self._marked_rows)
        self._marked_rows = marked

    def picture_text(self) -> str:
        """Return the cells as plain text."""
        return self._cells.text()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render rows of the widget; the theme is looked up once for all of them."""
        self._see_theme()
        return super().render_lines(crop)

    def _see_theme(self) -> tuple[InkStyles, Style]:
        look = styles(self.app), self.rich_style
        if look != self._look:
            self._look = look
            self._strips.clear()
        return look

    def render_line(self, y: int) -> Strip:
        """Render row `y` in the colours of the theme."""
        look = self._look or self._see_theme()
        if y >= self._cells.height:
            return Strip.blank(self.size.width, self.rich_style)
        if y not in self._strips:
            self._strips[y] = self._strip(y, *look)
        return self._strips[y]

    @property
    def _on_screen(self) -> Cells:
        """The cells with the overlay on top."""
        return self._overlaid or self._cells

    def _strip(self, y: int, styles: InkStyles, base: Style) -> Strip:
        cells = self._on_screen
        if y in self._marked_rows:
            base += self.get_component_rich_style("cells-view--marked")
            if base.reverse:  # reversed, inks would become patches of background
                cells = Cells(in_glyphs(cells).glyphs, np.full_like(cells.inks, Ink.TEXT))
        return strip(cells, y, styles, base)

    def _forget_strips(self, _theme: Theme) -> None:
        self.refresh()

    # The mouse on charts

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a box on a chart, or take hold of the cursor on a bar of steps."""
        if self.mouse is not None:
            self.mouse.press(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the box, or move the cursor."""
        if self.mouse is not None:
            self.mouse.move(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Zoom into the box, or release the cursor."""
        if self.mouse is not None:
            self.mouse.release(event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out over a chart, or scroll."""
        if self.mouse is not None:
            self.mouse.turn_wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom in over a chart, or scroll."""
        if self.mouse is not None:
            self.mouse.turn_wheel(event, -1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Move the chart under the mouse."""
        if self.mouse is not None:
            self.mouse.pan(event, 1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Move the chart under the mouse."""
        if self.mouse is not None:
            self.mouse.pan(event, -1)


# Mouse wheel and touchpad: vertical and horizontal turns; shift makes a vertical turn horizontal.


WHEEL_ROWS = 3
"""Rows that one notch scrolls by."""


class Wheel:
    """Mixin of a widget that handles turns of the wheel itself; no ancestor scrolls then."""

    def turned(self, across: int, down: int) -> None:
        """Scroll by notches to the right and down; negative values scroll to the left and up."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down, with shift to the right."""
        self._turn(event, 1, sideways=event.shift)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up, with shift to the left."""
        self._turn(event, -1, sideways=event.shift)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Scroll to the right."""
        self._turn(event, 1, sideways=True)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Scroll to the left."""
        self._turn(event, -1, sideways=True)

    def _turn(self, event: events.MouseEvent, notches: int, *, sideways: bool) -> None:
        event.stop()
        event.prevent_default()
        self.turned(notches if sideways else 0, 0 if sideways else notches)
