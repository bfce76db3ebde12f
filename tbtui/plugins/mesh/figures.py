"""Figures of a mesh: box, area, volume, open edges, parts; and distances of vertices between two steps or runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.charts.mesh_model import FaceDefects, prepare_mesh
from tbtui.frozen import frozen
from tbtui.plugins.mesh.read import find_box

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.mesh.read import Mesh

    Array: TypeAlias = npt.NDArray[Any]

WELD_SHARE = 1e-6
"""Vertices closer than this part of the longest side are one: seams of textures and poles of spheres are not open."""


@frozen
class MeshFigures:
    """Numbers about one sample of a mesh."""

    vertices: int
    faces: int
    low: tuple[float, float, float] | None
    """Least coordinates of the box; None without a finite vertex."""

    high: tuple[float, float, float] | None
    defects: FaceDefects = FaceDefects()
    repeated: int = 0
    """Faces with the same corners as an earlier one."""

    area: float | None = None
    """Area of all faces; None for a cloud of points, and for a mesh too large to measure."""

    volume: float | None = None
    """Volume inside; None unless each edge has two faces."""

    open_edges: int = 0
    """Edges of a single face."""

    crowded_edges: int = 0
    """Edges of more than two faces."""

    parts: int = 0
    """Parts that no face connects; 0 for a cloud of points."""

    @property
    def centre(self) -> tuple[float, ...] | None:
        """Centre of the box."""
        if self.low is None or self.high is None:
            return None
        return tuple(low / 2 + high / 2 for low, high in zip(self.low, self.high, strict=True))

    @property
    def size(self) -> tuple[float, ...] | None:
        """Sides of the box."""
        if self.low is None or self.high is None:
            return None
        return tuple(high - low for low, high in zip(self.low, self.high, strict=True))

    @property
    def is_closed(self) -> bool:
        """True if each edge has exactly two faces."""
        return bool(self.faces) and not self.open_edges and not self.crowded_edges


def measure_mesh(mesh: Mesh) -> MeshFigures:
    """Return the figures of a mesh. Takes .5 s for a million faces."""
    box = find_box(mesh.vertices)
    low, high = (None, None) if box is None else (_point(box[0]), _point(box[1]))
    logged = 0 if mesh.faces is None else len(mesh.faces)
    model = prepare_mesh(mesh.vertices, mesh.faces)
    count = len(mesh.vertices)
    if model.is_cloud or model.members is not None:  # of an enormous mesh there is only a coarse copy
        return MeshFigures(count, logged, low, high, model.defects)
    welded, _ = _weld(model.vertices)
    faces = welded[model.faces]
    faces, repeated = _drop_repeated(faces)
    corners = mesh.vertices[model.faces].astype(np.float64)
    about = np.array([0.0] * 3 if box is None else (box[0] / 2 + box[1] / 2))
    with np.errstate(over="ignore", invalid="ignore"):
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = float(np.sqrt((across**2).sum(1)).sum() / 2)
        volume = abs(float(np.einsum("ij,ij->", corners[:, 0] - about, across))) / 6
    _, faces_of_edges = np.unique(_number_edges(faces), return_counts=True)
    open_edges, crowded = int((faces_of_edges == 1).sum()), int((faces_of_edges > 2).sum())
    is_closed = not open_edges and not crowded and not repeated
    return MeshFigures(
        count,
        logged,
        low,
        high,
        model.defects,
        repeated,
        area,
        volume if is_closed and np.isfinite(volume) else None,
        open_edges,
        crowded,
        len(np.unique(label_parts(faces, int(welded.max()) + 1)[faces])),
    )


def _point(values: Array) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])


def _weld(vertices: Array) -> tuple[Array, int]:
    """Return the index of the position of each vertex, int64[n], and the number of positions."""
    cells = np.rint(np.nan_to_num(vertices.astype(np.float64), nan=9.0) / WELD_SHARE).astype(np.int64)
    cells -= cells.min(0)
    spans = cells.max(0) + 1
    keys = (cells[:, 0] * spans[1] + cells[:, 1]) * spans[2] + cells[:, 2]
    _, positions = np.unique(keys, return_inverse=True)
    return positions.reshape(-1), int(positions.max()) + 1


def _drop_repeated(faces: Array) -> tuple[Array, int]:
    """Return faces without those that repeat others, and their number; faces that welding made lines go too."""
    is_face = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[is_face]
    ordered = np.sort(faces, axis=1)
    _, first = np.unique(ordered, axis=0, return_index=True)
    return faces[np.sort(first)], len(faces) - len(first)


def _number_edges(faces: Array) -> Array:
    """Return a number for each edge of each face; equal edges have equal numbers."""
    corners = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    least, greatest = corners.min(1), corners.max(1)
    keys: Array = least * (int(greatest.max(initial=0)) + 1) + greatest
    return keys


def label_parts(faces: Array, count: int) -> Array:
    """Return the part that each of `count` vertices belongs to: the least vertex that faces connect it with, int64."""
    labels = np.arange(count)
    while True:
        least = labels[faces].min(1)
        before = labels.copy()
        for corner in range(3):
            np.minimum.at(labels, faces[:, corner], least)
        while True:  # each label points at one that is less; follow all of them to the ends
            shorter = labels[labels]
            if np.array_equal(shorter, labels):
                break
            labels = shorter
        if np.array_equal(labels, before):
            return labels


def find_parts(mesh: Mesh) -> tuple[Array, int]:
    """Return the part of each vertex, int64[n] from 0 on, the largest first, and their number; -1: no face has it."""
    model = prepare_mesh(mesh.vertices, mesh.faces)
    none = np.full(len(mesh.vertices), -1)
    if model.is_cloud or model.members is not None:
        return none, 0
    welded, count = _weld(model.vertices)
    faces = welded[model.faces]
    labels = label_parts(faces, count)[welded]
    is_used = np.isin(welded, faces)
    labels_in_use, numbers, sizes = np.unique(labels[is_used], return_inverse=True, return_counts=True)
    rank = np.empty(len(labels_in_use), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(labels_in_use))
    none[is_used] = rank[numbers.reshape(-1)]
    return none, len(labels_in_use)


MAX_PAIRS = 100_000_000
"""Distances that are computed where two clouds have different numbers of points: .5 s."""

MAX_REFERENCES, MIN_REFERENCES = 4096, 256
"""Points of the other cloud of which the nearest is taken."""

_PORTION = 1 << 22


@frozen(eq=False)
class Movement:
    """Distances of the vertices of one mesh to those of another."""

    distances: Array
    """float64[n]; NaN where a vertex is nowhere."""

    mean: float
    high: float
    """95 % of the distances are at most this one."""

    greatest: float
    references: int | None = None
    """None: each vertex is compared with the one of the same index. Otherwise the number of points of the other mesh,
    of which the nearest counts."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.distances.nbytes


