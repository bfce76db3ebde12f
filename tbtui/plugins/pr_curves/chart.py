"""Charts of precision-recall curves: axes, curves, labels, and the cache of the charts of all views."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from tbtui.charts.text import format_run_name
from tbtui.frozen import frozen
from tbtui.maths.decimate import find_unique_values
from tbtui.plugins.pr_curves.chart_labels import format_empty_message
from tbtui.plugins.pr_curves.curve import Curve, CurveCursor, build_curve_axes
from tbtui.plugins.pr_curves.read import PLUGIN_NAME, CurveReader
from tbtui.plugins.shown_steps import NoValueError, StepsCache, find_marked_step
from tbtui.view.cards import ShownRunCards, shorten_tag
from tbtui.view.highlights import add_chosen, find_leaders
from tbtui.view.row_order import sort_rows

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.pr_curves.read import Floats, Rows
    from tbtui.plugins.shown_steps import ShownSteps
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.cards import RunCards
    from tbtui.view.view import View


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

    run_start: float
    """Wall time of the start of the run."""

    curve: Curve | None
    """None if it cannot be drawn."""

    label: str
    """`step 312`, or `step 0, 2 of 5` for several curves at one position."""

    error: str = ""
    """Reason why it cannot be drawn, one plain sentence; empty if it can."""

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

    empty_reason: str = ""
    """Reason why nothing is visible; empty if something is."""


class CurveChartCache:
    """Caches the charts of all views. Used by one thread.

    Args:
        payloads: Reader of the event files.
        max_bytes: See `MAX_CACHE_BYTES`.
    """

    def __init__(self, payloads: Payloads, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._reader = CurveReader(payloads)
        self._cards = ShownRunCards(PLUGIN_NAME, together=True)
        self._steps = StepsCache(PLUGIN_NAME, "curve")
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
        cached = self._series.get(key)
        if cached is None:
            cached = self._series[key] = tuple(view.references(self.cards(view).tag_of(key), PLUGIN_NAME))
        return cached

    def build_chart_key(self, view: View, key: str) -> Hashable:
        """Return the cache key of the chart and the stops of card `key`: all data and settings that they depend on."""
        settings = view.settings
        chart_settings = settings.chart(key)
        tag = self.cards(view).tag_of(key)
        series_keys = tuple((run.name, self._steps.paint_key(view, run.name, tag)) for run, _ in self.series(view, key))
        return tag, chart_settings.across_range, chart_settings.y_range, settings.cursor, settings.mark, series_keys

    def stops(self, view: View, key: str) -> Floats:
        """Return the positions of the cursor, float64[k] ascending: x of all curves of card `key`."""
        try:
            all_steps = self._steps.get_by_tag(view, self.cards(view).tag_of(key))
        except NoValueError:
            return np.empty(0)
        return find_unique_values(np.concatenate([steps.stops for steps in all_steps]))

    def chart(self, view: View, key: str) -> Chart:
        """Return the chart of card `key`; the same object as long as nothing in it changes.

        Raises:
            NoValueError: No drawn run holds a curve, or all are skipped.
        """
        inputs = self.build_chart_key(view, key)
        cached = self._charts.pop(key, None)
        if cached is not None and cached[0] == inputs:
            self._charts[key] = cached
            return cached[1]
        chart, is_final = self._build_chart(view, key)
        chart = chart if cached is None or cached[1] != chart else cached[1]
        # A value that cannot be read now may be readable later.
        self._charts[key] = (inputs if is_final else None), chart
        self._evict()
        return chart

    def _evict(self) -> None:
        """Drop the least recently used charts while their curves take too many bytes."""
        sizes = [sum(each.nbytes for each in chart.runs) for _, chart in self._charts.values()]
        nbytes = sum(sizes)
        for size in sizes[:-1]:
            if nbytes <= self._max_bytes:
                break
            self._charts.popitem(last=False)
            nbytes -= size

    def _build_chart(self, view: View, key: str) -> tuple[Chart, bool]:
        """Return the chart, and True if reading again cannot change it."""
        tag = self.cards(view).tag_of(key)
        all_steps = self._steps.get_by_tag(view, tag)
        curves = [self._read_run(steps, view.settings) for steps in all_steps]
        runs = tuple(run_curve for run_curve, _ in curves)
        drawn_curves = [curve for each in runs for curve in (each.curve, each.marked) if curve is not None]
        x_axis, y_axis = build_curve_axes(drawn_curves, view.settings.chart(key))
        empty_reason = format_empty_message([(each.curve, each.error) for each in runs], x_axis, y_axis)
        title = _title(tag, [steps.series for steps in all_steps])
        chart = Chart(key, tag, title, runs, x_axis, y_axis, empty_reason)
        return chart, not any(is_retryable for _, is_retryable in curves)

    def _read_run(self, steps: ShownSteps, settings: Settings) -> tuple[RunCurve, bool]:
        """Read the curves of a run at the cursor and at the mark.

        Returns:
            The curves, and True if one cannot be read now, and perhaps can be later.
        """
        step = steps.nearest(settings.cursor)
        marked = find_marked_step(step, settings)
        points = [each.point for each in (step, marked) if each is not None]
        curves = self._reader.read(steps.run, steps.series, points)
        run_curve = RunCurve(
            run=steps.run.name,
            ink=steps.ink,
            step=step.step,
            wall_time=step.wall_time,
            run_start=step.wall_time - step.seconds,
            curve=self._get_curve(curves.rows.get(step.point)),
            label=step.label,
            error=curves.errors.get(step.point, ""),
            marked=None if marked is None else self._get_curve(curves.rows.get(marked.point)),
            marked_step=None if marked is None else marked.step,
            marked_label="" if marked is None else marked.label,
            left_out=step.left_out,
        )
        return run_curve, curves.is_retryable

    def _get_curve(self, rows: Rows | None) -> Curve | None:
        """Return the curve of some rows; the same object for the same rows, so that equal charts are recognised."""
        if rows is None:
            return None
        cached = self._curves.get(id(rows))
        if cached is None or cached.rows is not rows:
            cached = self._curves[id(rows)] = Curve(rows)
        return cached


def find_leading_run(runs: Sequence[RunCurve], focus: str | None) -> RunCurve | None:
    """Return the run that keys follow: the focused one, or else the first with a curve."""
    with_curve = [each for each in runs if each.curve is not None]
    return next((each for each in with_curve if each.run == focus), with_curve[0] if with_curve else None)


def find_highlights(runs: Sequence[RunCurve], focus: str | None, baseline: str | None) -> dict[str, str]:
    """Return the runs of a crowded chart that keep their colours, with the reasons; empty if all keep theirs.

    They are the baseline, the selected run, those with the greatest and the least area, and the one that began last.
    """
    areas, starts = np.array([each.area for each in runs]), np.array([each.run_start for each in runs])
    indices = {each.run: index for index, each in enumerate(runs)}
    selected = ((indices.get(baseline or ""), "baseline"), (indices.get(focus or ""), "selected"))
    leaders = add_chosen(find_leaders(areas, starts, "max"), selected)
    return {runs[index].run: reason for index, reason in leaders.items()}


def order_rows(runs: Sequence[RunCurve], pointer: CurveCursor) -> list[int]:
    """Return the runs in the order of the table rows; values are the areas under their curves.

    In the order of runs those come first that a crowded chart highlights.
    """
    focus = next((index for index, each in enumerate(runs) if each.run == pointer.focus), None)
    rows = sort_rows([each.area for each in runs], pointer.order, focus)
    first = list(find_highlights(runs, pointer.focus, pointer.baseline)) if pointer.order == "runs" else []
    return sorted(rows, key=lambda row: first.index(runs[row].run) if runs[row].run in first else len(first))


def _title(tag: str, all_series: Sequence[ReferenceSeries]) -> str:
    """Return the display name of the tag, or the tag itself."""
    display_names = (series.metadata.display_name for series in all_series)
    return format_run_name(next(filter(None, display_names), "") or shorten_tag(tag))
