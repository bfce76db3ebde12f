"""What histograms say where the user looks: at the cursor, at the marked step, or at their newest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.series.quantiles import BASIS_POINTS, quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer

MEDIAN = len(BASIS_POINTS) // 2


@frozen
class Reading:
    """One histogram of one run. Figures are NaN where nothing is in it, or it is refused."""

    recorded: Recorded
    index: int

    @property
    def step(self) -> int:
        """Its step."""
        return int(self.recorded.steps[self.index])

    @property
    def x(self) -> float:
        """Where it stands on the x axis."""
        return float(self.recorded.x[self.index])

    @property
    def wall_time(self) -> float:
        """Seconds since the epoch."""
        return float(self.recorded.wall_times[self.index])

    @property
    def count(self) -> float:
        """How many values; may be a fraction, NaN only where it is refused."""
        return float(self.recorded.moments.count[self.index])

    @property
    def mean(self) -> float:
        """Of all values; see `is_exact`."""
        return float(self.recorded.moments.mean[self.index])

    @property
    def std(self) -> float:
        """Likewise."""
        return float(self.recorded.moments.std[self.index])

    @property
    def is_exact(self) -> bool:
        """Whether mean and deviation are those of the values, not of buckets."""
        return bool(self.recorded.moments.exact[self.index])

    @property
    def least(self) -> float:
        """Where the first bucket with a count begins."""
        return float(self.recorded.moments.least[self.index])

    @property
    def greatest(self) -> float:
        """Where the last one ends."""
        return float(self.recorded.moments.greatest[self.index])

    @property
    def median(self) -> float:
        """Interpolated, as TensorBoard does."""
        if not self.count:
            return float("nan")
        if self.recorded.figures.has_quantiles:
            return float(self.recorded.quantiles[self.index, MEDIAN])
        return float(quantiles(self.recorded.some(np.array([self.index])), BASIS_POINTS[MEDIAN : MEDIAN + 1])[0, 0])

    @property
    def refused(self) -> str:
        """Why it cannot be drawn; empty when it can."""
        return self.recorded.refused.get(self.index, "")


def chosen_of(recorded: Recorded, pointer: Pointer) -> Reading:
    """The histogram at the cursor; without one the newest."""
    return Reading(recorded, recorded.nearest(pointer.cursor))


def marked_of(recorded: Recorded, pointer: Pointer) -> Reading | None:
    """The one that it is compared with; None where none is marked, or it is the same."""
    if pointer.mark is None:
        return None
    index = recorded.nearest(pointer.mark)
    return None if index == recorded.nearest(pointer.cursor) else Reading(recorded, index)


def focused(recorded: Sequence[Recorded], focus: str | None) -> int | None:
    """Index of the run that stands out; None where none does."""
    return next((index for index, each in enumerate(recorded) if each.run == focus), None)
