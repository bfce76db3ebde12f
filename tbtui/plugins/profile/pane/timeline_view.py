"""The timeline as a widget: keys and mouse change its `VisibleRange`; each frame is drawn in one pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.profile.timeline import (
    choose_rows_per_track,
    find_partner,
    go_to_event,
    go_to_match,
    list_lines,
    move_cursor,
    pan,
    scroll_to_line,
    select_event,
    select_events,
    show_all,
    with_range,
    zoom,
)
from tbtui.plugins.profile.timeline_drawing import HEAD, DrawnTimeline, count_visible_lines, draw_timeline, label_width
from tbtui.settings.filters import get_filter
from tbtui.widgets.cells_view import WHEEL_ROWS, CellsView, WheelMixin
from tbtui.widgets.plot_view import WHEEL_ZOOM
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS

if TYPE_CHECKING:
    import numpy.typing as npt
    from textual import events

    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.timeline import TimelineIndex, VisibleRange

ZOOM = 2.0
PAN = 0.25
WHEEL_PAN = 0.1

_MOVE = Binding.Group("Timeline")


class TimelineView(WheelMixin, CellsView, can_focus=True):
    """Shows tracks over time, with a cursor on an event."""

    BINDING_GROUP_TITLE = "Timeline"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "line(-1)", "track above", show=False, id="timeline.up", group=_MOVE),
        Binding("down,j", "line(1)", "track below", show=False, id="timeline.down", group=_MOVE),
        Binding(PAGE_UP_KEYS, "page(-1)", "page up", show=False, id="timeline.page_up", group=_MOVE),
        Binding(PAGE_DOWN_KEYS, "page(1)", "page down", show=False, id="timeline.page_down", group=_MOVE),
        Binding("left,h,comma", "event(-1)", show=False, id="timeline.left", tooltip="event before", group=_MOVE),
        Binding("right,l,full_stop", "event(1)", show=False, id="timeline.right", tooltip="event after", group=_MOVE),
        Binding("shift+left,H", "pan(-1)", show=False, id="timeline.pan_left", tooltip="earlier", group=_MOVE),
        Binding(
            "shift+right,L", "pan(1)", "move", key_display="H L", id="timeline.pan_right", tooltip="later", group=_MOVE
        ),
        Binding("z", "zoom(1)", "zoom", key_display="z Z", id="timeline.zoom_in", tooltip="closer", group=_MOVE),
        Binding("Z", "zoom(-1)", show=False, id="timeline.zoom_out", tooltip="further away", group=_MOVE),
        Binding("F", "whole", "whole", show=False, id="timeline.whole", tooltip="whole capture", group=_MOVE),
        Binding("f", "fit", show=False, id="timeline.fit", tooltip="zoom to this event, or to the span", group=_MOVE),
        Binding(
            "n",
            "match(1)",
            "next",
            key_display="n N",
            id="timeline.next",
            tooltip="next of this name, next match",
            group=_MOVE,
        ),
        Binding("N", "match(-1)", show=False, id="timeline.previous", tooltip="the one before", group=_MOVE),
        Binding(
            "U", "follow", "launch", id="timeline.follow", tooltip="from a kernel to its launch and back", group=_MOVE
        ),
        Binding("space", "fold", "fold", show=False, id="timeline.fold", tooltip="fold, unfold the track", group=_MOVE),
        Binding("asterisk", "fold_all", show=False, id="timeline.fold_all", tooltip="fold, unfold all", group=_MOVE),
        Binding("v", "mark", "span", id="timeline.mark", tooltip="begin of a span, sums of the span", group=_MOVE),
    ]

    DEFAULT_CSS = """
    TimelineView { height: 1fr; width: 1fr; display: none; }
    """

    class Moved(Message):
        """Another event is selected, or another part is visible."""

    def __init__(self) -> None:
        super().__init__()
        self.analysis: Analysis | None = None
        self.index: TimelineIndex | None = None
        self.visible_range: VisibleRange | None = None
        self._pattern = ""
        self._matches: npt.NDArray[np.bool_] | None = None
        self._picture: DrawnTimeline | None = None

    def show(self, analysis: Analysis, index: TimelineIndex) -> None:
        """Show a capture. The visible part stays only if it is the same capture with the same number of events."""
        previous = self.analysis
        self.analysis, self.index = analysis, index
        if self.visible_range is None or previous is None or not _is_same_capture(previous, analysis):
            self.visible_range = show_all(index)
        self._set_matches()
        self._update_rows_per_track()
        self.draw()

    def search(self, pattern: str) -> None:
        """Mark the events whose names match."""
        self._pattern = pattern
        self._set_matches()
        self.draw()

    def _set_matches(self) -> None:
        self._matches = None
        if self._pattern and self.analysis is not None:
            names = get_filter(self._pattern)
            self._matches = np.array([names.matches(name) for name in self.analysis.trace.names], np.bool_)

    def show_range(self, start: float, end: float) -> None:
        """Show a range of time, in µs."""
        if self.index is not None and self.visible_range is not None:
            self._show(with_range(self.index, self.visible_range, start, end))

    def select(self, event: int) -> None:
        """Select an event and show it."""
        if self.index is not None and self.visible_range is not None:
            self._show(select_event(self.index, self.visible_range, event, self._line_count))

    @property
    def _line_count(self) -> int:
        return count_visible_lines(self.size.height)

    def _show(self, visible_range: VisibleRange) -> None:
        self.visible_range = visible_range
        self.draw()
        self.post_message(self.Moved())

    def draw(self) -> None:
        """Draw the visible part."""
        width, height = self.size
        if self.analysis is None or self.index is None or self.visible_range is None or width < 8 or height < 3:
            return
        picture = draw_timeline(
            self.analysis, self.index, self.visible_range, width, height, matches=self._matches, focused=self.has_focus
        )
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        self.put(0, 0, picture.cells)
        self._picture = picture

    def _update_rows_per_track(self) -> None:
        if self.index is not None and self.visible_range is not None:
            rows = choose_rows_per_track(self.index, self.visible_range, self._line_count)
            visible_range = replace(self.visible_range, rows=rows)
            count = len(list_lines(self.index, visible_range))
            cursor_line = min(visible_range.cursor_line, max(count - 1, 0))
            top = scroll_to_line(min(visible_range.top, cursor_line), cursor_line, self._line_count)
            self.visible_range = replace(visible_range, cursor_line=cursor_line, top=top)

    def on_resize(self) -> None:
        """Fit the timeline to the new size."""
        self._update_rows_per_track()
        self.draw()

    def watch_has_focus(self, focused: bool) -> None:
        """Show the cursor only while the timeline has the focus."""
        super().watch_has_focus(focused)
        self.draw()

    # Keys

    def action_line(self, lines: int) -> None:
        """Move the cursor to another track or depth."""
        if self.index is not None and self.visible_range is not None:
            self._show(move_cursor(self.index, self.visible_range, lines, self._line_count))

    def action_page(self, pages: int) -> None:
        """Move the cursor by a screen."""
        self.action_line(pages * max(self._line_count - 1, 1))

    def action_event(self, count: int) -> None:
        """Select the next event of the track, or the one before."""
        if self.index is not None and self.visible_range is not None:
            self._show(go_to_event(self.index, self.visible_range, count, self._line_count))

    def action_pan(self, parts: int) -> None:
        """Move along the time."""
        if self.index is not None and self.visible_range is not None:
            self._show(pan(self.index, self.visible_range, PAN * parts))

    def action_zoom(self, steps: int) -> None:
        """Zoom in around the selected event; out for a number below 0."""
        if self.index is not None and self.visible_range is not None:
            self._show(zoom(self.index, self.visible_range, ZOOM**steps))

    def action_whole(self) -> None:
        """Show the whole capture."""
        if self.index is not None and self.visible_range is not None:
            full = show_all(self.index)
            self._show(replace(self.visible_range, start=full.start, end=full.end))

    def action_fit(self) -> None:
        """Zoom to the selected event, or to the span from the mark to it."""
        if self.index is None or self.visible_range is None or self.analysis is None or self.visible_range.event < 0:
            return
        start, end = self.span or self._find_times(self.visible_range.event)
        self._show(with_range(self.index, self.visible_range, start, end))

    def action_match(self, count: int) -> None:
        """Select the next event that the search matches; without a search, the next with the same name."""
        if self.index is None or self.visible_range is None or self.analysis is None:
            return
        matches = self._matches
        if matches is None:
            if self.visible_range.event < 0:
                return
            matches = np.zeros(len(self.analysis.trace.names), np.bool_)
            matches[self.analysis.trace.name_ids[self.visible_range.event]] = True
        self._show(go_to_match(self.index, self.analysis, self.visible_range, matches, count, self._line_count))

    def action_follow(self) -> None:
        """Go from a kernel to its launch, or from a launch to its kernel."""
        if self.analysis is not None and self.visible_range is not None:
            partner = find_partner(self.analysis, self.visible_range.event)
            if partner >= 0:
                self.select(partner)

    def action_fold(self) -> None:
        """Open all rows of the track under the cursor, then fold it to one, then show as many as fit."""
        if self.index is None or self.visible_range is None:
            return
        lines = list_lines(self.index, self.visible_range)
        if not lines or lines[self.visible_range.cursor_line].track < 0:
            return
        track = lines[self.visible_range.cursor_line].track
        opened, folded = self.visible_range.opened, self.visible_range.folded
        has_more = len(self.index.tracks[track].rows) > self.visible_range.rows
        if track in folded:
            folded -= {track}
        elif track in opened or not has_more:
            opened, folded = opened - {track}, folded | {track}
        else:
            opened |= {track}
        visible_range = replace(self.visible_range, opened=opened, folded=folded)
        self._show_track(visible_range, track)

    def action_fold_all(self) -> None:
        """Fold all tracks to one row; if all are folded, show as many rows as fit."""
        if self.index is None or self.visible_range is None:
            return
        lines = list_lines(self.index, self.visible_range)
        track = lines[self.visible_range.cursor_line].track if lines else 0
        tracks = frozenset(range(len(self.index.tracks)))
        folded = frozenset() if self.visible_range.folded == tracks else tracks
        visible_range = replace(self.visible_range, opened=frozenset(), folded=folded)
        self._show_track(visible_range, track)

    def _show_track(self, visible_range: VisibleRange, track: int) -> None:
        """Show a visible range with the cursor on the first line of a track."""
        assert self.index is not None  # noqa: S101 - callers have checked
        lines = enumerate(list_lines(self.index, visible_range))
        cursor_line = next((number for number, line in lines if line.track == track), 0)
        top = scroll_to_line(visible_range.top, cursor_line, self._line_count)
        self._show(replace(visible_range, cursor_line=cursor_line, top=top))

    def action_mark(self) -> None:
        """Begin a span at the selected event, or end it."""
        if self.visible_range is None or self.analysis is None:
            return
        if self.visible_range.mark is not None:
            self._show(replace(self.visible_range, mark=None))
        elif self.visible_range.event >= 0:
            self._show(replace(self.visible_range, mark=self._find_times(self.visible_range.event)[0]))

    @property
    def span(self) -> tuple[float, float] | None:
        """Start and end of the span from the mark to the selected event; None without a mark."""
        if self.visible_range is None or self.visible_range.mark is None or self.visible_range.event < 0:
            return None
        start, end = self._find_times(self.visible_range.event)
        return min(start, self.visible_range.mark), max(end, self.visible_range.mark)

    def _find_times(self, event: int) -> tuple[float, float]:
        assert self.analysis is not None  # noqa: S101 - callers have checked
        return float(self.analysis.trace.starts[event]), float(self.analysis.trace.ends[event])

    # Mouse

    def _time_at_column(self, x: int) -> float | None:
        if self._picture is None or self.visible_range is None:
            return None
        left = label_width(self.size.width) + 1
        if x < left:
            return None
        return self.visible_range.start + (x - left + 0.5) / max(self.size.width - left, 1) * self.visible_range.width

    def on_click(self, event: events.Click) -> None:
        """Select the event under the mouse; fold the track whose title is clicked."""
        offset = event.get_content_offset(self)
        if offset is None or self.index is None or self.visible_range is None:
            return
        cursor_line = self.visible_range.top + offset.y - HEAD
        lines = list_lines(self.index, self.visible_range)
        if not 0 <= cursor_line < len(lines):
            return
        event.stop()
        time = self._time_at_column(offset.x)
        if time is None:
            self.visible_range = replace(self.visible_range, cursor_line=cursor_line)
            self.action_fold()
            return
        row = select_events(self.index, lines[cursor_line])
        selected = -1 if row is None or not len(row) else int(row.rows[row.at(time)])
        self._show(replace(self.visible_range, cursor_line=cursor_line, event=selected))

    def handle_wheel(self, across: int, down: int) -> None:
        """Scroll the tracks, or move along the time."""
        if self.index is None or self.visible_range is None:
            return
        if across:
            self._show(pan(self.index, self.visible_range, WHEEL_PAN * across))
            return
        count = len(list_lines(self.index, self.visible_range))
        top = min(max(self.visible_range.top + down * WHEEL_ROWS, 0), max(count - self._line_count, 0))
        self._show(replace(self.visible_range, top=top))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out about the pointer, or scroll over the titles."""
        self._handle_wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom in about the pointer, or scroll over the titles."""
        self._handle_wheel(event, -1)

    def _handle_wheel(self, event: events.MouseEvent, notches: int) -> None:
        offset = event.get_content_offset(self)
        time = None if offset is None else self._time_at_column(offset.x)
        if time is None or event.shift or self.index is None or self.visible_range is None:
            self._turn(event, notches, sideways=event.shift)
            return
        event.stop()
        event.prevent_default()
        self._show(zoom(self.index, self.visible_range, WHEEL_ZOOM**-notches, time))


def _is_same_capture(previous: Analysis, analysis: Analysis) -> bool:
    """Return True if a visible range of one analysis suits another: same capture, same number of events."""
    if previous is analysis:
        return True
    return previous.source.key == analysis.source.key and len(previous.trace) == len(analysis.trace)
