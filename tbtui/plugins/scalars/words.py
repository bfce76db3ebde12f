"""What the Scalars tab says about itself, and why it is empty when it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.headline import BETWEEN
from tbtui.plugins.scalars.groups import averages, groups_of
from tbtui.plugins.scalars.sight import values_in_sight
from tbtui.viewstate.choices import WHOLE
from tbtui.viewstate.filters import filter_for
from tbtui.viewstate.ranges import hand_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.scalars.lines import Line
    from tbtui.series.scales import Scale
    from tbtui.viewstate.axes import AxesChosen
    from tbtui.viewstate.choices import Choices, Range, XAxis


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
    chart = None if key is None else choices.chart(key)
    y_scale = choices.y_scale if key is None else choices.y_scale_of(key)
    y_range = WHOLE if chart is None else chart.y_range
    x_range = choices.x_range if key is None else choices.x_range_of(key)
    told = (
        smoothing_word(choices.smoothing),
        _average_word(choices, runs),
        "" if (y_scale, y_range) == ("linear", WHOLE) else _axis_word("y", y_scale, range_word(y_range)),
        {"auto": "", "ignore": "outliers ignored", "keep": "outliers kept"}[choices.outliers],
        _axis_word(f"x {choices.x_axis}", _x_scale(choices), range_word(x_range, choices.x_axis)),
        f"from step {choices.skip_steps:,} on" if choices.skip_steps else "",
        "linked" if choices.linked else "",
        cursor_word(choices),
    )
    return BETWEEN.join(filter(None, told))


def _x_scale(choices: Choices) -> Scale:
    return "linear" if choices.x_axis == "wall" else choices.x_scale


def _axis_word(name: str, scale: str, ends: str) -> str:
    return " ".join(filter(None, (name, "" if scale == "linear" else scale, ends)))


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
    return f"{word} of {groups} group{'' if groups == 1 else 's'}" if groups else "no runs to average"


def cursor_word(choices: Choices) -> str:
    """`@ step 312`, `@ 3m12s`; of a stretch both ends; empty without a cursor."""
    ends = (
        sorted({end for end in (choices.cursor, choices.mark) if end is not None}) if choices.cursor is not None else []
    )
    if not ends:
        return ""
    unit = "step " if choices.x_axis == "step" else ""
    return f"@ {unit}{'–'.join(x_word(choices.x_axis, end) for end in ends)}"


def range_word(ends: Range, x_axis: XAxis | None = None) -> str:
    """A range set by hand: `120–400`, `from 120`, `to 400`; empty for a whole axis.

    Args:
        ends: The range.
        x_axis: Which x axis it is on; None is y.
    """
    low, high = (None if end is None else _end_word(x_axis, end) for end in ends)
    if low is None or high is None:
        return f"from {low}" if low is not None else "" if high is None else f"to {high}"
    return f"{low} – {high}" if "-" in low + high else f"{low}–{high}"


def _end_word(x_axis: XAxis | None, end: float) -> str:
    return numbers.short(end) if x_axis is None else x_word(x_axis, end)


def x_word(x_axis: XAxis, x: float) -> str:
    """An x value in tight places: a step, a duration, a time of day."""
    if x_axis == "wall":
        return numbers.clock(x)
    if x_axis == "relative":
        return numbers.duration(x)
    return str(int(x)) if x == int(x) else numbers.short(x)


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
    return f"no value {_between(*chosen.x_range, chosen.x_axis)}"


def _between(low: float | None, high: float | None, x_axis: XAxis) -> str:
    unit = "step " if x_axis == "step" else ""
    if low is None or high is None:
        end = low if high is None else high
        return f"{'up to' if low is None else 'from'} {unit}{'' if end is None else x_word(x_axis, end)}"
    return f"between {unit}{x_word(x_axis, low)} and {x_word(x_axis, high)}"
