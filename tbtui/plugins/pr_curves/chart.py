"""Charts of precision-recall curves: axes, curves, labels, and the cache of the charts of all views."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.axis import Axis
from tbtui.charts.card import SEPARATOR
from tbtui.charts.line_chart import BEST_SIGN, NAN_SIGN
from tbtui.charts.text import visible_name
from tbtui.frozen import frozen
from tbtui.maths.decimate import is_ascending, unique_values
from tbtui.maths.domain import extent
from tbtui.maths.pr_curves import average_precision, displayed_count, f1_scores, thresholds
from tbtui.plugins.pr_curves.read import (
    FALSE_POSITIVES,
    PLUGIN_NAME,
    PRECISION,
    RECALL,
    TRUE_POSITIVES,
    CurveReader,
    NoCurveError,
)
from tbtui.plugins.pr_curves.settings import THRESHOLD
from tbtui.plugins.sample_steps import NoValueError, sample_steps, steps_key
from tbtui.settings.settings import apply_range, usable_range
from tbtui.view.axes import sort_rows
from tbtui.view.cards import ShownRunCards, card_title
from tbtui.view.descriptions import cursor_label, range_label

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.pr_curves.read import Curves, Floats, Rows
    from tbtui.plugins.sample_steps import SampleStep, SampleSteps
    from tbtui.settings.settings import ChartSettings, Range, RowOrder, Settings
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.cards import RunCards
    from tbtui.view.view import View


def curve_axes(curves: Sequence[Curve], own: ChartSettings) -> tuple[Axis, Axis]:
    """Return the axes of recall and of precision: 0 to 1, unless raw curves exceed that or a range was set by hand.

    Args:
        curves: The drawn curves.
        own: Settings of the chart.
    """
    x = _axis([curve.recall[~curve.lost] for curve in curves], own.across_range)
    y = _axis([curve.precision[~curve.lost] for curve in curves], own.y_range)
    return x, y


def _axis(values: Sequence[Floats], chosen: Range) -> Axis:
    """Return a linear axis: on another scale the area under a curve has no meaning."""
    low, high = extent(values) or (0.0, 1.0)
    return Axis(*apply_range((min(low, 0.0), max(high, 1.0)), usable_range(chosen, "linear"), "linear"))


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
        return thresholds(self.rows.shape[1])

    @cached_property
    def shown(self) -> int:
        """Number of drawn thresholds, from the first on: n, at least 1."""
        return displayed_count(self.rows[TRUE_POSITIVES], self.rows[FALSE_POSITIVES])

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
        return f1_scores(self.precision, self.recall)

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
    def lost(self) -> npt.NDArray[np.bool_]:
        """True for the points that are not finite, bool[n]."""
        return np.asarray(~(np.isfinite(self.precision) & np.isfinite(self.recall)))

    def at(self, threshold: float | None) -> ThresholdReadout | None:
        """Return the curve at the nearest threshold; None: at its best F1, if it has one."""
        index = self.best if threshold is None else int(np.argmin(np.abs(self.thresholds - threshold)))
        if index is None:
            return None
        found, wrong, passed, missed, precision, recall = self.rows[:, index].tolist()
        drawn = index < self.shown
        return ThresholdReadout(
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
        """Return recall and precision at a threshold, as `at` finds it; None if the curve is not drawn there."""
        reading = self.at(threshold)
        if reading is None or reading.precision is None or self.lost[reading.index]:
            return None
        return reading.recall, reading.precision


def curve_line(curve: Curve) -> tuple[Floats, Floats, bool]:
    """Return a curve as a line by ascending recall: x, y, and True if x never decreases.

    Thresholds descend along it. Where recall decreases (raw curves may have any order), each segment is a line of its
    own, from left to right, with NaN in x between them; single points are lines of one point.
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


