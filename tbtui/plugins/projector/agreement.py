"""Nearest points of all points, and the agreement of labels with them: accuracy, purity, mixed labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.neighbours import LabelAgreement, NeighbourIndex, measure_agreement

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.plugins.projector.files.metadata import Column
    from tbtui.plugins.projector.points import Points

AGREEMENT_NEIGHBOURS = 10
MAX_AGREEMENT_POINTS = 20_000
"""Points up to which the neighbours of all are computed."""

SAMPLED_POINTS = 4096
"""Size of the sample of more points. Its neighbours are found among all points: 88,588 x 300 take 5 s."""


@frozen(eq=False)
class NearestPoints:
    """The nearest points, by cosine, of all points or of a sample."""

    rows: npt.NDArray[np.intp]
    """Points whose neighbours are known, int[m], in their order."""

    nearest: npt.NDArray[np.int32]
    """Numbers of their neighbours, the nearest first, int32[m, k]."""

    distances: npt.NDArray[np.float32]
    """float32[m, k]."""


def find_nearest_points(points: Points) -> Iterator[NearestPoints]:
    """Yield the nearest points, once all are computed; of many points those of a sample."""
    usable = np.flatnonzero(points.index.is_usable("cosine"))
    if len(usable) < 2:
        return
    sample = np.arange(len(usable))
    if len(usable) > MAX_AGREEMENT_POINTS:
        sample = np.sort(np.random.default_rng(0).permutation(len(usable))[:SAMPLED_POINTS])
    is_all = len(usable) == points.count
    values = points.values if is_all else points.values[usable]
    index = points.index if is_all else NeighbourIndex(values, np.ones(len(usable), np.bool_))
    neighbours = distances = None
    for _, neighbours, distances in index.iter_nearest(AGREEMENT_NEIGHBOURS, "cosine", sample):  # noqa: B007 - the last
        pass
    if neighbours is not None and distances is not None:
        yield NearestPoints(usable[sample], usable[neighbours].astype(np.int32), distances)


def compare_labels(nearest: NearestPoints, column: Column, points: int) -> LabelAgreement:
    """Return the agreement of a column of categories with nearest points.

    Args:
        nearest: The nearest points.
        column: The column.
        points: Number of points.
    """
    codes = column.codes[nearest.rows]
    sampled = measure_agreement(nearest.nearest, column.codes, len(column.categories), codes)
    shares = np.full(points, np.nan)
    shares[nearest.rows] = sampled.shares
    return LabelAgreement(
        sampled.neighbours, sampled.accuracy, sampled.purity, shares, sampled.counts, sampled.accuracies, sampled.rated
    )


def find_agreement(points: Points, column: Column) -> LabelAgreement | None:
    """Return the agreement of a column of categories with nearest points; None if fewer than two points have any."""
    nearest = next(find_nearest_points(points), None)
    return None if nearest is None else compare_labels(nearest, column, points.count)
