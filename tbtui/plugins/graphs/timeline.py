"""What ran when: executions in lanes, one below the other for each device and thread, so that none hides another."""

from __future__ import annotations

import heapq
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.axis import Axis
from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, Cells, Ink, heat, warm
from tbtui.charts.layout import MIN_X_LABELS_HEIGHT, PlotArea, x_labels
from tbtui.charts.numbers import brief, counted
from tbtui.charts.text import ELLIPSIS, MAX_END_CHARS, cell_width, fit, safe, shorten, write
from tbtui.frozen import frozen
from tbtui.plugins.graphs.item_labels import memory_word, time_word
from tbtui.plugins.graphs.profile import LEAST_HEIGHT, NOWHERE, draw_longest, items_of, top_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.formats.salvage import Executions
    from tbtui.plugins.graphs.profile import DeviceRow, Measure, Times, TopRow


class Group(NamedTuple):
    """Executions that stand below one title: of a device, or of a thread of it."""

    title: str
    """Any text."""

    lanes: range
    """Indices of its lanes; none where nothing ran."""


class Bar(NamedTuple):
    """One execution."""

    start: float
    end: float


@frozen(slots=False, eq=False)
class Timeline:
    """Executions, lane by lane and in the order of their starts. In a lane no two run at the same time."""

    groups: tuple[Group, ...]
    rows: npt.NDArray[np.int64]
    """int64[n]: which of the executions that it was made of each is."""

    lanes: npt.NDArray[np.int64]
    """int64[n], ascending."""

    starts: npt.NDArray[np.float64]
    """float64[n]: nanoseconds since the first start of all."""

    ends: npt.NDArray[np.float64]
    """float64[n]: nanoseconds; the same as the start where no time was measured."""

    labels: tuple[str, ...]
    """Any texts."""

    levels: npt.NDArray[np.int16]
    """int16[n]: levels of the colour map, from 1 on."""

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def bounds(self) -> npt.NDArray[np.int64]:
        """int64[lanes + 1]: lane i has the executions from `bounds[i]` to before `bounds[i + 1]`."""
        return np.searchsorted(self.lanes, np.arange(sum(len(group.lanes) for group in self.groups) + 1))

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """What stands in each row of the whole picture: a lane, or `~i` for the title of group i."""
        return tuple(line for index, group in enumerate(self.groups) for line in (~index, *group.lanes))

    @property
    def end(self) -> float:
        """Nanoseconds from the first start to the last end; at least 1, so that it can be shown."""
        return max(float(self.ends.max(initial=0.0)), 1.0)

    def lane(self, index: int) -> slice:
        """The executions of a lane."""
        return slice(int(self.bounds[index]), int(self.bounds[index + 1]))

    def bar(self, execution: int) -> Bar:
        """When one ran."""
        return Bar(float(self.starts[execution]), float(self.ends[execution]))

    def nearest(self, lane: int, time: float) -> int:
        """The execution of a lane that runs at a time, or that is next to it; every lane has one."""
        held = self.lane(lane)
        starts, ends = self.starts[held], self.ends[held]
        after = int(np.searchsorted(starts, time, side="right"))
        before = max(after - 1, 0)
        after = min(after, len(starts) - 1)
        found: int = before if time - ends[before] <= starts[after] - time else after
        return int(held.start) + found


def timeline(
    titles: Sequence[str],
    groups: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    durations: npt.NDArray[np.int64],
    labels: Sequence[str],
    levels: npt.NDArray[np.int16],
) -> Timeline:
    """Put executions into lanes.

    Args:
        titles: Of g groups; one without executions is shown as such.
        groups: int64[n], 0 to g - 1: the group of each.
        starts: int64[n]: nanoseconds since any moment.
        durations: int64[n]: nanoseconds, not below 0.
        labels: Of n executions.
        levels: int16[n]: levels of the colour map, from 1 on.
    """
    # Subtracted as integers: nanoseconds since 1970 are more than a float64 tells apart.
    begins = (starts - starts.min(initial=np.iinfo(np.int64).max)).astype(np.float64)
    ends = begins + durations
    lanes = np.zeros(len(starts), np.int64)
    made: list[Group] = []
    first = 0
    for index, title in enumerate(titles):
        rows = np.flatnonzero(groups == index)
        depths = _depths(begins[rows], ends[rows])
        lanes[rows] = first + depths
        count = int(depths.max(initial=-1)) + 1
        made.append(Group(title, range(first, first + count)))
        first += count
    order = np.lexsort((ends, begins, lanes))
    return Timeline(
        tuple(made),
        order.astype(np.int64),
        lanes[order],
        begins[order],
        ends[order],
        tuple(labels[row] for row in order.tolist()),
        levels[order],
    )