def measure_movement(vertices: Array, others: Array) -> Movement | None:
    """Return the distance of each vertex to the same vertex of the other mesh.

    If the meshes have different numbers of vertices, it is the distance to the nearest point of a sample.

    Returns:
        The distances; None if nothing can be compared.
    """
    if len(vertices) == len(others):
        distances, references = _measure_vectors(vertices.astype(np.float64) - others), None
    else:
        others = others[np.isfinite(others).all(1)]
        if not len(others):
            return None
        max_references = max(MIN_REFERENCES, min(MAX_REFERENCES, MAX_PAIRS // max(len(vertices), 1)))
        if len(others) > max_references:
            others = others[np.sort(np.random.default_rng(0).choice(len(others), max_references, replace=False))]
        distances, references = _measure_nearest_distances(vertices, others), len(others)
    known = distances[np.isfinite(distances)]
    if not len(known):
        return None
    high = float(np.percentile(known, 95))
    return Movement(distances, float(known.mean()), high, float(known.max()), references)


def _measure_vectors(differences: Array) -> Array:
    """Return the lengths of vectors; also of enormous ones, whose squares are infinite."""
    largest = np.abs(differences).max(axis=1, initial=0.0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(scale * np.sqrt(((differences / scale[:, None]) ** 2).sum(1)))


def _measure_nearest_distances(vertices: Array, others: Array) -> Array:
    """Return the distance of each vertex to the nearest of some points."""
    middle = others.mean(0, dtype=np.float64)
    scale = float(np.abs(others - middle).max()) or 1.0
    points, targets = (vertices - middle) / scale, ((others - middle) / scale).astype(np.float64)
    squares = (targets**2).sum(1)
    step = max(_PORTION // len(targets), 1)
    distances = np.full(len(points), np.nan)
    for begin in range(0, len(points), step):
        some = points[begin : begin + step].astype(np.float64)
        with np.errstate(invalid="ignore"):
            nearest = (squares - 2 * (some @ targets.T)).argmin(1)
        distances[begin : begin + step] = _measure_vectors(some - targets[nearest])
    return distances * scale
