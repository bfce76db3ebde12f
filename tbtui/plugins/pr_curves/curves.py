"""A precision-recall curve: what of it is drawn, and what it says at a threshold. Arrays in, arrays and numbers out."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.events.pr_curves import (
    FALSE_POSITIVES,
    PRECISION,
    RECALL,
    TRUE_POSITIVES,
)
from tbtui.frozen import frozen
from tbtui.series.decimate import is_ascending
from tbtui.series.pr_curves import average_precision, displayed, f1_scores, thresholds

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]


@frozen
class Reading:
    """A curve at one of its thresholds."""

    index: int
    """Which of them."""

    threshold: float
    precision: float | None
    """None behind the end of the curve, where nothing is predicted to be positive; likewise `f1`."""

    recall: float
    f1: float | None
    true_positives: float
    """Counts may be fractions, where examples have weights."""

    false_positives: float
    true_negatives: float
    false_negatives: float


@frozen(slots=False, eq=False)
class Curve:
    """One curve of one step."""

    rows: Floats
    """float64[6, T] as `events.pr_curves` has it."""

    @cached_property
    def thresholds(self) -> Floats:
        """float64[T], ascending."""
        return thresholds(self.rows.shape[1])

    @cached_property
    def shown(self) -> int:
        """How many of the first thresholds are drawn: n, at least 1."""
        return displayed(self.rows[TRUE_POSITIVES], self.rows[FALSE_POSITIVES])

    @property
    def precision(self) -> Floats:
        """float64[n] by rising threshold, as stored; likewise the others."""
        return self.rows[PRECISION, : self.shown]

    @property
    def recall(self) -> Floats:
        """float64[n]."""
        return self.rows[RECALL, : self.shown]

    @cached_property
    def f1(self) -> Floats:
        """float64[n]."""
        return f1_scores(self.precision, self.recall)

    @cached_property
    def area(self) -> float:
        """Average precision: the area under the curve as steps; NaN where there is none."""
        return average_precision(self.precision, self.recall)

    @cached_property
    def best(self) -> int | None:
        """The threshold with the best F1, of equal ones the lowest; None where none is above 0."""
        scores = np.nan_to_num(self.f1, nan=0.0)
        index = int(np.argmax(scores))
        return index if scores[index] > 0 else None

    @cached_property
    def lost(self) -> npt.NDArray[np.bool_]:
        """Which of the n points are no numbers."""
        return np.asarray(~(np.isfinite(self.precision) & np.isfinite(self.recall)))

    def at(self, threshold: float | None) -> Reading | None:
        """The curve at the threshold nearest to one; at its best F1 for None, which it may not have."""
        index = self.best if threshold is None else int(np.argmin(np.abs(self.thresholds - threshold)))
        if index is None:
            return None
        found, wrong, passed, missed, precision, recall = self.rows[:, index].tolist()
        drawn = index < self.shown
        return Reading(
            index,
            float(self.thresholds[index]),
            precision if drawn else None,
            recall,
            float(self.f1[index]) if drawn else None,
            found,
            wrong,
            passed,
            missed,
        )

    def point(self, threshold: float | None) -> tuple[float, float] | None:
        """Recall and precision at a threshold, as `at` finds it; None where the curve is not drawn."""
        reading = self.at(threshold)
        if reading is None or reading.precision is None or self.lost[reading.index]:
            return None
        return reading.recall, reading.precision


def line_of(curve: Curve) -> tuple[Floats, Floats, bool]:
    """A curve as a line by rising recall: x, y, and whether x never goes back.

    Thresholds fall along it. Where recall goes back (raw curves may have any order) each stretch between two points is
    a line of its own, from left to right, with NaN in x between them; points that nothing joins stand alone.
    """
    x, y, good = curve.recall[::-1], curve.precision[::-1], ~curve.lost[::-1]
    if bool(good.all()) and is_ascending(x):
        return x, y, True
    joined = good[:-1] & good[1:]
    first = np.flatnonzero(joined)
    alone = np.flatnonzero(good & ~np.append(joined, [False]) & ~np.append([False], joined))
    swapped = x[first] > x[first + 1]
    left, right = first + swapped, first + 1 - swapped
    between = np.full(len(first), np.nan)
    across = np.column_stack([x[left], x[right], between]).ravel()
    down = np.column_stack([y[left], y[right], np.zeros(len(first))]).ravel()
    lonely_x = np.column_stack([x[alone], np.full(len(alone), np.nan)]).ravel()
    lonely_y = np.column_stack([y[alone], np.zeros(len(alone))]).ravel()
    return np.concatenate([across, lonely_x]), np.concatenate([down, lonely_y]), False


def gaps_of(curve: Curve) -> list[tuple[float, float]]:
    """Recall and precision of the points at which the line stops being numbers; where none is, there is nothing.

    Of points lost in a row it is the one before them on the line, or, where that begins with them, the one after.
    """
    lost = curve.lost[::-1]
    good = np.flatnonzero(~lost)
    if len(good) == 0:
        return []
    begins = np.flatnonzero(lost & ~np.append([False], lost[:-1]))
    before = np.where(begins > 0, begins - 1, good[0])
    recall, precision = curve.recall[::-1][before], curve.precision[::-1][before]
    return list(zip(recall.tolist(), precision.tolist(), strict=True))
