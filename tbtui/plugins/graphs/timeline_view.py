"""What ran when: executions in lanes, one below the other for each device and thread, so that none hides another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS, Cells, Ink
from tbtui.charts.numbers import brief, counted
from tbtui.charts.text import fit, write
from tbtui.frozen import frozen
from tbtui.plugins.graphs.item_labels import memory_word, time_word
from tbtui.plugins.graphs.profile import NOWHERE, items_of
from tbtui.plugins.graphs.slowest_operations import LEAST_HEIGHT, draw_longest, top_rows
from tbtui.plugins.graphs.timeline import (
    Sight,
    busy,
    draw_timeline,
    execution_at,
    lines_in_sight,
    rows_wanted,
    timeline,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.formats.run_metadata import Executions
    from tbtui.plugins.graphs.profile import DeviceRow, Measure, Times
    from tbtui.plugins.graphs.slowest_operations import TopRow
    from tbtui.plugins.graphs.timeline import Timeline

# The timeline of one run of a graph: what is in sight, which execution is chosen, and how each gesture changes it.


LEAST_LEVEL = 12
"""Of the colour map: the shortest is told from the background, too."""


LEAST_SPAN = 10.0
"""Nanoseconds that are in sight at least."""


WORDS_FROM_HEIGHT = 6
"""Lower pictures have no line that tells of the chosen execution."""


CHOOSE = "← → choose an execution"


MOST_LONGEST = 100
"""Rows of what took longest: no screen has more lines."""


MARGIN = 0.05
"""Part of what is in sight that is kept beside the chosen execution."""


@frozen(eq=False)
class RunTimeline:
    """A timeline, and what its executions are. Made once for one run of the graph; any thread may make it."""

    chart: Timeline
    times: Times
    items: npt.NDArray[np.int32]
    """int32[n]: the node of each execution of `times`; -1 where it is none."""

    longest: tuple[TopRow, ...] = ()
    """What cost most on the devices that are counted."""

    measure: Measure = "time"
    """What it cost that colours and the order of the list tell."""


def timeline_of(times: Times, measure: Measure = "time") -> RunTimeline:
    """All executions on all devices, those that are not counted too: a lane hides nothing.

    Args:
        times: Of one run.
        measure: What colours tell.
    """
    executions = times.executions
    keys = np.stack([executions.device.astype(np.int64), executions.threads], axis=1)
    found, groups = np.unique(keys, axis=0, return_inverse=True)
    pairs = [(int(device), int(thread)) for device, thread in found.tolist()]
    titles = _with_busy(_titles(times, pairs), executions, groups.reshape(-1))
    idle = [_device_title(row) for row in times.devices if not row.executions]
    costs = executions.durations if measure == "time" else executions.memory
    most = float(costs.max(initial=0))
    share = costs / most if most > 0 else np.zeros(len(executions))
    levels = np.rint(LEAST_LEVEL + (HEAT_LEVELS - 1 - LEAST_LEVEL) * share).astype(np.int16)
    chart = timeline(
        [*titles, *idle], groups.reshape(-1), executions.starts, executions.durations, executions.names, levels
    )
    items = items_of(times.hierarchy, executions)
    return RunTimeline(chart, times, items, top_rows(times, measure, MOST_LONGEST), measure)


def _with_busy(titles: Sequence[str], executions: Executions, groups: npt.NDArray[np.int64]) -> list[str]:
    """Titles with how long anything ran below each, and how long nothing did while anything at all did."""
    starts = (executions.starts - executions.starts.min(initial=np.iinfo(np.int64).max)).astype(np.float64)
    ends = starts + executions.durations
    whole = float(ends.max(initial=0.0))
    told = []
    for group, title in enumerate(titles):
        time = busy(starts[groups == group], ends[groups == group])
        parts = [title, f"busy {time_word(time)}" if time > 0 else "", idle_word(whole - time, whole)]
        told.append(" · ".join(filter(None, parts)))
    return told


def idle_word(idle: float, whole: float) -> str:
    """`idle 30µs (23 %)`; empty where nothing was measured."""
    if whole <= 0:
        return ""
    return f"idle {time_word(idle)} ({brief(100 * idle / whole)} %)" if idle > 0 else "never idle"


def _titles(times: Times, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Of each device; and of each of its threads, where there are several or they have names."""
    titles = []
    for device, thread in pairs:
        title = _device_title(times.devices[device])
        name = times.executions.thread_names.get((device, thread), "")
        if name or sum(other == device for other, _ in pairs) > 1:
            title = f"{title} · {name or f'thread {thread}'}"
        titles.append(title)
    return titles


