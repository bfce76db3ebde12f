"""Nearest neighbours of points, and what they say about labels: accuracy, and which labels are mixed with which.

All distances are those of the vectors themselves. TensorBoard computes them after it has moved and scaled the vectors,
and drops negative cosine distances on the GPU, so that nearest points are missing (its issues 2421 and 6271).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]
    Indices: TypeAlias = npt.NDArray[np.int32]

Metric: TypeAlias = Literal["cosine", "euclidean"]
METRICS: tuple[Metric, ...] = ("cosine", "euclidean")

BLOCK_ROWS = 512
"""Maximum rows whose distances to all points are in memory at once."""

MAX_BLOCK_VALUES = 1 << 23
"""Distances that are in memory at once: 32 MB."""


class NeighbourIndex:
    """Finds the nearest points by brute force, which is exact: 10 ms for one of 88,588 points of 300 dimensions.

    Args:
        points: float32[n, d]; rows with NaN or infinity are no neighbours of any point.
        finite: True for each finite row.
    """

    def __init__(self, points: Floats, finite: npt.NDArray[np.bool_]) -> None:
        self.points = points
        self.finite = finite

    @cached_property
    def squares(self) -> Floats:
        """Squared length of each vector, float32[n]."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.einsum("ij,ij->i", self.points, self.points))

    @cached_property
    def lengths(self) -> Floats:
        """Length of each vector, float32[n]."""
        return np.sqrt(self.squares)

    def is_usable(self, metric: Metric) -> npt.NDArray[np.bool_]:
        """Return True for each point that has distances: the angle of a zero vector is not defined."""
        return self.finite & (self.lengths > 0) if metric == "cosine" else self.finite

    def distances(self, point: int, metric: Metric) -> Floats:
        """Return the distances of all points from one of them, float32[n]; infinite where they are not defined."""
        if not self.is_usable(metric)[point]:
            return np.full(len(self.points), np.inf, np.float32)
        return self.distances_from(self.points[point], metric)

    def distances_from(self, vector: Floats, metric: Metric) -> Floats:
        """Return the distances of all points from a vector, float32[n]; infinite where they are not defined."""
        with np.errstate(all="ignore"):
            products = self.points @ vector
            length = float(np.sqrt(np.dot(vector.astype(np.float64), vector)))
            if metric == "cosine":
                distances = 1 - products / (self.lengths * np.float32(length))
            else:
                products *= -2
                products += self.squares
                products += np.float32(length**2)
                distances = np.sqrt(np.maximum(products, 0))
        distances[~self.is_usable(metric)] = np.inf
        return np.asarray(distances)

    def nearest(
        self, point: int, count: int, metric: Metric, among: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Indices, Floats]:
        """Return the nearest points to one of them and their distances, the nearest first; equal ones by number.

        The distances of those found are computed again in float64, since sums of large squares lose what is small.

        Args:
            point: Number of the point, which is not its own neighbour.
            count: Maximum number of neighbours.
            metric: Distance.
            among: Points that may be neighbours, bool[n]; None: all.
        """
        distances = self.distances(point, metric)
        distances[point] = np.inf
        if among is not None:
            distances[~among] = np.inf
        count = min(count, int(np.isfinite(distances).sum()))
        if not count:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        rough = np.argpartition(distances, min(count + count // 4 + 8, len(distances)) - 1)[: count + count // 4 + 8]
        rough = rough[np.isfinite(distances[rough])]
        exact = _exact_distances(self.points[rough], self.points[point], metric)
        order = np.lexsort((rough, exact))[:count]
        return rough[order].astype(np.int32), exact[order].astype(np.float32)

    def all_nearest(
        self, count: int, metric: Metric, queries: npt.NDArray[np.intp] | None = None
    ) -> Iterator[tuple[float, Indices, Floats]]:
        """Yield progress from 0 to 1, and at its end the nearest points of all, int32[n, count], and their distances.

        Before the end, rows that are not computed hold -1. The points must be usable.

        Args:
            count: Neighbours of each point.
            metric: Distance.
            queries: Points whose neighbours are wanted, int[m]; None: all. The neighbours are among all points.
        """
        asked = np.arange(len(self.points)) if queries is None else queries
        rows = len(asked)
        count = min(count, len(self.points) - 1)
        neighbours, distances = (
            np.full((rows, max(count, 0)), -1, np.int32),
            np.zeros((rows, max(count, 0)), np.float32),
        )
        if count < 1 or not rows:
            yield 1.0, neighbours, distances
            return
        points = self.points / np.maximum(self.lengths, 1e-30)[:, None] if metric == "cosine" else self.points
        if metric == "euclidean":  # distances do not change, and their rounding falls
            points = points - points.mean(axis=0, dtype=np.float64).astype(np.float32)
        squares = np.einsum("ij,ij->i", points, points)
        size = max(min(BLOCK_ROWS, MAX_BLOCK_VALUES // len(points)), 1)
        for begin in range(0, rows, size):
            part = asked[begin : begin + size]
            away = points[part] @ points.T
            away *= -2
            away += squares
            away += squares[part, None]
            away[np.arange(len(part)), part] = np.inf
            near = np.argpartition(away, count - 1, axis=1)[:, :count]
            near_away = np.take_along_axis(away, near, 1)
            order = np.argsort(near_away, axis=1, kind="stable")
            neighbours[begin : begin + len(part)] = np.take_along_axis(near, order, 1)
            near_away = np.maximum(np.take_along_axis(near_away, order, 1), 0)
            distances[begin : begin + len(part)] = near_away / 2 if metric == "cosine" else np.sqrt(near_away)
            yield min((begin + len(part)) / rows, 1.0), neighbours, distances


def _exact_distances(points: Floats, vector: Floats, metric: Metric) -> npt.NDArray[np.float64]:
    wide, one = points.astype(np.float64), vector.astype(np.float64)
    if metric == "euclidean":
        return np.asarray(np.linalg.norm(wide - one, axis=1))
    cosine = wide @ one / (np.linalg.norm(wide, axis=1) * np.linalg.norm(one))
    return np.asarray(np.maximum(1 - cosine, 0))


@frozen(eq=False)
class LabelAgreement:
    """Agreement of the labels of points with those of their nearest neighbours."""

    neighbours: int
    """Neighbours per point."""

    accuracy: float
    """Share of the points whose most frequent neighbouring label is their own."""

    purity: float
    """Share of all neighbours that have the label of their point."""

    shares: npt.NDArray[np.float64]
    """Share of the neighbours of each point with its label, float64[n]; NaN for points without label."""

    counts: npt.NDArray[np.int64]
    """Neighbours by label of the point and label of the neighbour, int64[labels, labels]."""

    accuracies: npt.NDArray[np.float64]
    """Accuracy of the points of each label, float64[labels]; NaN for a label without rated points."""

    rated: npt.NDArray[np.int64]
    """Points of each label with labelled neighbours, int64[labels]."""

    def mixed(self) -> list[tuple[int, int, float]]:
        """Return pairs of labels by how often the second is a neighbour of the first, as a share, most first."""
        totals = self.counts.sum(axis=1)
        pairs = [
            (int(own), int(other), float(self.counts[own, other] / totals[own]))
            for own, other in zip(*np.nonzero(self.counts), strict=True)
            if own != other
        ]
        return sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))

    def label_purity(self) -> npt.NDArray[np.float64]:
        """Return the share of neighbours with the same label for each label, float64[labels]; NaN without points."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.diag(self.counts) / self.counts.sum(axis=1))


def label_agreement(
    nearest: Indices, codes: npt.NDArray[np.int32], labels: int, own_codes: npt.NDArray[np.int32] | None = None
) -> LabelAgreement:
    """Return the agreement of labels with those of neighbours.

    Args:
        nearest: Neighbours of each rated point, the nearest first, int32[m, k].
        codes: Label of each point, int32[n]; -1: none. Neighbours without label do not count.
        labels: Number of labels.
        own_codes: Labels of the rated points, int32[m]; None: all points are rated.
    """
    others = codes[nearest]
    codes = codes if own_codes is None else own_codes
    known = (others >= 0) & (codes[:, None] >= 0)
    same = (others == codes[:, None]) & known
    totals = known.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(totals > 0, same.sum(axis=1) / totals, np.nan)
    own = np.repeat(codes, nearest.shape[1]).reshape(others.shape)[known]
    counts = np.bincount(own * labels + others[known], minlength=labels * labels).reshape(labels, labels)
    rated = totals > 0
    votes = np.zeros(len(codes), np.int32)
    for begin in range(0, len(codes), BLOCK_ROWS):  # of equal counts the label of the nearer neighbour wins
        block = slice(begin, begin + BLOCK_ROWS)
        tally = np.zeros((len(codes[block]), labels))
        for index in range(nearest.shape[1]):
            chosen = known[block, index]
            tally[np.flatnonzero(chosen), others[block, index][chosen]] += 1 + 1e-6 * (nearest.shape[1] - index)
        votes[block] = tally.argmax(axis=1)
    accuracy = float((votes == codes)[rated].mean()) if bool(rated.any()) else float("nan")
    purity = float(same.sum() / known.sum()) if bool(known.any()) else float("nan")
    of_label = np.bincount(codes[rated], minlength=labels)
    right = np.bincount(codes[rated & (votes == codes)], minlength=labels)
    with np.errstate(invalid="ignore", divide="ignore"):
        accuracies = np.asarray(right / of_label)
    return LabelAgreement(nearest.shape[1], accuracy, purity, shares, counts, accuracies, of_label)


def kept_neighbours(before: Indices, after: Indices) -> npt.NDArray[np.float64]:
    """Return for each point the share of its neighbours that are the same in both (Jaccard), float64[n].

    Args:
        before: int32[n, k].
        after: int32[n, k].
    """
    common = np.zeros(len(before), np.int64)
    for index in range(before.shape[1]):
        common += (before[:, index, None] == after).any(axis=1)
    width = before.shape[1] + after.shape[1]
    return np.asarray(common / np.maximum(width - common, 1))
