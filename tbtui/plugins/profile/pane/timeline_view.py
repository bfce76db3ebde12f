"""The timeline as a widget: keys and mouse change its `Sight` (the visible part); each frame is drawn in one pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.profile.overview import draw_lines
from tbtui.plugins.profile.timeline import (
    chosen,
    fitted_rows,
    lines_of,
    moved_line,
    next_event,
    next_match,
    panned,
    partner_of,
    ranged,
    row_of,
    visible_top,
    whole_sight,
    zoomed,
)
from tbtui.plugins.profile.timeline_drawing import HEAD, DrawnTimeline, draw_timeline, label_width, visible_lines
from tbtui.settings.filters import cached_filter
from tbtui.widgets.cells_view import WHEEL_ROWS, CellsView, WheelMixin
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS

if TYPE_CHECKING:
    import numpy.typing as npt
    from textual import events

    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.timeline import Sight, TimelineIndex

ZOOM = 0.5
WHEEL_ZOOM = 0.8
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
        Binding("z", "zoom(-1)", "zoom", key_display="z Z", id="timeline.zoom_in", tooltip="closer", group=_MOVE),
        Binding("Z", "zoom(1)", show=False, id="timeline.zoom_out", tooltip="further away", group=_MOVE),
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
        """Another event is chosen, or another part is in sight."""

    def __init__(self) -> None:
        super().__init__()
        self.analysis: Analysis | None = None
        self.index: TimelineIndex | None = None
        self.sight: Sight | None = None
        self._pattern = ""
        self._matches: npt.NDArray[np.bool_] | None = None
        self._drawn: DrawnTimeline | None = None

    # What shows

    def show(self, analysis: Analysis, index: TimelineIndex) -> None:
        """Show a capture. The visible part stays only if it is the same capture with the same number of events."""
        before = self.analysis
        self.analysis, self.index = analysis, index
        is_same = before is not None and before.source.key == analysis.source.key
        if before is not analysis and (self.sight is None or not is_same or len(before.trace) != len(analysis.trace)):  # type: ignore[union-attr]
            self.sight = whole_sight(index)
        self._set_matches()
        self._fit_rows()
        self.draw()

    def search(self, pattern: str) -> None:
        """Mark the events whose names match."""
        self._pattern = pattern
        self._set_matches()
        self.draw()

    def _set_matches(self) -> None:
        self._matches = None
        if self._pattern and self.analysis is not None:
            names = cached_filter(self._pattern)
            self._matches = np.array([names.matches(name) for name in self.analysis.trace.names], np.bool_)

    def show_range(self, start: float, end: float) -> None:
        """Show a range of time, in µs."""
        if self.index is not None and self.sight is not None:
            self._see(ranged(self.index, self.sight, start, end))

    def choose(self, event: int) -> None:
        """Choose an event and show it."""
        if self.index is not None and self.sight is not None:
            self._see(chosen(self.index, self.sight, event, self._lines))

    @property
    def _lines(self) -> int:
        return visible_lines(self.size.height)

    def _see(self, sight: Sight) -> None:
        self.sight = sight
        self.draw()
        self.post_message(self.Moved())

    def draw(self) -> None:
        """Draw the part in sight."""
        width, height = self.size
        if self.analysis is None or self.index is None or self.sight is None or width < 8 or height < 3:
            return
        drawn = draw_timeline(
            self.analysis, self.index, self.sight, width, height, matches=self._matches, focused=self.has_focus
        )
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        self.put(0, 0, drawn.cells)
        self._drawn = drawn

    def say(self, headline: str) -> None:
        """Show a message instead of a timeline."""
        self.analysis = self.index = None
        width, height = self.size
        self.clear(height, width)
        self.put(0, 0, draw_lines([((headline, -3),)], width, height))

    def _fit_rows(self) -> None:
        if self.index is not None and self.sight is not None:
            rows = fitted_rows(self.index, self.sight, self._lines)
            sight = replace(self.sight, rows=rows)
            count = len(lines_of(self.index, sight))
            line = min(sight.line, max(count - 1, 0))
            self.sight = replace(sight, line=line, top=visible_top(min(sight.top, line), line, self._lines))

    def on_resize(self) -> None:
        """Fit the timeline to the new size."""
        self._fit_rows()
        self.draw()

    def watch_has_focus(self, focused: bool) -> None:
        """Show the cursor only while the timeline has the focus."""
        super().watch_has_focus(focused)
        self.draw()

    # Keys

    def action_line(self, lines: int) -> None:
        """Move the cursor to another track or depth."""
        if self.index is not None and self.sight is not None:
            self._see(moved_line(self.index, self.sight, lines, self._lines))

    def action_page(self, pages: int) -> None:
        """Move the cursor by a screen."""
        self.action_line(pages * max(self._lines - 1, 1))

    def action_event(self, count: int) -> None:
        """Choose the next event of the track, or the one before."""
        if self.index is not None and self.sight is not None:
            self._see(next_event(self.index, self.sight, count, self._lines))

    def action_pan(self, parts: int) -> None:
        """Move along the time."""
        if self.index is not None and self.sight is not None:
            self._see(panned(self.index, self.sight, PAN * parts))

    def action_zoom(self, steps: int) -> None:
        """Zoom around the chosen event."""
        if self.index is not None and self.sight is not None:
            self._see(zoomed(self.index, self.sight, ZOOM if steps < 0 else 1 / ZOOM))

    def action_whole(self) -> None:
        """Show the whole capture."""
        if self.index is not None and self.sight is not None:
            whole = whole_sight(self.index)
            self._see(replace(self.sight, start=whole.start, end=whole.end))

    def action_fit(self) -> None:
        """Zoom to the chosen event, or to the span from the mark to it."""
        if self.index is None or self.sight is None or self.analysis is None or self.sight.event < 0:
            return
        start, end = self.span or self._times(self.sight.event)
        self._see(ranged(self.index, self.sight, start, end))

    def action_match(self, count: int) -> None:
        """Choose the next event that the search matches; without a search, the next with the same name."""
        if self.index is None or self.sight is None or self.analysis is None:
            return
        matches = self._matches
        if matches is None:
            if self.sight.event < 0:
                return
            matches = np.zeros(len(self.analysis.trace.names), np.bool_)
            matches[self.analysis.trace.name_ids[self.sight.event]] = True
        self._see(next_match(self.index, self.analysis, self.sight, matches, count, self._lines))

    def action_follow(self) -> None:
        """Go from a kernel to its launch, or from a launch to its kernel."""
        if self.analysis is not None and self.sight is not None:
            partner = partner_of(self.analysis, self.sight.event)
            if partner >= 0:
                self.choose(partner)

    def action_fold(self) -> None:
        """Open all rows of the track under the cursor, then fold it to one, then show as many as fit."""
        if self.index is None or self.sight is None:
            return
        places = lines_of(self.index, self.sight)
        if not places or places[self.sight.line].track < 0:
            return
        track = places[self.sight.line].track
        opened, folded = self.sight.opened, self.sight.folded
        has_more = len(self.index.tracks[track].rows) > self.sight.rows
        if track in folded:
            folded -= {track}
        elif track in opened or not has_more:
            opened, folded = opened - {track}, folded | {track}
        else:
            opened |= {track}
        sight = replace(self.sight, opened=opened, folded=folded)
        line = next(number for number, place in enumerate(lines_of(self.index, sight)) if place.track == track)
        self._see(replace(sight, line=line, top=visible_top(sight.top, line, self._lines)))

    def action_fold_all(self) -> None:
        """Fold all tracks to one row; if all are folded, show as many rows as fit."""
        if self.index is None or self.sight is None:
            return
        places = lines_of(self.index, self.sight)
        track = places[self.sight.line].track if places else 0
        tracks = frozenset(range(len(self.index.tracks)))
        folded = frozenset() if self.sight.folded == tracks else tracks
        sight = replace(self.sight, opened=frozenset(), folded=folded)
        line = next((at for at, place in enumerate(lines_of(self.index, sight)) if place.track == track), 0)
        self._see(replace(sight, line=line, top=visible_top(sight.top, line, self._lines)))

    def action_mark(self) -> None:
        """Begin a span at the chosen event, or end it."""
        if self.sight is None or self.analysis is None:
            return
        if self.sight.mark is not None:
            self._see(replace(self.sight, mark=None))
        elif self.sight.event >= 0:
            self._see(replace(self.sight, mark=self._times(self.sight.event)[0]))

    @property
    def span(self) -> tuple[float, float] | None:
        """Begin and end of the span from the mark to the chosen event; None without a mark."""
        if self.sight is None or self.sight.mark is None or self.sight.event < 0:
            return None
        start, end = self._times(self.sight.event)
        return min(start, self.sight.mark), max(end, self.sight.mark)

    def _times(self, event: int) -> tuple[float, float]:
        assert self.analysis is not None  # noqa: S101 - callers have checked
        return float(self.analysis.trace.starts[event]), float(self.analysis.trace.ends[event])

    # Mouse

    def _time_at(self, x: int) -> float | None:
        if self._drawn is None or self.sight is None:
            return None
        left = label_width(self.size.width) + 1
        if x < left:
            return None
        return self.sight.start + (x - left + 0.5) / max(self.size.width - left, 1) * self.sight.width

    def on_click(self, event: events.Click) -> None:
        """Choose the event under the mouse; fold the track whose title is clicked."""
        offset = event.get_content_offset(self)
        if offset is None or self.index is None or self.sight is None:
            return
        line = self.sight.top + offset.y - HEAD
        places = lines_of(self.index, self.sight)
        if not 0 <= line < len(places):
            return
        event.stop()
        time = self._time_at(offset.x)
        if time is None:
            self.sight = replace(self.sight, line=line)
            self.action_fold()
            return
        row = row_of(self.index, places[line])
        chosen_event = -1 if row is None or not len(row) else int(row.rows[row.at(time)])
        self._see(replace(self.sight, line=line, event=chosen_event))

    def turned(self, across: int, down: int) -> None:
        """Scroll the tracks, or move along the time."""
        if self.index is None or self.sight is None:
            return
        if across:
            self._see(panned(self.index, self.sight, WHEEL_PAN * across))
            return
        count = len(lines_of(self.index, self.sight))
        top = min(max(self.sight.top + down * WHEEL_ROWS, 0), max(count - self._lines, 0))
        self._see(replace(self.sight, top=top))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out about the pointer, or scroll over the titles."""
        self._wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom in about the pointer, or scroll over the titles."""
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, notches: int) -> None:
        offset = event.get_content_offset(self)
        time = None if offset is None else self._time_at(offset.x)
        if time is None or event.shift or self.index is None or self.sight is None:
            self._turn(event, notches, sideways=event.shift)
            return
        event.stop()
        event.prevent_default()
        self._see(zoomed(self.index, self.sight, WHEEL_ZOOM**-notches, time))
