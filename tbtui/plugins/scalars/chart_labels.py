"""Labels of scalar charts: settings, values outside the axes, bounds, and why a chart is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.card import SEPARATOR
from tbtui.plugins.scalars.line_axes import find_visible_values
from tbtui.plugins.scalars.lines import MAX_DETAILED_LINES, Line
from tbtui.plugins.scalars.run_groups import group_by_settings, select_averaged
from tbtui.settings.filters import get_filter
from tbtui.settings.settings import FULL_RANGE, convert_range
from tbtui.view.descriptions import describe_range, format_cursor, format_y_axis, list_x_axis_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.scalars.chart import Chart
    from tbtui.settings.settings import Settings
    from tbtui.view.chart_axes import AxesSettings


def format_smoothing_label(smoothing: float) -> str:
    """Return `smooth .60`, `smooth .999` or `smooth off`."""
    if smoothing <= 0:
        return "smooth off"
    text = f"{smoothing:.3f}".removesuffix("0")
    return f"smooth {text.removeprefix('0')}"


def format_settings_label(settings: Settings, key: str | None = None, runs: Sequence[str] | None = None) -> str:
    """Return the settings of all charts, or of one: `smooth .60 · y log · x step 120–400`. Defaults are left out.

    Args:
        settings: The settings.
        key: Card of one chart; None: all charts.
        runs: Names of the runs that are drawn, to tell how many averages there are of them.
    """
    texts = (
        format_smoothing_label(settings.smoothing),
        _average_word(settings, runs),
        format_y_axis(settings, key),
        {"auto": "", "ignore": "outliers ignored", "keep": "outliers kept"}[settings.outliers],
        *list_x_axis_labels(settings, key),
        format_cursor(settings),
    )
    return SEPARATOR.join(filter(None, texts))


def format_clipped_label(sides: tuple[bool, bool]) -> str:
    """Return `values above the axis`, `… below …`, `… outside …`; empty if the axis shows all of them."""
    where = {(True, False): "below", (False, True): "above", (True, True): "outside"}.get(sides)
    return f"values {where} the axis" if where else ""


def format_left_out_label(chart: Chart) -> str:
    """Return the number of points that the chart leaves out, and doubts about its times: `11 superseded (u)`."""
    texts = (
        f"{chart.superseded:,} superseded (u)" if chart.superseded else "",
        f"{chart.time_outliers:,} off the x axis" if chart.time_outliers else "",
        f"{chart.timeless:,} without a time" if chart.timeless else "",
        f"{chart.off_axis:,} off the x axis" if chart.off_axis else "",
        f"times in {chart.time_unit}?" if chart.time_unit else "",
    )
    return SEPARATOR.join(filter(None, texts))


def _average_word(settings: Settings, runs: Sequence[str] | None) -> str:
    """Return `mean ±std of 3 groups`."""
    if not (settings.group_pattern or settings.group_level or settings.run_groups):
        return ""
    text = f"mean {'±std' if settings.spread == 'std' else 'min–max'}"
    if runs is None:
        return text
    groups = len(select_averaged(group_by_settings(runs, settings)))
    error = None if settings.run_groups else get_filter(settings.group_pattern).error
    if settings.group_pattern and error:
        return f"nothing averaged: pattern {error}"
    return f"{text} of {numbers.format_count(groups, 'group')}" if groups else "no runs to average"


def format_empty_message(lines: Sequence[Line], x_axis: Axis, y_axis: Axis, chosen: AxesSettings) -> str:
    """Return the reason why no line of a chart is visible; empty if one is."""
    greatest = [line.values[line.extremes.maximum] for line in lines if line.extremes.maximum is not None]
    if not greatest:
        return "no value is a finite number"
    if y_axis.scale == "log" and max(greatest) <= 0:
        return "all values ≤ 0: none fits a log axis"
    if chosen.x_axis == "tag" and not any(bool(np.isfinite(line.x).any()) for line in lines):
        return f"no value at a step of {chosen.x_tag or 'the tag on the x axis'}"
    if x_axis.scale == "log" and not any(bool((line.x > 0).any()) for line in lines):
        noun = {"step": "step", "tag": chosen.x_tag}.get(chosen.x_axis, "time")
        return f"every {noun} is ≤ 0: none fits a log axis"
    x_range = convert_range(chosen.x_range, x_axis.scale, x_axis.origin)
    y_range = convert_range(chosen.y_range, y_axis.scale)
    visible_axis = None if x_range == FULL_RANGE else x_axis
    if visible_axis is None and y_range == FULL_RANGE:
        return ""
    is_finite = False
    for line in lines:
        values = find_visible_values([(line, line.smoothed)], visible_axis, y_axis.scale, y_axis.threshold)
        values = values[np.isfinite(values)]
        if len(values) and values.min() <= y_axis.high and values.max() >= y_axis.low:
            return ""
        is_finite |= bool(len(values))
    if is_finite:
        return f"no value here between {numbers.format_number(y_axis.low)} and {numbers.format_number(y_axis.high)}"
    return f"no value {describe_range(*chosen.x_range, chosen.x_axis)}"


def format_margin_notes(lines: Sequence[Line]) -> Iterator[str]:
    """Yield one sentence for each problem of the bounds of lines."""
    if any(line.members and any(member.margin is not None for member in line.members) for line in lines):
        yield "the band is that of the averaged runs, not the logged bounds"
    margins = [margin for line in lines for margin in (line.margin, *line.further) if margin is not None]
    if len(lines) > MAX_DETAILED_LINES and margins:
        yield f"no bands: more than {MAX_DETAILED_LINES} lines"
    crossed = sum(int(margin.crossed.sum()) for margin in margins)
    if crossed:
        yield f"bounds crossed at {numbers.format_count(crossed, 'point')}"
    between = sum(int(margin.interpolated.sum()) for margin in margins)
    if between:
        yield f"bounds interpolated at {numbers.format_count(between, 'point')}"
    missing = sum(int((~margin.has_both).sum()) for margin in margins if np.isfinite(margin.low).any())
    if missing:
        yield f"no bounds at {numbers.format_count(missing, 'point')}"