def gap_points(curve: Curve) -> list[tuple[float, float]]:
    """Return recall and precision of the points after which the line is not finite; empty if no point is finite.

    Of consecutive lost points it is the point before them on the line, or else the point after them.
    """
    lost = curve.lost[::-1]
    good = np.flatnonzero(~lost)
    if len(good) == 0:
        return []
    begins = np.flatnonzero(lost & ~np.append([False], lost[:-1]))
    before = np.where(begins > 0, begins - 1, good[0])
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


def curve_cursor(settings: Settings) -> CurveCursor:
    """Return the state of the cursor."""
    return CurveCursor(
        settings.cursor is not None, THRESHOLD.value(settings), settings.focus, settings.baseline, settings.row_order
    )


def leading_run(runs: Sequence[RunCurve], focus: str | None) -> RunCurve | None:
    """Return the run that keys follow: the focused one, or else the first with a curve."""
    drawn = [each for each in runs if each.curve is not None]
    return next((each for each in drawn if each.run == focus), drawn[0] if drawn else None)


def rows_in_order(runs: Sequence[RunCurve], pointer: CurveCursor) -> list[int]:
    """Return the runs in the order of the table rows; values are the areas under their curves."""
    focus = next((index for index, each in enumerate(runs) if each.run == pointer.focus), None)
    return sort_rows([each.area for each in runs], pointer.order, focus)


AXES = "precision over recall"
LINEAR_ONLY = "recall and precision have a linear scale only"
ZOOMED_ALONE = "charts of PR curves are zoomed one by one"


def settings_label(settings: Settings, key: str | None = None) -> str:
    """Return how the charts, or one of them, are drawn; defaults are left out.

    `newest step · threshold 0.5 · recall .8–1`

    Args:
        settings: The settings.
        key: Card of one chart; None: all charts.
    """
    parts = (
        "overview" if settings.overview and key is None else "",
        cursor_label(settings) or "newest step",
        threshold_label(THRESHOLD.value(settings)),
        f"from step {settings.skip_steps:,} on" if settings.skip_steps else "",
        "superseded too" if settings.superseded else "",
        *(() if key is None else zoom_labels(settings, key)),
    )
    return SEPARATOR.join(filter(None, parts))


def threshold_label(threshold: float | None) -> str:
    """Return `threshold 0.5`; empty without a threshold."""
    return "" if threshold is None else f"threshold {numbers.short(threshold, digits=4)}"


def zoom_labels(settings: Settings, key: str) -> tuple[str, ...]:
    """Return ranges set by hand: `recall .8–1`, `precision from .9`."""
    own = settings.chart(key)
    ranges = (("recall", range_label(own.across_range)), ("precision", range_label(own.y_range)))
    return tuple(f"{name} {word}" for name, word in ranges if word)


def step_label(runs: Sequence[RunCurve], pointer: CurveCursor) -> str:
    """Return the drawn steps: `step 440, the newest`, `step 264`, `steps 88–440`, `step 264 beside 88`."""
    word = steps_label(runs)
    marked = [(each.marked_step, each.marked_label) for each in runs if each.marked_step is not None]
    if marked:
        return f"{word} beside {_steps(marked).partition(' ')[2]}"
    return word if pointer.is_chosen else f"{word}, the newest"


def steps_label(runs: Sequence[RunCurve]) -> str:
    """Return the drawn steps: `step 440`, `step 0, 2 of 5`, or `steps 88–440` if runs differ."""
    return _steps([(each.step, each.label) for each in runs])


def _steps(steps: Sequence[tuple[int, str]]) -> str:
    low, high = min(steps)[0], max(steps)[0]
    labels = {label for _, label in steps}
    if len(labels) == 1:
        return labels.pop()
    return f"step {low}" if low == high else f"steps {low}–{high}"


def left_out_label(runs: Sequence[RunCurve]) -> str:
    """Return what the step axis leaves out: `4 more at this step (u)`; of several runs of the first with any."""
    return next((each.left_out for each in runs if each.left_out), "")


