"""What is asked of every series of a run at once: thousands of short ones cost little more than one long one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Number = TypeVar("Number", np.float64, np.int64)

AT_ONCE = 1 << 16
"""Points that are looked at together: so many stay in the processor's cache."""


@frozen(eq=False)
class Extents:
    """Figures of n series."""

    least: npt.NDArray[np.float64]
    """float64[n]: the least finite value; NaN without one."""

    greatest: npt.NDArray[np.float64]
    """float64[n]: likewise."""

    nan: npt.NDArray[np.int64]
    """int64[n]: how many values are NaN."""

    inf: npt.NDArray[np.int64]
    """int64[n]: how many values are infinite."""


def extents_of(series: Sequence[npt.NDArray[np.float64]]) -> Extents:
    """The figures of series of one value at least.

    Args:
        series: float64[m] each, m >= 1.
    """
    found = [_extents(values, starts) for values, starts in _together(series)]
    if not found:
        return Extents(np.zeros(0), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64))
    least, greatest, nan, inf = (np.concatenate(column) for column in zip(*found, strict=True))
    return Extents(least, greatest, nan, inf)


def ascending(series: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.bool_]:
    """Whether each step is above the one before it, bool[n].

    Args:
        series: int64[m] each, m >= 1.
    """
    found: list[npt.NDArray[np.bool_]] = [np.zeros(0, np.bool_)]
    for steps, starts in _together(series):
        rises = np.ones(len(steps), np.bool_)
        np.greater(steps[1:], steps[:-1], out=rises[1:])
        rises[starts] = True
        found.append(np.logical_and.reduceat(rises, starts))
    return np.concatenate(found)


def _extents(values: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.generic], ...]:
    with np.errstate(invalid="ignore"):
        least, greatest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    none = np.zeros(len(starts), np.int64)
    if np.isfinite(least).all() and np.isfinite(greatest).all():  # a NaN is an extreme to numpy
        return least, greatest, none, none
    finite = np.isfinite(values)
    nan = np.isnan(values)
    counted = [np.add.reduceat(which.astype(np.int64), starts) for which in (finite, nan)]
    held, nans = counted
    sizes = np.diff(starts, append=len(values))
    least = np.minimum.reduceat(np.where(finite, values, np.inf), starts)
    greatest = np.maximum.reduceat(np.where(finite, values, -np.inf), starts)
    least[held == 0] = greatest[held == 0] = np.nan
    return least, greatest, nans, sizes - held - nans


def _together(series: Sequence[npt.NDArray[Number]]) -> Iterator[tuple[npt.NDArray[Number], npt.NDArray[np.intp]]]:
    """Series one behind the other, a long one alone as it is, and where each begins."""
    held: list[npt.NDArray[Number]] = []
    size = 0
    for one in series:
        if held and size + len(one) > AT_ONCE:
            yield _joined(held)
            held, size = [], 0
        held.append(one)
        size += len(one)
    if held:
        yield _joined(held)


def _joined(held: Sequence[npt.NDArray[Number]]) -> tuple[npt.NDArray[Number], npt.NDArray[np.intp]]:
    starts = np.zeros(len(held), np.intp)
    np.cumsum([len(one) for one in held[:-1]], out=starts[1:])
    return (held[0] if len(held) == 1 else np.concatenate(held)), starts
