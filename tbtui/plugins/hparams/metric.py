"""Metrics of sessions: their scalars, and the value that represents each curve."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tbtui.frozen import frozen
from tbtui.run_health.anomalies import guess_metric_direction, is_validation
from tbtui.view.attributes import AttributeColumn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.hparams.settings import Figure
    from tbtui.settings.settings import Best, Settings
    from tbtui.store.snapshot import ScalarSeries

FIGURE_LABELS: Mapping[Figure, str] = {
    "last": "last",
    "best": "best",
    "min": "least",
    "max": "greatest",
    "end": "mean of the last tenth",
    "at": "at the best step",
}

MAX_SHORT_CURVE = 32
"""Maximum number of values of a curve whose extremes are found without arrays, in a third of the time."""

PLACEHOLDER_METRIC, PLACEHOLDER_VALUE = "hp_metric", -1.0
"""Lightning logs this metric so that TensorBoard shows hyperparameters at all."""


class LoggedValue(NamedTuple):
    """A single value that was logged with a session, in addition to the curve."""

    value: float
    step: int


@frozen(slots=False, eq=False)
class Metric:
    """One metric of all sessions."""

    tag: str
    group: str
    """Path of its runs below the sessions."""

    title: str
    """Unique name; not yet safe for a terminal."""

    description: str = ""
    dataset_type: str = ""
    """`training`, `validation`; empty if not declared."""

    is_declared: bool = False
    curves: tuple[ScalarSeries | None, ...] = ()
    """Curve of each session; None: it has none."""

    logged: tuple[LoggedValue | None, ...] = ()
    """Value that was logged with each session; None: the curve alone counts."""

    @cached_property
    def count(self) -> int:
        """Number of sessions with a value."""
        return sum(
            curve is not None or value is not None for curve, value in zip(self.curves, self.logged, strict=True)
        )

    @property
    def is_validation(self) -> bool:
        """True if the name or the declaration marks a metric of validation data."""
        return self.dataset_type == "validation" or is_validation(f"{self.group}/{self.tag}")

    def direction(self, settings: Settings) -> Best | None:
        """Return the better end of its values: as set for the tag, or by its name; None if unknown."""
        return settings.chart(self.tag).best or guess_metric_direction(self.tag)


@frozen(slots=False, eq=False)
class MetricValues:
    """Value of a metric in each session."""

    values: AttributeColumn
    steps: tuple[int | None, ...]


class _Figures(NamedTuple):
    last: LoggedValue
    least: LoggedValue | None
    greatest: LoggedValue | None
    end: float


class FigureCache:
    """Figures of curves; each curve is searched once for every revision. Used by one thread."""

    def __init__(self) -> None:
        self._cached_figures: dict[tuple[str, str], tuple[int, _Figures | None]] = {}
        self._values: WeakKeyDictionary[Metric, dict[tuple[object, ...], MetricValues]] = WeakKeyDictionary()
        """Values by metric of a table, which does not change, and by the other arguments."""

    def values(
        self,
        metric: Metric,
        figure: Figure,
        best: Best | None,
        reference: Metric | None = None,
        reference_best: Best | None = None,
    ) -> MetricValues:
        """Return the value of a metric in each session.

        Args:
            metric: The metric.
            figure: Point of each curve that counts.
            best: Better end of its values; None: `best` means the last value.
            reference: Metric whose best step counts for the figure `at`; None: the metric itself.
            reference_best: Better end of that metric.
        """
        cached = self._values.setdefault(metric, {})
        # The last value does not depend on the better end.
        key = (
            figure,
            None if figure == "last" else best,
            *((reference and reference.title, reference_best) if figure == "at" else ()),
        )
        if key not in cached:
            cached[key] = self._find_values(metric, figure, best, reference, reference_best)
        return cached[key]

    def _find_values(
        self, metric: Metric, figure: Figure, best: Best | None, reference: Metric | None, reference_best: Best | None
    ) -> MetricValues:
        numbers = np.full(len(metric.curves), np.nan)
        present = np.zeros(len(metric.curves), np.bool_)
        steps: list[int | None] = []
        for row in range(len(metric.curves)):
            point = self._point(metric, row, figure, best, reference, reference_best)
            if point is not None:
                numbers[row], present[row] = point.value, True
            steps.append(None if point is None else point.step)
        return MetricValues(AttributeColumn.of_numbers(numbers, present), tuple(steps))

    def _point(
        self,
        metric: Metric,
        row: int,
        figure: Figure,
        best: Best | None,
        reference: Metric | None,
        reference_best: Best | None,
    ) -> LoggedValue | None:
        curve, logged = metric.curves[row], metric.logged[row]
        if figure == "last" and logged is not None:
            return logged
        if figure == "last" and curve is not None and len(curve):
            current = curve.current  # the other figures take ten times as long
            return LoggedValue(float(current.values[-1]), int(current.steps[-1]))
        figures = None if curve is None else self._compute_figures(curve)
        if figures is None or curve is None:
            return logged
        if figure == "at":
            return self._find_value_at_best_step(
                metric, row, reference or metric, reference_best if reference is not None else best
            )
        if figure == "end":
            return LoggedValue(figures.end, figures.last.step)
        extreme = best if figure == "best" else figure
        if extreme in ("min", "max"):
            points = [point for point in (figures.least if extreme == "min" else figures.greatest, logged) if point]
            points = [point for point in points if math.isfinite(point.value)]
            if points:
                return (min if extreme == "min" else max)(points, key=lambda point: point.value)
        return figures.last

    def _find_value_at_best_step(
        self, metric: Metric, row: int, reference: Metric, reference_best: Best | None
    ) -> LoggedValue | None:
        """Return the value at the last step that is not after the best one of another metric."""
        curve = metric.curves[row]
        goal = self._point(reference, row, "best", reference_best or "min", None, None)
        if curve is None or goal is None:
            return None
        current = curve.current
        index = int(np.searchsorted(current.steps, goal.step, "right")) - 1
        if index < 0:
            return None
        return LoggedValue(float(current.values[index]), int(current.steps[index]))

    def _compute_figures(self, curve: ScalarSeries) -> _Figures | None:
        key = curve.run, curve.tag
        cached = self._cached_figures.get(key)
        if cached is None or cached[0] != curve.revision:
            cached = self._cached_figures[key] = curve.revision, _compute_figures(curve)
        return cached[1]


def _compute_figures(curve: ScalarSeries) -> _Figures | None:
    if not len(curve):
        return None
    current = curve.current
    values, steps = current.values, current.steps
    if len(values) == 1:  # thousands of sessions have one point each
        value = LoggedValue(float(values[0]), int(steps[0]))
        extreme = value if math.isfinite(value.value) else None
        return _Figures(value, extreme, extreme, value.value)
    last = LoggedValue(float(values[-1]), int(steps[-1]))
    tail = values[-max(len(values) // 10, 1) :]
    if len(tail) == 1:
        end = last.value if math.isfinite(last.value) else math.nan
    else:
        end = float(np.mean(tail)) if np.isfinite(tail).all() else math.nan
    extremes = _find_extremes(values)
    if extremes is None:
        return _Figures(last, None, None, end)
    least, greatest = (LoggedValue(values.item(index), steps.item(index)) for index in extremes)
    return _Figures(last, least, greatest, end)


def _find_extremes(values: npt.NDArray[np.float64]) -> tuple[int, int] | None:
    """Return the first indices of the least and the greatest finite value; None without any."""
    if len(values) <= MAX_SHORT_CURVE:  # as nearly all curves of a search of thousands of sessions
        numbers = values.tolist()
        finite_numbers = [number for number in numbers if math.isfinite(number)]
        if not finite_numbers:
            return None
        return numbers.index(min(finite_numbers)), numbers.index(max(finite_numbers))
    finite = np.flatnonzero(np.isfinite(values))
    if not len(finite):
        return None
    return int(finite[np.argmin(values[finite])]), int(finite[np.argmax(values[finite])])


def choose_main_metric(metrics: Sequence[Metric], chosen: str = "") -> Metric | None:
    """Return the metric that sessions are judged by: the chosen one, else the first of the validation data.

    A metric that most sessions lack, or whose better end is unknown, is only taken if there is no other.
    """
    if (selected := next((metric for metric in metrics if metric.title == chosen), None)) is not None:
        return selected
    max_count = max((metric.count for metric in metrics), default=0)

    def rank(metric: Metric) -> tuple[bool, bool, bool, bool, bool]:
        return (
            metric.count * 2 <= max_count,
            guess_metric_direction(metric.tag) is None,
            not metric.is_validation,
            not metric.is_declared,
            guess_metric_direction(metric.tag) != "min",
        )

    return min(metrics, key=rank, default=None)
