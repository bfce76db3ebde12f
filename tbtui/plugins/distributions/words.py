"""What the Distributions tab says about itself, and why it is empty when it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.headline import BETWEEN
from tbtui.plugins.distributions.axes import values_in_sight
from tbtui.plugins.distributions.curves import MEDIAN
from tbtui.series.quantiles import BASIS_POINTS
from tbtui.viewstate.choices import WHOLE
from tbtui.viewstate.ranges import hand_range
from tbtui.viewstate.words import between, x_axis_words, y_axis_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.distributions.axes import Axes
    from tbtui.plugins.distributions.curves import Curves
    from tbtui.plugins.distributions.data import Chart
    from tbtui.viewstate.axes import AxesChosen
    from tbtui.viewstate.choices import Choices

OUTLIERS = {"auto": "", "ignore": "outliers ignored", "keep": "outliers kept"}

_LOWER = tuple(round(point / 100, 1) for point in BASIS_POINTS[1:MEDIAN])

CURVE_WORDS = (
    "min",
    *(f"{part} %" for part in _LOWER),
    "median",
    *(f"{100 - part} %" for part in reversed(_LOWER)),
    "max",
)
"""What each of the nine curves is called."""


def settings(choices: Choices, key: str | None = None) -> str:
    """How the charts are drawn, or one of them: `y log · x step 120–400`. Only what matters is told.

    Args:
        choices: What is chosen.
        key: Card of the one chart; None is all of them.
    """
    told = (
        "runs together" if choices.runs_together else "",
        "overview" if choices.overview and key is None else "",
        y_axis_word(choices, key),
        OUTLIERS[choices.outliers],
        *x_axis_words(choices, key),
    )
    return BETWEEN.join(filter(None, told))


def beyond_word(chart: Chart, choices: Choices) -> str:
    """What the y axis leaves out although nobody asked for that: `max to 35.2 not shown`; empty where it shows all."""
    if chart.everything is None or chart.blank or choices.chart(chart.key).y_range != WHOLE:
        return ""
    low, high = chart.everything
    axis, told = chart.y_axis, []
    if low < axis.low:
        told.append(f"down to {numbers.brief(low)}")
    if high > axis.high:
        told.append(f"up to {numbers.brief(high)}")
    return f"values {' and '.join(told)} not shown" if told else ""


def why_blank(all_curves: Sequence[Curves], axes: Axes, chosen: AxesChosen) -> str:
    """Why no curve of a chart can be seen; empty when one can."""
    finite = [curves for curves in all_curves if bool(np.isfinite(curves.median).any())]
    if not finite:
        return next(iter(all_curves[0].recorded.refused.values()), "no histogram can be drawn")
    if axes.y.scale == "log" and not any(bool((curves.values > 0).any()) for curves in finite):
        return "all values ≤ 0: none fits a log axis"
    if axes.x.scale == "log" and not any(bool((curves.x > 0).any()) for curves in finite):
        return f"every {chosen.x_axis if chosen.x_axis == 'step' else 'time'} is ≤ 0: none fits a log axis"
    x_range = hand_range(chosen.x_range, axes.x.scale, axes.x.origin)
    if x_range == WHOLE and hand_range(chosen.y_range, axes.y.scale) == WHOLE:
        return ""
    in_sight = [values_in_sight(curves, None if x_range == WHOLE else axes.x) for curves in finite]
    values = np.concatenate(in_sight)
    values = values[np.isfinite(values).all(axis=1)]
    if not len(values):
        return f"no histogram {between(*chosen.x_range, chosen.x_axis)}"
    if bool(((values[:, 0] <= axes.y.high) & (values[:, -1] >= axes.y.low)).any()):
        return ""
    return f"no value here between {numbers.short(axes.y.low)} and {numbers.short(axes.y.high)}"
