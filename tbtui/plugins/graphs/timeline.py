"""Timeline of executions in lanes, one or more for each device and thread, and its drawing.

Executions of one lane do not overlap. An execution that fills cells is a bar with as much of its name as fits. Shorter
executions share cells: the fill height of a cell shows the part of its time in which anything ran. Costly executions
contrast most with the background.
"""

from __future__ import annotations

import heapq
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.axis import Axis
from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, Cells, Ink, to_heat_inks, to_warm_inks
from tbtui.charts.chart_layout import MIN_X_LABELS_HEIGHT, PlotArea, choose_x_labels
from tbtui.charts.text import ELLIPSIS, MAX_END_CHARS, cell_width, fit, safe, shorten, write
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


class Group(NamedTuple):
    """Lanes below one title: those of a device, or of one of its threads."""

    title: str
    """Title; may hold any characters."""

    lanes: range
    """Indices of its lanes; empty if nothing ran."""


class Bar(NamedTuple):
    """One execution."""

    start: float
    end: float


@frozen(slots=False, eq=False)
class Timeline:
    """Executions ordered by lane and start. Executions of one lane do not overlap."""

    groups: tuple[Group, ...]
    rows: npt.NDArray[np.int64]
    """int64[n]: row of each execution in the input."""

    lanes: npt.NDArray[np.int64]
    """int64[n]: lanes, ascending."""

    starts: npt.NDArray[np.float64]
    """float64[n]: nanoseconds since the first start."""

    ends: npt.NDArray[np.float64]
    """float64[n]: nanoseconds; the start if no duration was measured."""

    labels: tuple[str, ...]
    """Names; may hold any characters."""

    levels: npt.NDArray[np.int16]
    """int16[n]: levels of the colour map, from 1 on."""

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def bounds(self) -> npt.NDArray[np.int64]:
        """int64[lanes + 1]: lane i holds the executions from `bounds[i]` up to `bounds[i + 1]`."""
        return np.searchsorted(self.lanes, np.arange(sum(len(group.lanes) for group in self.groups) + 1))

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """Lines of the complete drawing: the index of a lane, or `~i` for the title of group i."""
        return tuple(line for index, group in enumerate(self.groups) for line in (~index, *group.lanes))

    @property
    def end(self) -> float:
        """Nanoseconds from the first start to the last end; at least 1, so that a range is never empty."""
        return max(float(self.ends.max(initial=0.0)), 1.0)

    def get_lane(self, index: int) -> slice:
        """Return the executions of a lane."""
        return slice(int(self.bounds[index]), int(self.bounds[index + 1]))

    def bar(self, execution: int) -> Bar:
        """Return start and end of an execution."""
        return Bar(float(self.starts[execution]), float(self.ends[execution]))

    def find_nearest(self, lane: int, time: float) -> int:
        """Return the execution of a lane that runs at a time, or the nearest one; no lane is empty."""
        executions = self.get_lane(lane)
        starts, ends = self.starts[executions], self.ends[executions]
        after = int(np.searchsorted(starts, time, side="right"))
        before = max(after - 1, 0)
        after = min(after, len(starts) - 1)
        index: int = before if time - ends[before] <= starts[after] - time else after
        return int(executions.start) + index


def build_timeline(
    titles: Sequence[str],
    groups: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    durations: npt.NDArray[np.int64],
    labels: Sequence[str],
    levels: npt.NDArray[np.int16],
) -> Timeline:
    """Assign executions to lanes.

    Args:
        titles: Titles of g groups; groups without executions are shown too.
        groups: int64[n], 0 to g - 1: group of each execution.
        starts: int64[n]: nanoseconds from any epoch.
        durations: int64[n]: nanoseconds, at least 0.
        labels: Names of n executions.
        levels: int16[n]: levels of the colour map, from 1 on.
    """
    # Subtract as integers: float64 cannot represent nanoseconds since 1970 exactly.
    relative_starts = (starts - starts.min(initial=np.iinfo(np.int64).max)).astype(np.float64)
    ends = relative_starts + durations
    lanes = np.zeros(len(starts), np.int64)
    lane_groups: list[Group] = []
    first = 0
    for index, title in enumerate(titles):
        rows = np.flatnonzero(groups == index)
        depths = _assign_lanes(relative_starts[rows], ends[rows])
        lanes[rows] = first + depths
        count = int(depths.max(initial=-1)) + 1
        lane_groups.append(Group(title, range(first, first + count)))
        first += count
    order = np.lexsort((ends, relative_starts, lanes))
    return Timeline(
        tuple(lane_groups),
        order.astype(np.int64),
        lanes[order],
        relative_starts[order],
        ends[order],
        tuple(labels[row] for row in order.tolist()),
        levels[order],
    )


