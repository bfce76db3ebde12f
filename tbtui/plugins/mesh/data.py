"""Read, prepare and colour the meshes of all views, and cache them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from tbtui.charts.mesh_camera import place_camera
from tbtui.charts.mesh_model import MAX_MODEL_ITEMS, coarsen, prepare_mesh
from tbtui.charts.mesh_shading import GREY, map_colours
from tbtui.charts.numbers import format_count
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.plugins.mesh.cards import CARD_STEPS, MeshSample, ShownMeshCards
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.figures import find_parts, measure_movement
from tbtui.plugins.mesh.read import find_box, identify, read_mesh
from tbtui.plugins.mesh.series import PLUGIN_NAME
from tbtui.plugins.shown_steps import StepsCache

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from tbtui.charts.mesh_camera import MeshCamera
    from tbtui.charts.mesh_model import Colours, MeshModel
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.mesh.cards import MeshCards
    from tbtui.plugins.mesh.config import MeshConfig
    from tbtui.plugins.mesh.figures import Movement
    from tbtui.plugins.mesh.read import Mesh, MeshCounts
    from tbtui.plugins.mesh.series import MeshSeries
    from tbtui.plugins.shown_steps import ShownStep
    from tbtui.view.view import View

MAX_MODEL_BYTES = 256 << 20
"""Size of the cache of prepared meshes: 4 million faces. The latest one is kept even if it is larger."""

MAX_COLOUR_BYTES = 64 << 20
"""Size of the cache of computed colours, and of that of movements; a vertex has three bytes, or eight."""

REASON_BYTES = 200
"""Estimated size of a cached reason."""


class MeshData:
    """Reads and prepares the meshes of all views. Used by one thread.

    A mesh is given by a `ShownStep`, which names run and step, and by a `MeshSample`, of which name and index count:
    a comparison shows the sample of a card at the step of another run.

    Args:
        payloads: Reader of the event files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads
        self._cards = ShownMeshCards()
        self.steps = StepsCache(PLUGIN_NAME, "mesh")
        self._prepared: ByteCache[PreparedMesh | str] = ByteCache(MAX_MODEL_BYTES)
        self._colours: ByteCache[Colours | str] = ByteCache(MAX_COLOUR_BYTES)
        self._movements: ByteCache[Movement | str] = ByteCache(MAX_COLOUR_BYTES)
        self._latest: PreparedMesh | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of prepared meshes and colours in memory."""
        return self._prepared.nbytes + self._colours.nbytes + self._movements.nbytes

    # Cards and their steps

    def cards(self, view: View) -> MeshCards:
        """Return the cards of a view in order; the same object while they are the same."""
        return self._cards.of(view)

    def series(self, view: View, sample: MeshSample) -> MeshSeries | None:
        """Return the series of the mesh of a card; None if its run has it no longer."""
        run = view.snapshot.runs.get(sample.run)
        return None if run is None else self._cards.meshes(run).get(sample.name)

    def paint_key(self, view: View, sample: MeshSample) -> Hashable:
        """Return all data that the card of a sample depends on."""
        mesh = self.series(view, sample)
        revisions = () if mesh is None else tuple(series.revision for series in mesh.tensors.values())
        return self.steps.paint_key(view, sample.run, sample.tag), revisions

    def find_shown_step(self, view: View, key: str, sample: MeshSample) -> ShownStep:
        """Return the step that card `key` shows; raise NoValueError."""
        return self.steps.get(view, sample.run, sample.tag).nearest(CARD_STEPS.position(view.settings, key))

    def list_first_samples(self, view: View, name: str) -> list[MeshSample]:
        """Return the first sample of a mesh in every drawn run that has it, in the order of the run tree."""
        meshes = ((run, self._cards.meshes(run).get(name)) for run in view.runs)
        return [MeshSample(run.name, name, mesh.main.tag) for run, mesh in meshes if mesh is not None]

    def map_tags_by_run(self, view: View, name: str) -> dict[str, str]:
        """Return the tag whose steps are those of a mesh, for every drawn run that has the mesh."""
        return {sample.run: sample.tag for sample in self.list_first_samples(view, name)}

    def find_compared_step(self, view: View, key: str, sample: MeshSample, shown: ShownStep) -> ShownStep | None:
        """Return the step that the mesh of card `key` is compared with; None if there is no other."""
        position = CARD_STEPS.position(view.settings, key)
        return self.steps.find_compared_step(view, shown, position, self.map_tags_by_run(view, sample.name))

    # Meshes

    def read(self, step: ShownStep, sample: MeshSample) -> Mesh:
        """Read a mesh from its file; raise MeshError."""
        run = step.steps.run
        series = self._cards.meshes(run).get(sample.name)
        if series is None:
            raise MeshError("the run no longer holds this mesh")
        mesh = read_mesh(self._payloads, run, series, step.step, step.wall_time, sample.index)
        self._cards.learn(run.name, sample.name, mesh.samples)
        return mesh

    def prepare(self, step: ShownStep, sample: MeshSample) -> PreparedMesh:
        """Return a mesh ready to be drawn; raise MeshError."""
        key = self._identity(step, sample)
        if self._latest is None or self._latest.key != key:
            self._latest = get_or_compute(self._prepared, key, lambda: prepare(key, self.read(step, sample)))
        return self._latest

    def colour(
        self, prepared: PreparedMesh, step: ShownStep, sample: MeshSample, colouring: str, *, coarse: bool
    ) -> MeshModel:
        """Return the model to draw, in its colours.

        Args:
            prepared: The mesh.
            step: Its step.
            sample: Its card.
            colouring: Value of the setting `COLOURS`; with `moved` the model has no colours yet.
            coarse: Return the coarse copy.

        Raises:
            MeshError: Colours by part need the mesh read again, and it cannot be read.
        """
        model = prepared.coarse if coarse else prepared.model
        if colouring == "logged":
            return model
        if colouring == "height":
            key = prepared.key, colouring, coarse
            return replace(model, colours=get_or_compute(self._colours, key, lambda: colour_by_height(model)))
        if colouring == "part" and not model.is_cloud:
            part_key = prepared.key, colouring
            return model.with_colours(
                get_or_compute(self._colours, part_key, lambda: colour_by_part(self.read(step, sample)))
            )
        return model.with_colours(None)

    def measure_movement(self, step: ShownStep, other: ShownStep, sample: MeshSample) -> Movement:
        """Return the distances of the vertices of a mesh to those at another step or of another run.

        Raises:
            MeshError: One of the meshes cannot be read, or nothing can be compared.
        """

        def measure() -> Movement:
            vertices, others = (self.read(each, sample).vertices for each in (step, other))
            movement = measure_movement(vertices, others)
            if movement is None:
                raise MeshError("nothing can be compared")
            return movement

        return get_or_compute(self._movements, (self._identity(step, sample), self._identity(other, sample)), measure)

    def _identity(self, step: ShownStep, sample: MeshSample) -> Hashable:
        run = step.steps.run
        series = self._cards.meshes(run).get(sample.name)
        return None if series is None else (identify(run, series, step.step, step.wall_time), sample.index)


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


Result = TypeVar("Result", bound=_Sized)


def get_or_compute(cache: ByteCache[Result | str], key: Hashable, compute: Callable[[], Result]) -> Result:
    """Return a cached result, or compute and cache it. The message of a MeshError is cached too.

    Raises:
        MeshError: There is no result.
    """
    cached = cache.get(key)
    if cached is None:
        try:
            cached = compute()
        except MeshError as error:
            cached = str(error)
        cache.put(key, cached, REASON_BYTES if isinstance(cached, str) else cached.nbytes)
    if isinstance(cached, str):
        raise MeshError(cached)
    return cached


PART_COLOURS = np.array(
    [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [0, 114, 178], [213, 94, 0]],
    np.uint8,
)
"""Colours of parts, the largest first; source: Okabe and Ito, "Color Universal Design", 2008."""


def colour_by_height(model: MeshModel) -> Colours:
    """Return colours by y, from the lowest to the highest vertex, uint8[n, 3]."""
    y = model.vertices[:, 1]
    known = y[np.isfinite(y)]
    if not len(known) or known.max() == known.min():
        return np.tile(np.array([GREY], np.uint8), (len(y), 1))
    return map_colours((y - known.min()) / (known.max() - known.min()))


def colour_by_part(mesh: Mesh) -> Colours:
    """Return one colour for each part, grey for vertices without a face, uint8[n, 3]."""
    part_of_vertex, _ = find_parts(mesh)
    colours: Colours = PART_COLOURS[part_of_vertex % len(PART_COLOURS)]
    colours[part_of_vertex < 0] = GREY
    return colours


def colour_by_movement(movement: Movement) -> Colours:
    """Return colours from resting vertices (dark) to the greatest distance (bright), uint8[n, 3]."""
    return map_colours(movement.distances / (movement.greatest or 1.0))


@frozen(eq=False)
class PreparedMesh:
    """One sample of a mesh at one step, ready to be drawn."""

    key: Hashable
    """Identity among all meshes of a session."""

    model: MeshModel
    coarse: MeshModel
    """The copy that is drawn on cards, and while the camera moves; the model itself if it is small."""

    counts: MeshCounts
    """Vertices and faces as logged."""

    config: MeshConfig
    size: tuple[float, ...] | None
    """Sides of the box in the units of the log; None without a finite vertex."""

    camera: MeshCamera | None
    """Camera of the log."""

    notes: tuple[str, ...] = ()
    """Changes and missing tensors, as of `Mesh`."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.model.nbytes + (0 if self.coarse is self.model else self.coarse.nbytes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Defects, reductions and notes, one short sentence each."""
        defects = self.model.defects
        texts = (
            format_count(defects.degenerate, "degenerate face") if defects.degenerate else "",
            f"{format_count(defects.out_of_range, 'face')} of unknown vertices" if defects.out_of_range else "",
            f"{format_count(defects.not_finite, 'vertex', 'vertices')} not finite" if defects.not_finite else "",
            self._reduction,
        )
        return (*filter(None, texts), *self.notes)

    @property
    def _reduction(self) -> str:
        """Return `drawn from a copy of 2,000,000 faces` if even the model is a copy; empty otherwise."""
        if max(self.counts.vertices, self.counts.faces or 0) <= MAX_MODEL_ITEMS:
            return ""
        vertices, faces = len(self.model.vertices), len(self.model.faces)
        remaining = format_count(vertices, "vertex", "vertices") if self.model.is_cloud else format_count(faces, "face")
        return f"drawn from a copy of {remaining}"


def prepare(key: Hashable, mesh: Mesh) -> PreparedMesh:
    """Prepare a mesh for drawing. Takes .1 s for 200,000 faces."""
    model = prepare_mesh(mesh.vertices, mesh.faces, mesh.colours)
    box = find_box(mesh.vertices)
    size = None if box is None else tuple((box[1] - box[0]).tolist())
    return PreparedMesh(
        key,
        model,
        coarsen(model),
        mesh.counts,
        mesh.config,
        size,
        _convert_logged_camera(model, mesh.config),
        mesh.notes,
    )


def _convert_logged_camera(model: MeshModel, config: MeshConfig) -> MeshCamera | None:
    """Return the camera of the log, if there is one.

    TensorBoard moves a cloud to its centre, and leaves a mesh where it is.
    """
    if config.position is None:
        return None
    size = model.size or 1.0
    origin = model.centre if model.is_cloud else (0.0, 0.0, 0.0)
    position, focus = (
        tuple((coordinate - middle) / size for coordinate, middle in zip(point, origin, strict=True))
        for point in (config.position, config.look_at)
    )
    return place_camera((position[0], position[1], position[2]), (focus[0], focus[1], focus[2]), config.view_angle)
