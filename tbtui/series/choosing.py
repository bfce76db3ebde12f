"""Which of many histograms are drawn, where all of them would hide each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.series.decimate import is_ascending

if TYPE_CHECKING:
    import numpy.typing as npt

_HALVINGS = 50
"""Pieces are no shorter than the whole way halved so often: neighbouring floats would be as far apart."""

_LEAST_EXPONENT = -1074
"""Of two, that a float can be."""


def spread_out(x: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.intp]:
    """Indices of points spread evenly over the axis, the first and the newest always among them.

    The axis is cut into equal pieces, counted from the first point, and the first point of each is taken. The pieces
    are as short as `most` allows, by halving: so what was chosen stays chosen while points arrive, until a piece is as
    long as two were; then every other one goes.

    Args:
        x: float64[n] on the step axis. Where it goes back, or leads nowhere, the index stands for it.
        most: How many at most.

    Returns:
        int[k], ascending: all of them when `most` is enough, otherwise at least about half as many as allowed; the
        newest alone when only one may be.
    """
    count = len(x)
    if count <= most:
        return np.arange(count)
    if most < 2:
        return np.arange(count)[count - max(most, 0) :]
    with np.errstate(over="ignore", invalid="ignore"):
        way = x - x[0]
    if not (is_ascending(x) and 0 < way[-1] < math.inf):
        way = np.arange(count, dtype=np.float64)
    _, longest = math.frexp(float(way[-1]))  # 2 ** longest is more than the whole way: one piece
    shortest = max(longest - _HALVINGS, _LEAST_EXPONENT)
    while shortest < longest:
        middle = (shortest + longest) // 2
        if len(_firsts(way, middle)) <= most:
            longest = middle
        else:
            shortest = middle + 1
    return _firsts(way, longest)


def _firsts(way: npt.NDArray[np.float64], exponent: int) -> npt.NDArray[np.intp]:
    """The first point of each piece of 2 ** exponent, and the last point of all."""
    pieces = np.floor(way / math.ldexp(1.0, exponent))
    chosen = np.append(True, pieces[1:] > pieces[:-1])
    chosen[-1] = True
    return np.flatnonzero(chosen)
