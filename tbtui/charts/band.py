"""Areas between two curves: the spread of many runs around their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """The area between two curves, drawn below all lines in the faint twin of its ink."""

    x: npt.NDArray[np.float64]
    """float64[n] on the chart's x axis."""

    low: npt.NDArray[np.float64]
    """float64[n]; NaN is a gap. What lies beyond the y axis, or below the zero of a log axis, reaches to its edge."""

    high: npt.NDArray[np.float64]
    """float64[n], likewise."""

    ink: int
    """A series ink."""