def title_labels(runs: Sequence[RunCurve], pointer: CurveCursor) -> tuple[str, ...]:
    """Return steps, thresholds of the table, and problems; a selected threshold comes first."""
    threshold, steps, wrong = threshold_label(pointer.threshold), step_label(runs, pointer), problem_labels(runs)
    steps = SEPARATOR.join(filter(None, (steps, left_out_label(runs))))
    return (threshold, steps, *wrong) if threshold else (steps, *wrong, f"{BEST_SIGN} at each best F1")


def readout_labels(reading: ThresholdReadout | None, pointer: CurveCursor) -> tuple[str, ...]:
    """Return the values of a curve without table: `threshold 0.5`, `P .75 R .75 F1 .75`; `★ at 0.5` at its best F1."""
    if reading is None:
        return (threshold_label(pointer.threshold),)
    named_values = (("P", reading.precision), ("R", reading.recall), ("F1", reading.f1))
    at = f"{BEST_SIGN} at {numbers.short(reading.threshold, digits=4)}"
    return (
        at if pointer.threshold is None else threshold_label(reading.threshold),
        " ".join(f"{name} {numbers.brief(value)}" for name, value in named_values if value is not None),
    )


def problem_labels(runs: Sequence[RunCurve]) -> tuple[str, ...]:
    """Return problems of curves: why one cannot be drawn, and the number of thresholds that are not finite."""
    labels = []
    for each in runs:
        name = f"{each.run}: " if len(runs) > 1 else ""
        if each.refused:
            labels.append(f"{NAN_SIGN} {name}{each.refused}")
        elif each.curve is not None and bool(each.curve.lost.any()):
            count, of = int(np.count_nonzero(each.curve.lost)), each.curve.shown
            labels.append(f"{NAN_SIGN} {name}no number at {count:,} of {numbers.counted(of, 'threshold')}")
    return tuple(labels)


def empty_message(curves: Sequence[tuple[Curve | None, str]], x_axis: Axis, y_axis: Axis) -> str:
    """Return why no curve of a chart is visible; empty if one is.

    Args:
        curves: Curve of each run, or the reason why it has none.
        x_axis: Axis of recall.
        y_axis: Axis of precision.
    """
    drawn = [curve for curve, _ in curves if curve is not None]
    if not drawn:
        return curves[0][1]
    if all(bool(curve.lost.all()) for curve in drawn):
        return "no point of the curve is a number" if len(drawn) == 1 else "no point of any curve is a number"
    if any(_is_in_sight(curve, x_axis, y_axis) for curve in drawn):
        return ""
    recall, precision = ((numbers.short(axis.low), numbers.short(axis.high)) for axis in (x_axis, y_axis))
    return f"no curve at recall {'–'.join(recall)} and precision {'–'.join(precision)}"


def _is_in_sight(curve: Curve, x_axis: Axis, y_axis: Axis) -> bool:
    """Return True if the bounding box of two neighbouring points overlaps the visible area."""
    low, high = np.fmin(curve.recall[:-1], curve.recall[1:]), np.fmax(curve.recall[:-1], curve.recall[1:])
    bottom, top = np.fmin(curve.precision[:-1], curve.precision[1:]), np.fmax(curve.precision[:-1], curve.precision[1:])
    if curve.shown == 1:
        low, high, bottom, top = curve.recall, curve.recall, curve.precision, curve.precision
    across = (low <= x_axis.high) & (high >= x_axis.low)
    return bool((across & (bottom <= y_axis.high) & (top >= y_axis.low)).any())


def error_text(error: Exception) -> str:
    """Return an error as a sentence for users."""
    return str(error) if isinstance(error, NoCurveError) else f"cannot be drawn: {type(error).__name__}: {error}"


MAX_CACHE_BYTES = 64 << 20
"""Bytes of cached curves; the last chart is always kept."""


