"""From a view to what its charts show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.plugins.distributions.axes import OutlineAxes
from tbtui.plugins.distributions.curves import curves_of, drawn_curves
from tbtui.plugins.histograms.axes import HistogramAxes
from tbtui.plugins.histograms.kept_charts import KeptCharts, shown_title
from tbtui.plugins.histograms.words import why_blank
from tbtui.series.domain import extent
from tbtui.viewstate.axes import axes_chosen, held_while
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.ranges import hand_range

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.distributions.curves import Curves
    from tbtui.plugins.histograms.axes import Axes
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.series.domain import Limits
    from tbtui.viewstate.axes import AxesChosen
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View


@frozen(slots=False)
class Chart:
    """What the chart of one card shows. Equal ones look the same."""

    key: str
    """Of the card."""

    tag: str
    title: str
    """Not yet made safe for a terminal; neither is any run name."""

    curves: tuple[Curves, ...]
    """Of one run, or of all that are drawn, in the order of the run tree; at least one."""

    together: bool
    """Whether the card is for all runs: their outlines lie over one another."""

    axes: Axes
    left_out: Limits | None = None
    """The least and the greatest value in sight, where the axis of values shows less although nobody set its ends."""

    blank: str = ""
    """Why nothing can be seen; empty when something can."""

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        """What the curves are of."""
        return tuple(curves.recorded for curves in self.curves)


class DistributionData(KeptCharts[Chart]):
    """The charts of all views shown so far. Used by one thread.

    Args:
        payloads: Reads and decodes histograms.
    """

    def __init__(self, payloads: Payloads) -> None:
        super().__init__(payloads)
        self._axes, self._outline_axes = HistogramAxes(), OutlineAxes()

    def drawn(self, _choices: Choices) -> Hashable:
        """Charts have one look."""
        return None

    def make(self, view: View, key: str) -> Chart:
        """The chart of card `key`."""
        choices, chosen = view.choices, axes_chosen(view.choices, key)
        recorded = self.histograms.recorded(view, key)
        curves = self._curves_of(view, key, recorded)
        sharing = self.sharing(view, key)
        held = held_while(view, (each.run for each in sharing))
        shown = choices.skip_steps, choices.superseded, tuple(each.run for each in recorded), held
        axes = self._axes.axes(key, recorded, sharing, chosen, shown, glance=choices.overview)
        if choices.runs_together:
            axes = replace(axes, values=self._outline_axes.values(key, curves, axes.along, chosen, shown))
        return Chart(
            key,
            recorded[0].tag,
            shown_title(recorded),
            curves,
            choices.runs_together,
            axes,
            _left_out(curves, axes, chosen, drawn_curves(len(curves), together=choices.runs_together)),
            why_blank(recorded, axes, chosen),
        )

    def _curves_of(self, view: View, key: str, recorded: Sequence[Recorded]) -> tuple[Curves, ...]:
        choices = view.choices
        series = {run.name: held for run, held in self.histograms.series(view, key)} if choices.superseded else {}
        return tuple(curves_of(each, series.get(each.run), choices.skip_steps) for each in recorded)


def _left_out(all_curves: Sequence[Curves], axes: Axes, chosen: AxesChosen, drawn: slice) -> Limits | None:
    if hand_range(chosen.y_range, axes.values.scale) != WHOLE:
        return None
    in_sight = axes.along if hand_range(chosen.x_range, axes.along.scale, axes.along.origin) != WHOLE else None
    found = extent([curves.in_sight(in_sight)[:, drawn].ravel() for curves in all_curves])
    shows_all = found is None or (axes.values.low <= found[0] and found[1] <= axes.values.high)
    return None if shows_all else found
