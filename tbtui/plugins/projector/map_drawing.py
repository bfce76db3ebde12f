"""The map as a drawing for SVG and PNG files: round points, lines, labels, a title, and the legend below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import HEAT_LEVELS, Cells, Ink, to_heat_inks
from tbtui.charts.colours import mix
from tbtui.charts.point_cloud import project
from tbtui.charts.text import cell_width, fit, iter_glyph_spans
from tbtui.export.drawing.shapes import CELL_HEIGHT, CELL_WIDTH, Boxes, Drawing, Stroke, TextLine
from tbtui.export.drawing.sheet import MARGIN, MAX_CELLS, LegendEntry, PictureSizeError, draw_sheet
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.files.metadata import to_natural_key
from tbtui.plugins.projector.map_picture import draw_map, find_highlighted, map_lines
from tbtui.plugins.projector.point_lists import format_agreement
from tbtui.plugins.projector.scene import MIN_LEVEL, choose_category_ink

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.charts.ink_colours import InkTheme
    from tbtui.charts.point_cloud import Projection
    from tbtui.export.drawing.shapes import Shape
    from tbtui.plugins.projector.scene import Scene

COLUMNS, ROWS = 100, 36
"""Cells of a picture without a given size."""

MIN_COLUMNS, MIN_ROWS = 24, 7
HEAD_ROWS = 2
COVERED_SHARE = 0.04
"""Share of the picture that all points together cover, which decides their size."""

MIN_DIAMETER, MAX_DIAMETER = 1.2, 7.0
FAR_OPACITY, FAINT_OPACITY = 0.35, 0.3
DEPTH_BANDS = 4


def draw_scene(
    scene: Scene, colours: InkTheme, *, ground: str | None, columns: int = COLUMNS, rows: int = ROWS
) -> Drawing:
    """Return the map of a scene with its title and legend.

    Args:
        scene: The scene.
        colours: Colours of inks.
        ground: Background colour; None: transparent.
        columns: Columns of the picture, of 8 units.
        rows: Rows of the map with its title, of 18 units.

    Raises:
        PictureSizeError: The picture would be too large.
    """
    columns, rows = max(columns, MIN_COLUMNS), max(rows, MIN_ROWS)
    if columns * rows > MAX_CELLS:
        raise PictureSizeError(
            f"{columns:,} columns x {rows:,} rows are too many: at most {MAX_CELLS:,} cells are drawn"
        )
    height = rows - HEAD_ROWS
    picture = draw_map(scene, columns, height)
    legend = [LegendEntry(name, ink, None) for name, ink in _list_categories(scene)]
    caption = _format_caption(scene)
    sheet = draw_sheet(
        [], legend or [LegendEntry("points", int(Ink.TEXT), None)], columns, rows, colours, background=ground,
        caption=caption, title=_title(scene),
    )  # fmt: skip
    shapes: list[Shape] = [*_draw_head(scene, columns, colours)]
    shapes += _draw_lines(scene, picture.cells, colours)
    shapes += _draw_points(scene, picture.projection, colours)
    for row, column, text, ink in iter_glyph_spans(picture.cells, picture.texts):
        left, top = MARGIN + column * CELL_WIDTH, MARGIN + (row + HEAD_ROWS) * CELL_HEIGHT
        if ground is not None:
            box = (left - 1, top + 2, cell_width(text) * CELL_WIDTH + 2, CELL_HEIGHT - 4)
            shapes.append(Boxes(np.array([box], np.float64), ground))
        shapes.append(_draw_text(left, top, text, ink, colours))
    return Drawing(sheet.width, sheet.height, (*shapes, *sheet.shapes), ground, sheet.title)


def _title(scene: Scene) -> str:
    return "".join(text for text, _ in strings.format_source(scene.source, scene.version, scene.run_ink, 200))


def _draw_head(scene: Scene, columns: int, colours: InkTheme) -> Iterator[Shape]:
    """Yield the title, and the scale of a gradient below it."""
    left = float(MARGIN)
    for text, ink in strings.format_title(scene, columns):
        if text.strip():
            yield _draw_text(left, MARGIN, text, ink, colours)
        left += cell_width(text) * CELL_WIDTH
    column, point_colours = scene.colour_column, scene.colours
    if column is None or point_colours is None or not point_colours.is_gradient or column.numbers is None:
        return
    left = float(MARGIN)
    for text, ink in strings.format_legend(scene, columns):
        width = cell_width(text) * CELL_WIDTH
        if text == "█":
            box = np.array([(left, MARGIN + CELL_HEIGHT + 3, width, CELL_HEIGHT - 6)], np.float64)
            yield Boxes(box, colours.of(ink).colour)
        elif text.strip():
            yield _draw_text(left, MARGIN + CELL_HEIGHT, text, ink, colours)
        left += width


def _draw_text(left: float, top: float, text: str, ink: int, colours: InkTheme) -> TextLine:
    style = colours.of(ink)
    return TextLine(left, top, cell_width(text), text, style.colour, style.bold)


def _list_categories(scene: Scene) -> list[tuple[str, int]]:
    """Return names and inks of the legend; none without categories."""
    column, point_colours = scene.colour_column, scene.colours
    if column is None or point_colours is None or point_colours.is_gradient:
        return []
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.categories))
    order = sorted(range(len(column.categories)), key=lambda code: to_natural_key(column.categories[code]))
    return [
        (f"{fit(column.categories[code], 24)} {counts[code]:,}", choose_category_ink(scene, code)) for code in order
    ]


def _format_caption(scene: Scene) -> str:
    column = scene.session.colour
    texts = [f"colours by {column}" if column is not None else "", format_agreement(scene), *strings.list_notes(scene)]
    return " · ".join(filter(None, texts))


def _to_units(projection: Projection, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the centres of points in units of the drawing, float64[n, 2]."""
    x = MARGIN + (projection.x[rows].astype(np.float64) + 0.5) * (CELL_WIDTH / DOTS_ACROSS)
    y = MARGIN + HEAD_ROWS * CELL_HEIGHT + (projection.y[rows].astype(np.float64) + 0.5) * (CELL_HEIGHT / DOTS_DOWN)
    return np.stack([x, y], axis=1)


