"""Read one sample of a mesh at one step: its tensors joined, checked and converted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.events.values import NO_VALUE, EventTime, StaleValueError, read_stored_value
from tbtui.frozen import frozen
from tbtui.loading.payloads import format_too_large
from tbtui.plugins.mesh.config import MeshConfig, parse_config
from tbtui.plugins.mesh.decode import (
    COLOURS,
    FACES,
    KNOWN_VERSION,
    VERTICES,
    MeshError,
    convert_colours,
    convert_faces,
    convert_vertices,
    count_samples,
    read_array,
    read_content,
    select_sample,
)
from tbtui.plugins.mesh.series import find_point, find_point_before

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.mesh.series import MeshSeries
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

    Array: TypeAlias = npt.NDArray[Any]

MAX_VALUE_BYTES = 512 << 20
"""Size of a record that is read: 14 million vertices with faces and colours. A damaged length may claim more."""


@frozen(eq=False)
class Mesh:
    """One sample of a mesh at one step."""

    vertices: Array
    """float32 or float64[n, 3] in the units of the log."""

    faces: Array | None = None
    """int64[m, 3]: indices of vertices as logged, also those out of range; None: a cloud of points."""

    colours: Array | None = None
    """uint8[n, 3]; None: none were logged."""

    config: MeshConfig = MeshConfig()
    config_text: str = ""
    samples: int = 1
    """Samples of the step."""

    notes: tuple[str, ...] = ()
    """Changes and missing tensors, one short sentence each."""

    faces_step: int | None = None
    """Step of the faces if they are those of an earlier step."""

    nbytes: int = 0
    """Bytes of the records of this step."""

    @property
    def counts(self) -> MeshCounts:
        """Numbers of vertices and faces."""
        faces = None if self.faces is None else len(self.faces)
        return MeshCounts(len(self.vertices), faces, self.colours is not None)


class MeshCounts(NamedTuple):
    """Numbers of vertices and faces of a mesh as logged."""

    vertices: int
    faces: int | None
    """None: a cloud of points."""

    has_colours: bool

    @property
    def text(self) -> str:
        """Return `128 vertices · 224 faces · colours`."""
        return " · ".join(filter(None, (self.size_text, "colours" if self.has_colours else "")))

    @property
    def size_text(self) -> str:
        """Return `128 vertices · 224 faces`."""
        faces = "" if self.faces is None else format_count(self.faces, "face")
        return " · ".join(filter(None, (format_count(self.vertices, "vertex", "vertices"), faces)))

    @property
    def short_text(self) -> str:
        """Return `128 v · 224 f`, for cards without room for words."""
        return f"{self.vertices:,} v" + ("" if self.faces is None else f" · {self.faces:,} f")


class TensorPoint(NamedTuple):
    """Series and point of a tensor of a mesh."""

    content_type: int
    series: ReferenceSeries
    point: int
    is_earlier: bool = False
    """True if it is the tensor of an earlier step."""


def find_tensor_points(mesh: MeshSeries, step: int, wall_time: float) -> tuple[TensorPoint, ...]:
    """Return the tensors of a mesh at a step; missing faces and colours are those of the step before."""
    points = []
    for content_type, series in mesh.tensors.items():
        point = find_point(series, step, wall_time)
        if point is not None:
            points.append(TensorPoint(content_type, series, point))
        elif content_type != VERTICES and (earlier := find_point_before(series, step)) is not None:
            points.append(TensorPoint(content_type, series, earlier, is_earlier=True))
    return tuple(points)


def identify(run: RunSnapshot, mesh: MeshSeries, step: int, wall_time: float) -> Hashable:
    """Return the identity of a mesh at a step among all that a session reads."""
    offsets = tuple(
        (each.content_type, *(int(column[each.point]) for column in (each.series.files, each.series.offsets)))
        for each in find_tensor_points(mesh, step, wall_time)
    )
    return run.name, run.reading, mesh.name, step, offsets


def read_mesh(
    payloads: Payloads, run: RunSnapshot, mesh: MeshSeries, step: int, wall_time: float, sample: int = 0
) -> Mesh:
    """Read one sample of a mesh.

    Args:
        payloads: Reader of the event files.
        run: The run, of the same snapshot as `mesh`.
        mesh: Series of the mesh.
        step: Step of its vertices.
        wall_time: Wall time of its vertices.
        sample: Index of the sample.

    Raises:
        MeshError: There are no vertices, or they cannot be read. Faces and colours that cannot be read are noted.
    """
    reader = _StepReader(payloads, run)
    points = {each.content_type: each for each in find_tensor_points(mesh, step, wall_time)}
    if mesh.vertices is None:
        raise MeshError(f"{mesh.has}, but no vertices were logged")
    if VERTICES not in points:
        raise MeshError("no vertices were logged at this step")
    array = reader.array(points[VERTICES])
    samples = count_samples(array)
    vertices = convert_vertices(select_sample(array, sample, VERTICES))
    content = reader.content(points[VERTICES])
    config_text = "" if content is None else content.config
    config = parse_config(config_text)
    notes = [*vertices.notes]
    if content is not None and content.version != KNOWN_VERSION:
        notes.append(f"written in version {content.version} of the format")
    faces, colours = None, None
    if (tensor_point := points.get(FACES)) is not None:
        faces, more = _read_faces(reader, tensor_point, sample, len(vertices.values))
        notes += more
    if (tensor_point := points.get(COLOURS)) is not None:
        colours, more = _read_colours(reader, tensor_point, sample, len(vertices.values))
        notes += more
    if config.problem:
        notes.append(config.problem)
    if config.unknown:
        notes.append(f"not drawn: {', '.join(dict.fromkeys(config.unknown))}")
    has_earlier_faces = FACES in points and points[FACES].is_earlier and faces is not None
    return Mesh(
        vertices.values,
        faces,
        colours,
        config,
        config_text,
        samples,
        tuple(notes),
        _step_of(points[FACES]) if has_earlier_faces else None,
        reader.nbytes,
    )


def _step_of(point: TensorPoint) -> int:
    return int(point.series.steps[point.point])


def _read_faces(reader: _StepReader, point: TensorPoint, sample: int, count: int) -> tuple[Array | None, list[str]]:
    """Return the faces of a sample, and notes."""
    try:
        converted = convert_faces(_sample(reader.array(point), sample, FACES))
    except MeshError as error:
        return None, [f"no faces: {error}"]
    faces, notes = converted.values, [*converted.notes]
    if point.is_earlier:
        where = f"faces of step {_step_of(point)}"
        if len(faces) and int(faces.max()) >= count:
            return None, [f"the {where} do not fit {count:,} vertices"]
        notes.append(where)
    return faces, notes


def _read_colours(reader: _StepReader, point: TensorPoint, sample: int, count: int) -> tuple[Array | None, list[str]]:
    """Return the colours of a sample, and notes."""
    try:
        array = _sample(reader.array(point), sample, COLOURS)
        if point.is_earlier:
            where = f"colours of step {_step_of(point)}"
            if len(array) != count:
                return None, [f"the {where} do not fit {count:,} vertices"]
        converted = convert_colours(array, count)
    except MeshError as error:
        return None, [f"no colours: {error}"]
    return converted.values, [*converted.notes, *([where] if point.is_earlier else [])]


def _sample(array: Array, sample: int, content_type: int) -> Array:
    """Return the faces or colours of a sample; a single one belongs to all samples."""
    return select_sample(array, 0 if count_samples(array) == 1 else sample, content_type)


class _StepReader:
    """Reads the values of one step; PyTorch writes all tensors into one event, which is then read once."""

    def __init__(self, payloads: Payloads, run: RunSnapshot) -> None:
        self._payloads = payloads
        self._run = run
        self._events: dict[tuple[int, int], Any] = {}
        self.nbytes = 0

    def array(self, point: TensorPoint) -> Array:
        """Return a tensor as logged; raise MeshError."""
        return read_array(self._value(point))

    def content(self, point: TensorPoint) -> Any:
        """Return the metadata of a tensor at this step, otherwise those of its first step."""
        value = self._value(point)
        step_content = value.metadata.plugin_data.content if value.HasField("metadata") else b""
        return read_content(bytes(step_content) or point.series.metadata.content)

    def _value(self, point: TensorPoint) -> Any:
        event, index = self._read_event(point), int(point.series.indices[point.point])
        if not 0 <= index < len(event.summary.value):
            raise MeshError(NO_VALUE)
        return event.summary.value[index]

    def _read_event(self, tensor_point: TensorPoint) -> Any:
        series, point = tensor_point.series, tensor_point.point
        offset = int(series.files[point]), int(series.offsets[point])
        if offset in self._events:
            return self._events[offset]
        length = int(series.lengths[point])
        if length > MAX_VALUE_BYTES:
            raise MeshError(format_too_large(length))
        block = self._payloads.read(self._run, series, [point])
        if point in block.errors:
            raise MeshError(block.errors[point])
        moment = EventTime(int(series.steps[point]), float(series.wall_times[point]))
        try:
            event = read_stored_value(block.payload(0), -1, moment)
        except StaleValueError as error:
            raise MeshError(str(error)) from error
        self._events[offset] = event
        self.nbytes += length
        return event


def find_box(vertices: Array) -> tuple[Array, Array] | None:
    """Return the least and the greatest finite coordinates; None without a finite vertex."""
    is_finite = np.isfinite(vertices).all(axis=1)
    if not is_finite.any():
        return None
    finite = vertices if is_finite.all() else vertices[is_finite]
    return finite.min(0).astype(np.float64), finite.max(0).astype(np.float64)
