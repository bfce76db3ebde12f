"""The axis of values of runs over one another: it shows what is drawn of them, which is not all that they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.plugins.distributions.curves import drawn_curves
from tbtui.series.domain import SMALL, extent
from tbtui.series.outliers import without_outliers
from tbtui.viewstate.axes import NOTHING_HELD, HeldAxes, threshold_of, y_axis
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.ranges import hand_range

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.distributions.curves import Curves, Floats
    from tbtui.series.domain import Limits
    from tbtui.series.scales import Scale
    from tbtui.viewstate.axes import AxesChosen
    from tbtui.viewstate.options import Outliers


class OutlineAxes:
    """The axes of every chart seen so far: limits grow in nice steps, and start anew when other things are shown."""

    def __init__(self) -> None:
        self._held = HeldAxes()

    def values(self, key: str, all_curves: Sequence[Curves], along: Axis, chosen: AxesChosen, shown: Hashable) -> Axis:
        """The axis of values of a chart.

        Args:
            key: Its card.
            all_curves: Those of each run.
            along: The axis of steps.
            chosen: What is chosen for the axes.
            shown: What is shown beside the data and `chosen`: while these are equal, limits are held.
        """
        _, former = self._held.former(key, (chosen, shown))
        in_sight = along if hand_range(chosen.x_range, along.scale, along.origin) != WHOLE else None
        drawn = drawn_curves(len(all_curves), together=True)
        parts = [curves.in_sight(in_sight)[:, drawn].ravel() for curves in all_curves]
        values = np.concatenate([*parts, np.empty(0)])
        threshold = threshold_of(values, SMALL, chosen.y_scale, former)
        axis, held = y_axis(_limits(values, chosen.y_scale, threshold, chosen.outliers), chosen, threshold, former)
        self._held.keep(key, (chosen, shown), NOTHING_HELD, held)
        return axis


def _limits(values: Floats, scale: Scale, threshold: float, outliers: Outliers) -> Limits | None:
    """What the axis has to show: as of scalars, nine tenths of all are never flattened by few far out."""
    most = extent([values], scale=scale, ignore_outliers=True)
    if most is None or outliers == "keep":
        return extent([values], scale=scale)
    return most if outliers == "ignore" else without_outliers(values, most, scale, threshold)
