"""Where a run went on from an earlier step than it had reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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
    return np.unique(np.searchsorted(shown, back[back >= shown[0]]))
