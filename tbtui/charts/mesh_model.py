"""Prepare meshes and point clouds for drawing: one size, validated faces, normals, and coarser copies."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.mesh_camera import Extent
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]
    Faces: TypeAlias = npt.NDArray[np.int32]
    Colours: TypeAlias = npt.NDArray[np.uint8]

MIN_AREA_SHARE = 1e-6
"""Minimum of twice the area of a face, as a share of its longest side squared: float32 has no more digits. A face below
is a line."""

GRID_CELLS = 96
"""Cells along each side of the box of a coarse mesh. Of 200,000 faces of a sphere 55,000 remain; at most .02 % of the
pixels of 96 x 68 are lost, and the mean difference is .3 of 255."""

MAX_MODEL_ITEMS = 5_000_000
"""Maximum vertices, and faces, of a mesh that is kept in full: 360 MB of arrays. Larger ones are reduced."""

REDUCED_GRID_CELLS = 192
MAX_REDUCED_POINTS = 2_000_000
"""Size of a reduced mesh, and of a reduced cloud."""

MAX_COARSE_POINTS = 100_000
"""Points of a coarse cloud: drawn in 2 ms."""

_FACES_PER_BATCH = 1 << 20


@frozen
class FaceDefects:
    """Numbers of faces that cannot be drawn, and of vertices that are not finite."""

    not_finite: int = 0
    """Vertices with NaN or infinite coordinates."""

    out_of_range: int = 0
    """Faces with an index that no vertex has."""

    degenerate: int = 0
    """Faces that use a vertex twice, or whose corners lie on a line."""

    with_nonfinite_vertex: int = 0
    """Faces with a vertex that is not finite."""

    @property
    def faces(self) -> int:
        """Number of faces that are not drawn."""
        return self.out_of_range + self.degenerate + self.with_nonfinite_vertex

    def __add__(self, other: FaceDefects) -> FaceDefects:
        return FaceDefects(
            self.not_finite + other.not_finite,
            self.out_of_range + other.out_of_range,
            self.degenerate + other.degenerate,
            self.with_nonfinite_vertex + other.with_nonfinite_vertex,
        )


@frozen(slots=False, eq=False)
class MeshModel:
    """A mesh of n vertices and m faces, or a cloud of n points, prepared for drawing with any camera."""

    vertices: Floats
    """float32[n, 3] relative to the centre of the box, whose longest side is 1; NaN for vertices that are not finite.
    """

    faces: Faces
    """int32[m, 3]: the faces that can be drawn."""

    normals: Floats
    """float32[m, 3] of length 1."""

    colours: Colours | None
    """uint8[n, 3], one per vertex; None: none."""

    extent: Extent

    centre: tuple[float, float, float]
    """Centre of the box in the units of the log."""

    size: float
    """Longest side of the box in these units; 0 for a single point."""

    defects: FaceDefects = FaceDefects()
    members: npt.NDArray[np.int32] | None = None
    """Index of the vertex that replaces each original one in a coarse mesh, int32[original vertices]; -1: none."""

    @property
    def is_cloud(self) -> bool:
        """True if there is no face to draw."""
        return not len(self.faces)

    @cached_property
    def edges(self) -> Faces:
        """int32[k, 2]: every edge of a face, once."""
        corners = self.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        keys = corners.min(1).astype(np.int64) * len(self.vertices) + corners.max(1)
        return np.stack(np.divmod(np.unique(keys), max(len(self.vertices), 1)), 1).astype(np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        arrays = self.vertices, self.faces, self.normals, self.colours, self.members
        return sum(array.nbytes for array in arrays if array is not None)

    def with_colours(self, colours: Colours | None) -> MeshModel:
        """Return the mesh with other colours; for a coarse mesh, uint8[original vertices, 3]."""
        if colours is None or self.members is None:
            return replace(self, colours=colours)
        return replace(self, colours=_group_means(colours, self.members, len(self.vertices)).astype(np.uint8))


def prepare_mesh(
    vertices: npt.NDArray[np.floating],
    faces: npt.NDArray[np.integer] | None = None,
    colours: Colours | None = None,
) -> MeshModel:
    """Prepare a mesh for drawing. Takes 90 ms for 200,000 faces.

    Args:
        vertices: float[n, 3]; NaN and infinities are allowed.
        faces: int[m, 3], indices of vertices; may be out of range. None: a cloud of points.
        colours: uint8[n, 3].
    """
    if max(len(vertices), 0 if faces is None else len(faces)) > MAX_MODEL_ITEMS:
        return _prepare_reduced(vertices, faces, colours)
    cloud = prepare_mesh_points(vertices, colours)
    valid_faces, normals, defects = _validate_faces(cloud.vertices, np.isfinite(cloud.vertices[:, 0]), faces)
    return replace(cloud, faces=valid_faces, normals=normals, defects=cloud.defects + defects)


def prepare_mesh_points(vertices: npt.NDArray[np.floating], colours: Colours | None) -> MeshModel:
    """Prepare vertices without faces."""
    is_finite = np.isfinite(vertices).all(axis=1)
    low, high = np.zeros(3), np.zeros(3)
    if is_finite.any():
        finite = vertices if is_finite.all() else vertices[is_finite]
        low, high = finite.min(0).astype(np.float64), finite.max(0).astype(np.float64)
    centre = low / 2 + high / 2  # the sum of float64 limits may be infinite
    size = float((high / 2 - low / 2).max()) * 2
    if not np.isfinite(size):
        size = float(np.finfo(np.float64).max)
    positions = ((vertices - centre) / (size or 1.0)).astype(np.float32)
    positions[~is_finite] = np.nan
    return MeshModel(
        vertices=positions,
        faces=np.zeros((0, 3), np.int32),
        normals=np.zeros((0, 3), np.float32),
        colours=colours,
        extent=_measure_extent(positions),
        centre=(float(centre[0]), float(centre[1]), float(centre[2])),
        size=size,
        defects=FaceDefects(not_finite=int(len(vertices) - np.count_nonzero(is_finite))),
    )


def _measure_extent(vertices: Floats) -> Extent:
    """Return the largest distances of vertices from the centre; half of the box for a single point."""
    finite = vertices if not np.isnan(vertices).any() else vertices[~np.isnan(vertices[:, 0])]
    if not len(finite):
        return Extent()
    squared_distances = np.square(finite[:, 0]) + np.square(finite[:, 2])
    radius = math.sqrt(float((squared_distances + np.square(finite[:, 1])).max()))
    if not radius:
        return Extent()
    return Extent(radius, math.sqrt(float(squared_distances.max())), float(np.abs(finite[:, 1]).max()))


def _prepare_reduced(
    vertices: npt.NDArray[np.floating], faces: npt.NDArray[np.integer] | None, colours: Colours | None
) -> MeshModel:
    """Prepare a reduced copy of an enormous mesh, in batches, so that no array is as large as all its faces."""
    cloud = prepare_mesh_points(vertices, colours)
    if faces is None or not len(faces):
        return _sample_points(cloud, MAX_REDUCED_POINTS)
    members, count = _assign_cells(cloud.vertices, REDUCED_GRID_CELLS)
    reduced_faces, defects = [], cloud.defects
    for start in range(0, len(faces), _FACES_PER_BATCH):
        batch = faces[start : start + _FACES_PER_BATCH]
        is_in_range = np.asarray(((batch >= 0) & (batch < len(vertices))).all(axis=1))
        corners = members[np.where(is_in_range[:, None], batch, 0)]
        is_finite = is_in_range & (corners >= 0).all(axis=1)
        repeats_vertex = is_in_range & ~_has_distinct_corners(batch)
        reduced_faces.append(corners[is_finite & _has_distinct_corners(corners)])
        defects += FaceDefects(
            out_of_range=int((~is_in_range).sum()),
            degenerate=int((repeats_vertex & is_finite).sum()),
            with_nonfinite_vertex=int((is_in_range & ~is_finite).sum()),
        )
    distinct_faces = np.unique(np.concatenate(reduced_faces), axis=0)
    return replace(_merge_cells(cloud, members, count, distinct_faces), defects=defects)


def _merge_cells(model: MeshModel, members: npt.NDArray[np.int32], count: int, faces: Faces) -> MeshModel:
    """Return a mesh whose vertices are the means of the groups of `members`, int32[vertices of the model].

    Args:
        model: Mesh to reduce.
        members: Group of each vertex, from 0; -1: none.
        count: Number of groups.
        faces: Faces of the new vertices.
    """
    vertices = _group_means(model.vertices, members, count).astype(np.float32)
    valid_faces, normals, _ = _validate_faces(vertices, np.ones(count, bool), faces)
    colours = None if model.colours is None else _group_means(model.colours, members, count).astype(np.uint8)
    return replace(
        model,
        vertices=vertices,
        faces=valid_faces,
        normals=normals,
        colours=colours,
        members=_compose_members(model, members),
    )


def _compose_members(model: MeshModel, members: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return `members` by the vertices of the original mesh, of which the model may be a copy already."""
    if model.members is None:
        return members
    return np.where(model.members < 0, -1, members[model.members]).astype(np.int32)


