"""Count, mean, standard deviation and extremes of histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.series.histograms import blocks, filled_ends, part

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.series.histograms import Buckets

_BLOCK = 1 << 16
"""Buckets looked at at once."""

_NARROW = 1e-9
"""Variances below this part of the greatest value squared are lost in the rounding of the writer's sums."""

_ROUNDING = 1e-6
"""By this part of the greatest value may the writer's sums contradict its buckets: some add up 32-bit floats."""


@frozen(eq=False)
class Moments:
    """Figures of n histograms; NaN where nothing is in one, or it could not be read."""

    count: npt.NDArray[np.float64]
    """float64[n]: how many values; 0 for a histogram of nothing."""

    mean: npt.NDArray[np.float64]
    """float64[n]"""

    std: npt.NDArray[np.float64]
    """float64[n]: standard deviation of the values themselves, not of what they are a sample of."""

    least: npt.NDArray[np.float64]
    """float64[n]: where the first bucket that has a count begins."""

    greatest: npt.NDArray[np.float64]
    """float64[n]: where the last one ends."""

    exact: npt.NDArray[np.bool_]
    """bool[n]: mean and deviation are those of the values; otherwise of buckets, as if all of one lay in its middle."""


def moments(buckets: Buckets) -> Moments:
    """Figures of each histogram, from the writer's sums where they are known and can be true.

    They cannot where mean or deviation are further from those of the buckets' middles than the buckets' widths allow.
    And where the deviation is very small beside the values, the sums do not tell it: then those of the middles stand.
    """
    rows, first, last = filled_ends(buckets)
    least, greatest, mean, std = np.full((4, len(buckets)), np.nan)
    least[rows], greatest[rows] = buckets.lefts[first], buckets.rights[last]
    # In units of the greatest value, so that neither it nor its square is too large or too small for a float.
    size = np.maximum(np.abs(least), np.abs(greatest))
    size[size == 0] = 1.0
    exact = np.zeros(len(buckets), np.bool_)
    for at in blocks(buckets, _BLOCK):
        mean[at], std[at], exact[at] = _scaled_moments(part(buckets, at), size[at])
    mean, std = np.clip(mean * size, least, greatest), std * size
    std[least == greatest] = 0.0
    std[np.isnan(least)] = np.nan
    return Moments(buckets.totals, mean, std, least, greatest, exact & np.isfinite(least))


def _scaled_moments(
    buckets: Buckets, size: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Mean and deviation in units of `size`, and whether they are exact; whatever where nothing is in a histogram."""
    sizes = np.diff(buckets.starts)
    some = np.flatnonzero(sizes)
    starts = buckets.starts[some]

    def sums(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        found = np.zeros(len(sizes))
        if len(some):
            found[some] = np.add.reduceat(values, starts)
        return found

    total = sums(buckets.counts)
    total[total == 0] = 1.0
    shares = buckets.counts / np.repeat(total, sizes)
    unit = np.repeat(size, sizes)
    with np.errstate(over="ignore"):  # empty buckets may reach beyond the greatest value
        low, high = (np.clip(edges / unit, -1.0, 1.0) for edges in (buckets.lefts, buckets.rights))
    middles, halves = (low + high) / 2, (high - low) / 2
    mean = sums(shares * middles)
    middles -= np.repeat(mean, sizes)
    std = np.sqrt(sums(shares * middles**2))
    off, off_rms = sums(shares * halves), np.sqrt(sums(shares * halves**2))
    with np.errstate(over="ignore", invalid="ignore"):
        told_mean = buckets.sums / total / size
        told_variance = buckets.squares / total / size / size - told_mean**2
    told_variance[~(told_variance > _NARROW)] = np.nan
    told_std = np.sqrt(told_variance)
    true = (np.abs(told_mean - mean) <= off + _ROUNDING) & (np.abs(told_std - std) <= off_rms + _ROUNDING)
    return np.where(true, told_mean, mean), np.where(true, told_std, std), true | (off_rms == 0)
