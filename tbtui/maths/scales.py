"""Scales of axes: positions of values on a linear, logarithmic or symlog scale, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


Scale: TypeAlias = Literal["linear", "log", "symlog"]


def to_scale(values: npt.NDArray[np.float64], scale: Scale, threshold: float) -> npt.NDArray[np.float64]:
    """Transform values to positions on a scale; NaN for values outside its domain."""
    if scale == "linear":
        return values
    if scale == "symlog":
        with np.errstate(over="ignore"):
            return np.asarray(np.arcsinh(values / threshold))
    return np.log10(values, out=np.full(np.shape(values), np.nan), where=np.asarray(values > 0))


def from_scale(positions: npt.NDArray[np.float64], scale: Scale, threshold: float) -> npt.NDArray[np.float64]:
    """Transform positions back to values: the inverse of `to_scale`."""
    if scale == "linear":
        return positions
    with np.errstate(over="ignore"):
        return np.asarray(np.sinh(positions) * threshold) if scale == "symlog" else np.asarray(10.0**positions)
