"""Histograms of one tag, one a step, as flat columns.

Sources: TensorBoard `plugins/distribution/compressor.py` (quantiles), `webapp/widgets/histogram/histogram_util.ts`
(common bins of all steps).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Histograms, their buckets one after the other.

    Edges are finite and ascend within a histogram, counts are finite and not negative: whoever reads files sees to
    that. A histogram that could not be made so has no buckets, and NaN in `totals`.
    """

    starts: npt.NDArray[np.int64]
    """int64[n + 1]: the buckets of histogram i are `starts[i]` to `starts[i + 1]`, the latter not among them."""

    lefts: npt.NDArray[np.float64]
    """float64[m]: lower edge of each bucket."""

    rights: npt.NDArray[np.float64]
    """float64[m]: upper edge; the same as the lower one where all values of a bucket are equal."""

    counts: npt.NDArray[np.float64]
    """float64[m]: how many values; may be fractions."""

    totals: npt.NDArray[np.float64]
    """float64[n]: how many values a histogram holds; 0 for one of nothing, NaN for one that could not be read."""

    sums: npt.NDArray[np.float64]
    """float64[n]: their sum as the writer knew it; NaN where it did not say."""

    squares: npt.NDArray[np.float64]
    """float64[n]: likewise the sum of their squares."""

    def __len__(self) -> int:
        return len(self.totals)

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        columns = (self.starts, self.lefts, self.rights, self.counts, self.totals, self.sums, self.squares)
        return sum(column.nbytes for column in columns)
