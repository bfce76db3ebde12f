"""Positions of the cursor on an axis of steps or times, one for each value, also where several values share a step.

A log may hold many values at one step: everything at step 0 if the writer passed no step, or the values that a restart
superseded. The cursor is one number that all charts share, so each value needs a number of its own. The k-th of several
values at x lies k times the smallest useful distance behind x: too little to alter a label, a column of a chart, or the
value that another series shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

LABEL_DECIMALS = 9
"""Decimals of a step or of seconds in which a stop among several values is the x that they share."""


def value_stops(x: Floats) -> Floats:
    """Return a stop of the cursor for each value, float64[n], strictly ascending.

    A value that is alone at its x has its stop there. Of several, the k-th, counted from 1, lies k distances behind x,
    so that the stops of the first ones stay as they are when more values are logged.

    Args:
        x: Position of each value on the axis, float64[n], ascending and finite.
    """
    if len(x) < 2:
        return x
    firsts = np.searchsorted(x, x)
    is_shared = (np.searchsorted(x, x, "right") - firsts) > 1
    if not is_shared.any():
        return x
    # Around 0 the distance is that of neighbours of 1: the smallest floats have no logarithm that a chart can show.
    distance = np.spacing(np.maximum(np.abs(x), 1.0))
    stops = np.where(is_shared, x + (np.arange(len(x)) - firsts + 1) * distance, x)
    close = np.flatnonzero(stops[1:] <= stops[:-1])  # steps beyond 2**52 are neighbouring floats
    for index in range(int(close[0]) + 1, len(stops)) if len(close) else ():
        stops[index] = max(stops[index], np.nextafter(stops[index - 1], np.inf))
    return np.asarray(stops)


def nearest_value(x: Floats, stops: Floats, at: float) -> int:
    """Return the index of the value at the cursor, or of the nearest one; of two x equally near the first.

    A cursor that is not at one of several values of an x comes from another series; it selects the last of them.

    Args:
        x: Position of each value on the axis, float64[n], n >= 1, ascending and finite.
        stops: `value_stops(x)`.
        at: Position of the cursor.
    """
    after = min(int(stops.searchsorted(at)), len(stops) - 1)
    before = max(after - 1, 0)
    near = before if at - stops[before] <= stops[after] - at else after
    last = int(x.searchsorted(x[near], "right")) - 1
    return near if x[near] < at <= stops[last] else last


def stop_x(stop: float) -> float:
    """Return the x of the value at a stop, for labels: wall times are no finer than a microsecond."""
    return round(stop, LABEL_DECIMALS)


def share_a_position(stops: Floats) -> bool:
    """Return True if some stops differ only so that the cursor can tell their values apart."""
    with np.errstate(over="ignore"):
        return len(stops) > 1 and bool(np.any(np.diff(stops) <= np.spacing(np.maximum(np.abs(stops[1:]), 1.0))))
