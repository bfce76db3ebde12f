"""Find the nearest points of all points, and how well labels agree with them: accuracy, purity, mixed labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.neighbours import LabelAgreement, NeighbourIndex, label_agreement

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.plugins.projector.files.metadata import Column
    from tbtui.plugins.projector.points import Points

AGREEMENT_NEIGHBOURS = 10
MAX_AGREEMENT_POINTS = 20_000
"""Points up to which the neighbours of all are computed."""

SAMPLED_POINTS = 4096
"""Points of more whose neighbours are computed, among all points: their shares are exact, 88,588 x 300 take 5 s."""


@frozen(eq=False)
class NearestPoints:
    """The nearest points, by cosine, of all points or of a sample."""

    rows: npt.NDArray[np.intp]
    """Points whose neighbours are known, int[m], in their order."""

    nearest: npt.NDArray[np.int32]
    """Numbers of their neighbours, the nearest first, int32[m, k]."""

    distances: npt.NDArray[np.float32]
    """float32[m, k]."""


def nearest_points(points: Points) -> Iterator[NearestPoints]:
    """Yield the nearest points, once all are computed; of many points those of a sample."""
    usable = np.flatnonzero(points.index.is_usable("cosine"))
    if len(usable) < 2:
        return
    asked = np.arange(len(usable))
    if len(usable) > MAX_AGREEMENT_POINTS:
        asked = np.sort(np.random.default_rng(0).permutation(len(usable))[:SAMPLED_POINTS])
    is_all = len(usable) == points.count
    values = points.values if is_all else points.values[usable]
    index = points.index if is_all else NeighbourIndex(values, np.ones(len(usable), np.bool_))
    found = away = None
    for _, found, away in index.all_nearest(AGREEMENT_NEIGHBOURS, "cosine", asked):  # noqa: B007 - the last ones count
        pass
    if found is not None and away is not None:
        yield NearestPoints(usable[asked], usable[found].astype(np.int32), away)


def agreement_with(nearest: NearestPoints, column: Column, points: int) -> LabelAgreement:
    """Return how a column of categories agrees with nearest points.

    Args:
        nearest: The nearest points.
        column: The column.
        points: Number of points.
    """
    own = column.codes[nearest.rows]
    found = label_agreement(nearest.nearest, column.codes, len(column.categories), own)
    shares = np.full(points, np.nan)
    shares[nearest.rows] = found.shares
    return LabelAgreement(
        found.neighbours, found.accuracy, found.purity, shares, found.counts, found.accuracies, found.rated
    )


def agreement_of(points: Points, column: Column) -> LabelAgreement | None:
    """Return how a column of categories agrees with nearest points; None if fewer than two points have any."""
    nearest = next(nearest_points(points), None)
    return None if nearest is None else agreement_with(nearest, column, points.count)
