"""Distances of vertices between two steps, or between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Array: TypeAlias = npt.NDArray[Any]

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
        distances, references = _vector_lengths(vertices.astype(np.float64) - others), None
    else:
        others = others[np.isfinite(others).all(1)]
        if not len(others):
            return None
        max_references = max(MIN_REFERENCES, min(MAX_REFERENCES, MAX_PAIRS // max(len(vertices), 1)))
        if len(others) > max_references:
            others = others[np.sort(np.random.default_rng(0).choice(len(others), max_references, replace=False))]
        distances, references = _nearest_distances(vertices, others), len(others)
    known = distances[np.isfinite(distances)]
    if not len(known):
        return None
    high = float(np.percentile(known, 95))
    return Movement(distances, float(known.mean()), high, float(known.max()), references)


def _vector_lengths(differences: Array) -> Array:
    """Return the lengths of vectors; also of enormous ones, whose squares are infinite."""
    largest = np.abs(differences).max(axis=1, initial=0.0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(scale * np.sqrt(((differences / scale[:, None]) ** 2).sum(1)))


def _nearest_distances(vertices: Array, others: Array) -> Array:
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
        distances[begin : begin + step] = _vector_lengths(some - targets[nearest])
    return distances * scale
