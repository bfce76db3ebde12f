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

_STACK_OFFSET = 4
"""Pixels between the two rectangles of a series."""

_BASELINE = 4.5
"""Pixels from the middle of a line of text to its baseline."""

_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

_COLOURS = {
    "ground": ("#ffffff", "#0d1117"),
    "text": ("#1f2328", "#e6edf3"),
    "faint": ("#656d76", "#8d96a0"),
    "box": ("#f6f8fa", "#161b22"),
    "group": ("#eaeef2", "#21262d"),
    "line": ("#8c959f", "#6e7681"),
}
"""Colours by part, for light and for dark mode."""

_ROOT_ATTRIBUTES = (
    f'role="img" xml:space="preserve" font-family="{_FONT}" font-size="13" text-anchor="middle" stroke="none"'
)

_GROUP_KINDS = frozenset({"scope", "series", "function"})

_DARK = """<style>@media (prefers-color-scheme: dark) {{
.ground {{ fill: {ground} }}
text {{ fill: {text} }}
.more, .label {{ fill: {faint} }}
.box {{ fill: {box}; stroke: {line} }}
.scope, .series, .function {{ fill: {group} }}
.opened {{ fill: none }}
.line {{ stroke: {line} }}
.head {{ fill: {line} }}
}}</style>""".format_map({part: dark for part, (_, dark) in _COLOURS.items()})
"""The only style sheet: many readers of SVG ignore style sheets, or support only parts of them."""

_LIGHT = {part: light for part, (light, _) in _COLOURS.items()}

_ARROW_MARKER = (
    '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"'
    f' markerUnits="userSpaceOnUse" orient="auto"><path class="head"'
    f' fill="{_LIGHT["line"]}" d="M0 0L8 4L0 8z"/></marker>'
)


def encode_svg(layout: PlacedDiagram, *, title: str = "", fills: Mapping[int, str] | None = None) -> str:
    """Return a complete, self-contained document, light or dark by the preference of the viewer.

    Args:
        layout: The placed diagram.
        title: Title for screen readers and tooltips.
        fills: Colours of items: `#ffcc00`, or `#ffcc0080` for a transparent one.
    """
    width, height = layout.width * WIDTH + 2 * MARGIN, layout.height * HEIGHT + 2 * MARGIN
    view_box = f'viewBox="{-MARGIN} {-MARGIN} {width} {height}" width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {view_box} {_ROOT_ATTRIBUTES}>',
        f"<title>{_escape(title)}</title>" if title else "",
        _DARK,
        _ARROW_MARKER,
        _choose_ground(-MARGIN, -MARGIN, width, height),
    ]
    for box in layout.boxes:
        lines += _encode_box(box, (fills or {}).get(box.item))
    lines += [_build_route_element(layout, route) for route in layout.routes]
    for route in layout.routes:
        lines += _label_elements(route)
    for index, box in enumerate(layout.boxes):
        if box.is_open:
            lines += _iter_title_elements(box, layout.border_columns.get(index, []))
    return "\n".join([*filter(None, lines), "</svg>", ""])


def _escape(text: str) -> str:
    """Return a text as content of an element."""
    return escape(_replace_forbidden(text))


def _replace_forbidden(text: str) -> str:
    """Replace characters that XML forbids by a middle dot."""
    return "".join(char if _is_allowed(ord(char)) else "·" for char in text)


def _is_allowed(code: int) -> bool:
    """Return True for characters that XML allows (XML 1.0, 2.2)."""
    return code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code >= 0x10000


def _find_centre(cell: Point) -> tuple[float, float]:
    return cell[0] * WIDTH + WIDTH / 2, cell[1] * HEIGHT + HEIGHT / 2