def sum_busy_time(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64]) -> float:
    """Return the total time in which anything ran."""
    if not len(starts):
        return 0.0
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    gaps = np.maximum(starts[1:] - ends[:-1], 0).sum()
    return float(ends[-1] - starts[0] - gaps)


def _assign_lanes(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the lane of each execution of a group: the first lane that is free when it starts."""
    depths = np.zeros(len(starts), np.int64)
    busy: list[tuple[float, int]] = []  # end and lane
    free: list[int] = []
    order = np.lexsort((ends, starts))
    for row, start, end in zip(order.tolist(), starts[order].tolist(), ends[order].tolist(), strict=True):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        depth = heapq.heappop(free) if free else len(busy)
        depths[row] = depth
        heapq.heappush(busy, (end, depth))
    return depths


NANOS_PER_SECOND = 1e9


MAX_LANE_ROWS = 3
"""Maximum rows of a lane."""


MIN_NAME_COLUMNS = 6
"""Minimum columns of a shortened name; fewer would be unreadable."""


_FULL, _GAPPED, _MARK = ord("█"), ord("▐"), ord("▏")


_EIGHTHS = np.array([ord(glyph) for glyph in "▁▂▃▄▅▆▇█"], np.uint32)


class VisibleRange(NamedTuple):
    """The visible part of a timeline."""

    start: float
    end: float
    """Nanoseconds since the first start; above `start`."""

    top: int = 0
    """Index into `Timeline.lines` of the first visible line."""


def count_visible_lines(height: int) -> int:
    """Return the number of rows for lanes and titles; the axis takes the rest."""
    return height - (height >= MIN_X_LABELS_HEIGHT)


def choose_height(timeline: Timeline) -> int:
    """Return the number of rows that show all lanes at maximum height, with titles and axis."""
    titles = len(timeline.groups)
    return titles + (len(timeline.lines) - titles) * MAX_LANE_ROWS + 1


def draw_timeline(
    timeline: Timeline, visible_range: VisibleRange, width: int, height: int, chosen: int | None = None
) -> Cells:
    """Draw the visible part into `width` × `height` cells, both at least 1.

    Args:
        timeline: The executions.
        visible_range: The visible part.
        width: Columns.
        height: Rows.
        chosen: The selected execution.
    """
    cells = Cells.blank(height, width)
    line_count = count_visible_lines(height)
    lane_rows, y = _count_lane_rows(timeline, line_count), 0
    for line in timeline.lines[visible_range.top :]:
        rows = slice(y, min(y + (lane_rows if line >= 0 else 1), line_count))
        if rows.start >= line_count:
            break
        if line < 0:
            write(cells, y, 0, fit(timeline.groups[~line].title, width), Ink.DIM)
        else:
            _draw_lane(cells.crop(rows, slice(0, width)), timeline, visible_range, timeline.get_lane(line), chosen)
        y = rows.stop
    if line_count < height:
        _draw_axis(cells, visible_range)
    return cells


def find_execution(
    timeline: Timeline, visible_range: VisibleRange, width: int, height: int, x: int, y: int
) -> int | None:
    """Return the execution at a cell, or the nearest one of its lane; None if there is no lane."""
    line_count = count_visible_lines(height)
    lane_rows = _count_lane_rows(timeline, line_count)
    rows = [
        line
        for line in timeline.lines[visible_range.top : visible_range.top + line_count]
        for _ in range(lane_rows if line >= 0 else 1)
    ]
    if not 0 <= y < min(line_count, len(rows)) or rows[y] < 0:
        return None
    return timeline.find_nearest(
        rows[y], visible_range.start + (x + 0.5) / width * (visible_range.end - visible_range.start)
    )


def _count_lane_rows(timeline: Timeline, line_count: int) -> int:
    """Return the rows of a lane: more than one if all lanes fit."""
    titles = len(timeline.groups)
    lanes = len(timeline.lines) - titles
    return max(1, min((line_count - titles) // max(lanes, 1), MAX_LANE_ROWS))


def _draw_lane(area: Cells, timeline: Timeline, visible_range: VisibleRange, lane: slice, chosen: int | None) -> None:
    visible = _select_visible(timeline, visible_range, lane)
    columns = area.width / (visible_range.end - visible_range.start)
    starts = (timeline.starts[visible] - visible_range.start) * columns
    ends = (timeline.ends[visible] - visible_range.start) * columns
    edges = np.rint(np.clip([starts, ends], 0, area.width)).astype(np.int64)
    is_wide = edges[1] > edges[0]
    shared_columns = np.clip((starts + ends) / 2, 0, area.width - 1).astype(np.int64)
    _draw_shared(area, shared_columns[~is_wide], (ends - starts)[~is_wide], timeline.levels[visible][~is_wide])
    for index in np.flatnonzero(is_wide).tolist():
        execution = visible.start + index
        bar = area.crop(slice(0, area.height), slice(int(edges[0, index]), int(edges[1, index])))
        has_start = bool(starts[index] >= 0)
        _draw_bar(bar, timeline.labels[execution], int(timeline.levels[execution]), has_start=has_start)
    if chosen is not None and visible.start <= chosen < visible.stop:
        index = chosen - visible.start
        column = int(shared_columns[index])
        first, end = edges[:, index].tolist() if is_wide[index] else (column, column + 1)
        inks = area.inks[:, first:end]
        inks[inks >= HEAT_FROM] = to_warm_inks(inks[inks >= HEAT_FROM])


def _select_visible(timeline: Timeline, visible_range: VisibleRange, lane: slice) -> slice:
    """Return the executions of a lane that are visible."""
    first = np.searchsorted(timeline.ends[lane], visible_range.start)
    end = np.searchsorted(timeline.starts[lane], visible_range.end, side="right")
    return slice(lane.start + int(first), lane.start + int(max(first, end)))


def _draw_shared(
    area: Cells, columns: npt.NDArray[np.int64], widths: npt.NDArray[np.float64], levels: npt.NDArray[np.int16]
) -> None:
    """Draw executions of less than a cell: fill each column from below by the share of its time that they take."""
    highest = np.zeros(area.width, np.int16)
    np.maximum.at(highest, columns, levels)
    eighths = np.ceil(np.bincount(columns, widths, minlength=area.width) * 8 * area.height)
    eighths = np.where(highest > 0, np.clip(eighths, 1, 8 * area.height), 0).astype(np.int64)
    for row, y in enumerate(range(area.height - 1, -1, -1)):
        filled = np.flatnonzero(eighths > 8 * row)
        area.glyphs[y, filled] = _EIGHTHS[np.minimum(eighths[filled] - 8 * row, 8) - 1]
        area.inks[y, filled] = to_heat_inks(highest[filled], 0)


def _draw_bar(bar: Cells, label: str, level: int, *, has_start: bool) -> None:
    """Draw a bar; a visible start takes half a cell, which separates it from the bar before."""
    bar.glyphs[:], bar.inks[:] = _FULL, to_heat_inks(level, level)
    if has_start:
        bar.glyphs[:, 0], bar.inks[:, 0] = _GAPPED, to_heat_inks(level, 0)
    name = _fit_name(label, bar.width - has_start)
    ink = int(to_heat_inks(0 if level > HEAT_LEVELS // 2 else HEAT_LEVELS - 1, level))
    write(bar, (bar.height - 1) // 2, int(has_start), name, ink)


def _fit_name(label: str, width: int) -> str:
    """Return as much of a name as fits: all of it, its last part, or both ends of that part."""
    if len(label) > MAX_END_CHARS or cell_width(safe(label)) > width:
        label = label.rpartition("/")[2] or label
    name = shorten(label, width)
    return name if width >= MIN_NAME_COLUMNS or ELLIPSIS not in name else ""


def _draw_axis(cells: Cells, visible_range: VisibleRange) -> None:
    axis = Axis(visible_range.start / NANOS_PER_SECOND, visible_range.end / NANOS_PER_SECOND, kind="duration")
    plot = PlotArea(0, 0, cells.width, cells.height, axis, Axis(0, 1))
    for tick, _, start in choose_x_labels(plot, cells.width):
        write(cells, cells.height - 1, start, tick.label, Ink.DIM)
