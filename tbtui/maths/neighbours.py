"""Nearest neighbours of points, and the agreement of labels with those of neighbours: accuracy and confusions.

All distances are those of the original vectors. TensorBoard shifts and scales the vectors first, and drops negative
cosine distances on the GPU, so that nearest points are missing (its issues 2421 and 6271).
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
    """Find the nearest points exactly, by brute force: 10 ms for one of 88,588 points of 300 dimensions.

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

    def measure_distances(self, point: int, metric: Metric) -> Floats:
        """Return the distances of all points from one of them, float32[n]; infinite where they are not defined."""
        if not self.is_usable(metric)[point]:
            return np.full(len(self.points), np.inf, np.float32)
        return self.measure_distances_from(self.points[point], metric)

    def measure_distances_from(self, vector: Floats, metric: Metric) -> Floats:
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

    def find_nearest(
        self, point: int, count: int, metric: Metric, is_candidate: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Indices, Floats]:
        """Return the nearest points to one of them and their distances, sorted by distance and index.

        The distances of the result are computed again in float64, since sums of large squares in float32 are inexact.

        Args:
            point: Index of the point, which is not its own neighbour.
            count: Maximum number of neighbours.
            metric: Distance.
            is_candidate: True for each point that may be a neighbour, bool[n]; None: all.
        """
        distances = self.measure_distances(point, metric)
        distances[point] = np.inf
        if is_candidate is not None:
            distances[~is_candidate] = np.inf
        count = min(count, int(np.isfinite(distances).sum()))
        if not count:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        candidates = np.argpartition(distances, min(count + count // 4 + 8, len(distances)) - 1)[
            : count + count // 4 + 8
        ]
        candidates = candidates[np.isfinite(distances[candidates])]
        exact = _compute_exact_distances(self.points[candidates], self.points[point], metric)
        order = np.lexsort((candidates, exact))[:count]
        return candidates[order].astype(np.int32), exact[order].astype(np.float32)

    def iter_nearest(
        self, count: int, metric: Metric, queries: npt.NDArray[np.intp] | None = None
    ) -> Iterator[tuple[float, Indices, Floats]]:
        """Yield progress from 0 to 1 with the nearest points, int32[n, count], and their distances.

        Rows that are not computed yet hold -1. The points must be usable.

        Args:
            count: Neighbours of each point.
            metric: Distance.
            queries: Points whose neighbours are computed, int[m]; None: all. Any point may be a neighbour.
        """
        query_points = np.arange(len(self.points)) if queries is None else queries
        rows = len(query_points)
        count = min(count, len(self.points) - 1)
        neighbours, distances = (
            np.full((rows, max(count, 0)), -1, np.int32),
            np.zeros((rows, max(count, 0)), np.float32),
        )
        if count < 1 or not rows:
            yield 1.0, neighbours, distances
            return
        points = self.points / np.maximum(self.lengths, 1e-30)[:, None] if metric == "cosine" else self.points
        if metric == "euclidean":  # centring does not change distances and reduces rounding errors
            points = points - points.mean(axis=0, dtype=np.float64).astype(np.float32)
        squares = np.einsum("ij,ij->i", points, points)
        size = max(min(BLOCK_ROWS, MAX_BLOCK_VALUES // len(points)), 1)
        for start in range(0, rows, size):
            batch = query_points[start : start + size]
            squared_distances = points[batch] @ points.T
            squared_distances *= -2
            squared_distances += squares
            squared_distances += squares[batch, None]
            squared_distances[np.arange(len(batch)), batch] = np.inf
            nearest = np.argpartition(squared_distances, count - 1, axis=1)[:, :count]
            nearest_distances = np.take_along_axis(squared_distances, nearest, 1)
            order = np.argsort(nearest_distances, axis=1, kind="stable")
            neighbours[start : start + len(batch)] = np.take_along_axis(nearest, order, 1)
            nearest_distances = np.maximum(np.take_along_axis(nearest_distances, order, 1), 0)
            distances[start : start + len(batch)] = (
                nearest_distances / 2 if metric == "cosine" else np.sqrt(nearest_distances)
            )
            yield min((start + len(batch)) / rows, 1.0), neighbours, distances


def _compute_exact_distances(points: Floats, vector: Floats, metric: Metric) -> npt.NDArray[np.float64]:
    points_float64, vector_float64 = points.astype(np.float64), vector.astype(np.float64)
    if metric == "euclidean":
        return np.asarray(np.linalg.norm(points_float64 - vector_float64, axis=1))
    cosine = points_float64 @ vector_float64 / (np.linalg.norm(points_float64, axis=1) * np.linalg.norm(vector_float64))
    return np.asarray(np.maximum(1 - cosine, 0))


@frozen(eq=False)
class LabelAgreement:
    """Agreement of the labels of points with those of their nearest neighbours."""

    neighbours: int
    """Neighbours per point."""

    accuracy: float
    """Share of the points with the label that is most frequent among their neighbours."""

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

    def list_confusions(self) -> list[tuple[int, int, float]]:
        """Return pairs of labels with the share of the second among the neighbours of the first, largest first."""
        totals = self.counts.sum(axis=1)
        pairs = [
            (int(label), int(neighbour), float(self.counts[label, neighbour] / totals[label]))
            for label, neighbour in zip(*np.nonzero(self.counts), strict=True)
            if label != neighbour
        ]
        return sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))

    def label_purity(self) -> npt.NDArray[np.float64]:
        """Return the share of neighbours with the same label for each label, float64[labels]; NaN without points."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.diag(self.counts) / self.counts.sum(axis=1))


def measure_agreement(
    nearest: Indices, codes: npt.NDArray[np.int32], labels: int, rated_codes: npt.NDArray[np.int32] | None = None
) -> LabelAgreement:
    """Return the agreement of labels with those of neighbours.

    Args:
        nearest: Neighbours of each rated point, the nearest first, int32[m, k].
        codes: Label of each point, int32[n]; -1: none. Neighbours without label do not count.
        labels: Number of labels.
        rated_codes: Labels of the rated points, int32[m]; None: all points are rated.
    """
    neighbour_codes = codes[nearest]
    codes = codes if rated_codes is None else rated_codes
    is_labelled = (neighbour_codes >= 0) & (codes[:, None] >= 0)
    is_equal = (neighbour_codes == codes[:, None]) & is_labelled
    totals = is_labelled.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(totals > 0, is_equal.sum(axis=1) / totals, np.nan)
    labels_of_points = np.repeat(codes, nearest.shape[1]).reshape(neighbour_codes.shape)[is_labelled]
    counts = np.bincount(labels_of_points * labels + neighbour_codes[is_labelled], minlength=labels * labels).reshape(
        labels, labels
    )
    is_rated = totals > 0
    votes = np.zeros(len(codes), np.int32)
    for start in range(0, len(codes), BLOCK_ROWS):  # the label of the nearer neighbour breaks ties
        block = slice(start, start + BLOCK_ROWS)
        tally = np.zeros((len(codes[block]), labels))
        for index in range(nearest.shape[1]):
            has_label = is_labelled[block, index]
            tally[np.flatnonzero(has_label), neighbour_codes[block, index][has_label]] += 1 + 1e-6 * (
                nearest.shape[1] - index
            )
        votes[block] = tally.argmax(axis=1)
    accuracy = float((votes == codes)[is_rated].mean()) if bool(is_rated.any()) else float("nan")
    purity = float(is_equal.sum() / is_labelled.sum()) if bool(is_labelled.any()) else float("nan")
    rated_counts = np.bincount(codes[is_rated], minlength=labels)
    correct_counts = np.bincount(codes[is_rated & (votes == codes)], minlength=labels)
    with np.errstate(invalid="ignore", divide="ignore"):
        accuracies = np.asarray(correct_counts / rated_counts)
    return LabelAgreement(nearest.shape[1], accuracy, purity, shares, counts, accuracies, rated_counts)


def measure_overlap(before: Indices, after: Indices) -> npt.NDArray[np.float64]:
    """Return for each point the Jaccard index of its neighbours in two sets, float64[n].

    Args:
        before: int32[n, k].
        after: int32[n, k].
    """
    common = np.zeros(len(before), np.int64)
    for index in range(before.shape[1]):
        common += (before[:, index, None] == after).any(axis=1)
    width = before.shape[1] + after.shape[1]
    return np.asarray(common / np.maximum(width - common, 1))
