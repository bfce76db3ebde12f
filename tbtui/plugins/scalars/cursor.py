"""What a chart says over a stretch, and in which order its lines stand: arrays in, numbers and indices out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.stops import nearest
from tbtui.frozen import frozen
from tbtui.viewstate.row_order import in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tbtui.viewstate.options import Best

    Floats: TypeAlias = npt.NDArray[np.float64]


@frozen
class Stretch:
    """A line between two ends on x."""

    start: float
    """What is shown of the line at the point nearest to the left end, and to the right one."""

    end: float
    least: float
    """Of the finite values between them, both ends included; NaN where there is none, likewise below."""

    greatest: float
    mean: float

    @property
    def change(self) -> float:
        """From start to end."""
        return self.end - self.start

    @property
    def part(self) -> float:
        """The change as a part of the start's size, with the sign of the change; NaN from 0."""
        return self.change / abs(self.start) if self.start else float("nan")


def stretch_of(x: Floats, shown: Floats, ends: tuple[float, float], *, ascending: bool = True) -> Stretch | None:
    """A line over a stretch: everything is told of the values that are drawn, as TensorBoard does.

    None where the line ends before the stretch or begins behind it: what is not there has not stood still.

    Args:
        x: float64[n], n >= 1.
        shown: float64[n], as drawn.
        ends: Of the stretch, in order.
        ascending: As in `nearest`.
    """
    low, high = ends
    first, last = (x[0], x[-1]) if ascending else (x.min(), x.max())
    if last < low or high < first:
        return None
    if ascending:
        inside = shown[np.searchsorted(x, low) : np.searchsorted(x, high, "right")]
    else:
        inside = shown[(x >= low) & (x <= high)]
    inside = inside[np.isfinite(inside)]
    start, end = (float(shown[nearest(x, at, ascending=ascending)]) for at in ends)
    if len(inside) == 0:
        return Stretch(start, end, np.nan, np.nan, np.nan)
    least, greatest = float(inside.min()), float(inside.max())
    with np.errstate(over="ignore"):
        mean = float((inside / len(inside)).sum())  # divided first: a sum of the largest floats has no room
    return Stretch(start, end, least, greatest, min(max(mean, least), greatest))


def by_worth(values: Sequence[float], best: Best | None, first: Iterable[int | None] = ()) -> list[int]:
    """Indices of all rows, those that matter most first: the given ones, the best, the next best, the worst, and so on.

    Args:
        values: What each row shows; those of NaN come last.
        best: Which end is the good one; None, where nobody knows, is as `min`.
        first: Rows that come before all others; None is nobody.
    """
    ranked = in_order(values, "descending" if best == "max" else "ascending")
    lost = [index for index in ranked if np.isnan(values[index])]
    good = ranked[: len(ranked) - len(lost)]
    # The best, then in turns the next from the good end and from the bad one: b1, b2, w1, b3, w2 …
    bad = good[: len(good) // 2 : -1]
    good = good[: len(good) - len(bad)]
    turns = [index for pair in zip(good[1:], [*bad, *[None] * len(good)], strict=False) for index in pair]
    worthy = (*first, *good[:1], *turns, *bad, *lost)
    return list(dict.fromkeys(index for index in worthy if index is not None))
