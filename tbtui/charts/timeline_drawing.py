"""Draws a part of a timeline: lanes of one to three rows, an axis of times below.

What takes up cells of its own is a bar with its name in it, as far as there is room. Shorter executions share cells:
how high a cell is filled tells which part of its time anything ran. What took long is far from the background.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.axis import Axis
from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, Cells, Ink, heat, warm
from tbtui.charts.chart_layout import X_LABELS_FROM_HEIGHT, PlotArea, x_labels
from tbtui.charts.text import ELLIPSIS, LONGEST, cell_width, fit, safe, shorten, write

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.timeline import Timeline

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
    return height - (height >= X_LABELS_FROM_HEIGHT)


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
    if len(label) > LONGEST or cell_width(safe(label)) > room:
        label = label.rpartition("/")[2] or label
    shown = shorten(label, room)
    return shown if room >= LEAST_PART or ELLIPSIS not in shown else ""


def _draw_axis(cells: Cells, sight: Sight) -> None:
    axis = Axis(sight.start / NANOS, sight.end / NANOS, kind="duration")
    plot = PlotArea(0, 0, cells.width, cells.height, axis, Axis(0, 1))
    for tick, _, start in x_labels(plot, cells.width):
        write(cells, cells.height - 1, start, tick.label, Ink.DIM)
