"""Lines of a document in the colours of the theme."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.text.lines import DocumentLine, Look
    from tbtui.plugins.text.search import Span
    from tbtui.widgets.inks import InkStyles


class LineLook(NamedTuple):
    """What lines look like."""

    styles: InkStyles
    base: Style
    """What they lie on."""

    code: Style
    """Laid over what is code; likewise over matches, and over the one that is looked at."""

    match: Style
    current: Style


def line_strip(line: DocumentLine, spans: Sequence[Span], current: int, look: LineLook) -> Strip:
    """A line, as wide as it is.

    Args:
        line: What to draw.
        spans: What is set off in it, in order.
        current: Number of the match that is looked at.
        look: The theme.
    """
    segments: list[Segment] = []
    at = 0
    for text, own in line.pieces:
        style = look.base + look.styles.of(own.ink) + _attributes(own)
        style += look.code if own.code else _NO_STYLE
        for start, end, match in _split(spans, at, at + len(text)):
            over = _NO_STYLE if match < 0 else look.current if match == current else look.match
            segments.append(Segment(text[start - at : end - at], style + over))
        at += len(text)
    return Strip(segments)


def overlay(component: Style, *, with_colour: bool = False) -> Style:
    """What a component lays over text: its ground and its emphasis, and its colour only where that is asked for."""
    ground, colour = (None, None) if component.reverse else (component.bgcolor, component.color)
    return Style(
        color=colour if with_colour else None,
        bgcolor=ground,
        bold=component.bold,
        underline=component.underline,
        reverse=component.reverse,
    )


_NO_STYLE = Style.null()


@lru_cache(maxsize=256)
def _attributes(look: Look) -> Style:
    """What of a look is no colour."""
    return Style(
        bold=look.bold or None,
        italic=look.italic or None,
        strike=look.strike or None,
        underline=look.underline or None,
    )


def _split(spans: Sequence[Span], start: int, end: int) -> Sequence[tuple[int, int, int]]:
    """A stretch of a line cut where matches begin and end: first and last character, and which match or -1."""
    parts: list[tuple[int, int, int]] = []
    at = start
    for span in spans:
        first, last = max(span.start, at), min(span.end, end)
        if first < last:
            if at < first:
                parts.append((at, first, -1))
            parts.append((first, last, span.match))
            at = last
    if at < end:
        parts.append((at, end, -1))
    return parts
