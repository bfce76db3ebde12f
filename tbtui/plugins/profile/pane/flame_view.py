"""The flame graph as a widget: the cursor is a frame, and one frame takes the whole width."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.profile.flame import STACKS, choose_callers, count_max_callers, draw_flame
from tbtui.settings.filters import get_filter
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy.typing as npt
    from textual import events

    from tbtui.plugins.profile.flame import Flame, Stack, Weight

_FLAME = Binding.Group("Flame graph")


class FlameView(CellsView, can_focus=True):
    """Shows a flame graph from the top down."""

    BINDING_GROUP_TITLE = "Flame graph"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "parent", "below", show=False, id="flame.up", tooltip="its caller", group=_FLAME),
        Binding("down,j", "child", "on top", show=False, id="flame.down", tooltip="the widest it called", group=_FLAME),
        Binding("left,h", "sibling(-1)", show=False, id="flame.left", tooltip="frame before", group=_FLAME),
        Binding("right,l", "sibling(1)", show=False, id="flame.right", tooltip="frame after", group=_FLAME),
        Binding(PAGE_UP_KEYS, "page(-1)", "page up", show=False, id="flame.page_up", group=_FLAME),
        Binding(PAGE_DOWN_KEYS, "page(1)", "page down", show=False, id="flame.page_down", group=_FLAME),
        Binding("backspace", "zoom_out", "wider", id="flame.out", tooltip="zoom out", group=_FLAME),
        Binding("f,g,home", "whole", show=False, id="flame.whole", tooltip="whole graph", group=_FLAME),
        Binding("n", "match(1)", show=False, id="flame.next", tooltip="next match", group=_FLAME),
        Binding("N", "match(-1)", show=False, id="flame.previous", tooltip="match before", group=_FLAME),
    ]

    DEFAULT_CSS = """
    FlameView { height: 1fr; width: 1fr; display: none; }
    """

    class Moved(Message):
        """The cursor is on another frame."""

    def __init__(self) -> None:
        super().__init__()
        self.flame: Flame | None = None
        self.stack: Stack = STACKS[0]
        self.weight: Weight = "host"
        self.focus_frame = self.cursor = 0
        self.matches: npt.NDArray[np.bool_] | None = None
        self._pattern = ""
        self._key: Hashable = None

    def show(self, flame: Flame, key: Hashable) -> None:
        """Show a graph; cursor and zoom stay if the key is that of the previous graph."""
        if key != self._key or self.flame is None or len(flame.names) != len(self.flame.names):
            self.focus_frame = self.cursor = 0
        self._key, self.flame = key, flame
        self.search(self._pattern)

    def search(self, pattern: str) -> None:
        """Mark the frames whose names match."""
        self._pattern, self.matches = pattern, None
        if pattern and self.flame is not None:
            names = get_filter(pattern)
            is_match = {name: names.matches(name) for name in set(self.flame.names)}
            self.matches = np.array([is_match[name] for name in self.flame.names], np.bool_)
            self.matches[0] = False
        self.draw()

    def draw(self) -> None:
        """Draw the graph."""
        width, height = self.size
        if self.flame is None or width < 4 or height < 1:
            return
        cells = draw_flame(
            self.flame,
            width,
            height,
            focus=self.focus_frame,
            cursor=self.cursor,
            matches=self.matches,
            focused=self.has_focus,
        )
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        self.put(0, 0, cells)

    def _move_cursor(self, frame: int) -> None:
        if self.flame is None:
            return
        self.cursor = frame
        # A frame outside of the one that takes the whole width needs a wider one.
        while self.focus_frame and not self._is_inside(frame, self.focus_frame):
            self.focus_frame = int(self.flame.parents[self.focus_frame])
        self._show_cursor()
        self.draw()
        self.post_message(self.Moved())

    def _show_cursor(self) -> None:
        """Zoom in until the cursor is on the screen: its frame may be too narrow, or too deep."""
        assert self.flame is not None  # noqa: S101 - the caller has checked
        width, height = self.size
        path = [self.cursor]
        while path[-1] != self.focus_frame:
            path.append(int(self.flame.parents[path[-1]]))
        for focus in reversed(path):
            self.focus_frame = focus
            callers = min(int(self.flame.depths[focus]), count_max_callers(height))
            is_wide = float(self.flame.totals[self.cursor]) * width >= float(self.flame.totals[focus])
            if is_wide and callers + int(self.flame.depths[self.cursor] - self.flame.depths[focus]) < height - 1:
                return

    def _is_inside(self, frame: int, outer: int) -> bool:
        assert self.flame is not None  # noqa: S101 - callers have checked
        while frame != outer and frame:
            frame = int(self.flame.parents[frame])
        return frame == outer

    def on_resize(self) -> None:
        """Draw the graph in the new size."""
        self.draw()

    def watch_has_focus(self, focused: bool) -> None:
        """Show the cursor only while the graph has the focus."""
        super().watch_has_focus(focused)
        self.draw()

    # Keys

    def action_parent(self) -> None:
        """Move to the frame that called this one."""
        if self.flame is not None:
            self._move_cursor(int(self.flame.parents[self.cursor]))

    def action_child(self) -> None:
        """Move to the widest frame that this one called."""
        if self.flame is not None:
            children = self.flame.children(self.cursor)
            if len(children) and self.flame.totals[children[0]] > 0:
                self._move_cursor(int(children[0]))

    def action_page(self, pages: int) -> None:
        """Move by half a screen along the callers, or along the widest frames on top."""
        for _ in range(max(self.size.height // 2, 1)):
            if pages < 0:
                self.action_parent()
            else:
                self.action_child()

    def action_sibling(self, count: int) -> None:
        """Move to the next frame of the same caller."""
        if self.flame is not None:
            siblings = self.flame.siblings(self.cursor)
            position = int(np.flatnonzero(siblings == self.cursor)[0]) + count
            if 0 <= position < len(siblings) and self.flame.totals[siblings[position]] > 0:
                self._move_cursor(int(siblings[position]))

    def zoom_in(self) -> bool:
        """Give the frame under the cursor the whole width; return False if it has it."""
        if self.cursor == self.focus_frame:
            return False
        self.focus_frame = self.cursor
        self.draw()
        return True

    def action_zoom_out(self) -> None:
        """Give the caller of the widest frame the whole width."""
        if self.flame is not None:
            self.focus_frame = int(self.flame.parents[self.focus_frame])
            self.draw()

    def action_whole(self) -> None:
        """Show the whole graph."""
        self.focus_frame = self.cursor = 0
        self._move_cursor(0)

    def action_match(self, count: int) -> None:
        """Move to the next frame that matches, by width."""
        if self.flame is None or self.matches is None or not self.matches.any():
            return
        frames = np.flatnonzero(self.matches)
        frames = frames[np.argsort(-self.flame.totals[frames], kind="stable")]
        position = int(np.flatnonzero(frames == self.cursor)[0]) + count if self.cursor in frames else 0
        self._move_cursor(int(frames[position % len(frames)]))

    # Mouse

    def on_click(self, event: events.Click) -> None:
        """Move to the frame under the mouse; a second click zooms into it."""
        offset = event.get_content_offset(self)
        if offset is None or self.flame is None:
            return
        event.stop()
        path = [self.focus_frame]
        while path[-1]:
            path.append(int(self.flame.parents[path[-1]]))
        callers = choose_callers(path, self.size.height)
        if offset.y < len(callers):
            self._move_cursor(callers[offset.y])
            return
        depth = int(self.flame.depths[self.focus_frame]) + offset.y - len(callers)
        if depth < len(self.flame.rows) and len(self.flame.rows[depth]):
            row = self.flame.rows[depth]
            start, total = float(self.flame.starts[self.focus_frame]), float(self.flame.totals[self.focus_frame])
            frame = int(row.rows[row.at(start + (offset.x + 0.5) / max(self.size.width, 1) * total)])
            if frame == self.cursor:
                self.zoom_in()
            self._move_cursor(frame)
