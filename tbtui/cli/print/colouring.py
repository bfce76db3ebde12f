"""Inks to what a terminal understands: SGR sequences, the only ones that are ever written."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.charts import palette
from tbtui.charts.cells import FAINT_FROM, HEAT_FROM, Ink, split_pair
from tbtui.charts.few_colours import COLOURS, nearest
from tbtui.charts.ink_colours import DARK_TONES, LIGHT_TONES, InkColours

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.cli.print.paper import Depth, Paper
    from tbtui.cli.print.sheet import Piece

PLAIN = "\x1b[0m"

_FIRST_NUMBER = 16
"""Of the colours that look alike on every terminal of 256."""

_ROLES = {Ink.NONE: "", Ink.TEXT: "", Ink.BOLD: "1", Ink.DIM: "2", Ink.FAINT: "2"}
"""In the terminal's own colours, which are legible on its ground whatever that is."""

_ROLES |= {Ink.ACCENT: "1", Ink.GOOD: "32", Ink.WARN: "33", Ink.BAD: "31", Ink.CURSOR: "7"}


def coloured(pieces: Iterable[Piece], paper: Paper) -> str:
    """Pieces as a line that begins and ends plain, without blanks that nobody sees at its end."""
    parts: list[str] = []
    kept, now = 0, ""
    for text, ink, pair in pieces:
        code = _pair_code(pair, paper.depth) if pair else ink_code(ink, paper.depth, dark=paper.dark)
        if code != now:
            parts.append((PLAIN if now else "") + (f"\x1b[{code}m" if code else ""))
            now = code
        parts.append(paper.spelled(text))
        if text.strip() or _has_ground(code):
            kept = len(parts)
    seen, ended = "".join(parts[:kept]), "".join(parts[:kept]).rstrip(" ") if not _has_ground(now) else ""
    line = ended or seen
    return line + PLAIN if "\x1b" in line and not line.endswith(PLAIN) else line


def _has_ground(code: str) -> bool:
    return "48;" in code or code == "7" or ";4" in f";{code}"


@lru_cache(maxsize=4096)
def ink_code(ink: int, depth: Depth, *, dark: bool) -> str:
    """The parameters of the sequence that begins an ink; empty for plain text."""
    if ink < 0:
        return _ROLES.get(Ink(ink), "")
    if ink >= HEAT_FROM:
        look = _inks(dark).of(ink)
        under = None if look.ground is None else int(look.ground[1:], 16)
        return ";".join(filter(None, (_over(int(look.colour[1:], 16), depth), _under(under, depth))))
    series, is_faint = (ink - FAINT_FROM, True) if ink >= FAINT_FROM else (ink, False)
    if depth == "true":
        colour = _inks(dark).of(ink).colour
        return _over(int(colour[1:], 16), depth)
    number = palette.ansi_colour(series)
    code = str(30 + number if number < 8 else 82 + number)
    return f"2;{code}" if is_faint else code


@lru_cache(maxsize=2)
def _inks(dark: bool) -> InkColours:
    return InkColours(DARK_TONES if dark else LIGHT_TONES)


@lru_cache(maxsize=1 << 16)
def _pair_code(pair: int, depth: Depth) -> str:
    over, under = split_pair(pair)
    return ";".join(filter(None, (_over(over, depth), _under(under, depth))))


def _over(colour: int | None, depth: Depth) -> str:
    return "" if colour is None else f"38;{_colour(colour, depth)}"


def _under(colour: int | None, depth: Depth) -> str:
    return "" if colour is None else f"48;{_colour(colour, depth)}"


@lru_cache(maxsize=1 << 16)
def _colour(colour: int, depth: Depth) -> str:
    """A true colour, or the nearest of those that every terminal of 256 has."""
    if depth == "true":
        return f"2;{colour >> 16};{colour >> 8 & 255};{colour & 255}"
    return f"5;{_FIRST_NUMBER + COLOURS.index(nearest([f'#{colour:06x}'])[0])}"
