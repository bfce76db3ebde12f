"""Fewer points that draw the same line: of every pixel column the first, the least, the greatest and the last.

Spikes survive since every column keeps its extremes; gaps survive since a value that is not finite ends a stretch and
nothing is joined over it. (The idea is known as M4: the picture stays the
same, whatever the number of points.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

Points: TypeAlias = "tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]"
"""x and y, float64[n] each; the line has a gap where y is NaN."""

MANY_STRETCHES = 256
"""Series that go back in x more often are drawn point by point."""


def is_ascending(x: npt.NDArray[np.float64]) -> bool:
    """Whether x never goes back and holds no NaN."""
    return bool(np.all(x[1:] >= x[:-1])) and not (len(x) == 1 and bool(np.isnan(x[0])))


def decimate(
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    edges: npt.NDArray[np.float64],
    *,
    log: bool = False,
    ascending: bool | None = None,
) -> Points:
    """The points of a line that matter to a picture of it.

    Args:
        x: float64[n]. Where it goes back (a clock set back, superseded points), or is NaN, the line is interrupted.
        y: float64[n]. NaN and infinities interrupt the line; so do values <= 0 when `log`.
        edges: float64[columns + 1], ascending: where the pixel columns of the window begin and end.
        log: Whether y is shown on a logarithmic scale.
        ascending: Whether `is_ascending(x)`; None finds out.

    Returns:
        At most about four points a column and stretch. Points outside the window are left out, but for the
        neighbours from which the line enters it and to which it leaves.
    """
    if ascending is None:
        ascending = is_ascending(x)
    if ascending:
        return _decimate_stretch(x, y, edges, log=log)
    back = np.flatnonzero(~(x[1:] >= x[:-1])) + 1
    if len(back) > MANY_STRETCHES:
        y = np.where(np.isnan(x), np.nan, _drawable(y, log=log))
        return np.insert(x, back, np.nan), np.insert(y, back, np.nan)
    stretches = [
        _decimate_stretch(part_x, part_y, edges, log=log)
        for part_x, part_y in zip(np.split(x, back), np.split(y, back), strict=True)
        if not np.isnan(part_x[0])  # after a NaN every comparison fails: it stands alone
    ]
    return _joined(stretches)


def _joined(stretches: list[Points]) -> Points:
    """Stretches in one, with a gap between neighbours."""
    gap = np.array([np.nan])
    xs = [part for x, _ in stretches for part in (x, gap)]
    ys = [part for _, y in stretches for part in (y, gap)]
    return np.concatenate(xs or [gap]), np.concatenate(ys or [gap])


def _drawable(y: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.float64]:
    """Values with NaN for all that has no place on the scale; the array itself when all of it has."""
    drawable = np.isfinite(y)
    if log:
        drawable &= y > 0
    return y if bool(drawable.all()) else np.where(drawable, y, np.nan)


def _decimate_stretch(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], edges: npt.NDArray[np.float64], *, log: bool
) -> Points:
    """The same for x that ascends."""
    first = max(int(np.searchsorted(x, edges[0], "left")) - 1, 0)
    end = int(np.searchsorted(x, edges[-1], "right")) + 1
    x, y = x[first:end], _drawable(y[first:end], log=log)
    if len(x) <= 4 * len(edges):
        return x, y
    starts = _block_starts(x, y, edges)
    if 4 * len(starts) >= len(x):
        return x, y
    lasts = np.append(starts[1:], len(x)) - 1
    shown_x = np.repeat(x[starts], 4)
    shown_x[3::4] = x[lasts]
    shown_y = np.empty(4 * len(starts))
    shown_y[0::4] = y[starts]
    shown_y[1::4] = np.minimum.reduceat(y, starts)  # blocks hold either finite values alone or none
    shown_y[2::4] = np.maximum.reduceat(y, starts)
    shown_y[3::4] = y[lasts]
    return shown_x, shown_y


def _block_starts(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.intp]:
    """Where blocks of points begin: at each column, and wherever finite values begin or end."""
    columns = np.searchsorted(x, edges)
    missing = np.isnan(y)
    turns = np.flatnonzero(missing[1:] != missing[:-1]) + 1
    starts = np.unique(np.concatenate(([0], columns, turns)))
    return starts[starts < len(x)]
