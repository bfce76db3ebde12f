"""What the PR curves tab says about itself, and why it is empty when it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.headline import BETWEEN
from tbtui.charts.marks import BEST_SIGN, NAN_SIGN
from tbtui.plugins.pr_curves.points import NoCurveError
from tbtui.viewstate.words import cursor_word, range_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.pr_curves.curves import Curve, Reading
    from tbtui.plugins.pr_curves.data import RunCurve
    from tbtui.plugins.pr_curves.readings import CurvePointer
    from tbtui.viewstate.choices import Choices

AXES = "precision over recall"
LINEAR_ONLY = "recall and precision have a linear scale only"
ZOOMED_ALONE = "charts of PR curves are zoomed one by one"


def settings(choices: Choices, key: str | None = None) -> str:
    """How the charts are drawn, or one of them: `newest step · threshold 0.5 · recall .8–1`. Only what matters is told.

    Args:
        choices: What is chosen.
        key: Card of the one chart; None is all of them.
    """
    told = (
        "overview" if choices.overview and key is None else "",
        cursor_word(choices) or "newest step",
        threshold_word(choices.threshold),
        f"from step {choices.skip_steps:,} on" if choices.skip_steps else "",
        "superseded too" if choices.superseded else "",
        *(() if key is None else zoom_words(choices, key)),
    )
    return BETWEEN.join(filter(None, told))


def threshold_word(threshold: float | None) -> str:
    """`threshold 0.5`; empty where none is chosen."""
    return "" if threshold is None else f"threshold {numbers.short(threshold, digits=4)}"


def zoom_words(choices: Choices, key: str) -> tuple[str, ...]:
    """`recall .8–1`, `precision from .9`: ranges set by hand."""
    own = choices.chart(key)
    ranges = (("recall", range_word(own.across_range)), ("precision", range_word(own.y_range)))
    return tuple(f"{name} {word}" for name, word in ranges if word)


def step_word(runs: Sequence[RunCurve], pointer: CurvePointer) -> str:
    """Which steps are drawn: `step 440, the newest`, `step 264`, `steps 88–440`, `step 264 beside 88`."""
    word = steps_word(runs)
    marked = [each.marked_step for each in runs if each.marked_step is not None]
    if marked:
        return f"{word} beside {_steps(marked).partition(' ')[2]}"
    return word if pointer.is_chosen else f"{word}, the newest"


def steps_word(runs: Sequence[RunCurve]) -> str:
    """Which steps are drawn: `step 440`, or `steps 88–440` where runs have not the same."""
    return _steps([each.step for each in runs])


def _steps(steps: Sequence[int]) -> str:
    low, high = min(steps), max(steps)
    return f"step {low}" if low == high else f"steps {low}–{high}"


def told_above(runs: Sequence[RunCurve], pointer: CurvePointer) -> tuple[str, ...]:
    """Which steps are drawn, at which thresholds the table reads, and what is wrong; a chosen threshold comes first."""
    threshold, steps, wrong = threshold_word(pointer.threshold), step_word(runs, pointer), trouble_words(runs)
    return (threshold, steps, *wrong) if threshold else (steps, *wrong, f"{BEST_SIGN} at each best F1")


def reading_words(reading: Reading | None, pointer: CurvePointer) -> tuple[str, ...]:
    """What a curve says where there is no table: `threshold 0.5`, `P .75 R .75 F1 .75`; `★ at 0.5` at its best F1."""
    if reading is None:
        return (threshold_word(pointer.threshold),)
    told = (("P", reading.precision), ("R", reading.recall), ("F1", reading.f1))
    at = f"{BEST_SIGN} at {numbers.short(reading.threshold, digits=4)}"
    return (
        at if pointer.threshold is None else threshold_word(reading.threshold),
        " ".join(f"{name} {numbers.brief(value)}" for name, value in told if value is not None),
    )


def trouble_words(runs: Sequence[RunCurve]) -> tuple[str, ...]:
    """What is wrong with curves: why one cannot be drawn, and how many thresholds are no number."""
    told = []
    for each in runs:
        name = f"{each.run}: " if len(runs) > 1 else ""
        if each.refused:
            told.append(f"{NAN_SIGN} {name}{each.refused}")
        elif each.curve is not None and bool(each.curve.lost.any()):
            count, of = int(np.count_nonzero(each.curve.lost)), each.curve.shown
            told.append(f"{NAN_SIGN} {name}no number at {count:,} of {numbers.counted(of, 'threshold')}")
    return tuple(told)


def why_blank(curves: Sequence[tuple[Curve | None, str]], x_axis: Axis, y_axis: Axis) -> str:
    """Why no curve of a chart can be seen; empty when one can.

    Args:
        curves: Of each run, or the reason why it has none.
        x_axis: Recall.
        y_axis: Precision.
    """
    drawn = [curve for curve, _ in curves if curve is not None]
    if not drawn:
        return curves[0][1]
    if all(bool(curve.lost.all()) for curve in drawn):
        return "no point of the curve is a number" if len(drawn) == 1 else "no point of any curve is a number"
    if any(_is_in_sight(curve, x_axis, y_axis) for curve in drawn):
        return ""
    recall, precision = ((numbers.short(axis.low), numbers.short(axis.high)) for axis in (x_axis, y_axis))
    return f"no curve at recall {'–'.join(recall)} and precision {'–'.join(precision)}"


def _is_in_sight(curve: Curve, x_axis: Axis, y_axis: Axis) -> bool:
    """Whether a box around two neighbouring points touches what is seen: the line between them may pass through it."""
    low, high = np.fmin(curve.recall[:-1], curve.recall[1:]), np.fmax(curve.recall[:-1], curve.recall[1:])
    bottom, top = np.fmin(curve.precision[:-1], curve.precision[1:]), np.fmax(curve.precision[:-1], curve.precision[1:])
    if curve.shown == 1:
        low, high, bottom, top = curve.recall, curve.recall, curve.precision, curve.precision
    across = (low <= x_axis.high) & (high >= x_axis.low)
    return bool((across & (bottom <= y_axis.high) & (top >= y_axis.low)).any())


def what_went_wrong(error: Exception) -> str:
    """An error in words for people."""
    return str(error) if isinstance(error, NoCurveError) else f"cannot be drawn: {type(error).__name__}: {error}"
