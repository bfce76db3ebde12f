"""Several curves over the same x in the columns of a plot: the mean of each in every column, and their extremes.

Between its points a curve is straight. A column shows the mean of what passes through it, however many points that is:
a slope looks the same whether points are closer than columns or farther apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]
    Flags: TypeAlias = npt.NDArray[np.bool_]

LEAST_COVER = 1e-9
"""Columns; points closer to each other stand one above the other."""


class ColumnCurves(NamedTuple):
    """Curves by column; NaN where there are none."""

    means: Floats
    """float64[columns, curves]."""

    least: Floats
    """float64[columns]: how low the first curve goes."""

    greatest: Floats
    """float64[columns]: how high the last one goes."""


def column_curves(places: Floats, curves: Floats, joined: Flags, width: int) -> ColumnCurves:
    """Curves in columns 0 to before `width`; column i reaches from i to i + 1.

    Args:
        places: float64[n], finite and ascending: where the points are.
        curves: float64[n, curves], finite, ascending from curve to curve.
        joined: bool[n]: whether a point is joined to the next; that of the last does not count.
        width: Columns.
    """
    means, cover = _means(*_cut(places, curves, joined, width), width)
    inside = (places >= 0) & (places < width)
    columns = places[inside].astype(np.intp)
    counts = np.bincount(columns, minlength=width)
    lone = (cover <= LEAST_COVER) & (counts > 0)
    if bool(lone.any()):
        sums = np.stack([np.bincount(columns, curve, width) for curve in curves[inside].T], axis=1)
        means[lone] = sums[lone] / counts[lone, None]
    least, greatest = means[:, 0].copy(), means[:, -1].copy()
    low, high = _peaks(-curves[:, 0], joined) & inside, _peaks(curves[:, -1], joined) & inside
    np.minimum.at(least, places[low].astype(np.intp), curves[low, 0])
    np.maximum.at(greatest, places[high].astype(np.intp), curves[high, -1])
    return ColumnCurves(means, least, greatest)


def _cut(places: Floats, curves: Floats, joined: Flags, width: int) -> tuple[Floats, Floats, Flags]:
    """The curves with points wherever they pass from one column into the next."""
    edges: Floats = np.arange(width + 1, dtype=np.float64)
    before = np.searchsorted(places, edges, "right") - 1
    passed = (before >= 0) & (before < len(places) - 1)
    passed[passed] = joined[before[passed]]
    edges, before = edges[passed], before[passed]
    parts = (edges - places[before]) / (places[before + 1] - places[before])
    between = curves[before] + (curves[before + 1] - curves[before]) * parts[:, None]
    return (
        np.insert(places, before + 1, edges),
        np.insert(curves, before + 1, between, axis=0),
        np.insert(joined, before + 1, values=True),
    )


def _means(places: Floats, curves: Floats, joined: Flags, width: int) -> tuple[Floats, Floats]:
    """Means of curves that are cut at the columns, NaN where there is nothing; and how much of each they cover."""
    columns = np.floor((places[1:] + places[:-1]) / 2)
    drawn = joined[:-1] & (columns >= 0) & (columns < width)
    columns = columns[drawn].astype(np.intp)
    lengths = np.diff(places)[drawn]
    areas = (curves[1:] + curves[:-1])[drawn] * (lengths[:, None] / 2)
    cover = np.asarray(np.bincount(columns, lengths, width), np.float64)
    means = np.full((width, curves.shape[1]), np.nan)
    for mean, area in zip(means.T, areas.T, strict=True):
        np.divide(np.bincount(columns, area, width), cover, out=mean, where=cover > LEAST_COVER)
    return means, cover


def _peaks(curve: Floats, joined: Flags) -> Flags:
    """Points that none of the neighbours they are joined to lies above."""
    peaks = np.ones(len(curve), np.bool_)
    rises = curve[1:] > curve[:-1]
    peaks[:-1] &= ~(rises & joined[:-1])
    peaks[1:] &= rises | (curve[1:] == curve[:-1]) | ~joined[:-1]
    return peaks
