"""The axes of a chart of precision-recall curves: 0 to 1, unless raw curves or a hand say otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.axis import Axis
from tbtui.series.domain import extent
from tbtui.viewstate.ranges import hand_range, ranged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.pr_curves.curves import Curve, Floats
    from tbtui.viewstate.chart_choices import ChartChoices, Range


def curve_axes(curves: Sequence[Curve], own: ChartChoices) -> tuple[Axis, Axis]:
    """The axes of recall and of precision.

    Args:
        curves: What is drawn.
        own: What is chosen for the chart.
    """
    x = _axis([curve.recall[~curve.lost] for curve in curves], own.across_range)
    y = _axis([curve.precision[~curve.lost] for curve in curves], own.y_range)
    return x, y


def _axis(values: Sequence[Floats], chosen: Range) -> Axis:
    """Always linear: on another scale no area of the chart would mean anything."""
    low, high = extent(values) or (0.0, 1.0)
    return Axis(*ranged((min(low, 0.0), max(high, 1.0)), hand_range(chosen, "linear"), "linear"))
