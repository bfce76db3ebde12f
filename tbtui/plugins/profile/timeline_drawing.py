"""Draw a timeline: events that are wide enough as named bars, all others as columns of their busy share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.axis import Axis
from tbtui.charts.cells import SHADES, Cells, Ink, to_shade_inks
from tbtui.charts.chart_layout import PlotArea, choose_x_labels
from tbtui.charts.numbers import format_brief, format_size
from tbtui.charts.text import cell_width, fit, safe, shorten, write
from tbtui.plugins.profile.overview import CLASS_INKS
from tbtui.plugins.profile.tables import shorten_kernel_name
from tbtui.plugins.profile.timeline import find_line, find_partner, list_lines, select_events
from tbtui.plugins.profile.trace import DEVICE_KINDS

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.timeline import Band, TimelineIndex, TimelineLine, VisibleRange

MIN_BAR = 3
"""Columns from which an event is a bar with a name."""

MAX_LABEL = 18
"""Columns of the titles of tracks."""

HEAD, FOOT = 1, 1
"""Rows of the steps above, and of the axis below."""

_BAR_SHADE, _EDGE_SHADE = SHADES - 3, SHADES - 2
_EIGHTHS = np.array([ord(glyph) for glyph in " ▁▂▃▄▅▆▇█"], np.uint32)


class DrawnTimeline(NamedTuple):
    """The cells of a timeline, and the positions of its parts."""

    cells: Cells
    left: int
    """First column of the time."""

    lines: tuple[TimelineLine, ...]
    """Visible lines, from the row `HEAD` on."""


def count_visible_lines(height: int) -> int:
    """Return the number of lines in a widget of a height."""
    return max(height - HEAD - FOOT, 1)


def label_width(width: int) -> int:
    """Return the columns of the titles of tracks."""
    return min(MAX_LABEL, max(width // 5, 6))


def get_event_name(analysis: Analysis, row: int) -> str:
    """Return the short name of an event."""
    name = analysis.trace.name(row)
    return shorten_kernel_name(name) if analysis.trace.kinds[row] in DEVICE_KINDS else name.removeprefix("nn.Module: ")


def draw_timeline(
    analysis: Analysis,
    index: TimelineIndex,
    visible_range: VisibleRange,
    width: int,
    height: int,
    *,
    matches: npt.NDArray[np.bool_] | None = None,
    focused: bool = True,
) -> DrawnTimeline:
    """Draw the visible part.

    Args:
        analysis: The capture.
        index: Its timeline.
        visible_range: The visible part.
        width: Columns.
        height: Rows.
        matches: bool[names]: names that the search matches, whose events are drawn in another colour.
        focused: The cursor is drawn.
    """
    cells = Cells.blank(height, width)
    left = label_width(width) + 1
    columns = max(width - left, 1)
    edges = np.linspace(visible_range.start, visible_range.end, columns + 1)
    lines = list_lines(index, visible_range)
    visible = lines[visible_range.top : visible_range.top + count_visible_lines(height)]
    _draw_steps(cells, analysis, visible_range, left, columns)
    previous_track = None
    for y, line in enumerate(visible, HEAD):
        is_cursor = focused and visible_range.top + y - HEAD == visible_range.cursor_line
        if line.track >= 0:
            track = index.tracks[line.track]
            if line.depth == 0 or previous_track != line.track:
                sign = _fold_sign(index, visible_range, line.track)
                ink = Ink.BOLD if is_cursor else Ink.TEXT if track.is_device else Ink.DIM
                write(cells, y, 0, fit(sign + shorten(track.title, left - 1 - len(sign)), left - 1), ink)
            elif is_cursor:
                write(cells, y, 0, "▸", Ink.BOLD)
            _draw_row(
                cells.crop(slice(y, y + 1), slice(left, width)), analysis, index, visible_range, line, edges, matches
            )
        else:
            band = index.bands[~line.track]
            write(cells, y, 0, fit(shorten(band.title, left - 1), left - 1), Ink.BOLD if is_cursor else Ink.DIM)
            _draw_band(cells.crop(slice(y, y + 1), slice(left, width)), band, edges)
        previous_track = line.track
    if len(lines) > visible_range.top + len(visible):
        text = f" {len(lines) - visible_range.top - len(visible):,} more below "
        write(cells, height - 1, 0, fit(text, left - 1), Ink.FAINT)
    _draw_cursor(cells, analysis, index, visible_range, visible, left, columns, focused=focused)
    axis = Axis(visible_range.start / 1e6, visible_range.end / 1e6, kind="duration")
    for tick, _, start in choose_x_labels(PlotArea(left, 0, columns, height, axis, Axis(0, 1)), width):
        if start >= left - 2:
            write(cells, height - 1, start, tick.label, Ink.DIM)
    return DrawnTimeline(cells, left, tuple(visible))


def _fold_sign(index: TimelineIndex, visible_range: VisibleRange, track: int) -> str:
    if len(index.tracks[track].rows) < 2:
        return "  "
    is_folded = track in visible_range.folded
    hides = track not in visible_range.opened and len(index.tracks[track].rows) > visible_range.rows
    return "▸ " if is_folded else "▹ " if hides else "▾ "


def _draw_steps(cells: Cells, analysis: Analysis, visible_range: VisibleRange, left: int, columns: int) -> None:
    if analysis.steps.source == "whole":
        return
    end = -1
    for step in analysis.steps.steps:
        column = round((step.start - visible_range.start) / visible_range.width * columns)
        if step.end < visible_range.start or step.start > visible_range.end:
            continue
        text = f"│step {step.number}" if column >= 0 else f" step {step.number}"
        column = max(column, 0)
        if column > end:
            text = fit(text, columns - column)
            write(cells, 0, left + column, text, Ink.DIM)
            end = column + cell_width(text)


def _draw_row(
    area: Cells,
    analysis: Analysis,
    index: TimelineIndex,
    visible_range: VisibleRange,
    line: TimelineLine,
    edges: npt.NDArray[np.float64],
    matches: npt.NDArray[np.bool_] | None,
) -> None:
    row = select_events(index, line)
    if row is None or not len(row):
        return
    shares, tops = row.columns(edges)
    scale = area.width / visible_range.width
    is_drawn = np.zeros(area.width, np.bool_)
    positions = np.unique(tops[tops >= 0])
    firsts = (row.starts[positions] - visible_range.start) * scale
    lasts = (row.ends[positions] - visible_range.start) * scale
    begins = np.maximum(np.rint(firsts), 0).astype(np.int64)
    ends = np.minimum(np.rint(lasts), area.width).astype(np.int64)
    for bar in np.flatnonzero(ends - begins >= MIN_BAR).tolist():
        begin, end, event = int(begins[bar]), int(ends[bar]), int(row.rows[positions[bar]])
        has_start = bool(firsts[bar] >= -0.5)
        _draw_bar(area, analysis, index, event, begin, end, has_start=has_start, matches=matches)
        is_drawn[begin:end] = True
    rest = np.flatnonzero((tops >= 0) & ~is_drawn)
    if len(rest):
        levels = np.clip(np.ceil(shares[rest] * 8), 1, 8).astype(np.int64)
        area.glyphs[0, rest] = _EIGHTHS[levels]
        events = row.rows[tops[rest]]
        area.inks[0, rest] = index.inks[events]
        if matches is not None:
            area.inks[0, rest[matches[analysis.trace.name_ids[events]]]] = Ink.ACCENT


def _match_names(analysis: Analysis, event: int, matches: npt.NDArray[np.bool_] | None) -> bool:
    return matches is not None and bool(matches[analysis.trace.name_ids[event]])


def _draw_bar(
    area: Cells,
    analysis: Analysis,
    index: TimelineIndex,
    event: int,
    begin: int,
    end: int,
    *,
    has_start: bool,
    matches: npt.NDArray[np.bool_] | None,
) -> None:
    ink = int(index.inks[event])
    area.glyphs[0, begin:end] = 32
    area.inks[0, begin:end] = to_shade_inks(ink, 0, _BAR_SHADE)
    if has_start:
        area.glyphs[0, begin] = ord("▌")
        area.inks[0, begin] = to_shade_inks(ink, _EDGE_SHADE + 1, _BAR_SHADE)
    width = end - begin - has_start
    name = shorten(get_event_name(analysis, event), width) if width >= 2 else ""
    if _match_names(analysis, event, matches):
        area.inks[0, begin:end] = int(Ink.ACCENT)
        area.glyphs[0, begin:end] = ord("█")
        write(area, 0, begin + has_start, fit(f" {name} ", width), Ink.ACCENT)
        return
    write(area, 0, begin + has_start, name, int(to_shade_inks(ink, 0, _BAR_SHADE)))


def _draw_band(area: Cells, band: Band, edges: npt.NDArray[np.float64]) -> None:
    """Draw the highest value of each column, from the minimum of all values on."""
    firsts = np.searchsorted(band.times, edges[:-1], "right") - 1
    lasts = np.searchsorted(band.times, edges[1:], "left")
    low, high = min(float(band.values.min()), 0.0), float(band.values.max())
    span = high - low
    for column, (first, last) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
        if last > max(first, 0) or first >= 0:
            value = float(band.values[max(first, 0) : max(last, max(first, 0) + 1)].max())
            level = max(int(np.ceil(8 * (value - low) / span)), 1) if span > 0 else 1
            area.glyphs[0, column], area.inks[0, column] = _EIGHTHS[level], CLASS_INKS["copies"]
    text = f" {format_size(high) if band.unit == 'B' else format_brief(high)}"
    if area.width > 4 * len(text):
        write(area, 0, area.width - len(text), text, Ink.TEXT)


def _draw_flow(
    cells: Cells,
    analysis: Analysis,
    index: TimelineIndex,
    visible_range: VisibleRange,
    visible: list[TimelineLine],
    left: int,
    columns: int,
    partner: int,
) -> None:
    """Draw a line from a launch to its kernel, down from the launch and then along the row of the kernel.

    Events between them cover it.
    """
    is_kernel = visible_range.event >= 0 and analysis.trace.kinds[visible_range.event] in DEVICE_KINDS
    launch, kernel = (partner, visible_range.event) if is_kernel else (visible_range.event, partner)
    lines = find_line(index, launch), find_line(index, kernel)
    if any(line is None or line not in visible for line in lines):
        return
    launch_y, kernel_y = (HEAD + visible.index(line) for line in lines if line is not None)
    starts = (float(analysis.trace.starts[event]) for event in (launch, kernel))
    launch_x, kernel_x = (round((start - visible_range.start) / visible_range.width * columns) for start in starts)
    if launch_y == kernel_y or not (0 <= launch_x < columns and 0 <= kernel_x < columns):
        return
    step = 1 if kernel_y > launch_y else -1
    path = [(y, launch_x, "│") for y in range(launch_y + step, kernel_y, step)]
    if kernel_x > launch_x:
        path.append((kernel_y, launch_x, "╰" if step > 0 else "╭"))
        path += [(kernel_y, column, "─") for column in range(launch_x + 1, kernel_x)]
    for y, column, glyph in path:
        if cells.glyphs[y, left + column] == 32 and int(cells.inks[y, left + column]) == int(Ink.NONE):
            write(cells, y, left + column, glyph, Ink.ACCENT)


def _draw_cursor(
    cells: Cells,
    analysis: Analysis,
    index: TimelineIndex,
    visible_range: VisibleRange,
    visible: list[TimelineLine],
    left: int,
    columns: int,
    *,
    focused: bool,
) -> None:
    """Mark the selected event, its partner at the other end of a launch, and the start of a span."""
    if visible_range.mark is not None and visible_range.start <= visible_range.mark <= visible_range.end:
        column = left + min(
            int((visible_range.mark - visible_range.start) / visible_range.width * columns), columns - 1
        )
        for y in range(HEAD, HEAD + len(visible)):
            if cells.glyphs[y, column] == 32:
                write(cells, y, column, "┊", Ink.ACCENT)
    partner = find_partner(analysis, visible_range.event)
    _draw_flow(cells, analysis, index, visible_range, visible, left, columns, partner)
    for event, glyph, ink in (
        (partner, "◆", Ink.ACCENT),
        (visible_range.event, "█", Ink.CURSOR if focused else Ink.BOLD),
    ):
        line = find_line(index, event)
        if line is None or line not in visible:
            continue
        y = HEAD + visible.index(line)
        trace = analysis.trace
        first = (float(trace.starts[event]) - visible_range.start) / visible_range.width * columns
        last = (float(trace.ends[event]) - visible_range.start) / visible_range.width * columns
        begin, end = max(round(first), 0), min(max(round(last), round(first) + 1), columns)
        if begin >= columns or end <= 0:
            continue
        if glyph == "◆":
            write(cells, y, left + begin, glyph, ink)
        elif end - begin >= MIN_BAR:
            text = fit(f" {get_event_name(analysis, event)}", end - begin)
            write(cells, y, left + begin, safe(text) + " " * (end - begin - cell_width(safe(text))), ink)
        else:
            part = cells.crop(slice(y, y + 1), slice(left + begin, left + end))
            part.inks[:] = ink
            part.glyphs[part.glyphs == 32] = ord(" ")
