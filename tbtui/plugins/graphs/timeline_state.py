"""State of a timeline: the visible range, the selected execution, and the changes that gestures make to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS, Cells, Ink
from tbtui.charts.numbers import format_brief, format_count
from tbtui.charts.text import fit, write
from tbtui.frozen import frozen
from tbtui.plugins.graphs.costs import match_executions
from tbtui.plugins.graphs.edges import NO_NODE
from tbtui.plugins.graphs.item_labels import format_memory, time_text
from tbtui.plugins.graphs.slowest_operations import MIN_LIST_HEIGHT, draw_slowest, rank_operations
from tbtui.plugins.graphs.timeline import (
    VisibleRange,
    build_timeline,
    choose_height,
    count_visible_lines,
    draw_timeline,
    find_execution,
    sum_busy_time,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.costs import DeviceUse, Measure, RunCosts
    from tbtui.plugins.graphs.formats.run_metadata import Executions
    from tbtui.plugins.graphs.slowest_operations import SlowOperation
    from tbtui.plugins.graphs.timeline import Timeline


MIN_HEAT_LEVEL = 12
"""Lowest level of the colour map; the shortest execution must differ from the background."""


MIN_RANGE_NANOS = 10.0
"""Minimum visible range in nanoseconds."""


MIN_HEIGHT_FOR_TEXT = 6
"""Minimum height, in rows, for a line about the selected execution."""


SELECT_HINT = "← → choose an execution"


MAX_SLOWEST = 100
"""Maximum rows in the list of the slowest operations; no screen has more lines."""


MARGIN = 0.05
"""Share of the visible range that is left free next to the selected execution."""


@frozen(eq=False)
class RunTimeline:
    """A timeline of a run, and the nodes of its executions. Built once per run; any thread may build it."""

    chart: Timeline
    costs: RunCosts
    items: npt.NDArray[np.int32]
    """int32[n]: node of each execution of `costs`; -1 if it is none."""

    longest: tuple[SlowOperation, ...] = ()
    """The most costly operations on the counted devices."""

    measure: Measure = "time"
    """Measure for colours and for the order of the list."""


def build_run_timeline(costs: RunCosts, measure: Measure = "time") -> RunTimeline:
    """Build the timeline of all executions on all devices, those that are not counted included.

    Args:
        costs: Costs of one run.
        measure: Measure for colours.
    """
    executions = costs.executions
    keys = np.stack([executions.device.astype(np.int64), executions.threads], axis=1)
    unique_keys, groups = np.unique(keys, axis=0, return_inverse=True)
    threads = [(int(device), int(thread)) for device, thread in unique_keys.tolist()]
    titles = _with_busy_times(_build_thread_titles(costs, threads), executions, groups.reshape(-1))
    idle_titles = [_format_device_title(device) for device in costs.devices if not device.executions]
    execution_costs = executions.durations if measure == "time" else executions.memory
    highest = float(execution_costs.max(initial=0))
    shares = execution_costs / highest if highest > 0 else np.zeros(len(executions))
    levels = np.rint(MIN_HEAT_LEVEL + (HEAT_LEVELS - 1 - MIN_HEAT_LEVEL) * shares).astype(np.int16)
    chart = build_timeline(
        [*titles, *idle_titles], groups.reshape(-1), executions.starts, executions.durations, executions.names, levels
    )
    items = match_executions(costs.hierarchy, executions)
    return RunTimeline(chart, costs, items, rank_operations(costs, measure, MAX_SLOWEST), measure)


def _with_busy_times(titles: Sequence[str], executions: Executions, groups: npt.NDArray[np.int64]) -> list[str]:
    """Return titles with the busy and the idle time of each group, within the time in which anything ran."""
    starts = (executions.starts - executions.starts.min(initial=np.iinfo(np.int64).max)).astype(np.float64)
    ends = starts + executions.durations
    total = float(ends.max(initial=0.0))
    busy_titles = []
    for group, title in enumerate(titles):
        time = sum_busy_time(starts[groups == group], ends[groups == group])
        parts = [title, f"busy {time_text(time)}" if time > 0 else "", format_idle(total - time, total)]
        busy_titles.append(" · ".join(filter(None, parts)))
    return busy_titles


def format_idle(idle: float, total: float) -> str:
    """Return `idle 30µs (23 %)`; empty if nothing was measured."""
    if total <= 0:
        return ""
    return f"idle {time_text(idle)} ({format_brief(100 * idle / total)} %)" if idle > 0 else "never idle"


def _build_thread_titles(costs: RunCosts, threads: Sequence[tuple[int, int]]) -> list[str]:
    """Return titles of devices, and of their threads if there are several or they have names."""
    titles = []
    for device, thread in threads:
        title = _format_device_title(costs.devices[device])
        name = costs.executions.thread_names.get((device, thread), "")
        if name or sum(other == device for other, _ in threads) > 1:
            title = f"{title} · {name or f'thread {thread}'}"
        titles.append(title)
    return titles


def _format_device_title(device: DeviceUse) -> str:
    count = format_count(device.executions, "execution") if device.executions else "nothing ran"
    return f"{device.short} · {count}" + ("" if device.is_counted or not device.executions else " · not counted")


@frozen(eq=False)
class TimelineState:
    """State of a timeline. Every gesture returns the next state."""

    run: RunTimeline
    start: float = 0.0
    end: float = 0.0
    """Nanoseconds since the first start; 0 for both: everything."""

    top: int = 0
    """First visible line; the selected execution overrides it."""

    chosen: int | None = None
    """The selected execution; None until a key moves."""

    @property
    def chosen_item(self) -> int | None:
        """Node of the selected execution; None if it is not a node."""
        if self.chosen is None:
            return None
        item = int(self.run.items[self.run.chart.rows[self.chosen]])
        return None if item == NO_NODE else item

    def text(self) -> str:
        """Return a line about the selected execution: name, duration, start, memory."""
        if self.chosen is None:
            return ""
        row = int(self.run.chart.rows[self.chosen])
        executions = self.run.costs.executions
        bar = self.run.chart.bar(self.chosen)
        memory = format_memory(float(executions.memory[row]))
        parts = [
            executions.labels[row] or executions.names[row],
            self._format_op(executions.labels[row]),
            time_text(bar.end - bar.start) or "time not measured",
            f"from {time_text(bar.start) or '0'}",
            f"{memory} allocated" if memory else "",
            "" if self.chosen_item is not None else "no node of this graph",
        ]
        return " · ".join(part for part in parts if part)

    def _format_op(self, label: str) -> str:
        """Return the type of the selected execution if its label does not contain it."""
        item = self.chosen_item
        op = "" if item is None else self.run.costs.hierarchy.op(item)
        return "" if op in label else op

    def draw(self, width: int, height: int) -> Cells:
        """Draw the chart and, if there is room, a line about the selected execution and the slowest operations."""
        width, height = max(width, 1), max(height, 1)
        cells, chart_height = Cells.blank(height, width), self._measure_chart(height)
        visible_range = self._compute_visible_range(chart_height)
        cells.put(0, 0, draw_timeline(self.run.chart, visible_range, width, chart_height, self.chosen))
        if chart_height < height:
            write(cells, chart_height, 0, fit(self.text() or SELECT_HINT, width), Ink.TEXT if self.text() else Ink.DIM)
        list_height = height - chart_height - 2
        if list_height >= MIN_LIST_HEIGHT:
            cells.put(chart_height + 2, 0, draw_slowest(self.run.longest, self.run.measure, width, list_height))
        return cells

    def _measure_chart(self, height: int) -> int:
        """Return the rows of the chart: as many as it needs if a list fits below, or else all but one."""
        preferred = choose_height(self.run.chart)
        return preferred if preferred + 2 + MIN_LIST_HEIGHT <= height else height - (height >= MIN_HEIGHT_FOR_TEXT)

    # Gestures: the cursor

    def step(self, steps: int) -> TimelineState:
        """Select the execution that comes `steps` executions after the selected one in its lane."""
        chart = self.run.chart
        if self.chosen is None:
            return self._select_first()
        lane = chart.get_lane(int(chart.lanes[self.chosen]))
        return self.select(max(lane.start, min(self.chosen + steps, lane.stop - 1)))

    def change_lane(self, lanes: int) -> TimelineState:
        """Select the execution that runs at the same time, this number of lanes below."""
        chart = self.run.chart
        if self.chosen is None:
            return self._select_first()
        lane = max(0, min(int(chart.lanes[self.chosen]) + lanes, len(chart.bounds) - 2))
        bar = chart.bar(self.chosen)
        middle = min(max((bar.start + bar.end) / 2, self._span[0]), self._span[1])
        return self.select(chart.find_nearest(lane, middle))

    def move_to_end(self, *, last: bool) -> TimelineState:
        """Select the first or the last execution of the lane."""
        return self.step(len(self.run.chart) if last else -len(self.run.chart))

    def select(self, execution: int) -> TimelineState:
        """Select an execution and scroll to it."""
        low, high = self._span
        bar = self.run.chart.bar(execution)
        span = high - low
        if bar.start < low or bar.end > high:
            margin = MARGIN * span
            is_start_aligned = bar.start < low or bar.end - bar.start > span - 2 * margin
            low = bar.start - margin if is_start_aligned else bar.end + margin - span
        return replace(self._with_range(low, low + span), chosen=execution)

    def select_item(self, item: int) -> TimelineState:
        """Select the longest execution of a node; return the same state if the node did not run."""
        chart = self.run.chart
        executions = np.flatnonzero(self.run.items[chart.rows] == self.run.costs.hierarchy.original[item])
        if not len(executions):
            return self
        return self.select(int(executions[np.argmax(chart.ends[executions] - chart.starts[executions])]))

    def click(self, x: int, y: int, width: int, height: int) -> TimelineState:
        """Select the execution at a cell, if there is one."""
        chart_height = self._measure_chart(height)
        execution = find_execution(self.run.chart, self._compute_visible_range(chart_height), width, chart_height, x, y)
        return self if execution is None else replace(self, chosen=execution)

    # Gestures: the visible range

    def zoom(self, magnification: float, anchor: float | None = None) -> TimelineState:
        """Zoom in or out.

        Args:
            magnification: 2 shows half of the visible range in the same width; below 1 zooms out.
            anchor: Fixed point as a share of the width; None: the selected execution, or else the middle.
        """
        low, high = self._span
        if anchor is None:
            bar = None if self.chosen is None else self.run.chart.bar(self.chosen)
            middle = (low + high) / 2 if bar is None else (bar.start + bar.end) / 2
            anchor = min(max((middle - low) / (high - low), 0.0), 1.0)
        span = max((high - low) / magnification, MIN_RANGE_NANOS)
        anchor_time = low + anchor * (high - low)
        return self._with_range(anchor_time - anchor * span, anchor_time + (1 - anchor) * span)

    def pan(self, share: float) -> TimelineState:
        """Scroll by a share of the visible range, to later costs if it is positive."""
        low, high = self._span
        return self._with_range(low + share * (high - low), high + share * (high - low))

    def scroll(self, lines: int) -> TimelineState:
        """Scroll by lines, down if the number is positive."""
        return replace(self, top=max(0, min(self.top + lines, len(self.run.chart.lines) - 1)))

    def reset(self) -> TimelineState:
        """Show everything."""
        return replace(self, start=0.0, end=0.0, top=0)

    @property
    def _span(self) -> tuple[float, float]:
        return (self.start, self.end) if self.end > self.start else (0.0, self.run.chart.end)

    def _select_first(self) -> TimelineState:
        """Select the first visible execution of the first lane; return the same state if nothing ran."""
        return self.select(self.run.chart.find_nearest(0, self._span[0])) if len(self.run.chart) else self

    def _with_range(self, low: float, high: float) -> TimelineState:
        """Return the state with a visible range, moved into the limits of the timeline."""
        end = self.run.chart.end
        span = high - low
        if span >= end:
            return replace(self, start=0.0, end=0.0)
        low = min(max(low, 0.0), end - span)
        return replace(self, start=low, end=low + span)

    def _compute_visible_range(self, height: int) -> VisibleRange:
        """Return the visible part: from `top` on, scrolled so that the selected execution shows."""
        lines, line_count = self.run.chart.lines, max(count_visible_lines(height), 1)
        top = max(0, min(self.top, len(lines) - line_count))
        if self.chosen is not None:
            line = lines.index(int(self.run.chart.lanes[self.chosen]))
            top = min(max(top, line - line_count + 1), line)
        return VisibleRange(*self._span, top)
