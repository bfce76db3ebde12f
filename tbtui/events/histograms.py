"""Old histograms (`HistogramProto`) as rows of left edge, right edge and count.

Source: TensorBoard `data_compat.py`, the rule of its Python loader: empty buckets at both ends are cut off, the first
left edge is the least value and the last right edge the greatest. The faster loader keeps the empty buckets, which
gives buckets that run backwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


def histogram_rows(histogram: Any) -> npt.NDArray[np.float64]:
    """Rows `[left, right, count]` of a `HistogramProto`, ascending and without gaps, float64[k, 3]."""
    limits = np.array(histogram.bucket_limit, np.float64)
    counts = np.array(histogram.bucket, np.float64)
    buckets = min(len(limits), len(counts))
    filled = np.flatnonzero(counts[:buckets])
    if not len(filled):
        return np.zeros((0, 3))
    first, last = int(filled[0]), int(filled[-1])
    low, high = sorted((histogram.min, histogram.max))
    # Writers have been seen whose limits run backwards or leave the range of the values; those are drawn into it.
    inner = np.maximum.accumulate(np.clip(limits[first:last], low, high))
    edges = np.concatenate([[low], inner, [high]])
    return np.column_stack([edges[:-1], edges[1:], counts[first : last + 1]])
