"""Export meshes: as files (PLY, OBJ, NPZ), and as a table of what they are.

Sources: G. Turk, "The PLY Polygon File Format", 1994 (tbtui writes the binary form); Wavefront OBJ, with colours after
coordinates as MeshLab and Blender read them; `numpy.savez_compressed`.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.charts.mesh_model import prepare_mesh
from tbtui.export.media import FILE
from tbtui.export.output import FileNames, StepNames
from tbtui.export.request import Rows
from tbtui.export.table import Table, build_object_column, mask_missing, select_current
from tbtui.loading.payloads import Payloads
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.read import find_box, read_mesh
from tbtui.plugins.mesh.series import find_meshes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.export.request import ExportRequest
    from tbtui.plugins.mesh.read import Mesh
    from tbtui.plugins.mesh.series import MeshSeries
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

    Row = dict[str, Any]
    from collections.abc import Callable

    Array: TypeAlias = npt.NDArray[Any]

_BOX = tuple(f"{end}_{axis}" for end in ("min", "max") for axis in "xyz")
_FACTS = ("sample", "vertices", "faces", "colours", *_BOX, "nan", "degenerate", "out_of_range", FILE, "problem")

_DTYPES: Mapping[str, npt.DTypeLike] = {
    **dict.fromkeys(("step", "sample", "vertices", "faces", "nan", "degenerate", "out_of_range"), np.int64),
    **dict.fromkeys(("wall_time", *_BOX), np.float64),
    "colours": np.bool_,
}
"""Columns of numbers and flags; all others hold texts."""

MAX_STEPS_PER_TABLE = 64
"""Maximum number of steps in one table. Its meshes are read one after another; only their figures are kept."""


def build_mesh_rows(request: ExportRequest) -> Rows:
    """Return one row for each sample of each mesh at each step; their files are written as the tables are read."""
    names = tuple(name for name in ("step", "wall_time", *_FACTS) if request.folder is not None or name != FILE)
    return Rows(names, _build_tables(request, names))


def _build_tables(request: ExportRequest, names: tuple[str, ...]) -> Iterator[Table]:
    files, payloads = FileNames(), Payloads()
    chosen = [
        (run, mesh, select_current(mesh.main, request.skipped) if request.current else mesh.main)
        for run in request.runs_without_scalars
        for mesh in find_meshes(run).values()
        if request.tag_matches(mesh.name) or any(map(request.tag_matches, mesh.tags))
    ]
    total, done = sum(len(series) for _, _, series in chosen), 0
    for run, mesh, series in chosen:
        stem = StepNames(files.stem(run.name, mesh.name), series.steps)
        for start in range(0, len(series), MAX_STEPS_PER_TABLE):
            points = range(start, min(start + MAX_STEPS_PER_TABLE, len(series)))
            rows = [row for point in points for row in _build_rows(request, payloads, run, mesh, series, stem, point)]
            done += len(points)
            request.on_progress(done, total)
            if rows:
                yield Table(run.name, mesh.name, {name: _build_column(name, rows) for name in names})


def _build_column(name: str, rows: Sequence[Row]) -> npt.NDArray[Any]:
    """Return a column of the table; numbers and flags are missing where a step cannot be read."""
    cells = [row.get(name) for row in rows]
    dtype = _DTYPES.get(name)
    if dtype is None:
        return build_object_column(cells)
    has_value = np.array([cell is not None for cell in cells], np.bool_)
    values = np.array([0 if cell is None else cell for cell in cells], dtype)
    return values if has_value.all() else mask_missing(values, has_value)


def _build_rows(
    request: ExportRequest,
    payloads: Payloads,
    run: RunSnapshot,
    mesh: MeshSeries,
    series: ReferenceSeries,
    stem: StepNames,
    point: int,
) -> Iterator[Row]:
    """Yield a row for each sample of a step; a step that cannot be read has one with the reason."""
    step, wall_time = int(series.steps[point]), float(series.wall_times[point])
    when: Row = {"step": step, "wall_time": wall_time}
    sample, samples = 0, 1
    while sample < samples:
        try:
            logged = read_mesh(payloads, run, mesh, step, wall_time, sample)
        except MeshError as error:
            request.skipped.add(series, {point: str(error)}, requested=1)
            yield {**when, "problem": str(error)}
            return
        samples = logged.samples
        row = {**when, "sample": sample, **_measure(logged), "problem": "; ".join(logged.notes)}
        if request.folder is not None:
            row[FILE] = stem.name(point, ".ply", sample if samples > 1 else None)
            request.folder.put(row[FILE], encode_ply(logged))
        request.skipped.add(series, {}, requested=1)  # one value more, none skipped
        yield row
        sample += 1


def _measure(mesh: Mesh) -> Row:
    defects = prepare_mesh(mesh.vertices, mesh.faces).defects
    box = find_box(mesh.vertices)
    ends: list[float | None] = [None] * 6 if box is None else [float(value) for end in box for value in end]
    return {
        "vertices": len(mesh.vertices),
        "faces": 0 if mesh.faces is None else len(mesh.faces),
        "colours": mesh.colours is not None,
        **dict(zip(_BOX, ends, strict=True)),
        "nan": defects.not_finite,
        "degenerate": defects.degenerate,
        "out_of_range": defects.out_of_range,
    }


PLY, OBJ, NPZ = "ply", "obj", "npz"


def select_valid_faces(mesh: Mesh) -> Array:
    """Return the faces whose indices all exist, int32[k, 3]: programs that read files trust them."""
    if mesh.faces is None:
        return np.zeros((0, 3), np.int32)
    is_valid = ((mesh.faces >= 0) & (mesh.faces < len(mesh.vertices))).all(axis=1)
    return np.asarray(mesh.faces[is_valid], np.int32)


def encode_ply(mesh: Mesh) -> bytes:
    """Return a mesh as binary PLY, little-endian, with the coordinates as logged."""
    number = "double" if mesh.vertices.dtype.itemsize > 4 else "float"
    kind = "<f8" if number == "double" else "<f4"
    fields: list[tuple[str, str]] = [(axis, kind) for axis in "xyz"]
    if mesh.colours is not None:
        fields += [(channel, "u1") for channel in ("red", "green", "blue")]
    rows = np.empty(len(mesh.vertices), fields)
    for column, axis in enumerate("xyz"):
        rows[axis] = mesh.vertices[:, column]
    if mesh.colours is not None:
        for column, channel in enumerate(("red", "green", "blue")):
            rows[channel] = mesh.colours[:, column]
    faces = select_valid_faces(mesh)
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(rows)}"]
    header += [f"property {number} {axis}" for axis in "xyz"]
    if mesh.colours is not None:
        header += [f"property uchar {channel}" for channel in ("red", "green", "blue")]
    if mesh.faces is not None:
        header += [f"element face {len(faces)}", "property list uchar int vertex_indices"]
    listed = np.empty(len(faces), [("count", "u1"), ("corners", "<i4", 3)])
    listed["count"], listed["corners"] = 3, faces
    return "\n".join((*header, "end_header\n")).encode() + rows.tobytes() + listed.tobytes()


def encode_obj(mesh: Mesh) -> bytes:
    """Return a mesh as OBJ; its numbers read back to the same floats."""
    digits = "%.17g" if mesh.vertices.dtype.itemsize > 4 else "%.9g"
    columns: Array = mesh.vertices.astype(np.float64)
    line = f"v {digits} {digits} {digits}\n"
    if mesh.colours is not None:
        columns = np.hstack([columns, mesh.colours / 255])
        line = f"v {digits} {digits} {digits} %.4g %.4g %.4g\n"
    faces = select_valid_faces(mesh).astype(np.int64) + 1
    text = (line * len(columns)) % tuple(columns.ravel().tolist())
    text += ("f %d %d %d\n" * len(faces)) % tuple(faces.ravel().tolist())
    return text.encode()


def encode_npz(mesh: Mesh) -> bytes:
    """Return the arrays as logged, and the configuration, as compressed NPZ without pickle."""
    arrays: dict[str, Any] = {"vertices": mesh.vertices, "config": np.array(mesh.config_text)}
    if mesh.faces is not None:
        arrays["faces"] = mesh.faces
    if mesh.colours is not None:
        arrays["colours"] = mesh.colours
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


WRITERS: dict[str, Callable[[Mesh], bytes]] = {PLY: encode_ply, OBJ: encode_obj, NPZ: encode_npz}
"""By the ending of the file, the default first."""
