"""Write a diagram with coordinates as an SVG document."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from tbtui.plugins.graphs.diagram import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tbtui.plugins.graphs.diagram import PlacedBox, PlacedDiagram, Point, Route

WIDTH, HEIGHT = 8, 18
"""Pixels of a cell."""

MARGIN = 12
"""Pixels around the picture."""

_ROUND = 5
"""Pixels of the radius of a corner."""

_BEHIND = 4
"""Pixels between a series and the box behind it."""

_DOWN = 4.5
"""Pixels from the middle of a line of text to its baseline."""

_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

_COLOURS = {
    "ground": ("#ffffff", "#0d1117"),
    "text": ("#1f2328", "#e6edf3"),
    "faint": ("#656d76", "#8d96a0"),
    "box": ("#f6f8fa", "#161b22"),
    "held": ("#eaeef2", "#21262d"),
    "line": ("#8c959f", "#6e7681"),
}
"""Colours by part, for light and for dark mode."""

_WHOLE = f'role="img" xml:space="preserve" font-family="{_FONT}" font-size="13" text-anchor="middle" stroke="none"'

_HOLDS = frozenset({"scope", "series", "function"})

_DARK = """<style>@media (prefers-color-scheme: dark) {{
.ground {{ fill: {ground} }}
text {{ fill: {text} }}
.more, .label {{ fill: {faint} }}
.box {{ fill: {box}; stroke: {line} }}
.scope, .series, .function {{ fill: {held} }}
.opened {{ fill: none }}
.line {{ stroke: {line} }}
.head {{ fill: {line} }}
}}</style>""".format_map({what: dark for what, (_, dark) in _COLOURS.items()})
"""The only style sheet: many readers of SVG ignore style sheets, or support only parts of them."""

_LIGHT = {what: light for what, (light, _) in _COLOURS.items()}

_HEAD = (
    '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"'
    f' markerUnits="userSpaceOnUse" orient="auto"><path class="head"'
    f' fill="{_LIGHT["line"]}" d="M0 0L8 4L0 8z"/></marker>'
)


def svg(layout: PlacedDiagram, *, title: str = "", fills: Mapping[int, str] | None = None) -> str:
    """Return a complete, self-contained document; light or dark as the reader prefers.

    Args:
        layout: The placed diagram.
        title: Title for screen readers and tooltips.
        fills: Colours of items: `#ffcc00`, or `#ffcc0080` for a transparent one.
    """
    width, height = layout.width * WIDTH + 2 * MARGIN, layout.height * HEIGHT + 2 * MARGIN
    box = f'viewBox="{-MARGIN} {-MARGIN} {width} {height}" width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} {_WHOLE}>',
        f"<title>{_text(title)}</title>" if title else "",
        _DARK,
        _HEAD,
        _ground(-MARGIN, -MARGIN, width, height),
    ]
    for place in layout.places:
        lines += _box(place, (fills or {}).get(place.item))
    lines += [_line(layout, route) for route in layout.routes]
    for route in layout.routes:
        lines += _label(route)
    for index, place in enumerate(layout.places):
        if place.opened:
            lines += _title(place, layout.border_columns.get(index, []))
    return "\n".join([*filter(None, lines), "</svg>", ""])


def _text(text: str) -> str:
    """Return any text as content of an element."""
    return escape(_plain(text))


def _plain(text: str) -> str:
    """Replace characters that XML forbids by a middle dot."""
    return "".join(char if _allowed(ord(char)) else "·" for char in text)


def _allowed(code: int) -> bool:
    """Return True for characters that XML allows (XML 1.0, 2.2)."""
    return code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code >= 0x10000


def _centre(cell: Point) -> tuple[float, float]:
    return cell[0] * WIDTH + WIDTH / 2, cell[1] * HEIGHT + HEIGHT / 2


def _ground(x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="ground" fill="{_LIGHT["ground"]}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


def _words(text: str, x: float, middle: float, what: str = "", more: str = "") -> str:
    """Return a line of text, positioned by its baseline, which every reader supports."""
    colour = _LIGHT["faint" if what in ("more", "label") else "text"]
    named = f' class="{what}"' if what else ""
    return f'<text{named} fill="{colour}"{more} x="{x:g}" y="{middle + _DOWN:g}">{_text(text)}</text>'


def _box(place: PlacedBox, fill: str | None) -> Iterator[str]:
    (x, y), (u, v) = _centre((place.left, place.top)), _centre((place.right, place.bottom))
    if not place.framed:
        x, y, u, v = x - WIDTH / 2, y - HEIGHT / 2, u + WIDTH / 2, v + HEIGHT / 2
    names = ["box", place.kind, *(["opened"] if place.opened else []), *(["aside"] if place.aside else [])]
    attributes = f'class={quoteattr(_plain(" ".join(names)))} stroke="{_LIGHT["line"]}" {_filled(place, fill)}'
    if place.aside:
        attributes += ' stroke-dasharray="1 3"'
    size = f'width="{u - x:g}" height="{v - y:g}" rx="{_ROUND}"'
    if place.kind == "series" and not place.opened:
        yield f'<rect {attributes} x="{x + _BEHIND:g}" y="{y + _BEHIND:g}" {size}/>'
    yield f'<rect {attributes} x="{x:g}" y="{y:g}" {size}/>'
    if place.opened:
        return
    first = (y + v) / 2 - (len(place.lines) - 1) * HEIGHT / 2
    for index, line in enumerate(place.lines):
        across, along = (x + u) / 2, first + index * HEIGHT
        yield _words(line, across, along, "more" if index else "")


def _filled(place: PlacedBox, fill: str | None) -> str:
    """Return the fill of a box; a given colour is used in dark mode too."""
    if not fill:
        return f'fill="{"none" if place.opened else _LIGHT["held" if place.kind in _HOLDS else "box"]}"'
    colour, opacity = _plain(fill), ""
    if len(colour) == len("#rrggbbaa"):
        opacity = f' fill-opacity="{int(colour[7:], 16) / 255:.2g}"'
        colour = colour[:7]
    return f"fill={quoteattr(colour)} style={quoteattr('fill:' + colour)}{opacity}"


def _title(place: PlacedBox, border_columns: list[int]) -> Iterator[str]:
    """Yield the title of an open box, in its upper border beside the routes that enter."""
    columns = (place.left, *border_columns, place.right)
    title_width = len(place.lines[0]) + 4 if place.lines else 0
    begin = next((one for one, other in pairwise(columns) if other - one >= title_width), place.left)
    x, y = _centre((begin + 2, place.top))
    for line in place.lines[:1]:
        yield _ground(x - WIDTH, y - 2, (len(line) + 2) * WIDTH, 4)
        yield _words(line, x, y, "title", ' text-anchor="start" font-weight="600"')


def _line(layout: PlacedDiagram, route: Route) -> str:
    points = [_centre(point) for point in route.points]
    for end, index in ((0, route.source), (-1, route.target)):
        if index != OUTSIDE and not layout.places[index].framed:
            points[end] = _to_edge(points[end], points[1 if end == 0 else -2])
    way = [f"M{points[0][0]:g} {points[0][1]:g}"]
    for before, (x, y), after in zip(points, points[1:], points[2:], strict=False):
        (a, b), (c, d) = _towards((x, y), before), _towards((x, y), after)
        way.append(f"L{a:g} {b:g}Q{x:g} {y:g} {c:g} {d:g}")
    way.append(f"L{points[-1][0]:g} {points[-1][1]:g}")
    name, dashes = ("line control", ' stroke-dasharray="4 3"') if route.control else ("line", "")
    head = "" if route.passes else ' marker-end="url(#head)"'
    thick = 1 + min(math.log10(max(route.weight, 1)), 6) / 3
    attributes = f'fill="none" stroke="{_LIGHT["line"]}" stroke-width="{thick:.3g}"{dashes}'
    return f'<path class="{name}" {attributes} d="{"".join(way)}"{head}/>'


def _towards(corner: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return the point where the rounding of a corner begins, towards the point before or after it."""
    across, along = other[0] - corner[0], other[1] - corner[1]
    length = abs(across) + abs(along)
    part = min(_ROUND, length / 2) / length if length else 0
    return corner[0] + across * part, corner[1] + along * part


def _to_edge(end: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return the end of a route at the edge of a box without a frame, which takes whole cells."""
    if other[0] == end[0]:
        return end[0], end[1] + math.copysign(HEIGHT / 2, other[1] - end[1])
    return end[0] + math.copysign(WIDTH / 2, other[0] - end[0]), end[1]


def _label(route: Route) -> Iterator[str]:
    """Yield a label on a background that hides the lines behind it."""
    if route.label_at is None:
        return
    x, y = _centre(route.label_at)
    left = x - WIDTH / 2
    yield _ground(left - 1, y - _DOWN - 2, len(route.label) * WIDTH + 2, 2 * _DOWN + 4)
    yield _words(route.label, left, y, "label", ' text-anchor="start"')
