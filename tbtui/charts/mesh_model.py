"""Prepare meshes and clouds of points for drawing: one size, checked faces, normals, and coarser copies."""

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
"""Twice the area of a face, as a share of its longest side squared, below which the face is a line: float32 has no
more digits."""

GRID_CELLS = 96
"""Cells along each side of the box of a coarse mesh. Of 200,000 faces of a sphere 55,000 remain; at most .02 % of the
pixels of 96 x 68 are lost, and the mean difference is .3 of 255."""

MAX_MODEL_ITEMS = 5_000_000
"""Vertices or faces beyond which only a coarse copy is kept: 360 MB of arrays otherwise."""

FINE_GRID_CELLS = 192
MAX_FINE_POINTS = 2_000_000
"""Size of such a copy."""

MAX_COARSE_POINTS = 100_000
"""Points of a coarse cloud: drawn in 2 ms."""


@frozen
class FaceDefects:
    """Faces that cannot be drawn, and vertices that are nowhere."""

    not_finite: int = 0
    """Vertices with NaN or infinite coordinates."""

    out_of_range: int = 0
    """Faces with an index that no vertex has."""

    degenerate: int = 0
    """Faces that use a vertex twice, or whose corners lie on a line."""

    without_place: int = 0
    """Faces with a vertex that is not finite."""

    @property
    def faces(self) -> int:
        """Number of faces that are not drawn."""
        return self.out_of_range + self.degenerate + self.without_place


@frozen(slots=False, eq=False)
class MeshModel:
    """A mesh of n vertices and m faces, or a cloud of n points, ready to be drawn with any camera."""

    vertices: Floats
    """float32[n, 3] about the centre of the box, its longest side 1; NaN where a coordinate is not finite."""

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
    """Vertex of a coarse mesh that replaces each original one, int32[vertices of the original]; -1: none."""

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
        """Return the mesh with other colours; of a coarse mesh, uint8[vertices of the original, 3]."""
        if colours is None or self.members is None:
            return replace(self, colours=colours)
        return replace(self, colours=_means(colours, self.members, len(self.vertices)).astype(np.uint8))

    def placed(self, points: npt.ArrayLike) -> Floats:
        """Return points of the log in the coordinates of the model."""
        return ((np.asarray(points, np.float64) - self.centre) / (self.size or 1.0)).astype(np.float32)


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
    drawn, normals, defects = _checked_faces(cloud.vertices, np.isfinite(cloud.vertices[:, 0]), faces)
    return replace(cloud, faces=drawn, normals=normals, defects=replace(defects, not_finite=cloud.defects.not_finite))


def prepare_mesh_points(vertices: npt.NDArray[np.floating], colours: Colours | None) -> MeshModel:
    """Prepare vertices alone."""
    is_finite = np.isfinite(vertices).all(axis=1)
    low, high = np.zeros(3), np.zeros(3)
    if is_finite.any():
        finite = vertices if is_finite.all() else vertices[is_finite]
        low, high = finite.min(0).astype(np.float64), finite.max(0).astype(np.float64)
    centre = low / 2 + high / 2  # the sum of float64 limits may be infinite
    size = float((high / 2 - low / 2).max()) * 2
    if not np.isfinite(size):
        size = float(np.finfo(np.float64).max)
    placed = ((vertices - centre) / (size or 1.0)).astype(np.float32)
    placed[~is_finite] = np.nan
    return MeshModel(
        placed,
        np.zeros((0, 3), np.int32),
        np.zeros((0, 3), np.float32),
        colours,
        _extent(placed),
        (float(centre[0]), float(centre[1]), float(centre[2])),
        size,
        FaceDefects(not_finite=int(len(vertices) - np.count_nonzero(is_finite))),
    )


def _extent(placed: Floats) -> Extent:
    """Return how far vertices reach from the centre; half of the box for a single point."""
    known = placed if not np.isnan(placed).any() else placed[~np.isnan(placed[:, 0])]
    if not len(known):
        return Extent()
    flat = np.square(known[:, 0]) + np.square(known[:, 2])
    radius = math.sqrt(float((flat + np.square(known[:, 1])).max()))
    if not radius:
        return Extent()
    return Extent(radius, math.sqrt(float(flat.max())), float(np.abs(known[:, 1]).max()))


_FACES_AT_ONCE = 1 << 20


def _prepare_reduced(
    vertices: npt.NDArray[np.floating], faces: npt.NDArray[np.integer] | None, colours: Colours | None
) -> MeshModel:
    """Prepare a fine coarse copy of an enormous mesh, in portions, so that no array is as large as all its faces."""
    cloud = prepare_mesh_points(vertices, colours)
    if faces is None or not len(faces):
        return _fewer_points(cloud, MAX_FINE_POINTS)
    members, count = _cell_members(cloud.vertices, FINE_GRID_CELLS)
    kept, found = [], FaceDefects()
    for start in range(0, len(faces), _FACES_AT_ONCE):
        some = faces[start : start + _FACES_AT_ONCE]
        in_range = np.asarray(((some >= 0) & (some < len(vertices))).all(axis=1))
        corners = members[np.where(in_range[:, None], some, 0)]
        has_place = in_range & (corners >= 0).all(axis=1)
        is_line, is_face = in_range & ~_has_three(some), _has_three(corners)
        kept.append(corners[has_place & is_face])
        found = FaceDefects(
            out_of_range=found.out_of_range + int((~in_range).sum()),
            degenerate=found.degenerate + int((is_line & has_place).sum()),
            without_place=found.without_place + int((in_range & ~has_place).sum()),
        )
    distinct = np.unique(np.concatenate(kept), axis=0)
    places = _means(cloud.vertices, members, count).astype(np.float32)
    drawn, normals, _ = _checked_faces(places, np.ones(count, bool), distinct)
    own = None if colours is None else _means(colours, members, count).astype(np.uint8)
    defects = replace(found, not_finite=cloud.defects.not_finite)
    return replace(cloud, vertices=places, faces=drawn, normals=normals, colours=own, defects=defects, members=members)


