"""Screens over the dashboard, which are left once however many ways lead out of them.

Textual takes away whatever screen is on top each time one says that it is left: a second enter, typed before the first
was answered, or work that ends after escape, would take another screen away, or the last one.
"""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import Screen, ScreenResultType


class PassingScreen(Screen[ScreenResultType]):
    """What stands over the dashboard for a while.

    A base behind one of Textual's modal screens: its styles are those of the first base alone.
    """

    _is_left = False
    _late: tuple[ScreenResultType | None] | None = None
    """With what it is left as soon as it is on top."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave, unless that has been done. What is covered, by a terminal too small for anything, is left later."""
        if self._is_left or not self.is_attached:
            return AwaitComplete()
        if not self.is_active:
            self._late = (result,)
            return AwaitComplete()
        self._is_left = True
        return super().dismiss(result)

    def on_screen_resume(self) -> None:
        """It is on top again."""
        if self._late is not None:
            (result,), self._late = self._late, None
            self.dismiss(result)
