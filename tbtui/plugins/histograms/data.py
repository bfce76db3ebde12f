"""From a view to what its charts show: frozen, and worked out anew only where something changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.plugins.histograms.axes import HistogramAxes
from tbtui.plugins.histograms.kept_charts import KeptCharts, shown_title
from tbtui.plugins.histograms.words import why_blank
from tbtui.viewstate.axes import axes_chosen, held_while
from tbtui.viewstate.ranges import hand_range

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.axes import Axes
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.options import HeatScale, HistogramLook
    from tbtui.viewstate.view import View


@frozen(slots=False)
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


class ChartData(KeptCharts[Chart]):
    """The charts of all views shown so far. Used by one thread.

    Args:
        payloads: Reads and decodes histograms.
    """

    def __init__(self, payloads: Payloads) -> None:
        super().__init__(payloads)
        self._axes = HistogramAxes()

    def drawn(self, choices: Choices) -> Hashable:
        """How charts look."""
        return choices.histogram_look, choices.heat_scale

    def make(self, view: View, key: str) -> Chart:
        """The chart of card `key`."""
        choices = view.choices
        recorded, chosen = self.histograms.recorded(view, key), axes_chosen(choices, key)
        sharing = self.sharing(view, key)
        held = held_while(view, (each.run for each in sharing))
        shown = choices.skip_steps, choices.superseded, tuple(each.run for each in recorded), held
        axes = self._axes.axes(key, recorded, sharing, chosen, shown, glance=choices.overview)
        return Chart(
            key,
            recorded[0].tag,
            shown_title(recorded),
            recorded,
            choices.runs_together,
            axes,
            "overlay" if choices.runs_together else choices.histogram_look,
            choices.heat_scale,
            chosen.y_scale == "log"
            or (chosen.outliers != "keep" and None in hand_range(chosen.y_range, chosen.y_scale)),
            why_blank(recorded, axes, chosen),
        )
