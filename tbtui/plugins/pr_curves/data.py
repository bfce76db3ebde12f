"""From a view to what its charts show: frozen, and worked out anew only where something changed."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from tbtui.charts.text import nameable
from tbtui.frozen import frozen
from tbtui.loading.pr_curves import CurveReader
from tbtui.plugins.pr_curves.axes import curve_axes
from tbtui.plugins.pr_curves.curves import Curve
from tbtui.plugins.pr_curves.points import PLUGIN_NAME, NoCurveError, points_of
from tbtui.plugins.pr_curves.words import why_blank
from tbtui.viewstate.run_cards import ShownRunCards, plain_title

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.loading.payloads import Payloads
    from tbtui.loading.pr_curves import Curves, Rows
    from tbtui.plugins.pr_curves.points import Floats, Points
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View

MOST_BYTES = 64 << 20
"""Of curves of charts that are kept for the next look at them; the last one stays in any case."""


@frozen(slots=False)
class RunCurve:
    """What one run shows. Equal ones look the same."""

    run: str
    """Not yet made safe for a terminal."""

    ink: int
    step: int
    wall_time: float
    """Seconds since the epoch."""

    start: float
    """Wall time of the first curve of the series."""

    curve: Curve | None
    """None where it is refused."""

    refused: str = ""
    """Why, in one plain sentence."""

    marked: Curve | None = None
    """The curve of the step that it is compared with, if there is one and it is another."""

    marked_step: int | None = None

    @property
    def area(self) -> float:
        """Average precision; NaN where there is none."""
        return np.nan if self.curve is None else self.curve.area

    @property
    def nbytes(self) -> int:
        """Of its curves."""
        return sum(curve.rows.nbytes for curve in (self.curve, self.marked) if curve is not None)


@frozen(slots=False)
class Chart:
    """What the chart of one card shows. Equal ones look the same."""

    key: str
    """Of the card."""

    tag: str
    title: str
    """Not yet made safe for a terminal; neither is any run name."""

    runs: tuple[RunCurve, ...]
    """Of every drawn run that has a curve, in the order of the run tree; at least one."""

    x_axis: Axis
    """Recall."""

    y_axis: Axis
    """Precision."""

    blank: str = ""
    """Why nothing can be seen; empty when something can."""


class CurveData:
    """The charts of all views shown so far. Used by one thread.

    Args:
        payloads: Reads the files.
        most_bytes: As `MOST_BYTES`.
    """

    def __init__(self, payloads: Payloads, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._reader = CurveReader(payloads)
        self._cards = ShownRunCards(PLUGIN_NAME, together=True)
        self._curves: WeakValueDictionary[int, Curve] = WeakValueDictionary()
        self._charts: OrderedDict[str, tuple[Hashable, Chart]] = OrderedDict()
        self._view: View | None = None
        self._series: dict[str, tuple[tuple[RunSnapshot, ReferenceSeries], ...]] = {}

    def cards(self, view: View) -> RunCards:
        """Which cards there are, in order; the same object as long as they are the same."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> tuple[tuple[RunSnapshot, ReferenceSeries], ...]:
        """The drawn runs that hold curves of card `key`."""
        if view is not self._view:
            self._view, self._series = view, {}
        known = self._series.get(key)
        if known is None:
            known = self._series[key] = tuple(view.references(self.cards(view).tag_of(key), PLUGIN_NAME))
        return known

    def look(self, view: View, key: str) -> Hashable:
        """Everything that the chart of card `key`, and where the cursor may stand, depend on."""
        choices = view.choices
        own = choices.chart(key)
        held = tuple(
            (run.name, series.revision, run.reading, view.inks[run.name]) for run, series in self.series(view, key)
        )
        seen = choices.x_axis, choices.cursor, choices.mark, choices.skip_steps, choices.superseded
        return self.cards(view).tag_of(key), own.across_range, own.y_range, seen, held

    def stops(self, view: View, key: str) -> Floats:
        """Where the cursor may stand, float64[k] ascending: the places of all curves of card `key`."""
        columns = [points.x for _, points in self._points(view, key)]
        x = np.unique(np.concatenate([*columns, np.empty(0)]))
        return np.asarray(x[np.isfinite(x)])

    def chart(self, view: View, key: str) -> Chart:
        """The chart of card `key`; the same object as long as it shows the same.

        Raises:
            NoCurveError: No drawn run holds a curve of it, or all are skipped.
        """
        look = self.look(view, key)
        known = self._charts.pop(key, None)
        if known is not None and known[0] == look:
            self._charts[key] = known
            return known[1]
        made, is_final = self._make(view, key)
        made = made if known is None or known[1] != made else known[1]
        # What cannot be read now perhaps can be when the chart is asked for again.
        self._charts[key] = (look if is_final else None), made
        self._forget()
        return made

    def _forget(self) -> None:
        """Drop the charts longest unseen while their curves are too many bytes."""
        sizes = [sum(each.nbytes for each in chart.runs) for _, chart in self._charts.values()]
        nbytes = sum(sizes)
        for size in sizes[:-1]:
            if nbytes <= self._most_bytes:
                break
            self._charts.popitem(last=False)
            nbytes -= size

    def _points(self, view: View, key: str) -> list[tuple[RunSnapshot, Points]]:
        found = ((run, points_of(series, view.choices)) for run, series in self.series(view, key))
        return [(run, points) for run, points in found if points is not None]

    def _make(self, view: View, key: str) -> tuple[Chart, bool]:
        """The chart, and whether nothing of it can change by being read again."""
        choices, held, tag = view.choices, self._points(view, key), self.cards(view).tag_of(key)
        if not self.series(view, key):
            raise NoCurveError("no run that is shown holds a curve of this tag")
        if not held:
            raise NoCurveError(f"all curves are at steps below {choices.skip_steps}, which are skipped")
        mark = choices.mark if choices.cursor is not None else None
        read = [self._read(run, points, choices.cursor, mark) for run, points in held]
        runs = tuple(
            self._run_curve(points, index, marked, curves, view.inks[run.name])
            for (run, points), (index, marked, curves) in zip(held, read, strict=True)
        )
        own = choices.chart(key)
        x_axis, y_axis = curve_axes([curve for each in runs for curve in (each.curve, each.marked) if curve], own)
        title = _title(tag, [points.series for _, points in held])
        blank = why_blank([(each.curve, each.refused) for each in runs], x_axis, y_axis)
        return Chart(key, tag, title, runs, x_axis, y_axis, blank), not any(curves.may_pass for *_, curves in read)

    def _read(
        self, run: RunSnapshot, points: Points, cursor: float | None, mark: float | None
    ) -> tuple[int, int | None, Curves]:
        """The points at the cursor and at the mark, if that is another, and their curves."""
        index = points.nearest(cursor)
        marked = None if mark is None else points.nearest(mark)
        marked = None if marked == index else marked
        wanted = [index] if marked is None else [index, marked]
        return index, marked, self._reader.read(run, points.series, wanted)

    def _run_curve(self, points: Points, index: int, marked: int | None, curves: Curves, ink: int) -> RunCurve:
        series = points.series
        return RunCurve(
            series.run,
            ink,
            int(series.steps[index]),
            float(series.wall_times[index]),
            points.start,
            self._curve(curves.rows.get(index)),
            curves.refused.get(index, ""),
            None if marked is None else self._curve(curves.rows.get(marked)),
            None if marked is None else int(series.steps[marked]),
        )

    def _curve(self, rows: Rows | None) -> Curve | None:
        """The same object for the same rows, so that charts of the same curves are equal."""
        if rows is None:
            return None
        known = self._curves.get(id(rows))
        if known is None or known.rows is not rows:
            known = self._curves[id(rows)] = Curve(rows)
        return known


def _title(tag: str, all_series: Sequence[ReferenceSeries]) -> str:
    """The name that a writer gave the tag; without one it is the tag's own."""
    given = (series.metadata.display_name for series in all_series)
    return nameable(next(filter(None, given), "") or plain_title(tag))
