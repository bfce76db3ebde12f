"""Convert cells to shapes: areas of colour, dots joined to lines, frames, signs and text."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.canvas import BRAILLE
from tbtui.charts.cells import BLANK, join_glyphs
from tbtui.charts.colours import mix
from tbtui.charts.glyphs import BRAILLE_BITS
from tbtui.charts.text import cell_width, safe
from tbtui.export.drawing.shapes import CELL_HEIGHT, CELL_WIDTH, MIDDLE_X, MIDDLE_Y, Boxes, Fill, Stroke, TextLine
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.ink_colours import InkStyle, InkTheme
    from tbtui.export.drawing.shapes import Floats, Shape

    Flags: TypeAlias = npt.NDArray[np.bool_]


class Segment(NamedTuple):
    """A horizontal or vertical line, in units."""

    position: float
    """y of a horizontal line, x of a vertical one."""

    start: float
    end: float


THIN_WIDTH, HEAVY_WIDTH = 1.0, 2.0
"""Widths of the lines of frames."""

CORNER_RADIUS = 4.0
"""Radius of a round corner."""

LEFT, RIGHT, UP, DOWN = (0.0, MIDDLE_Y), (float(CELL_WIDTH), MIDDLE_Y), (MIDDLE_X, 0.0), (MIDDLE_X, float(CELL_HEIGHT))
CENTRE = (MIDDLE_X, MIDDLE_Y)

_ARMS = {
    "─": (LEFT, RIGHT), "━": (LEFT, RIGHT), "│": (UP, DOWN), "┃": (UP, DOWN), "┌": (DOWN, RIGHT), "┐": (DOWN, LEFT),
    "└": (UP, RIGHT), "┘": (UP, LEFT), "├": (UP, DOWN, RIGHT), "┤": (UP, DOWN, LEFT), "┬": (LEFT, RIGHT, DOWN),
    "┴": (LEFT, RIGHT, UP), "┼": (LEFT, RIGHT, UP, DOWN), "╴": (LEFT,), "╶": (RIGHT,), "╵": (UP,), "╷": (DOWN,),
}  # fmt: skip
_HEAVY = frozenset("━┃")
_CORNERS = {"╭": (DOWN, RIGHT), "╮": (DOWN, LEFT), "╰": (UP, RIGHT), "╯": (UP, LEFT)}
_DASH_COUNTS = {"╌": 2, "┄": 3, "┈": 4, "╎": 2, "┆": 3, "┊": 4}
"""Number of dashes in a cell, by glyph."""

_VERTICAL_DASHES = frozenset("╎┆┊")
"""Glyphs of vertical dashes."""

BLOCKS: dict[str, tuple[float, float, float, float]] = {
    "▀": (0, 0, 1, 1 / 2),
    "▐": (1 / 2, 0, 1, 1),
    "▔": (0, 0, 1, 1 / 8),
    "▕": (7 / 8, 0, 1, 1),
    **{chr(0x2580 + eighths): (0, 1 - eighths / 8, 1, 1) for eighths in range(1, 9)},
    **{chr(0x2590 - eighths): (0, 0, eighths / 8, 1) for eighths in range(1, 8)},
}
"""Left, top, right and bottom of each block element as parts of the cell (Unicode 15, Block Elements)."""

DENSITIES = {"░": 0.25, "▒": 0.5, "▓": 0.75}
"""Covered share of the cell, by shading glyph."""


@frozen
class FrameLines:
    """Straight lines in a cell of a frame, each from one point to another; they continue in neighbouring cells."""

    lines: tuple[tuple[tuple[float, float], tuple[float, float]], ...]
    width: float = THIN_WIDTH


@lru_cache(maxsize=256)
def find_frame_lines(glyph: str) -> FrameLines | None:
    """Return the straight lines of a frame glyph; None for other glyphs."""
    if glyph in _ARMS:
        return FrameLines(tuple((CENTRE, end) for end in _ARMS[glyph]), HEAVY_WIDTH if glyph in _HEAVY else THIN_WIDTH)
    if glyph in _CORNERS:
        return FrameLines(tuple((_find_corner_end(end), end) for end in _CORNERS[glyph]))
    if glyph in _DASH_COUNTS:
        return FrameLines(tuple(_iter_dashes(_DASH_COUNTS[glyph], upright=glyph in _VERTICAL_DASHES)))
    return None


def _find_corner_end(end: tuple[float, float]) -> tuple[float, float]:
    """Return the point at which the line to `end` leaves a round corner."""
    across, down = end[0] - MIDDLE_X, end[1] - MIDDLE_Y
    length = abs(across) + abs(down)
    fraction = min(CORNER_RADIUS, length) / length
    return MIDDLE_X + across * fraction, MIDDLE_Y + down * fraction


def _iter_dashes(count: int, *, upright: bool) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    length = (CELL_HEIGHT if upright else CELL_WIDTH) / count
    for nth in range(count):
        start, end = (nth + 0.25) * length, (nth + 0.75) * length
        yield ((MIDDLE_X, start), (MIDDLE_X, end)) if upright else ((start, MIDDLE_Y), (end, MIDDLE_Y))


def _build_arc(centre: tuple[float, float], radius: float, first: float, last: float, count: int) -> Floats:
    """Return points on an arc; angles are in degrees, clockwise from the right."""
    angles = np.radians(np.linspace(first, last, count))
    return np.stack((centre[0] + radius * np.cos(angles), centre[1] + radius * np.sin(angles)), axis=1)


def _build_star() -> Floats:
    outer, inner = _build_arc((4, 9), 4.6, -90, 198, 5), _build_arc((4, 9), 1.9, -54, 234, 5)
    return np.stack((outer, inner), axis=1).reshape(-1, 2)


def _build_corner_curve(glyph: str) -> Floats:
    """Return the quarter of a circle between both ends of a round corner."""
    start, end = (_find_corner_end(side) for side in _CORNERS[glyph])
    fractions = np.linspace(0, 1, 9)[:, None]
    return (1 - fractions) ** 2 * start + 2 * fractions * (1 - fractions) * CENTRE + fractions**2 * end


_GAP = (math.nan, math.nan)

_RESTART_ARC = _build_arc((4, 9), 3.3, -10, 285, 19)
_RESTART_ARROWHEAD = np.array([(2.6, 3.3), (5.4, 6.0), (2.3, 8.0)])
"""Arrowhead at the end of the circle; it points clockwise."""

_FILL_SIGNS: dict[str, Floats] = {
    "▲": np.array([(4, 5), (7.8, 12), (0.2, 12)]),
    "▼": np.array([(4, 13), (7.8, 6), (0.2, 6)]),
    "▴": np.array([(4, 6.5), (6.8, 11.5), (1.2, 11.5)]),
    "▾": np.array([(4, 11.5), (6.8, 6.5), (1.2, 6.5)]),
    "◆": np.array([(4, 5), (7.6, 9), (4, 13), (0.4, 9)]),
    "■": np.array([(1, 6), (7, 6), (7, 12), (1, 12)]),
    "★": _build_star(),
}
_STROKE_SIGNS: dict[str, tuple[Floats, float]] = {
    "●": (np.array([(4, 9)]), 6.6),
    "○": (_build_arc((4, 9), 2.9, 0, 360, 25), 1.1),
    "◇": (np.array([(4, 5.4), (7.2, 9), (4, 12.6), (0.8, 9), (4, 5.4)]), 1.1),
    "□": (np.array([(1.4, 6.4), (6.6, 6.4), (6.6, 11.6), (1.4, 11.6), (1.4, 6.4)]), 1.1),
    "△": (np.array([(4, 5.6), (7.4, 12), (0.6, 12), (4, 5.6)]), 1.1),
    "✗": (np.array([(1.2, 6.2), (6.8, 11.8), _GAP, (6.8, 6.2), (1.2, 11.8)]), 1.8),
    "↻": (np.concatenate((_RESTART_ARC, [_GAP], _RESTART_ARROWHEAD)), 1.3),
    **{glyph: (_build_corner_curve(glyph), THIN_WIDTH) for glyph in _CORNERS},
}

SIGNS = frozenset((*_FILL_SIGNS, *_STROKE_SIGNS))
"""Glyphs that `draw_sign` draws. Of a round corner it draws the curve; `find_frame_lines` returns
the straight lines."""


def draw_sign(glyph: str, left: float, top: float, colour: str, size: float = 1.0) -> Stroke | Fill:
    """Return a glyph of `SIGNS` in the cell at `left`, `top`, scaled about the middle of the cell."""
    middle = np.array((CELL_WIDTH, CELL_HEIGHT)) / 2
    centre = np.array((left, top)) + middle
    if glyph in _FILL_SIGNS:
        return Fill((_FILL_SIGNS[glyph] - middle) * size + centre, colour)
    points, width = _STROKE_SIGNS[glyph]
    return Stroke((points - middle) * size + centre, colour, width * size)


DOT_LINE_WIDTH = 2.4
"""Width of the lines through dots."""

RIGHT_HALF = 0
"""Glyph after a wide glyph; like `BLANK` it has no drawing."""

_LAST_CODE_POINT = 0x10FFFF


def draw_cells(cells: Cells, colours: InkTheme, left: float = 0, top: float = 0) -> list[Shape]:
    """Return all shapes of cells from back to front: backgrounds, blocks, frames, dots, signs, text.

    Args:
        cells: Any cells.
        colours: Colours of the inks.
        left: Left side of the first cell, in units.
        top: Upper side of the first cell, in units.
    """
    if not cells.height or not cells.width:
        return []
    styles = _CellStyles(cells, colours)
    return [
        *_draw_areas(cells, styles, left, top),
        *_draw_frames(cells, styles, left, top),
        *_draw_dots(cells, styles, left, top),
        *_draw_signs(cells, styles, left, top),
        *_draw_texts(cells, styles, left, top),
    ]


class _CellStyles:
    """Style of each cell, as an index into the list of all styles in a picture."""

    def __init__(self, cells: Cells, colours: InkTheme) -> None:
        inks = cells.inks.astype(np.int64)
        style_keys = inks if cells.colours is None else np.where(cells.colours != 0, cells.colours, inks)
        distinct_keys, indices = np.unique(style_keys, return_inverse=True)
        self.index: npt.NDArray[np.intp] = indices.reshape(style_keys.shape)
        max_ink = 1 << 15  # every ink is smaller, every pair of colours is larger
        self.styles = [colours.of(0, kind) if kind > max_ink else colours.of(kind) for kind in distinct_keys.tolist()]

    def style(self, row: int, column: int) -> InkStyle:
        """Return the style of a cell."""
        return self.styles[int(self.index[row, column])]


def _draw_areas(cells: Cells, styles: _CellStyles, left: float, top: float) -> Iterator[Boxes]:
    """Yield backgrounds, and blocks on top of them; adjacent cells of one colour become one rectangle."""
    backgrounds: defaultdict[str, list[Flags]] = defaultdict(list)
    for index, style in enumerate(styles.styles):
        if style.ground is not None:
            backgrounds[style.ground].append(styles.index == index)
    for colour, is_covered in backgrounds.items():
        yield Boxes(_cover_cells(np.logical_or.reduce(is_covered), (0, 0, 1, 1), left, top), colour)
    blocks = (cells.glyphs >= 0x2580) & (cells.glyphs < 0x25A0)
    if not bool(blocks.any()):
        return
    pairs = np.unique(np.stack((cells.glyphs[blocks].astype(np.int64), styles.index[blocks])), axis=1)
    blocks_by_colour: defaultdict[str, list[Floats]] = defaultdict(list)
    for code, index in pairs.T.tolist():
        glyph, style = chr(code), styles.styles[index]
        is_covered = blocks & (cells.glyphs == code) & (styles.index == index)
        if glyph in DENSITIES:
            colour = mix(style.colour, style.ground or "#ffffff", DENSITIES[glyph])
            blocks_by_colour[colour].append(_cover_cells(is_covered, (0, 0, 1, 1), left, top))
        elif glyph in BLOCKS:
            blocks_by_colour[style.colour].append(_cover_cells(is_covered, BLOCKS[glyph], left, top))
    for colour, boxes in blocks_by_colour.items():
        yield Boxes(np.concatenate(boxes), colour)


def _cover_cells(is_covered: Flags, box: tuple[float, float, float, float], left: float, top: float) -> Floats:
    """Return rectangles over a part of some cells; adjacent cells share one if the part has the full width."""
    x, y, right, bottom = box[0] * CELL_WIDTH, box[1] * CELL_HEIGHT, box[2] * CELL_WIDTH, box[3] * CELL_HEIGHT
    if right - x < CELL_WIDTH:
        rows, columns = np.nonzero(is_covered)
        lengths: Floats = np.zeros(len(rows))
    else:
        rows, columns, ends = _find_spans(is_covered)
        lengths = np.asarray((ends - columns - 1) * CELL_WIDTH, np.float64)
    tops = top + rows * CELL_HEIGHT + y
    return np.stack(
        (left + columns * CELL_WIDTH + x, tops, lengths + right - x, np.full(len(rows), bottom - y)), axis=1
    )


def _find_spans(is_covered: Flags) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return row, first column and the column after the last of each span of covered cells."""
    edges = np.diff(np.pad(is_covered, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    return rows, starts, np.nonzero(edges == -1)[1]


def _draw_frames(cells: Cells, styles: _CellStyles, left: float, top: float) -> Iterator[Stroke]:
    """Yield the straight lines of frames and axes; lines that meet end to end are joined."""
    across: defaultdict[tuple[str, float], list[Segment]] = defaultdict(list)
    down: defaultdict[tuple[str, float], list[Segment]] = defaultdict(list)
    for row, column in np.argwhere((cells.glyphs >= 0x2500) & (cells.glyphs < 0x2580)).tolist():
        arms = find_frame_lines(chr(cells.glyphs[row, column]))
        if arms is None:
            continue
        key = styles.style(row, column).colour, arms.width
        x, y = left + column * CELL_WIDTH, top + row * CELL_HEIGHT
        for (x0, y0), (x1, y1) in arms.lines:
            if y0 == y1:
                across[key].append(Segment(y + y0, x + min(x0, x1), x + max(x0, x1)))
            else:
                down[key].append(Segment(x + x0, y + min(y0, y1), y + max(y0, y1)))
    for (colour, width), lines in across.items():
        yield Stroke(_build_stroke(((start, y), (end, y)) for y, start, end in _join_segments(lines)), colour, width)
    for (colour, width), lines in down.items():
        yield Stroke(_build_stroke(((x, start), (x, end)) for x, start, end in _join_segments(lines)), colour, width)


def _join_segments(segments: list[Segment]) -> Iterator[Segment]:
    """Yield segments; touching ones at one position are joined."""
    segments.sort()
    position, start, end = segments[0]
    for next_position, next_start, next_end in segments[1:]:
        if next_position == position and next_start <= end:
            end = max(end, next_end)
        else:
            yield Segment(position, start, end)
            position, start, end = next_position, next_start, next_end
    yield Segment(position, start, end)


def _build_stroke(ends: Iterable[tuple[tuple[float, float], tuple[float, float]]]) -> Floats:
    """Return the points of a stroke of separate straight lines."""
    points = [point for start, end in ends for point in (start, end, (np.nan, np.nan))]
    return np.array(points[:-1], np.float64)


def _draw_dots(cells: Cells, styles: _CellStyles, left: float, top: float) -> Iterator[Stroke]:
    """Yield the dots of each colour; neighbours are joined."""
    lit = (cells.glyphs > BRAILLE) & (cells.glyphs < BRAILLE + 256)
    for index in np.unique(styles.index[lit]).tolist():
        bits = np.where(lit & (styles.index == index), cells.glyphs - BRAILLE, 0).astype(np.uint8)
        dots = np.zeros((DOTS_DOWN * cells.height, DOTS_ACROSS * cells.width), np.bool_)
        for row, row_bits in enumerate(BRAILLE_BITS):
            for column, bit in enumerate(row_bits):
                dots[row::DOTS_DOWN, column::DOTS_ACROSS] = bits & bit
        points = join_dots(dots) + 0.5
        points *= (CELL_WIDTH / DOTS_ACROSS, CELL_HEIGHT / DOTS_DOWN)
        yield Stroke(points + np.array((left, top)), styles.styles[index].colour, DOT_LINE_WIDTH)


def join_dots(dots: Flags) -> Floats:
    """Return dots as lines: vertical, horizontal or diagonal ones, and lines of one point.

    Args:
        dots: bool[rows, columns].

    Returns:
        float64[n, 2], column and row of each point as in `Stroke`.
    """
    columns, tops, column_ends = _find_spans(dots.T)
    rows, starts, row_ends = _find_spans(dots)
    long_down, long_across = column_ends - tops > 1, row_ends - starts > 1
    is_joined = np.zeros_like(dots)
    for spans, turned in (
        ((columns, tops, column_ends, long_down), True),
        ((rows, starts, row_ends, long_across), False),
    ):
        positions, first, last, is_long = spans
        for position, start, end in zip(
            positions[is_long].tolist(), first[is_long].tolist(), last[is_long].tolist(), strict=True
        ):
            is_joined[(slice(start, end), position) if turned else (position, slice(start, end))] = True
    down = np.stack((columns, tops, columns, column_ends - 1), axis=1)[long_down]
    across = np.stack((starts, rows, row_ends - 1, rows), axis=1)[long_across]
    # A diagonal only if the dots are not connected around the corner.
    falling = dots[:-1, :-1] & dots[1:, 1:] & ~dots[1:, :-1] & ~dots[:-1, 1:]
    rising = dots[1:, :-1] & dots[:-1, 1:] & ~dots[:-1, :-1] & ~dots[1:, 1:]
    y, x = np.nonzero(falling)
    v, u = np.nonzero(rising)
    is_joined[y, x] = is_joined[y + 1, x + 1] = is_joined[v + 1, u] = is_joined[v, u + 1] = True
    diagonals = np.concatenate((np.stack((x, y, x + 1, y + 1), axis=1), np.stack((u, v + 1, u + 1, v), axis=1)))
    lines = np.concatenate((down, across, diagonals)).astype(np.float64)
    line_points = np.full((len(lines), 3, 2), np.nan)
    line_points[:, :2] = lines.reshape(-1, 2, 2)
    y, x = np.nonzero(dots & ~is_joined)
    lone_points = np.full((len(x), 2, 2), np.nan)
    lone_points[:, 0] = np.stack((x, y), axis=1)
    return np.asarray(np.concatenate((line_points.reshape(-1, 2), lone_points.reshape(-1, 2)))[:-1], np.float64)


def _draw_signs(cells: Cells, styles: _CellStyles, left: float, top: float) -> Iterator[Shape]:
    """Yield signs; those with one glyph and style are one shape."""
    codes = np.array(sorted(map(ord, SIGNS)), np.uint32)
    signs: defaultdict[tuple[str, int], list[Stroke | Fill]] = defaultdict(list)
    for row, column in np.argwhere(np.isin(cells.glyphs, codes)).tolist():
        glyph, index = chr(cells.glyphs[row, column]), int(styles.index[row, column])
        x, y = left + column * CELL_WIDTH, top + row * CELL_HEIGHT
        signs[glyph, index].append(draw_sign(glyph, x, y, styles.styles[index].colour))
    yield from (_merge_shapes(shapes) for shapes in signs.values())


def _merge_shapes(shapes: list[Stroke | Fill]) -> Shape:
    """Merge strokes, or fills, that differ only in their points."""
    gap = np.full((1, 2), np.nan)
    points = np.concatenate([chunk for shape in shapes for chunk in (shape.points, gap)][:-1])
    return replace(shapes[0], points=points)


def _draw_texts(cells: Cells, styles: _CellStyles, left: float, top: float) -> Iterator[TextLine]:
    """Yield all remaining text; words of one style with one blank between them stay together."""
    is_text = _is_text(cells.glyphs)
    for row in np.flatnonzero(is_text.any(axis=1)).tolist():
        glyphs, style_of_column = cells.glyphs[row], styles.index[row]
        columns = np.flatnonzero(is_text[row])
        is_separate = np.diff(columns) > 1
        # A blank, or the right half of a wide glyph, is not an end.
        bridged = np.diff(columns) == 2
        glyphs_between = glyphs[columns[:-1] + 1]
        ends = (
            is_separate
            & ~(bridged & ((glyphs_between == RIGHT_HALF) | (glyphs_between == BLANK)))
            & ~_is_wide_then_blank(glyphs, columns)
        )
        ends |= style_of_column[columns[1:]] != style_of_column[columns[:-1]]
        for text_columns in np.split(columns, np.flatnonzero(ends) + 1):
            first, last = int(text_columns[0]), int(text_columns[-1])
            text = safe(join_glyphs(glyphs[first : last + 1]))
            if text:
                style = styles.styles[int(style_of_column[first])]
                x, y = left + first * CELL_WIDTH, top + row * CELL_HEIGHT
                yield TextLine(x, y, cell_width(text), text, style.colour, style.bold)


def _is_wide_then_blank(glyphs: npt.NDArray[np.uint32], columns: npt.NDArray[np.intp]) -> Flags:
    """Return a flag per pair of neighbouring `columns`: True if the first is wide and one blank follows it."""
    third = np.minimum(columns[:-1] + 2, len(glyphs) - 1)
    wide = (np.diff(columns) == 3) & (glyphs[np.minimum(columns[:-1] + 1, len(glyphs) - 1)] == RIGHT_HALF)
    return np.asarray(wide & (glyphs[third] == BLANK))


def _is_text(glyphs: npt.NDArray[np.uint32]) -> Flags:
    kinds, indices = np.unique(glyphs, return_inverse=True)
    is_text = np.array([_is_drawn_as_text(code) for code in kinds.tolist()], np.bool_)
    return np.asarray(is_text[indices.reshape(glyphs.shape)])


def _is_drawn_as_text(code: int) -> bool:
    if code in (BLANK, RIGHT_HALF) or code > _LAST_CODE_POINT:
        return False
    glyph = chr(code)
    is_dots = BRAILLE <= code < BRAILLE + 256
    return not (
        is_dots or glyph in SIGNS or glyph in BLOCKS or glyph in DENSITIES or find_frame_lines(glyph) is not None
    )
