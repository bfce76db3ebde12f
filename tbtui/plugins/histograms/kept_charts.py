"""Charts of recorded histograms, worked out anew only where something changed."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

from tbtui.plugins.histograms.kept_histograms import HistogramData
from tbtui.viewstate.axes import axes_chosen
from tbtui.viewstate.run_cards import plain_title

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View

MOST_SHARING = 32
"""Runs that share a range of values; where there are more, side by side or not, each has its own: nobody compares so
many by eye, and the first card would wait for all of them to be read."""

KEPT = 64
"""Charts kept for the next look at them, and the figures of what they show: more than are in sight at once."""

Chart = TypeVar("Chart")


class KeptCharts(Generic[Chart]):
    """The charts of all views shown so far. Subclasses say what one shows. Used by one thread.

    Args:
        payloads: Reads and decodes histograms.
    """

    def __init__(self, payloads: Payloads) -> None:
        self.histograms = HistogramData(payloads)
        self._charts: OrderedDict[tuple[str, bool], tuple[Hashable, Chart]] = OrderedDict()

    # What a dashboard has to say

    def drawn(self, choices: Choices) -> Hashable:
        """What of the choices alters a chart beside those of its axes, of which steps are seen, and of its runs."""
        raise NotImplementedError

    def make(self, view: View, key: str) -> Chart:
        """The chart of card `key`, a small one in an overview; equal ones look the same.

        Raises:
            NothingRecordedError: No drawn run holds a histogram of it, or all are skipped.
        """
        raise NotImplementedError

    # What there is

    def cards(self, view: View) -> RunCards:
        """Which cards there are, in order; the same object as long as they are the same."""
        return self.histograms.cards(view)

    def look(self, view: View, key: str) -> Hashable:
        """Everything that the chart of card `key` depends on: equal looks are equal charts."""
        choices = view.choices
        shared = self.histograms.look(view, self._shared_key(view, key))
        drawn = choices.runs_together, choices.overview, self.drawn(choices)
        return self.histograms.look(view, key), shared, axes_chosen(choices, key), drawn

    def sharing(self, view: View, key: str) -> tuple[Recorded, ...]:
        """What all runs have recorded under the tag of card `key` that share its range of values.

        Raises:
            NothingRecordedError: No drawn run holds a histogram of it, or all are skipped.
        """
        return self.histograms.recorded(view, self._shared_key(view, key))

    def is_alone(self, view: View, key: str) -> bool:
        """Whether card `key` has a range of values of its own because too many runs hold its tag."""
        cards = self.cards(view)
        return cards.run_of(key) is not None and self._shared_key(view, key) != cards.tag_of(key)

    def _shared_key(self, view: View, key: str) -> str:
        """The card of all runs of the same tag; of too many runs, the card itself."""
        tag = self.cards(view).tag_of(key)
        return tag if len(self.histograms.series(view, tag)) <= MOST_SHARING else key

    def chart(self, view: View, key: str) -> Chart:
        """The chart of card `key`; the same object as long as it shows the same.

        Raises:
            NothingRecordedError: No drawn run holds a histogram of it, or all are skipped.
        """
        look, kept = self.look(view, key), (key, view.choices.overview)
        known = self._charts.get(kept)
        if known is None or known[0] != look:
            made = self.make(view, key)
            known = self._charts[kept] = look, made if known is None or known[1] != made else known[1]
            while len(self._charts) > KEPT:
                self._charts.popitem(last=False)
        self._charts.move_to_end(kept)
        return known[1]


def shown_title(recorded: Sequence[Recorded]) -> str:
    """The title of a chart: the name that a writer gave its tag; without one it is the tag's own."""
    return next((each.title for each in recorded if each.title != plain_title(each.tag)), recorded[0].title)
