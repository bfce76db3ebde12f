"""Print embeddings: a map with a letter or colour per category, the legend, and the agreement of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import format_count, format_step
from tbtui.charts.point_cloud import Camera, project
from tbtui.charts.text import fit, safe
from tbtui.plugins.projector.files.tensor_file import TensorFileError
from tbtui.plugins.projector.layouts import choose_default, run_layout
from tbtui.plugins.projector.map_picture import draw_map
from tbtui.plugins.projector.point_lists import format_agreement
from tbtui.plugins.projector.points import find_point, read_points
from tbtui.plugins.projector.scene import Scene, choose_category_ink, choose_default_colour, mark_category
from tbtui.plugins.projector.session import MapSession
from tbtui.plugins.projector.settings import POINT
from tbtui.plugins.projector.sources import Catalogs
from tbtui.plugins.projector.strings import list_notes
from tbtui.report.blocks import Column, Heading, InkText, Notes, Picture, Table, number_pieces
from tbtui.report.charts import is_drawn_in_letters
from tbtui.report.options import note_left_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.charts.ink_colours import InkTheme
    from tbtui.export.drawing.shapes import Drawing
    from tbtui.plugins.projector.files.metadata import Column as MetadataColumn
    from tbtui.plugins.projector.sources import EmbeddingSource
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View

MAX_ROWS = 24
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
OTHER = "·"
MAX_MIXED = 5
MAX_NEAREST = 10
MAX_COLUMNS = 4


def print_embeddings(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield a map for each embedding of the view, at the step of the options."""
    listed = Catalogs().list_sources(view.runs, view.tag_matches)
    limit = options.tags(len(listed.sources))
    point = POINT.value(view.settings)
    for source in listed.sources[:limit]:
        yield from _print_source(source, view, options, point)
    if note := note_left_out([source.embedding.name for source in listed.sources], limit, "tag", options.target.width):
        yield Notes((note,), has_blank_line=True)
    problems = [f"{safe(run)}: {problem}" for run, problem in listed.problems]
    if problems:
        yield Notes(tuple(problems), Ink.WARN)
    if listed.offered:
        noun = format_count(listed.offered, "checkpoint")
        yield Notes((f"{noun} without a configuration: the key A in the tab lists their variables",))


def _print_source(source: EmbeddingSource, view: View, options: PrintOptions, name: str) -> Iterator[Block]:
    version = source.find_version(options.step)
    version_step = source.embedding.versions[version].step
    title = f"{source.run}  {source.embedding.title}" + (
        f" · step {format_step(version_step)}" if version_step is not None else ""
    )
    try:
        scene = build_first_scene(source, version, view.inks.get(source.run, 0), view.distinct_colours)
    except TensorFileError as error:
        yield Heading(title)
        yield Notes((safe(str(error)),), Ink.WARN)
        return
    points, state = scene.points, scene.state
    shape = f"{format_count(points.count, 'point')}, {format_count(points.dimensions, 'dimension')}"
    shares = f"{sum(state.shares):.1%} of variance" if state.shares else ""
    axes = ", ".join(name for name in state.names if name)
    yield Heading(title, " · ".join(filter(None, (shape, axes, shares))))
    has_letters = is_drawn_in_letters(options, 2)
    yield Picture(_draw_picture(scene, options, has_letters=has_letters))
    yield from _print_legend(scene, has_letters=has_letters)
    if name:
        yield from _print_nearest(scene, name, options)
    if scene_notes := list_notes(scene):
        yield Notes(tuple(safe(note) for note in scene_notes), Ink.WARN)
    if version != len(source.embedding.versions) - 1 or len(source.embedding.versions) > 1:
        steps = ", ".join(format_step(number) for number in source.embedding.steps[:20])
        yield Notes((f"steps: {steps}",))


def _print_nearest(scene: Scene, name: str, options: PrintOptions) -> Iterator[Block]:
    """Yield the nearest points of a named point with their distances."""
    points = scene.points
    point = find_point(points, name)
    if point is None:
        yield Notes((f"no point is {safe(name)}",), Ink.WARN)
        return
    count = options.max_runs or MAX_NEAREST
    nearest, distances = points.index.find_nearest(point, count, "cosine")
    if not len(nearest):
        yield Notes((f"point {point} has no nearest by cosine: its vector is zero or not finite",), Ink.WARN)
        return
    euclidean_distances = np.linalg.norm(points.values[nearest].astype(np.float64) - points.values[point], axis=1)
    columns = points.metadata.columns[:MAX_COLUMNS]
    names = [Column(safe(column.name), "left", priority) for priority, column in enumerate(columns, 1)]
    headings = (Column("nearest", "left"), Column("point"), Column("cosine"), Column("Euclidean"), *names)
    rows = []
    cells = zip(number_pieces(distances.tolist()), number_pieces(euclidean_distances.tolist()), strict=True)
    for index, (cosine, euclidean) in zip(nearest.tolist(), cells, strict=True):
        label = InkText(fit(scene.label(index), 40))
        texts = (InkText(fit(column.texts[index], 24)) for column in columns)
        rows.append((label, InkText(f"{index}"), cosine, euclidean, *texts))
    yield Notes((f"nearest of {scene.label(point)} (point {point})",))
    yield Table(headings, tuple(rows))