@frozen(slots=False)
class RunCurve:
    """Curve of one run. Equal ones look the same."""

    run: str
    """Not yet safe for a terminal."""

    ink: int
    step: int
    wall_time: float
    """Seconds since the epoch."""

    start: float
    """Wall time of the first curve of the series."""

    curve: Curve | None
    """None if it cannot be drawn."""

    label: str
    """`step 312`; of several curves at one position `step 0, 2 of 5`."""

    refused: str = ""
    """Reason why it cannot be drawn, one plain sentence."""

    marked: Curve | None = None
    """Curve of the marked step; None without a mark, or if it is the same step."""

    marked_step: int | None = None
    marked_label: str = ""
    left_out: str = ""
    """`4 more at this step (u)`: curves that the step axis leaves out; empty without any."""

    @property
    def area(self) -> float:
        """Average precision; NaN without one."""
        return np.nan if self.curve is None else self.curve.area

    @property
    def nbytes(self) -> int:
        """Bytes of its curves."""
        return sum(curve.rows.nbytes for curve in (self.curve, self.marked) if curve is not None)


@frozen(slots=False)
class Chart:
    """Data of the chart of one card. Equal ones look the same."""

    key: str
    """Key of the card."""

    tag: str
    title: str
    """Title; not yet safe for a terminal, nor are the names of runs."""

    runs: tuple[RunCurve, ...]
    """Drawn runs with a curve, in the order of the run tree; at least one."""

    x_axis: Axis
    """Axis of recall."""

    y_axis: Axis
    """Axis of precision."""

    blank: str = ""
    """Reason why nothing is visible; empty if something is."""


