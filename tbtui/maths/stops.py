"""Positions of the cursor on an axis of steps or times: one for each value, even if several values share a step.

A log may hold many values at one step: all values at step 0 if the writer passed no step, or the values that a restart
superseded. The cursor is one number that all charts share, so each value needs a distinct number. The k-th of several
values at x has the stop x plus k times the smallest useful distance. This is too little to change a label, a column of
a chart, or the value that another series shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

LABEL_DECIMALS = 9
"""Decimals to which a stop is rounded to get the x of its value."""


def compute_value_stops(x: Floats) -> Floats:
    """Return a stop of the cursor for each value, float64[n], strictly ascending.

    The stop of a unique value is its x. The k-th of several values, counted from 1, has its stop k distances after x,
    so that its stop does not change when more values are logged.

    Args:
        x: Position of each value on the axis, float64[n], ascending and finite.
    """
    if len(x) < 2:
        return x
    firsts = np.searchsorted(x, x)
    is_shared = (np.searchsorted(x, x, "right") - firsts) > 1
    if not is_shared.any():
        return x
    # Near 0 the distance is the spacing of floats at 1: a chart cannot show the logarithm of the smallest floats.
    distance = np.spacing(np.maximum(np.abs(x), 1.0))
    stops = np.where(is_shared, x + (np.arange(len(x)) - firsts + 1) * distance, x)
    not_ascending = np.flatnonzero(stops[1:] <= stops[:-1])  # steps beyond 2**52 are neighbouring floats
    for index in range(int(not_ascending[0]) + 1, len(stops)) if len(not_ascending) else ():
        stops[index] = max(stops[index], np.nextafter(stops[index - 1], np.inf))
    return np.asarray(stops)


def find_nearest_value(x: Floats, stops: Floats, cursor: float) -> int:
    """Return the index of the value at the cursor, or of the nearest one; the first of two equally near ones.

    A cursor from another series that is not at one of several values of an x selects the last of them.

    Args:
        x: Position of each value on the axis, float64[n], n >= 1, ascending and finite.
        stops: `compute_value_stops(x)`.
        cursor: Position of the cursor.
    """
    after = min(int(stops.searchsorted(cursor)), len(stops) - 1)
    before = max(after - 1, 0)
    nearest = before if cursor - stops[before] <= stops[after] - cursor else after
    last = int(x.searchsorted(x[nearest], "right")) - 1
    return nearest if x[nearest] < cursor <= stops[last] else last


def stop_x(stop: float) -> float:
    """Return the x of the value at a stop, for labels; wall times have at most microseconds."""
    return round(stop, LABEL_DECIMALS)


def has_shared_positions(stops: Floats) -> bool:
    """Return True if some values share their x, so that their stops differ only by the smallest distance."""
    with np.errstate(over="ignore"):
        return len(stops) > 1 and bool(np.any(np.diff(stops) <= np.spacing(np.maximum(np.abs(stops[1:]), 1.0))))
