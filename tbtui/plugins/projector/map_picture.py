"""Draw the map of a scene: dots or density, faint where others are highlighted, with markers and labels on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.point_cloud import (
    Marker,
    PointLabel,
    draw_density,
    draw_dots,
    draw_segments,
    is_crowded,
    place_labels,
    project,
    put_markers,
)
from tbtui.charts.text import fit, safe
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from tbtui.charts.point_cloud import Projection
    from tbtui.plugins.projector.scene import Comparison, Scene


CURSOR, CENTRE, SELECTED, CORNER = "◉", "◎", "●", "┼"

MAX_LABEL_CELLS = 24
MAX_NEIGHBOUR_LABELS = 20
MAX_LABELLED = 400
"""Number of visible points up to which all are candidates for labels: zooming in shows more labels."""

MAX_CANDIDATES = 4000
MAX_CLASS_LABELS = 24
MAX_MOVES = 60
"""Points whose moves are drawn while none are highlighted; lines of all points would hide the map."""

NEXT_COLUMNS = ("__next__", "__seq_next__")
"""Columns with the number of the point that follows, joined by lines (TensorBoard `vz_projector/data.ts`)."""


@frozen(eq=False)
class MapPicture:
    """The drawn map, with the projection that mouse and keys need."""

    cells: Cells
    projection: Projection
    is_density: bool
    texts: npt.NDArray[np.bool_]
    """Cells of labels and markers, bool[rows, columns]."""


def draw_map(scene: Scene, columns: int, rows: int, *, has_labels: bool = True) -> MapPicture:
    """Return the map of a scene in some cells."""
    session = scene.session
    projection = project(scene.state.positions, scene.frame, session.camera, columns * DOTS_ACROSS, rows * DOTS_DOWN)
    visible = scene.visible
    is_dense = session.density == "on" or (
        session.density == "auto" and session.colour is None and is_crowded(projection, visible)
    )
    highlighted = find_highlighted(scene)
    stands_out = bool(highlighted.any())
    cells = Cells.blank(rows, columns)
    dots = np.zeros((rows, columns), np.bool_)
    for positions, begins, ends, ink in map_lines(scene):
        is_present = positions is scene.state.positions
        line_projection = projection if is_present else _project(scene, positions, columns, rows)
        lines = draw_segments(line_projection, begins, ends)
        lines.inks[:] = ink
        _draw_overlay(cells, lines)
    if is_dense:
        points, has_points = draw_density(projection, visible)
    else:
        points, has_points = draw_dots(projection, visible, scene.colours, is_faint=stands_out)
    _draw_overlay(cells, points)
    dots |= has_points
    if stands_out:
        points, has_points = draw_dots(projection, highlighted, None if is_dense else scene.colours, is_large=True)
        _draw_overlay(cells, points)
        dots |= has_points
    occupied = np.zeros((rows, columns), np.bool_)
    put_markers(cells, occupied, _iter_markers(scene, projection))
    if has_labels:
        place_labels(cells, dots, occupied, list(_iter_labels(scene, projection, dense=is_dense)))
    return MapPicture(cells, projection, is_dense, occupied)


def _draw_overlay(cells: Cells, upper: Cells) -> None:
    is_filled = upper.glyphs != ord(" ")
    cells.glyphs[is_filled], cells.inks[is_filled] = upper.glyphs[is_filled], upper.inks[is_filled]


def _project(scene: Scene, positions: npt.NDArray[np.float32], columns: int, rows: int) -> Projection:
    return project(positions, scene.frame, scene.session.camera, columns * DOTS_ACROSS, rows * DOTS_DOWN)


def find_highlighted(scene: Scene) -> npt.NDArray[np.bool_]:
    """Return True for each drawn point that stands out, bool[n]."""
    is_highlighted = np.zeros(scene.points.count, np.bool_)
    is_highlighted[scene.highlighted] = True
    return np.asarray(is_highlighted & scene.visible)


class MapLines(NamedTuple):
    """Lines of one ink below the points."""

    positions: npt.NDArray[np.float32]
    begins: npt.NDArray[np.intp]
    """Row of the start of each line in `positions`."""

    ends: npt.NDArray[np.intp]
    ink: int


def map_lines(scene: Scene) -> Iterator[MapLines]:
    """Yield the lines of sequences of points, and of moves from other steps."""
    for begins, ends in _iter_sequences(scene):
        yield MapLines(scene.state.positions, begins, ends, int(Ink.FAINT))
    if scene.comparison is not None and not scene.session.is_beside:
        yield _find_moves(scene, scene.comparison)


def _iter_sequences(scene: Scene) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Yield the rows of lines to the point that follows, if the metadata have such a column."""
    for name in NEXT_COLUMNS:
        column = scene.points.metadata.column(name)
        numbers = None if column is None else column.numbers
        if numbers is None:
            continue
        begins = np.flatnonzero(np.isfinite(numbers) & (numbers >= 0) & (numbers < scene.points.count))
        ends = numbers[begins].astype(np.intp)
        is_visible = scene.visible[begins] & scene.visible[ends]
        yield begins[is_visible], ends[is_visible]


