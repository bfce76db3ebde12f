"""What sorting tells, as `np.median` and `np.unique` do; these import masked arrays first, which start-up waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

Number = TypeVar("Number", bound=np.generic)


def distinct(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Each of some values once, ascending; every NaN, behind them.

    Args:
        values: One dimension, any order.
    """
    ordered = np.sort(values)
    once: npt.NDArray[Number] = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return once


def median(values: npt.NDArray[np.float64]) -> float:
    """The value in the middle, or half-way between the two that are there, as `np.median` has it.

    Args:
        values: float64[n], n >= 1.

    Returns:
        NaN where any of them is.
    """
    middle = len(values) // 2
    # NaN is sorted behind everything.
    ordered = np.partition(values, (middle - 1, middle, -1) if len(values) > 1 else 0)
    if np.isnan(ordered[-1]):
        return float("nan")
    return float(ordered[middle] if len(values) % 2 else np.mean(ordered[middle - 1 : middle + 1]))
