"""From a view to what its charts show: frozen, and worked out anew only where something changed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tbtui.plugins.distributions.axes import CurveAxes
from tbtui.plugins.distributions.curves import CURVES, LOWER, UPPER, curves_of
from tbtui.plugins.distributions.words import why_blank
from tbtui.plugins.histograms.recorded import HistogramData, NothingRecordedError, Recorded
from tbtui.viewstate.axes import axes_chosen

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.charts.axis import Axis
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.distributions.curves import Curves
    from tbtui.series.domain import Limits
    from tbtui.viewstate.choices import ReferenceLine
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View

MOST_STEPS = 400_000
"""Steps of charts kept for the next look at them; what is longest unseen goes first."""

LEAST_CHARTS = 64
"""Charts kept however many steps they have: as many as are in sight at once, since a cursor looks at all of them."""

ALL_CURVES, OUTLINED = slice(0, CURVES), slice(LOWER, UPPER + 1)
"""Which curves are drawn of a run by itself, and of one among others."""


@dataclass(frozen=True, eq=False)
class Chart:
    """What the chart of one card shows."""

    key: str
    """Of the card."""

    tag: str
    title: str
    """Not yet made safe for a terminal; neither is any run name."""

    curves: tuple[Curves, ...]
    """Of one run, or of all that are drawn, in the order of the run tree; at least one."""

    together: bool
    """Whether the card is for all runs: their outlines lie over one another."""

    x_axis: Axis
    y_axis: Axis
    everything: Limits | None
    """The least and the greatest value in sight, as far as curves are drawn; the y axis may not reach so far."""

    levels: tuple[ReferenceLine, ...] = ()
    blank: str = ""
    """Why no curve can be seen; empty when one can."""

    @property
    def points(self) -> int:
        """Steps of all runs."""
        return sum(len(each.x) for each in self.curves)


class DistributionData:
    """The charts of all views shown so far. Used by one thread.

    Args:
        payloads: Reads and decodes histograms.
        most_steps: As `MOST_STEPS`.
        least_charts: As `LEAST_CHARTS`.
    """

    def __init__(self, payloads: Payloads, most_steps: int = MOST_STEPS, least_charts: int = LEAST_CHARTS) -> None:
        self._histograms = HistogramData(payloads)
        self._most_steps = most_steps
        self._least_charts = least_charts
        self._axes = CurveAxes()
        self._curves: WeakKeyDictionary[Recorded, Curves | None] = WeakKeyDictionary()
        self._charts: OrderedDict[str, tuple[Hashable, Chart]] = OrderedDict()

    def cards(self, view: View) -> RunCards:
        """Which cards there are, in order; the same object as long as they are the same."""
        return self._histograms.cards(view)

    def look(self, view: View, key: str) -> Hashable:
        """Everything that the chart of card `key` depends on: equal looks are equal charts."""
        choices = view.choices
        own = choices.chart(key)
        return self._histograms.look(view, key), choices.runs_together, axes_chosen(choices, key), own.lines

    def look_of_runs(self, view: View, key: str) -> Hashable:
        """Everything that the curves of its tag in all drawn runs depend on."""
        return self._histograms.look(view, self.cards(view).tag_of(key))

    def runs(self, view: View, key: str) -> tuple[Curves, ...]:
        """The curves of the tag of card `key` in every drawn run, whether the card shows them or not.

        Raises:
            NothingRecordedError: No drawn run holds a histogram of it, or all are skipped.
        """
        return self._all_curves(view, self.cards(view).tag_of(key))

    def chart(self, view: View, key: str) -> Chart:
        """The chart of card `key`.

        Raises:
            NothingRecordedError: No drawn run holds a histogram of it, all are skipped, or none has a time.
        """
        look = self.look(view, key)
        known = self._charts.get(key)
        if known is None or known[0] != look:
            known = self._charts[key] = look, self._make(view, key)
            self._forget()
        self._charts.move_to_end(key)
        return known[1]

    def _all_curves(self, view: View, key: str) -> tuple[Curves, ...]:
        choices = view.choices
        found = []
        series = {run.name: held for run, held in self._histograms.series(view, key)}
        for recorded in self._histograms.recorded(view, key):
            if recorded not in self._curves:
                held = series[recorded.run] if choices.superseded else None
                self._curves[recorded] = curves_of(recorded, held, choices.skip_steps)
            curves = self._curves[recorded]
            if curves is not None:
                found.append(curves)
        if not found:
            raise NothingRecordedError("no histogram of this tag has a time")
        return tuple(found)

    def _make(self, view: View, key: str) -> Chart:
        choices, curves = view.choices, self._all_curves(view, key)
        chosen, lines = axes_chosen(choices, key), choices.chart(key).lines
        together = choices.runs_together
        axes = self._axes.axes(
            key,
            curves,
            chosen,
            shown=(choices.skip_steps, choices.superseded, tuple(each.recorded.run for each in curves)),
            levels=[line.y for line in lines],
            drawn=OUTLINED if together else ALL_CURVES,
        )
        return Chart(
            key,
            self.cards(view).tag_of(key),
            next((each.recorded.title for each in curves), ""),
            curves,
            together,
            axes.x,
            axes.y,
            axes.everything,
            lines,
            why_blank(curves, axes, chosen),
        )

    def _forget(self) -> None:
        """Drop the charts longest unseen while there are too many steps; the newest always stays."""
        steps = sum(chart.points for _, chart in self._charts.values())
        while steps > self._most_steps and len(self._charts) > self._least_charts:
            _, (_, chart) = self._charts.popitem(last=False)
            steps -= chart.points
