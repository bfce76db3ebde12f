"""What runs say where the user looks: at the cursor, at both ends of a stretch, or at their newest histograms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.plugins.distributions.curves import MEDIAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.distributions.curves import Curves, Floats
    from tbtui.viewstate.choices import Choices, RowOrder


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where the user looks in one chart. The default is nowhere."""

    cursor: float | None = None
    """On the chart's x axis, likewise the mark."""

    mark: float | None = None
    """The other end of a stretch; None without a cursor."""

    focus: str | None = None
    """The run that stands out."""

    baseline: str | None = None
    """The run that the others are compared with; it may not be drawn."""

    order: RowOrder = "runs"

    @property
    def ends(self) -> tuple[float | None, ...]:
        """Where the user looks: one place, or both ends of a stretch in their order."""
        if self.cursor is None or self.mark is None or self.cursor == self.mark:
            return (self.cursor,)
        return tuple(sorted((self.cursor, self.mark)))


NOWHERE = Pointer()


def pointer_of(choices: Choices, origin: int = 0) -> Pointer:
    """Where the user looks in a chart whose x axis counts from `origin`."""
    cursor, mark = (None if x is None else float(x - origin) for x in (choices.cursor, choices.mark))
    return Pointer(cursor, mark if cursor is not None else None, choices.focus, choices.baseline, choices.row_order)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One histogram of one run."""

    curves: Curves
    index: int
    """Into the arrays of `curves`."""

    @property
    def values(self) -> Floats:
        """float64[9]; NaN for a histogram that is refused."""
        return np.asarray(self.curves.values[self.index])

    @property
    def median(self) -> float:
        """NaN likewise."""
        return float(self.curves.values[self.index, MEDIAN])

    @property
    def place(self) -> int:
        """Index among all that was recorded."""
        return self.curves.recorded_index(self.index)

    @property
    def step(self) -> int:
        """Of the histogram."""
        return int(self.curves.recorded.steps[self.place])

    @property
    def wall_time(self) -> float:
        """Seconds since the epoch."""
        return float(self.curves.recorded.wall_times[self.place])


def readings(all_curves: Sequence[Curves], pointer: Pointer = NOWHERE) -> tuple[tuple[Reading, ...], ...]:
    """What each run says at each end of where the user looks: [runs][ends]."""
    return tuple(tuple(Reading(curves, curves.index_at(end)) for end in pointer.ends) for curves in all_curves)
