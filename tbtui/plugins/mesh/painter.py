"""Draw the meshes of one view: thumbnails in the grid, and one mesh in full size, alone or compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.card import (
    SEPARATOR,
    choose_note,
    compute_body_size,
    draw_card,
    draw_error_card,
    draw_placeholder_card,
    draw_title_line,
    stack_cells,
)
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.mesh_camera import MeshCamera
from tbtui.charts.mesh_raster import MeshStyle
from tbtui.charts.mesh_shading import GREY
from tbtui.charts.numbers import format_count
from tbtui.charts.text import cell_width, fit, format_run_name, safe, write
from tbtui.frozen import frozen
from tbtui.plugins.mesh.cards import CARD_STEPS
from tbtui.plugins.mesh.data import colour_by_movement
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.drawing import format_protocol, has_dots, render_mesh
from tbtui.plugins.mesh.labels import (
    NO_MESH,
    NO_POINTS,
    NOTHING_TO_SHOW,
    format_camera,
    format_mesh_size,
    format_movement,
    format_warnings,
)
from tbtui.plugins.mesh.settings import COLOURS, COMPARISON, MODE
from tbtui.plugins.shown_steps import NoValueError, ShownStep
from tbtui.plugins.step_cards import (
    NO_PLOT,
    build_card_legend,
    choose_table_height,
    draw_caption,
    draw_error,
    step_bar,
    step_table,
    step_text,
)
from tbtui.plugins.step_settings import is_compared
from tbtui.terminal_images.encode import Area
from tbtui.view.image_renderer import NO_CELLS
from tbtui.view.painted_cards import OpenedCard, PaintedCard
from tbtui.view.run_names import fit_run_name
from tbtui.view.tag_tree import cut_heading

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.charts.mesh_raster import MeshMode
    from tbtui.plugins.mesh.cards import Cameras, MeshCards, MeshSample
    from tbtui.plugins.mesh.data import MeshData, PreparedMesh
    from tbtui.plugins.mesh.figures import Movement
    from tbtui.settings.settings import Settings
    from tbtui.terminal_images.encode import ImagePlacement
    from tbtui.view.image_renderer import ImageRenderer, RenderTarget
    from tbtui.view.view import View

MIN_FIGURES_HEIGHT = 8
"""Minimum rows of a mesh with a line of figures."""

MIN_WARNING_COLUMNS = 24
"""Columns that the defects keep before the size of the box is dropped."""

RUN_WIDTH_DIVISOR = 3
"""The name of a run takes at most the width of the line above an opened mesh divided by this number."""

MESH_ERRORS = MeshError, NoValueError
"""Errors of one mesh; their message is shown in its place."""


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
class _MeshPicture:
    """One drawn mesh, or the reason why there is none."""

    cells: Cells
    insets: tuple[ImagePlacement, ...] = ()
    prepared: PreparedMesh | None = None
    """The mesh; None if it cannot be read."""

    movement: str = ""
    """Text about its movement; empty unless the colours show it."""


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
        run_keys = tuple(
            (each.run, self._data.paint_key(self._view, each))
            for each in self._data.list_first_samples(self._view, sample.name)
        )
        step = CARD_STEPS.position(settings, key), CARD_STEPS.has(settings, key)
        appearance = MODE.value(settings), COLOURS.value(settings), COMPARISON.value(settings), self._target
        compared = settings.mark, settings.focus, settings.baseline
        camera = self._cameras.of(key), self._is_moving
        return sample, run_keys, step, appearance, compared, camera

    # One mesh

    def _choose_style(self, prepared: PreparedMesh) -> MeshStyle:
        """Return mode, base colour and lights of a mesh."""
        mode: MeshMode = MODE.value(self._settings)  # type: ignore[assignment]
        config, colouring = prepared.config, COLOURS.value(self._settings)
        if colouring != "logged":
            return MeshStyle(mode)
        base = config.colour or GREY
        if mode == "shaded" and config.is_wireframe:
            mode = "wireframe"
        side = config.point_size / prepared.model.size if prepared.model.size else 0.0
        return MeshStyle(mode, base, config.lights, point_side=side)

    def _get_camera(self, key: str, prepared: PreparedMesh) -> MeshCamera:
        return self._cameras.of(key) or prepared.camera or MeshCamera()

    def _draw_mesh(
        self,
        key: str,
        sample: MeshSample,
        step: ShownStep,
        columns: int,
        rows: int,
        *,
        is_small: bool = False,
        moved_from: ShownStep | None = None,
    ) -> _MeshPicture:
        """Draw one mesh in an area, or the reason why it cannot be drawn.

        Args:
            key: The card.
            sample: Its mesh.
            step: Step of the mesh, perhaps of another run.
            columns: Width of the area.
            rows: Height of the area.
            is_small: Draw it for a card.
            moved_from: Colour it by its distance from the mesh of this step; None: as the settings say.
        """
        columns, rows = max(columns, 0), max(rows, 0)
        try:
            prepared = self._data.prepare(step, sample)
        except MESH_ERRORS as error:
            return _MeshPicture(draw_error(str(error), columns, rows))
        if not len(prepared.model.vertices):
            return _MeshPicture(draw_error(NO_POINTS, columns, rows), prepared=prepared)
        if prepared.size is None:
            return _MeshPicture(draw_error(NOTHING_TO_SHOW, columns, rows), prepared=prepared)
        is_coarse = is_small or self._is_moving
        style, colouring, text = self._choose_style(prepared), COLOURS.value(self._settings), ""
        if colouring == "moved" and moved_from is None and step.index:
            moved_from = ShownStep(step.steps, step.index - 1)
        model = self._data.colour(prepared, step, sample, colouring, coarse=is_coarse)
        identity: tuple[Hashable, ...] = prepared.key, colouring, is_coarse
        if moved_from is not None:
            movement, text = self._measure_movement(step, moved_from, sample)
            if movement is not None:
                model = model.with_colours(colour_by_movement(movement))
                style = replace(MeshStyle(style.mode), lights=())
                identity = *identity, moved_from.steps.run.name, moved_from.step, moved_from.index
        image = render_mesh(
            model,
            self._get_camera(key, prepared),
            columns,
            rows,
            style,
            self._target.small if is_small else self._target,
            self._renderer,
            identity,
            is_moving=self._is_moving and not is_small,
        )
        cells = Cells.blank(rows, columns, coloured=True)
        cells.put(0, 0, image.cells)
        return _MeshPicture(cells, image.insets, prepared, text)

    def _measure_movement(self, step: ShownStep, other: ShownStep, sample: MeshSample) -> tuple[Movement | None, str]:
        """Return the distances to the mesh of another step, and a text about them; None and the reason without any."""
        try:
            movement = self._data.measure_movement(step, other, sample)
        except MESH_ERRORS as error:
            return None, f"what moved: {error}"
        is_same_run = step.steps.run.name == other.steps.run.name
        run = format_run_name(other.steps.run.name)
        subject = f"moved since {other.label}" if is_same_run else f"distance to {run}, {other.label}"
        return movement, format_movement(movement, subject)

    # Cards

    def paint(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> PaintedCard:
        sample, settings = self._sample(key), self._settings
        shown = self._data.find_shown_step(self._view, key, sample)
        columns, rows = compute_body_size(width, height)
        has_body = bool(columns and rows)
        picture = (
            self._draw_mesh(key, sample, shown, columns, rows, is_small=True) if has_body else _MeshPicture(NO_CELLS)
        )
        prepared = picture.prepared
        notes = (NO_MESH if has_body else "",) if prepared is None else _format_card_notes(prepared)
        has_warnings = prepared is not None and bool(prepared.warnings)
        title = cut_heading(sample.title, heading)
        cells = draw_card(
            title,
            picture.cells,
            width,
            height,
            focused=focused,
            note=choose_note(notes, title, width),
            note_ink=Ink.WARN if has_warnings or prepared is None else Ink.DIM,
            legend=build_card_legend(
                shown, settings.x_axis, self._run_names, width, has_own_step=CARD_STEPS.has(settings, key)
            ),
        )
        insets = tuple(inset.translate(1, 1) for inset in picture.insets)
        return PaintedCard(cells, NO_PLOT, shown.steps.stops, insets)

    def paint_outline(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> Cells:
        return draw_placeholder_card(cut_heading(self._cards.title_of(key), heading), width, height, focused=focused)

    def paint_error(
        self, key: str, width: int, height: int, error: Exception, *, focused: bool, heading: str = ""
    ) -> Cells:
        title = cut_heading(self._cards.title_of(key), heading)
        return draw_error_card(title, format_decode_error(error), width, height, focused=focused)

    # In full size

    def open(self, key: str, width: int, height: int) -> OpenedMesh:
        view, settings, sample = self._view, self._settings, self._sample(key)
        shown = self._data.find_shown_step(view, key, sample)
        steps_of_runs = self._data.steps.get_all(view, self._data.map_tags_by_run(view, sample.name))
        header, rows, runs = step_table(steps_of_runs, width, CARD_STEPS.position(settings, key), settings.focus)
        rows_below = choose_table_height(rows.height, height)
        has_figures = height >= MIN_FIGURES_HEIGHT
        picture_height = max(height - rows_below - 2 - has_figures, 0)
        other = self._find_compared_step(key, sample, shown)
        is_movement = COMPARISON.value(settings) == "moved" and other is not None
        cells = Cells.blank(picture_height + has_figures + 1, width, coloured=True)
        area = Area(0, 0, picture_height, width)
        insets: list[ImagePlacement] = []
        if other is None or is_movement:
            picture = self._draw_mesh(key, sample, shown, width, picture_height, moved_from=other)
        else:
            columns = max(width // 2 - 1, 0)
            area = Area(1, width - columns, max(picture_height - 1, 0), columns)
            insets += self._put_partner(cells, key, sample, shown, other, area)
            picture = self._draw_mesh(key, sample, shown, columns, area.rows)
            self._put_caption(cells, shown, other, picture, area)
        cells.put(area.row, area.column, picture.cells)
        insets += [inset.translate(area.row + 1, area.column) for inset in picture.insets]
        if has_figures:
            self._write_figures(cells, picture_height, key, picture)
        marked = other if other is not None and other.steps is shown.steps else None
        bar = step_bar(shown, settings.x_axis, width, marked, has_own_step=CARD_STEPS.has(settings, key))
        cells.put(cells.height - 1, 0, bar.cells)
        prepared = picture.prepared
        words = (
            *(() if other is not None and not is_movement else self._title_words(sample, shown, other, width)),
            shown.left_out,
            "" if prepared is None else prepared.counts.text,
        )
        title = draw_title_line(
            sample.title, SEPARATOR.join(filter(None, words)), width, prefer_side_text=rows_below == 1
        )
        return OpenedMesh(
            key,
            stack_cells(title, cells),
            header if rows_below > 1 else Cells.blank(0, width),
            rows,
            NO_PLOT if bar.plot is None else bar.plot.translate(cells.height, 0),
            bar.stops,
            runs,
            camera=MeshCamera() if prepared is None else self._get_camera(key, prepared),
            logged=None if prepared is None else prepared.camera,
            area=Area(area.row + 1, area.column, area.rows, area.columns),
            insets=tuple(insets),
        )

    def _find_compared_step(self, key: str, sample: MeshSample, shown: ShownStep) -> ShownStep | None:
        """Return the step that the opened mesh is compared with; None if it is shown alone, or there is no other."""
        if not is_compared(self._settings, COMPARISON):
            return None
        return self._data.find_compared_step(self._view, key, sample, shown)

    def _put_partner(
        self, cells: Cells, key: str, sample: MeshSample, shown: ShownStep, other: ShownStep, area: Area
    ) -> list[ImagePlacement]:
        """Draw the compared mesh at the left, under its caption; return its parts in pixels."""
        left_area = Area(area.row, 0, area.rows, area.columns)
        picture = self._draw_mesh(key, sample, other, area.columns, area.rows)
        self._put_caption(cells, other, shown, picture, left_area)
        cells.put(area.row, 0, picture.cells)
        return [inset.translate(area.row + 1, 0) for inset in picture.insets]

    def _put_caption(self, cells: Cells, step: ShownStep, other: ShownStep, picture: _MeshPicture, area: Area) -> None:
        counts = () if picture.prepared is None else _format_mesh_sizes(picture.prepared)
        runs = step.steps.run.name, other.steps.run.name
        draw_caption(cells, step, self._settings.x_axis, area.column, area.columns, runs, counts)

    @property
    def _run_names(self) -> list[str]:
        """Names of the drawn runs."""
        return [run.name for run in self._view.runs]

    def _title_words(
        self, sample: MeshSample, shown: ShownStep, other: ShownStep | None, width: int
    ) -> tuple[str, ...]:
        """Return run and step of a mesh without a caption, and a note if it cannot be compared."""
        run = fit_run_name(sample.run, self._run_names, width // RUN_WIDTH_DIVISOR)
        is_requested = is_compared(self._settings, COMPARISON) and self._settings.mark is None
        note = "nothing to compare with" if is_requested and other is None else ""
        return run, step_text(shown, self._settings.x_axis), note

    def _write_figures(self, cells: Cells, row: int, key: str, picture: _MeshPicture) -> None:
        """Write movement, camera, mode, size of the box and defects below the picture."""
        prepared = picture.prepared
        if prepared is None:
            return
        settings, width = self._settings, cells.width
        warning, size = format_warnings([safe(text) for text in prepared.warnings]), format_mesh_size(prepared.size)
        colours = COLOURS.labels[COLOURS.value(settings)]
        mode = "points" if prepared.model.is_cloud else MODE.value(settings)
        words = (
            picture.movement,
            format_camera(self._get_camera(key, prepared), prepared.camera),
            mode,
            f"colours {colours}" if COLOURS.value(settings) != "logged" else "",
            format_protocol(self._target) if has_dots(self._target) else "",
        )
        left = fit(SEPARATOR.join(filter(None, words)), width)
        free_columns = width - cell_width(left) - 2
        if size and warning and cell_width(size) + 2 + MIN_WARNING_COLUMNS > free_columns:
            size = ""  # the defects matter more
        warning = fit(warning, free_columns - (cell_width(size) + 2 if size else 0))
        write(cells, row, 0, left, Ink.DIM)
        write(cells, row, width - cell_width(warning), warning, Ink.WARN)
        if cell_width(size) <= free_columns:
            write(cells, row, width - cell_width(warning) - (2 if warning else 0) - cell_width(size), size, Ink.TEXT)

    def open_error(self, key: str, width: int, height: int, error: Exception) -> OpenedMesh:
        body = draw_error(format_decode_error(error), max(width, 0), max(height - 1, 0))
        title = draw_title_line(self._cards.title_of(key), "", width)
        return OpenedMesh(key, stack_cells(title, body), Cells.blank(0, width), Cells.blank(0, width))

    def pick(self, _opened: OpenedCard, _column: int, _row: int) -> str | None:
        """Return None: no cell of a mesh belongs to another run."""
        return None


def format_decode_error(error: Exception) -> str:
    """Return an error as a sentence for the user."""
    return str(error) if isinstance(error, MESH_ERRORS) else f"cannot be drawn: {type(error).__name__}: {error}"


def _format_card_notes(prepared: PreparedMesh) -> tuple[str, ...]:
    """Return the notes of a card from the longest: sizes, after defects if there are any, which the shortest count."""
    sizes = _format_mesh_sizes(prepared)
    if not prepared.warnings:
        return sizes
    texts = [safe(text) for text in prepared.warnings]
    others = f" +{len(texts) - 1}" if len(texts) > 1 else ""
    brief = f"⚠ {format_count(len(texts), 'problem')}"
    notes = (f"{format_warnings(texts)}{SEPARATOR}{sizes[0]}", format_warnings(texts), f"⚠ {texts[0]}{others}", brief)
    return tuple(note for note in dict.fromkeys(notes) if note == brief or len(note) > len(brief))


def _format_mesh_sizes(prepared: PreparedMesh) -> tuple[str, ...]:
    """Return the numbers of vertices and faces, in words and abbreviated."""
    return prepared.counts.size_text, prepared.counts.short_text
