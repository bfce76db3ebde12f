"""What of a session is kept for the next one of the same log directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.viewstate.given import Given
from tbtui.viewstate.saved import Kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.saved import SavedChoices, SidebarState


class Keeping:
    """Keeps what the user chose by hand; what was given for this session alone stays as it was kept before.

    Args:
        saved: Where it is kept; None: nowhere.
        kept: What the last session left.
        choices: What this one begins with.
        theme: Likewise.
    """

    def __init__(self, saved: SavedChoices | None, kept: Kept, choices: Choices, theme: str) -> None:
        self._saved = saved
        self._given = Given(kept.choices, choices)
        self._theme = kept.theme
        self._seen_theme = theme

    @property
    def keeps(self) -> bool:
        """Whether there is a place to keep anything."""
        return self._saved is not None

    def chosen(self, before: Choices, after: Choices) -> bool:
        """The user has made `after` of `before`; tells whether that is worth keeping."""
        return self._given.changed(before, after)

    def themed(self, theme: str) -> bool:
        """The app has this theme now; tells whether the user chose it."""
        if theme == self._seen_theme:
            return False
        self._theme = self._seen_theme = theme
        return True

    def save(self, choices: Choices, sidebar: SidebarState, inks: Mapping[str, int]) -> str | None:
        """Keep it now.

        Returns:
            Why nothing can be kept, which is not tried again; otherwise None.
        """
        if self._saved is None:
            return None
        try:
            self._saved.save(Kept(self._given.to_keep(choices), sidebar, inks, self._theme))
        except OSError as error:
            self._saved = None
            return str(error)
        return None
