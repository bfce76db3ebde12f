"""Content of the columns of a heat map: the mean of the steps in a column, or the step that extends into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, across

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.axis import Axis


PAUSE_FACTOR = 5
"""A gap between steps that is more than this many times as wide as its neighbours is a pause, which stays blank."""

NEIGHBOUR_GAPS = 3
"""Gaps on either side that are compared with a gap: few, because some runs write ever more rarely."""

LONE_STEP_PART = 1 / 16
"""Part of the width that a step without neighbours covers on either side."""


class HeatColumns(NamedTuple):
    """Content of each column."""

    shares: npt.NDArray[np.float64]
    """float64[width, bins]: the mean of its steps; zeros without steps."""

    has_missing: npt.NDArray[np.bool_]
    """bool[width]: True if one of its steps has no histogram."""


def heat_columns(x: npt.NDArray[np.float64], shares: npt.NDArray[np.float64], axis: Axis, width: int) -> HeatColumns:
    """Distribute steps over columns.

    A column with steps shows their mean, which is a distribution again. Any other column shows the nearest step. At a
    pause, a step covers only half of the typical gap; the rest of the pause stays blank.

    Args:
        x: float64[n], ascending on the axis; NaN and values that the scale cannot show are dropped.
        shares: float64[n, bins]; a row of NaN is not a histogram.
        axis: The horizontal axis.
        width: Columns of the plot.
    """
    positions = (across(axis, x, width) + 0.5) / DOTS_ACROSS
    is_finite = np.isfinite(positions)
    if not is_finite.all():
        x, positions, shares = x[is_finite], positions[is_finite], shares[is_finite]
    columns = HeatColumns(np.zeros((width, shares.shape[1])), np.zeros(width, np.bool_))
    if not len(positions):
        return columns
    first, end = np.searchsorted(positions, (0, width)).tolist()
    step_columns = positions[first:end].astype(np.intp)
    starts = np.flatnonzero(np.diff(step_columns, prepend=-1))
    filled = step_columns[starts]
    columns.shares[filled], columns.has_missing[filled] = _group_means(shares[first:end], starts)
    free = np.flatnonzero(np.bincount(filled, minlength=width) == 0)
    nearest = _steps_covering(x, positions, free.astype(np.float64) + 0.5, width)
    covered, nearest = free[nearest >= 0], nearest[nearest >= 0]
    columns.shares[covered], columns.has_missing[covered] = _group_means(shares[nearest], np.arange(len(nearest)))
    return columns


def _group_means(
    shares: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the mean of each group of rows that begins at `starts`, and True for each group with a row of NaN."""
    if not len(starts):
        return np.zeros((0, shares.shape[1])), np.zeros(0, np.bool_)
    is_missing = np.isnan(shares[:, 0])
    if is_missing.any():
        shares = np.where(is_missing[:, None], 0.0, shares)
    counts = np.add.reduceat(~is_missing, starts, dtype=np.intp)
    sizes = np.diff(starts, append=len(shares))
    return np.add.reduceat(shares, starts, axis=0) / np.maximum(counts, 1)[:, None], counts < sizes


def _steps_covering(
    x: npt.NDArray[np.float64],
    positions: npt.NDArray[np.float64],
    middles: npt.NDArray[np.float64],
    width: int,
) -> npt.NDArray[np.intp]:
    """Return the index of the step that covers the middle of each free column; -1: none.

    Args:
        x: Steps, float64[n].
        positions: Steps in columns of the plot, float64[n], ascending.
        middles: Middles of the free columns, float64[k].
        width: Columns of the plot.
    """
    after = np.searchsorted(positions, middles)
    before = after - 1
    left, right = np.maximum(before, 0), np.minimum(after, len(positions) - 1)
    left_distance = np.where(before < 0, np.inf, middles - positions[left])
    right_distance = np.where(after == len(positions), np.inf, positions[right] - middles)
    nearest = np.where(left_distance <= right_distance, left, right)
    limits = _max_distances(x, positions, before, width)
    return np.where(np.minimum(left_distance, right_distance) <= limits, nearest, -1)


def _max_distances(
    x: npt.NDArray[np.float64], positions: npt.NDArray[np.float64], gaps: npt.NDArray[np.intp], width: int
) -> npt.NDArray[np.float64]:
    """Return the columns that a step covers in each gap; infinite in gaps that are no pauses.

    A pause is wider than usual both in steps and on the screen.

    Args:
        x: Steps, float64[n].
        positions: Steps in columns of the plot, float64[n].
        gaps: Gap i is between step i and the next; -1 is before the first step, n - 1 after the last.
        width: Columns of the plot.
    """
    count = len(positions)
    if count == 1:
        return np.full(len(gaps), max(width * LONE_STEP_PART, 1.0))
    distinct_gaps, index_of_gap = np.unique(gaps, return_inverse=True)
    step_sizes, column_sizes = np.diff(x), np.diff(positions)
    usual_columns = _usual_sizes(column_sizes, distinct_gaps)
    inner = np.clip(distinct_gaps, 0, count - 2)
    is_pause = (step_sizes[inner] > PAUSE_FACTOR * _usual_sizes(step_sizes, distinct_gaps)) & (
        column_sizes[inner] > PAUSE_FACTOR * usual_columns
    )
    is_outside = (distinct_gaps < 0) | (distinct_gaps == count - 1)
    return np.where(is_pause | is_outside, np.maximum(usual_columns / 2, 0.5), np.inf)[index_of_gap]


def _usual_sizes(sizes: npt.NDArray[np.float64], gaps: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the usual size of gaps around each gap: the greater of the medians before and after it."""
    padding = np.full(NEIGHBOUR_GAPS + 1, np.nan)
    padded = np.concatenate((padding, sizes, padding))
    padded[padded == 0] = np.nan
    offsets = np.arange(NEIGHBOUR_GAPS)
    middle = gaps[:, None] + NEIGHBOUR_GAPS + 1
    return np.fmax(_median(padded[middle - NEIGHBOUR_GAPS + offsets]), _median(padded[middle + 1 + offsets]))


def _median(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the upper median of each row without its NaNs; NaN for a row of NaN."""
    ordered = np.sort(values, axis=1)  # NaN sorts last
    counts = np.count_nonzero(~np.isnan(ordered), axis=1)
    return np.asarray(ordered[np.arange(len(ordered)), counts // 2])