def busy(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64]) -> float:
    """For how long anything ran, however much of it at once."""
    if not len(starts):
        return 0.0
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    gaps = np.maximum(starts[1:] - ends[:-1], 0).sum()
    return float(ends[-1] - starts[0] - gaps)


def _depths(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The lane of each execution of a group: the first that is free when it starts."""
    depths = np.zeros(len(starts), np.int64)
    busy: list[tuple[float, int]] = []
    free: list[int] = []
    order = np.lexsort((ends, starts))
    for row, start, end in zip(order.tolist(), starts[order].tolist(), ends[order].tolist(), strict=True):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        depth = heapq.heappop(free) if free else len(busy)
        depths[row] = depth
        heapq.heappush(busy, (end, depth))
    return depths


# Draws a part of a timeline: lanes of one to three rows, an axis of times below.
#
# What takes up cells of its own is a bar with its name in it, as far as there is room. Shorter executions share
# cells:
# how high a cell is filled tells which part of its time anything ran. What took long is far from the background.


NANOS = 1e9
"""In a second."""

TALLEST = 3
"""Rows of a lane at most."""

LEAST_PART = 6
"""Columns that hold what is left of a name that is too long, at least: fewer would tell nothing."""

_FULL, _GAPPED, _MARK = ord("█"), ord("▐"), ord("▏")
_EIGHTHS = np.array([ord(glyph) for glyph in "▁▂▃▄▅▆▇█"], np.uint32)


class Sight(NamedTuple):
    """Which part of a timeline is seen."""

    start: float
    end: float
    """Nanoseconds since the first start of all; after `start`."""

    top: int = 0
    """The first of `Timeline.lines`."""


def lines_in_sight(height: int) -> int:
    """How many of a picture's rows show lanes and titles; what is below them is the axis."""
    return height - (height >= MIN_X_LABELS_HEIGHT)


def rows_wanted(timeline: Timeline) -> int:
    """Rows that show all lanes as tall as they are drawn at most, with titles and axis."""
    titles = len(timeline.groups)
    return titles + (len(timeline.lines) - titles) * TALLEST + 1


def draw_timeline(timeline: Timeline, sight: Sight, width: int, height: int, chosen: int | None = None) -> Cells:
    """Draw what is in sight into `width` x `height` cells, both at least 1.

    Args:
        timeline: What ran.
        sight: Which part of it.
        width: Columns.
        height: Rows.
        chosen: The execution under the cursor.
    """
    cells = Cells.blank(height, width)
    room = lines_in_sight(height)
    tall, y = _tallness(timeline, room), 0
    for line in timeline.lines[sight.top :]:
        rows = slice(y, min(y + (tall if line >= 0 else 1), room))
        if rows.start >= room:
            break
        if line < 0:
            write(cells, y, 0, fit(timeline.groups[~line].title, width), Ink.DIM)
        else:
            _draw_lane(cells.part(rows, slice(0, width)), timeline, sight, timeline.lane(line), chosen)
        y = rows.stop
    if room < height:
        _draw_axis(cells, sight)
    return cells


def execution_at(timeline: Timeline, sight: Sight, width: int, height: int, x: int, y: int) -> int | None:
    """The execution drawn in a cell, or next to it in its lane; None where there is no lane."""
    room = lines_in_sight(height)
    tall = _tallness(timeline, room)
    rows = [line for line in timeline.lines[sight.top : sight.top + room] for _ in range(tall if line >= 0 else 1)]
    if not 0 <= y < min(room, len(rows)) or rows[y] < 0:
        return None
    return timeline.nearest(rows[y], sight.start + (x + 0.5) / width * (sight.end - sight.start))


def _tallness(timeline: Timeline, room: int) -> int:
    """Rows of a lane: more than one where all of them fit."""
    titles = len(timeline.groups)
    lanes = len(timeline.lines) - titles
    return max(1, min((room - titles) // max(lanes, 1), TALLEST))


def _draw_lane(area: Cells, timeline: Timeline, sight: Sight, lane: slice, chosen: int | None) -> None:
    held = _in_sight(timeline, sight, lane)
    columns = area.width / (sight.end - sight.start)
    firsts = (timeline.starts[held] - sight.start) * columns
    lasts = (timeline.ends[held] - sight.start) * columns
    edges = np.rint(np.clip([firsts, lasts], 0, area.width)).astype(np.int64)
    wide = edges[1] > edges[0]
    shared = np.clip((firsts + lasts) / 2, 0, area.width - 1).astype(np.int64)
    _draw_shared(area, shared[~wide], (lasts - firsts)[~wide], timeline.levels[held][~wide])
    for place in np.flatnonzero(wide).tolist():
        execution = held.start + place
        begun = bool(firsts[place] >= 0)
        bar = area.part(slice(0, area.height), slice(int(edges[0, place]), int(edges[1, place])))
        _draw_bar(bar, timeline.labels[execution], int(timeline.levels[execution]), begun=begun)
    if chosen is not None and held.start <= chosen < held.stop:
        place = chosen - held.start
        first, last = edges[:, place].tolist() if wide[place] else (int(shared[place]), int(shared[place]) + 1)
        inks = area.inks[:, first:last]
        inks[inks >= HEAT_FROM] = warm(inks[inks >= HEAT_FROM])


def _in_sight(timeline: Timeline, sight: Sight, lane: slice) -> slice:
    """The executions of a lane that are not outside."""
    first = np.searchsorted(timeline.ends[lane], sight.start)
    end = np.searchsorted(timeline.starts[lane], sight.end, side="right")
    return slice(lane.start + int(first), lane.start + int(max(first, end)))


def _draw_shared(
    area: Cells, columns: npt.NDArray[np.int64], parts: npt.NDArray[np.float64], levels: npt.NDArray[np.int16]
) -> None:
    """Executions of less than a cell: the column of each, and which part of it they take; filled from below."""
    greatest = np.zeros(area.width, np.int16)
    np.maximum.at(greatest, columns, levels)
    eighths = np.ceil(np.bincount(columns, parts, minlength=area.width) * 8 * area.height)
    eighths = np.where(greatest > 0, np.clip(eighths, 1, 8 * area.height), 0).astype(np.int64)
    for above, y in enumerate(range(area.height - 1, -1, -1)):
        filled = np.flatnonzero(eighths > 8 * above)
        area.glyphs[y, filled] = _EIGHTHS[np.minimum(eighths[filled] - 8 * above, 8) - 1]
        area.inks[y, filled] = heat(greatest[filled], 0)


def _draw_bar(bar: Cells, label: str, level: int, *, begun: bool) -> None:
    """A bar; half a cell of its beginning, where that is in sight, keeps it apart from the one before."""
    bar.glyphs[:], bar.inks[:] = _FULL, heat(level, level)
    if begun:
        bar.glyphs[:, 0], bar.inks[:, 0] = _GAPPED, heat(level, 0)
    name = _name(label, bar.width - begun)
    ink = int(heat(0 if level > HEAT_LEVELS // 2 else HEAT_LEVELS - 1, level))
    write(bar, (bar.height - 1) // 2, int(begun), name, ink)


def _name(label: str, room: int) -> str:
    """As much of a name as there is room for: all of it, its last part, or both ends of that."""
    if len(label) > MAX_END_CHARS or cell_width(safe(label)) > room:
        label = label.rpartition("/")[2] or label
    shown = shorten(label, room)
    return shown if room >= LEAST_PART or ELLIPSIS not in shown else ""


def _draw_axis(cells: Cells, sight: Sight) -> None:
    axis = Axis(sight.start / NANOS, sight.end / NANOS, kind="duration")
    plot = PlotArea(0, 0, cells.width, cells.height, axis, Axis(0, 1))
    for tick, _, start in x_labels(plot, cells.width):
        write(cells, cells.height - 1, start, tick.label, Ink.DIM)


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
