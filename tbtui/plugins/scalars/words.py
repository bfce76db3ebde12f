"""What the Scalars tab says about itself, and why it is empty when it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.headline import BETWEEN
from tbtui.plugins.scalars.groups import averages, groups_of
from tbtui.plugins.scalars.sight import values_in_sight
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.filters import filter_for
from tbtui.viewstate.ranges import hand_range
from tbtui.viewstate.words import between, x_axis_words, y_axis_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.scalars.lines import Line
    from tbtui.viewstate.axes import AxesChosen
    from tbtui.viewstate.choices import Choices


def smoothing_word(smoothing: float) -> str:
    """`smooth .60`, `smooth .999`, `smooth off`."""
    if smoothing <= 0:
        return "smooth off"
    text = f"{smoothing:.3f}".removesuffix("0")
    return f"smooth {text.removeprefix('0')}"


def settings(choices: Choices, key: str | None = None, runs: Sequence[str] | None = None) -> str:
    """How the charts are drawn, or one of them: `smooth .60 · y log · x step 120–400`. Only what matters is told.

    Args:
        choices: What is chosen.
        key: Card of the one chart; None is all of them.
        runs: Names of the runs that are drawn, to tell how many averages there are of them.
    """
    told = (
        smoothing_word(choices.smoothing),
        _average_word(choices, runs),
        y_axis_word(choices, key),
        {"auto": "", "ignore": "outliers ignored", "keep": "outliers kept"}[choices.outliers],
        *x_axis_words(choices, key),
    )
    return BETWEEN.join(filter(None, told))


def beyond_word(sides: tuple[bool, bool]) -> str:
    """`values above the axis`, `… below …`, `… outside …`; empty where all are on it."""
    where = {(True, False): "below", (False, True): "above", (True, True): "outside"}.get(sides)
    return f"values {where} the axis" if where else ""


def _average_word(choices: Choices, runs: Sequence[str] | None) -> str:
    """`mean ±std of 3 groups`."""
    if not (choices.group_pattern or choices.group_level):
        return ""
    word = f"mean {'±std' if choices.spread == 'std' else 'min–max'}"
    if runs is None:
        return word
    groups = len(averages(groups_of(runs, choices)))
    error = filter_for(choices.group_pattern).error
    if choices.group_pattern and error:
        return f"nothing averaged: pattern {error}"
    return f"{word} of {numbers.counted(groups, 'group')}" if groups else "no runs to average"


def why_blank(lines: Sequence[Line], x_axis: Axis, y_axis: Axis, chosen: AxesChosen) -> str:
    """Why no line of a chart can be seen; empty when one can."""
    greatest = [line.values[line.figures.greatest] for line in lines if line.figures.greatest is not None]
    if not greatest:
        return "no value is a finite number"
    if y_axis.scale == "log" and max(greatest) <= 0:
        return "all values ≤ 0: none fits a log axis"
    if x_axis.scale == "log" and not any(bool((line.x > 0).any()) for line in lines):
        return f"every {chosen.x_axis if chosen.x_axis == 'step' else 'time'} is ≤ 0: none fits a log axis"
    x_range = hand_range(chosen.x_range, x_axis.scale, x_axis.origin)
    y_range = hand_range(chosen.y_range, y_axis.scale)
    in_sight = None if x_range == WHOLE else x_axis
    if in_sight is None and y_range == WHOLE:
        return ""
    found = False
    for line in lines:
        values = values_in_sight([(line, line.smoothed)], in_sight, y_axis.scale, y_axis.threshold)
        values = values[np.isfinite(values)]
        if len(values) and values.min() <= y_axis.high and values.max() >= y_axis.low:
            return ""
        found |= bool(len(values))
    if found:
        return f"no value here between {numbers.short(y_axis.low)} and {numbers.short(y_axis.high)}"
    return f"no value {between(*chosen.x_range, chosen.x_axis)}"
