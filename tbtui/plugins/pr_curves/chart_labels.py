"""Labels of charts of precision-recall curves: settings, titles, readouts, problems, and why a chart is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.card import SEPARATOR
from tbtui.charts.line_chart import BEST_SIGN, NAN_SIGN
from tbtui.plugins.pr_curves.settings import THRESHOLD
from tbtui.view.descriptions import format_cursor, format_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.pr_curves.chart import RunCurve
    from tbtui.plugins.pr_curves.curve import Curve, CurveCursor, ThresholdReadout
    from tbtui.settings.settings import Settings


AXES = "precision over recall"


LINEAR_ONLY = "recall and precision have a linear scale only"


ZOOMED_ALONE = "charts of PR curves are zoomed one by one"


def format_settings_label(settings: Settings, key: str | None = None) -> str:
    """Return the settings of all charts, or of one; defaults are left out.

    `step: newest · threshold 0.5 · recall .8–1`

    Args:
        settings: The settings.
        key: Card of one chart; None: all charts.
    """
    texts = (
        "overview" if settings.overview and key is None else "",
        format_cursor(settings) or "step: newest",
        format_threshold_label(THRESHOLD.value(settings)),
        f"from step {settings.skip_steps:,} on" if settings.skip_steps else "",
        "superseded too" if settings.superseded else "",
        *(() if key is None else zoom_labels(settings, key)),
    )
    return SEPARATOR.join(filter(None, texts))


def format_threshold_label(threshold: float | None) -> str:
    """Return `threshold 0.5`; empty without a threshold."""
    return "" if threshold is None else f"threshold {numbers.format_number(threshold, digits=4)}"


def zoom_labels(settings: Settings, key: str) -> tuple[str, ...]:
    """Return ranges set by hand: `recall .8–1`, `precision from .9`."""
    chart_settings = settings.chart(key)
    ranges = (
        ("recall", format_range(chart_settings.across_range)),
        ("precision", format_range(chart_settings.y_range)),
    )
    return tuple(f"{name} {label}" for name, label in ranges if label)


def step_label(runs: Sequence[RunCurve], pointer: CurveCursor) -> str:
    """Return the drawn steps: `step 440, the newest`, `step 264`, `steps 88–440`, `step 264 beside 88`."""
    label = format_steps_label(runs)
    marked = [(each.marked_step, each.marked_label) for each in runs if each.marked_step is not None]
    if marked:
        return f"{label} beside {_format_step_range(marked).partition(' ')[2]}"
    return label if pointer.is_chosen else f"{label}, the newest"


def format_steps_label(runs: Sequence[RunCurve]) -> str:
    """Return the drawn steps: `step 440`, `step 0, 2 of 5`, or `steps 88–440` if runs differ."""
    return _format_step_range([(each.step, each.label) for each in runs])


def _format_step_range(steps: Sequence[tuple[int, str]]) -> str:
    low, high = min(steps)[0], max(steps)[0]
    labels = {label for _, label in steps}
    if len(labels) == 1:
        return labels.pop()
    return f"step {low}" if low == high else f"steps {low}–{high}"


def format_left_out_label(runs: Sequence[RunCurve]) -> str:
    """Return the points that the step axis leaves out, of the first run that has some: `4 more at this step (u)`."""
    return next((each.left_out for each in runs if each.left_out), "")


def title_labels(runs: Sequence[RunCurve], pointer: CurveCursor) -> tuple[str, ...]:
    """Return steps, thresholds of the table, and problems; a selected threshold comes first."""
    threshold, steps, wrong = (
        format_threshold_label(pointer.threshold),
        step_label(runs, pointer),
        format_problem_labels(runs),
    )
    steps = SEPARATOR.join(filter(None, (steps, format_left_out_label(runs))))
    return (threshold, steps, *wrong) if threshold else (steps, *wrong, f"{BEST_SIGN} at each best F1")


def format_readout_labels(reading: ThresholdReadout | None, pointer: CurveCursor) -> tuple[str, ...]:
    """Return the values of a curve without table: `threshold 0.5`, `P .75 R .75 F1 .75`; `★ at 0.5` at its best F1."""
    if reading is None:
        return (format_threshold_label(pointer.threshold),)
    named_values = (("P", reading.precision), ("R", reading.recall), ("F1", reading.f1))
    threshold_text = f"{BEST_SIGN} at {numbers.format_number(reading.threshold, digits=4)}"
    return (
        threshold_text if pointer.threshold is None else format_threshold_label(reading.threshold),
        " ".join(f"{name} {numbers.format_brief(value)}" for name, value in named_values if value is not None),
    )


def format_problem_labels(runs: Sequence[RunCurve]) -> tuple[str, ...]:
    """Return problems of curves: reasons for missing curves, and numbers of thresholds that are not finite."""
    labels = []
    for each in runs:
        name = f"{each.run}: " if len(runs) > 1 else ""
        if each.error:
            labels.append(f"{NAN_SIGN} {name}{each.error}")
        elif each.curve is not None and bool(each.curve.is_nonfinite.any()):
            count, total = int(np.count_nonzero(each.curve.is_nonfinite)), each.curve.shown
            labels.append(f"{NAN_SIGN} {name}no number at {count:,} of {numbers.format_count(total, 'threshold')}")
    return tuple(labels)


def format_empty_message(curves: Sequence[tuple[Curve | None, str]], x_axis: Axis, y_axis: Axis) -> str:
    """Return the reason why no curve of a chart is visible; empty if one is.

    Args:
        curves: Curve of each run, or the reason why it has none.
        x_axis: Axis of recall.
        y_axis: Axis of precision.
    """
    existing = [curve for curve, _ in curves if curve is not None]
    if not existing:
        return curves[0][1]
    if all(bool(curve.is_nonfinite.all()) for curve in existing):
        return "no point of the curve is a number" if len(existing) == 1 else "no point of any curve is a number"
    if any(_is_visible(curve, x_axis, y_axis) for curve in existing):
        return ""
    recall, precision = (
        (numbers.format_number(axis.low), numbers.format_number(axis.high)) for axis in (x_axis, y_axis)
    )
    return f"no curve at recall {'–'.join(recall)} and precision {'–'.join(precision)}"


def _is_visible(curve: Curve, x_axis: Axis, y_axis: Axis) -> bool:
    """Return True if the bounding box of two neighbouring points overlaps the visible area."""
    low, high = np.fmin(curve.recall[:-1], curve.recall[1:]), np.fmax(curve.recall[:-1], curve.recall[1:])
    bottom, top = np.fmin(curve.precision[:-1], curve.precision[1:]), np.fmax(curve.precision[:-1], curve.precision[1:])
    if curve.shown == 1:
        low, high, bottom, top = curve.recall, curve.recall, curve.precision, curve.precision
    across = (low <= x_axis.high) & (high >= x_axis.low)
    return bool((across & (bottom <= y_axis.high) & (top >= y_axis.low)).any())
