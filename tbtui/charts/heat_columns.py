"""Histograms of many steps in the columns of a heat map: several in one, or one across several."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, across

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.axis import Axis

WIDE = 5
"""Distances between steps that are more than as many times as long as is usual there are pauses: they stay blank."""

NEIGHBOURS = 3
"""Distances on either side that tell what is usual: few, since some write ever more seldom."""

LONE = 1 / 16
"""Part of the width that a step without neighbours reaches to either side."""


class Columns(NamedTuple):
    """What stands in each column."""

    shares: npt.NDArray[np.float64]
    """float64[width, bins]: the mean of its steps; zeros where there is none."""

    refused: npt.NDArray[np.bool_]
    """bool[width]: one of its steps is no histogram."""


def heat_columns(x: npt.NDArray[np.float64], shares: npt.NDArray[np.float64], axis: Axis, width: int) -> Columns:
    """Share out steps among columns.

    A column that steps stand in shows their mean, which is a distribution again. Any other shows the step that reaches
    into it: each reaches half way to its neighbours, at a pause only as far as is usual beside it.

    Args:
        x: float64[n], ascending on the axis; where the scale has no place for it, or it is no number, it is left out.
        shares: float64[n, bins]; a row of NaN is no histogram.
        axis: The horizontal axis.
        width: Columns of the plot.
    """
    places = (across(axis, x, width) + 0.5) / DOTS_ACROSS
    known = np.isfinite(places)
    if not known.all():
        x, places, shares = x[known], places[known], shares[known]
    columns = Columns(np.zeros((width, shares.shape[1])), np.zeros(width, np.bool_))
    if not len(places):
        return columns
    first, end = np.searchsorted(places, (0, width)).tolist()
    at = places[first:end].astype(np.intp)
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    filled = at[starts]
    columns.shares[filled], columns.refused[filled] = _means(shares[first:end], starts)
    free = np.flatnonzero(np.bincount(filled, minlength=width) == 0)
    owners = _owners(x, places, free.astype(np.float64) + 0.5, width)
    reached, owners = free[owners >= 0], owners[owners >= 0]
    columns.shares[reached], columns.refused[reached] = _means(shares[owners], np.arange(len(owners)))
    return columns


def _means(
    shares: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """The mean of each group of rows that begins at `starts`, and which groups have rows of NaN."""
    if not len(starts):
        return np.zeros((0, shares.shape[1])), np.zeros(0, np.bool_)
    bad = np.isnan(shares[:, 0])
    if bad.any():
        shares = np.where(bad[:, None], 0.0, shares)
    counts = np.add.reduceat(~bad, starts, dtype=np.intp)
    sizes = np.diff(starts, append=len(shares))
    return np.add.reduceat(shares, starts, axis=0) / np.maximum(counts, 1)[:, None], counts < sizes


def _owners(
    x: npt.NDArray[np.float64],
    places: npt.NDArray[np.float64],
    middles: npt.NDArray[np.float64],
    width: int,
) -> npt.NDArray[np.intp]:
    """The step that reaches to each of some places; -1 where none does."""
    after = np.searchsorted(places, middles)
    before = after - 1
    left, right = np.maximum(before, 0), np.minimum(after, len(places) - 1)
    to_left = np.where(before < 0, np.inf, middles - places[left])
    to_right = np.where(after == len(places), np.inf, places[right] - middles)
    owners = np.where(to_left <= to_right, left, right)
    reach = _reach(x, places, before, width)
    return np.where(np.minimum(to_left, to_right) <= reach, owners, -1)


def _reach(
    x: npt.NDArray[np.float64], places: npt.NDArray[np.float64], gaps: npt.NDArray[np.intp], width: int
) -> npt.NDArray[np.float64]:
    """How far steps reach into gaps; gap i is between step i and the next, -1 before the first."""
    if len(places) == 1:
        return np.full(len(gaps), max(width * LONE, 1.0))
    seen, which = np.unique(gaps, return_inverse=True)
    usual = _usual(np.diff(places), seen)
    inner = np.clip(seen, 0, len(places) - 2)
    wide = (np.diff(x)[inner] > WIDE * _usual(np.diff(x), seen)) & (np.diff(places)[inner] > WIDE * usual)
    outer = (seen < 0) | (seen == len(places) - 1)
    return np.where(wide | outer, np.maximum(usual / 2, 0.5), np.inf)[which]


def _usual(distances: npt.NDArray[np.float64], gaps: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """The usual distance beside each gap: the greater of the medians before and after it."""
    padded = np.concatenate((np.full(NEIGHBOURS + 1, np.nan), distances, np.full(NEIGHBOURS + 1, np.nan)))
    padded[padded == 0] = np.nan
    offsets = np.arange(NEIGHBOURS)
    middle = gaps[:, None] + NEIGHBOURS + 1
    return np.fmax(_median(padded[middle - NEIGHBOURS + offsets]), _median(padded[middle + 1 + offsets]))


def _median(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The median of each row, the upper of two, without its NaNs; NaN for a row of them."""
    ordered = np.sort(values, axis=1)  # NaNs go last
    counts = np.count_nonzero(~np.isnan(ordered), axis=1)
    return np.asarray(ordered[np.arange(len(ordered)), counts // 2])
