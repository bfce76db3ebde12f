"""Print meshes: a picture of each, in dots or in colours, and its figures; for `tbtui inspect`, one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import BLANK, Ink
from tbtui.charts.mesh_camera import MeshCamera
from tbtui.charts.mesh_raster import MeshStyle
from tbtui.charts.mesh_shading import GREY
from tbtui.charts.numbers import format_count
from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads, format_too_large
from tbtui.plugins.mesh.cards import ShownMeshCards
from tbtui.plugins.mesh.data import prepare
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.drawing import render_mesh
from tbtui.plugins.mesh.figures import measure_mesh
from tbtui.plugins.mesh.labels import NO_POINTS, format_config, format_defects, format_figures, note_lines
from tbtui.plugins.mesh.read import read_mesh
from tbtui.plugins.mesh.series import PLUGIN_NAME, find_mesh
from tbtui.plugins.mesh.settings import COLOURS, MODE
from tbtui.report.blocks import Heading, Notes, Picture
from tbtui.report.options import print_tags, select_points
from tbtui.view.image_renderer import ImageRenderer, RenderTarget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.charts.cells import Cells
    from tbtui.charts.mesh_raster import MeshMode
    from tbtui.plugins.mesh.read import Mesh
    from tbtui.report.blocks import Block
    from tbtui.report.options import ChosenPoint, PrintOptions
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View

MAX_INSPECTED_BYTES = 16 << 20
"""Size of the newest value that `inspect` reads of a mesh."""

MAX_RUNS = 4
MAX_SAMPLES = 3
"""Default maximum of runs for each mesh, and of samples for each run."""

MARGIN_COLUMNS = 2
COLUMNS_PER_ROW = 3
"""Columns of a picture for each of its rows, at most."""


def build_mesh_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield the meshes of each matching name and run."""
    listed = ShownMeshCards()
    samples = listed.of(view).samples.values()
    names = tuple(dict.fromkeys(sample.name for sample in samples))
    tags = {(sample.run, sample.name): sample.tag for sample in samples}

    def points_of(name: str) -> list[ChosenPoint]:
        return [
            point
            for (run, known), tag in tags.items()
            if known == name
            for point in select_points(view, tag, PLUGIN_NAME, options)
            if point.run.name == run
        ]

    def blocks_of(chosen: ChosenPoint, _options: PrintOptions) -> Iterator[Block]:
        return _run_blocks(view, listed, chosen, options)

    yield from print_tags(names, points_of, options, MAX_RUNS, blocks_of)


def describe_newest(run: RunSnapshot, series: Series) -> str:
    """Return `2 × 128 vertices · 224 faces · colours; 3 degenerate faces`, or the reason why it cannot be read."""
    mesh = find_mesh(run, series.tag)
    if mesh is None or not len(mesh.main):
        return ""
    point = len(mesh.main) - 1
    length = int(mesh.main.lengths[point])
    if length > MAX_INSPECTED_BYTES:
        return format_too_large(length)
    try:
        step, wall_time = int(mesh.main.steps[point]), float(mesh.main.wall_times[point])
        newest = read_mesh(Payloads(), run, mesh, step, wall_time)
    except MeshError as error:
        return str(error)
    prefix = f"{newest.samples:,} × " if newest.samples > 1 else ""
    return "; ".join((prefix + newest.counts.text, *prepare(key="", mesh=newest).warnings))


def _run_blocks(view: View, listed: ShownMeshCards, chosen: ChosenPoint, options: PrintOptions) -> Iterator[Block]:
    mesh = next(each for each in listed.meshes(chosen.run).values() if chosen.series.tag in each.tags)
    yield Heading(mesh.name, chosen.note_of_all)
    sample, samples, shown = 0, 1, 1
    while sample < shown:
        try:
            wall_time = float(chosen.series.wall_times[chosen.point])
            logged = read_mesh(options.cache.payloads, chosen.run, mesh, chosen.step, wall_time, sample)
        except MeshError as error:
            yield Notes((safe(str(error)),), Ink.WARN)
            return
        samples, shown = logged.samples, options.runs(logged.samples, MAX_SAMPLES)
        if samples > 1:
            yield Notes((f"sample {sample + 1} of {samples:,}",))
        yield from _sample_blocks(view, logged, options)
        sample += 1
    if shown < samples:
        yield Notes((f"{format_count(samples - shown, 'more sample')} of this step (--max-runs 0: all)",))


def _sample_blocks(view: View, mesh: Mesh, options: PrintOptions) -> Iterator[Block]:
    figures = measure_mesh(mesh)
    if figures.low is None:
        yield Notes((NO_POINTS,), Ink.WARN)
    else:
        yield Picture(_draw_picture(view, mesh, options))
    yield Notes(tuple(map(safe, (*format_figures(figures), *format_config(mesh)))))
    if warnings := tuple(map(safe, (*format_defects(figures), *note_lines(mesh)))):
        yield Notes(warnings, Ink.WARN)


def _draw_picture(view: View, mesh: Mesh, options: PrintOptions) -> Cells:
    """Return the mesh as half blocks on a target with colours, otherwise as dots; blank columns are left out."""
    target, prepared = options.target, prepare(key="", mesh=mesh)
    colour_depth = "none" if not target.is_coloured else "256" if target.depth == "16" else target.depth
    mode: MeshMode = MODE.value(view.settings)  # type: ignore[assignment]
    config = mesh.config
    style = MeshStyle(
        "wireframe" if config.is_wireframe and mode == "shaded" else mode, config.colour or GREY, config.lights
    )
    model = prepared.model if COLOURS.value(view.settings) != "none" else prepared.model.with_colours(None)
    columns = min(target.width, COLUMNS_PER_ROW * options.height)
    picture = render_mesh(
        model,
        prepared.camera or MeshCamera(),
        columns,
        options.height,
        style,
        RenderTarget(colour_depth, target.dark),
        ImageRenderer(),
        "",
    )
    return _trim(picture.cells)


def _trim(cells: Cells) -> Cells:
    """Return a picture without its blank rows and columns."""
    is_drawn = cells.glyphs != BLANK
    rows, columns = np.flatnonzero(is_drawn.any(axis=1)), np.flatnonzero(is_drawn.any(axis=0))
    if not len(rows):
        return cells.crop(slice(1), slice(1))
    return cells.crop(slice(rows[0], rows[-1] + 1), slice(max(columns[0] - MARGIN_COLUMNS, 0), columns[-1] + 1))
