"""State of the Text tab beyond the shared settings, its transitions, and where list and text are placed."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.plugins.text.pane.list_model import TextKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.plugins.text.pane.list_model import SeriesKey, TextListing
    from tbtui.plugins.text.read import TextPoint

MIN_SIDE_BY_SIDE_WIDTH = 72
"""Minimum columns in which the list is to the left of the text."""

MIN_STACKED_HEIGHT = 15
"""Minimum rows in which the list is placed above the text; in fewer rows one of the two is shown."""

MIN_LIST_WIDTH, MAX_LIST_WIDTH = 26, 42
"""Columns of a list to the left of a text."""

LIST_DIVISOR = 3
"""The list takes one of this many parts of the columns or rows."""


def key_of_text(text: TextPoint) -> TextKey:
    """Return the key of a text in the list."""
    return TextKey(text.run.name, text.series.tag, text.point)


@frozen
class TextSession:
    """Choices of the user in the Text tab; each transition returns a new session."""

    marked: TextKey | None = None
    """The text that others are compared with."""

    is_comparing: bool = False
    """True while the difference of two texts is shown."""

    is_opened: bool = False
    """True while the text has the pane where there is no room for both list and text."""

    folds: Mapping[SeriesKey, bool] = field(default_factory=dict)
    """Series that the user has folded (True) or unfolded."""

    pending_key: str | None = None
    """Key of a row that the next list holds; the cursor moves there."""

    clicked_key: str | None = None
    """Key of the row that the cursor has reached by the last click."""

    def toggle_mark(self, text_key: TextKey) -> TextSession:
        """Return the session with another marked text, or with none if this one was marked."""
        return replace(self, marked=None if self.marked == text_key else text_key)

    def set_comparison(self, *, on: bool) -> TextSession:
        """Return the session with differences shown, or single texts."""
        return replace(self, is_comparing=on)

    def set_opened(self, *, on: bool) -> TextSession:
        """Return the session with the keys at the text, or at the list."""
        return replace(self, is_opened=on)

    def set_fold(self, key: SeriesKey, *, fold: bool) -> TextSession:
        """Return the session with a series folded or unfolded."""
        return replace(self, folds={**self.folds, key: fold})

    def expect_row(self, key: str | None) -> TextSession:
        """Return the session that waits for a row to be listed; None waits no longer."""
        return replace(self, pending_key=key)

    def click(self, key: str | None) -> TextSession:
        """Return the session after a click has moved the cursor to a row."""
        return replace(self, clicked_key=key)

    def find_compared(self, listed: TextListing, text: TextPoint) -> TextPoint | None:
        """Return the text that `text` is compared with.

        It is the marked one, otherwise that of the baseline or the selected run, the next older one of its run, that of
        the next run, the next newer one.

        Returns:
            None where the list holds no such text, or where the marked one is `text` itself.
        """
        text_key = self.marked or listed.find_partner(text)
        if text_key is None or text_key.point not in listed.points.get((text_key.run, text_key.tag), ()):
            return None
        partner = listed.at(text_key)
        return None if partner is None or partner.identity == text.identity else partner


@frozen
class Arrangement:
    """Visible parts of the Text tab and the size of its list."""

    list_width: int | None
    """Columns; None takes all there are."""

    list_height: int | None
    """Rows; None takes all there are."""

    is_list_shown: bool = True
    is_text_shown: bool = True


def arrange(width: int, height: int, rows: int, *, opened: bool) -> Arrangement:
    """Place list and text.

    Args:
        width: Columns of the pane.
        height: Rows of the pane.
        rows: Rows of the list.
        opened: Show the text where there is room for one of the two.
    """
    if width >= MIN_SIDE_BY_SIDE_WIDTH:
        return Arrangement(max(MIN_LIST_WIDTH, min(width // LIST_DIVISOR, MAX_LIST_WIDTH)), None)
    if height >= MIN_STACKED_HEIGHT:
        return Arrangement(None, max(min(rows, height // LIST_DIVISOR), 1))
    return Arrangement(None, None, is_list_shown=not opened, is_text_shown=opened)
