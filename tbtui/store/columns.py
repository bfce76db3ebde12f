"""Growable numpy columns of equal length, which store all points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

MIN_GROWTH_POINTS = 64
"""Minimum growth of the capacity, so that a tag that grows point by point is seldom copied."""

MAX_RESERVE_RATIO = 7
"""Maximum reserve for expected points, as a multiple of the points so far. Unused reserve takes addresses, but no
memory."""


class Columns:
    """Columns that grow together.

    A view never changes: points are only written after it, and a full array is replaced by a larger copy. Capacity
    grows by an eighth, so that each point is copied about nine times and 6 % of the memory is unused on average;
    doubling would leave a third unused.
    """

    __slots__ = ("_arrays", "_length")

    def __init__(self, dtypes: Sequence[npt.DTypeLike]) -> None:
        """Create empty columns, one for each of `dtypes`."""
        self._arrays: tuple[npt.NDArray[Any], ...] = tuple(np.empty(0, dtype) for dtype in dtypes)
        self._length = 0

    @classmethod
    def build(cls, arrays: Sequence[npt.NDArray[Any]]) -> Columns:
        """Return columns that begin with the points of arrays of equal length; the arrays are not copied."""
        columns = cls(())
        columns._arrays = tuple(arrays)
        columns._length = len(arrays[0])
        return columns

    def __len__(self) -> int:
        return self._length

    @property
    def capacity(self) -> int:
        """Return the number of points that fit before the arrays are replaced."""
        return len(self._arrays[0])

    def reserve(self, count: int) -> None:
        """Reserve space for `count` more points, so that adding them in parts copies nothing."""
        if self._length + count > self.capacity:
            self._grow(self._length + count)

    def append(self, *parts: npt.NDArray[Any], following: int = 0) -> None:
        """Add points at the end.

        Args:
            parts: One array for each column, of equal length.
            following: Number of points expected soon; space for them is reserved if the arrays must grow.
        """
        start, end = self._length, self._length + len(parts[0])
        self.reserve(end - start + (min(max(following, 0), MAX_RESERVE_RATIO * end) if end > self.capacity else 0))
        for array, part in zip(self._arrays, parts, strict=True):
            array[start:end] = part
        self._length = end

    def create_views(self) -> tuple[npt.NDArray[Any], ...]:
        """Return read-only views of all points so far, one for each column."""
        views = tuple(array[: self._length] for array in self._arrays)
        for view in views:
            view.flags.writeable = False
        return views

    def _grow(self, needed: int) -> None:
        """Replace the arrays by larger ones; old views keep the old arrays alive."""
        length = self._length
        # The first points get exactly their size: in a run with thousands of tags most hold a single value.
        capacity = max(needed, length + max(MIN_GROWTH_POINTS, length // 8)) if length else needed
        larger = tuple(np.empty(capacity, array.dtype) for array in self._arrays)
        for new, old in zip(larger, self._arrays, strict=True):
            new[:length] = old[:length]
        self._arrays = larger
