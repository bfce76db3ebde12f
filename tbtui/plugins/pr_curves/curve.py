"""One precision-recall curve: its values at thresholds, its axes, line and gaps, and the cursor on it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import Axis
from tbtui.frozen import frozen
from tbtui.maths.decimate import is_ascending
from tbtui.maths.domain import compute_extent
from tbtui.maths.pr_curves import average_precision, compute_f1_scores, compute_thresholds, count_displayed
from tbtui.plugins.pr_curves.read import (
    FALSE_POSITIVES,
    PRECISION,
    RECALL,
    TRUE_POSITIVES,
)
from tbtui.plugins.pr_curves.settings import THRESHOLD
from tbtui.settings.settings import apply_range, convert_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.pr_curves.read import Floats
    from tbtui.settings.settings import ChartSettings, Range, RowOrder, Settings


def build_curve_axes(curves: Sequence[Curve], chart_settings: ChartSettings) -> tuple[Axis, Axis]:
    """Return the axes of recall and of precision: 0 to 1, unless raw curves exceed that or a range was set by hand.

    Args:
        curves: The drawn curves.
        chart_settings: Settings of the chart.
    """
    x = _build_axis([curve.recall[~curve.is_nonfinite] for curve in curves], chart_settings.across_range)
    y = _build_axis([curve.precision[~curve.is_nonfinite] for curve in curves], chart_settings.y_range)
    return x, y


def _build_axis(values: Sequence[Floats], selected_range: Range) -> Axis:
    """Return a linear axis, since on any other scale the area under a curve has no meaning."""
    low, high = compute_extent(values) or (0.0, 1.0)
    return Axis(*apply_range((min(low, 0.0), max(high, 1.0)), convert_range(selected_range, "linear"), "linear"))


@frozen
class ThresholdReadout:
    """A curve at one of its thresholds."""

    index: int
    """Index of the threshold."""

    threshold: float
    precision: float | None
    """None beyond the end of the curve, where nothing is predicted to be positive, as is `f1`."""

    recall: float
    f1: float | None
    true_positives: float
    """Counts may be fractions if examples have weights."""

    false_positives: float
    true_negatives: float
    false_negatives: float


@frozen(slots=False, eq=False)
class Curve:
    """One curve of one step."""

    rows: Floats
    """float64[6, T], as in `read_curve`."""

    @cached_property
    def thresholds(self) -> Floats:
        """float64[T], ascending."""
        return compute_thresholds(self.rows.shape[1])

    @cached_property
    def shown(self) -> int:
        """Number of drawn thresholds, from the first on: n, at least 1."""
        return count_displayed(self.rows[TRUE_POSITIVES], self.rows[FALSE_POSITIVES])

    @property
    def precision(self) -> Floats:
        """float64[n] by ascending threshold, as stored, as are `recall` and `f1`."""
        return self.rows[PRECISION, : self.shown]

    @property
    def recall(self) -> Floats:
        """float64[n]."""
        return self.rows[RECALL, : self.shown]

    @cached_property
    def f1(self) -> Floats:
        """float64[n]."""
        return compute_f1_scores(self.precision, self.recall)

    @cached_property
    def area(self) -> float:
        """Average precision, the area under the curve as steps; NaN without one."""
        return average_precision(self.precision, self.recall)

    @cached_property
    def best(self) -> int | None:
        """Index of the lowest threshold with the best F1; None if none is above 0."""
        scores = np.nan_to_num(self.f1, nan=0.0)
        index = int(np.argmax(scores))
        return index if scores[index] > 0 else None

    @cached_property
    def is_nonfinite(self) -> npt.NDArray[np.bool_]:
        """True for the points that are not finite, bool[n]."""
        return np.asarray(~(np.isfinite(self.precision) & np.isfinite(self.recall)))

    def at(self, threshold: float | None) -> ThresholdReadout | None:
        """Return the curve at the nearest threshold; None: at its best F1, if it has one."""
        index = self.best if threshold is None else int(np.argmin(np.abs(self.thresholds - threshold)))
        if index is None:
            return None
        true_positives, false_positives, true_negatives, false_negatives, precision, recall = self.rows[
            :, index
        ].tolist()
        is_drawn = index < self.shown
        return ThresholdReadout(
            index,
            float(self.thresholds[index]),
            precision if is_drawn else None,
            recall,
            float(self.f1[index]) if is_drawn else None,
            true_positives,
            false_positives,
            true_negatives,
            false_negatives,
        )

    def point(self, threshold: float | None) -> tuple[float, float] | None:
        """Return recall and precision at a threshold, read as in `at`; None if the curve is not drawn there."""
        reading = self.at(threshold)
        if reading is None or reading.precision is None or self.is_nonfinite[reading.index]:
            return None
        return reading.recall, reading.precision


def build_curve_line(curve: Curve) -> tuple[Floats, Floats, bool]:
    """Return a curve as a line by ascending recall: x, y, and True if x never decreases.

    Thresholds descend along it. Where recall decreases (raw curves may have any order), each segment is a line of its
    own, from left to right, with NaN in x between them; single points are lines of one point.
    """
    x, y, is_finite = curve.recall[::-1], curve.precision[::-1], ~curve.is_nonfinite[::-1]
    if bool(is_finite.all()) and is_ascending(x):
        return x, y, True
    is_joined = is_finite[:-1] & is_finite[1:]
    segment_starts = np.flatnonzero(is_joined)
    lone = np.flatnonzero(is_finite & ~np.append(is_joined, [False]) & ~np.append([False], is_joined))
    is_descending = x[segment_starts] > x[segment_starts + 1]
    left, right = segment_starts + is_descending, segment_starts + 1 - is_descending
    separators = np.full(len(segment_starts), np.nan)
    segments_x = np.column_stack([x[left], x[right], separators]).ravel()
    segments_y = np.column_stack([y[left], y[right], np.zeros(len(segment_starts))]).ravel()
    lone_x = np.column_stack([x[lone], np.full(len(lone), np.nan)]).ravel()
    lone_y = np.column_stack([y[lone], np.zeros(len(lone))]).ravel()
    return np.concatenate([segments_x, lone_x]), np.concatenate([segments_y, lone_y]), False


def find_gap_points(curve: Curve) -> list[tuple[float, float]]:
    """Return recall and precision of the points after which the line is not finite; empty if no point is finite.

    For several points in a row that are not finite, this is the point before them, or else the one after them.
    """
    is_nonfinite = curve.is_nonfinite[::-1]
    finite = np.flatnonzero(~is_nonfinite)
    if len(finite) == 0:
        return []
    gap_starts = np.flatnonzero(is_nonfinite & ~np.append([False], is_nonfinite[:-1]))
    before = np.where(gap_starts > 0, gap_starts - 1, finite[0])
    recall, precision = curve.recall[::-1][before], curve.precision[::-1][before]
    return list(zip(recall.tolist(), precision.tolist(), strict=True))


@frozen
class CurveCursor:
    """State of the cursor in one chart."""

    is_chosen: bool = False
    """True if a step is selected; otherwise the newest is shown."""

    threshold: float | None = None
    """Threshold at which curves are read; None: each at its best F1."""

    focus: str | None = None
    """The highlighted run."""

    baseline: str | None = None
    """Run that the others are compared with; it may be hidden."""

    order: RowOrder = "runs"


NO_CURVE_CURSOR = CurveCursor()


def create_curve_cursor(settings: Settings) -> CurveCursor:
    """Return the state of the cursor."""
    return CurveCursor(
        settings.cursor is not None, THRESHOLD.value(settings), settings.focus, settings.baseline, settings.row_order
    )
