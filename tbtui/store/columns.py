"""Growable numpy columns of one common length: the only place where points are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

MIN_GROWTH_POINTS = 64
"""Points added to the capacity of a small set, so that a tag that grows point by point is seldom copied."""

MAX_RESERVE_RATIO = 7
"""Room is made for so many times as many points as there are, at most. What is not used of it takes addresses, no
memory."""


class Columns:
    """Columns that grow together.

    A view handed out keeps its content for ever: points are only written behind it, and a full array is replaced by a
    larger copy instead of being resized. Capacity grows by an eighth, which costs each point about nine copies in its
    life and leaves 6 % of the memory unused on average; doubling would leave a third.
    """

    __slots__ = ("_arrays", "_length")

    def __init__(self, dtypes: Sequence[npt.DTypeLike]) -> None:
        """Args: dtypes: one for each column."""
        self._arrays: tuple[npt.NDArray[Any], ...] = tuple(np.empty(0, dtype) for dtype in dtypes)
        self._length = 0

    @classmethod
    def of(cls, arrays: Sequence[npt.NDArray[Any]]) -> Columns:
        """Columns that begin with the points of some arrays of one length, which are kept as they are."""
        columns = cls(())
        columns._arrays = tuple(arrays)
        columns._length = len(arrays[0])
        return columns

    def __len__(self) -> int:
        return self._length

    @property
    def capacity(self) -> int:
        """How many points fit before the arrays are replaced."""
        return len(self._arrays[0])

    def reserve(self, count: int) -> None:
        """Make room for so many more points, so that they can be added in pieces and nothing is copied meanwhile."""
        if self._length + count > self.capacity:
            self._grow(self._length + count)

    def append(self, *parts: npt.NDArray[Any], following: int = 0) -> None:
        """Add points at the end.

        Args:
            parts: one array a column, all of one length.
            following: how many more are likely to be added soon; room is made for them when it must be made anyway.
        """
        start, end = self._length, self._length + len(parts[0])
        self.reserve(end - start + (min(max(following, 0), MAX_RESERVE_RATIO * end) if end > self.capacity else 0))
        for array, part in zip(self._arrays, parts, strict=True):
            array[start:end] = part
        self._length = end

    def views(self) -> tuple[npt.NDArray[Any], ...]:
        """Read-only views of all points so far, one a column."""
        views = tuple(array[: self._length] for array in self._arrays)
        for view in views:
            view.flags.writeable = False
        return views

    def _grow(self, needed: int) -> None:
        """Replace the arrays by larger ones; old views keep the old arrays alive."""
        length = self._length
        # The first points get exactly their room: most tags of a run with thousands of them hold a single value.
        capacity = max(needed, length + max(MIN_GROWTH_POINTS, length // 8)) if length else needed
        larger = tuple(np.empty(capacity, array.dtype) for array in self._arrays)
        for new, old in zip(larger, self._arrays, strict=True):
            new[:length] = old[:length]
        self._arrays = larger
