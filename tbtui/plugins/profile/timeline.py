"""The timeline of a capture: tracks with rows by depth, and which part of them is in sight.

A thread has a row for each depth of its calls, a stream a lane for each of the events that overlap. Folded tracks show
their outermost row alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.intervals import lanes, nest
from tbtui.maths.level_of_detail import DetailRow
from tbtui.plugins.profile.breakdown import is_collective
from tbtui.plugins.profile.overview import CLASS_INKS
from tbtui.plugins.profile.tables import launched_by
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
    shown = ~np.isin(trace.kinds, HIDDEN)
    depths = np.zeros(len(trace), np.int32)
    positions = np.full(len(trace), NOTHING, np.int64)
    found = []
    device_tracks = frozenset(trace.device_tracks)
    for number, track in enumerate(trace.tracks):
        part = trace.track(number)
        rows = part.start + np.flatnonzero(shown[part])
        if not len(rows):
            continue
        is_device = number in device_tracks
        starts, ends = trace.starts[rows], trace.ends[rows]
        depth = lanes(starts, ends) if is_device or track.thread.startswith("async ") else nest(starts, ends).depths
        depths[rows] = depth
        detail = []
        for level in range(min(int(depth.max()) + 1, MAX_ROWS)):
            own = rows[depth == level]
            positions[own] = np.arange(len(own))
            detail.append(DetailRow.of(trace.starts[own], trace.ends[own], own))
        deeper = int((depth >= MAX_ROWS).sum())
        group = track.process_name or track.process
        found.append(TrackRows(number, track.title, group, tuple(detail), deeper, is_device))
    found.sort(key=lambda each: (each.is_device, trace.tracks[each.track].sort, each.group, each.track))
    return TimelineIndex(tuple(found), _bands(analysis), _inks(analysis), trace.extent, depths, positions)


def _inks(analysis: Analysis) -> npt.NDArray[np.int16]:
    by_kind = np.array([CLASS_INKS[_KIND_CLASSES.get(kind, "host")] for kind in Kind], np.int16)
    inks = by_kind[analysis.trace.kinds]
    inks[is_collective(analysis.trace)] = CLASS_INKS["communication"]
    return inks


def _bands(analysis: Analysis) -> tuple[Band, ...]:
    allocations = analysis.trace.allocations
    found = []
    for number, name in enumerate(allocations.device_names):
        own = (allocations.devices == number) & np.isfinite(allocations.totals)
        if own.any():
            found.append(Band(f"{name} allocated", allocations.times[own], allocations.totals[own], "B"))
    found += [Band(counter.name, counter.times, counter.values) for counter in analysis.trace.counters]
    return tuple(found)


class RowPlace(NamedTuple):
    """A line of the timeline: a row of a track, or a band."""

    track: int
    """Index into `TimelineIndex.tracks`; of a band, `~` its index."""

    depth: int = 0


@frozen
class Sight:
    """Visible part and selection of a timeline."""

    start: float
    end: float
    """µs; above `start`."""

    top: int = 0
    """Index of the first visible line."""

    line: int = 0
    """Index of the line of the cursor."""

    event: int = NOTHING
    """Row of the chosen event in the trace."""

    opened: frozenset[int] = frozenset()
    """Tracks, by index into `TimelineIndex.tracks`, that show all their rows."""

    folded: frozenset[int] = frozenset()
    """Tracks that show one row."""

    rows: int = DEFAULT_ROWS
    """Rows of a track that is neither opened nor folded."""

    mark: float | None = None
    """Begin of a span, µs; its end is the chosen event."""

    @property
    def width(self) -> float:
        """µs."""
        return self.end - self.start


def lines_of(index: TimelineIndex, sight: Sight) -> list[RowPlace]:
    """Return all lines, also those that are not in sight."""
    found = []
    for number, track in enumerate(index.tracks):
        count = len(track.rows)
        if number in sight.folded:
            count = 1
        elif number not in sight.opened:
            count = min(count, sight.rows)
        found += [RowPlace(number, depth) for depth in range(count)]
    return [*found, *(RowPlace(~number) for number in range(len(index.bands)))]


def fitted_rows(index: TimelineIndex, sight: Sight, height: int) -> int:
    """Return the rows of a track with which all tracks fit into a number of lines; at least 1."""
    for rows in range(2, MAX_ROWS):
        if len(lines_of(index, replace(sight, rows=rows))) > height:
            return rows - 1
        if all(len(track.rows) <= rows for track in index.tracks):
            return rows
    return MAX_ROWS


def whole_sight(index: TimelineIndex) -> Sight:
    """Return the sight of everything."""
    start, end = index.extent
    margin = (end - start) * 0.005
    return Sight(start - margin, end + margin)


def row_of(index: TimelineIndex, place: RowPlace) -> DetailRow | None:
    """Return the events of a line; None for a band."""
    return None if place.track < 0 else index.tracks[place.track].rows[place.depth]


def zoomed(index: TimelineIndex, sight: Sight, factor: float, at: float | None = None) -> Sight:
    """Return the sight with `factor` times its range, around a time or around the chosen event or the middle."""
    if at is None:
        at = sight.start + sight.width / 2
        if sight.event >= 0:
            at = _middle_of(index, sight) or at
    width = min(max(sight.width * factor, MIN_RANGE), (index.extent[1] - index.extent[0]) * 1.01)
    share = (at - sight.start) / sight.width
    start = at - share * width if 0 <= share <= 1 else at - width / 2
    return _within(index, replace(sight, start=start, end=start + width))


def _middle_of(index: TimelineIndex, sight: Sight) -> float | None:
    place = place_of(index, sight.event)
    if place is None:
        return None
    row = index.tracks[place.track].rows[place.depth]
    position = int(index.positions[sight.event])
    start, end = float(row.starts[position]), float(row.ends[position])
    if end < sight.start or start > sight.end:
        return None
    return (max(start, sight.start) + min(end, sight.end)) / 2


def panned(index: TimelineIndex, sight: Sight, share: float) -> Sight:
    """Return the sight moved by a share of its range."""
    step = sight.width * share
    return _within(index, replace(sight, start=sight.start + step, end=sight.end + step))


def ranged(index: TimelineIndex, sight: Sight, start: float, end: float) -> Sight:
    """Return the sight of a range of time, with a small margin."""
    margin = max(end - start, MIN_RANGE) * 0.02
    return _within(index, replace(sight, start=start - margin, end=end + margin))


def _within(index: TimelineIndex, sight: Sight) -> Sight:
    """Return the sight moved so that it shows some of the capture."""
    low, high = index.extent
    margin = (high - low) * 0.005
    width = sight.width
    start = min(max(sight.start, low - margin), max(high + margin - width, low - margin))
    return replace(sight, start=start, end=start + width)


def place_of(index: TimelineIndex, event: int) -> RowPlace | None:
    """Return the line of an event; None if it is hidden."""
    if event < 0 or index.positions[event] < 0:
        return None
    depth = int(index.depths[event])
    for number, track in enumerate(index.tracks):
        if depth < len(track.rows):
            position = int(index.positions[event])
            row = track.rows[depth]
            if position < len(row) and int(row.rows[position]) == event:
                return RowPlace(number, depth)
    return None


def chosen(index: TimelineIndex, sight: Sight, event: int, height: int) -> Sight:
    """Return the sight with an event chosen, and moved so that it is visible.

    Args:
        index: The timeline.
        sight: The sight before.
        event: Row of the event.
        height: Number of visible lines.
    """
    place = place_of(index, event)
    if place is None:
        return sight
    row = index.tracks[place.track].rows[place.depth]
    position = int(index.positions[event])
    start, end = float(row.starts[position]), float(row.ends[position])
    opened, folded = sight.opened, sight.folded
    if place not in lines_of(index, sight):
        opened, folded = opened | {place.track}, folded - {place.track}
    moved = replace(sight, event=event, opened=opened, folded=folded)
    line = lines_of(index, moved).index(place)
    moved = replace(moved, line=line, top=visible_top(moved.top, line, height))
    if (
        end < sight.start
        or start > sight.end
        or (end - start < sight.width and (start < sight.start or end > sight.end))
    ):
        middle = (start + end) / 2
        width = max(sight.width, (end - start) * 1.1)
        moved = _within(index, replace(moved, start=middle - width / 2, end=middle + width / 2))
    return moved


def visible_top(top: int, line: int, height: int) -> int:
    """Return the first visible line such that a line is visible."""
    return max(min(top, line), line - max(height - 1, 0), 0)


def moved_line(index: TimelineIndex, sight: Sight, lines: int, height: int) -> Sight:
    """Return the sight with the cursor on another line, on the event there that is nearest to the chosen one."""
    places = lines_of(index, sight)
    if not places:
        return sight
    line = min(max(sight.line + lines, 0), len(places) - 1)
    row = row_of(index, places[line])
    event = NOTHING
    if row is not None and len(row):
        at = _middle_of(index, sight)
        event = int(row.rows[row.at(sight.start + sight.width / 2 if at is None else at)])
    return replace(sight, line=line, event=event, top=visible_top(sight.top, line, height))


def next_event(index: TimelineIndex, sight: Sight, count: int, height: int) -> Sight:
    """Return the sight with another event of the line chosen; first the one in the middle."""
    places = lines_of(index, sight)
    if not places or sight.line >= len(places):
        return sight
    row = row_of(index, places[sight.line])
    if row is None or not len(row):
        return sight
    if sight.event < 0 or place_of(index, sight.event) != places[sight.line]:
        position = row.at(sight.start + sight.width / 2)
    else:
        position = min(max(int(index.positions[sight.event]) + count, 0), len(row) - 1)
    return chosen(index, sight, int(row.rows[position]), height)


def next_match(
    index: TimelineIndex, analysis: Analysis, sight: Sight, matches: npt.NDArray[np.bool_], count: int, height: int
) -> Sight:
    """Return the sight with the next event chosen whose name matches, in order of time.

    Args:
        index: The timeline.
        analysis: Its capture.
        sight: The sight before.
        matches: bool[names].
        count: 1 for the next, -1 for the one before.
        height: Number of visible lines.
    """
    trace = analysis.trace
    rows = np.flatnonzero(trace.named(matches) & (index.positions >= 0)) if len(matches) else np.zeros(0, np.int64)
    if not len(rows):
        return sight
    rows = rows[np.argsort(trace.starts[rows], kind="stable")]
    if sight.event in rows:
        position = (int(np.flatnonzero(rows == sight.event)[0]) + count) % len(rows)
    else:
        at = _middle_of(index, sight)
        at = sight.start if at is None else at
        position = int(np.searchsorted(trace.starts[rows], at)) % len(rows)
        position = position if count > 0 else (position - 1) % len(rows)
    return chosen(index, sight, int(rows[position]), height)


def partner_of(analysis: Analysis, event: int) -> int:
    """Return the launch of a kernel, or the first kernel that was launched within a call; `NOTHING` without any."""
    calls, trace = analysis.calls, analysis.trace
    if event < 0:
        return NOTHING
    if trace.kinds[event] in DEVICE_KINDS:
        return launched_by(calls, event)[0]
    # The calls within an event follow it in the order of rows: a frame has no time to look at all launches.
    part = trace.track(int(trace.track_ids[event]))
    behind = part.start + int(np.searchsorted(trace.starts[part], trace.ends[event], "left"))
    launches = calls.launches_in_order[0]
    first, last = np.searchsorted(launches, (event, max(behind, event + 1))).tolist()
    return int(calls.launches_in_order[1][first]) if first < last else NOTHING


def span_sums(analysis: Analysis, start: float, end: float) -> list[tuple[str, float, int]]:
    """Return name, time in µs and number of the events within a span, those with most time of their own first."""
    trace = analysis.trace
    inside = (trace.starts < end) & (trace.ends > start) & ~np.isin(trace.kinds, HIDDEN)
    rows = np.flatnonzero(inside)
    is_call = analysis.calls.own[rows] > 0
    device = np.isin(trace.kinds[rows], DEVICE_KINDS)
    rows, is_call = rows[is_call | device], is_call[is_call | device]
    within = np.minimum(trace.ends[rows], end) - np.maximum(trace.starts[rows], start)
    times = np.where(is_call, np.minimum(analysis.calls.own[rows], within), within)
    sums = np.bincount(trace.name_ids[rows], times, minlength=len(trace.names))
    counts = np.bincount(trace.name_ids[rows], minlength=len(trace.names))
    order = np.argsort(-sums, kind="stable")
    return [(trace.names[name], float(sums[name]), int(counts[name])) for name in order.tolist() if counts[name]]
