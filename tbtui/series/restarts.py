"""Where a run went on from an earlier step than it had reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.series.in_order import distinct

if TYPE_CHECKING:
    import numpy.typing as npt


def restarts(steps: npt.NDArray[np.int64], shown: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """The points with which a series went on after it had gone back.

    A step logged twice in a row is a correction, not a restart. Steps that went back farther later on have superseded
    the restart as well: nothing of it is shown.

    Args:
        steps: int64[n], in order of arrival.
        shown: int64[k], strictly ascending: those of them that are shown.

    Returns:
        Indices into `shown`, ascending.
    """
    if not len(shown):
        return np.zeros(0, np.intp)
    lasting = steps[1:] == np.minimum.accumulate(steps[:0:-1])[::-1]
    back = steps[1:][lasting & (steps[1:] < steps[:-1])]
    return distinct(np.searchsorted(shown, back[back >= shown[0]]))


def superseded(
    steps: npt.NDArray[np.int64], kept: npt.NDArray[np.bool_], least: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """What restarts superseded, each stretch of it with the point from which it went on.

    Args:
        steps: int64[n], in order of arrival.
        kept: bool[n]: which of the points no later one has superseded.
        least: Points at steps below are left out.

    Returns:
        Indices of the points, int[k], ascending, and where among these a new stretch begins: a line through them is
        interrupted before each.
    """
    shown = ~kept
    shown[:-1] |= ~kept[1:] & (steps[1:] > steps[:-1])
    shown &= steps >= least
    indices = np.flatnonzero(shown)
    along = steps[indices]
    breaks = np.flatnonzero((np.diff(indices) > 1) | (along[1:] <= along[:-1])) + 1
    return indices, breaks
