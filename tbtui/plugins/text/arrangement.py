"""Where list and text stand on a screen of some size."""

from __future__ import annotations

from tbtui.frozen import frozen

BESIDE_FROM_WIDTH = 72
"""Columns from which on the list stands beside the text."""

ABOVE_FROM_HEIGHT = 15
"""Lines from which on it stands above; in fewer one of the two shows."""

LEAST_LIST, MOST_LIST = 26, 42
"""Columns of a list beside a text."""

LIST_PART = 3
"""It takes one part in so many of columns or lines."""


@frozen
class Arrangement:
    """Which of the two shows, and how large the list is."""

    list_width: int | None
    """None: as wide as there is room."""

    list_height: int | None
    list_shown: bool = True
    text_shown: bool = True

    @property
    def both(self) -> bool:
        """Whether neither hides the other."""
        return self.list_shown and self.text_shown


def arranged(width: int, height: int, rows: int, *, opened: bool) -> Arrangement:
    """Decide where list and text stand.

    Args:
        width: Columns of the pane.
        height: Its lines.
        rows: Of the list.
        opened: Whether a text was opened that has to show where only one of the two does.
    """
    if width >= BESIDE_FROM_WIDTH:
        return Arrangement(max(LEAST_LIST, min(width // LIST_PART, MOST_LIST)), None)
    if height >= ABOVE_FROM_HEIGHT:
        return Arrangement(None, max(min(rows, height // LIST_PART), 1))
    return Arrangement(None, None, list_shown=not opened, text_shown=opened)