def _has_distinct_corners(faces: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Return True for each face with three different corners."""
    first, second, third = faces[:, 0], faces[:, 1], faces[:, 2]
    return np.asarray((first != second) & (second != third) & (third != first))


def _validate_faces(
    vertices: Floats, is_finite: npt.NDArray[np.bool_], faces: npt.NDArray[np.integer] | None
) -> tuple[Faces, Floats, FaceDefects]:
    """Return the faces that can be drawn, their normals, and the numbers of the others."""
    none = np.zeros((0, 3), np.int32), np.zeros((0, 3), np.float32)
    if faces is None or not len(faces):
        return *none, FaceDefects()
    is_in_range = ((faces >= 0) & (faces < len(vertices))).all(axis=1)
    valid = (faces if is_in_range.all() else faces[is_in_range]).astype(np.int32)
    has_finite_corners = is_finite[valid].all(axis=1)
    with_nonfinite_vertex = int(len(valid) - np.count_nonzero(has_finite_corners))
    if with_nonfinite_vertex:
        valid = valid[has_finite_corners]
    first, second, third = (vertices[valid[:, corner]] for corner in range(3))
    first_side, second_side = second - first, third - first
    cross_product = np.cross(first_side, second_side)
    length = np.sqrt(np.einsum("ij,ij->i", cross_product, cross_product))
    longest_squared = np.maximum(
        np.maximum(np.einsum("ij,ij->i", first_side, first_side), np.einsum("ij,ij->i", second_side, second_side)),
        np.einsum("ij,ij->i", third - second, third - second),
    )
    has_area = length > MIN_AREA_SHARE * longest_squared
    degenerate = int(len(valid) - np.count_nonzero(has_area))
    if degenerate:
        valid, cross_product, length = valid[has_area], cross_product[has_area], length[has_area]
    defects = FaceDefects(
        out_of_range=int(len(faces) - np.count_nonzero(is_in_range)),
        degenerate=degenerate,
        with_nonfinite_vertex=with_nonfinite_vertex,
    )
    return valid, cross_product / length[:, None], defects


def coarsen(model: MeshModel, cells: int = GRID_CELLS) -> MeshModel:
    """Return a copy that is drawn fast while the camera moves; the model itself if it is small enough.

    The vertices in a cell of a grid are merged into their mean, and faces with two corners in one cell are dropped. A
    cloud keeps a random selection of its points, always the same.
    """
    if model.is_cloud:
        return _sample_points(model)
    if len(model.faces) <= cells * cells:
        return model
    members, count = _assign_cells(model.vertices, cells)
    faces = members[model.faces]
    return _merge_cells(model, members, count, faces[_has_distinct_corners(faces)])


def _assign_cells(vertices: Floats, cells: int) -> tuple[npt.NDArray[np.int32], int]:
    """Return the number of the occupied cell of each vertex (-1 if it is not finite), and the number of these cells."""
    cell = np.clip((vertices + np.float32(0.5)) * np.float32(cells), 0, cells - 1)
    is_finite = np.isfinite(cell).all(axis=1)
    if not is_finite.all():
        cell[~is_finite] = 0
    indices = cell.astype(np.int32)
    keys = (indices[:, 0] * cells + indices[:, 1]) * cells + indices[:, 2]
    keys[~is_finite] = cells**3
    is_occupied = np.zeros(cells**3 + 1, bool)  # faster than sorting the keys: a table of all cells
    is_occupied[keys] = True
    is_occupied[-1] = False
    numbers = np.cumsum(is_occupied, dtype=np.int32) - np.int32(1)
    numbers[-1] = -1
    return numbers[keys], int(is_occupied.sum())


def _sample_points(model: MeshModel, max_points: int = MAX_COARSE_POINTS) -> MeshModel:
    if len(model.vertices) <= max_points:
        return model
    selected = np.sort(np.random.default_rng(0).choice(len(model.vertices), max_points, replace=False))
    members = np.full(len(model.vertices), -1, np.int32)
    members[selected] = np.arange(len(selected), dtype=np.int32)
    colours = None if model.colours is None else model.colours[selected]
    original_members = _compose_members(model, members)
    return replace(model, vertices=model.vertices[selected], colours=colours, members=original_members)


def _group_means(
    values: npt.NDArray[np.generic], members: npt.NDArray[np.int32], count: int
) -> npt.NDArray[np.float64]:
    """Return the mean of the values of all members of each group, float64[count, 3]."""
    is_member = members >= 0
    if not is_member.all():
        values, members = values[is_member], members[is_member]
    sizes = np.maximum(np.bincount(members, minlength=count), 1)
    return np.stack([np.bincount(members, values[:, axis], count) / sizes for axis in range(values.shape[1])], 1)
