"""Compute how well labels agree with nearest neighbours: accuracy, purity, and which labels are mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.maths.neighbours import LabelAgreement, NeighbourIndex, label_agreement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.projector.points import Points

AGREEMENT_NEIGHBOURS = 10
MAX_AGREEMENT_POINTS = 20_000
"""Points whose neighbours are all computed; of more a sample is used."""


def agreement_of(
    points: Points, codes: np.ndarray[tuple[int, ...], np.dtype[np.int32]], labels: int
) -> Iterator[LabelAgreement]:
    """Yield how labels agree with neighbours, once all are computed; of many points a sample is used."""
    usable = np.flatnonzero(points.finite & (points.index.lengths > 0))
    if len(usable) > MAX_AGREEMENT_POINTS:
        usable = np.sort(np.random.default_rng(0).permutation(usable)[:MAX_AGREEMENT_POINTS])
    if len(usable) < 2:
        return
    index = NeighbourIndex(points.values[usable], np.ones(len(usable), np.bool_))
    nearest = None
    for _, found, _ in index.all_nearest(min(AGREEMENT_NEIGHBOURS, len(usable) - 1), "cosine"):
        nearest = found
    if nearest is None:
        return
    result = label_agreement(nearest, codes[usable], labels)
    shares = np.full(points.count, np.nan)
    shares[usable] = result.shares
    yield LabelAgreement(result.neighbours, result.accuracy, result.purity, shares, result.counts)
