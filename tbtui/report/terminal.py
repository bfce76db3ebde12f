"""The output of a report: width, colours and encoding of a terminal or a file, and lines of pieces as ANSI text."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.charts.cells import HEAT_FROM, Ink, split_pair
from tbtui.charts.glyphs import build_glyph_table, choose_glyphs, is_unicode_encoding, replace_unencodable
from tbtui.charts.ink_colours import DARK_THEME_COLOURS, LIGHT_THEME_COLOURS, InkTheme, get_ansi_ink_style
from tbtui.charts.xterm_colours import FIXED_COLOURS, find_nearest_colours
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TextIO

    from tbtui.charts.glyphs import GlyphSet, GlyphSetting
    from tbtui.report.blocks import InkText


OutputFormat: TypeAlias = Literal["text", "ansi", "markdown"]

ColourDepth: TypeAlias = Literal["true", "256", "16", "none"]

PLAIN_SIZE = 80, 24
"""Columns and rows without a terminal, unless the environment sets them."""

CHART_HEIGHT = 16
"""Rows of a chart with its x axis without a terminal."""

MIN_CHART_HEIGHT, MAX_CHART_HEIGHT = 12, 28
"""Limits of the chart height on a terminal, which is half of its rows."""

DUMB = ("dumb", "unknown")
"""Values of TERM of terminals without colours."""


@frozen
class OutputTarget:
    """Size, colours and encoding of an output."""

    form: OutputFormat
    width: int
    height: int | None = None
    """Maximum rows of the print, from the terminal; None: no limit."""

    chart_height: int = CHART_HEIGHT
    """Default rows of a chart with its x axis."""

    depth: ColourDepth = "none"
    """Number of colours; always `none` except in the format `ansi`."""

    dark: bool = True
    """True if the background is dark."""

    encoding: str = "utf-8"
    glyphs: GlyphSet = "braille"
    """Glyphs that the font of the terminal has."""

    @property
    def is_coloured(self) -> bool:
        """Return True if colours distinguish lines."""
        return self.depth != "none"

    @property
    def has_dots(self) -> bool:
        """Return True if the encoding has braille; a glyph table may replace it in the finished text."""
        return is_unicode_encoding(self.encoding) and self.glyphs != "ascii"

    def format_line(self, pieces: Iterable[InkText]) -> str:
        """Return pieces as one line, without its end."""
        if self.is_coloured:
            return encode_ansi(pieces, self)
        return self.encode("".join(piece.text for piece in pieces).rstrip())

    def encode(self, text: str) -> str:
        """Return safe text in the characters of the encoding."""
        return replace_unencodable(text.translate(build_glyph_table(self.glyphs)), self.encoding)


def measure_terminal(out: TextIO | None, environ: Mapping[str, str]) -> tuple[int, int]:
    """Return columns and rows: of COLUMNS and LINES, else of the terminal `out`, else `PLAIN_SIZE`."""
    try:
        size_of_terminal = os.get_terminal_size(out.fileno()) if out is not None and out.isatty() else PLAIN_SIZE
    except (OSError, ValueError):
        size_of_terminal = PLAIN_SIZE
    variables = (environ.get(name, "") for name in ("COLUMNS", "LINES"))
    columns, rows = (
        int(word) if word.isdecimal() and int(word) > 0 else size or plain
        for word, size, plain in zip(variables, size_of_terminal, PLAIN_SIZE, strict=True)
    )
    return columns, rows


def may_colour(setting: str, out: TextIO | None, environ: Mapping[str, str], form: OutputFormat | None = None) -> bool:
    """Return True if colours are allowed.

    Args:
        setting: `auto`, `always` or `never`.
        out: Stream of the lines.
        environ: Environment; `NO_COLOR` forbids colours (https://no-color.org), but `always` overrides it.
        form: Format option: `ansi` allows colours without a terminal.
    """
    if setting != "auto":
        return setting == "always"
    if environ.get("NO_COLOR"):
        return False
    if form == "ansi":
        return True
    return out is not None and out.isatty() and environ.get("TERM", DUMB[0]) not in DUMB


def colour_depth(environ: Mapping[str, str]) -> ColourDepth:
    """Return the number of colours of a terminal, from COLORTERM and TERM."""
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "true"
    return "256" if "256color" in environ.get("TERM", "") else "16"


def is_dark(environ: Mapping[str, str]) -> bool:
    """Return True if the background is dark. `COLORFGBG`, if set, ends in its number among the sixteen colours."""
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return background not in ("7", "15")


def choose_target(
    form: OutputFormat | None,
    *,
    color: str,
    width: int | None,
    out: TextIO | None,
    environ: Mapping[str, str],
    fits_terminal: bool = False,
    glyphs: GlyphSetting = "auto",
) -> OutputTarget:
    """Return the output target of a print.

    Args:
        form: Format option; None: ANSI if colours are allowed, else plain text.
        color: `auto`, `always` or `never`.
        width: Columns; None: those of the terminal.
        out: Output stream; None: a file in UTF-8.
        environ: Environment of the process.
        fits_terminal: Limit the print to the rows of the terminal if the output is one.
        glyphs: Glyphs of charts; `auto` draws braille, unless a terminal is known to lack it.
    """
    columns, rows = measure_terminal(out, environ)
    on_terminal = out is not None and out.isatty()
    coloured = form in (None, "ansi") and may_colour(color, out, environ, form)
    if form != "markdown":
        form = "ansi" if coloured else "text"
    return OutputTarget(
        form,
        width or columns,
        rows if fits_terminal and on_terminal else None,
        min(max(rows // 2, MIN_CHART_HEIGHT), MAX_CHART_HEIGHT) if on_terminal else CHART_HEIGHT,
        colour_depth(environ) if coloured else "none",
        is_dark(environ),
        "utf-8" if out is None else (out.encoding or "ascii"),
        choose_glyphs(glyphs, environ if on_terminal else {}),
    )


def join_lines(lines: Sequence[str]) -> str:
    """Return lines as one text, each with a line end."""
    return "".join(f"{line}\n" for line in lines)


RESET = "\x1b[0m"
"""SGR sequence that resets the style; a report contains no other kind of escape sequence."""

_FIRST_FIXED = 16
"""Number of the first colour that is the same on every terminal with 256 colours."""

_ROLES = {Ink.NONE: "", Ink.TEXT: "", Ink.BOLD: "1", Ink.DIM: "2", Ink.FAINT: "2"}
"""SGR codes in colours of the terminal, which are legible on its background."""

_ROLES |= {Ink.ACCENT: "1", Ink.GOOD: "32", Ink.WARN: "33", Ink.BAD: "31", Ink.CURSOR: "7"}


def encode_ansi(pieces: Iterable[InkText], target: OutputTarget) -> str:
    """Return pieces as a line that starts and ends without style, and has no invisible blanks at its end."""
    parts: list[str] = []
    visible_parts, current_code = 0, ""
    for text, ink, pair in pieces:
        code = _encode_pair(pair, target.depth) if pair else encode_ink(ink, target.depth, dark=target.dark)
        if code != current_code:
            parts.append((RESET if current_code else "") + (f"\x1b[{code}m" if code else ""))
            current_code = code
        parts.append(target.encode(text))
        if text.strip() or _has_background(code):
            visible_parts = len(parts)
    visible_text, trimmed = (
        "".join(parts[:visible_parts]),
        "".join(parts[:visible_parts]).rstrip(" ") if not _has_background(current_code) else "",
    )
    line = trimmed or visible_text
    return line + RESET if "\x1b" in line and not line.endswith(RESET) else line


def _has_background(code: str) -> bool:
    return "48;" in code or code == "7" or ";4" in f";{code}"


@lru_cache(maxsize=4096)
def encode_ink(ink: int, depth: ColourDepth, *, dark: bool) -> str:
    """Return the SGR parameters of an ink; empty for plain text."""
    if ink < 0:
        return _ROLES.get(Ink(ink), "")
    if ink >= HEAT_FROM:
        area_style = _create_ink_theme(dark).of(ink)
        background = None if area_style.ground is None else int(area_style.ground[1:], 16)
        return _join_codes(int(area_style.colour[1:], 16), background, depth)
    if depth == "true":
        return _encode_foreground(int(_create_ink_theme(dark).of(ink).colour[1:], 16), depth)
    style = get_ansi_ink_style(ink, dark=dark)
    code = str(30 + style.colour if style.colour < 8 else 82 + style.colour)
    return f"2;{code}" if style.is_dim else code


@lru_cache(maxsize=2)
def _create_ink_theme(dark: bool) -> InkTheme:
    return InkTheme(DARK_THEME_COLOURS if dark else LIGHT_THEME_COLOURS)


@lru_cache(maxsize=1 << 16)
def _encode_pair(pair: int, depth: ColourDepth) -> str:
    return _join_codes(*split_pair(pair), depth)


def _join_codes(foreground: int | None, background: int | None, depth: ColourDepth) -> str:
    return ";".join(filter(None, (_encode_foreground(foreground, depth), _encode_background(background, depth))))


def _encode_foreground(colour: int | None, depth: ColourDepth) -> str:
    return "" if colour is None else f"38;{_colour(colour, depth)}"


def _encode_background(colour: int | None, depth: ColourDepth) -> str:
    return "" if colour is None else f"48;{_colour(colour, depth)}"


@lru_cache(maxsize=1 << 16)
def _colour(colour: int, depth: ColourDepth) -> str:
    """Return the SGR parameters of a true colour, or of the nearest of the fixed 240 colours."""
    if depth == "true":
        return f"2;{colour >> 16};{colour >> 8 & 255};{colour & 255}"
    return f"5;{_FIRST_FIXED + FIXED_COLOURS.index(find_nearest_colours([f'#{colour:06x}'])[0])}"
