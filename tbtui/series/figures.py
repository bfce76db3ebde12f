"""The few numbers that stand for a whole series: its last value and its extremes, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt


@frozen
class Figures:
    """Indices into a series that holds at least one value."""

    last: int
    least: int | None
    """The first of the least finite values; None when no value is finite."""

    greatest: int | None
    """The first of the greatest finite values; likewise."""


def figures_of(values: npt.NDArray[np.float64]) -> Figures:
    """The figures of float64[n], n >= 1; NaN and infinities are no extremes."""
    least, greatest = int(np.argmin(values)), int(np.argmax(values))
    if np.isfinite(values[least]) and np.isfinite(values[greatest]):  # argmin and argmax stop at the first NaN
        return Figures(len(values) - 1, least, greatest)
    finite = np.flatnonzero(np.isfinite(values))
    if len(finite) == 0:
        return Figures(len(values) - 1, None, None)
    kept = values[finite]
    return Figures(len(values) - 1, int(finite[np.argmin(kept)]), int(finite[np.argmax(kept)]))
