"""What charts say of their axes and of where the user looks, in few words; the same in every dashboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.viewstate.chart_choices import WHOLE

if TYPE_CHECKING:
    from tbtui.viewstate.chart_choices import Range
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.options import XAxis


def y_axis_word(choices: Choices, key: str | None = None) -> str:
    """`y log 0.1–1`; empty where the axis is plain. Without a card's key it is about all charts."""
    scale = choices.y_scale if key is None else choices.y_scale_of(key)
    y_range = WHOLE if key is None else choices.chart(key).y_range
    return "" if (scale, y_range) == ("linear", WHOLE) else _axis_word("y", scale, range_word(y_range))


def x_axis_words(choices: Choices, key: str | None = None) -> tuple[str, ...]:
    """`x step log 120–400`, and what there is to say of skipped steps, of linked charts, of the cursor; some are empty.

    Args:
        choices: What is chosen.
        key: Card of the one chart; None is all of them.
    """
    x_range = choices.x_range if key is None else choices.x_range_of(key)
    scale = "linear" if choices.x_axis == "wall" else choices.x_scale
    return (
        _axis_word(f"x {choices.x_axis}", scale, range_word(x_range, choices.x_axis)),
        f"from step {choices.skip_steps:,} on" if choices.skip_steps else "",
        "linked" if choices.linked else "",
        cursor_word(choices),
    )


def _axis_word(name: str, scale: str, ends: str) -> str:
    return " ".join(filter(None, (name, "" if scale == "linear" else scale, ends)))


def cursor_word(choices: Choices, *, brief: bool = False) -> str:
    """`@ step 312`, `@ 3m12s`; of a stretch both ends; empty without a cursor. In brief `@ 312`."""
    ends = (
        sorted({end for end in (choices.cursor, choices.mark) if end is not None}) if choices.cursor is not None else []
    )
    if not ends:
        return ""
    unit = "step " if choices.x_axis == "step" and not brief else ""
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
    return str(int(x)) if float(x).is_integer() else numbers.short(x)


def between(low: float | None, high: float | None, x_axis: XAxis) -> str:
    """`between step 5 and 9`, `from step 5`, `up to 1m30s`."""
    unit = "step " if x_axis == "step" else ""
    if low is None or high is None:
        end = low if high is None else high
        return f"{'up to' if low is None else 'from'} {unit}{'' if end is None else x_word(x_axis, end)}"
    return f"between {unit}{x_word(x_axis, low)} and {x_word(x_axis, high)}"