def build_first_scene(source: EmbeddingSource, version: int, ink: int, distinct_colours: int) -> Scene:
    """Return the scene that the tab shows first, with the agreement of labels.

    Raises:
        TensorFileError: The points cannot be read.
    """
    from tbtui.plugins.projector.agreement import find_agreement

    *_, points = read_points(source.embedding.versions[version])
    choice, colour = choose_default(points), choose_default_colour(points)
    *_, state = run_layout(points, choice)
    column = None if colour is None else points.metadata.column(colour)
    session = MapSession(layout=choice, colour=colour, density="off")
    agreement = None if column is None else find_agreement(points, column)
    return Scene(source, version, points, state, session, ink, agreement=agreement, distinct_colours=distinct_colours)


def draw_figure(view: View, colours: InkTheme, ground: str | None, columns: int | None, rows: int | None) -> Drawing:
    """Return the map of the first embedding of a view at the step of its cursor.

    Raises:
        NothingToDrawError: There is no embedding, or it cannot be read.
    """
    from tbtui.plugins.picture import NothingToDrawError
    from tbtui.plugins.projector.map_drawing import COLUMNS, ROWS, draw_scene

    sources = Catalogs().list_sources(view.runs, view.tag_matches).sources
    if not sources:
        raise NothingToDrawError
    cursor = view.settings.cursor
    version = sources[0].find_version(None if cursor is None else int(cursor))
    try:
        scene = build_first_scene(sources[0], version, view.inks.get(sources[0].run, 0), view.distinct_colours)
    except TensorFileError as error:
        raise NothingToDrawError(str(error)) from error
    return draw_scene(scene, colours, ground=ground, columns=columns or COLUMNS, rows=rows or ROWS)


def _draw_picture(scene: Scene, options: PrintOptions, *, has_letters: bool) -> Cells:
    width, rows = options.target.width, options.height or MAX_ROWS
    if has_letters and scene.colour_column is not None:
        return _draw_letters(scene, scene.colour_column, width, rows)
    cells = draw_map(scene, width, rows, has_labels=False).cells
    if not options.target.has_dots:
        cells.glyphs[cells.glyphs != ord(" ")] = ord("*")
    return cells


def _draw_letters(scene: Scene, column: MetadataColumn, width: int, rows: int) -> Cells:
    """Draw the map with a letter for each category, legible without colours."""
    cells = Cells.blank(rows, width)
    projection = project(scene.state.positions, scene.frame, Camera(), width * DOTS_ACROSS, rows * DOTS_DOWN)
    points = np.flatnonzero(projection.inside & scene.visible)
    cell_indices = (projection.y[points].astype(int) // DOTS_DOWN) * width + projection.x[points].astype(
        int
    ) // DOTS_ACROSS
    codes = column.codes[points]
    classes = len(column.categories) + 1
    counts = np.bincount(
        cell_indices * classes + np.where(codes < 0, classes - 1, codes), minlength=rows * width * classes
    )
    table = counts.reshape(rows * width, classes)
    winners, is_filled = table.argmax(axis=1).reshape(rows, width), (table.sum(axis=1) > 0).reshape(rows, width)
    glyphs = np.array([ord(_choose_letter(code)) for code in range(classes - 1)] + [ord(OTHER)], np.uint32)
    inks = np.array([choose_category_ink(scene, code) for code in range(classes - 1)] + [int(Ink.DIM)], np.int16)
    cells.glyphs[is_filled], cells.inks[is_filled] = glyphs[winners[is_filled]], inks[winners[is_filled]]
    return cells


def _choose_letter(code: int) -> str:
    return LETTERS[code] if code < len(LETTERS) else OTHER


def _print_legend(scene: Scene, *, has_letters: bool) -> Iterator[Block]:
    column = scene.colour_column
    if column is None:
        return
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.categories))
    purity = scene.agreement.label_purity() if scene.agreement is not None else None
    rows = []
    for code, category in enumerate(column.categories):
        sign = _choose_letter(code) if has_letters else mark_category(scene, code)[0].rstrip()
        share = "" if purity is None or np.isnan(purity[code]) else f"{purity[code]:.1%}"
        rows.append(
            (
                InkText(sign, choose_category_ink(scene, code)),
                InkText(fit(category, 40)),
                InkText(f"{counts[code]:,}"),
                InkText(share),
            )
        )
    headings = (Column("", "left"), Column(safe(column.name), "left"), Column("points"), Column("neighbours alike"))
    yield Table(headings, tuple(rows), name_column=1)
    if text := format_agreement(scene):
        lines = [text]
        if scene.agreement is not None:
            for label, other, mixed_share in scene.agreement.list_confusions()[:MAX_MIXED]:
                first, second = safe(column.categories[label]), safe(column.categories[other])
                lines.append(f"{mixed_share:.1%} of the neighbours of {first} are {second}")
        yield Notes(tuple(lines))
