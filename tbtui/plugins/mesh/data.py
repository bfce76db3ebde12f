"""Meshes of all views: which steps are stored, and the one that a card shows, prepared for drawing."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.charts.mesh_camera import MeshCamera, camera_at
from tbtui.charts.mesh_model import MAX_MODEL_ITEMS, MeshModel, coarse_copy, prepare_mesh
from tbtui.charts.mesh_raster import GREY, map_colours
from tbtui.charts.numbers import counted
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.plugins.mesh.cards import MeshSample, ShownMeshCards
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.figures import parts_of
from tbtui.plugins.mesh.moved import Movement, movement
from tbtui.plugins.mesh.read import box_of, counts_text, identity_of, read_mesh
from tbtui.plugins.mesh.series import PLUGIN_NAME
from tbtui.plugins.mesh.transitions import shown_at
from tbtui.plugins.shown_steps import (
    NoValueError,
    ShownStep,
    ShownSteps,
    marked_partner,
    neighbour_of,
    shown_steps,
    steps_key,
)
from tbtui.view.comparison_target import comparison_run

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy.typing as npt

    from tbtui.charts.mesh_model import Colours
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.mesh.cards import MeshCards
    from tbtui.plugins.mesh.read import Mesh
    from tbtui.plugins.mesh.series import MeshSeries
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View

    Array: TypeAlias = npt.NDArray[Any]

MAX_MODEL_BYTES = 256 << 20
"""Size of the cache of prepared meshes: 4 million faces. The latest one is kept even if it is larger."""

MAX_COLOUR_BYTES = 64 << 20
"""Size of the cache of colours that were computed, three bytes for each vertex."""

MAX_CACHED_TAGS = 4096
"""Tags of runs whose sorted steps are cached."""

PART_COLOURS = np.array(
    [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [0, 114, 178], [213, 94, 0]],
    np.uint8,
)
"""Colours of parts, the largest first; source: Okabe and Ito, "Color Universal Design", 2008."""


@frozen(eq=False)
class PreparedMesh:
    """One sample of a mesh at one step, ready to be drawn."""

    key: Hashable
    """Identity among all others."""

    model: MeshModel
    coarse: MeshModel
    """A copy that is drawn while the camera moves, and on cards."""

    counts: str
    short_counts: str
    mesh: Mesh
    """As logged, without its arrays."""

    size: tuple[float, float, float] | None
    """Sides of the box; None without a finite vertex."""

    camera: MeshCamera | None
    """Camera of the log."""

    reduced: str = ""
    """Says that only a coarse copy is kept."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        own = 0 if self.coarse is self.model else self.coarse.nbytes
        return self.model.nbytes + own

    @property
    def warnings(self) -> tuple[str, ...]:
        """Defects, one short sentence each."""
        defects, mesh = self.model.defects, self.mesh
        return (
            *((f"{counted(defects.degenerate, 'degenerate face')}",) if defects.degenerate else ()),
            *((f"{counted(defects.out_of_range, 'face')} of unknown vertices",) if defects.out_of_range else ()),
            *((f"{_vertices(defects.not_finite)} not finite",) if defects.not_finite else ()),
            *((self.reduced,) if self.reduced else ()),
            *mesh.notes,
        )


def _vertices(count: int) -> str:
    return f"{count:,} {'vertex' if count == 1 else 'vertices'}"


def prepare(key: Hashable, mesh: Mesh) -> PreparedMesh:
    """Prepare a mesh for drawing. Takes .1 s for 200,000 faces."""
    model = prepare_mesh(mesh.vertices, mesh.faces, mesh.colours)
    coarse = coarse_copy(model)
    reduced = ""
    logged = max(len(mesh.vertices), 0 if mesh.faces is None else len(mesh.faces))
    if logged > MAX_MODEL_ITEMS:
        remaining = _vertices(len(model.vertices)) if model.is_cloud else counted(len(model.faces), "face")
        reduced = f"drawn from a copy of {remaining}"
    box = box_of(mesh.vertices)
    size = None if box is None else tuple(float(side) for side in box[1] - box[0])
    faces = 0 if mesh.faces is None else len(mesh.faces)
    short = f"{len(mesh.vertices):,} v" + (f" · {faces:,} f" if mesh.faces is not None else "")
    bare = replace(mesh, vertices=mesh.vertices[:0], faces=None, colours=None)
    return PreparedMesh(key, model, coarse, counts_text(mesh), short, bare, size, _camera(model, mesh), reduced)  # type: ignore[arg-type]