def _device_title(row: DeviceRow) -> str:
    count = counted(row.executions, "execution") if row.executions else "nothing ran"
    return f"{row.short} · {count}" + ("" if row.counted or not row.executions else " · not counted")


@frozen(eq=False)
class TimelineView:
    """What is in sight of a timeline. Every gesture gives the next view."""

    run: RunTimeline
    start: float = 0.0
    end: float = 0.0
    """Nanoseconds since the first start; 0 for both: all."""

    top: int = 0
    """First line in sight, as far as the chosen one lets it."""

    chosen: int | None = None
    """An execution of the chart; None: the first one, once a key moves."""

    # What is told

    @property
    def chosen_item(self) -> int | None:
        """The node that the chosen execution is of; None where it is none."""
        if self.chosen is None:
            return None
        item = int(self.run.items[self.run.chart.rows[self.chosen]])
        return None if item == NOWHERE else item

    def words(self) -> str:
        """What is said of the chosen execution: its name, how long it took, when, what it allocated."""
        if self.chosen is None:
            return ""
        row = int(self.run.chart.rows[self.chosen])
        executions = self.run.times.executions
        bar = self.run.chart.bar(self.chosen)
        memory = memory_word(float(executions.memory[row]))
        parts = [
            executions.labels[row] or executions.names[row],
            self._op(executions.labels[row]),
            time_word(bar.end - bar.start) or "time not measured",
            f"from {time_word(bar.start) or '0'}",
            f"{memory} allocated" if memory else "",
            "" if self.chosen_item is not None else "no node of this graph",
        ]
        return " · ".join(part for part in parts if part)

    def _op(self, label: str) -> str:
        """Of what type the chosen one is, where its label does not say so."""
        item = self.chosen_item
        op = "" if item is None else self.run.times.hierarchy.op(item)
        return "" if op in label else op

    def draw(self, width: int, height: int) -> Cells:
        """The picture; below it, where there is room, what is said of the chosen execution, and what took longest."""
        width, height = max(width, 1), max(height, 1)
        cells, room = Cells.blank(height, width), self._chart_height(height)
        cells.put(0, 0, draw_timeline(self.run.chart, self._sight(room), width, room, self.chosen))
        if room < height:
            write(cells, room, 0, fit(self.words() or CHOOSE, width), Ink.TEXT if self.words() else Ink.DIM)
        left = height - room - 2
        if left >= LEAST_HEIGHT:
            cells.put(room + 2, 0, draw_longest(self.run.longest, self.run.measure, width, left))
        return cells

    def _chart_height(self, height: int) -> int:
        """Rows of the picture: all without the line of words, or those that it has use for, if a list has the rest."""
        room = height - (height >= WORDS_FROM_HEIGHT)
        wanted = rows_wanted(self.run.chart)
        return wanted if wanted + 2 + LEAST_HEIGHT <= height else room

    # Gestures: the cursor

    def stepped(self, by: int) -> TimelineView:
        """Choose an execution so many after the chosen one in its lane, or before it."""
        chart = self.run.chart
        if self.chosen is None:
            return self._first()
        lane = chart.lane(int(chart.lanes[self.chosen]))
        return self.choosing(max(lane.start, min(self.chosen + by, lane.stop - 1)))

    def changed_lane(self, by: int) -> TimelineView:
        """Choose what runs at the same time so many lanes below, or above."""
        chart = self.run.chart
        if self.chosen is None:
            return self._first()
        lane = max(0, min(int(chart.lanes[self.chosen]) + by, len(chart.bounds) - 2))
        bar = chart.bar(self.chosen)
        middle = min(max((bar.start + bar.end) / 2, self._span[0]), self._span[1])
        return self.choosing(chart.nearest(lane, middle))

    def at_end(self, *, last: bool) -> TimelineView:
        """Choose the first or the last execution of the lane."""
        return self.stepped(len(self.run.chart) if last else -len(self.run.chart))

    def choosing(self, execution: int) -> TimelineView:
        """Choose an execution, and bring it into sight."""
        low, high = self._span
        bar = self.run.chart.bar(execution)
        span = high - low
        if bar.start < low or bar.end > high:
            margin = MARGIN * span
            at_left = bar.start < low or bar.end - bar.start > span - 2 * margin
            low = bar.start - margin if at_left else bar.end + margin - span
        return replace(self._seeing(low, low + span), chosen=execution)

    def choosing_item(self, item: int) -> TimelineView:
        """Choose the longest execution of a node; no other where it was not run."""
        chart = self.run.chart
        found = np.flatnonzero(self.run.items[chart.rows] == self.run.times.hierarchy.original[item])
        if not len(found):
            return self
        return self.choosing(int(found[np.argmax(chart.ends[found] - chart.starts[found])]))

    def clicked(self, x: int, y: int, width: int, height: int) -> TimelineView:
        """Choose what is at a cell; nothing else where there is none."""
        room = self._chart_height(height)
        found = execution_at(self.run.chart, self._sight(room), width, room, x, y)
        return self if found is None else replace(self, chosen=found)

    # Gestures: what is in sight

    def zoomed(self, factor: float, about: float | None = None) -> TimelineView:
        """See a part so many times as long.

        Args:
            factor: Below 1 goes nearer.
            about: Part of the width that stays where it is; None: the chosen execution, or else the middle.
        """
        low, high = self._span
        if about is None:
            bar = None if self.chosen is None else self.run.chart.bar(self.chosen)
            middle = (low + high) / 2 if bar is None else (bar.start + bar.end) / 2
            about = min(max((middle - low) / (high - low), 0.0), 1.0)
        span = max((high - low) * factor, LEAST_SPAN)
        at = low + about * (high - low)
        return self._seeing(at - about * span, at + (1 - about) * span)

    def panned(self, part: float) -> TimelineView:
        """See what is so many widths later, or earlier."""
        low, high = self._span
        return self._seeing(low + part * (high - low), high + part * (high - low))

    def scrolled(self, lines: int) -> TimelineView:
        """See lanes further down, or up."""
        return replace(self, top=max(0, min(self.top + lines, len(self.run.chart.lines) - 1)))

    def whole(self) -> TimelineView:
        """See everything."""
        return replace(self, start=0.0, end=0.0, top=0)

    # How it is worked out

    @property
    def _span(self) -> tuple[float, float]:
        return (self.start, self.end) if self.end > self.start else (0.0, self.run.chart.end)

    def _first(self) -> TimelineView:
        """Choose the first execution that is in sight of the first lane; nothing where nothing ran."""
        return self.choosing(self.run.chart.nearest(0, self._span[0])) if len(self.run.chart) else self

    def _seeing(self, low: float, high: float) -> TimelineView:
        """See from `low` to `high`, or as long a part that is within the whole."""
        end = self.run.chart.end
        span = high - low
        if span >= end:
            return replace(self, start=0.0, end=0.0)
        low = min(max(low, 0.0), end - span)
        return replace(self, start=low, end=low + span)

    def _sight(self, height: int) -> Sight:
        """Lines from `top` on, with the chosen one among them and as many as there is room for."""
        lines, room = self.run.chart.lines, max(lines_in_sight(height), 1)
        top = max(0, min(self.top, len(lines) - room))
        if self.chosen is not None:
            line = lines.index(int(self.run.chart.lanes[self.chosen]))
            top = min(max(top, line - room + 1), line)
        return Sight(*self._span, top)
