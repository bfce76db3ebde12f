"""Lines of many points: what of them lies in a rectangle, and where their dashes are. All in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]


def inside(points: Floats, left: float, top: float, right: float, bottom: float) -> Floats:
    """The parts of lines within a rectangle; what leaves it ends at its edge.

    Args:
        points: float64[n, 2], finite; a row with a NaN lies between two lines, and any number of such rows do.
        left: Of the rectangle.
        top: Likewise.
        right: Likewise.
        bottom: Likewise.

    Returns:
        float64[k, 2] in the same form, without gaps at the ends. A point that nothing is joined to is a line of one.
    """
    if not len(points):
        return points
    whole = ~(np.isnan(points[:, 0]) | np.isnan(points[:, 1]))
    joins = whole[:-1] & whole[1:]
    alone = whole & ~np.concatenate(([False], joins)) & ~np.concatenate((joins, [False]))
    alone &= ((points >= (left, top)) & (points <= (right, bottom))).all(axis=1)
    # A line of one point counts as one to itself.
    starts, ends = points[:-1][joins], points[1:][joins]
    first, last = _parameters(starts, ends - starts, (left, top, right, bottom))
    seen = first <= last
    at = np.flatnonzero(joins)[seen]
    starts, ends, first, last = starts[seen], ends[seen], first[seen, None], last[seen, None]
    begins, stops = starts + first * (ends - starts), np.where(last == 1, ends, starts + last * (ends - starts))
    goes_on = np.zeros(len(at), np.bool_)
    goes_on[1:] = (np.diff(at) == 1) & (first[1:, 0] == 0) & (last[:-1, 0] == 1)
    rows = np.stack((np.full_like(begins, np.nan), begins, stops), axis=1)
    kept = np.stack((~goes_on, ~goes_on, np.ones_like(goes_on)), axis=1)
    lines, order = rows[kept], np.repeat(at, kept.sum(axis=1))
    if bool(alone.any()):
        dots = np.full((int(alone.sum()), 2, 2), np.nan)
        dots[:, 1] = points[alone]
        lines = np.concatenate((lines, dots.reshape(-1, 2)))
        lines = lines[np.argsort(np.concatenate((order, np.repeat(np.flatnonzero(alone), 2))), kind="stable")]
    return np.asarray(lines[1:], np.float64)


def _parameters(starts: Floats, ways: Floats, ends: tuple[float, float, float, float]) -> tuple[Floats, Floats]:
    """Which part of each straight line is inside, from 0 at its start to 1 at its end (Liang and Barsky, 1984)."""
    left, top, right, bottom = ends
    first: Floats = np.zeros(len(starts))
    last: Floats = np.ones(len(starts))
    for axis, low, high in ((0, left, right), (1, top, bottom)):
        start, way = starts[:, axis], ways[:, axis]
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (low - start) / way, (high - start) / way
        still = way == 0
        out = still & ((start < low) | (start > high))
        first = np.where(still, first, np.maximum(first, np.minimum(one, other)))
        last = np.where(still, last, np.minimum(last, np.maximum(one, other)))
        last[out] = -1.0
    return first, last


def dashed(points: Floats, dashes: tuple[float, ...]) -> Floats:
    """Lines as those of their parts that are drawn.

    Args:
        points: float64[n, 2] with gaps of NaN, as `inside` gives them.
        dashes: Lengths of a dash and of the pause behind it, both above 0.
    """
    dash, pause = dashes
    parts = [part for part in np.split(points, np.flatnonzero(np.isnan(points[:, 0]))) if len(part)]
    drawn = []
    for part in parts:
        line = part[~np.isnan(part[:, 0])]
        lengths = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))))
        begins = np.arange(0, lengths[-1], dash + pause) if lengths[-1] else np.zeros(1)
        stops = np.minimum(begins + dash, lengths[-1])
        places = np.concatenate((begins, stops, lengths))
        owners = np.searchsorted(begins, places, "right") - 1
        within = places <= stops[owners]
        order = np.lexsort((places[within], owners[within]))
        places, owners = places[within][order], owners[within][order]
        known = (np.diff(places, prepend=-1) == 0) & (np.diff(owners, prepend=-1) == 0)
        places, owners = places[~known], owners[~known]
        found = np.stack([np.interp(places, lengths, line[:, axis]) for axis in (0, 1)], axis=1)
        found = np.insert(found, np.flatnonzero(np.diff(owners)) + 1, np.nan, axis=0)
        drawn += [found, np.full((1, 2), np.nan)]
    return np.concatenate(drawn[:-1]) if drawn else points
