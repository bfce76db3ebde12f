"""Charts that were drawn, for as long as they are charts: what moves is put over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Chart = TypeVar("Chart")
Picture = TypeVar("Picture")

MOST_SIZES = 3
"""Of one chart: in the grid, focused there or one to come, opened."""


class KeptPictures(Generic[Chart, Picture]):
    """The latest picture of each size of each chart. Used by one thread."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Chart, dict[tuple[int, int], tuple[Hashable, Picture]]] = WeakKeyDictionary()

    def picture(self, chart: Chart, width: int, height: int, asked: Hashable, draw: Callable[[], Picture]) -> Picture:
        """The picture of a chart, drawn where it is not kept.

        Args:
            chart: What is drawn.
            width: Its columns.
            height: Its rows.
            asked: Everything else that the picture depends on.
            draw: Draws it.
        """
        sizes = self._kept.setdefault(chart, {})
        known = sizes.pop((width, height), None)
        if known is None or known[0] != asked:
            known = asked, draw()
        sizes[width, height] = known
        while len(sizes) > MOST_SIZES:
            del sizes[next(iter(sizes))]
        return known[1]
