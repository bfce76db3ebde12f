"""Make histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.maths.histograms import Buckets

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt


def buckets_of(
    histograms: Sequence[npt.ArrayLike],
    *,
    sums: Sequence[float] | None = None,
    squares: Sequence[float] | None = None,
    refused: Collection[int] = (),
) -> Buckets:
    """Return histograms as columns, from rows of left edge, right edge and count; a refused one has no rows."""
    tables = [np.array(rows, np.float64).reshape(-1, 3) for rows in histograms]
    unknown = np.full(len(tables), np.nan)
    lefts, rights, counts = np.concatenate([np.zeros((0, 3)), *tables]).T
    return Buckets(
        np.cumsum([0, *map(len, tables)]),
        np.ascontiguousarray(lefts),
        np.ascontiguousarray(rights),
        np.ascontiguousarray(counts),
        np.array([np.nan if index in refused else rows[:, 2].sum() for index, rows in enumerate(tables)], np.float64),
        unknown if sums is None else np.array(sums, np.float64),
        unknown if squares is None else np.array(squares, np.float64),
    )


def joined(edges: Sequence[float] | npt.NDArray[np.float64], counts: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return rows of adjacent buckets."""
    return np.column_stack([edges[:-1], edges[1:], counts])


def of_values(values: npt.NDArray[np.float64], bins: int = 30) -> npt.NDArray[np.float64]:
    """Return rows as TensorFlow 2 writes them: buckets of equal width from the minimum to the maximum."""
    low, high = values.min(), values.max()
    if low == high:
        return joined(np.full(bins + 1, low), [0.0] * (bins - 1) + [float(len(values))])
    counts, edges = np.histogram(values, bins)
    return joined(edges, counts.astype(np.float64).tolist())
