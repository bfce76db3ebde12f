"""The timeline of a capture: tracks with rows by depth, and their visible part.

A thread has a row for each depth of its calls, a stream a lane for each of the events that overlap. Folded tracks show
their outermost row alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.intervals import assign_lanes, nest
from tbtui.maths.level_of_detail import DetailRow
from tbtui.plugins.profile.breakdown import is_collective
from tbtui.plugins.profile.overview import CLASS_INKS
from tbtui.plugins.profile.tables import find_launch_and_owner
from tbtui.plugins.profile.trace import DEVICE_KINDS, NOTHING, Kind

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.profile.capture import Analysis

MAX_ROWS = 64
"""Rows of one track; deeper events are counted, not drawn."""

MIN_RANGE = 0.01
"""µs: the shortest range that is shown."""

HIDDEN = (Kind.DEVICE_ANNOTATION, Kind.SPAN)
"""Kinds that repeat others, or cover everything."""

DEFAULT_ROWS = 4
"""Rows of a track until the height of the screen is known."""


_KIND_CLASSES = {
    Kind.OPERATOR: "operators",
    Kind.RUNTIME: "launch",
    Kind.KERNEL: "compute",
    Kind.COPY: "copies",
    Kind.SET: "fills",
    Kind.SYNC: "fills",
    Kind.RANGE: "compute",
    Kind.INPUT: "input",
    Kind.COLLECTIVE: "communication",
}
"""Classes of time by kind; all others are other work of the host."""


@frozen(eq=False)
class TrackRows:
    """The rows of one track."""

    track: int
    title: str
    group: str
    """Process or device."""

    rows: tuple[DetailRow, ...]
    deeper: int
    """Events below the last row."""

    is_device: bool


@frozen(eq=False)
class Band:
    """A number over time, such as allocated memory."""

    title: str
    times: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    unit: str = ""


@frozen(eq=False)
class TimelineIndex:
    """Everything of a capture that the timeline draws. Built once, on any thread."""

    tracks: tuple[TrackRows, ...]
    bands: tuple[Band, ...]
    inks: npt.NDArray[np.int16]
    """int16[n]: series ink of each event: that of its class of time."""

    extent: tuple[float, float]
    depths: npt.NDArray[np.int32]
    """int32[n]: row of each event within its track."""

    positions: npt.NDArray[np.int64]
    """int64[n]: position of each event within its row; -1 if it is hidden."""


def build_timeline(analysis: Analysis) -> TimelineIndex:
    """Arrange the events of a capture in rows."""
    trace = analysis.trace
    is_shown = ~np.isin(trace.kinds, HIDDEN)
    depths = np.zeros(len(trace), np.int32)
    positions = np.full(len(trace), NOTHING, np.int64)
    tracks = []
    device_tracks = frozenset(trace.device_tracks)
    for number, track in enumerate(trace.tracks):
        part = trace.track(number)
        rows = part.start + np.flatnonzero(is_shown[part])
        if not len(rows):
            continue
        is_device = number in device_tracks
        starts, ends = trace.starts[rows], trace.ends[rows]
        depth = (
            assign_lanes(starts, ends) if is_device or track.thread.startswith("async ") else nest(starts, ends).depths
        )
        depths[rows] = depth
        detail_rows = []
        for level in range(min(int(depth.max()) + 1, MAX_ROWS)):
            events = rows[depth == level]
            positions[events] = np.arange(len(events))
            detail_rows.append(DetailRow.build(trace.starts[events], trace.ends[events], events))
        deeper = int((depth >= MAX_ROWS).sum())
        group = track.process_name or track.process
        tracks.append(TrackRows(number, track.title, group, tuple(detail_rows), deeper, is_device))
    tracks.sort(key=lambda rows: (rows.is_device, trace.tracks[rows.track].sort, rows.group, rows.track))
    return TimelineIndex(tuple(tracks), _build_bands(analysis), _choose_inks(analysis), trace.extent, depths, positions)


def _choose_inks(analysis: Analysis) -> npt.NDArray[np.int16]:
    by_kind = np.array([CLASS_INKS[_KIND_CLASSES.get(kind, "host")] for kind in Kind], np.int16)
    inks = by_kind[analysis.trace.kinds]
    inks[is_collective(analysis.trace)] = CLASS_INKS["communication"]
    return inks


def _build_bands(analysis: Analysis) -> tuple[Band, ...]:
    allocations = analysis.trace.allocations
    bands = []
    for number, name in enumerate(allocations.device_names):
        is_on_device = (allocations.devices == number) & np.isfinite(allocations.totals)
        if is_on_device.any():
            times, totals = allocations.times[is_on_device], allocations.totals[is_on_device]
            bands.append(Band(f"{name} allocated", times, totals, "B"))
    bands += [Band(counter.name, counter.times, counter.values) for counter in analysis.trace.counters]
    return tuple(bands)


class TimelineLine(NamedTuple):
    """A line of the timeline: a row of a track, or a band."""

    track: int
    """Index into `TimelineIndex.tracks`; of a band, `~` its index."""

    depth: int = 0


@frozen
class VisibleRange:
    """The range of time and the lines of a timeline that are visible, its cursor and its selected event."""

    start: float
    end: float
    """µs; above `start`."""

    top: int = 0
    """Index of the first visible line."""

    cursor_line: int = 0
    """Index of the line of the cursor."""

    event: int = NOTHING
    """Row of the selected event in the trace."""

    opened: frozenset[int] = frozenset()
    """Tracks, by index into `TimelineIndex.tracks`, that show all their rows."""

    folded: frozenset[int] = frozenset()
    """Tracks that show one row."""

    rows: int = DEFAULT_ROWS
    """Rows of a track that is neither opened nor folded."""

    mark: float | None = None
    """Start of a span, µs; its end is the selected event."""

    @property
    def width(self) -> float:
        """µs."""
        return self.end - self.start


def list_lines(index: TimelineIndex, visible_range: VisibleRange) -> list[TimelineLine]:
    """Return all lines, also those that are hidden."""
    lines = []
    for number, track in enumerate(index.tracks):
        count = len(track.rows)
        if number in visible_range.folded:
            count = 1
        elif number not in visible_range.opened:
            count = min(count, visible_range.rows)
        lines += [TimelineLine(number, depth) for depth in range(count)]
    return [*lines, *(TimelineLine(~number) for number in range(len(index.bands)))]


def choose_rows_per_track(index: TimelineIndex, visible_range: VisibleRange, height: int) -> int:
    """Return the maximum of rows of a track such that all tracks fit into a number of lines; at least 1."""
    for rows in range(2, MAX_ROWS):
        if len(list_lines(index, replace(visible_range, rows=rows))) > height:
            return rows - 1
        if all(len(track.rows) <= rows for track in index.tracks):
            return rows
    return MAX_ROWS


def show_all(index: TimelineIndex) -> VisibleRange:
    """Return a range that shows everything."""
    start, end = index.extent
    margin = (end - start) * 0.005
    return VisibleRange(start - margin, end + margin)


def select_events(index: TimelineIndex, line: TimelineLine) -> DetailRow | None:
    """Return the events of a line; None for a band."""
    return None if line.track < 0 else index.tracks[line.track].rows[line.depth]


def zoom(
    index: TimelineIndex, visible_range: VisibleRange, magnification: float, anchor: float | None = None
) -> VisibleRange:
    """Return the visible range magnified around a time.

    Args:
        index: The timeline.
        visible_range: The visible range before.
        magnification: Above 1: a shorter range is visible.
        anchor: Time that stays where it is on the screen; None: that of the selected event, or the middle.
    """
    if anchor is None:
        anchor = visible_range.start + visible_range.width / 2
        if visible_range.event >= 0:
            anchor = _find_middle(index, visible_range) or anchor
    width = min(max(visible_range.width / magnification, MIN_RANGE), (index.extent[1] - index.extent[0]) * 1.01)
    share = (anchor - visible_range.start) / visible_range.width
    start = anchor - share * width if 0 <= share <= 1 else anchor - width / 2
    return _clamp_range(index, replace(visible_range, start=start, end=start + width))


def _find_middle(index: TimelineIndex, visible_range: VisibleRange) -> float | None:
    """Return the middle of the visible part of the selected event, µs; None if no part is visible."""
    line = find_line(index, visible_range.event)
    if line is None:
        return None
    row = index.tracks[line.track].rows[line.depth]
    position = int(index.positions[visible_range.event])
    start, end = float(row.starts[position]), float(row.ends[position])
    if end < visible_range.start or start > visible_range.end:
        return None
    return (max(start, visible_range.start) + min(end, visible_range.end)) / 2


def pan(index: TimelineIndex, visible_range: VisibleRange, share: float) -> VisibleRange:
    """Return the visible range moved by a share of its range."""
    step = visible_range.width * share
    return _clamp_range(index, replace(visible_range, start=visible_range.start + step, end=visible_range.end + step))


def with_range(index: TimelineIndex, visible_range: VisibleRange, start: float, end: float) -> VisibleRange:
    """Return the visible range that shows a range of time, with a small margin."""
    margin = max(end - start, MIN_RANGE) * 0.02
    return _clamp_range(index, replace(visible_range, start=start - margin, end=end + margin))


def _clamp_range(index: TimelineIndex, visible_range: VisibleRange) -> VisibleRange:
    """Return the visible range moved so that it shows some of the capture."""
    low, high = index.extent
    margin = (high - low) * 0.005
    width = visible_range.width
    start = min(max(visible_range.start, low - margin), max(high + margin - width, low - margin))
    return replace(visible_range, start=start, end=start + width)


def find_line(index: TimelineIndex, event: int) -> TimelineLine | None:
    """Return the line of an event; None if it is hidden."""
    if event < 0 or index.positions[event] < 0:
        return None
    depth = int(index.depths[event])
    for number, track in enumerate(index.tracks):
        if depth < len(track.rows):
            position = int(index.positions[event])
            row = track.rows[depth]
            if position < len(row) and int(row.rows[position]) == event:
                return TimelineLine(number, depth)
    return None


def select_event(index: TimelineIndex, visible_range: VisibleRange, event: int, height: int) -> VisibleRange:
    """Return the visible range with an event selected, and moved so that the event is visible.

    Args:
        index: The timeline.
        visible_range: The visible range before.
        event: Row of the event.
        height: Number of visible lines.
    """
    line = find_line(index, event)
    if line is None:
        return visible_range
    row = index.tracks[line.track].rows[line.depth]
    position = int(index.positions[event])
    start, end = float(row.starts[position]), float(row.ends[position])
    opened, folded = visible_range.opened, visible_range.folded
    if line not in list_lines(index, visible_range):
        opened, folded = opened | {line.track}, folded - {line.track}
    moved = replace(visible_range, event=event, opened=opened, folded=folded)
    cursor_line = list_lines(index, moved).index(line)
    moved = replace(moved, cursor_line=cursor_line, top=scroll_to_line(moved.top, cursor_line, height))
    if (
        end < visible_range.start
        or start > visible_range.end
        or (end - start < visible_range.width and (start < visible_range.start or end > visible_range.end))
    ):
        middle = (start + end) / 2
        width = max(visible_range.width, (end - start) * 1.1)
        moved = _clamp_range(index, replace(moved, start=middle - width / 2, end=middle + width / 2))
    return moved


def scroll_to_line(top: int, line: int, height: int) -> int:
    """Return the first visible line such that a line is visible."""
    return max(min(top, line), line - max(height - 1, 0), 0)


def move_cursor(index: TimelineIndex, visible_range: VisibleRange, line_count: int, height: int) -> VisibleRange:
    """Return the visible range with the cursor some lines below, on the event that is nearest to the selected one."""
    lines = list_lines(index, visible_range)
    if not lines:
        return visible_range
    cursor_line = min(max(visible_range.cursor_line + line_count, 0), len(lines) - 1)
    row = select_events(index, lines[cursor_line])
    event = NOTHING
    if row is not None and len(row):
        time = _find_middle(index, visible_range)
        event = int(row.rows[row.at(visible_range.start + visible_range.width / 2 if time is None else time)])
    top = scroll_to_line(visible_range.top, cursor_line, height)
    return replace(visible_range, cursor_line=cursor_line, event=event, top=top)


def go_to_event(index: TimelineIndex, visible_range: VisibleRange, count: int, height: int) -> VisibleRange:
    """Return the visible range with another event of the line selected; first the one in the middle."""
    lines = list_lines(index, visible_range)
    if not lines or visible_range.cursor_line >= len(lines):
        return visible_range
    row = select_events(index, lines[visible_range.cursor_line])
    if row is None or not len(row):
        return visible_range
    if visible_range.event < 0 or find_line(index, visible_range.event) != lines[visible_range.cursor_line]:
        position = row.at(visible_range.start + visible_range.width / 2)
    else:
        position = min(max(int(index.positions[visible_range.event]) + count, 0), len(row) - 1)
    return select_event(index, visible_range, int(row.rows[position]), height)


def go_to_match(
    index: TimelineIndex,
    analysis: Analysis,
    visible_range: VisibleRange,
    matches: npt.NDArray[np.bool_],
    count: int,
    height: int,
) -> VisibleRange:
    """Return the visible range with the next event selected whose name matches, in order of time.

    Args:
        index: The timeline.
        analysis: Its capture.
        visible_range: The visible range before.
        matches: bool[names].
        count: 1 for the next, -1 for the one before.
        height: Number of visible lines.
    """
    trace = analysis.trace
    rows = (
        np.flatnonzero(trace.match_names(matches) & (index.positions >= 0)) if len(matches) else np.zeros(0, np.int64)
    )
    if not len(rows):
        return visible_range
    rows = rows[np.argsort(trace.starts[rows], kind="stable")]
    if visible_range.event in rows:
        position = (int(np.flatnonzero(rows == visible_range.event)[0]) + count) % len(rows)
    else:
        time = _find_middle(index, visible_range)
        time = visible_range.start if time is None else time
        position = int(np.searchsorted(trace.starts[rows], time)) % len(rows)
        position = position if count > 0 else (position - 1) % len(rows)
    return select_event(index, visible_range, int(rows[position]), height)


def find_partner(analysis: Analysis, event: int) -> int:
    """Return the launch of a kernel, or the first kernel that was launched within a call; `NOTHING` without any."""
    calls, trace = analysis.calls, analysis.trace
    if event < 0:
        return NOTHING
    if trace.kinds[event] in DEVICE_KINDS:
        return find_launch_and_owner(calls, event)[0]
    # The calls within an event follow it in the order of rows: a frame leaves no time to search all launches.
    part = trace.track(int(trace.track_ids[event]))
    row_after = part.start + int(np.searchsorted(trace.starts[part], trace.ends[event], "left"))
    ordered = calls.launches_in_order
    first, last = np.searchsorted(ordered.launches, (event, max(row_after, event + 1))).tolist()
    return int(ordered.device_rows[first]) if first < last else NOTHING


class NameSum(NamedTuple):
    """Events of one name within a span of time."""

    name: str
    time: float
    """µs of the events themselves, without the calls inside."""

    calls: int


def sum_span(analysis: Analysis, start: float, end: float) -> list[NameSum]:
    """Return the sums of the events within a span by name, those with most time first."""
    trace = analysis.trace
    inside = (trace.starts < end) & (trace.ends > start) & ~np.isin(trace.kinds, HIDDEN)
    rows = np.flatnonzero(inside)
    is_call = analysis.calls.self_times[rows] > 0
    is_counted = is_call | np.isin(trace.kinds[rows], DEVICE_KINDS)
    rows, is_call = rows[is_counted], is_call[is_counted]
    within = np.minimum(trace.ends[rows], end) - np.maximum(trace.starts[rows], start)
    times = np.where(is_call, np.minimum(analysis.calls.self_times[rows], within), within)
    sums = np.bincount(trace.name_ids[rows], times, minlength=len(trace.names))
    counts = np.bincount(trace.name_ids[rows], minlength=len(trace.names))
    order = np.argsort(-sums, kind="stable")
    return [NameSum(trace.names[name], float(sums[name]), int(counts[name])) for name in order.tolist() if counts[name]]