def _camera(model: MeshModel, mesh: Mesh) -> MeshCamera | None:
    """Return the camera of the log, relative to the centre of a mesh as in TensorBoard, but not to that of a cloud."""
    config = mesh.config
    if config.position is None:
        return None
    size = model.size or 1.0
    origin = model.centre if model.is_cloud else (0.0, 0.0, 0.0)
    position, focus = (
        tuple((coordinate - middle) / size for coordinate, middle in zip(point, origin, strict=True))
        for point in (config.position, config.look_at)
    )
    return camera_at((position[0], position[1], position[2]), (focus[0], focus[1], focus[2]), config.view_angle)


class MeshData:
    """Gives the meshes of all views shown so far. Used by one thread.

    Args:
        payloads: Reader of the event files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads
        self._cards = ShownMeshCards()
        self._steps: OrderedDict[tuple[str, str], tuple[Hashable, ShownSteps]] = OrderedDict()
        self._prepared: ByteCache[PreparedMesh | str] = ByteCache(MAX_MODEL_BYTES)
        self._colours: ByteCache[Colours] = ByteCache(MAX_COLOUR_BYTES)
        self._movements: ByteCache[Movement | str] = ByteCache(MAX_COLOUR_BYTES)
        self._latest: PreparedMesh | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of prepared meshes and colours in memory."""
        return self._prepared.nbytes + self._colours.nbytes + self._movements.nbytes

    def cards(self, view: View) -> MeshCards:
        """Return the cards of a view in order; the same object while they are the same."""
        return self._cards.of(view)

    # Steps

    def look(self, view: View, sample: MeshSample) -> Hashable:
        """Return everything that a card depends on besides settings of this dashboard."""
        mesh = self.series(view, sample)
        revisions = () if mesh is None else tuple(series.revision for series in mesh.parts.values())
        return steps_key(view, sample.run, sample.tag, PLUGIN_NAME), revisions

    def series(self, view: View, sample: MeshSample) -> MeshSeries | None:
        """Return the series of the mesh of a card; None if its run has it no longer."""
        run = view.snapshot.runs.get(sample.run)
        return None if run is None else self._cards.meshes(run).get(sample.name)

    def steps(self, view: View, sample: MeshSample) -> ShownSteps:
        """Return the steps that a card may show; raise NoValueError."""
        key, look = (sample.run, sample.tag), steps_key(view, sample.run, sample.tag, PLUGIN_NAME)
        cached = self._steps.get(key)
        if cached is None or cached[0] != look:
            cached = self._steps[key] = look, shown_steps(view, sample.run, sample.tag, PLUGIN_NAME, "mesh")
            while len(self._steps) > MAX_CACHED_TAGS:
                self._steps.popitem(last=False)
        self._steps.move_to_end(key)
        return cached[1]

    def shown(self, view: View, key: str, sample: MeshSample) -> ShownStep:
        """Return the step that card `key` shows; raise NoValueError."""
        return self.steps(view, sample).nearest(shown_at(view.settings, key))

    def samples(self, view: View, name: str) -> list[MeshSample]:
        """Return the first sample of a mesh in every drawn run that has it, in the order of the run tree."""
        meshes = ((run, self._cards.meshes(run).get(name)) for run in view.runs)
        return [MeshSample(run.name, name, mesh.main.tag) for run, mesh in meshes if mesh is not None]

    def steps_of_all_runs(self, view: View, name: str) -> list[ShownSteps]:
        """Return the steps of every drawn run with a mesh of this name."""
        steps = []
        for sample in self.samples(view, name):
            with suppress(NoValueError):
                steps.append(self.steps(view, sample))
        return steps

    def other_of(
        self, view: View, key: str, sample: MeshSample, shown: ShownStep, *, step_before: bool
    ) -> ShownStep | None:
        """Return the step that a mesh is compared with; None without any.

        It is the marked step of the same run; otherwise what the baseline shows, or the selected run, or the next run
        with this mesh; of a mesh that one run holds alone, a neighbouring step. It is never the step itself.

        Args:
            view: The view.
            key: The card.
            sample: Its mesh.
            shown: The step that it shows.
            step_before: Compare with the step before rather than with another run.
        """
        settings = view.settings
        if settings.mark is not None and settings.cursor is not None:
            return marked_partner(shown, settings.mark)
        if not step_before and (other := self._other_run(view, settings, sample)) is not None:
            with suppress(NoValueError):
                return self.steps(view, other).nearest(shown_at(settings, key))
        return neighbour_of(shown)

    def _other_run(self, view: View, settings: Settings, sample: MeshSample) -> MeshSample | None:
        samples = {other.run: other for other in self.samples(view, sample.name)}
        name = comparison_run(sample.run, [*samples], settings)
        return None if name is None else samples[name]

    # Meshes

    def read(self, stop: ShownStep, name: str, sample: int) -> Mesh:
        """Read a mesh from its file; raise MeshError."""
        run = stop.steps.run
        mesh = self._cards.meshes(run).get(name)
        if mesh is None:
            raise MeshError("the run no longer holds this mesh")
        mesh_at_step = read_mesh(self._payloads, run, mesh, stop.step, stop.wall_time, sample)
        self._cards.learn(run.name, name, mesh_at_step.samples)
        return mesh_at_step

    def _key(self, stop: ShownStep, name: str, sample: int) -> Hashable:
        run = stop.steps.run
        mesh = self._cards.meshes(run).get(name)
        return None if mesh is None else (identity_of(run, mesh, stop.step, stop.wall_time), sample)

    def is_prepared(self, stop: ShownStep, name: str, sample: int) -> bool:
        """Return True if a mesh is in memory."""
        return self._prepared.get(self._key(stop, name, sample)) is not None

    def prepared(self, stop: ShownStep, name: str, sample: int) -> PreparedMesh:
        """Return a mesh ready to be drawn; raise MeshError."""
        key = self._key(stop, name, sample)
        if self._latest is not None and self._latest.key == key:
            return self._latest
        cached = self._prepared.get(key)
        if cached is None:
            try:
                cached = prepare(key, self.read(stop, name, sample))
            except MeshError as error:
                cached = str(error)
            self._prepared.put(key, cached, 200 if isinstance(cached, str) else cached.nbytes)
        if isinstance(cached, str):
            raise MeshError(cached)
        self._latest = cached
        return cached

    # Colours

    def coloured(
        self, prepared: PreparedMesh, stop: ShownStep, sample: MeshSample, colouring: str, *, coarse: bool
    ) -> MeshModel:
        """Return the model to draw, in its colours.

        Args:
            prepared: The mesh.
            stop: Its step.
            sample: Its card.
            colouring: A value of the setting `COLOURS` but `moved`.
            coarse: Return the coarse copy.
        """
        model = prepared.coarse if coarse else prepared.model
        if colouring == "logged":
            return model
        if colouring == "height":
            return self._recoloured(
                model, (prepared.key, colouring, coarse), lambda: height_colours(model), direct=True
            )
        if colouring == "part":
            if model.is_cloud:
                return model.with_colours(None)
            return self._recoloured(
                model,
                (prepared.key, colouring),
                lambda: part_colours(self.read(stop, sample.name, sample.index)),
                direct=False,
            )
        return model.with_colours(None)

    def _recoloured(self, model: MeshModel, key: Hashable, make: Any, *, direct: bool) -> MeshModel:
        """Return a model in computed colours; `direct`: they are those of the model, not of the original."""
        colours = self._colours.get(key)
        if colours is None:
            colours = make()
            self._colours.put(key, colours, colours.nbytes)
        return replace(model, colours=colours) if direct else model.with_colours(colours)

    def movement(self, stop: ShownStep, other: ShownStep, sample: MeshSample) -> Movement:
        """Return how far the vertices of a mesh moved; raise MeshError."""
        key = self._key(stop, sample.name, sample.index), self._key(other, sample.name, sample.index)
        cached = self._movements.get(key)
        if cached is None:
            try:
                after, before = (self.read(each, sample.name, sample.index) for each in (stop, other))
                cached = movement(after.vertices, before.vertices) or "nothing can be compared"
            except MeshError as error:
                cached = str(error)
            self._movements.put(key, cached, 200 if isinstance(cached, str) else cached.distances.nbytes)
        if isinstance(cached, str):
            raise MeshError(cached)
        return cached


def height_colours(model: MeshModel) -> Colours:
    """Return colours by y, from the lowest to the highest vertex."""
    y = model.vertices[:, 1]
    known = y[np.isfinite(y)]
    if not len(known) or known.max() == known.min():
        return np.tile(np.array([GREY], np.uint8), (len(y), 1))
    return map_colours((y - known.min()) / (known.max() - known.min()))


def part_colours(mesh: Mesh) -> Colours:
    """Return one colour for each part, grey for vertices without a face."""
    parts, _ = parts_of(mesh)
    colours: Colours = PART_COLOURS[parts % len(PART_COLOURS)]
    colours[parts < 0] = GREY
    return colours


def moved_colours(movement: Movement) -> Colours:
    """Return colours from still (dark) to the greatest distance (bright)."""
    return map_colours(movement.distances / (movement.greatest or 1.0))