def _choose_ground(x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="ground" fill="{_LIGHT["ground"]}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


def _encode_text(text: str, x: float, middle: float, css_class: str = "", attributes: str = "") -> str:
    """Return a line of text, positioned by its baseline, which every viewer supports."""
    colour = _LIGHT["faint" if css_class in ("more", "label") else "text"]
    class_attribute = f' class="{css_class}"' if css_class else ""
    y = middle + _BASELINE
    return f'<text{class_attribute} fill="{colour}"{attributes} x="{x:g}" y="{y:g}">{_escape(text)}</text>'


def _encode_box(box: PlacedBox, fill: str | None) -> Iterator[str]:
    (left, top), (right, bottom) = _find_centre((box.left, box.top)), _find_centre((box.right, box.bottom))
    if not box.is_framed:
        left, top, right, bottom = left - WIDTH / 2, top - HEIGHT / 2, right + WIDTH / 2, bottom + HEIGHT / 2
    names = ["box", box.kind, *(["opened"] if box.is_open else []), *(["aside"] if box.is_aside else [])]
    css_class = quoteattr(_replace_forbidden(" ".join(names)))
    attributes = f'class={css_class} stroke="{_LIGHT["line"]}" {_fill_attributes(box, fill)}'
    if box.is_aside:
        attributes += ' stroke-dasharray="1 3"'
    size = f'width="{right - left:g}" height="{bottom - top:g}" rx="{_ROUND}"'
    if box.kind == "series" and not box.is_open:
        yield f'<rect {attributes} x="{left + _STACK_OFFSET:g}" y="{top + _STACK_OFFSET:g}" {size}/>'
    yield f'<rect {attributes} x="{left:g}" y="{top:g}" {size}/>'
    if box.is_open:
        return
    first = (top + bottom) / 2 - (len(box.lines) - 1) * HEIGHT / 2
    for index, line in enumerate(box.lines):
        yield _encode_text(line, (left + right) / 2, first + index * HEIGHT, "more" if index else "")


def _fill_attributes(box: PlacedBox, fill: str | None) -> str:
    """Return the fill of a box; a given colour is used in dark mode too."""
    if not fill:
        return f'fill="{"none" if box.is_open else _LIGHT["group" if box.kind in _GROUP_KINDS else "box"]}"'
    colour, opacity = _replace_forbidden(fill), ""
    if len(colour) == len("#rrggbbaa"):
        opacity = f' fill-opacity="{int(colour[7:], 16) / 255:.2g}"'
        colour = colour[:7]
    return f"fill={quoteattr(colour)} style={quoteattr('fill:' + colour)}{opacity}"


def _iter_title_elements(box: PlacedBox, border_columns: list[int]) -> Iterator[str]:
    """Yield the title of an open box, in its upper border between the routes that enter."""
    columns = (box.left, *border_columns, box.right)
    title_width = len(box.lines[0]) + 4 if box.lines else 0
    start = next((left for left, right in pairwise(columns) if right - left >= title_width), box.left)
    x, y = _find_centre((start + 2, box.top))
    for line in box.lines[:1]:
        yield _choose_ground(x - WIDTH, y - 2, (len(line) + 2) * WIDTH, 4)
        yield _encode_text(line, x, y, "title", ' text-anchor="start" font-weight="600"')


def _build_route_element(layout: PlacedDiagram, route: Route) -> str:
    points = [_find_centre(point) for point in route.points]
    for end, index in ((0, route.source), (-1, route.target)):
        if index != OUTSIDE and not layout.boxes[index].is_framed:
            points[end] = _extend_to_edge(points[end], points[1 if end == 0 else -2])
    commands = [f"M{points[0][0]:g} {points[0][1]:g}"]
    for before, (x, y), after in zip(points, points[1:], points[2:], strict=False):
        (curve_x, curve_y), (end_x, end_y) = _find_rounding_end((x, y), before), _find_rounding_end((x, y), after)
        commands.append(f"L{curve_x:g} {curve_y:g}Q{x:g} {y:g} {end_x:g} {end_y:g}")
    commands.append(f"L{points[-1][0]:g} {points[-1][1]:g}")
    name, dashes = ("line control", ' stroke-dasharray="4 3"') if route.is_control else ("line", "")
    arrow = "" if route.is_outlet else ' marker-end="url(#head)"'
    stroke_width = 1 + min(math.log10(max(route.weight, 1)), 6) / 3
    attributes = f'fill="none" stroke="{_LIGHT["line"]}" stroke-width="{stroke_width:.3g}"{dashes}'
    return f'<path class="{name}" {attributes} d="{"".join(commands)}"{arrow}/>'


def _find_rounding_end(corner: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return the end of the rounding of a corner, in the direction of the point before or after it."""
    across, along = other[0] - corner[0], other[1] - corner[1]
    length = abs(across) + abs(along)
    share = min(_ROUND, length / 2) / length if length else 0
    return corner[0] + across * share, corner[1] + along * share


def _extend_to_edge(end: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return the end of a route, moved from the middle of its cell to the edge of a box without a frame."""
    if other[0] == end[0]:
        return end[0], end[1] + math.copysign(HEIGHT / 2, other[1] - end[1])
    return end[0] + math.copysign(WIDTH / 2, other[0] - end[0]), end[1]


def _label_elements(route: Route) -> Iterator[str]:
    """Yield a label on a background that hides the lines below it."""
    if route.label_cell is None:
        return
    x, y = _find_centre(route.label_cell)
    left = x - WIDTH / 2
    yield _choose_ground(left - 1, y - _BASELINE - 2, len(route.label) * WIDTH + 2, 2 * _BASELINE + 4)
    yield _encode_text(route.label, left, y, "label", ' text-anchor="start"')