def _has_three(faces: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Return which faces have three different corners."""
    one, two, three = faces[:, 0], faces[:, 1], faces[:, 2]
    return np.asarray((one != two) & (two != three) & (three != one))


def _checked_faces(
    vertices: Floats, is_finite: npt.NDArray[np.bool_], faces: npt.NDArray[np.integer] | None
) -> tuple[Faces, Floats, FaceDefects]:
    """Return the faces that can be drawn, their normals, and the numbers of the others."""
    none = np.zeros((0, 3), np.int32), np.zeros((0, 3), np.float32)
    if faces is None or not len(faces):
        return *none, FaceDefects()
    in_range = ((faces >= 0) & (faces < len(vertices))).all(axis=1)
    found = (faces if in_range.all() else faces[in_range]).astype(np.int32)
    has_place = is_finite[found].all(axis=1)
    without_place = int(len(found) - np.count_nonzero(has_place))
    if without_place:
        found = found[has_place]
    first, second, third = (vertices[found[:, corner]] for corner in range(3))
    one, other = second - first, third - first
    across = np.cross(one, other)
    length = np.sqrt(np.einsum("ij,ij->i", across, across))
    longest = np.maximum(
        np.maximum(np.einsum("ij,ij->i", one, one), np.einsum("ij,ij->i", other, other)),
        np.einsum("ij,ij->i", third - second, third - second),
    )
    is_plane = length > MIN_AREA_SHARE * longest
    degenerate = int(len(found) - np.count_nonzero(is_plane))
    if degenerate:
        found, across, length = found[is_plane], across[is_plane], length[is_plane]
    normals = across / length[:, None]
    return (
        found,
        normals,
        FaceDefects(
            out_of_range=int(len(faces) - np.count_nonzero(in_range)),
            degenerate=degenerate,
            without_place=without_place,
        ),
    )


def coarse_copy(model: MeshModel, cells: int = GRID_CELLS) -> MeshModel:
    """Return a copy that is drawn fast while the camera moves; the model itself if it is small enough.

    Vertices of one cell of a grid become their mean, and faces with two corners in a cell go. A cloud keeps a fixed
    random part of its points.
    """
    if model.is_cloud:
        return _fewer_points(model)
    if len(model.faces) <= cells * cells:
        return model
    members, count = _cell_members(model.vertices, cells)
    vertices = _means(model.vertices, members, count).astype(np.float32)
    faces = members[model.faces]
    faces = faces[_has_three(faces)]
    drawn, normals, _ = _checked_faces(vertices, np.ones(count, bool), faces)
    colours = None if model.colours is None else _means(model.colours, members, count).astype(np.uint8)
    if model.members is not None:  # a copy of a copy
        members = np.where(model.members < 0, -1, members[model.members]).astype(np.int32)
    return replace(model, vertices=vertices, faces=drawn, normals=normals, colours=colours, members=members)


def _cell_members(vertices: Floats, cells: int) -> tuple[npt.NDArray[np.int32], int]:
    """Return the number of the occupied cell of each vertex (-1 where it is nowhere), and the number of such cells."""
    cell = np.clip((vertices + np.float32(0.5)) * np.float32(cells), 0, cells - 1)
    is_finite = np.isfinite(cell).all(axis=1)
    if not is_finite.all():
        cell[~is_finite] = 0
    whole = cell.astype(np.int32)
    keys = (whole[:, 0] * cells + whole[:, 1]) * cells + whole[:, 2]
    keys[~is_finite] = cells**3
    used = np.zeros(cells**3 + 1, bool)  # faster than sorting the keys: a table of all cells
    used[keys] = True
    used[-1] = False
    numbers = np.cumsum(used, dtype=np.int32) - np.int32(1)
    numbers[-1] = -1
    return numbers[keys], int(used.sum())


def _fewer_points(model: MeshModel, most: int = MAX_COARSE_POINTS) -> MeshModel:
    if len(model.vertices) <= most:
        return model
    kept = np.sort(np.random.default_rng(0).choice(len(model.vertices), most, replace=False))
    members = np.full(len(model.vertices), -1, np.int32)
    members[kept] = np.arange(len(kept), dtype=np.int32)
    if model.members is not None:  # a copy of a copy: from the vertices of the original to those that are left
        members = np.where(model.members < 0, -1, members[model.members]).astype(np.int32)
    colours = None if model.colours is None else model.colours[kept]
    return replace(model, vertices=model.vertices[kept], colours=colours, members=members)


def _means(values: npt.NDArray[np.generic], members: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.float64]:
    """Return the mean of the values of all members of each group, float64[count, 3]."""
    is_member = members >= 0
    if not is_member.all():
        values, members = values[is_member], members[is_member]
    sizes = np.maximum(np.bincount(members, minlength=count), 1)
    return np.stack([np.bincount(members, values[:, axis], count) / sizes for axis in range(values.shape[1])], 1)
