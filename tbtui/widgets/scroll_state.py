"""The scroll state of a list: cursor, first visible line and their limits, with pure transitions."""

from __future__ import annotations

from dataclasses import replace

from tbtui.frozen import frozen

PAGE_UP_KEYS = "pageup,ctrl+u,ctrl+b"
PAGE_DOWN_KEYS = "pagedown,ctrl+d,ctrl+f"
"""Keys of a page in everything that scrolls: those of keyboards with the keys, of vim and of less."""


@frozen
class ScrollState:
    """A cursor among `count` lines, of which `height` lines from `first` on are visible."""

    count: int = 0
    height: int = 0
    cursor: int = 0
    first: int = 0

    @property
    def cursor_line(self) -> int | None:
        """The visible line of the cursor; None if the cursor is not visible."""
        line = self.cursor - self.first
        return line if 0 <= line < min(self.height, self.count) else None

    @property
    def page(self) -> int:
        """Lines that page up and page down move by: one line of the previous page stays visible."""
        return max(self.height - 1, 1)

    def index_at(self, line: int) -> int | None:
        """Return the index of the line that is visible at `line`; None below the last."""
        index = self.first + line
        return index if line >= 0 and index < self.count else None

    def with_top(self, first: int) -> ScrollState:
        """Return the state with another first line, within the limits; the cursor stays."""
        first = max(0, min(first, self.count - self.height))
        return self if first == self.first else replace(self, first=first)

    def with_visible_cursor(self) -> ScrollState:
        """Return the state scrolled as little as possible so that the cursor is visible."""
        return self.with_top(min(self.cursor, max(self.first, self.cursor - self.height + 1)))

    def with_cursor(self, index: int) -> ScrollState:
        """Return the state with the cursor on a visible line; -1 is the last, an index beyond the end too."""
        last = self.count - 1
        return replace(self, cursor=max(last if index < 0 else min(index, last), 0)).with_visible_cursor()

    def with_height(self, height: int, *, keep_cursor: bool) -> ScrollState:
        """Return the state for another height; `keep_cursor` keeps the cursor above the lower end."""
        first = max(self.first, self.cursor - height + 1) if keep_cursor else self.first
        return replace(self, height=height).with_top(first)