def _find_moves(scene: Scene, comparison: Comparison) -> MapLines:
    """Return lines from the positions in the compared version, or through all steps.

    They are those of highlighted points if there are any, in a colour that stands out, else of those that moved most.
    """
    highlighted = find_highlighted(scene)
    stands_out = bool(highlighted.any())
    stops = comparison.paths or (comparison.positions, scene.state.positions)
    count = scene.points.count
    rows = np.flatnonzero((highlighted if stands_out else scene.visible) & ~np.isnan(stops[0][:, 0]))
    if not stands_out and len(rows) > MAX_MOVES:
        order = np.argsort(-np.nan_to_num(comparison.distances[rows], nan=-1), kind="stable")
        rows = rows[order[:MAX_MOVES]]
    parts = [(rows + stop * count, rows + (stop + 1) * count) for stop in range(len(stops) - 1)]
    begins, ends = (np.concatenate(column) for column in zip(*parts, strict=True))
    return MapLines(np.concatenate(stops), begins, ends, int(Ink.ACCENT if stands_out else Ink.DIM))


def _iter_markers(scene: Scene, projection: Projection) -> Iterator[Marker]:
    session = scene.session

    def marker(point: int, glyph: str, ink: int) -> Marker:
        is_drawn = point < scene.points.count and bool(scene.visible[point])
        x = float(projection.x[point]) if is_drawn else np.nan
        return Marker(x, float(projection.y[point]) if is_drawn else np.nan, glyph, ink)

    for point in session.selected:
        yield marker(point, SELECTED, Ink.ACCENT)
    if session.corner is not None:
        yield marker(session.corner, CORNER, Ink.ACCENT)
    if session.centre is not None:
        yield marker(session.centre, CENTRE, Ink.ACCENT)
    if session.cursor is not None:
        yield marker(session.cursor, CURSOR, Ink.ACCENT)


def _iter_labels(scene: Scene, projection: Projection, *, dense: bool) -> Iterator[PointLabel]:
    """Yield labels in the order of their priority."""
    session, inside = scene.session, projection.inside & scene.visible

    def labels_of(points: Iterable[int], ink: int, *, covers: bool) -> Iterator[PointLabel]:
        for point in points:
            if inside[point] and point not in named:
                text = fit(scene.label(point), MAX_LABEL_CELLS) if has_distinct_labels else str(point)
                yield PointLabel(point, float(projection.x[point]), float(projection.y[point]), text, ink, covers)

    named: set[int] = set()
    has_distinct_labels = _has_distinct_labels(scene)
    special = [point for point in (session.cursor, session.centre) if point is not None]
    first = dict.fromkeys([*special, *sorted(session.selected)])
    yield from labels_of(first, Ink.BOLD, covers=True)
    named |= set(first)
    if session.centre is not None:
        neighbours = () if scene.neighbours is None else scene.neighbours.indices[:MAX_NEIGHBOUR_LABELS].tolist()
        yield from labels_of(neighbours, Ink.TEXT, covers=True)
    elif session.query:
        yield from labels_of(scene.matches[:MAX_CANDIDATES], Ink.TEXT, covers=True)
    else:
        yield from _iter_class_labels(scene, projection, inside)
        rest = np.flatnonzero(inside)
        if not dense and len(rest) <= MAX_LABELLED and has_distinct_labels:
            yield from labels_of(rest.tolist(), Ink.DIM, covers=False)


def _has_distinct_labels(scene: Scene) -> bool:
    """Return True if labels differ from the categories that colours show."""
    metadata, name = scene.points.metadata, scene.session.label
    column = metadata.label if name is None else metadata.column(name)
    return column is not None and column.name != scene.session.colour


def _iter_class_labels(scene: Scene, projection: Projection, inside: npt.NDArray[np.bool_]) -> Iterator[PointLabel]:
    """Yield the name of each category at the middle of its visible points."""
    column, colours = scene.colour_column, scene.colours
    if column is None or colours is None or colours.is_gradient:
        return
    for code, name in enumerate(column.categories[:MAX_CLASS_LABELS]):
        members = np.flatnonzero(inside & (column.codes == code))
        if len(members):
            x, y = (float(np.median(coordinates[members])) for coordinates in (projection.x, projection.y))
            yield PointLabel(
                None, x, y, fit(safe(name), MAX_LABEL_CELLS), colours.inks[code], covers=True, is_centred=True
            )