class CurveChartCache:
    """Charts of all views drawn so far. Used by one thread.

    Args:
        payloads: Reader of the event files.
        most_bytes: See `MAX_CACHE_BYTES`.
    """

    def __init__(self, payloads: Payloads, most_bytes: int = MAX_CACHE_BYTES) -> None:
        self._most_bytes = most_bytes
        self._reader = CurveReader(payloads)
        self._cards = ShownRunCards(PLUGIN_NAME, together=True)
        self._curves: WeakValueDictionary[int, Curve] = WeakValueDictionary()
        self._charts: OrderedDict[str, tuple[Hashable, Chart]] = OrderedDict()
        self._view: View | None = None
        self._series: dict[str, tuple[tuple[RunSnapshot, ReferenceSeries], ...]] = {}

    def cards(self, view: View) -> RunCards:
        """Return the cards in order; the same object as long as they are the same."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> tuple[tuple[RunSnapshot, ReferenceSeries], ...]:
        """Return the drawn runs with curves of card `key`."""
        if view is not self._view:
            self._view, self._series = view, {}
        known = self._series.get(key)
        if known is None:
            known = self._series[key] = tuple(view.references(self.cards(view).tag_of(key), PLUGIN_NAME))
        return known

    def look(self, view: View, key: str) -> Hashable:
        """Return everything that the chart of card `key` and the positions of its cursor depend on."""
        settings = view.settings
        own = settings.chart(key)
        tag = self.cards(view).tag_of(key)
        series_keys = tuple(
            (run.name, steps_key(view, run.name, tag, PLUGIN_NAME)) for run, _ in self.series(view, key)
        )
        return tag, own.across_range, own.y_range, settings.cursor, settings.mark, series_keys

    def stops(self, view: View, key: str) -> Floats:
        """Return the positions of the cursor, float64[k] ascending: x of all curves of card `key`."""
        columns = [steps.stops for steps in self._steps(view, key)]
        return unique_values(np.concatenate([*columns, np.empty(0)]))

    def chart(self, view: View, key: str) -> Chart:
        """Return the chart of card `key`; the same object as long as it is equal.

        Raises:
            NoCurveError: No drawn run holds a curve, or all are skipped.
        """
        look = self.look(view, key)
        known = self._charts.pop(key, None)
        if known is not None and known[0] == look:
            self._charts[key] = known
            return known[1]
        chart, is_final = self._make(view, key)
        chart = chart if known is None or known[1] != chart else known[1]
        # A value that cannot be read now may be readable later.
        self._charts[key] = (look if is_final else None), chart
        self._forget()
        return chart

    def _forget(self) -> None:
        """Drop the least recently used charts while their curves take too many bytes."""
        sizes = [sum(each.nbytes for each in chart.runs) for _, chart in self._charts.values()]
        nbytes = sum(sizes)
        for size in sizes[:-1]:
            if nbytes <= self._most_bytes:
                break
            self._charts.popitem(last=False)
            nbytes -= size

    def _steps(self, view: View, key: str) -> list[SampleSteps]:
        """Return the curves that the user can select, of each drawn run with any."""
        tag, all_steps = self.cards(view).tag_of(key), []
        for run, _ in self.series(view, key):
            with suppress(NoValueError):
                all_steps.append(sample_steps(view, run.name, tag, PLUGIN_NAME, "curve"))
        return all_steps

    def _make(self, view: View, key: str) -> tuple[Chart, bool]:
        """Return the chart, and True if reading again cannot change it."""
        settings, all_steps, tag = view.settings, self._steps(view, key), self.cards(view).tag_of(key)
        if not self.series(view, key):
            raise NoCurveError("no visible run has a curve of this tag")
        if not all_steps:
            raise NoCurveError(
                f"all curves are at steps below {settings.skip_steps}, which are skipped"
                if settings.skip_steps
                else "no curve of this tag has a time"
            )
        mark = settings.mark if settings.cursor is not None else None
        read = [self._read(steps, settings.cursor, mark) for steps in all_steps]
        runs = tuple(
            _run_curve(step, marked, self._curves_at(step, marked, curves), curves) for step, marked, curves in read
        )
        own = settings.chart(key)
        x_axis, y_axis = curve_axes([curve for each in runs for curve in (each.curve, each.marked) if curve], own)
        title = _title(tag, [steps.series for steps in all_steps])
        blank = empty_message([(each.curve, each.refused) for each in runs], x_axis, y_axis)
        return Chart(key, tag, title, runs, x_axis, y_axis, blank), not any(curves.is_retryable for *_, curves in read)

    def _read(
        self, steps: SampleSteps, cursor: float | None, mark: float | None
    ) -> tuple[SampleStep, SampleStep | None, Curves]:
        """Return the values at the cursor and at the mark, if that is another one, and their curves."""
        step = steps.nearest(cursor)
        marked = None if mark is None else steps.nearest(mark)
        if marked is not None and marked.index == step.index:
            marked = None
        points = [each.point for each in (step, marked) if each is not None]
        return step, marked, self._reader.read(steps.run, steps.series, points)

    def _curves_at(
        self, step: SampleStep, marked: SampleStep | None, curves: Curves
    ) -> tuple[Curve | None, Curve | None]:
        return (
            self._curve(curves.rows.get(step.point)),
            None if marked is None else self._curve(curves.rows.get(marked.point)),
        )

    def _curve(self, rows: Rows | None) -> Curve | None:
        """Return the same object for the same rows, so that charts of the same curves are equal."""
        if rows is None:
            return None
        known = self._curves.get(id(rows))
        if known is None or known.rows is not rows:
            known = self._curves[id(rows)] = Curve(rows)
        return known


def _run_curve(
    step: SampleStep, marked: SampleStep | None, drawn: tuple[Curve | None, Curve | None], curves: Curves
) -> RunCurve:
    steps = step.steps
    return RunCurve(
        steps.run.name,
        steps.ink,
        step.step,
        step.wall_time,
        step.wall_time - step.seconds,
        drawn[0],
        step.label,
        curves.refused.get(step.point, ""),
        drawn[1],
        None if marked is None else marked.step,
        "" if marked is None else marked.label,
        step.left_out,
    )


def _title(tag: str, all_series: Sequence[ReferenceSeries]) -> str:
    """Return the display name of the tag, or the tag itself."""
    display_names = (series.metadata.display_name for series in all_series)
    return visible_name(next(filter(None, display_names), "") or card_title(tag))