def _separate_lines(lines: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return lines, float64[n, k, 2], as points with a row of NaN between two lines."""
    gaps = np.full((len(lines), 1, 2), np.nan)
    return np.concatenate([lines, gaps], axis=1).reshape(-1, 2)[:-1]


def _draw_lines(scene: Scene, cells: Cells, colours: InkTheme) -> Iterator[Stroke]:
    """Yield lines to points that follow, and paths from other steps."""
    width, height = cells.width * DOTS_ACROSS, cells.height * DOTS_DOWN
    for positions, begins, ends, ink in map_lines(scene):
        projection = project(positions, scene.frame, scene.session.camera, width, height)
        is_drawn = projection.inside[begins] & projection.inside[ends]
        line_ends = [_to_units(projection, rows[is_drawn]) for rows in (begins, ends)]
        if bool(is_drawn.any()):
            yield Stroke(_separate_lines(np.stack(line_ends, axis=1)), colours.of(ink).colour, 0.8)


def _draw_points(scene: Scene, projection: Projection, colours: InkTheme) -> Iterator[Stroke]:
    """Yield the points of each colour; far ones first, highlighted ones last."""
    points = np.flatnonzero(projection.inside & scene.visible)
    if not len(points):
        return
    area = projection.width / DOTS_ACROSS * CELL_WIDTH * projection.height / DOTS_DOWN * CELL_HEIGHT
    diameter = float(np.clip(2 * np.sqrt(COVERED_SHARE * area / len(points) / np.pi), MIN_DIAMETER, MAX_DIAMETER))
    inks = _choose_inks(scene)[points]
    bands = np.full(len(points), DEPTH_BANDS - 1)
    if projection.depth is not None:
        bands = np.clip(projection.depth[points] * DEPTH_BANDS, 0, DEPTH_BANDS - 1).astype(np.intp)
    is_highlighted = find_highlighted(scene)[points]
    stands_out = bool(is_highlighted.any())
    positions, background = _to_units(projection, points), colours.theme_colours.background
    for highlighted in (False, True):
        for band in range(DEPTH_BANDS):
            opacity = 1.0 if band == DEPTH_BANDS - 1 else FAR_OPACITY + (1 - FAR_OPACITY) * band / (DEPTH_BANDS - 1)
            opacity *= FAINT_OPACITY if stands_out and not highlighted else 1.0
            members = (bands == band) & (is_highlighted == highlighted)
            for ink in np.unique(inks[members]).tolist():
                rows = positions[members & (inks == ink)]
                colour = mix(colours.of(ink).colour, background, opacity)
                yield Stroke(_separate_lines(rows[:, None]), colour, diameter * (1.4 if highlighted else 1.0))


def _choose_inks(scene: Scene) -> npt.NDArray[np.int64]:
    """Return the ink of each point, int64[n]."""
    point_colours = scene.colours
    if point_colours is None:
        return np.full(scene.points.count, int(Ink.TEXT))
    if point_colours.is_gradient:
        table = [int(to_heat_inks(level, 0)) for level in range(max(HEAT_LEVELS, MIN_LEVEL + 1))]
    else:
        table = list(point_colours.inks)
    return np.array([*table, int(Ink.DIM)])[point_colours.codes]  # -1, no value, is the last
