"""What the Distributions tab says about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.plugins.histograms import words
from tbtui.plugins.histograms.readings import MEDIAN
from tbtui.series.quantiles import BASIS_POINTS

if TYPE_CHECKING:
    from tbtui.plugins.distributions.data import Chart
    from tbtui.viewstate.choices import Choices

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
    return words.settings(choices, key, "runs together" if choices.runs_together else "")


def left_out_word(chart: Chart) -> str:
    """What the axis of values does not show although nobody asked for that: `values up to 35.2 not shown`."""
    if chart.left_out is None or chart.blank:
        return ""
    (low, high), axis = chart.left_out, chart.axes.values
    ends = (
        f"down to {numbers.brief(low)}" if low < axis.low else "",
        f"up to {numbers.brief(high)}" if high > axis.high else "",
    )
    return f"values {' and '.join(filter(None, ends))} not shown"
