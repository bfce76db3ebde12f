"""From a view to what its charts show: frozen, and worked out anew only where something changed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tbtui.plugins.histograms.axes import HistogramAxes
from tbtui.plugins.histograms.recorded import HistogramData
from tbtui.plugins.histograms.words import why_blank
from tbtui.viewstate.axes import axes_chosen
from tbtui.viewstate.ranges import hand_range
from tbtui.viewstate.run_cards import plain_title

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.axes import Axes
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.choices import HeatScale, HistogramLook
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View

MOST_SHARING = 32
"""Runs that share a range of values; where there are more, side by side or not, each has its own: nobody compares so
many by eye, and the first card would wait for all of them to be read."""

KEPT = 256
"""Charts kept for the next look at them; what they show is kept elsewhere."""


@dataclass(frozen=True)
class Chart:
    """What the chart of one card shows. Equal ones look the same."""

    key: str
    """Of the card."""

    tag: str
    title: str
    """Not yet made safe for a terminal; neither is any run name."""

    recorded: tuple[Recorded, ...]
    """Of one run, or of all that are drawn, in the order of the run tree; at least one."""

    together: bool
    """Whether the card is for all runs: curves of one step of each lie over one another."""

    axes: Axes
    look: HistogramLook
    colours: HeatScale
    may_leave_out: bool
    """Whether values may lie outside the axis although nobody set its ends."""

    blank: str = ""
    """Why nothing can be seen; empty when something can."""


class ChartData:
    """The charts of all views shown so far. Used by one thread.

    Args:
        payloads: Reads and decodes histograms.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._histograms = HistogramData(payloads)
        self._axes = HistogramAxes()
        self._charts: OrderedDict[str, tuple[Hashable, Chart]] = OrderedDict()

    def cards(self, view: View) -> RunCards:
        """Which cards there are, in order; the same object as long as they are the same."""
        return self._histograms.cards(view)

    def look(self, view: View, key: str) -> Hashable:
        """Everything that the chart of card `key` depends on: equal looks are equal charts."""
        choices = view.choices
        drawn = choices.runs_together, choices.histogram_look, choices.heat_scale
        shared = self._histograms.look(view, self._shared_key(view, key))
        return self._histograms.look(view, key), shared, axes_chosen(choices, key), drawn

    def sharing(self, view: View, key: str) -> tuple[Recorded, ...]:
        """What all runs have recorded under the tag of card `key` that share its range of values.

        Raises:
            NothingRecordedError: No drawn run holds a histogram of it, or all are skipped.
        """
        return self._histograms.recorded(view, self._shared_key(view, key))

    def _shared_key(self, view: View, key: str) -> str:
        """The card of all runs of the same tag; of too many runs, the card itself."""
        tag = self.cards(view).tag_of(key)
        return tag if len(self._histograms.series(view, tag)) <= MOST_SHARING else key

    def chart(self, view: View, key: str) -> Chart:
        """The chart of card `key`; the same object as long as it shows the same.

        Raises:
            NothingRecordedError: No drawn run holds a histogram of it, or all are skipped.
        """
        look = self.look(view, key)
        known = self._charts.get(key)
        if known is None or known[0] != look:
            made = self._make(view, key)
            known = self._charts[key] = look, made if known is None or known[1] != made else known[1]
            while len(self._charts) > KEPT:
                self._charts.popitem(last=False)
        self._charts.move_to_end(key)
        return known[1]

    def _make(self, view: View, key: str) -> Chart:
        choices, tag = view.choices, self.cards(view).tag_of(key)
        recorded, chosen = self._histograms.recorded(view, key), axes_chosen(choices, key)
        shown = choices.skip_steps, choices.superseded, tuple(each.run for each in recorded)
        axes = self._axes.axes(key, recorded, self.sharing(view, key), chosen, shown)
        return Chart(
            key,
            tag,
            next((each.title for each in recorded if each.title != plain_title(tag)), recorded[0].title),
            recorded,
            choices.runs_together,
            axes,
            "overlay" if choices.runs_together else choices.histogram_look,
            choices.heat_scale,
            chosen.y_scale == "log"
            or (chosen.outliers != "keep" and None in hand_range(chosen.y_range, chosen.y_scale)),
            why_blank(recorded, axes, chosen),
        )
