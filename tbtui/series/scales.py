"""The scales that an axis may have: how far apart they put values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

Scale: TypeAlias = Literal["linear", "log", "symlog"]


def bent(values: npt.NDArray[np.float64], scale: Scale, threshold: float) -> npt.NDArray[np.float64]:
    """Values as a scale spaces them; NaN for what it has no place for."""
    if scale == "linear":
        return values
    if scale == "symlog":
        with np.errstate(over="ignore"):
            return np.asarray(np.arcsinh(values / threshold))
    return np.log10(values, out=np.full(np.shape(values), np.nan), where=np.asarray(values > 0))


def unbent(places: npt.NDArray[np.float64], scale: Scale, threshold: float) -> npt.NDArray[np.float64]:
    """The inverse of `bent`."""
    if scale == "linear":
        return places
    with np.errstate(over="ignore"):
        return np.asarray(np.sinh(places) * threshold) if scale == "symlog" else np.asarray(10.0**places)
