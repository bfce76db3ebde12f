"""Draw the meshes of one view: thumbnails in the grid, and one mesh in full size, alone or compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.axis import Axis
from tbtui.charts.card import SEPARATOR, body_size, draw_card, error_card, placeholder_card, stack_cells, title_line
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.colours import marker
from tbtui.charts.mesh_camera import MeshCamera
from tbtui.charts.mesh_raster import GREY, MeshStyle
from tbtui.charts.text import cell_width, fit, safe, visible_name, write
from tbtui.frozen import frozen
from tbtui.plugins.images.detail import error_cells
from tbtui.plugins.mesh.data import moved_colours
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.display import COLOURS, COMPARISON, MODE, STEPS
from tbtui.plugins.mesh.drawing import has_dots, rendered_mesh, way_text
from tbtui.plugins.mesh.labels import (
    NO_MESH,
    NO_POINTS,
    NOTHING_TO_SHOW,
    camera_text,
    movement_text,
    size_text,
    warning_text,
)
from tbtui.plugins.mesh.transitions import shown_at
from tbtui.plugins.shown_steps import NoValueError, step_bar, step_table, step_text
from tbtui.terminal_images.encode import Area
from tbtui.view.image_renderer import NO_CELLS
from tbtui.view.painted_cards import OpenedCard, PaintedCard
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.charts.mesh_raster import MeshMode
    from tbtui.plugins.mesh.cameras import Cameras
    from tbtui.plugins.mesh.cards import MeshCards, MeshSample
    from tbtui.plugins.mesh.data import MeshData, PreparedMesh
    from tbtui.plugins.mesh.moved import Movement
    from tbtui.plugins.shown_steps import ShownStep
    from tbtui.settings.settings import Settings
    from tbtui.terminal_images.encode import ImagePlacement
    from tbtui.view.image_renderer import ImageRenderer, RenderTarget
    from tbtui.view.view import View

MIN_TABLE_HEIGHT = 20
"""From this many rows on a table is shown below an opened mesh."""

TABLE_HEIGHT_DIVISOR = 5
"""The table takes at most the height of the pane divided by this number."""

MIN_FIGURES_HEIGHT = 8
"""From this many rows on a line of figures is shown."""

MIN_WARNING_COLUMNS = 24
"""Columns that the defects keep before the size of the box is dropped."""

CAPTION_EDGES = 7
"""Columns of a card's bottom line that are neither run nor step."""

MIN_RUN_WIDTH = 6
RUN_WIDTH_DIVISOR = 3
"""The name of a run takes at most the width of the line above an opened mesh divided by this number."""

MESH_ERRORS = MeshError, NoValueError
"""Errors of one mesh; their message is shown in its place."""

_AXIS = Axis(0.0, 1.0)
_NO_PLOT = PlotArea(0, 0, 1, 0, _AXIS, _AXIS)
"""No cell of a card belongs to a step: the mouse points at none, but keys move through the steps."""


@frozen(eq=False)
class OpenedMesh(OpenedCard):
    """A mesh in full size, with what its keys and the mouse need to know."""

    camera: MeshCamera = MeshCamera()
    logged: MeshCamera | None = None
    """Camera of the log."""

    area: Area = Area(0, 0, 0, 0)
    """Cells of `picture` with the mesh that is orbited."""

    insets: tuple[ImagePlacement, ...] = ()
    """Meshes in pixels among the cells of `picture`."""


@frozen(eq=False)
class _Half:
    """One drawn mesh and what is said of it."""

    cells: Cells
    insets: tuple[ImagePlacement, ...] = ()
    prepared: PreparedMesh | None = None
    movement: str = ""


class MeshPainter:
    """Draw the meshes of one view as cells; implements `CardPainter` and `OpenPainter`.

    Args:
        data: Reads and prepares meshes.
        renderer: Encodes pixels.
        view: The view to draw.
        cards: Cards of the view.
        target: Capabilities of the terminal.
        cameras: Cameras of the cards.
        is_moving: True while a key is held: the opened mesh is drawn from its coarse copy.
    """

    def __init__(
        self,
        data: MeshData,
        renderer: ImageRenderer,
        view: View,
        cards: MeshCards,
        target: RenderTarget,
        cameras: Cameras,
        *,
        is_moving: bool = False,
    ) -> None:
        self._data = data
        self._renderer = renderer
        self._view = view
        self._cards = cards
        self._target = target
        self._cameras = cameras
        self._is_moving = is_moving

    def with_cameras(self, cameras: Cameras, *, is_moving: bool) -> MeshPainter:
        """Return a painter of the same view with other cameras."""
        return MeshPainter(
            self._data, self._renderer, self._view, self._cards, self._target, cameras, is_moving=is_moving
        )

    @property
    def _settings(self) -> Settings:
        return self._view.settings

    def _sample(self, key: str) -> MeshSample:
        """Return the sample that a card shows. Raises NoValueError if its run is no longer shown."""
        sample = self._cards.samples.get(key)
        if sample is None:
            raise NoValueError("no visible run has this mesh")
        return sample

    def paint_key(self, key: str) -> Hashable:
        settings, sample = self._settings, self._sample(key)
        of_runs = tuple(
            (each.run, self._data.look(self._view, each)) for each in self._data.samples(self._view, sample.name)
        )
        appearance = MODE.value(settings), COLOURS.value(settings), COMPARISON.value(settings), self._target
        compared = settings.mark, settings.focus, settings.baseline
        camera = self._cameras.of(key), self._is_moving
        return sample, of_runs, shown_at(settings, key), key in STEPS.value(settings), appearance, compared, camera

    # One mesh

    def _style(self, prepared: PreparedMesh) -> MeshStyle:
        """Return mode, base colour and lights of a mesh."""
        mode: MeshMode = MODE.value(self._settings)  # type: ignore[assignment]
        config, colouring = prepared.mesh.config, COLOURS.value(self._settings)
        if colouring != "logged":
            return MeshStyle(mode)
        base = config.colour or GREY
        if mode == "shaded" and config.is_wireframe:
            mode = "wireframe"
        side = config.point_size / prepared.model.size if prepared.model.size else 0.0
        return MeshStyle(mode, base, config.lights, point_side=side)

    def _camera(self, key: str, prepared: PreparedMesh) -> MeshCamera:
        return self._cameras.of(key) or prepared.camera or MeshCamera()

    def _half(
        self,
        key: str,
        sample: MeshSample,
        stop: ShownStep,
        columns: int,
        rows: int,
        *,
        is_small: bool = False,
        other: ShownStep | None = None,
    ) -> _Half:
        """Draw one mesh in an area; `other`: coloured by how far it moved from there."""
        columns, rows = max(columns, 0), max(rows, 0)
        try:
            prepared = self._data.prepared(stop, sample.name, sample.index)
        except MESH_ERRORS as error:
            return _Half(error_cells(str(error), columns, rows))
        if not len(prepared.model.vertices):
            return _Half(error_cells(NO_POINTS, columns, rows), prepared=prepared)
        if prepared.size is None:
            return _Half(error_cells(NOTHING_TO_SHOW, columns, rows), prepared=prepared)
        is_coarse = is_small or self._is_moving
        style, colouring, text = self._style(prepared), COLOURS.value(self._settings), ""
        if colouring == "moved" and other is None and stop.index:
            other = type(stop)(stop.steps, stop.index - 1)
        model = self._data.coloured(prepared, stop, sample, colouring, coarse=is_coarse)
        identity: tuple[Hashable, ...] = prepared.key, colouring, is_coarse
        if other is not None:
            movement, text = self._movement(stop, other, sample)
            if movement is not None:
                model = model.with_colours(moved_colours(movement))
                style = replace(MeshStyle(style.mode), lights=())
                identity = *identity, other.steps.run.name, other.step, other.index
        picture = rendered_mesh(
            model,
            self._camera(key, prepared),
            columns,
            rows,
            style,
            self._target.small if is_small else self._target,
            self._renderer,
            identity,
            is_moving=self._is_moving and not is_small,
        )
        room = Cells.blank(rows, columns, coloured=True)
        room.put(0, 0, picture.cells)
        return _Half(room, picture.insets, prepared, text)

    def _movement(self, stop: ShownStep, other: ShownStep, sample: MeshSample) -> tuple[Movement | None, str]:
        try:
            movement = self._data.movement(stop, other, sample)
        except MESH_ERRORS as error:
            return None, f"what moved: {error}"
        is_same_run = stop.steps.run.name == other.steps.run.name
        run = visible_name(other.steps.run.name)
        subject = f"moved since {other.label}" if is_same_run else f"distance to {run}, {other.label}"
        return movement, movement_text(movement, subject)

    # Cards

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> PaintedCard:
        sample = self._sample(key)
        shown = self._data.shown(self._view, key, sample)
        columns, rows = body_size(width, height)
        half = self._half(key, sample, shown, columns, rows, is_small=True) if columns and rows else _Half(NO_CELLS)
        prepared = half.prepared
        note, note_ink = ("", Ink.DIM) if prepared is None else (prepared.short_counts, Ink.DIM)
        if prepared is None and columns and rows:
            note, note_ink = NO_MESH, Ink.WARN
        elif prepared is not None and prepared.warnings:
            note, note_ink = f"⚠ {note}", Ink.WARN
        ink = shown.steps.ink
        own = " alone" if key in STEPS.value(self._settings) else ""
        step = f"· {step_text(shown, self._settings.x_axis)}{own}"
        run = self._run_name(sample, max(width - CAPTION_EDGES - cell_width(step), MIN_RUN_WIDTH))
        cells = draw_card(
            sample.title,
            half.cells,
            width,
            height,
            focused=focused,
            note=note,
            note_ink=note_ink,
            legend=(
                (f"{marker(ink)} {run}", ink),
                (step, Ink.DIM),
                *([(f"· {shown.left_out}", Ink.ACCENT)] if shown.left_out else []),
            ),
        )
        insets = tuple(inset.moved(1, 1) for inset in half.insets)
        return PaintedCard(cells, _NO_PLOT, shown.steps.stops, insets)

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        return placeholder_card(self._cards.title_of(key), width, height, focused=focused)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        return error_card(self._cards.title_of(key), error_text(error), width, height, focused=focused)

    # In full size

    def open(self, key: str, width: int, height: int) -> OpenedMesh:
        view, settings, sample = self._view, self._settings, self._sample(key)
        shown = self._data.shown(view, key, sample)
        header, rows, runs = step_table(
            self._data.steps_of_all_runs(view, sample.name), width, shown_at(settings, key), settings.focus
        )
        table_height = min(rows.height + 1, max(height // TABLE_HEIGHT_DIVISOR, 2)) if height >= MIN_TABLE_HEIGHT else 1
        has_figures = height >= MIN_FIGURES_HEIGHT
        room = max(height - table_height - 2 - has_figures, 0)
        other = self._other(key, sample, shown)
        is_movement = COMPARISON.value(settings) == "moved" and other is not None
        cells = Cells.blank(room + has_figures + 1, width, coloured=True)
        left, top, columns = 0, 0, width
        insets: list[ImagePlacement] = []
        if other is None or is_movement:
            half = self._half(key, sample, shown, width, room, other=other)
        else:
            top, columns = 1, max(width // 2 - 1, 0)
            left = width - columns
            before = self._half(key, self._sample_of(sample, other), other, columns, room - 1)
            half = self._half(key, sample, shown, columns, room - 1)
            for each, stop, left_column in ((before, other, 0), (half, shown, left)):
                self._caption(cells, stop, each, left_column, columns, (shown.steps.run.name, other.steps.run.name))
                cells.put(1, left_column, each.cells)
            insets += [inset.moved(2, 0) for inset in before.insets]
        cells.put(top, left, half.cells)
        insets += [inset.moved(top + 1, left) for inset in half.insets]
        if has_figures:
            self._write_figures(cells, room, key, half)
        marked = other if other is not None and other.steps is shown.steps else None
        bar = step_bar(shown, settings.x_axis, width, marked, own=key in STEPS.value(settings))
        cells.put(cells.height - 1, 0, bar.cells)
        prepared = half.prepared
        words = (
            *(() if other is not None and not is_movement else self._where(sample, shown, width)),
            shown.left_out,
            "" if prepared is None else prepared.counts,
        )
        title = title_line(sample.title, SEPARATOR.join(filter(None, words)), width, prefer_side_text=table_height == 1)
        plot = _NO_PLOT if bar.plot is None else bar.plot.moved(cells.height, 0)
        return OpenedMesh(
            key,
            stack_cells(title, cells),
            header if table_height > 1 else Cells.blank(0, width),
            rows,
            plot,
            bar.stops,
            runs,
            None,
            MeshCamera() if prepared is None else self._camera(key, prepared),
            None if prepared is None else prepared.camera,
            Area(1 + top, left, max(room - top, 0), columns),
            tuple(insets),
        )

    def _sample_of(self, sample: MeshSample, other: ShownStep) -> MeshSample:
        return replace(sample, run=other.steps.run.name)

    def _other(self, key: str, sample: MeshSample, shown: ShownStep) -> ShownStep | None:
        """Return the step that the opened mesh is compared with; None if it is shown alone."""
        settings = self._settings
        has_mark = settings.mark is not None and settings.cursor is not None
        if COMPARISON.value(settings) == "off" and not has_mark:
            return None
        return self._data.other_of(self._view, key, sample, shown, step_before=False)

    def _run_name(self, sample: MeshSample, width: int) -> str:
        """Return the name of the run of a card, distinct among the drawn runs."""
        return fit_run_name(sample.run, [run.name for run in self._view.runs], width)

    def _where(self, sample: MeshSample, shown: ShownStep, width: int) -> tuple[str, ...]:
        run = self._run_name(sample, width // RUN_WIDTH_DIVISOR)
        missing = COMPARISON.value(self._settings) != "off" and self._settings.mark is None
        alone = missing and self._other(sample.tag, sample, shown) is None
        return run, step_text(shown, self._settings.x_axis), "nothing to compare with" if alone else ""

    def _caption(
        self, cells: Cells, stop: ShownStep, half: _Half, left: int, columns: int, runs: tuple[str, str]
    ) -> None:
        """Write `● run · step 312 · 128 v · 224 f` above one half; the names of both runs differ if they are cut."""
        if columns < 1 or not cells.height:
            return
        name = f"{marker(stop.steps.ink)} {visible_name(stop.steps.run.name)}"
        word = f" · {step_text(stop, self._settings.x_axis)}"
        counts = "" if half.prepared is None else f" · {half.prepared.short_counts}"
        if cell_width(safe(name)) + cell_width(word) + cell_width(counts) <= columns:
            word += counts
        room = max(columns - cell_width(word), columns // 2, 2) - cell_width(marker(stop.steps.ink)) - 1
        name = f"{marker(stop.steps.ink)} {fit_run_name(stop.steps.run.name, tuple(dict.fromkeys(runs)), room)}"
        end = write(cells, 0, left, name, stop.steps.ink)
        write(cells, 0, end, fit(word, left + columns - end), Ink.DIM)

    def _write_figures(self, cells: Cells, row: int, key: str, half: _Half) -> None:
        """Write camera, mode, size of the box and defects below the picture; what moved in place of the camera."""
        prepared = half.prepared
        if prepared is None:
            return
        settings, width = self._settings, cells.width
        warning, size = warning_text([safe(text) for text in prepared.warnings]), size_text(prepared.size)
        colours = COLOURS.labels[COLOURS.value(settings)]
        mode = "points" if prepared.model.is_cloud else MODE.value(settings)
        words = (
            half.movement,
            camera_text(self._camera(key, prepared), prepared.camera),
            mode,
            f"colours {colours}" if COLOURS.value(settings) != "logged" else "",
            way_text(self._target) if has_dots(self._target) else "",
        )
        left = fit(SEPARATOR.join(filter(None, words)), width)
        room = width - cell_width(left) - 2
        if size and warning and cell_width(size) + 2 + MIN_WARNING_COLUMNS > room:
            size = ""  # the defects matter more
        shown = fit(warning, room - (cell_width(size) + 2 if size else 0))
        write(cells, row, 0, left, Ink.DIM)
        write(cells, row, width - cell_width(shown), shown, Ink.WARN)
        if cell_width(size) <= room:
            write(cells, row, width - cell_width(shown) - (2 if shown else 0) - cell_width(size), size, Ink.TEXT)

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> OpenedMesh:
        body = error_cells(error_text(error), max(width, 0), max(height - 1, 0))
        title = title_line(self._cards.title_of(key), "", width)
        return OpenedMesh(key, stack_cells(title, body), Cells.blank(0, width), Cells.blank(0, width))

    def pick(self, _opened: OpenedCard, _column: int, _row: int) -> str | None:
        """Return None: no cell of a mesh belongs to another run."""
        return None


def error_text(error: Exception) -> str:
    """Return an error as a sentence for the user."""
    return str(error) if isinstance(error, MESH_ERRORS) else f"cannot be drawn: {type(error).__name__}: {error}"
